//! The same protocol on both sides (GWY-1, GWY-3, GWY-5, GWY-9).

use std::time::Duration;

use plimsoll_testkit::{
    http::Events,
    scripted::{Gate, Reply, ScriptedServer},
};
use serde_json::{Value, json};

use super::{CHAT, Gateway, MESSAGES, RESPONSES, always, parsed};

const LONG: Duration = Duration::from_secs(60);

fn whole() -> Reply {
    Reply::openai_whole("Hello", 21, 2)
}

#[test]
fn gwy_3_what_leaves_is_the_clients_own_text() {
    let gateway = Gateway::new(always(whole()), 4000);
    let chat = "{ \"temperature\" : 1.50e0,\n\t\"model\":\"test\" , \"messages\":[ {\"role\":\"user\",\"content\":\"h\\u00ef\"} ], \"strange\":{\"z\":1,\"a\":[ ]}, \"seed\":1.0 } ";
    let answer = gateway.post(CHAT, &[], chat.as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.body);
    let responses = "{\"model\":\"test\", \"input\" : \"hi\", \"odd\":[1,2 , 3]}";
    gateway.post(RESPONSES, &[], responses.as_bytes());
    let messages = "{\"max_tokens\":1e1,\"model\":\"test\",\"messages\":[{\"content\":\"hi\",\"role\":\"user\"}]}";
    gateway.post(MESSAGES, &[("anthropic-beta", "a,b")], messages.as_bytes());
    let calls = gateway.calls();
    let bodies: Vec<&str> = calls.iter().map(|call| call.body.as_str()).collect();
    assert_eq!(bodies, [chat, responses, messages]);
    let paths: Vec<&str> = calls.iter().map(|call| call.path.as_str()).collect();
    assert_eq!(paths, ["/v1/chat/completions", "/v1/responses", "/v1/messages"]);
    assert_eq!(calls[2].header("anthropic-beta"), Some("a,b"));
    // The answer's bytes are the provider's.
    let body = parsed(&answer);
    assert_eq!(body["choices"][0]["message"]["content"], "Hello");
}

