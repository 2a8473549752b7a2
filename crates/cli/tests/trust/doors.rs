//! What comes in (SEC-3, SEC-5): sizes at every door, paths, names and links that want out,
//! prompts that ask for more than the workspace (SEC-6).

use std::time::Duration;

use plimsoll_testkit::{
    http,
    scripted::{Recorded, Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::{kills::context_of, measures::most_memory, served::Served};

const JSON: (&str, &str) = ("Content-Type", "application/json");

fn answering() -> ScriptedServer {
    ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap()
}

/// Every operation of the API that takes a JSON body, with an address of it.
fn with_bodies(served: &Served) -> Vec<(String, String)> {
    let document = served.json("GET", "/api/openapi.json", None);
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if operation.pointer("/requestBody/content/application~1json").is_some() {
                // A number is right for every part that is looked at before the body.
                let fill = |part: &str| if part.starts_with('{') { "0" } else { part }.to_owned();
                let filled: Vec<String> = path.split('/').map(fill).collect();
                found.push((method.to_uppercase(), filled.join("/")));
            }
        }
    }
    found
}

#[test]
fn sec_5_no_door_takes_a_body_without_end() {
    let server = answering();
    let served = Served::start(&server, 4096);
    let large = format!("{{\"text\":\"{}\"}}", "x".repeat(9 << 20));
    let deep = "[".repeat(200_000);
    let mut doors = with_bodies(&served);
    assert!(doors.len() > 12, "{doors:?}");
    doors.push(("POST".to_owned(), "/mcp".to_owned()));
    doors.push(("POST".to_owned(), "/ui/request".to_owned()));
    let (all, mut hung_up) = (doors.len(), 0);
    for (method, path) in doors {
        let accept = ("Accept", "application/json, text/event-stream");
        let ask =
            |body: &[u8]| http::request(&served.address, &method, &path, &[JSON, accept], body);
        match ask(large.as_bytes()) {
            Ok(answer) => assert_eq!(answer.status, 413, "{method} {path}: {}", answer.body),
            // The answer may be lost where the server hangs up on a body that still comes.
            Err(_) => hung_up += 1,
        }
        let answer = ask(deep.as_bytes()).unwrap();
        assert!((400..500).contains(&answer.status), "{method} {path}: {}", answer.body);
    }
    assert!(hung_up < all / 2, "{hung_up} of {all} doors hung up without a word");
    if let Some(most) = most_memory(served.pid()) {
        assert!(most < 400 << 20, "{} MB for bodies that are refused", most >> 20);
    }
    let long = format!("/api/complete?text={}", "(".repeat(60_000));
    assert!(served.ask("GET", &long, None).status < 500, "a long address");
    assert_eq!(served.ask("GET", "/api/state", None).status, 200, "it serves on");
}

#[test]
fn sec_3_addresses_that_want_out_find_nothing() {
    let server = answering();
    let served = Served::start(&server, 4096);
    std::fs::write(served.home().join("outside.txt"), "outside").unwrap();
    for path in [
        "/../../../../etc/passwd",
        "/assets/../../../../etc/passwd",
        "/assets/..%2f..%2f..%2fetc%2fpasswd",
        "/assets/%2e%2e/%2e%2e/etc/passwd",
        "/api/files/../../config.toml/content",
        "/api/files/..%2F..%2Fconfig.toml/content",
        "/api/files/%2Fetc%2Fpasswd/content",
        "/api/files/F1%00/content",
        "/api/pairs/..%2f..%2fetc",
        "/ui/panel/..%2f..%2fetc%2fpasswd",
        "/api/files?workspace=../..",
        "/api/files?workspace=..%2F..%2Foutside",
        "/api/paths?prefix=/etc/",
        "/api/paths?prefix=..%2F..%2F",
    ] {
        let answer = served.ask("GET", path, None);
        let leaks = ["root:", "outside.txt", "defaultModel", "/etc/passwd\""];
        let leak = leaks.iter().find(|leak| answer.body.contains(**leak));
        assert_eq!(leak, None, "{path}: {}", answer.body);
        assert!(answer.status < 500, "{path}: {}", answer.body);
    }
}

