//! The real Codex from npm, as far as it runs without an account: its server is a script of
//! ours, so that what it takes, sends, adds and says of a failure is seen for real.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, time::Duration};

use plimsoll_domain::Usage;
use plimsoll_fault::Label;
use plimsoll_provider::{Codex, Finish, Provider, Timeouts};
use plimsoll_send::{FilePart, Message, Part, Request, Role};
use plimsoll_testkit::{
    npm::npm,
    real::skipped,
    scripted::{Reply, ScriptedServer},
};
use tempfile::TempDir;

use super::hear;

/// Its version is fixed: what it says and takes has no promise of staying.
const PACKAGE: &str = "@openai/codex@0.166.0";

const UNHURRIED: Timeouts = Timeouts {
    connect: Duration::from_secs(60),
    first_byte: Duration::from_secs(60),
    idle: Duration::from_secs(60),
    loading: Duration::from_secs(60),
};

/// The real program with a home of its own that names our server; None, loudly, where npm
/// cannot get it.
fn codex(home: &Path, server: &ScriptedServer) -> Option<Codex> {
    let program = match npm(Path::new(env!("CARGO_TARGET_TMPDIR")), PACKAGE, "codex") {
        Ok(program) => program,
        Err(error) => {
            skipped(&format!("this test needs {PACKAGE}: {error}"));
            return None;
        }
    };
    let config = format!(
        "model_provider = \"scripted\"\n[model_providers.scripted]\nname = \"scripted\"\n\
         base_url = \"{}\"\nwire_api = \"responses\"\nrequest_max_retries = 0\n\
         stream_max_retries = 0\n",
        server.base_url()
    );
    fs::write(home.join("config.toml"), config).unwrap();
    let wrapper = home.join("codex");
    let (home, program) = (home.display(), program.display());
    let script = format!(
        "#!/bin/sh\nexport HOME='{home}' CODEX_HOME='{home}'\nunset OPENAI_API_KEY CODEX_API_KEY\n\
         exec '{program}' \"$@\"\n"
    );
    fs::write(&wrapper, script).unwrap();
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
    Some(Codex::new(wrapper, UNHURRIED))
}

/// An answer as the service that Codex speaks to streams it.
fn reply(text: &str) -> Reply {
    let item = serde_json::json!({"type": "response.output_item.done", "item": {
        "type": "message", "role": "assistant", "id": "m1",
        "content": [{"type": "output_text", "text": text}]}});
    let completed = serde_json::json!({"type": "response.completed", "response": {"id": "r1",
        "usage": {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 20},
                  "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 3},
                  "total_tokens": 107}}});
    Reply::stream()
        .named_event("response.created", r#"{"type":"response.created","response":{"id":"r1"}}"#)
        .named_event("response.output_item.done", item.to_string())
        .named_event("response.completed", completed.to_string())
        .end()
}

/// A picture of one pixel.
const PNG: &[u8] = &[
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0,
    0, 0, 144, 119, 83, 222, 0, 0, 0, 12, 73, 68, 65, 84, 120, 156, 99, 248, 207, 192, 0, 0, 3, 1,
    1, 0, 201, 254, 146, 239, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dlv_5_the_real_codex_takes_the_call_and_its_answer_arrives() {
    let server = ScriptedServer::always(reply("Hello from afar.")).unwrap();
    let home = TempDir::new().unwrap();
    let Some(codex) = codex(home.path(), &server) else { return };
    let named = home.path().join("a b.png");
    fs::write(&named, PNG).unwrap();
    let picture = |path: &Path| {
        Part::File(FilePart {
            file: None,
            mime: "image/png".to_owned(),
            bytes: PNG.into(),
            path: path.to_owned(),
            remote: None,
        })
    };
    let text = "And <<context:image:/x/a b.png>>>?\n";
    let mut last = Message::new(Role::User, text);
    last.push(picture(&named));
    last.push(picture(Path::new("/x/with,comma.png")));
    let first = Message::new(Role::User, "Ahoy");
    let request = Request::new("some-model", vec![first, last]);
    let heard = hear(codex.ask(&request)).await;
    assert_eq!(heard.failure, None);
    assert_eq!((heard.text.as_str(), heard.finish), ("Hello from afar.", Some(Finish::Stop)));
    let usage = Usage { prompt: 100, cached: 20, completion: 7, reasoning: 3 };
    assert_eq!(heard.usage, Some(usage));

    let requests = server.requests();
    let posted = requests.iter().find(|one| one.method == "POST").unwrap();
    let body: serde_json::Value = serde_json::from_str(&posted.body).unwrap();
    assert_eq!(body["model"], "some-model");
    let input = body["input"].as_array().unwrap();
    let parts = input.last().unwrap()["content"].as_array().unwrap();
    let prompt = parts.last().unwrap()["text"].as_str().unwrap();
    assert_eq!(prompt, format!("User:\nAhoy\n\nUser:\n{text}"));
    let pictures = parts.iter().filter(|part| part["type"] == "input_image");
    assert_eq!(pictures.count(), 2, "both pictures were read: {parts:?}");
    // What `hidden_prompt_notice` says is true.
    assert!(codex.hidden_prompt_notice().is_some() && input.len() > 1, "{}", input.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fau_3_failures_of_the_real_codex_are_understood() {
    for (reply, label) in [
        (
            Reply::json(
                400,
                r#"{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}"#,
            ),
            Label::Overflow,
        ),
        (Reply::auth(), Label::Auth),
        (Reply::rate(None), Label::Rate),
        (Reply::server(), Label::Server),
    ] {
        let server = ScriptedServer::always(reply).unwrap();
        let home = TempDir::new().unwrap();
        let Some(codex) = codex(home.path(), &server) else { return };
        let request = Request::new("codex", vec![Message::new(Role::User, "Hello")]);
        let heard = hear(codex.ask(&request)).await;
        let failure = heard.failure.unwrap();
        assert_eq!(failure.fault().label, label, "{failure:?}");
        assert_eq!(heard.text, "");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_codex_that_cannot_start_says_why() {
    let server = ScriptedServer::always(reply("unused")).unwrap();
    let home = TempDir::new().unwrap();
    let Some(codex) = codex(home.path(), &server) else { return };
    fs::write(home.path().join("config.toml"), "model_provider = 7\n").unwrap();
    let request = Request::new("codex", vec![Message::new(Role::User, "Hello")]);
    let failure = hear(codex.ask(&request)).await.failure.unwrap();
    assert!(failure.body.contains("config"), "{failure:?}");
}
