//! Providers and clients that keep a connection alive with nothing in it, and small JSON that
//! wants much memory (REL-7, REL-8).

use std::time::Duration;

use plimsoll_testkit::{
    http,
    real::skipped,
    scripted::{Recorded, Reply, ScriptedServer, Step},
};
use serde_json::json;

use crate::{
    measures::{memory, most_memory},
    misbehaviour::hasty,
    served::Served,
};

/// What a client hears that listens longer than it should.
const TOO_LATE: &str = "\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"too late\"}}]}\n\n\
                        data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
                        data: [DONE]\n\n";

/// The same bytes again and again, five times a second for a minute: far longer than the
/// time-outs of two seconds. Then a good end.
fn for_a_minute(reply: Reply, bytes: &str) -> Reply {
    let (size, pause) = (bytes.len(), Duration::from_millis(200));
    let drip = Step::Drip { bytes: bytes.repeat(300).into_bytes(), size, pause };
    reply.step(drip).chunk(TOO_LATE).end()
}

/// M6, the way it was seen: what is no progress does not move a time-out. Whoever waits for it
/// hears the end of the stream, and so has another answer.
#[test]
fn rel_8_a_stream_without_progress_ends_with_the_time_outs() {
    let event = |delta: serde_json::Value| format!("data: {delta}\n\n");
    let said = "data: {\"choices\":[{\"delta\":{\"content\":\"said\"}}]}\n\n";
    let finished = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    let padded = json!({"choices": [{"delta": {}}], "padding": "x".repeat(3000)});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}});
    let after = |bytes: &str| Reply::stream().chunk(bytes);
    let cases = [
        ("comments", Reply::stream(), ": still there\n\n".to_owned(), "error"),
        ("empty deltas", Reply::stream(), event(json!({"choices": [{"delta": {}}]})), "error"),
        (
            "roles",
            after(said),
            event(json!({"choices": [{"delta": {"role": "assistant", "content": ""}}]})),
            "error",
        ),
        ("usage", after(said), event(usage), "error"),
        ("padding", after(said), event(padded), "error"),
        ("a comment without an end", after(&format!("{said}: ")), "x".repeat(2048), "error"),
        ("a line without an end", after(&format!("{said}data: ")), "x".repeat(2048), "error"),
        ("an answer without an end", after("{\"choices\":[], \"x\":\""), "x".repeat(2048), "error"),
        (
            "comments after the end",
            after(&format!("{said}{finished}")),
            ": hm\n\n".into(),
            "complete",
        ),
    ];
    for (name, begin, again, end) in cases {
        let server = ScriptedServer::chats([for_a_minute(begin, &again)]).unwrap();
        let served = hasty(&server);
        let pair = served.send("And now?");
        assert_eq!(pair["lifecycleState"], end, "{name}: {pair}");
        let kept = pair["assistantText"].as_str().unwrap_or_default();
        assert!(!kept.contains("too late"), "{name}: it waited to the end: {kept}");
        let left = server.wait_for_hang_up(Duration::from_secs(30));
        assert!(left, "{name}: the server could say all that it had to say");
        let asked = server.requests().iter().filter(|one| one.method == "POST").count();
        assert_eq!(asked, 1, "{name}: it was asked again");
    }
}

/// An event that takes longer than the idle time-out, and arrives all the while, is heard.
#[test]
fn rel_8_a_large_event_in_many_pieces_is_read() {
    let long = "x".repeat(30 << 10);
    let event = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{long}\"}}}}]}}\n\n");
    let (size, pause) = (2 << 10, Duration::from_millis(250));
    let drip = Step::Drip { bytes: event.into_bytes(), size, pause };
    let reply = Reply::stream().step(drip).event("[DONE]").end();
    let server = ScriptedServer::chats([reply]).unwrap();
    let served = hasty(&server);
    let pair = served.send("And now?");
    assert_eq!(pair["lifecycleState"], "complete", "{pair}");
    assert_eq!(pair["assistantText"].as_str().map(str::len), Some(long.len()));
}

/// REL-7: no more than 64 MB and three times what was sent.
#[allow(clippy::print_stdout, reason = "the figures are what people run it for")]
fn within_bounds(name: &str, served: &Served, before: Option<u64>, bytes: usize) {
    let (Some(before), Some(most)) = (before, most_memory(served.pid())) else {
        return skipped("the memory of a process cannot be seen here");
    };
    let grown = most.saturating_sub(before);
    println!("{name}: {} MB more for {} MB", grown >> 20, bytes >> 20);
    let bound = (64 << 20) + 3 * bytes as u64;
    assert!(grown <= bound, "{name}: {} MB more for {} MB", grown >> 20, bytes >> 20);
}

/// What was taken is given back: the system is asked until it says so.
fn given_back(name: &str, served: &Served, before: Option<u64>) {
    let (Some(before), Some(mut now)) = (before, memory(served.pid())) else { return };
    let mut looks = 0;
    while now > before + (64 << 20) {
        looks += 1;
        assert!(looks < 600, "{name}: {} MB of {} MB are kept", (now - before) >> 20, now >> 20);
        std::thread::sleep(Duration::from_millis(100));
        now = memory(served.pid()).unwrap_or_default();
    }
}

