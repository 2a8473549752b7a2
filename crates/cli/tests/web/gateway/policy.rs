//! What happens to requests that are too large (GWY-7, GWY-8).

use plimsoll_testkit::scripted::{Reply, ScriptedServer};
use serde_json::{Value, json};

use super::{CHAT, Gateway, MESSAGES, always, chat, parsed};
use crate::served::Served;

fn whole() -> Reply {
    Reply::openai_whole("Hello", 21, 2)
}

fn post(gateway: &Gateway, policy: &str, body: &Value) -> plimsoll_testkit::http::Answer {
    gateway.post(CHAT, &[("x-plimsoll-over-budget", policy)], body.to_string().as_bytes())
}

fn sent(gateway: &Gateway) -> Value {
    serde_json::from_str(&gateway.calls().last().unwrap().body).unwrap()
}

#[test]
fn gwy_7_pass_touches_nothing_and_says_so() {
    let gateway = Gateway::new(always(whole()), 300);
    let body = chat(6, 60);
    let answer = gateway.ask(CHAT, &body);
    assert_eq!(answer.status, 200);
    let estimate: u64 = answer.header("x-plimsoll-estimate").unwrap().parse().unwrap();
    assert_eq!(answer.header("x-plimsoll-over"), Some((estimate - 300).to_string().as_str()));
    assert_eq!(gateway.calls()[0].body, body.to_string());
    // An overflow is not trimmed either, and tried once.
    let gateway = Gateway::new(always(Reply::overflow(300, 900)), 300);
    let answer = gateway.ask(CHAT, &body);
    assert_eq!((answer.status, gateway.calls().len()), (400, 1));
    let told = parsed(&answer);
    assert_eq!(told["error"]["code"], "context_length_exceeded");
    assert!(told["plimsoll"]["suggestions"][0].as_str().unwrap().contains("fit"), "{told}");
}

#[test]
fn gwy_7_fit_leaves_out_whole_exchanges_before_the_first_call() {
    let gateway = Gateway::new(always(whole()), 300);
    let body = chat(6, 60);
    let answer = post(&gateway, "fit", &body);
    let header = |name: &str| answer.header(&format!("x-plimsoll-{name}")).unwrap().to_owned();
    assert_eq!((header("trimmed-exchanges"), header("attempts")), ("4".to_owned(), "1".to_owned()));
    assert!(header("trimmed-tokens").parse::<u64>().unwrap() > 400);
    assert!(header("estimate").parse::<u64>().unwrap() <= 300);
    let messages = sent(&gateway)["messages"].clone();
    let all = body["messages"].as_array().unwrap();
    let expected: Vec<&Value> = all[..1].iter().chain(&all[9..]).collect();
    assert_eq!(messages.as_array().unwrap().iter().collect::<Vec<_>>(), expected);
    let receipt = gateway.receipt(&answer);
    assert_eq!(
        (&receipt["leftOut"]["exchanges"], &receipt["overBudget"]),
        (&json!(4), &json!("fit"))
    );
    let marked = receipt["parts"].as_array().unwrap().iter().filter(|part| part["leftOut"] == true);
    assert_eq!(marked.count(), 8);
    // What cannot be made to fit is refused, and nothing is sent.
    let before = gateway.calls().len();
    let answer = post(&gateway, "fit", &chat(1, 900));
    assert_eq!((answer.status, gateway.calls().len()), (400, before));
    let receipt = gateway.receipt(&answer);
    assert_eq!(receipt["stage"], "prompt_too_large");
    assert_eq!(receipt["parts"].as_array().unwrap().len(), 2, "it says what was too heavy");
}

#[test]
fn gwy_7_trim_leaves_out_what_the_provider_says_is_too_much() {
    let replies = [Reply::overflow(500, 900), Reply::overflow(500, 700), whole()];
    let gateway = Gateway::new(ScriptedServer::chats(replies).unwrap(), 4000);
    let body = chat(6, 60);
    let answer = post(&gateway, "trim", &body);
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.header("x-plimsoll-attempts"), Some("3"));
    assert_eq!(answer.header("x-plimsoll-trimmed-exchanges"), Some("2"));
    let counts: Vec<usize> = gateway
        .calls()
        .iter()
        .map(|call| {
            serde_json::from_str::<Value>(&call.body).unwrap()["messages"].as_array().unwrap().len()
        })
        .collect();
    assert_eq!(counts, [12, 10, 8]);
    let receipt = gateway.receipt(&answer);
    assert_eq!(receipt["failures"].as_array().unwrap().len(), 2);
}

