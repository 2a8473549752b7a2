//! The door (SEC-1, SEC-2, SEC-4, SEC-5), and what is said of health.

use plimsoll_testkit::{
    http,
    scripted::{Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::served::Served;

fn served() -> (ScriptedServer, Served) {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap();
    let served = Served::start(&server, 4096);
    (server, served)
}

#[test]
fn sec_1_foreign_names_and_pages_are_turned_away() {
    let (_server, served) = served();
    let ask = |method: &str, headers: &[(&str, &str)], body: &[u8]| {
        http::request(&served.address, method, "/api/state", headers, body).unwrap().status
    };
    assert_eq!(ask("GET", &[], b""), 200);
    assert_eq!(ask("GET", &[("Host", "evil.example")], b""), 403, "DNS rebinding");
    assert_eq!(ask("GET", &[("Origin", "http://evil.example")], b""), 403);
    let form = [("Content-Type", "text/plain")];
    let post = http::request(&served.address, "POST", "/api/send", &form, b"{\"text\":\"x\"}");
    assert_eq!(post.unwrap().status, 415, "a form cannot post");
}

#[test]
fn sec_2_every_answer_carries_the_strict_headers() {
    let (_server, served) = served();
    for path in ["/", "/api/state", "/nowhere", "/api/pairs/none"] {
        let answer = served.ask("GET", path, None);
        let csp = answer.header("content-security-policy").unwrap();
        assert!(csp.contains("default-src 'none'") && !csp.contains("unsafe"), "{csp}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
    }
    let page = served.ask("GET", "/", None).body;
    assert!(!page.contains("<script>") && !page.contains(" style=") && !page.contains(" onclick="));
    for address in page.split("=\"").filter_map(|rest| rest.split('"').next()) {
        assert!(!address.starts_with("http") && !address.starts_with("//"), "remote: {address}");
    }
}

#[test]
fn sec_2_what_a_model_writes_stays_text() {
    let hostile = "<script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1))";
    let server = ScriptedServer::chats([Reply::openai(&[hostile], 14, 6)]).unwrap();
    let served = Served::start(&server, 4096);
    served.send("<iframe src=//evil.example></iframe>");
    let page = served.ask("GET", "/", None).body;
    for bad in ["<script>alert", "<img", "<iframe", "href=\"javascript:"] {
        assert!(!page.contains(bad), "{bad}");
    }
    assert!(page.contains("&lt;script&gt;"));
}

#[test]
fn sec_4_the_key_is_in_no_answer() {
    let (_server, served) = served();
    served.send("hello");
    for path in [
        "/",
        "/api/state",
        "/api/models",
        "/api/settings",
        "/api/receipts",
        "/api/receipts.csv",
        "/api/pairs",
        "/metrics",
        "/ui/hud",
        "/ui/panel/settings",
        "/ui/panel/models",
    ] {
        let answer = served.ask("GET", path, None);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        assert!(!answer.body.contains("sk-canary"), "{path}");
    }
}

#[test]
fn sec_5_sizes_are_bounded() {
    let (_server, served) = served();
    let large = Some(json!({"text": "x".repeat(9 << 20)}));
    served.refused("POST", "/api/weigh", large, 413, "bad_body");
    let filter = Some(json!({"filter": "(".repeat(70_000)}));
    served.refused("PUT", "/api/view", filter, 422, "bad_filter");
    let json = [("Content-Type", "application/json")];
    let deep = "[".repeat(100_000);
    let answer = http::request(&served.address, "POST", "/api/weigh", &json, deep.as_bytes());
    assert_eq!(answer.unwrap().status, 422);
}

#[test]
fn api_1_the_document_describes_what_is_there() {
    let (_server, served) = served();
    let document = served.json("GET", "/api/openapi.json", None);
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let paths = document["paths"].as_object().unwrap();
    for path in ["/api/send", "/api/pairs/{id}", "/api/view", "/api/events"] {
        assert!(paths.contains_key(path), "{path}");
    }
    // What is written there is what the server takes.
    let deliveries = &document["components"]["schemas"]["Delivery"];
    let all = plimsoll_domain::Delivery::ALL.iter().map(|one| one.name());
    for name in all {
        assert!(deliveries.to_string().contains(&format!("\"{name}\"")), "{deliveries}");
        let draft = json!({ "text": "", "attachments": [{ "delivery": name }] });
        assert_eq!(served.ask("PUT", "/api/draft", Some(draft)).status, 204, "{name}");
    }
    let draft = json!({ "text": "", "attachments": [{ "fileId": "no id" }] });
    served.refused("PUT", "/api/draft", Some(draft), 422, "bad_fields");
    for (path, item) in paths {
        for (method, operation) in item.as_object().unwrap() {
            assert!(operation["summary"].is_string(), "{method} {path} has no summary");
            assert!(operation["responses"].as_object().is_some_and(|all| all.len() > 5));
        }
    }
}

#[test]
fn api_5_health_readiness_and_metrics() {
    let (_server, served) = served();
    served.send("hello");
    assert_eq!(served.ask("GET", "/healthz", None).body, "ok\n");
    assert_eq!(served.ask("GET", "/readyz", None).body, "ready\n");
    let metrics = served.ask("GET", "/metrics", None);
    assert!(metrics.header("content-type").unwrap().starts_with("text/plain; version=0.0.4"));
    assert!(
        metrics.body.contains("plimsoll_pairs{workspace=\"default/main\"} 1"),
        "{}",
        metrics.body
    );
    assert!(metrics.body.contains(
        "plimsoll_tokens_total{workspace=\"default/main\",model=\"test\",kind=\"prompt\"} 14"
    ));
}

#[test]
fn workspaces_are_apart() {
    let (_server, served) = served();
    served.send("here");
    let there: Value = served.json("GET", "/api/pairs?workspace=other/place", None);
    assert_eq!(there["visible"], 0);
    served.refused("GET", "/api/pairs?workspace=nonsense", None, 400, "bad_request");
}
