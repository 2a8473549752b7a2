//! Ten faults that people found in another gateway, each by its number there, as tests of this one
//! (section A3 of the research).

use plimsoll_testkit::scripted::{Reply, ScriptedServer};
use serde_json::{Value, json};

use super::{CHAT, Gateway, MESSAGES, always, chat, parsed};

fn whole() -> Reply {
    Reply::openai_whole("Hello", 21, 2)
}

fn words(count: usize) -> String {
    "word ".repeat(count)
}

fn fit(gateway: &Gateway, path: &str, body: &Value) -> plimsoll_testkit::http::Answer {
    gateway.post(path, &[("x-plimsoll-over-budget", "fit")], body.to_string().as_bytes())
}

fn sent(gateway: &Gateway) -> Value {
    serde_json::from_str(&gateway.calls().last().unwrap().body).unwrap()
}

/// A chat in which each answer of the model used a tool.
fn with_tools(exchanges: usize, size: usize) -> Vec<Value> {
    let mut messages = Vec::new();
    for number in 0..exchanges {
        let id = format!("c{number}");
        let call =
            json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
        messages.push(json!({"role": "user", "content": format!("{number} {}", words(size))}));
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": words(size)}));
        messages.push(json!({"role": "assistant", "content": "done"}));
    }
    messages.push(json!({"role": "user", "content": "and now?"}));
    messages
}

/// Every result has its call before it, and every call its result.
fn check_pairs(messages: &[Value]) {
    let mut called = Vec::new();
    let mut answered = Vec::new();
    for message in messages {
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            called.push(call["id"].as_str().unwrap().to_owned());
        }
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap().to_owned();
            assert!(called.contains(&id), "an orphan: {id}");
            answered.push(id);
        }
    }
    assert_eq!(called, answered);
}

/// #4931: trimming left results of tools without their calls.
#[test]
fn gwy_8_peer_fault_1_no_result_is_orphaned() {
    for window in [200, 300, 450, 600] {
        let gateway = Gateway::new(always(whole()), window);
        let answer = fit(&gateway, CHAT, &json!({"model": "test", "messages": with_tools(6, 40)}));
        assert_eq!(answer.status, 200, "{}", answer.body);
        check_pairs(sent(&gateway)["messages"].as_array().unwrap());
    }
}

/// #6505, #8261: results of tools were deleted although all was below the limit.
#[test]
fn gwy_8_peer_fault_2_below_the_limit_nothing_is_dropped() {
    let gateway = Gateway::new(always(whole()), 4000);
    let body = json!({"model": "test", "messages": with_tools(3, 20)});
    fit(&gateway, CHAT, &body);
    assert_eq!(gateway.calls()[0].body, body.to_string());
}

/// #10696: the call was kept and some of its answers were cut.
#[test]
fn gwy_8_peer_fault_3_no_call_is_split_from_its_results() {
    let calls: Vec<Value> = (0..4)
        .map(|n| json!({"id": format!("p{n}"), "type": "function", "function": {"name": "f", "arguments": "{}"}}))
        .collect();
    let mut messages = vec![
        json!({"role": "user", "content": words(30)}),
        json!({"role": "assistant", "content": null, "tool_calls": calls}),
    ];
    messages.extend(
        (0..4).map(
            |n| json!({"role": "tool", "tool_call_id": format!("p{n}"), "content": words(60)}),
        ),
    );
    messages.push(json!({"role": "user", "content": "next"}));
    for window in [100, 200, 300, 400] {
        let gateway = Gateway::new(always(whole()), window);
        fit(&gateway, CHAT, &json!({"model": "test", "messages": messages}));
        check_pairs(sent(&gateway)["messages"].as_array().unwrap());
    }
}

/// #3329: an endless loop, or nothing done without a word.
#[test]
fn gwy_7_peer_fault_4_what_cannot_fit_is_said_and_ends() {
    let gateway = Gateway::new(always(Reply::overflow(50, 9000)), 50);
    for policy in ["fit", "trim", "block", "pass"] {
        let headers = [("x-plimsoll-over-budget", policy)];
        let answer = gateway.post(CHAT, &headers, chat(4, 200).to_string().as_bytes());
        assert_eq!(parsed(&answer)["error"]["code"], "context_length_exceeded", "{policy}");
    }
    // `trim` gave up after what it may leave out was left out.
    assert!(gateway.calls().len() <= 1 + 4, "{} calls", gateway.calls().len());
}

/// #31557: a smaller window was sent the same payload again.
#[test]
fn gwy_7_peer_fault_5_a_smaller_window_gets_a_smaller_request() {
    let replies = [Reply::overflow(500, 900), whole()];
    let gateway = Gateway::new(ScriptedServer::chats(replies).unwrap(), 4000);
    let headers = [("x-plimsoll-over-budget", "trim")];
    assert_eq!(gateway.post(CHAT, &headers, chat(5, 60).to_string().as_bytes()).status, 200);
    let calls = gateway.calls();
    assert!(calls[1].body.len() < calls[0].body.len());
    // The limit that was stated is known from now on.
    let header = |answer: &plimsoll_testkit::http::Answer| {
        answer.header("x-plimsoll-window").map(str::to_owned)
    };
    let answer = gateway.ask(CHAT, &chat(1, 5));
    gateway.receipt(&answer);
    assert_eq!(
        header(&gateway.ask(CHAT, &chat(1, 5))).as_deref(),
        Some("4000"),
        "the user's word stands"
    );
}