#[test]
fn gwy_7_block_refuses_before_the_call() {
    let gateway = Gateway::with(always(whole()), 300, "gatewayOverBudget = \"block\"\n", "");
    let answer = gateway.ask(CHAT, &chat(6, 60));
    let told = parsed(&answer);
    assert_eq!((answer.status, &told["error"]["code"]), (400, &json!("context_length_exceeded")));
    assert!(!told["plimsoll"]["suggestions"].as_array().unwrap().is_empty());
    assert!(gateway.calls().is_empty());
    assert_eq!(gateway.ask(CHAT, &chat(1, 10)).status, 200);
    // The header has the last word; the setting has the first.
    assert_eq!(post(&gateway, "pass", &chat(6, 60)).status, 200);
    let gateway = Gateway::with(always(whole()), 300, "", "gatewayOverBudget = \"block\"\n");
    assert_eq!(gateway.ask(CHAT, &chat(6, 60)).status, 400);
    let answer = post(&gateway, "squeeze", &chat(1, 1));
    assert_eq!(parsed(&answer)["error"]["param"], "x-plimsoll-over-budget");
}

/// An agent's task is one message of the user with many rounds.
#[test]
fn gwy_8_rounds_of_the_newest_exchange_go_when_nothing_else_is_left() {
    let gateway = Gateway::new(always(whole()), 600);
    let mut messages = vec![json!({"role": "user", "content": "do it"})];
    for round in 0..8 {
        let (id, text) = (format!("c{round}"), "word ".repeat(100));
        let call =
            json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": text}));
    }
    let answer = post(&gateway, "fit", &json!({"model": "test", "messages": messages}));
    assert_eq!(answer.status, 200, "{}", answer.body);
    let rounds: usize = answer.header("x-plimsoll-trimmed-rounds").unwrap().parse().unwrap();
    let left = sent(&gateway)["messages"].as_array().unwrap().clone();
    assert_eq!(left.len(), 17 - 2 * rounds);
    assert_eq!(left[0]["content"], "do it");
    assert_eq!(left[1]["tool_calls"][0]["id"], left[2]["tool_call_id"]);
    assert!((2..=6).contains(&rounds));
}

#[test]
fn gwy_8_the_thinking_of_a_live_loop_is_kept_and_the_client_compacts() {
    let gateway = Gateway::new(always(whole()), 300);
    let mut messages = vec![json!({"role": "user", "content": "do it"})];
    for round in 0..6 {
        let id = format!("t{round}");
        messages.push(json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "tool_use", "id": id, "name": "f", "input": {}}]}));
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": "word ".repeat(100)}]}));
    }
    let body = json!({"model": "test", "max_tokens": 50, "messages": messages});
    let headers = [("x-plimsoll-over-budget", "fit")];
    let answer = gateway.post(MESSAGES, &headers, body.to_string().as_bytes());
    let told = parsed(&answer);
    assert_eq!(answer.status, 400);
    assert!(
        told["error"]["message"].as_str().unwrap().starts_with("prompt is too long: "),
        "{told}"
    );
    assert!(gateway.calls().is_empty());
}

#[test]
fn rec_2b_a_server_that_reads_less_than_was_sent_is_noticed() {
    let gateway = Gateway::new(always(Reply::openai_whole("Hello", 200, 2)), 40_000);
    let answer = gateway.ask(CHAT, &chat(20, 100));
    let receipt = gateway.receipt(&answer);
    assert_eq!(receipt["truncation"]["read"], 200, "{receipt}");
}

/// VAL-4 only tells under `pass`, and refuses under the others.
#[test]
fn gwy_7_windows_of_the_account_are_told() {
    let gateway = Gateway::with(always(whole()), 4000, "rpm = 1\n", "");
    assert_eq!(gateway.ask(CHAT, &chat(1, 5)).header("x-plimsoll-over-quota"), None);
    // What the first one used is written behind its answer.
    gateway.receipt(&gateway.ask(CHAT, &chat(1, 5)));
    let answer = gateway.ask(CHAT, &chat(1, 5));
    assert_eq!(answer.status, 200);
    assert!(answer.header("x-plimsoll-over-quota").unwrap().contains("requests per minute"));
    let answer = post(&gateway, "fit", &chat(1, 5));
    assert_eq!(answer.status, 429);
    assert!(answer.header("retry-after").is_some());
}

/// CAT-3: a limit that the provider states is known from then on, though nothing was trimmed.
#[test]
fn gwy_7_pass_learns_the_limit_that_an_overflow_states() {
    let server = ScriptedServer::chats([Reply::overflow(500, 900), whole()]).unwrap();
    let served = Served::start_with(&server, 1, |home| {
        let models = format!(
            "[[model]]\nid = \"test\"\nprovider = \"acme\"\nbaseUrl = \"{}\"\n",
            server.base_url()
        );
        std::fs::write(home.join("models.toml"), models).unwrap();
    });
    let gateway = Gateway { server, served };
    let answer = gateway.ask(CHAT, &chat(6, 60));
    assert_eq!((answer.status, answer.header("x-plimsoll-window")), (400, Some("8192")));
    // It is written behind the answer.
    gateway.receipt(&answer);
    let answer = gateway.ask(CHAT, &chat(1, 5));
    assert_eq!((answer.status, answer.header("x-plimsoll-window")), (200, Some("500")));
}