#[test]
fn gwy_9_the_headers_and_the_receipt_tell_what_was_sent() {
    let gateway = Gateway::new(always(whole()), 4000);
    let tool =
        json!({"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}});
    let asked = json!({"model": "test", "tools": [tool], "messages": [
        {"role": "system", "content": "Be brief."}, {"role": "user", "content": "a secret word"}]});
    let answer = gateway.ask(CHAT, &asked);
    let header = |name: &str| answer.header(&format!("x-plimsoll-{name}")).unwrap().to_owned();
    assert_eq!((header("model"), header("window")), ("test".to_owned(), "4000".to_owned()));
    assert_eq!((header("trimmed-exchanges"), header("trimmed-tokens")), ("0".into(), "0".into()));
    assert_eq!((header("attempts"), header("estimate-basis")), ("1".into(), "approx".into()));
    let receipt = gateway.receipt(&answer);
    assert_eq!(receipt["estimate"].to_string(), header("estimate"));
    let kinds: Vec<&str> =
        receipt["parts"].as_array().unwrap().iter().map(|p| p["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["tool", "instructions", "user"]);
    assert_eq!(receipt["parts"][0]["name"], "look");
    assert_eq!((&receipt["usage"]["prompt"], &receipt["stage"]), (&json!(21), &json!("success")));
    assert!(!receipt.to_string().contains("secret"), "no texts are kept: {receipt}");
    // The panel shows it, and the provider learned nothing of ours.
    let panel = gateway.served.ask("GET", "/ui/panel/receipts", None).body;
    assert!(panel.contains("Other programs") && panel.contains("this account"), "{panel}");
    let id = header("receipt");
    let one = gateway.served.ask("GET", &format!("/ui/receipt/{id}"), None).body;
    assert!(one.contains("tool look") && one.contains("The heaviest parts"), "{one}");
    assert!(gateway.calls()[0].headers.iter().all(|(name, _)| !name.starts_with("x-plimsoll")));
}

#[test]
fn gwy_3_a_stream_comes_as_it_arrives_without_the_usage_nobody_asked_for() {
    let gate = Gate::default();
    let reply = Reply::openai_open(&["Hel"]).gate(&gate).openai_more(&["lo"]).openai_end(21, 2);
    let gateway = Gateway::new(always(reply), 4000);
    let asked =
        json!({"model": "test", "stream": true, "messages": [{"role": "user", "content": "hi"}]});
    let address = gateway.served.address.clone();
    let body = asked.to_string();
    let client = std::thread::spawn(move || Streamed::post(&address, CHAT, &body));
    let mut streamed = client.join().unwrap();
    // The first piece is here while the provider still holds the second one back.
    streamed.until("Hel");
    assert!(!streamed.text.contains("lo\""), "{}", streamed.text);
    gate.open();
    streamed.read_to_end();
    assert!(streamed.text.contains("[DONE]") && !streamed.text.contains("prompt_tokens"));
    let sent: Value = serde_json::from_str(&gateway.calls()[0].body).unwrap();
    assert_eq!(sent["stream_options"]["include_usage"], true);
    let id = streamed.header("x-plimsoll-receipt");
    let receipt = gateway.served.json("GET", &format!("/api/receipts/{id}"), None);
    assert_eq!(receipt["usage"]["prompt"], 21);
    // Who asks for the usage gets it.
    let mut asked = asked;
    asked["stream_options"] = json!({"include_usage": true});
    let answer = gateway.ask(CHAT, &asked);
    assert!(answer.body.contains("prompt_tokens"), "{}", answer.body);
}

#[test]
fn gwy_3_who_hangs_up_ends_the_providers_call_and_leaves_a_receipt() {
    let gateway = Gateway::new(always(Reply::stalls_after(&["Hel"])), 4000);
    let asked =
        json!({"model": "test", "stream": true, "messages": [{"role": "user", "content": "hi"}]});
    let mut streamed = Streamed::post(&gateway.served.address, CHAT, &asked.to_string());
    streamed.until("Hel");
    let id = streamed.header("x-plimsoll-receipt");
    drop(streamed);
    assert!(gateway.server.wait_for_hang_up(LONG), "the provider goes on");
    let receipt = wait_for_receipt(&gateway, &id);
    assert_eq!(receipt["stage"], "cancelled");
}

fn wait_for_receipt(gateway: &Gateway, id: &str) -> Value {
    let path = format!("/api/receipts/{id}");
    loop {
        let answer = gateway.served.ask("GET", &path, None);
        if answer.status == 200 {
            return parsed(&answer);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn gwy_5_a_provider_that_breaks_off_is_told_in_the_stream() {
    let gateway = Gateway::new(always(Reply::closes_after(&["Hel"])), 4000);
    let asked =
        json!({"model": "test", "stream": true, "messages": [{"role": "user", "content": "hi"}]});
    let answer = gateway.ask(CHAT, &asked);
    assert!(answer.body.contains("Hel") && answer.body.contains("\"error\""), "{}", answer.body);
    let receipt = gateway.receipt(&answer);
    assert_eq!(receipt["stage"], "error");
}

#[test]
fn gwy_5_errors_come_in_the_clients_protocol() {
    let overflow = || Reply::overflow_llama_cpp(4000, 9000);
    let cases = [
        (CHAT, json!({"model": "test", "messages": [{"role": "user", "content": "hi"}]})),
        (RESPONSES, json!({"model": "test", "input": "hi", "stream": true})),
        (
            MESSAGES,
            json!({"model": "test", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}),
        ),
    ];
    let gateway = Gateway::new(always(overflow()), 4000);
    let answers: Vec<_> = cases.iter().map(|(path, body)| gateway.ask(path, body)).collect();
    assert_eq!(parsed(&answers[0])["error"]["code"], "context_length_exceeded");
    assert_eq!(answers[1].status, 200);
    assert!(answers[1].body.starts_with("event: response.failed\n"), "{}", answers[1].body);
    assert!(answers[1].body.contains("context_length_exceeded"));
    let told = parsed(&answers[2]);
    assert_eq!(
        (&told["type"], &told["error"]["type"]),
        (&json!("error"), &json!("invalid_request_error"))
    );
    assert_eq!(told["error"]["message"], "prompt is too long: 9000 tokens > 4000 maximum");
    // Rate limits keep their time, and the provider's own words.
    let gateway = Gateway::new(always(Reply::rate(Some(Duration::from_secs(77)))), 4000);
    let answer = gateway.ask(CHAT, &cases[0].1);
    assert_eq!((answer.status, answer.header("retry-after")), (429, Some("77")));
    assert_eq!(parsed(&answer)["error"]["code"], "rate_limit_exceeded");
}

#[test]
fn gwy_5_what_the_provider_says_itself_is_said_in_its_words() {
    let body = r#"{"error":{"message":"odd","type":"strange","param":"x","code":"c7","more":[1]}}"#;
    let gateway = Gateway::new(always(Reply::json(422, body)), 4000);
    let answer = gateway
        .ask(CHAT, &json!({"model": "test", "messages": [{"role": "user", "content": "hi"}]}));
    assert_eq!((answer.status, answer.body.as_str()), (422, body));
}

#[test]
fn gwy_2_names_stand_for_others() {
    let config = "gatewayAliases = [\"claude-*=test\", \"gpt-4o=test\"]\n";
    let gateway = Gateway::with(always(whole()), 4000, "", config);
    for name in ["claude-sonnet-4", "gpt-4o", "test"] {
        let text = format!(
            "{{\"model\": \"{name}\" ,\"messages\":[{{\"role\":\"user\",\"content\":\"hi\"}}]}}"
        );
        let answer = gateway.post(CHAT, &[], text.as_bytes());
        assert_eq!(answer.header("x-plimsoll-model"), Some("test"), "{}", answer.body);
        let sent = gateway.calls().last().unwrap().body.clone();
        assert_eq!(sent, text.replace(name, "test"));
    }
    let answer = gateway.ask(CHAT, &json!({"model": "nobody", "messages": []}));
    let told = parsed(&answer);
    assert_eq!((answer.status, &told["error"]["code"]), (404, &json!("model_not_found")));
    let list = gateway.served.json("GET", "/v1/models", None);
    let has = |id: &str| list["data"].as_array().unwrap().iter().any(|model| model["id"] == id);
    assert!(has("test") && has("gpt-4o"), "{list}");
    assert_eq!(gateway.served.json("GET", "/v1/models/claude-opus-9", None)["object"], "model");
    assert_eq!(gateway.served.ask("GET", "/v1/models/nobody", None).status, 404);
    let anthropic = [("anthropic-version", "2023-06-01")];
    let listed = plimsoll_testkit::http::request(
        &gateway.served.address,
        "GET",
        "/v1/models",
        &anthropic,
        b"",
    );
    let listed = parsed(&listed.unwrap());
    assert_eq!((&listed["has_more"], &listed["data"][0]["type"]), (&json!(false), &json!("model")));
}

#[test]
fn gwy_1_dry_runs_tell_the_weight_and_send_nothing() {
    let gateway = Gateway::new(always(whole()), 300);
    let chat = super::chat(5, 60);
    let told = parsed(&gateway.ask("/v1/chat/completions/input_tokens", &chat));
    let weight = &told["plimsoll"];
    assert_eq!(
        (&weight["window"], &weight["basis"], &weight["fits"]),
        (&json!(300), &json!("approx"), &json!(false))
    );
    assert_eq!(weight["wouldLeaveOut"]["exchanges"], 3, "{weight}");
    assert_eq!(weight["parts"].as_array().unwrap().len(), 10);
    let messages =
        json!({"model": "test", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]});
    let told = parsed(&gateway.ask("/v1/messages/count_tokens", &messages));
    assert!(told["input_tokens"].as_u64().is_some_and(|tokens| tokens > 0), "{told}");
    let told = parsed(
        &gateway.ask("/v1/responses/input_tokens", &json!({"model": "test", "input": "hi"})),
    );
    assert_eq!(told["object"], "response.input_tokens");
    assert!(gateway.calls().is_empty());
}

#[test]
fn gwy_1_what_the_provider_keeps_is_passed_and_the_weight_is_partial() {
    let whole = r#"{"id":"r","object":"response","status":"completed","output":[],"usage":{"input_tokens":900,"output_tokens":2}}"#;
    let gateway = Gateway::new(always(Reply::json(200, whole)), 4000);
    let asked = json!({"model": "test", "input": "and then?", "previous_response_id": "resp_1"});
    let answer = gateway.ask(RESPONSES, &asked);
    assert_eq!(answer.header("x-plimsoll-estimate-partial"), Some("true"));
    assert_eq!(gateway.receipt(&answer)["partial"], true);
    for policy in ["fit", "trim"] {
        let headers = [("x-plimsoll-over-budget", policy)];
        let answer = gateway.post(RESPONSES, &headers, asked.to_string().as_bytes());
        let told = parsed(&answer);
        assert_eq!((answer.status, &told["error"]["param"]), (400, &json!("previous_response_id")));
    }
}

#[test]
fn gwy_1_other_doors_pass_or_say_what_is_missing() {
    let embedding = r#"{"object":"list","data":[],"usage":{"prompt_tokens":7,"total_tokens":7}}"#;
    let gateway = Gateway::new(always(Reply::json(200, embedding)), 4000);
    let body = "{ \"model\":\"test\", \"input\":\"hi\" }";
    let answer =
        gateway.post("/v1/embeddings", &[("Content-Type", "application/json")], body.as_bytes());
    assert_eq!((answer.status, answer.body.as_str()), (200, embedding));
    assert_eq!(gateway.calls()[0].body, body);
    assert_eq!(gateway.receipt(&answer)["usage"]["prompt"], 7);
    let answer = gateway.ask("/v1/embeddings", &json!({"model": "embedded", "input": "hi"}));
    assert_eq!(answer.status, 501);
    assert!(parsed(&answer)["error"]["message"].as_str().unwrap().contains("embeddings"));
    assert_eq!(gateway.served.ask("GET", "/v1/responses/resp_1", None).status, 501);
}

/// A stream that is read piece by piece.
pub(super) struct Streamed {
    stream: std::net::TcpStream,
    pub(super) text: String,
}

impl Streamed {
    pub(super) fn post(address: &str, path: &str, body: &str) -> Self {
        use std::io::Write;
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        Self { stream, text: String::new() }
    }

    fn more(&mut self) -> bool {
        use std::io::Read;
        let mut bytes = [0; 4096];
        let read = self.stream.read(&mut bytes).unwrap();
        self.text.push_str(&String::from_utf8_lossy(&bytes[..read]));
        read > 0
    }

    pub(super) fn until(&mut self, words: &str) {
        while !self.text.contains(words) {
            assert!(self.more(), "it ended before {words:?}: {}", self.text);
        }
    }

    pub(super) fn read_to_end(&mut self) {
        while self.more() {}
    }

    pub(super) fn header(&self, name: &str) -> String {
        let line = self.text.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        line.unwrap_or_else(|| panic!("{}", self.text)).to_owned()
    }
}

/// The workbench hears of nothing that passes through, and its own history stays as it was.
#[test]
fn gwy_3_calls_of_others_are_no_part_of_the_history() {
    let gateway = Gateway::new(ScriptedServer::chats([whole()]).unwrap(), 4000);
    let _events: Events = gateway.served.events();
    gateway.ask(CHAT, &json!({"model": "test", "messages": [{"role": "user", "content": "hi"}]}));
    let pairs = gateway.served.json("GET", "/api/pairs", None);
    assert_eq!(pairs["pairs"].as_array().map(Vec::len), Some(0), "{pairs}");
}

/// Many clients hang up behind the last event, while the provider still holds the connection.
#[test]
fn gwy_9_who_hangs_up_behind_the_last_event_has_an_answer() {
    let gate = Gate::default();
    let reply = Reply::stream()
        .event(r#"{"choices":[{"index":0,"delta":{"content":"Hi"}}]}"#)
        .event(r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#)
        .event(r#"{"choices":[],"usage":{"prompt_tokens":21,"completion_tokens":2}}"#)
        .event("[DONE]")
        .gate(&gate)
        .end();
    let gateway = Gateway::new(always(reply), 4000);
    let asked =
        json!({"model": "test", "stream": true, "messages": [{"role": "user", "content": "hi"}]});
    let mut streamed = Streamed::post(&gateway.served.address, CHAT, &asked.to_string());
    streamed.until("[DONE]");
    let id = streamed.header("x-plimsoll-receipt");
    drop(streamed);
    let receipt = wait_for_receipt(&gateway, &id);
    assert_eq!((&receipt["stage"], &receipt["usage"]["prompt"]), (&json!("success"), &json!(21)));
    gate.open();
}

#[test]
fn gwy_1_a_transcript_is_passed_and_not_kept() {
    let gateway = Gateway::new(always(Reply::json(200, r#"{"text":"a secret word"}"#)), 4000);
    let form = "--x\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\ntest\r\n--x--\r\n";
    let kind = [("Content-Type", "multipart/form-data; boundary=x")];
    let answer = gateway.post("/v1/audio/transcriptions", &kind, form.as_bytes());
    assert_eq!((answer.status, answer.body.as_str()), (200, r#"{"text":"a secret word"}"#));
    assert_eq!(gateway.calls()[0].body, form);
    let receipt = gateway.receipt(&answer);
    assert_eq!(receipt["stage"], "success");
    assert!(!receipt.to_string().contains("secret"), "{receipt}");
}

#[test]
fn gwy_5_a_wrong_method_is_told_in_the_clients_protocol() {
    let gateway = Gateway::new(always(whole()), 4000);
    for (method, path) in [("GET", CHAT), ("POST", "/v1/models"), ("DELETE", MESSAGES)] {
        let answer = gateway.served.ask(method, path, None);
        assert!(
            parsed(&answer)["error"]["message"].is_string(),
            "{method} {path}: {}",
            answer.body
        );
    }
}
