//! The reference memory server of MCP (npm), spoken to over its standard streams.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{Outcome, Times, notes::Words};

/// Names the server's script; `cargo xtask bench memory` sets it up and sets it.
const SCRIPT: &str = "PLIMSOLL_BENCH_SERVER_MEMORY";

/// What the server takes.
pub(crate) struct Peer {
    pub(crate) add: Times,
    pub(crate) search: Times,
    /// The median of a call that does nothing, in milliseconds.
    pub(crate) idle: f64,
}

/// Measures the server with so many notes; none if it is not there.
pub(crate) fn measure(words: &Words, size: u64) -> Outcome<Option<Peer>> {
    let Some(script) = std::env::var_os(SCRIPT) else { return Ok(None) };
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("memory.jsonl");
    let mut lines = String::new();
    for n in 0..size {
        lines.push_str(&entity(words, n).to_string());
        lines.push('\n');
    }
    fs::write(&file, lines.trim_end())?;
    let child = Command::new("node")
        .arg(script)
        .env("MEMORY_FILE_PATH", &file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut server = Server::of(child)?;
    let client = json!({"name": "bench", "version": "1"});
    let hello = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client,
    });
    server.ask("initialize", &hello)?;
    server.tell("notifications/initialized")?;
    let mut call = |name: &str, arguments: Value| -> Outcome<Duration> {
        let started = Instant::now();
        let answer = server.ask("tools/call", &json!({"name": name, "arguments": arguments}))?;
        let took = started.elapsed();
        if answer["error"].is_object() || answer["result"]["isError"] == true {
            return Err(format!("server-memory: {answer}").into());
        }
        Ok(took)
    };
    let mut add = Vec::new();
    let mut search = Vec::new();
    for n in 0..30 {
        let entities = [entity(words, 2_000_000_000 + n)];
        add.push(call("create_entities", json!({ "entities": entities }))?);
        search.push(call("search_nodes", json!({ "query": words.query(n) }))?);
    }
    let mut idle = Vec::new();
    for _ in 0..30 {
        let started = Instant::now();
        server.ask("ping", &json!({}))?;
        idle.push(started.elapsed());
    }
    let idle = Times::of(idle).percentile(50);
    Ok(Some(Peer { add: Times::of(add), search: Times::of(search), idle }))
}

fn entity(words: &Words, n: u64) -> Value {
    let note = words.note(n);
    json!({
        "type": "entity", "name": format!("{} {n}", note.title), "entityType": note.kind,
        "observations": [note.content],
    })
}

/// The server, ended when it is let go.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Server {
    fn of(mut child: Child) -> Outcome<Self> {
        let input = child.stdin.take().ok_or("no standard input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no standard output")?);
        Ok(Self { child, input, output, asked: 0 })
    }

    fn tell(&mut self, method: &str) -> Outcome {
        writeln!(self.input, "{}", json!({"jsonrpc": "2.0", "method": method}))?;
        Ok(self.input.flush()?)
    }

    fn ask(&mut self, method: &str, params: &Value) -> Outcome<Value> {
        self.asked += 1;
        let id = self.asked;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.input, "{request}")?;
        self.input.flush()?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err("server-memory ended".into());
            }
            let answer: Value = serde_json::from_str(&line)?;
            if answer["id"] == id {
                return Ok(answer);
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
