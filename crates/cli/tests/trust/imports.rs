//! Exports of somebody else that want much memory (REL-7): one record of them is bad, and the
//! others are taken.

use std::{
    fmt::Write as _,
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use plimsoll_testkit::real::{skipped, times};
use serde_json::{Value, json};

use crate::measures::most_memory;

/// Imports a file into a store of its own. Gives what was said, and the most memory it took.
fn import(file: &Path) -> (Value, String, Option<u64>) {
    let home = tempfile::tempdir().unwrap();
    let said = home.path().join("said");
    let told = home.path().join("told");
    let mut child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["import", "--skip-bad", "--json"])
        .arg(file)
        .env("PLIMSOLL_CONFIG_DIR", home.path())
        .env("PLIMSOLL_DATA_DIR", home.path().join("data"))
        .stdin(Stdio::null())
        .stdout(fs::File::create(&said).unwrap())
        .stderr(fs::File::create(&told).unwrap())
        .spawn()
        .unwrap();
    // The system forgets it with the process, so it is asked again and again. It never falls.
    let mut most = None;
    let status = loop {
        most = most_memory(child.id()).or(most);
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let told = fs::read_to_string(&told).unwrap();
    assert!(status.success(), "{told}");
    (serde_json::from_str(&fs::read_to_string(&said).unwrap()).unwrap(), told, most)
}

/// The same value so often that it has so many bytes, between commas.
fn many(value: &str, bytes: usize) -> String {
    let mut all = format!("{value},").repeat(bytes / (value.len() + 1));
    all.pop();
    all
}

fn numbered(bytes: usize, mut each: impl FnMut(&mut String, usize)) -> String {
    let mut all = String::with_capacity(bytes + 64);
    let mut nth = 0;
    while all.len() < bytes {
        each(&mut all, nth);
        nth += 1;
    }
    all.pop();
    all
}

/// A conversation of somebody with one question and one answer.
fn chatgpt(id: &str) -> String {
    json!({"id": id, "title": id, "current_node": "2", "mapping": {
        "1": {"message": {"author": {"role": "user"}, "content": {"parts": ["Question"]}}},
        "2": {"parent": "1",
              "message": {"author": {"role": "assistant"}, "content": {"parts": ["Answer"]}}},
    }})
    .to_string()
}

fn claude(id: &str) -> String {
    json!({"uuid": id, "chat_messages": [
        {"sender": "human", "text": "Question"}, {"sender": "assistant", "text": "Answer"},
    ]})
    .to_string()
}

fn messages(id: &str) -> String {
    json!({"messages": [{"role": "user", "content": id}, {"role": "assistant", "content": "A"}]})
        .to_string()
}

fn wrapped(bytes: usize, value: &str, before: &str, after: &str) -> String {
    format!("{before}{}{after}", many(value, bytes))
}

/// What it is, what the records around it are like, and it.
type Case = (&'static str, fn(&str) -> String, String);

/// What is bad in each format.
fn bombs(bytes: usize) -> Vec<Case> {
    let nodes = |value: &str| {
        let nodes = numbered(bytes, |all, nth| write!(all, "\"{nth:x}\":{value},").unwrap());
        format!("{{\"mapping\":{{{nodes}}}}}")
    };
    let part =
        "{\"mapping\":{\"a\":{\"message\":{\"author\":{\"role\":\"user\"},\"content\":{\"parts\":[";
    let block = "{\"chat_messages\":[{\"sender\":\"human\",\"content\":[";
    let content = "{\"messages\":[{\"role\":\"user\",\"content\":[";
    let list = "{\"messages\":[";
    let long = json!({"messages": [said(&words(20_000_000))]}).to_string();
    vec![
        ("a text that is too long", messages, long),
        ("nodes", chatgpt, nodes("{}")),
        ("nodes as lists", chatgpt, nodes("[null,null]")),
        ("parts", chatgpt, wrapped(bytes, "{}", part, "]}}}}}")),
        ("nested parts", chatgpt, wrapped(bytes, "{\"a\":[{}]}", part, "]}}}}}")),
        ("blocks", claude, wrapped(bytes, "{}", block, "]}]}")),
        ("contents", messages, wrapped(bytes, "{}", content, "]}]}")),
        ("many messages", messages, wrapped(bytes, "{\"role\":\"user\"}", list, "]}")),
        ("a time", messages, wrapped(bytes, "[]", "{\"messages\":[],\"created_at\":[", "]}")),
    ]
}

/// Words of so many bytes.
fn words(bytes: usize) -> String {
    "word ".repeat(bytes / 5)
}

fn said(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

/// Records that are large, and good.
fn large(bytes: usize) -> Vec<Case> {
    let one = json!({"mapping": {"a": {"message": {
        "author": {"role": "user"}, "content": {"parts": [words(16_000_000)]}}}}});
    let four = json!({"messages": vec![said(&words(bytes / 4)); 4]});
    // Just below the bound.
    let turns = (0..30_000).map(|n| format!("{{\"role\":\"user\",\"content\":\"{n}\"}}"));
    let turns = turns.collect::<Vec<_>>().join(",");
    let long = "m".repeat(bytes / 2);
    let named = (0..2_000).map(|n| format!("{{\"role\":\"user\",\"content\":\"{n}\"}}"));
    let named = named.collect::<Vec<_>>().join(",");
    vec![
        ("one long text", chatgpt, one.to_string()),
        ("four long texts", messages, four.to_string()),
        ("many short turns", messages, format!("{{\"messages\":[{turns}]}}")),
        (
            "a long name of a model",
            messages,
            format!("{{\"model\":\"{long}\",\"messages\":[{named}]}}"),
        ),
    ]
}

#[allow(clippy::print_stdout, reason = "the figures are what people run it for")]
#[test]
fn rel_7_one_record_of_an_import_takes_no_huge_memory() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("export.json");
    fs::write(&file, format!("[{},{}]", chatgpt("one"), chatgpt("two"))).unwrap();
    let (_, _, usual) = import(&file);
    let bytes = times(16, 60) as usize * 1_000_000;
    let cases = bombs(bytes).into_iter().map(|case| (case, true));
    let cases = cases.chain(large(bytes).into_iter().map(|case| (case, false)));
    for ((name, other, record), bad) in cases {
        let length = record.len();
        fs::write(&file, format!("[{},{record},{}]", other("one"), other("two"))).unwrap();
        drop(record);
        let (imported, told, most) = import(&file);
        assert_eq!(imported["skipped"], u64::from(bad), "{name}: {imported}");
        let new = imported["newPairs"].as_u64().unwrap();
        assert!(if bad { new == 2 } else { new > 2 }, "{name}: {imported}");
        let why = told.contains("would fill the memory") || told.contains("longer than 16 MB");
        assert_eq!(why, bad, "{name}: {told}");
        let (Some(usual), Some(most)) = (usual, most) else {
            return skipped("the memory of a process cannot be seen here");
        };
        let grown = most.saturating_sub(usual);
        println!("{name}: {} MB more for {} MB", grown >> 20, length >> 20);
        let bound = (64 << 20) + 3 * length as u64;
        assert!(grown <= bound, "{name}: {} MB more for {} MB", grown >> 20, length >> 20);
    }
}