/// Millions of small values.
fn bomb(bytes: usize) -> String {
    format!("[{}{{}}]", "{\"a\":1},".repeat(bytes / 8))
}

/// H6, the way it was seen: answers, lists and lines of small values.
#[test]
fn rel_7_small_json_takes_no_huge_memory() {
    let (whole, line) = (bomb(30 << 20), bomb(7 << 20));
    // Just small enough to be read.
    let tree = format!("{{\"choices\":{},\"x\":{}}}", "[]", bomb(8 * 38_000));
    let long = Reply::openai_whole(&"word ".repeat(6 << 20), 5, 2);
    let escaped = Reply::openai_whole(&"word \"q\" ".repeat(5 << 19), 5, 2);
    let answers = format!("{{\"choices\":{whole}}}");
    let cases = [
        ("an answer", Reply::json(200, &answers), answers.len(), "error"),
        (
            "a line",
            Reply::stream().event(format!("{{\"choices\":{line}}}")).end(),
            line.len(),
            "error",
        ),
        ("an error", Reply::json(400, format!("{{\"error\":{whole}}}")), whole.len(), "error"),
        ("a tree", Reply::json(200, &tree), tree.len(), "error"),
        ("one long text", long, 30 << 20, "complete"),
        ("one long text with escapes", escaped, 28 << 20, "complete"),
        // As Markdown each took two hundred megabytes.
        (
            "short paragraphs",
            Reply::openai_whole(&"a\n\n".repeat(4 << 18), 5, 2),
            4 << 20,
            "complete",
        ),
        ("short lines", Reply::openai_whole(&"a\n".repeat(2 << 20), 5, 2), 4 << 20, "complete"),
        ("marks", Reply::openai_whole(&"<&".repeat(2 << 20), 5, 2), 4 << 20, "complete"),
        (
            "arguments",
            Reply::openai_calls("list_files", &line[..500 << 10], 5),
            500 << 10,
            "complete",
        ),
    ];
    for (name, reply, bytes, end) in cases {
        let server = ScriptedServer::chats([reply, Reply::openai(&["fine"], 5, 2)]).unwrap();
        let served = hasty(&server);
        served.json("GET", "/api/state", None);
        let before = memory(served.pid());
        let pair = served.send("And now?");
        assert_eq!(pair["lifecycleState"], end, "{name}: {pair}");
        let page = http::request(&served.address, "GET", "/?scope=everything", &[], b"").unwrap();
        assert!(page.status == 200 && page.body.contains("And now?"), "{name}: {}", page.status);
        within_bounds(name, &served, before, bytes);
        given_back(name, &served, before);
    }
}

/// The same for lists of models, which a server at home is asked for with every send.
#[test]
fn rel_7_a_list_of_models_takes_no_huge_memory_and_is_cut() {
    let listed = |count: usize| {
        let models = (0..count).map(|n| format!("{{\"id\":\"model-{n}\"}}"));
        format!("{{\"object\":\"list\",\"data\":[{}]}}", models.collect::<Vec<_>>().join(","))
    };
    let small = format!("{{\"object\":\"list\",\"data\":{}}}", bomb(30 << 20));
    // The last one is just small enough to be read.
    let cases =
        [("values", small, 0), ("60,000", listed(60_000), 0), ("17,000", listed(17_000), 2_000)];
    for (name, models, known) in cases {
        let bytes = models.len();
        let server =
            ScriptedServer::answering(move |request: &Recorded| match request.method.as_str() {
                "GET" => Reply::json(200, &models),
                _ => Reply::openai(&["fine"], 5, 2),
            })
            .unwrap();
        let served = hasty(&server);
        let before = memory(served.pid());
        assert_eq!(served.send("And now?")["lifecycleState"], "complete");
        let all = served.json("GET", "/api/models", None).to_string();
        assert_eq!(all.matches("\"id\":\"model-").count(), known, "{name}");
        within_bounds(&format!("a list of models: {name}"), &served, before, bytes);
        given_back(name, &served, before);
    }
}

/// The same from clients.
#[test]
fn rel_7_small_json_of_clients_takes_no_huge_memory() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 5, 2)]).unwrap();
    let served = hasty(&server);
    served.json("GET", "/api/state", None);
    let before = memory(served.pid());
    let small = bomb(3 << 20);
    let call = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\
         \"params\":{{\"name\":\"mem_save\",\"arguments\":{{\"x\":{small}}}}}}}"
    );
    let headers =
        [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    let answer = http::request(&served.address, "POST", "/mcp", &headers, call.as_bytes()).unwrap();
    assert_eq!(answer.status, 413, "{}", answer.body);
    let send = format!("{{\"text\":\"a\",\"attachments\":{small}}}");
    let answer =
        http::request(&served.address, "POST", "/api/send", &headers, send.as_bytes()).unwrap();
    assert_eq!(answer.status, 413, "{}", answer.body);
    assert!(answer.body.contains("send less at once"), "{}", answer.body);
    within_bounds("clients", &served, before, small.len());
}
