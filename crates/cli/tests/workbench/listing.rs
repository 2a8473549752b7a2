//! FIL-6, the way it was seen: a file that was taken out of the message again is not told to
//! the model, and the model cannot read it.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use plimsoll_testkit::scripted::{Reply, ScriptedServer};
use serde_json::Value;

use crate::{
    attachments::{chips, paste},
    bench::{Workbench, answer},
};

/// What the model must not get to see.
const SECRET: &str = "Ann Secretary,123456";

/// A workbench whose model asks for a file by its id, whatever it is told, and then answers.
fn curious(limits: &str) -> Option<(Workbench, Arc<Mutex<String>>)> {
    let wanted = Arc::new(Mutex::new(String::new()));
    let asked = Arc::clone(&wanted);
    let server = ScriptedServer::answering(move |request| {
        if request.method != "POST" {
            return Reply::model_missing("any");
        }
        let body: Value = serde_json::from_str(&request.body).unwrap();
        let messages = body["messages"].as_array().unwrap();
        match messages.last().unwrap()["role"] == "tool" {
            true => answer("done"),
            false => {
                let id = asked.lock().unwrap().clone();
                Reply::openai_calls("read_file", &format!(r#"{{"file_id":"{id}"}}"#), 14)
            }
        }
    })
    .unwrap();
    let home = |home: &Path| {
        for (name, more) in
            [("models.toml", "tools = true\nvision = true\n"), ("config.toml", limits)]
        {
            let file = home.join(name);
            fs::write(&file, fs::read_to_string(&file).unwrap() + more).unwrap();
        }
    };
    Some((Workbench::before(server, 4096, home, |_| {})?, wanted))
}

/// The id of a file, by its name.
fn id_of(bench: &Workbench, name: &str) -> String {
    bench.js(&format!(
        "fetch('/api/files').then((a) => a.json()).then(({{ files }}) => files.find((f) => f.name === '{name}').id)"
    ))
}

/// Sends a message, lets the model ask for the file, and looks at all that was sent.
#[track_caller]
fn nothing_goes_out(bench: &Workbench, wanted: &Mutex<String>, name: &str) {
    *wanted.lock().unwrap() = id_of(bench, name);
    // With another file listed, the tools are there to be used.
    bench.send("hello");
    let requests = bench.server.requests();
    let bodies: Vec<&str> =
        requests.iter().filter(|one| one.method == "POST").map(|one| one.body.as_str()).collect();
    assert_eq!(bodies.len(), 2, "the model asked for the file");
    for body in &bodies {
        assert!(!body.contains(name) && !body.contains("Secretary"), "{body}");
    }
    assert!(bodies[1].contains("There is no file"), "{}", bodies[1]);
    bench.fine();
}

/// A file that is there to be told of, so that the tools are offered.
fn with_another(bench: &Workbench) {
    bench.view();
    bench.keys("f");
    bench.wait("T.panel() === 'Files'");
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("notes.txt");
    fs::write(&path, "the hull is sound").unwrap();
    bench.page.drop_files("#panel", &[path]).unwrap();
    bench.says(".files li[data-id]", "notes.txt");
    bench.wait("!T.says('.files li[data-id]', 'not listed')");
    bench.says("#files-section", "1 of 1 file");
    bench.keys("f");
    bench.wait("T.panel() === null");
    bench.click("#draft");
}

#[test]
fn fil_6_a_file_that_was_removed_is_not_told_and_not_read() {
    let Some((bench, wanted)) = curious("") else { return };
    with_another(&bench);
    paste(&bench, &[("salary.csv", "text/csv", SECRET)], "");
    chips(&bench, "salary.csv: ok");
    // What it brings is listed with it, as it would be sent.
    bench.says("#files-section", "2 of 2 files");
    bench.click("#chips [data-chip=remove]");
    chips(&bench, "");
    bench.says("#files-section", "1 of 1 file");
    nothing_goes_out(&bench, &wanted, "salary.csv");
}

#[test]
fn fil_6_a_file_whose_label_was_deleted_is_not_told_and_not_read() {
    let Some((bench, wanted)) = curious("") else { return };
    with_another(&bench);
    paste(&bench, &[("salary.csv", "text/csv", SECRET)], "");
    chips(&bench, "salary.csv: ok");
    bench.keys("Ctrl+A Delete");
    chips(&bench, "");
    nothing_goes_out(&bench, &wanted, "salary.csv");
}

#[test]
fn fil_6_a_too_large_file_that_was_left_out_is_not_told_and_not_read() {
    let Some((bench, wanted)) = curious("fileLimitText = \"1 KB\"\n") else { return };
    with_another(&bench);
    paste(&bench, &[("salary.csv", "text/csv", &format!("{SECRET}\n").repeat(100))], "");
    bench.says("dialog", "salary.csv");
    bench.keys("Escape");
    bench.wait("!T.one('dialog') && T.draft().trim() === ''");
    nothing_goes_out(&bench, &wanted, "salary.csv");
}

#[test]
fn fil_6_the_whole_of_a_file_is_not_read_where_its_first_part_was_attached() {
    let Some((bench, wanted)) = curious("fileLimitText = \"1 KB\"\n") else { return };
    with_another(&bench);
    let text = "a line that may be seen\n".repeat(80) + SECRET;
    paste(&bench, &[("salary.csv", "text/csv", &text)], "");
    bench.click("dialog [value=head]");
    bench.wait(
        "!T.one('dialog') && document.querySelectorAll('#chips > li[data-state=ok]').length === 1",
    );
    *wanted.lock().unwrap() = id_of(&bench, "salary.csv");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete'");
    let requests = bench.server.requests();
    let bodies: Vec<&str> =
        requests.iter().filter(|one| one.method == "POST").map(|one| one.body.as_str()).collect();
    assert_eq!(bodies.len(), 2);
    for body in &bodies {
        assert!(body.contains("a line that may be seen") && !body.contains("Secretary"), "{body}");
        assert!(!body.contains(&format!("file_id: {}", wanted.lock().unwrap())), "{body}");
    }
    assert!(bodies[1].contains("There is no file"), "{}", bodies[1]);
    bench.fine();
}

/// FIL-6: the chip beside the section says whose files are listed, and chooses others.
#[test]
fn fil_6_the_chip_says_whose_files_are_listed_and_the_request_follows() {
    let home = |home: &Path| {
        let file = home.join("models.toml");
        let models = fs::read_to_string(&file).unwrap();
        fs::write(file, format!("{models}tools = true\n")).unwrap();
        fs::write(home.join("config.toml"), "defaultModel = \"test\"\n").unwrap();
    };
    let Some(bench) = Workbench::at_home([answer("fine")], 32_768, home, |_| {}) else { return };
    let attach_and_send = |name: &str| {
        bench.click("#draft");
        bench.types(name);
        paste(&bench, &[(name, "text/plain", "the same words")], "");
        chips(&bench, &format!("{name}: ok"));
        bench.keys("Enter");
        bench.wait("T.state() === 'complete' && T.draft() === ''");
    };
    attach_and_send("there.txt");
    bench.click("#new-chat");
    bench.wait("T.pairs().length === 0 && T.one('#counter b')");
    assert!(!bench.js::<bool>("T.shown('#files-section')"), "nothing was sent in this one");
    attach_and_send("here.txt");
    bench.says("#files-section", "1 of 1 file");
    bench.says(".files-scope", "of this conversation");
    let choose = |words: &str| {
        bench.click(".files-scope");
        bench.wait("T.shown('.menu[role=listbox]')");
        bench.types(words);
        bench.keys("Enter");
        bench.says(".files-scope", words);
        bench.agrees();
        bench.click("#draft");
    };
    let told = || {
        let sent = bench.sent();
        let late = sent["messages"].as_array().unwrap().iter().rev();
        let late = late.filter(|one| one["role"] == "system").map(|one| one["content"].to_string());
        let section: String = late.collect();
        ["here.txt", "there.txt"].map(|name| section.contains(&format!("- {name} (")))
    };
    for (words, expected) in [
        ("all messages", [true, true]),
        ("pinned", [false, false]),
        ("none", [false, false]),
        ("in scope", [true, false]),
    ] {
        if words == "in scope" {
            // In a conversation that is what the chip calls it.
            bench.click(".files-scope");
            bench.wait("T.shown('.menu[role=listbox]')");
            bench.types(words);
            bench.keys("Enter");
            bench.says(".files-scope", "of this conversation");
            bench.click("#draft");
        } else {
            choose(words);
        }
        bench.send(words);
        assert_eq!(told(), expected, "{words}");
        assert_eq!(bench.sent()["tools"].is_array(), words != "none" && words != "pinned");
    }
    // It belongs to the conversation, and is there again after a reload.
    choose("all messages");
    bench.reload();
    bench.says(".files-scope", "of all messages");
    bench.accessible("the scope of files");
    bench.fine();
}
