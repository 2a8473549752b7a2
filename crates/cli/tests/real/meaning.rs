//! Search of the memory by meaning, through the binary (MEM-10).

use std::{
    io::{BufRead, BufReader, Write},
    ops::ControlFlow,
    process::{Child, ChildStdout, Command, Stdio},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use plimsoll_embedded::{fetch_sentence_model, locate_sentence_model};
use plimsoll_testkit::real;
use serde_json::{Value, json};

use crate::home::{Home, cache};

/// A home that has the sentence model already.
fn home() -> Option<Home> {
    static FETCHED: OnceLock<Result<(), String>> = OnceLock::new();
    let fetched = FETCHED.get_or_init(|| {
        fetch_sentence_model(cache(), None, &mut |_| ControlFlow::Continue(()))
            .map_err(|error| error.to_string())
    });
    if let Err(why) = fetched {
        real::skipped(&format!("no sentence model: {why}"));
        return None;
    }
    let from = locate_sentence_model(cache()).unwrap();
    let home = Home::new();
    let to = home.data().join("models").join(from.file_name().unwrap());
    std::fs::create_dir_all(&to).unwrap();
    for name in ["model.safetensors", "vocab.txt"] {
        std::os::unix::fs::symlink(from.join(name), to.join(name)).unwrap();
    }
    Some(home)
}

fn save(home: &Home, title: &str) {
    let saved = home.run(&["memory", "save", title, "Below are taken on the build machines."]);
    assert_eq!(saved.code, 0, "{}", saved.stderr);
}

fn status(home: &Home) -> Value {
    let told = home.run(&["memory", "meaning", "status", "--json"]);
    assert_eq!(told.code, 0, "{}", told.stderr);
    serde_json::from_str(&told.stdout).unwrap()
}

/// Ended with the test, whatever becomes of it.
struct Running(Child);

impl Running {
    /// A server that searches by meaning.
    fn mcp(home: &Home) -> Self {
        let server = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .arg("mcp")
            .env("PLIMSOLL_CONFIG_DIR", home.path())
            .env("PLIMSOLL_DATA_DIR", home.data())
            .env("PLIMSOLL_MEMORY_MEANING", "on")
            .current_dir(home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn();
        Self(server.unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn mem_10_meaning_is_switched_on_and_off_again() {
    let Some(home) = home() else { return };
    save(&home, "Ports start at 7411");
    save(&home, "The mud is deep");
    let off = home.run(&["memory", "meaning"]);
    assert!(off.stdout.starts_with("Search by meaning is off."), "{}", off.stdout);
    assert!(off.stdout.contains("0 of 2 notes have vectors"), "{}", off.stdout);
    let on = home.run(&["memory", "meaning", "on"]);
    assert_eq!(on.code, 0, "{}", on.stderr);
    assert!(on.stdout.starts_with("Search by meaning is on."), "{}", on.stdout);
    assert!(on.stdout.contains("2 of 2 notes have vectors"), "{}", on.stdout);
    assert_eq!(status(&home)["on"], true, "the setting is kept");
    let off = home.run(&["memory", "meaning", "off"]);
    assert_eq!(off.code, 0, "{}", off.stderr);
    let told = status(&home);
    assert_eq!((&told["on"], &told["modelOnDisk"]), (&Value::from(false), &Value::from(false)));
}

#[test]
fn mem_10_vectors_are_made_behind_a_server() {
    let Some(home) = home() else { return };
    save(&home, "Ports start at 7411");
    let server = Running::mcp(&home);
    wait_for_vectors(&home, 1);
    drop(server);
}

/// A client over the pipes of `plimsoll mcp`, in the words of the protocol.
struct Client {
    server: Running,
    answers: BufReader<ChildStdout>,
    calls: u64,
}

impl Client {
    fn start(home: &Home) -> Self {
        let mut server = Running::mcp(home);
        let answers = BufReader::new(server.0.stdout.take().unwrap());
        let mut it = Self { server, answers, calls: 0 };
        it.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "a-test", "version": "1"},
            }),
        );
        it.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        it
    }

    fn say(&mut self, message: &Value) {
        let pipe = self.server.0.stdin.as_mut().unwrap();
        writeln!(pipe, "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.calls += 1;
        let id = self.calls;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert!(self.answers.read_line(&mut line).unwrap() > 0, "the server ended");
            let told: Value = serde_json::from_str(&line).unwrap();
            if told["id"] == id {
                return told["result"].clone();
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let told = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        assert_ne!(told["isError"], true, "{told}");
        told["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

fn wait_for_vectors(home: &Home, notes: u64) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while status(home)["notesWithVectors"] != notes {
        assert!(Instant::now() < deadline, "{}", status(home));
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn mem_10_a_question_in_other_words_finds_a_note_over_mcp() {
    let Some(home) = home() else { return };
    let mut client = Client::start(&home);
    client.call(
        "mem_save",
        &json!({"title": "Charges carry an idempotency key",
            "content": "Otherwise a retried payment request is booked a second time."}),
    );
    client.call(
        "mem_save",
        &json!({"title": "Logs rotate daily", "content": "Files older than a week are packed."}),
    );
    wait_for_vectors(&home, 2);
    let question = json!({"query": "why did some shoppers pay double for one purchase"});
    let told = client.call("mem_search", &question);
    let first = told.lines().find(|line| line.starts_with('#')).unwrap();
    assert!(first.contains("Charges carry an idempotency key"), "{told}");
    assert!(told.contains("(by meaning)"), "{told}");
    // What another process saves gets its vectors from the one that runs.
    save(&home, "Ports start at 7411");
    wait_for_vectors(&home, 3);
    // A terminal searches so too, and says so; without the setting it does not.
    let words = ["memory", "search", "--project", "*", "shoppers", "pay", "double"];
    let told = home.command(&words).env("PLIMSOLL_MEMORY_MEANING", "on").run();
    assert!(told.stdout.contains("(by meaning)"), "{} {}", told.stdout, told.stderr);
    let told = home.run(&words);
    assert!(told.stdout.contains("Nothing found"), "{} {}", told.stdout, told.stderr);
    // Who switches it off takes the model away, also from whoever runs.
    assert_eq!(home.run(&["memory", "meaning", "off"]).code, 0);
    let told = client.call("mem_search", &question);
    assert!(told.contains("Nothing found"), "{told}");
}

#[test]
fn mem_10_without_the_model_words_alone_are_searched_and_it_is_said() {
    let home = Home::new();
    save(&home, "Ports start at 7411");
    let told = home.run(&["memory", "meaning"]);
    assert!(told.stdout.contains("`plimsoll memory meaning on` fetches the model (91 MB)"));
    let mcp = home.command(&["mcp"]).env("PLIMSOLL_MEMORY_MEANING", "on").run();
    assert_eq!(mcp.code, 0, "{}", mcp.stderr);
    assert!(mcp.stderr.contains("the memory is searched by words alone"), "{}", mcp.stderr);
}
