//! SEC-4, SEC-9, PRV-3: a canary key goes to a provider that gives it back in every way it can, and
//! is then looked for everywhere.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use plimsoll_testkit::scripted::{Recorded, Reply, ScriptedServer};

use crate::served::Served;

/// The key of the harness.
const CANARY: &str = "sk-canary-0123456789abcdef";

/// The same, as JSON may write it.
fn escaped() -> String {
    CANARY.bytes().map(|byte| format!("\\u{byte:04x}")).collect()
}

/// As many ways there are to give it back.
const WAYS: usize = 10;

fn told(request: &Recorded) -> String {
    format!("{:?}", request.headers).replace(['"', '\\'], "")
}

/// Answers that hold what the request held, in turn.
fn echoing(turn: usize, request: &Recorded) -> Reply {
    let all = told(request);
    match turn % WAYS {
        0 => Reply::openai(&["Your key is ", &all, ", isn't it?"], 14, 6),
        1 => Reply::json(401, format!("{{\"error\":{{\"message\":\"bad key {all}\"}}}}")),
        2 => Reply::whole(500, &[("x-echo", &all), ("set-cookie", CANARY)], &all),
        3 => Reply::stream().event(format!("{{\"error\":{{\"message\":\"{all}\"}}}}")).end(),
        4 => Reply::stream().chunk(&all).end(),
        // SEC-9: in pieces, escaped, in names and ids.
        5 => Reply::openai(&["Your key is sk-canary-01", "23456789", "abcdef, isn't it?"], 14, 6),
        6 => Reply::json(401, format!("{{\"error\":{{\"message\":\"bad key {}\"}}}}", escaped())),
        7 => Reply::stream()
            .event(format!(
                "{{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"It is {}\"}}}}]}}",
                escaped()
            ))
            .event(format!("{{\"error\":{{\"message\":\"{}\"}}}}", escaped()))
            .end(),
        8 => Reply::stream()
            .event(format!(
                "{{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{{\"index\":0,\
                 \"id\":\"{CANARY}\",\"type\":\"function\",\"function\":{{\"name\":\"{CANARY}\",\
                 \"arguments\":\"{{\\\"a\\\":\\\"{CANARY}\\\"}}\"}}}}]}}}}]}}"
            ))
            .event("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}")
            .end(),
        _ => Reply::whole(307, &[("location", &format!("/{CANARY}"))], &all),
    }
}

/// Whether a text holds the canary, however it is written.
fn leaks(text: &str) -> bool {
    text.contains(CANARY) || text.contains(&escaped())
}

/// Files below a directory that hold the canary.
fn holding(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(&path));
        } else if let Ok(bytes) = std::fs::read(&path)
            && leaks(&String::from_utf8_lossy(&bytes))
        {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn sec_4_the_key_is_in_no_file_no_export_no_answer_and_no_log() {
    let turns = std::sync::atomic::AtomicUsize::new(0);
    let server = ScriptedServer::answering(move |request| match request.method.as_str() {
        "POST" => echoing(turns.fetch_add(1, std::sync::atomic::Ordering::Relaxed), request),
        // A server on this machine is asked for its models, and names one after the key.
        _ => {
            Reply::json(200, format!("{{\"data\":[{{\"id\":\"test\"}},{{\"id\":\"{CANARY}\"}}]}}"))
        }
    })
    .unwrap();
    let served = Served::start_with(&server, 100_000, |home| {
        let config = "defaultModel = \"test\"\nretries = 0\nlog = \"debug\"\nlogToFile = true\n";
        std::fs::write(home.join("config.toml"), config).unwrap();
    });
    let mut events = served.events();
    for turn in 0..WAYS {
        served.send(&format!("question {turn}"));
    }
    let heard = (0..WAYS).flat_map(|_| events.until("ended").unwrap());
    assert!(heard.into_iter().all(|event| !leaks(&event.data)), "in an event");
    let sent = server.requests();
    let with_key = sent.iter().filter(|request| told(request).contains(CANARY)).count();
    assert!(with_key >= WAYS, "the canary never flew");

    let mut looked = 0;
    let document = served.json("GET", "/api/openapi.json", None);
    let paths = document["paths"].as_object().unwrap().keys().cloned();
    let plain = paths.filter(|path| !path.contains('{') && path != "/api/events");
    let more = ["/", "/metrics", "/healthz", "/ui/hud", "/ui/rows?from=0&to=99"];
    let panels = ["settings", "models", "receipts", "help", "files", "topics"];
    let panels = panels.map(|panel| format!("/ui/panel/{panel}"));
    let exports = ["json", "markdown", "jsonl"].map(|kind| format!("/api/export?format={kind}"));
    let all = plain.chain(more.map(str::to_owned)).chain(panels).chain(exports);
    for path in all {
        let answer = served.ask("GET", &path, None);
        assert!(!leaks(&answer.body) && !leaks(&format!("{:?}", answer.headers)), "{path}");
        looked += usize::from(answer.status == 200);
    }
    assert!(looked > 20, "only {looked} answers were looked at");
    for list in ["pairs", "receipts"] {
        let items = served.json("GET", &format!("/api/{list}"), None);
        for item in items[list].as_array().unwrap() {
            let id = item["id"].as_str().unwrap();
            for path in [format!("/api/{list}/{id}"), format!("/ui/request/{id}")] {
                let answer = served.ask("GET", &path, None);
                assert!(!leaks(&answer.body) && !leaks(&format!("{:?}", answer.headers)), "{path}");
            }
        }
    }
    // The command line says as little.
    for args in [
        &["doctor"][..],
        &["receipts", "--json"],
        &["send", "one more"],
        &["send", "--dry-run", "one more"],
        &["models"],
        &["settings"],
        &["keys"],
    ] {
        let ran = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(args)
            .env("PLIMSOLL_CONFIG_DIR", served.home())
            .env("PLIMSOLL_DATA_DIR", served.home().join("data"))
            .env("PLIMSOLL_TEST_KEY", CANARY)
            .env("RUST_LOG", "trace")
            .env("RUST_BACKTRACE", "1")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = [ran.stdout, ran.stderr].concat();
        assert!(!leaks(&String::from_utf8_lossy(&said)), "plimsoll {args:?}");
    }
    let home = served.home().to_owned();
    let log = std::fs::read_to_string(home.join("data/plimsoll.log")).unwrap();
    assert!(log.contains("provider answered"), "nothing was logged");
    assert_eq!(holding(&home), Vec::<String>::new(), "store, log, blobs or settings");
    // Who looks finds: the same search sees the canary where it is.
    std::fs::write(home.join("data/seen"), format!("x{CANARY}y")).unwrap();
    assert_eq!(holding(&home).len(), 1);
}
