//! Lines that no honest client sends.

use std::time::Duration;

use plimsoll_mcp::serve;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf},
    time::timeout,
};

use crate::harness::{Harness, harness};

struct Raw {
    write: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
}

fn connect(harness: &Harness) -> Raw {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let server = harness.server.clone();
    tokio::spawn(async move {
        let (read, write) = tokio::io::split(ours);
        serve(&server, read, write).await.unwrap();
    });
    let (read, write) = tokio::io::split(theirs);
    Raw { write, lines: BufReader::new(read).lines() }
}

impl Raw {
    async fn line(&mut self, bytes: &[u8]) {
        self.write.write_all(bytes).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    /// Sends a request and waits for the answer to it, past whatever else comes.
    async fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.line(request.to_string().as_bytes()).await;
        loop {
            let line = timeout(Duration::from_secs(10), self.lines.next_line()).await;
            let line = line.expect("an answer in time").unwrap().expect("an open connection");
            let answer: Value = serde_json::from_str(&line).expect("one JSON object a line");
            if answer["id"] == id {
                return answer;
            }
        }
    }

    async fn initialize(&mut self, id: u64) {
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        });
        let answer = self.ask(id, "initialize", params).await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18", "{answer}");
        self.line(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    }
}

fn hostile() -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = [
        "",
        "   ",
        "not json",
        "{",
        "[]",
        "null",
        "42",
        "\"text\"",
        "{}",
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"1.0","id":900,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":901,"method":5}"#,
        r#"{"jsonrpc":"2.0","id":902,"method":"no/such"}"#,
        r#"{"jsonrpc":"2.0","id":903,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":904,"method":"tools/call","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":905,"method":"tools/call","params":{"name":7}}"#,
        r#"{"jsonrpc":"2.0","id":906,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":907,"error":{"code":1,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/nonsense","params":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"[{"jsonrpc":"2.0","id":908,"method":"tools/list"}]"#,
    ]
    .iter()
    .map(|line| line.as_bytes().to_vec())
    .collect();
    lines.push(vec![0xff, 0xfe, 0x00, 0x80]);
    lines.push(b"[".repeat(100_000));
    lines.push([b"{\"a\":".repeat(50_000), b"1".to_vec()].concat());
    lines.push(vec![b'x'; 9 << 20]);
    lines
}

#[tokio::test]
async fn broken_lines_do_not_end_a_connection() {
    let harness = harness().await;
    let mut raw = connect(&harness);
    raw.initialize(1).await;
    for line in hostile() {
        raw.line(&line).await;
    }
    let answer = raw.ask(2, "tools/list", json!({})).await;
    assert_eq!(
        answer["result"]["tools"].as_array().unwrap().len(),
        plimsoll_mcp::all_tools().count()
    );
}

#[tokio::test]
async fn broken_lines_before_the_handshake_do_not_end_a_connection() {
    let harness = harness().await;
    let mut raw = connect(&harness);
    for line in hostile() {
        raw.line(&line).await;
    }
    raw.initialize(1).await;
    let call = json!({"name": "mem_stats", "arguments": {}});
    let answer = raw.ask(2, "tools/call", call).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
}

#[tokio::test]
async fn arguments_of_any_shape_get_an_answer() {
    let harness = harness().await;
    let mut raw = connect(&harness);
    raw.initialize(1).await;
    for (at, arguments) in [json!("query"), json!([1]), json!(5), json!(true)].iter().enumerate() {
        let call = json!({"name": "mem_search", "arguments": arguments});
        let answer = raw.ask(10 + at as u64, "tools/call", call).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        let said = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(said.contains("must be an object"), "{said}");
    }
    let call = json!({"name": "mem_stats", "arguments": null});
    let answer = raw.ask(20, "tools/call", call).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let answer = raw.ask(21, "tools/call", json!({"name": "nothing"})).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let answer = raw.ask(22, "no/such/method", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
}

#[tokio::test]
async fn a_client_that_leaves_at_once_is_no_error() {
    let harness = harness().await;
    let (ours, theirs) = tokio::io::duplex(64);
    drop(theirs);
    let (read, write) = tokio::io::split(ours);
    serve(&harness.server, read, write).await.unwrap();
}

/// The next error that comes without being asked for by id.
async fn next_answer(raw: &mut Raw) -> Value {
    let line = timeout(Duration::from_secs(10), raw.lines.next_line()).await;
    let line = line.expect("an answer in time").unwrap().expect("an open connection");
    serde_json::from_str(&line).expect("one JSON object a line")
}

#[tokio::test]
async fn what_cannot_be_read_is_answered() {
    let harness = harness().await;
    let mut raw = connect(&harness);
    raw.initialize(1).await;
    for line in [b"not json".as_slice(), b"{\"jsonrpc\":", &[0xff, 0xfe, 0x80]] {
        raw.line(line).await;
        let answer = next_answer(&mut raw).await;
        assert_eq!(answer["error"]["code"], -32700, "{answer}");
        assert!(answer["id"].is_null(), "{answer}");
    }
    let long = "x".repeat(9 << 20);
    let call = json!({"method": "tools/call", "params": {"name": "mem_save",
        "arguments": {"content": long}}, "jsonrpc": "2.0"});
    let mut call = call.to_string();
    call.truncate(call.len() - 1);
    raw.line(format!("{call},\"id\":77}}").as_bytes()).await;
    let answer = next_answer(&mut raw).await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(77), &json!(-32600)), "{answer}");
    let many = format!("{{\"jsonrpc\":\"2.0\",\"id\":78,\"x\":[{}0]}}", "0,".repeat(3 << 20));
    raw.line(many.as_bytes()).await;
    let answer = next_answer(&mut raw).await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(78), &json!(-32600)), "{answer}");
    let answer = raw.ask(2, "tools/list", json!({})).await;
    assert!(answer["result"]["tools"].is_array(), "{answer}");
}
