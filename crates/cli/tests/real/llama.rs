//! A llama.cpp server with a window of 512 tokens, while the user says 4,096: the user's
//! word wins over the server's (CAT-3), so the overflow is real.

use std::sync::OnceLock;

use plimsoll_domain::Lifecycle;
use plimsoll_testkit::{
    llama_server::{LlamaOptions, LlamaServer},
    real,
};

use crate::home::{Home, SENTENCE, cache, weights};

const WINDOW: u32 = 512;

/// One server for all tests; it ends with this process.
fn server() -> Option<&'static LlamaServer> {
    static SERVER: OnceLock<Option<LlamaServer>> = OnceLock::new();
    let server = SERVER.get_or_init(|| {
        let options =
            LlamaOptions { model: weights()?, window: WINDOW, longest_answer: 8, threads: 1 };
        match LlamaServer::start(cache(), &options) {
            Ok(server) => Some(server),
            Err(why) => {
                real::skipped(&why.to_string());
                None
            }
        }
    });
    if server.is_none() {
        real::skipped("this test needs a llama.cpp server");
    }
    server.as_ref()
}

/// A home whose only model is on the server.
fn home(server: &LlamaServer) -> Home {
    let home = Home::new();
    let (id, url) = (LlamaServer::MODEL, server.base_url());
    let model = format!(
        "[[model]]\nid = \"{id}\"\nprovider = \"llamacpp\"\nbaseUrl = \"{url}\"\n\
         contextWindow = 4096\n"
    );
    std::fs::write(home.path().join("models.toml"), model).unwrap();
    std::fs::write(home.path().join("config.toml"), format!("defaultModel = \"{id}\"")).unwrap();
    home
}

/// What `models` says of the model: ML, what binds, whether it is there.
fn told(home: &Home) -> (u64, String, bool) {
    let report = home.run(&["models", "--json", LlamaServer::MODEL]).json();
    let model = &report["models"][0];
    let bind = model["bind"].as_str().unwrap().to_owned();
    (model["ml"].as_u64().unwrap(), bind, model["available"].as_bool().unwrap())
}

#[test]
fn ovf_2_a_real_overflow_is_trimmed_and_cat_3_leaves_the_users_own_window_alone() {
    let Some(server) = server() else { return };
    let home = home(server);
    // Five pairs of some 135 tokens: two must go before the rest fits.
    home.fill(&[10; 5]);
    let before = home.kept();
    assert_eq!(told(&home), (4096, "window".to_owned(), true), "PRV-2, CAT-3");

    let ran = home.run(&[
        "send",
        "--scope",
        "everything",
        "-m",
        LlamaServer::MODEL,
        "Where may she load?",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(!ran.stdout.trim().is_empty());
    assert!(ran.stderr.contains("[5-2]/5"), "REC-3: {}", ran.stderr);
    let notice = "2 oldest pairs were left out: the provider's window is 512 tokens \
                  (\"question 1\", \"question 2\")";
    assert!(ran.stderr.contains(notice), "REC-4: {}", ran.stderr);
    assert!(ran.stderr.contains("used ") && ran.stderr.contains("error "), "{}", ran.stderr);
    assert_eq!(home.stages(), ["overflow_initial", "overflow_retry", "success"], "REC-1");
    let kept = home.kept();
    assert_eq!(kept[..5], before[..], "nothing is taken out of the history");
    assert_eq!(kept[5].pair.lifecycle, Lifecycle::Complete);

    // The window is the user's own word, which nothing that was learned lowers: the next send
    // is trimmed again, and says so.
    assert_eq!(told(&home), (4096, "window".to_owned(), true));
    let next =
        home.run(&["send", "--scope", "everything", "-m", LlamaServer::MODEL, "And in winter?"]);
    assert_eq!(next.code, 0, "{}", next.stderr);
    assert_eq!(home.stages().last().map(String::as_str), Some("success"), "{}", next.stderr);
    assert_eq!(home.receipt()["attempts"][0]["budget"]["maxContext"], 4096);
    assert!(next.stderr.contains("left out"), "{}", next.stderr);
}

#[test]
fn ovf_3_where_trimming_cannot_help_the_send_ends_with_suggestions() {
    let Some(server) = server() else { return };
    let home = home(server);
    home.fill(&[3; 2]);
    let long = SENTENCE.repeat(60);
    let ran = home.run(&["send", "--scope", "everything", "-m", LlamaServer::MODEL, &long]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("error: [error: context] "), "{}", ran.stderr);
    assert!(ran.stderr.contains("the limit is 512"), "FAU-7: {}", ran.stderr);
    assert!(ran.stderr.contains("note: shorten the message by"), "{}", ran.stderr);
    // Larger models are known, but none of them can be asked here.
    assert!(!ran.stderr.contains("switch to a larger model"), "{}", ran.stderr);
    let stages = ["overflow_initial", "overflow_retry", "overflow_exhausted"];
    assert_eq!(home.stages(), stages);
    let kept = home.kept();
    assert_eq!(kept.len(), 3);
    let error = kept[2].pair.error.clone().unwrap();
    assert_eq!(error.code, "context_overflow_after_trimming");
    assert_eq!(kept[2].pair.user_text, long);
}
