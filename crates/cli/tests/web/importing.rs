//! Importing by the API (HIS-8): one at a time, with progress, until it is cancelled.

use std::{io::Write, net::TcpStream};

use plimsoll_testkit::{
    chatgpt::{Chat, a_person, export},
    http::{self, Answer},
    scripted::{Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::served::Served;

const NOW: i64 = 1_790_000_000;

fn start() -> (ScriptedServer, Served) {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap();
    let served = Served::start_with(&server, 4096, |home| {
        std::fs::write(home.join("config.toml"), "defaultModel = \"test\"\n").unwrap();
    });
    (server, served)
}

fn post(served: &Served, query: &str, file: &[u8]) -> Answer {
    let bytes = [("Content-Type", "application/octet-stream")];
    let path = format!("/api/import{query}");
    http::request(&served.address, "POST", &path, &bytes, file).unwrap()
}

/// The import as it is when it is over.
fn ended(served: &Served) -> Value {
    loop {
        let import = served.json("GET", "/api/import", None)["import"].take();
        match import["stage"].as_str() {
            Some("receiving" | "checking" | "writing") => std::thread::yield_now(),
            _ => return import,
        }
    }
}

#[track_caller]
fn import(served: &Served, query: &str, file: &[u8]) -> Value {
    let answer = post(served, query, file);
    assert_eq!(answer.status, 202, "{}", answer.body);
    ended(served)
}

fn stored(served: &Served) -> u64 {
    served.json("GET", "/api/state?scope=everything", None)["boundary"]["y"].as_u64().unwrap()
}

/// What is left in the directories where files are kept.
fn leftovers(served: &Served) -> usize {
    let tmp = served.home().join("data/conversations/default/main/context/tmp");
    std::fs::read_dir(tmp).map_or(0, Iterator::count)
}

/// So many conversations of two pairs.
fn many(count: usize) -> String {
    let long = "An answer that has some length, as answers have. ".repeat(20);
    let chat = |n: usize| {
        let pairs = [("first question", long.as_str()), ("second question", long.as_str())];
        Chat::new(&format!("chat {n}"), NOW + n as i64, &pairs)
    };
    export(&(0..count).map(chat).collect::<Vec<_>>())
}

#[test]
fn his_8_an_import_is_told_by_events_and_nothing_of_it_is_sent() {
    let (server, served) = start();
    assert_eq!(served.json("GET", "/api/import", None), json!({"import": null}));
    let mut events = served.events();
    let file = export(&a_person(NOW));
    let begun = post(&served, "", file.as_bytes());
    assert_eq!(begun.status, 202, "{}", begun.body);
    let last = loop {
        let event = events.until("import").unwrap().pop().unwrap();
        let told: Value = serde_json::from_str(&event.data).unwrap();
        if told["stage"] == "done" {
            break told;
        }
        assert!(told["done"].as_u64() <= told["total"].as_u64(), "{told}");
    };
    assert_eq!(last["summary"], "ChatGPT: 21 new pairs, 7 new topics");
    let note = "nothing of it is sent before you open a conversation of it";
    assert_eq!(last["notes"][0], note);
    assert_eq!(ended(&served), last, "who was away reads the same");
    assert_eq!(stored(&served), 21);
    assert_eq!(leftovers(&served), 0);
    // HIS-9: a message goes alone.
    served.json("POST", "/api/send?scope=conversation", Some(json!({"text": "Hello"})));
    let mut events = served.events();
    while server.requests().iter().all(|request| request.method != "POST") {
        let _ = events.next_event();
    }
    let requests = server.requests();
    let sent = requests.iter().find(|request| request.method == "POST").unwrap();
    let sent: Value = serde_json::from_str(&sent.body).unwrap();
    assert_eq!(sent["messages"].as_array().unwrap().len(), 1, "{sent}");
    // The same file again brings nothing new.
    let again = import(&served, "", file.as_bytes());
    assert_eq!(again["summary"], "ChatGPT: 0 new pairs, 21 already there, 0 new topics");
    assert_eq!(again.get("notes"), None);
}

#[test]
fn his_8_a_bad_file_changes_nothing_and_says_where_it_is_bad() {
    let (_server, served) = start();
    let good = "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}\n";
    let bad = import(&served, "", format!("{good}{{\"messages\":3}}\n{good}").as_bytes());
    assert_eq!((&bad["stage"], &bad["skipHelps"]), (&json!("failed"), &json!(true)), "{bad}");
    let problem = &bad["problem"];
    assert_eq!(problem["code"], "bad_import");
    assert!(problem["detail"].as_str().unwrap().starts_with("line 2: "), "{problem}");
    assert!(problem["hint"].as_str().unwrap().contains("leave this record out"), "{problem}");
    assert_eq!((stored(&served), leftovers(&served)), (0, 0));
    let rest = import(
        &served,
        "?skipBad=true&topic=/Old",
        format!("{good}{{\"messages\":3}}\n").as_bytes(),
    );
    assert_eq!(rest["stage"], "done", "{rest}");
    assert!(rest["notes"].to_string().contains("left out line 2: "), "{rest}");
    for (file, part) in [
        ("plain words", "no export that Plimsoll knows"),
        ("[{\"mapping\":{}},{\"map", "conversation 2: the file is broken"),
    ] {
        let bad = import(&served, "", file.as_bytes());
        assert_eq!(bad["stage"], "failed", "{bad}");
        assert!(bad["problem"]["detail"].as_str().unwrap().contains(part), "{bad}");
        assert!(bad["problem"]["hint"].is_string(), "{bad}");
    }
    assert_eq!(stored(&served), 1);
}

#[test]
fn his_8_one_import_at_a_time_and_cancelling_leaves_whole_conversations() {
    let (_server, served) = start();
    served.refused("DELETE", "/api/import", None, 409, "nothing_imported");
    let file = many(4000);
    let begun = post(&served, "", file.as_bytes());
    assert_eq!(begun.status, 202, "{}", begun.body);
    let second = post(&served, "", b"[]");
    assert_eq!(second.status, 409, "{}", second.body);
    assert!(second.body.contains("\"importing\""), "{}", second.body);
    // Another workspace has an import of its own.
    assert_eq!(post(&served, "?workspace=other/main", b"").status, 202);
    while stored(&served) == 0 {
        assert_eq!(served.json("GET", "/api/import", None)["import"]["problem"], Value::Null);
    }
    assert_eq!(served.ask("DELETE", "/api/import", None).status, 204);
    let stopped = ended(&served);
    assert_eq!(stopped["stage"], "cancelled", "{stopped}");
    let kept = stored(&served);
    assert!(kept > 0 && kept < 8000 && kept.is_multiple_of(2), "{kept} pairs");
    assert_eq!(leftovers(&served), 0);
    let rest = import(&served, "", file.as_bytes());
    assert_eq!(rest["stage"], "done", "{rest}");
    assert_eq!(stored(&served), 8000);
}

#[test]
fn sec_5_an_upload_that_is_too_large_or_breaks_off_leaves_nothing() {
    let (_server, served) = start();
    let begin = |length: u64, body: &[u8]| {
        let mut stream = TcpStream::connect(&served.address).unwrap();
        let head = format!(
            "POST /api/import HTTP/1.1\r\nHost: {}\r\nContent-Length: {length}\r\n\r\n",
            served.address
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        stream
    };
    let mut refused = begin(9 << 30, b"");
    let mut told = [0; 64];
    let length = std::io::Read::read(&mut refused, &mut told).unwrap();
    assert!(String::from_utf8_lossy(&told[..length]).contains("413"));
    assert_eq!(served.json("GET", "/api/import", None)["import"], Value::Null);
    let stage = |wanted: &str| {
        while served.json("GET", "/api/import", None)["import"]["stage"] != wanted {
            std::thread::yield_now();
        }
    };
    let broken = begin(1000, b"[{");
    stage("receiving");
    drop(broken);
    stage("failed");
    assert_eq!((stored(&served), leftovers(&served)), (0, 0));
    assert_eq!(import(&served, "", b"[]")["stage"], "done", "the next one is let in");
}