/// The first bytes of a PNG of this size.
fn png(width: u32, height: u32) -> String {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend([8, 6, 0, 0, 0]);
    base64::Engine::encode(&base64::prelude::BASE64_STANDARD, &bytes)
}

/// #39910: a picture at 85 tokens instead of 2,765.
#[test]
fn gwy_6_peer_fault_6_a_picture_costs_what_its_size_costs() {
    let gateway = Gateway::new(always(whole()), 100_000);
    let url = format!("data:image/png;base64,{}", png(2048, 2048));
    let picture = json!({"type": "image_url", "image_url": {"url": url}});
    let told = parsed(&gateway.ask(
        "/v1/chat/completions/input_tokens",
        &json!({"model": "test", "messages": [{"role": "user", "content": [picture]}]}),
    ));
    assert!(told["input_tokens"].as_u64().unwrap() >= 700, "{told}");
}

/// #36604: a picture of Anthropic's failed the count, and the check was passed over.
#[test]
fn gwy_6_peer_fault_7_pictures_of_messages_are_counted() {
    let gateway = Gateway::with(always(whole()), 100_000, "imagePricing = \"anthropic\"\n", "");
    let source = json!({"type": "base64", "media_type": "image/png", "data": png(1500, 1000)});
    let content = json!([{"type": "image", "source": source}]);
    let body = json!({"model": "test", "max_tokens": 9, "messages": [{"role": "user", "content": content}]});
    let told = parsed(&gateway.ask("/v1/messages/count_tokens", &body));
    let tokens = told["input_tokens"].as_u64().unwrap();
    assert!((2000..2100).contains(&tokens), "{told}");
    let strange = json!({"model": "test", "max_tokens": 9, "messages": [{"role": "user", "content": [{"type": "image", "source": 7}]}]});
    let told = gateway.ask("/v1/messages/count_tokens", &strange);
    assert_eq!(
        told.status, 200,
        "what cannot be read costs the most, and is counted: {}",
        told.body
    );
}

/// #37102: a count that was far too low was called exact.
#[test]
fn gwy_6_peer_fault_8_an_estimate_says_that_it_is_one() {
    let gateway = Gateway::new(always(whole()), 4000);
    let told = parsed(&gateway.ask(
        "/v1/messages/count_tokens",
        &json!({"model": "test", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}),
    ));
    assert_eq!(told["plimsoll"]["basis"], "approx");
    let answer = gateway.ask(CHAT, &chat(1, 5));
    assert_eq!(answer.header("x-plimsoll-estimate-basis"), Some("approx"));
    assert!(
        gateway.receipt(&answer)["band"]["high"].as_u64()
            > gateway.receipt(&answer)["estimate"].as_u64()
    );
}

/// #36174, #26193: counting a long request kept all others waiting.
#[test]
fn gwy_6_peer_fault_9_counting_keeps_nobody_waiting() {
    let gateway = Gateway::new(always(whole()), 10_000_000);
    let body = chat(200, 20_000).to_string();
    assert!(body.len() > 30 << 20);
    let address = gateway.served.address.clone();
    let path = "/v1/chat/completions/input_tokens";
    let large: Vec<_> = (0..3)
        .map(|_| {
            let (address, body) = (address.clone(), body.clone());
            std::thread::spawn(move || {
                plimsoll_testkit::http::request(&address, "POST", path, &[], body.as_bytes())
                    .unwrap()
                    .status
            })
        })
        .collect();
    // Others are answered while it goes on, however long it takes.
    let mut answered = 0;
    while large.iter().any(|one| !one.is_finished()) {
        assert_eq!(gateway.served.ask("GET", "/healthz", None).status, 200);
        answered += 1;
    }
    assert!(answered > 0);
    assert!(large.into_iter().all(|one| one.join().unwrap() == 200));
}

/// #10793: an overflow in other words was not known as one. #22301: the count ignored system and
/// tools.
#[test]
fn gwy_5_peer_fault_10_overflows_are_known_in_all_words_and_everything_counts() {
    for words in [
        r#"{"object":"error","message":"The input (9000 tokens) is longer than the model's context length (4000 tokens).","type":"BadRequestError","code":400}"#,
        r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4000}}"#,
        r#"{"error":{"message":"This model's maximum context length is 4000 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion).","type":"BadRequestError","code":400}}"#,
    ] {
        let gateway = Gateway::new(always(Reply::json(400, words)), 4000);
        let answer = gateway.ask(CHAT, &chat(1, 5));
        assert_eq!(parsed(&answer)["error"]["code"], "context_length_exceeded", "{words}");
    }
    let gateway = Gateway::new(always(whole()), 4000);
    let count = |system: &str, tools: Value| {
        let body = json!({"model": "test", "max_tokens": 9, "system": system, "tools": tools,
            "messages": [{"role": "user", "content": "hi"}]});
        parsed(&gateway.ask(&format!("{MESSAGES}/count_tokens"), &body))["input_tokens"]
            .as_u64()
            .unwrap()
    };
    let bare = count("", json!([]));
    let tool =
        json!([{"name": "f", "description": words(100), "input_schema": {"type": "object"}}]);
    assert!(count(&words(100), json!([])) >= bare + 80);
    assert!(count("", tool) >= bare + 80);
}
