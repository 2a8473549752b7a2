//! *Continue* under an answer that its length cut (SND-4c): what it sends is what the page marks
//! for it, whatever the draft holds.

use plimsoll_testkit::scripted::Reply;
use serde_json::json;

use crate::{
    attachments::{chips, paste},
    bench::{Workbench, answer},
    honest::{DEAF, asked},
};

#[test]
fn snd_4c_continue_says_what_sends_it_when_the_page_was_behind() {
    let replies = [answer("fine"), Reply::openai_cut(&["One, two"]), answer("three.")];
    let Some(bench) = Workbench::prepared(replies, 4096, |served| {
        served.send("first");
        served.send("Count to three.");
    }) else {
        return;
    };
    let behind = bench.tab();
    behind.page.before_load(DEAF).unwrap();
    behind.reload();
    let id: String = behind.js("T.pairs()[0].dataset.id");
    bench.served.json("DELETE", &format!("/api/pairs/{id}"), None);
    let calls = bench.calls();
    behind.click(".pair [data-act=continue]");
    behind.says("#notice", "“Continue” sends what is shown");
    assert_eq!(bench.calls(), calls);
    behind.click(".pair [data-act=continue]");
    let post = behind.post(1);
    assert_eq!((post.status, post.marked), (202, vec!["Count to three.".to_owned()]));
    bench.agrees();
    assert_eq!(asked(&bench.sent()), ["Count to three."]);
}

/// A file of the draft that is listed nowhere else makes the prelude of the draft larger, and
/// its history shorter. How many pairs go along without it.
fn cut_answer_and_a_file() -> Option<(Workbench, usize)> {
    let able = |home: &std::path::Path| {
        let file = home.join("models.toml");
        let models = std::fs::read_to_string(&file).unwrap();
        std::fs::write(file, format!("{models}tools = true\n")).unwrap();
    };
    let long = "a pair of some length ".repeat(60).trim_end().to_owned();
    let mut replies = vec![answer("fine"); 20];
    replies.push(Reply::openai_cut(&["One, two"]));
    replies.push(answer("three."));
    let bench = Workbench::at_home(replies, 4096, able, |served| {
        for n in 0..20 {
            served.send(&format!("{n} {long}"));
        }
        served.send("Count to three.");
    })?;
    let alone: usize = bench.js("Number(T.pane().dataset.x)");
    paste(&bench, &[("notes.md", "text/markdown", "a note")], "");
    chips(&bench, "notes.md: ok");
    bench.says("#files-section", "1 of 1 file");
    bench.wait(&format!("Number(T.pane().dataset.x) < {alone}"));
    Some((bench, alone))
}

/// What would go along is asked for again when something changes on the page: *Continue* waits for
/// the newest answer, and does not take the marks of the draft for its own.
#[test]
fn snd_4c_continue_goes_though_its_marks_are_asked_for_twice() {
    let Some((bench, alone)) = cut_answer_and_a_file() else { return };
    bench.js::<()>("T.hold('/api/preview')");
    bench.click(".pair [data-act=continue]");
    bench.wait("T.waiting.length === 1");
    bench.served.json("PUT", "/api/settings/warnAt", Some(json!({ "value": "70" })));
    bench.wait("T.waiting.length === 2");
    bench.js::<()>("T.waiting.shift()()");
    bench.page.settle().unwrap();
    bench.js::<()>("T.letGo()");
    assert_eq!(bench.post(0).status, 202);
    bench.wait("T.reply() === 'three.'");
    assert_eq!(asked(&bench.sent()).len(), alone);
}

/// *Continue* goes without the file, so with more.
#[test]
fn snd_4c_continue_goes_though_the_draft_holds_a_file_that_makes_room_for_less() {
    let Some((bench, alone)) = cut_answer_and_a_file() else { return };
    let calls = bench.calls();
    bench.click(".pair [data-act=continue]");
    let post = bench.post(0);
    assert_eq!(post.status, 202, "{}", post.body);
    bench.wait("T.reply() === 'three.' && !document.body.classList.contains('sending')");
    assert_eq!(bench.calls(), calls + 1);
    let went = asked(&bench.sent());
    assert_eq!(went.len(), alone, "without the file");
    assert!(went.ends_with(&post.marked), "all rows that are loaded are marked as they went");
    assert!(!bench.server.requests().last().unwrap().body.contains("notes.md"));
    // The file is still in the draft, and the page shows what would go with it.
    chips(&bench, "notes.md: ok");
    bench.agrees();
    bench.fine();
}
