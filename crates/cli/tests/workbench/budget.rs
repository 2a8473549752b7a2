//! Messages that do not fit, and what trimming looks like (UI-9, VAL-3, OVF-2, REC-3, REC-4).

use std::path::Path;

use plimsoll_testkit::scripted::Reply;

use crate::bench::Workbench;

/// An answer to the first message, which reports about what was estimated.
fn first() -> Reply {
    Reply::openai(&["fine"], 145, 6)
}

/// A pair of history, and a draft that does not fit beside it into 400 tokens.
fn held(replies: Vec<Reply>, home: impl FnOnce(&Path)) -> Option<Workbench> {
    let replies = [vec![first()], replies].concat();
    let bench = Workbench::at_home(replies, 400, home, |served| {
        served.send(&"word ".repeat(120));
    })?;
    bench.page.insert_text(&"more ".repeat(250)).unwrap();
    bench.says("#notice", "More than the window holds");
    bench.wait("T.one('#gauge').dataset.level === 'over'");
    bench.keys("Enter");
    bench.wait("T.one('dialog[open]')");
    Some(bench)
}

/// Clicks the way out whose words begin so.
#[track_caller]
fn choose(bench: &Workbench, words: &str) {
    let find = "(words) => [...document.querySelectorAll('dialog .btn')]
      .findIndex((button) => button.textContent.toLowerCase().includes(words))";
    let at: i64 = bench.page.apply(find, [words]).unwrap();
    let all: String = bench.js("T.one('dialog').innerText");
    assert!(at >= 0, "{words} in {all}");
    bench
        .page
        .apply::<()>("(at) => document.querySelectorAll('dialog .btn')[at].focus()", [at])
        .unwrap();
    bench.keys("Enter");
}

#[test]
fn ui_9_escape_leaves_everything_as_it_was() {
    let Some(bench) = held(vec![], |_| {}) else { return };
    bench.keys("Escape");
    bench.wait("!T.one('dialog')");
    bench.mode("INPUT");
    assert_eq!(bench.js::<usize>("T.draft().length"), 1250);
    assert_eq!(bench.js::<usize>("T.pairs().length"), 1);
    bench.fine();
}

#[test]
fn ui_9_trim_sends_it_and_ovf_2_what_was_left_out_is_said() {
    let replies = vec![Reply::overflow(400, 500), Reply::openai(&["short"], 260, 6)];
    let Some(bench) = held(replies, |_| {}) else { return };
    choose(&bench, "trim");
    bench.wait("T.pairs().length === 2 && T.state() === 'complete' && T.reply() === 'short'");
    bench.wait("T.draft() === ''");
    bench.counter("[1-1]/1");
    bench.says(".pair .say", "left out");
    bench.fine();
}

#[test]
fn ui_9_fit_leaves_history_ashore() {
    let Some(bench) = held(vec![Reply::openai(&["short"], 260, 6)], |_| {}) else { return };
    choose(&bench, "fit");
    bench.wait("T.pairs().length === 2 && T.state() === 'complete'");
    let sent = bench.sent();
    assert_eq!(sent["messages"].as_array().unwrap().len(), 1, "the message alone");
    bench.fine();
}

#[test]
fn ui_9_another_model_takes_it() {
    let larger = |home: &Path| {
        let file = home.join("models.toml");
        let one = std::fs::read_to_string(&file).unwrap();
        let two = one.replace("\"test\"", "\"large\"").replace("= 400", "= 8192");
        std::fs::write(file, format!("{one}\n{two}")).unwrap();
    };
    let Some(bench) = held(vec![Reply::openai(&["short"], 400, 6)], larger) else { return };
    choose(&bench, "large");
    bench.wait("T.pairs().length === 2 && T.state() === 'complete'");
    bench.wait("T.one('#model').dataset.id === 'large'");
    let sent = bench.sent();
    assert_eq!(sent["model"], "large");
    assert_eq!(sent["messages"].as_array().unwrap().len(), 3, "history goes along");
    bench.fine();
}

#[test]
fn ui_9_clearing_the_history_sends_it_alone() {
    let Some(bench) = held(vec![Reply::openai(&["short"], 260, 6)], |_| {}) else { return };
    choose(&bench, "clear");
    bench.wait("T.pairs().length === 1 && T.state() === 'complete' && T.reply() === 'short'");
    let sent = bench.sent();
    assert_eq!(sent["messages"].as_array().unwrap().len(), 1, "the message alone");
    bench.fine();
}