#[cfg(unix)]
#[test]
fn sec_3_links_and_pipes_below_the_roots_lead_nowhere() {
    let server = answering();
    let served = Served::start_with(&server, 4096, |home| {
        let root = home.join("root");
        std::fs::create_dir_all(root.join("data")).unwrap();
        std::fs::write(home.join("outside.txt"), "outside").unwrap();
        std::fs::write(root.join("inside.txt"), "inside").unwrap();
        std::os::unix::fs::symlink(home.join("outside.txt"), root.join("link.txt")).unwrap();
        std::os::unix::fs::symlink(home, root.join("up")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(root.join("pipe")).status();
        assert!(made.unwrap().success());
        let settings =
            format!("defaultModel = \"test\"\nallowedRoots = [\"{}\"]\n", root.display());
        std::fs::write(home.join("config.toml"), settings).unwrap();
    });
    let root = served.home().join("root");
    let take = |path: String| {
        let (send, receive) = std::sync::mpsc::channel();
        let address = served.address.clone();
        let body = json!({"path": path}).to_string();
        std::thread::spawn(move || {
            let path = "/api/files/from-path";
            send.send(http::request(&address, "POST", path, &[JSON], body.as_bytes()))
        });
        let answer = receive.recv_timeout(Duration::from_secs(20));
        answer.unwrap_or_else(|_| panic!("{path} was waited for without an end")).unwrap()
    };
    assert_eq!(take(root.join("inside.txt").display().to_string()).status, 201);
    for bad in ["link.txt", "up/outside.txt", "../outside.txt", "pipe", "data", "up/config.toml"] {
        let answer = take(root.join(bad).display().to_string());
        assert!((400..500).contains(&answer.status), "{bad}: {} {}", answer.status, answer.body);
    }
    for bad in ["/etc/passwd", "/proc/self/environ", "/dev/zero", "root/inside.txt", ""] {
        let answer = take(bad.to_owned());
        assert!((400..500).contains(&answer.status), "{bad}: {} {}", answer.status, answer.body);
    }
    // A blob that was exchanged for a link is not followed.
    let blob = context_of(&served).join("blobs");
    let blob = std::fs::read_dir(blob).unwrap().next().unwrap().unwrap().path();
    std::fs::remove_file(&blob).unwrap();
    std::os::unix::fs::symlink(served.home().join("outside.txt"), &blob).unwrap();
    let listed = served.json("GET", "/api/files", None);
    let id = listed["files"][0]["id"].as_str().unwrap();
    for what in ["content", "thumbnail"] {
        let answer = served.ask("GET", &format!("/api/files/{id}/{what}"), None);
        assert!(answer.status >= 400 && !answer.body.contains("outside"), "{}", answer.body);
    }
    assert!(!served.ask("GET", &format!("/api/files/{id}"), None).body.contains("\"outside\""));
}

#[test]
fn sec_6_tokens_in_a_prompt_bring_nothing_from_outside_the_workspace() {
    let server = answering();
    let served = Served::start_with(&server, 100_000, |home| {
        std::fs::write(home.join("outside.txt"), "the words outside").unwrap();
    });
    let outside = served.home().join("outside.txt").display().to_string();
    let injected = [
        format!("<<context:text:{outside}>>>"),
        format!("<<context:file:{outside}>>>"),
        "<<context:text:/etc/passwd>>>".to_owned(),
        "<<context:text:../../../../outside.txt>>>".to_owned(),
        "<<context:image:file:///etc/passwd>>>".to_owned(),
        "<<context:text:http://127.0.0.1:1/x>>>".to_owned(),
    ];
    for text in &injected {
        // It goes, with a word in place of what it does not bring.
        let calls = server.requests().len();
        let pair = served.send(&format!("Read {text} to me."));
        assert_eq!(pair["lifecycleState"], "complete", "{text}: {pair}");
        let sent = &server.requests()[calls..];
        assert!(!sent.is_empty(), "{text}: nothing was sent");
        let told = |request: &Recorded| request.body.contains("Read [broken attachment] to me.");
        assert!(sent.iter().any(told), "{text}: {sent:?}");
    }
    for request in server.requests() {
        assert!(!request.body.contains("the words outside"), "{}", request.body);
        assert!(!request.body.contains("root:x:"), "{}", request.body);
    }
}

#[test]
fn sec_2_a_file_name_cannot_add_a_header() {
    let server = answering();
    let served = Served::start(&server, 4096);
    for name in [
        "a%0d%0aSet-Cookie:%20x=1%0d%0a.txt",
        "a%22;%20filename=%22b.html",
        "%e2%80%aegnp.exe",
        "a%00b.txt",
        "..%2f..%2fetc%2fpasswd",
        "%3Cscript%3Ealert(1)%3C%2Fscript%3E.html",
    ] {
        let path = format!("/api/files?name={name}");
        let body = b"<script>alert(1)</script>";
        let answer = http::request(&served.address, "POST", &path, &[], body).unwrap();
        assert_eq!(answer.status, 201, "{name}: {}", answer.body);
        let told: Value = serde_json::from_str(&answer.body).unwrap();
        let path = format!("/api/files/{}/content", told["id"].as_str().unwrap());
        let got = served.ask("GET", &path, None);
        assert_eq!(got.header("set-cookie"), None, "{name}");
        let disposition = got.header("content-disposition").unwrap();
        let (kind, shown) = disposition.split_once("; filename*=UTF-8''").unwrap();
        assert_eq!(kind, "attachment", "{name}");
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.%".contains(c);
        assert!(shown.chars().all(plain), "{name}: {disposition}");
        assert_eq!(got.header("content-type"), Some("application/octet-stream"), "{name}");
        let csp = got.header("content-security-policy").unwrap();
        assert!(csp.contains("sandbox") && csp.contains("default-src 'none'"), "{csp}");
        assert_eq!(got.header("x-content-type-options"), Some("nosniff"));
    }
}

#[test]
fn sec_1_every_door_knows_rebinding_and_other_pages() {
    let server = answering();
    let served = Served::start(&server, 4096);
    let own = format!("http://{}", served.address);
    for path in ["/", "/api/state", "/api/events", "/ui/events", "/mcp", "/api/files", "/metrics"] {
        for method in ["GET", "POST", "DELETE"] {
            for bad in [
                ("Host", "evil.example"),
                ("Host", "127.0.0.1.evil.example:80"),
                ("Origin", "http://evil.example"),
                ("Origin", "null"),
                ("Sec-Fetch-Site", "cross-site"),
            ] {
                let answer = http::request(&served.address, method, path, &[bad], b"").unwrap();
                assert_eq!(answer.status, 403, "{method} {path} {bad:?}: {}", answer.body);
                assert_eq!(answer.header("access-control-allow-origin"), None);
            }
        }
    }
    let ours = [("Origin", own.as_str()), ("Sec-Fetch-Site", "same-origin")];
    assert_eq!(http::request(&served.address, "GET", "/", &ours, b"").unwrap().status, 200);
}
