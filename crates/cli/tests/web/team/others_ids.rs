//! TEA-9: ids of another project's pairs, files, receipts, notes and deletions open nothing.

use serde_json::{Value, json};

use super::{CANARY, Team};

/// What `sea` holds, one of each, made by its owner.
struct Held {
    pair: String,
    receipt: String,
    topic: String,
    file: String,
    note: String,
    other_note: String,
    relation: String,
    deletion: String,
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn fill(team: &Team) -> Held {
    let at = "workspace=sea/main";
    let olga = |method: &str, path: &str, body: Option<Value>| {
        let joint = if path.contains('?') { '&' } else { '?' };
        team.json("olga", method, &format!("{path}{joint}{at}"), body)
    };
    let pair = team.send("olga", "sea/main", "barnacle one");
    let gone = team.send("olga", "sea/main", "barnacle two");
    let bearer = format!("Bearer {}", team.tokens["olga"]);
    let upload = plimsoll_testkit::http::request(
        &team.served.address,
        "POST",
        &format!("/api/files?{at}&name=barnacle.txt&listed=true"),
        &[("Authorization", &bearer), ("Content-Type", "application/octet-stream")],
        b"a barnacle in a file",
    );
    let upload = upload.unwrap();
    assert_eq!(upload.status, 201, "{}", upload.body);
    let file: Value = serde_json::from_str(&upload.body).unwrap();
    let note = |title: &str| {
        let body = json!({"title": title, "content": "a barnacle in a note"});
        text(&olga("POST", "/api/memory", Some(body))["id"])
    };
    let (first, second) = (note("barnacle a"), note("barnacle b"));
    let ends = json!({"from": first.parse::<u64>().unwrap(), "to": second.parse::<u64>().unwrap()});
    olga("POST", "/api/memory/relations", Some(ends));
    let deleted = olga("DELETE", &format!("/api/pairs/{}", text(&gone["id"])), None);
    Held {
        pair: text(&pair["id"]),
        receipt: text(&pair["receiptId"]),
        topic: text(&pair["topicId"]),
        file: text(&file["id"]),
        note: first,
        other_note: second,
        relation: "1".to_owned(),
        deletion: text(&deleted["undo"]),
    }
}

/// Everything that `sea` holds, as its owner sees it.
fn seen(team: &Team) -> Vec<String> {
    [
        "/api/export",
        "/api/memory",
        "/api/files",
        "/api/topics",
        "/api/deletions",
        "/api/filters",
        "/api/snippets",
        "/api/draft",
    ]
    .map(|path| {
        let answer = team.ask("olga", "GET", &format!("{path}?workspace=sea/main"), None);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        // When something was exported is another matter.
        let lines = answer.body.lines().filter(|line| !line.contains("exportedAt"));
        lines.collect::<Vec<_>>().join("\n")
    })
    .to_vec()
}

#[test]
fn tea_9_ids_of_another_project_open_nothing() {
    let team = Team::start();
    let held = fill(&team);
    team.send("eve", "land/main", "my own");
    let before = seen(&team);
    assert!(before[0].contains(CANARY) && before[1].contains(CANARY));
    let openapi = team.json("eve", "GET", "/api/openapi.json", None);
    let mut asked = 0;
    let mut ask = |method: &str, path: &str, body: Option<Value>| {
        // In her own workspace, in the one that is not hers, and in none.
        for at in ["workspace=land/main", "workspace=sea/main", "nothing=1"] {
            let joint = if path.contains('?') { '&' } else { '?' };
            let address = format!("{path}{joint}{at}");
            let answer = team.ask("eve", method, &address, body.clone());
            asked += 1;
            assert!(!answer.body.contains(CANARY), "{method} {address} tells: {}", answer.body);
            assert!(
                answer.status < 500 || answer.status == 501,
                "{method} {address}: {}",
                answer.body
            );
            let wrong = path.contains(&held.pair)
                || path.contains(&held.receipt)
                || path.contains(&held.file)
                || path.contains(&held.deletion);
            assert!(!wrong || answer.status >= 400, "{method} {address}: {}", answer.status);
        }
    };
    let number = |id: &str| id.parse::<u64>().unwrap();
    let bodies = [
        json!({"text": "x", "reask": held.pair}),
        json!({"text": "x", "regenerate": held.pair}),
        json!({"text": "x", "sendAgain": held.pair}),
        json!({"pairs": [held.pair], "use": "out"}),
        json!({"pairs": [held.pair]}),
        json!({"upTo": held.pair}),
        json!({"token": held.deletion}),
        json!({"contextFrom": held.pair}),
        json!({"from": number(&held.note), "to": number(&held.other_note)}),
        json!({"title": "t", "content": "c", "relateTo": [number(&held.note)]}),
        json!({"title": "t", "content": "c", "supersedes": [number(&held.note)]}),
        json!({"revision": 1}),
        json!({"title": "taken"}),
        json!({"topic": held.topic}),
        json!({"star": 3, "userText": "taken"}),
        json!({"listed": false}),
        json!({"bytes": 4}),
        json!({"delivery": "inline"}),
        json!({"text": "<<context:text:x>>>", "attachments": [{"fileId": held.file}]}),
    ];
    for (path, item) in openapi["paths"].as_object().unwrap() {
        if path == "/api/import" || path.starts_with("/api/models") || path == "/api/files" {
            continue;
        }
        let id = match path {
            path if path.contains("/receipts/") => &held.receipt,
            path if path.contains("/relations/") => &held.relation,
            path if path.contains("/memory/") => &held.note,
            path if path.contains("/files/") => &held.file,
            path if path.contains("/deletions/") => &held.deletion,
            path if path.contains("/topics/") || path.contains("/conversations/") => &held.topic,
            _ => &held.pair,
        };
        let path = path.replace("{id}", id).replace("{place}", "0");
        let path = path.replace("{name}", "n").replace("{key}", "warnAt");
        for method in item.as_object().unwrap().keys().filter(|key| *key != "parameters") {
            match method.as_str() {
                "get" | "delete" => ask(&method.to_uppercase(), &path, None),
                _ => bodies.iter().for_each(|body| {
                    ask(&method.to_uppercase(), &path, Some(body.clone()));
                }),
            }
        }
    }
    for path in ["pair", "receipt", "attempts", "error", "request"] {
        let id = if path == "receipt" { &held.receipt } else { &held.pair };
        ask("GET", &format!("/ui/{path}/{id}"), None);
    }
    for body in &bodies {
        for path in ["/ui/hud", "/ui/request", "/ui/summary-request"] {
            ask("POST", path, Some(body.clone()));
        }
    }
    ask("GET", &format!("/c/{}", held.topic), None);
    assert!(asked > 300, "{asked}");
    assert_eq!(seen(&team), before, "something of sea was changed");
}

/// Events of a workspace go to those who may see it.
#[test]
fn tea_9_events_of_another_project_are_not_heard() {
    let team = Team::start();
    let bearer = format!("Bearer {}", team.tokens["eve"]);
    let listen = |path: &str| {
        let headers = [("Authorization", bearer.as_str())];
        plimsoll_testkit::http::Events::listen(&team.served.address, path, &headers)
    };
    assert!(listen("/api/events?workspace=sea/main").is_err());
    let mut own = listen("/api/events?workspace=land/main").unwrap();
    team.send("olga", "sea/main", "barnacle");
    team.send("eve", "land/main", "mine");
    let heard = own.until("ended").unwrap();
    assert!(heard.iter().any(|event| event.name == "text" || event.name == "delta"), "{heard:?}");
    let told = format!("{heard:?}");
    assert_eq!(told.matches("\"ended\"").count(), 1, "only her own send ended: {told}");
}
