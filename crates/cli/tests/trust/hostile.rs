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

/// The same bytes again and again, five times a second for a minute: far longer than the
/// time-outs of two seconds.
fn for_a_minute(reply: Reply, bytes: &str) -> Reply {
    let (size, pause) = (bytes.len(), Duration::from_millis(200));
    reply.step(Step::Drip { bytes: bytes.repeat(300).into_bytes(), size, pause }).hang()
}

/// M6, the way it was seen: what is no progress does not move a time-out.
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
        let asked = server.requests().iter().filter(|one| one.method == "POST").count();
        assert_eq!(asked, 1, "{name}: it was asked again");
    }
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

/// Millions of small values.
fn bomb(bytes: usize) -> String {
    format!("[{}{{}}]", "{\"a\":1},".repeat(bytes / 8))
}

/// H6, the way it was seen: answers, lists and lines of small values.
#[test]
fn rel_7_small_json_takes_no_huge_memory() {
    let (whole, line, list) = (bomb(30 << 20), bomb(7 << 20), bomb(30 << 20));
    let answers = format!("{{\"choices\":{whole}}}");
    let models = format!("{{\"object\":\"list\",\"data\":{list}}}");
    let cases = [
        ("an answer", Reply::json(200, &answers), answers.len(), "error"),
        (
            "a line",
            Reply::stream().event(format!("{{\"choices\":{line}}}")).end(),
            line.len(),
            "error",
        ),
        ("an error", Reply::json(400, format!("{{\"error\":{whole}}}")), whole.len(), "error"),
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
        within_bounds(name, &served, before, bytes);
    }
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
    served.json("GET", "/api/models", None);
    within_bounds("a list of models", &served, before, bytes);
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
