//! Over streamable HTTP (API-4): both eras, and who may come in.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use plimsoll_domain::Timestamp;
use plimsoll_mcp::{Server, http_service};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::harness::{Harness, NOW, harness_with};

/// Serves at a free port and says which.
async fn listen(harness: &Harness) -> u16 {
    let service = http_service(&harness.server, &[], Server::connect);
    let router = axum::Router::new().route_service("/mcp", service);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move { axum::serve(listener, router).await });
    port
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    /// The JSON of the answer, be it plain or the last event with data.
    fn json(&self) -> Value {
        let data = self.body.lines().rev().find_map(|line| line.strip_prefix("data: {"));
        let text = data.map_or_else(|| self.body.clone(), |data| format!("{{{data}"));
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{}\n{}", self.head, self.body))
    }
}

/// One POST, written by hand.
async fn post(port: u16, headers: &[(&str, &str)], body: &Value) -> Answer {
    let body = body.to_string();
    let mut request = format!(
        "POST /mcp HTTP/1.0\r\nContent-Type: application/json\r\nAccept: application/json, \
         text/event-stream\r\nContent-Length: {}\r\n",
        body.len()
    );
    if !headers.iter().any(|(name, _)| *name == "Host") {
        request.push_str(&format!("Host: 127.0.0.1:{port}\r\n"));
    }
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str(&format!("\r\n{body}"));
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head: head.to_owned(), body: body.to_owned() }
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    }})
}

fn stateless(id: u64, name: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": name,
        "arguments": arguments,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }})
}

/// Shakes hands in the older era; gives the session and the header of its version.
async fn handshake(port: u16) -> (String, (&'static str, &'static str)) {
    let begun = post(port, &[], &initialize()).await;
    assert_eq!(begun.status, 200, "{}", begun.body);
    let session = begun
        .head
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "))
        .expect("a session id")
        .to_owned();
    let version = ("MCP-Protocol-Version", "2025-11-25");
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let headers = [("Mcp-Session-Id", session.as_str()), version];
    assert_eq!(post(port, &headers, &ready).await.status, 202);
    (session, version)
}

#[tokio::test]
async fn a_session_of_the_older_era_keeps_its_ledger() {
    let harness = harness_with(|_| {}).await;
    let port = listen(&harness).await;
    let (session, version) = handshake(port).await;
    let headers = [("Mcp-Session-Id", session.as_str()), version];
    for id in 2..4 {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": "mem_suggest_topic_key", "arguments": {"title": "Tides"},
        }});
        let answer = post(port, &headers, &call).await;
        assert_eq!(answer.json()["result"]["isError"], false, "{}", answer.body);
    }
    let call = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {
        "name": "mem_stats", "arguments": {},
    }});
    let stats = post(port, &headers, &call).await.json();
    let said = stats["result"]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("mem_suggest_topic_key"), "{said}");
}

#[tokio::test]
async fn requests_of_the_newer_era_stand_alone_and_share_a_ledger() {
    let harness = harness_with(|_| {}).await;
    let port = listen(&harness).await;
    let headers = |name| {
        [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", name)]
    };
    let save = stateless(1, "mem_save", json!({"title": "Tides", "content": "Turn."}));
    let answer = post(port, &headers("mem_save"), &save).await;
    assert_eq!(answer.json()["result"]["isError"], false, "{}", answer.body);
    let stats = post(port, &headers("mem_stats"), &stateless(2, "mem_stats", json!({}))).await;
    let stats = stats.json();
    let said = stats["result"]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("mem_save"), "{said}");
}

/// MBG-9: a session budget over HTTP is that of one session, or of one client where there are
/// no sessions, and comes back after a long silence.
#[tokio::test]
async fn mbg_9_a_session_budget_works_over_http() {
    let clock = Arc::new(AtomicI64::new(NOW));
    let now = Arc::clone(&clock);
    let harness = harness_with(|parts| {
        parts.session_budget = Some(300);
        parts.clock = Arc::new(move || Timestamp::from_millis(now.load(Ordering::Relaxed)));
    })
    .await;
    let port = listen(&harness).await;
    let save = json!({"title": "Tides", "content": "Turn and turn again. ".repeat(40)});
    let call = |id: u64, name: &str, arguments: &Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": name, "arguments": arguments}})
    };
    let read = json!({"query": "tides", "detail_level": "full"});
    for id in 0..2 {
        let (session, version) = handshake(port).await;
        let headers = [("Mcp-Session-Id", session.as_str()), version];
        let saved = post(port, &headers, &call(2, "mem_save", &save)).await.json();
        assert_eq!(saved["result"]["isError"], false, "{saved}");
        let mut reads = 0;
        while post(port, &headers, &call(3, "mem_search", &read)).await.json()["result"]["isError"]
            == false
        {
            reads += 1;
        }
        assert!((1..9).contains(&reads), "session {id} of its own: {reads}");
    }
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "mem_search"),
    ];
    let ask = async |name: &str| {
        let mut call = stateless(4, "mem_search", read.clone());
        call["params"]["_meta"]["io.modelcontextprotocol/clientInfo"]["name"] = name.into();
        post(port, &headers, &call).await.json()["result"]["isError"] == false
    };
    while ask("one").await {}
    assert!(ask("two").await, "another client has a budget of its own");
    clock.fetch_add(5 * 60 * 60 * 1000, Ordering::Relaxed);
    assert!(ask("one").await, "after a long silence a session begins anew");
}

