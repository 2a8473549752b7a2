//! REL-4 from end to end: whatever a provider does, the pair ends in a named state within
//! the time-outs, and the server's memory stays bounded.

use std::time::{Duration, Instant};

use plimsoll_testkit::{
    real::skipped,
    scripted::{Reply, ScriptedServer, Step},
};
use serde_json::json;

use crate::{
    measures::{memory, most_memory},
    served::Served,
};

/// As much as the server may grow over anything that a provider sends.
const GROWTH: u64 = 160 << 20;

/// Longer than all time-outs and retries together, and shorter than a person's patience.
const IN_TIME: Duration = Duration::from_secs(40);

pub(crate) fn hasty(server: &ScriptedServer) -> Served {
    Served::start_with(server, 100_000, |home| {
        let settings = "defaultModel = \"test\"\ntimeoutConnect = 1\ntimeoutFirst = 2\n\
                        timeoutIdle = 2\nretries = 0\n";
        std::fs::write(home.join("config.toml"), settings).unwrap();
    })
}

/// A stream of pieces of this object, this many megabytes of them, and its end.
fn megabytes(object: &serde_json::Value, megabytes: usize) -> Reply {
    let event = format!("data: {object}\n\n").into_bytes();
    let times = megabytes * 1024 * 1024 / event.len();
    Reply::stream()
        .step(Step::Repeat { chunk: event, times })
        .event(json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}).to_string())
        .event("[DONE]")
        .end()
}

#[test]
fn rel_4_every_misbehaviour_ends_the_pair_with_a_name_and_memory_stays_bounded() {
    let long = "x".repeat(16 * 1024);
    let thinks = json!({"choices": [{"delta": {"reasoning_content": long}}]});
    let calls = json!({"choices": [{"delta": {"tool_calls":
        [{"index": 0, "id": "c", "function": {"name": "list_files", "arguments": long}}]}}]});
    let whole = Step::Repeat { chunk: long.clone().into_bytes(), times: 100 * 64 };
    let cases = [
        ("garbage", Reply::garbage(), &["error"][..]),
        ("closes in mid-stream", Reply::closes_after(&["half ", "an answer"]), &["error"]),
        ("never answers", Reply::never_answers(), &["error"]),
        ("a byte a second", Reply::byte_by_byte(Duration::from_secs(1)), &["error"]),
        ("invalid UTF-8", Reply::invalid_utf8(), &["complete"]),
        ("a redirect loop", Reply::redirect("/v1/chat/completions"), &["error"]),
        ("100 MB of text", Reply::openai_megabytes(100), &["complete", "error"]),
        ("100 MB in one line", Reply::endless_line(100), &["error"]),
        ("100 MB of thoughts", megabytes(&thinks, 100), &["complete", "error"]),
        ("100 MB of a call", megabytes(&calls, 100), &["error"]),
        (
            "100 MB in one piece",
            Reply::head(200, &[("transfer-encoding", "chunked")])
                .chunk("{\"choices\":\"")
                .step(whole)
                .end(),
            &["error"],
        ),
        ("an error of 100 MB", Reply::huge_error(100), &["error"]),
    ];
    for (name, reply, ends) in cases {
        let server = ScriptedServer::chats([reply]).unwrap();
        let served = hasty(&server);
        served.json("GET", "/api/state", None);
        let before = memory(served.pid());
        let began = Instant::now();
        // One page follows, as it does when a person looks.
        let mut page =
            plimsoll_testkit::http::Events::listen(&served.address, "/ui/events", &[]).unwrap();
        let following = std::thread::spawn(move || page.until("ended").is_ok());
        let pair = served.send("And now?");
        assert!(began.elapsed() < IN_TIME, "{name}: {:?}", began.elapsed());
        let state = pair["lifecycleState"].as_str().unwrap();
        assert!(ends.contains(&state), "{name}: {pair}");
        if state == "error" {
            let code = pair["errorCode"].as_str().unwrap_or_default();
            assert!(!code.is_empty(), "{name}: {pair}");
        }
        assert_eq!(pair["userText"], "And now?", "{name}");
        assert!(following.join().unwrap(), "{name}: the page heard no end");
        match (before, most_memory(served.pid())) {
            (Some(before), Some(most)) => {
                let grown = most.saturating_sub(before);
                println!("{name}: {state}, {:?}, {} MB more", began.elapsed(), grown >> 20);
                assert!(grown < GROWTH, "{name}: {} MB more", grown >> 20);
            }
            _ => skipped("the memory of a process cannot be seen here"),
        }
        // It serves on.
        served.json("GET", "/api/state", None);
    }
}
