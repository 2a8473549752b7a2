//! Hostile clients and providers: everything has a bound.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use plimsoll_testkit::scripted::Reply;
use serde_json::json;

use super::{CHAT, Gateway, MESSAGES, RESPONSES, always, chat, parsed, relay::Streamed};

fn whole() -> Reply {
    Reply::openai_whole("Hello", 21, 2)
}

/// The resident memory of a process, in MB.
fn memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or("VmRSS: 0 kB");
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1024
}

#[test]
fn gwy_15_a_body_of_a_hundred_megabytes_is_refused_while_it_is_read() {
    let gateway = Gateway::new(always(whole()), 4000);
    let before = memory(gateway.served.pid());
    // Without its length, so that it has to be read to be known.
    let mut stream = TcpStream::connect(&gateway.served.address).unwrap();
    let head = format!(
        "POST {CHAT} HTTP/1.1\r\nHost: {}\r\nTransfer-Encoding: chunked\r\n\r\n",
        gateway.served.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    let piece = [b"100000\r\n".to_vec(), vec![b' '; 1 << 20], b"\r\n".to_vec()].concat();
    let sent = (0..100).take_while(|_| stream.write_all(&piece).is_ok()).count();
    assert!(sent < 100 || { stream.write_all(b"0\r\n\r\n").is_ok() });
    let mut answer = [0; 12];
    if stream.read_exact(&mut answer).is_ok() {
        assert_eq!(&answer, b"HTTP/1.1 413");
    }
    let after = memory(gateway.served.pid());
    assert!(after < before + 160, "{before} MB became {after} MB");
    // With its length it is refused before a byte of it.
    let mut stream = TcpStream::connect(&gateway.served.address).unwrap();
    let head = format!(
        "POST {CHAT} HTTP/1.1\r\nHost: {}\r\nContent-Length: 104857600\r\n\r\n",
        gateway.served.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
    assert!(gateway.calls().is_empty());
    assert_eq!(gateway.ask(CHAT, &chat(1, 5)).status, 200);
}

#[test]
fn gwy_15_ten_thousand_tools_are_weighed_one_by_one() {
    let gateway = Gateway::new(always(whole()), 400_000);
    let tool = |number: usize| json!({"type": "function", "function": {"name": format!("t{number}"), "description": "x".repeat(40)}});
    let tools: Vec<_> = (0..10_000).map(tool).collect();
    let body =
        json!({"model": "test", "tools": tools, "messages": [{"role": "user", "content": "hi"}]});
    let answer = gateway.ask(CHAT, &body);
    assert_eq!(answer.status, 200);
    assert_eq!(gateway.receipt(&answer)["parts"].as_array().unwrap().len(), 10_001);
}

#[test]
fn rel_4_what_is_no_request_is_refused_in_every_protocol() {
    let gateway = Gateway::new(always(whole()), 4000);
    let nested = "[".repeat(100_000) + &"]".repeat(100_000);
    let deep = format!("{{\"model\":\"test\",\"messages\":{nested},\"input\":{nested}}}");
    let many = format!(
        "{{\"model\":\"test\",\"messages\":[{0}{{}}],\"input\":[{0}{{}}]}}",
        "{},".repeat(1_000_000)
    );
    let bodies: [&[u8]; 8] = [
        b"",
        b"nothing",
        b"{\"model\":\"te\xffst\",\"messages\":[]}",
        b"{\"model\":\"test\",\"messages\":[{\"role\":\"user\",\"content\":\"\xed\xa0\x80\"}]}",
        b"[1,2]",
        b"{\"model\":null}",
        deep.as_bytes(),
        many.as_bytes(),
    ];
    for body in bodies {
        // A response can be asked for without a word, and without naming a model.
        let says_little = body.is_empty() || body == b"{\"model\":null}";
        let paths = [CHAT, MESSAGES, RESPONSES];
        for path in &paths[..if says_little { 2 } else { 3 }] {
            let answer = gateway.post(path, &[], body);
            let start = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
            assert_eq!(answer.status, 400, "{path} {start}: {}", answer.body);
            assert!(
                parsed(&answer)["error"]["message"].as_str().is_some_and(|words| words.len() > 5)
            );
        }
    }
    assert!(gateway.calls().is_empty());
    let packed = gateway.post(CHAT, &[("Content-Encoding", "gzip")], b"{}");
    assert_eq!(
        (packed.status, &parsed(&packed)["error"]["param"]),
        (400, &json!("content-encoding"))
    );
}

#[test]
fn rel_8_a_client_that_reads_nothing_holds_no_memory() {
    let gateway = Gateway::new(always(Reply::openai_megabytes(64)), 4000);
    let body =
        json!({"model": "test", "stream": true, "messages": [{"role": "user", "content": "hi"}]});
    let before = memory(gateway.served.pid());
    let slow: Vec<Streamed> =
        (0..4).map(|_| Streamed::post(&gateway.served.address, CHAT, &body.to_string())).collect();
    // The provider cannot send on: its bytes stand still.
    let mut sent = (0, 0);
    while sent.0 == 0 || sent.0 != sent.1 {
        sent = (gateway.server.bytes_sent(), sent.0);
        std::thread::sleep(Duration::from_millis(300));
    }
    assert!(sent.0 < 64 << 20, "{} bytes were taken for nobody", sent.0);
    let after = memory(gateway.served.pid());
    assert!(after < before + 64, "{before} MB became {after} MB");
    drop(slow);
    assert_eq!(gateway.served.ask("GET", "/healthz", None).status, 200);
}

#[test]
fn rel_4_a_provider_that_sends_garbage_is_told_of_and_nothing_breaks() {
    let body =
        json!({"model": "test", "stream": true, "messages": [{"role": "user", "content": "hi"}]});
    for reply in [
        Reply::garbage(),
        Reply::garbage_events(),
        Reply::invalid_utf8(),
        Reply::empty_stream(),
        Reply::endless_line(20),
        Reply::closes_at_once(),
        Reply::huge_error(10),
    ] {
        let gateway = Gateway::new(always(reply), 4000);
        let mut streamed = Streamed::post(&gateway.served.address, CHAT, &body.to_string());
        streamed.read_to_end();
        assert!(
            streamed.text.starts_with("HTTP/1.1 "),
            "{}",
            &streamed.text[..streamed.text.len().min(300)]
        );
        let id = streamed.header("x-plimsoll-receipt");
        let receipt = gateway.served.json("GET", &format!("/api/receipts/{id}"), None);
        assert_ne!(receipt["stage"], "sent");
    }
}

#[test]
fn gwy_15_a_client_that_sends_half_a_body_is_not_waited_for_for_ever() {
    let gateway = Gateway::new(always(whole()), 4000);
    let mut stream = TcpStream::connect(&gateway.served.address).unwrap();
    let head = format!(
        "POST {CHAT} HTTP/1.1\r\nHost: {}\r\nContent-Length: 1000\r\n\r\n{{\"model\":",
        gateway.served.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut rest = Vec::new();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.read_to_end(&mut rest).unwrap();
    assert!(gateway.calls().is_empty());
    assert_eq!(gateway.ask(CHAT, &chat(1, 5)).status, 200);
}

/// Results of tools in results of tools: read one deep, weighed as they are below that.
#[test]
fn rel_4_results_in_results_do_not_exhaust_the_stack() {
    let gateway = Gateway::new(always(whole()), 4_000_000);
    let (open, close) = (r#"[{"type":"tool_result","tool_use_id":"a","content":"#, "}]");
    let nested = format!("{}\"x\"{}", open.repeat(20_000), close.repeat(20_000));
    let body = format!(
        r#"{{"model":"test","max_tokens":9,"messages":[{{"role":"user","content":{nested}}}]}}"#
    );
    for path in ["/v1/messages/count_tokens", MESSAGES] {
        let answer = gateway.post(path, &[], body.as_bytes());
        assert!(answer.status < 500, "{path}: {}", answer.body);
    }
    assert_eq!(gateway.served.ask("GET", "/healthz", None).status, 200);
}
