//! SEC-4, SEC-9, PRV-3: a canary key goes to a provider that gives it back in every way it can, and
//! is then looked for everywhere.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use plimsoll_testkit::{
    http,
    scripted::{Recorded, Reply, ScriptedServer},
};

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

/// Every address that shows something without an id, also as a panel, an export and a page.
fn addresses(document: &serde_json::Value) -> Vec<String> {
    let paths = document["paths"].as_object().unwrap().keys().cloned();
    let plain = paths.filter(|path| !path.contains('{') && path != "/api/events");
    let more = ["/", "/metrics", "/healthz", "/ui/hud", "/ui/rows?from=0&to=99"];
    let panels = ["settings", "models", "receipts", "help", "files", "topics"];
    let panels = panels.map(|panel| format!("/ui/panel/{panel}"));
    let exports = ["json", "markdown", "jsonl"].map(|kind| format!("/api/export?format={kind}"));
    plain.chain(more.map(str::to_owned)).chain(panels).chain(exports).collect()
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
    for path in addresses(&document) {
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

/// The master key of the team's server below.
const MASTER: &str = "Y2FuYXJ5LW1hc3Rlci1jYW5hcnktbWFzdGVyLWNhbmE=";

/// TEA-10: a key that is kept sealed is as secret as any other, and so is what seals it.
#[test]
fn tea_10_a_sealed_key_and_what_seals_it_are_nowhere() {
    let turns = std::sync::atomic::AtomicUsize::new(0);
    let server = ScriptedServer::answering(move |request| match request.method.as_str() {
        "POST" => echoing(turns.fetch_add(1, std::sync::atomic::Ordering::Relaxed), request),
        _ => Reply::json(200, "{\"data\":[{\"id\":\"test\"}]}"),
    })
    .unwrap();
    let plimsoll = |home: &Path, args: &[&str]| {
        let ran = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(args)
            .env("PLIMSOLL_CONFIG_DIR", home)
            .env("PLIMSOLL_DATA_DIR", home.join("data"))
            .envs(crate::served::store::variables(&home.join("data")))
            .env("PLIMSOLL_SECRET_KEY", MASTER)
            .env("RUST_LOG", "trace")
            .env("RUST_BACKTRACE", "1")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said =
            String::from_utf8_lossy(&[&ran.stdout[..], &ran.stderr[..]].concat()).into_owned();
        assert!(!leaks(&said) && !said.contains(MASTER), "plimsoll {args:?}");
        String::from_utf8(ran.stdout).unwrap()
    };
    let mut token = String::new();
    // The node's own key is another one: what is found below was sealed.
    let env = vec![
        ("PLIMSOLL_SECRET_KEY".into(), MASTER.into()),
        ("PLIMSOLL_TEST_KEY".into(), "sk-of-the-node-0123456789".into()),
    ];
    let served = Served::start_in(&server, 100_000, env, |home| {
        let config = "team = true\ndefaultModel = \"test\"\nretries = 0\nlog = \"debug\"\nlogToFile = true\n";
        std::fs::write(home.join("config.toml"), config).unwrap();
        plimsoll(home, &["team", "user", "add", "ann", "--admin"]);
        token = plimsoll(home, &["team", "token", "add", "ann"]);
    });
    let bearer = format!("Bearer {}", token.trim());
    let ask = |method: &str, path: &str, body: &str| {
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        let answer = http::request(&served.address, method, path, &headers, body.as_bytes());
        let answer = answer.unwrap();
        let whole = format!("{} {:?}", answer.body, answer.headers);
        assert!(!leaks(&whole) && !whole.contains(MASTER), "{method} {path}");
        answer
    };
    let url = server.base_url();
    let at = url.trim_end_matches("/v1");
    let body = format!("{{\"key\":\"{CANARY}\",\"server\":\"{at}\"}}");
    for place in ["mine", "team", "projects/~ann"] {
        let kept = ask("PUT", &format!("/api/team/keys/{place}/openai"), &body);
        assert_eq!(kept.status, 200, "{}", kept.body);
    }
    for turn in 0..WAYS {
        let sent = ask("POST", "/api/send", &format!("{{\"text\":\"question {turn}\"}}"));
        let begun: serde_json::Value = serde_json::from_str(&sent.body).unwrap();
        let path = format!("/api/pairs/{}", begun["pair"].as_str().unwrap());
        while ask("GET", &path, "").body.contains("\"sending\"") {
            std::thread::yield_now();
        }
        let call = "{\"model\":\"test\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}";
        ask("POST", "/v1/chat/completions", call);
    }
    let sent = server.requests();
    let with_key = sent.iter().filter(|request| told(request).contains(CANARY)).count();
    assert!(with_key >= 2 * WAYS, "the canary never flew");
    let document = ask("GET", "/api/openapi.json", "");
    let document: serde_json::Value = serde_json::from_str(&document.body).unwrap();
    let team = ["/api/team/keys", "/api/team/me", "/v1/models"].map(str::to_owned);
    let looked = addresses(&document).into_iter().chain(team);
    let looked = looked.filter(|path| ask("GET", path, "").status == 200).count();
    assert!(looked > 20, "only {looked} answers were looked at");
    let receipts: serde_json::Value =
        serde_json::from_str(&ask("GET", "/api/receipts", "").body).unwrap();
    for receipt in receipts["receipts"].as_array().unwrap() {
        ask("GET", &format!("/api/receipts/{}", receipt["id"].as_str().unwrap()), "");
    }
    let home = served.home().to_owned();
    let out = tempfile::tempdir().unwrap();
    let file = |name: &str| out.path().join(name).to_str().unwrap().to_owned();
    let at = ["--workspace", "~ann/main"];
    for args in [
        &["doctor"][..],
        &["team", "key", "list"],
        &["team", "key", "list", "--json"],
        &["team", "audit", "--json"],
        &["team", "usage"],
        &[&at[..], &["receipts", "--json"]].concat(),
        &[&at[..], &["export", "-o", &file("ann.json")]].concat(),
        &["export", "--user", "ann", "-o", &file("person.zip")],
        &["backup", &file("backup.db")],
        &["keys"],
    ] {
        plimsoll(&home, args);
    }
    for name in ["ann.json", "person.zip", "backup.db"] {
        assert!(Path::new(&file(name)).exists(), "{name}");
    }
    let exported = std::fs::read(file("person.zip")).unwrap();
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(exported)).unwrap();
    for at in 0..zip.len() {
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut zip.by_index(at).unwrap(), &mut text).unwrap();
        assert!(!leaks(&String::from_utf8_lossy(&text)), "in the export");
    }
    assert_eq!(holding(out.path()), Vec::<String>::new(), "exports and the backup");
    assert_eq!(holding(&home), Vec::<String>::new(), "store, log, blobs or settings");
    let log = std::fs::read_to_string(home.join("data/plimsoll.log")).unwrap();
    assert!(log.contains("provider answered") && !log.contains(MASTER), "the log");
}
