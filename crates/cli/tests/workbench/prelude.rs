//! What goes along besides the history, switched off and on where it stands (PAY-3), and an
//! answer that was cut and goes on (SND-4c).

use plimsoll_testkit::scripted::Reply;
use serde_json::{Value, json};

use crate::{
    attachments::{able, chips, paste},
    bench::{Workbench, answer},
};

/// The words of a request by role, and whether tools are offered.
fn roles(sent: &Value) -> (Vec<(String, String)>, bool) {
    let message = |message: &Value| {
        let words = |part: &Value| part.as_str().unwrap_or_default().to_owned();
        (words(&message["role"]), words(&message["content"]))
    };
    (sent["messages"].as_array().unwrap().iter().map(message).collect(), sent["tools"].is_array())
}

#[test]
fn pay_3_a_system_message_that_is_left_out_is_not_sent_and_its_row_says_so() {
    const SYSTEM: &str = "Answer like a harbour master.";
    let Some(bench) = Workbench::prepared([answer("aye")], 4096, |served| {
        let topic = json!({"path": "/General", "systemMessage": SYSTEM});
        served.json("POST", "/api/topics", Some(topic));
        served.json("PUT", "/api/view", Some(json!({"topic": "/General"})));
    }) else {
        return;
    };
    let row = ".prelude[data-part=system]";
    let tokens = format!("Number(T.one('{row} .mono').textContent)");
    let system = || {
        let (messages, _) = roles(&bench.sent());
        messages.into_iter().find(|(role, _)| role == "system").map(|(_, words)| words)
    };
    bench.send("Ahoy.");
    assert_eq!(system().as_deref(), Some(SYSTEM));
    bench.wait(&format!("{tokens} > 0"));
    bench.wait("T.one('#legend').textContent.includes('instructions')");
    bench.click(&format!("{row} summary"));
    bench.says(&format!("{row} pre"), SYSTEM);
    bench.click(&format!("{row} [data-act=system-off]"));
    bench.says(row, "not sent");
    bench.wait(&format!("{tokens} === 0"));
    bench.says(".toast", "no longer sent");
    bench.click("#draft");
    bench.send("And now?");
    assert_eq!(system(), None, "switched off means not sent");
    assert!(!bench.sent().to_string().contains("harbour master"));
    // It stays off, and the row still shows what is left out.
    bench.reload();
    bench.says(row, "not sent");
    bench.click(&format!("{row} summary"));
    bench.says(&format!("{row} pre"), SYSTEM);
    bench.click(&format!("{row} [data-act=system-on]"));
    bench.wait(&format!("{tokens} > 0 && !T.says('{row}', 'not sent')"));
    bench.click("#draft");
    bench.send("Again?");
    assert_eq!(system().as_deref(), Some(SYSTEM));
    bench.fine();
}

/// A random day found it: the line was taken away where there was no pair beside it, and the
/// system message with it.
#[test]
fn pay_3_a_system_message_is_shown_where_no_pair_is() {
    let Some(bench) = Workbench::prepared([answer("aye")], 4096, |served| {
        let topic = json!({"path": "/General", "systemMessage": "Answer like a harbour master."});
        served.json("POST", "/api/topics", Some(topic));
        served.json("PUT", "/api/view", Some(json!({"topic": "/General"})));
        served.send("Ahoy.");
    }) else {
        return;
    };
    bench.says(".prelude[data-part=system]", "System message");
    // From a line behind the pair to one without any.
    let view = |change| bench.served.json("PUT", "/api/view", Some(change));
    view(json!({"contextFrom": "end"}));
    bench.counter("0 / 1");
    view(json!({"filter": "s3"}));
    bench.counter("0 / 0");
    bench.agrees();
    bench.says(".prelude[data-part=system]", "System message");
    view(json!({"filter": ""}));
    bench.counter("0 / 1");
    bench.agrees();
    bench.fine();
}

#[test]
fn pay_3_a_files_section_that_is_left_out_is_not_sent_and_its_row_says_so() {
    let Some(bench) = able([answer("fine")]) else { return };
    bench.types("Keep this ");
    paste(&bench, &[("notes.md", "text/markdown", "the notes")], "");
    chips(&bench, "notes.md: ok");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.draft() === ''");
    bench.send("First.");
    let told = || {
        let (messages, tools) = roles(&bench.sent());
        (messages.iter().any(|(role, words)| role == "system" && words.contains("notes.md")), tools)
    };
    assert_eq!(told(), (true, true));
    bench.says("#files-section", "1 of 1 file");
    bench.click("#files-section summary");
    bench.click("#files-section [data-act=section-off]");
    bench.wait("!T.one('#files-section')");
    bench.says(".prelude[data-part=files]", "not sent");
    bench.says(".toast", "no longer told");
    bench.click("#draft");
    bench.send("Second.");
    assert_eq!(told(), (false, false), "switched off means not sent, tools included");
    // New pairs stand above the row; it can be switched on again there.
    bench.wait("T.last().compareDocumentPosition(T.one('.prelude[data-part=files]')) & 4");
    bench.click(".prelude[data-part=files] [data-act=section-on]");
    bench.says("#files-section", "1 of 1 file");
    bench.click("#draft");
    bench.send("Third.");
    assert_eq!(told(), (true, true));
    bench.fine();
}

#[test]
fn snd_4c_an_answer_that_was_cut_goes_on_by_its_button() {
    let replies = [Reply::openai_cut(&["One, two"]), answer("three.")];
    let Some(bench) = Workbench::open(replies) else { return };
    bench.send("Count to three.");
    bench.says(".pair .acts", "cut by its length");
    bench.types("a draft of mine");
    bench.click(".pair [data-act=continue]");
    bench.wait("T.pairs().length === 2 && T.state() === 'complete' && T.reply() === 'three.'");
    let (messages, _) = roles(&bench.sent());
    let said: Vec<_> =
        messages.iter().map(|(role, words)| (role.as_str(), words.as_str())).collect();
    assert_eq!(said[..2], [("user", "Count to three."), ("assistant", "One, two")]);
    assert_eq!((said.len(), said[2].0), (3, "user"), "{said:?}");
    assert!(said[2].1.starts_with("Continue"), "{said:?}");
    // The whole answer has no such button, and what was being written is still there.
    bench.wait("!T.last().querySelector('[data-act=continue]')");
    assert_eq!(bench.js::<String>("T.draft()"), "a draft of mine");
    bench.fine();
}
