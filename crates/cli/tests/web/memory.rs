//! The memory behind the workbench (MEM-9): the same that agents write into.

use std::process::{Command, Stdio};

use plimsoll_testkit::{
    http,
    scripted::{Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::served::Served;

fn served() -> Served {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap();
    Served::start(&server, 4096)
}

fn save(served: &Served, title: &str, content: &str) -> Value {
    let note = json!({"title": title, "content": content, "type": "decision", "project": "sea"});
    served.json("POST", "/api/memory", Some(note))
}

#[test]
fn mem_9_notes_are_saved_found_changed_restored_and_deleted() {
    let served = served();
    let first = save(&served, "Anchor", "It holds in *sand*. <private>key</private>");
    assert_eq!(first["id"], 1);
    // MEM-5: what is private is not kept, whoever writes it.
    assert_eq!(first["content"], "It holds in *sand*. [REDACTED]");
    assert!(first["html"].as_str().unwrap().contains("<em>sand</em>"), "{first}");
    save(&served, "Chart <b>", "It shows <script>alert(1)</script> depths.");

    let newest = served.json("GET", "/api/memory", None);
    assert_eq!((&newest["total"], &newest["notes"][0]["id"]), (&json!(2), &json!(2)));
    let snippet = newest["notes"][0]["snippetHtml"].as_str().unwrap();
    assert!(!snippet.contains("<script"), "{snippet}");
    assert_eq!(newest["projects"], json!([{"name": "sea", "count": 2}]));
    let found = served.json("GET", "/api/memory?query=sand", None);
    assert_eq!(found["notes"].as_array().unwrap().len(), 1);
    assert!(found["notes"][0]["snippetHtml"].as_str().unwrap().contains("<mark>sand</mark>"));
    // MEM-10: it says how it was found, where it does not have all words.
    assert_eq!(found["notes"][0]["how"], Value::Null);
    let some = served.json("GET", "/api/memory?query=sand+dunes", None);
    assert_eq!(
        (&some["notes"][0]["how"], &some["anyWord"]),
        (&json!("by some words"), &json!(true))
    );
    assert_eq!(served.json("GET", "/api/memory?type=bugfix", None)["total"], 0);

    // MEM-3: the earlier text is kept and comes back.
    let change = json!({"content": "It holds in mud too.", "revision": 1});
    let changed = served.json("PATCH", "/api/memory/1", Some(change.clone()));
    assert_eq!((&changed["revision"], &changed["title"]), (&json!(2), &json!("Anchor")));
    assert_eq!(changed["revisions"][0]["content"], "It holds in *sand*. [REDACTED]");
    served.refused("PATCH", "/api/memory/1", Some(change), 409, "changed_meanwhile");
    let back = served.json("POST", "/api/memory/1/restore", Some(json!({"revision": 1})));
    assert_eq!((&back["revision"], &back["content"]), (&json!(3), &first["content"]));

    served.json("POST", "/api/memory/relations", Some(json!({"from": 1, "to": 2})));
    let two = served.json("GET", "/api/memory/2", None);
    assert_eq!(two["relations"][0]["other"], 1);
    assert_eq!(two["relations"][0]["outgoing"], false);
    served.json("DELETE", &format!("/api/memory/relations/{}", two["relations"][0]["id"]), None);
    assert_eq!(served.json("GET", "/api/memory/2", None)["relations"], json!([]));

    let around = served.json("GET", "/api/memory/1/timeline", None);
    assert_eq!(around["inSession"], 2);
    assert_eq!(around["notes"][1]["id"], 2);

    served.json("DELETE", "/api/memory/1", None);
    served.refused("GET", "/api/memory/1", None, 404, "not_found");
    served.refused("POST", "/api/memory/2/restore", Some(json!({"revision": 9})), 404, "not_found");
    served.refused("GET", "/api/memory/18446744073709551615", None, 404, "not_found");
    let key = json!({"title": "Chart", "topicKey": " "});
    served.refused("PATCH", "/api/memory/2", Some(key), 422, "bad_note");
    let blank = json!({"title": " ", "content": "x"});
    served.refused("POST", "/api/memory", Some(blank), 422, "bad_note");
    // MEM-2: too long is refused, not cut.
    let long = json!({"title": "Long", "content": "x".repeat(65_537)});
    served.refused("POST", "/api/memory", Some(long), 422, "bad_note");
}

#[test]
fn an_agent_is_noticed_in_this_process_and_in_another() {
    let served = served();
    served.json("GET", "/api/state", None);
    let mut events = served.events();
    // At /mcp, in the newest protocol: every request stands alone.
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "mem_save",
        "arguments": {"title": "From /mcp", "content": "within"},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }});
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "mem_save"),
    ];
    let body = call.to_string();
    let answer = http::request(&served.address, "POST", "/mcp", &headers, body.as_bytes()).unwrap();
    assert!(answer.status == 200 && answer.body.contains("#1"), "{}", answer.body);
    events.until("memory").unwrap();
    assert_eq!(served.json("GET", "/api/memory", None)["notes"][0]["title"], "From /mcp");

    let ran = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["memory", "save", "From a terminal", "outside"])
        .env("PLIMSOLL_CONFIG_DIR", served.home())
        .env("PLIMSOLL_DATA_DIR", served.home().join("data"))
        .envs(crate::served::store::variables(&served.home().join("data")))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    events.until("memory").unwrap();
    assert_eq!(served.json("GET", "/api/memory", None)["notes"][0]["title"], "From a terminal");
}

/// MEM-12, MEM-16: notes come back, and what waits is approved or not.
#[test]
fn mem_12_deleted_and_waiting_notes_have_lists_of_their_own() {
    let served = served();
    save(&served, "Anchor", "It holds.");
    served.json("DELETE", "/api/memory/1", None);
    let list = served.json("GET", "/api/memory", None);
    assert_eq!(
        (&list["total"], &list["deleted"], &list["pending"]),
        (&0.into(), &1.into(), &0.into())
    );
    let deleted = served.json("GET", "/api/memory/deleted", None);
    assert_eq!((&deleted["total"], &deleted["notes"][0]["title"]), (&1.into(), &"Anchor".into()));
    let back = served.json("POST", "/api/memory/1/undelete", None);
    assert_eq!((&back["title"], &back["author"]), (&"Anchor".into(), &"workbench".into()));
    assert_eq!(served.json("GET", "/api/memory/deleted", None)["total"], 0);
    let problem = |method: &str, path: &str| served.ask(method, path, None).status;
    assert_eq!(problem("POST", "/api/memory/9/undelete"), 404);
    assert_eq!(served.json("GET", "/api/memory/pending", None), json!({"pending": [], "total": 0}));
    assert_eq!(problem("POST", "/api/memory/pending/9/approve"), 404);
    assert_eq!(problem("DELETE", "/api/memory/pending/9"), 404);
    let bad = json!({"title": "a", "content": "b", "anchors": ["../../etc/passwd"]});
    assert_eq!(served.ask("POST", "/api/memory", Some(bad)).status, 422);
}