/// MEM-11, MEM-13: who comes over HTTP does not work in the server's directory.
#[tokio::test]
async fn mem_13_without_roots_the_sdd_tools_write_nothing_over_http() {
    let harness = harness_with(|_| {}).await;
    let port = listen(&harness).await;
    let headers = |name| {
        [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", name)]
    };
    let begin = json!({"name": "N", "description": "d"});
    let begun = stateless(1, "sdd_init_project", begin.clone());
    let newest = post(port, &headers("sdd_init_project"), &begun).await.json();
    let (session, older) = handshake(port).await;
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "sdd_init_project", "arguments": begin}});
    let older_says = post(port, &[("Mcp-Session-Id", session.as_str()), older], &call).await.json();
    for answer in [newest, older_says] {
        let said = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(said.contains("roots") && said.contains("plimsoll mcp"), "{said}");
    }
    assert!(!harness.project.join("sdd").exists());
    let save = stateless(3, "mem_save", json!({"title": "Tides", "content": "Turn."}));
    let saved = post(port, &headers("mem_save"), &save).await.json();
    let said = saved["result"]["content"][0]["text"].as_str().unwrap();
    assert!(said.starts_with("Project default: "), "{said}");
}

/// MEM-13: a client that names its roots is asked for them, and answers with the same call.
#[tokio::test]
async fn mem_13_roots_are_asked_for_over_http_in_the_newest_era() {
    let harness = harness_with(|_| {}).await;
    let port = listen(&harness).await;
    let theirs = tempfile::TempDir::new().unwrap();
    let root = theirs.path().join("theirs");
    std::fs::create_dir_all(root.join(".git")).unwrap();
    let headers = |name| {
        [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", name)]
    };
    let with_roots = |id, name, arguments: Value| {
        let mut call = stateless(id, name, arguments);
        call["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
            json!({"roots": {}});
        call
    };
    let mut call = with_roots(1, "sdd_init_project", json!({"name": "N", "description": "d"}));
    let asked = post(port, &headers("sdd_init_project"), &call).await.json();
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let wanted = asked["result"]["inputRequests"].as_object().unwrap();
    let (key, request) = wanted.iter().next().unwrap();
    assert_eq!(request["method"], "roots/list", "{asked}");
    assert!(!root.join("sdd").exists() && !harness.project.join("sdd").exists());
    let uri = format!("file://{}", root.display());
    call["params"]["inputResponses"] = json!({ key: { "roots": [{ "uri": uri }] } });
    let done = post(port, &headers("sdd_init_project"), &call).await.json();
    assert_eq!(done["result"]["isError"], false, "{done}");
    assert!(root.join("sdd/sdd.json").is_file() && !harness.project.join("sdd").exists());
    // Who names the project, or needs none, is not asked.
    for (name, arguments) in [
        ("mem_search", json!({"query": "notebook", "project": "Theirs"})),
        ("mem_get_observation", json!({"id": 1})),
    ] {
        let answer = post(port, &headers(name), &with_roots(2, name, arguments)).await.json();
        let said = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
        assert!(said.contains("Spec notebook of N"), "{answer}");
    }
    // Who was asked and names nothing is told so, and not asked for ever.
    let mut call = with_roots(3, "sdd_get_context", json!({}));
    call["params"]["inputResponses"] = json!({});
    let answer = post(port, &headers("sdd_get_context"), &call).await.json();
    assert_eq!(answer["result"]["isError"], true, "{answer}");
}

#[tokio::test]
async fn sec_1_strange_hosts_and_origins_are_turned_away() {
    let harness = harness_with(|_| {}).await;
    let port = listen(&harness).await;
    for headers in [
        [("Host", "evil.example")].as_slice(),
        &[("Origin", "http://evil.example")],
        &[("Origin", "null")],
        &[("Host", "127.0.0.1.evil.example")],
    ] {
        let answer = post(port, headers, &initialize()).await;
        assert_eq!(answer.status, 403, "{headers:?}");
    }
    for origin in ["http://localhost:7411", "http://127.0.0.1:1", "http://[::1]:80"] {
        let answer = post(port, &[("Origin", origin)], &initialize()).await;
        assert_eq!(answer.status, 200, "{origin}: {}", answer.body);
    }
}

#[tokio::test]
async fn sec_5_large_and_broken_bodies_are_refused() {
    let harness = harness_with(|_| {}).await;
    let port = listen(&harness).await;
    let large = post(port, &[], &json!({"x": "y".repeat(5 << 20)})).await;
    assert_eq!(large.status, 413, "{}", large.body);
    for odd in [json!([]), json!(5), json!({}), json!({"jsonrpc": "2.0", "id": 1, "method": 5})] {
        let answer = post(port, &[], &odd).await;
        assert!((400..500).contains(&answer.status), "{odd}: {}", answer.status);
    }
    assert_eq!(post(port, &[], &initialize()).await.status, 200);
}

/// 2,000 sessions that nobody closed took 114 MB. Of many the oldest are closed, and the
/// newest work.
#[tokio::test]
async fn sessions_that_nobody_closes_are_bounded() {
    let harness = harness_with(|_| {}).await;
    let port = listen(&harness).await;
    let (oldest, version) = handshake(port).await;
    for _ in 0..300 {
        assert_eq!(post(port, &[], &initialize()).await.status, 200);
    }
    let (newest, _) = handshake(port).await;
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let status = async |session: &str| {
        post(port, &[("Mcp-Session-Id", session), version], &call).await.status
    };
    assert_eq!(status(&newest).await, 200);
    // It is closed beside the handshake that was one too many.
    while status(&oldest).await != 404 {
        tokio::task::yield_now().await;
    }
}
