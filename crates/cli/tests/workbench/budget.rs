//! Messages that do not fit, and what trimming looks like (UI-9, VAL-3, OVF-2, REC-3, REC-4).

use std::path::Path;

use plimsoll_testkit::scripted::{Gate, Reply, Step};

use crate::bench::{Workbench, after};

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
pub(crate) fn choose(bench: &Workbench, words: &str) {
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

/// A server that cuts in silence never refuses, so the first choice makes it fit before.
#[test]
fn val_3_the_first_choice_makes_the_request_fit() {
    let Some(bench) = held(vec![Reply::openai(&["short"], 260, 6)], |_| {}) else { return };
    bench.wait("document.activeElement.textContent === 'Fit first'");
    bench.wait("document.activeElement.classList.contains('pri')");
    bench.keys("Enter");
    bench.wait("T.pairs().length === 2 && T.state() === 'complete'");
    assert_eq!(bench.sent()["messages"].as_array().unwrap().len(), 1, "the message alone");
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

/// A home with a model whose window is larger.
fn with_large(home: &Path) {
    let file = home.join("models.toml");
    let one = std::fs::read_to_string(&file).unwrap();
    let two = one.replace("\"test\"", "\"large\"").replace("= 400", "= 8192");
    std::fs::write(file, format!("{one}\n{two}")).unwrap();
}

/// PAY-6: pairs that go along with another model, and were not marked when Enter was pressed, are
/// shown first.
#[test]
fn pay_6_another_model_that_takes_more_pairs_is_looked_at_first() {
    let talk = |served: &crate::served::Served| {
        for _ in 0..6 {
            served.send(&"word ".repeat(60));
        }
    };
    let Some(bench) = Workbench::at_home([Reply::openai(&["fine"], 0, 6)], 400, with_large, talk)
    else {
        return;
    };
    bench.page.insert_text(&"more ".repeat(250)).unwrap();
    bench.says("#notice", "More than the window holds");
    bench.wait("T.one('.pair.ooc')");
    bench.keys("Enter");
    bench.wait("T.one('dialog[open]')");
    let calls = bench.calls();
    choose(&bench, "large");
    bench.says("#notice", "other pairs go along now");
    bench.wait("!T.one('.pair.ooc') && T.one('#model').dataset.id === 'large'");
    assert_eq!(bench.calls(), calls);
    bench.keys("Enter");
    bench.wait("T.pairs().length === 7 && T.state() === 'complete'");
    assert_eq!(bench.sent()["messages"].as_array().unwrap().len(), 13);
    bench.fine();
}

#[test]
fn ui_9_another_model_takes_it() {
    let Some(bench) = held(vec![Reply::openai(&["short"], 400, 6)], with_large) else { return };
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
    bench.wait("T.pairs().length === 2 && T.state() === 'complete' && T.reply() === 'short'");
    let sent = bench.sent();
    assert_eq!(sent["messages"].as_array().unwrap().len(), 1, "the message alone");
    // UI-17: what stood before is still there to read, before the line.
    bench.says("#load", "set by hand");
    bench.fine();
}

/// A home whose model states no window.
fn no_window(home: &Path) {
    let file = home.join("models.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("contextWindow")).collect();
    std::fs::write(file, kept.join("\n") + "\n").unwrap();
}

/// CAT-4, VAL-1: a message above the assumed window is asked about, "assumed" is said, and the
/// window can be set right there.
#[test]
fn cat_4_an_assumed_window_asks_and_can_be_set_in_the_dialog() {
    let replies = vec![Reply::openai(&["fine"], 9020, 6)];
    let Some(bench) = Workbench::at_home(replies, 400, no_window, |_| {}) else { return };
    bench.page.insert_text(&"word ".repeat(9000)).unwrap();
    bench.says("#notice", "More than the window holds");
    bench.keys("Enter");
    bench.says("dialog h2", "holds 8,192 (assumed: its window is not known)");
    bench.says("dialog .btn", "Send anyway");
    choose(&bench, "set this model's window");
    bench.says("dialog h2", "How large is the window of test?");
    bench.keys("Ctrl+A");
    bench.types("32768");
    bench.keys("Enter");
    bench.wait("T.pairs().length === 1 && T.state() === 'complete' && T.reply() === 'fine'");
    let models = std::fs::read_to_string(bench.served.home().join("models.toml")).unwrap();
    assert!(models.contains("contextWindow = 32768"), "{models}");
    bench.fine();
}

/// CAT-4: or it is simply sent, and the provider decides.
#[test]
fn cat_4_above_an_assumed_window_it_can_be_sent_anyway() {
    let replies = vec![Reply::openai(&["fine"], 9020, 6)];
    let Some(bench) = Workbench::at_home(replies, 400, no_window, |_| {}) else { return };
    bench.page.insert_text(&"word ".repeat(9000)).unwrap();
    bench.keys("Enter");
    bench.wait("T.one('dialog[open]')");
    choose(&bench, "send anyway");
    bench.wait("T.pairs().length === 1 && T.state() === 'complete' && T.reply() === 'fine'");
    bench.fine();
}

/// CAT-3: an absurd limit of an error is told wherever it binds, and *Forget* is beside it:
/// in the panel of models, in the details, and in the dialog, which then sends.
#[test]
fn cat_3_a_learned_limit_is_told_and_forgotten_where_it_binds() {
    let gate = Gate::default();
    let slow = after([Step::Gate(gate.clone())], &Reply::overflow(10, 50));
    let replies = vec![slow, Reply::openai(&["fine"], 30, 6)];
    let Some(bench) = Workbench::at_home(replies, 400, no_window, |_| {}) else { return };
    bench.types("first");
    bench.keys("Enter");
    // The list of models is open before anything was learned, and follows.
    bench.view();
    bench.keys("M");
    bench.wait("T.panel() === 'Models'");
    bench.page.settle().unwrap();
    assert!(!bench.js::<bool>("T.says('#panel summary', 'learned')"));
    gate.open();
    bench.wait("T.pairs().length === 1 && T.state() === 'error'");
    bench.says("#panel summary", "10 learned");
    bench.says("#panel .models p", "learned from the provider on");
    bench.wait("T.one('#panel .models li > p .btn').textContent === 'Forget'");
    bench.keys("Escape");
    bench.click("#counter");
    bench.says("#hud .btn", "Forget what was learned");
    bench.click("#draft");
    bench.types("a message of more than ten tokens, whoever counts them, is this");
    bench.keys("Enter");
    bench.says("dialog h2", "holds 10 (learned from the provider on");
    choose(&bench, "forget the learned limit");
    bench.wait("T.pairs().length === 2 && T.state() === 'complete' && T.reply() === 'fine'");
    let models = bench.served.json("GET", "/api/models", None);
    let test = models["models"].as_array().unwrap().iter().find(|one| one["id"] == "test");
    assert_eq!(test.unwrap()["binds"], "assumed", "it is forgotten");
    bench.fine();
}

/// CAT-3: a learned limit that only moves the line is told there too, with a way to forget it.
#[test]
fn cat_3_a_learned_limit_is_told_and_forgotten_on_the_line() {
    let replies = vec![
        Reply::openai(&["fine"], 0, 6),
        Reply::openai(&["fine"], 0, 6),
        Reply::overflow(60, 90),
        Reply::openai(&["fine"], 0, 6),
    ];
    let talk = |served: &crate::served::Served| {
        for _ in 0..3 {
            served.send(&"word ".repeat(20));
        }
    };
    let small = |home: &Path| {
        no_window(home);
        let file = home.join("config.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(file, text + "userRequestAllowance = 5\nreplyReserve = \"0\"\n").unwrap();
    };
    let Some(bench) = Workbench::at_home(replies, 400, small, talk) else { return };
    bench.says("#load", "ashore");
    bench.says("#load", "the limit of 60 tokens is learned from the provider on");
    bench.click("#load [data-act=forget-learned]");
    bench.wait("T.pairs().every((pair) => !pair.classList.contains('ooc'))");
    bench.wait("!T.one('#load').textContent.includes('learned') && !T.shown('#load .forget')");
    bench.fine();
}

/// VAL-2: history fills the window by design. That alarms nobody, says nothing while there is
/// nothing to send, and is said quietly before a message that fits is sent.
#[test]
fn val_2_a_window_full_of_history_is_no_alarm() {
    let talk = |served: &crate::served::Served| {
        for _ in 0..11 {
            served.send(&"word ".repeat(20));
        }
    };
    // A report of nothing teaches nothing.
    let replies = vec![Reply::openai(&["fine"], 0, 6)];
    let small = |home: &Path| {
        let file = home.join("config.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(file, text + "userRequestAllowance = 20\nreplyReserve = \"10\"\n").unwrap();
    };
    let Some(bench) = Workbench::at_home(replies, 300, small, talk) else { return };
    bench.wait("Number.parseFloat(T.one('#legend .r').textContent) > 80");
    assert!(bench.js::<bool>("T.one('#notice').hidden"), "an empty draft is not warned of");
    assert_eq!(bench.js::<String>("T.one('#gauge').dataset.level"), "ok");
    bench.types("hello");
    bench.says("#notice", "as planned. This message fits.");
    assert_eq!(bench.js::<String>("T.one('#notice').dataset.level"), "info");
    bench.keys("Ctrl+A Delete");
    bench.wait("T.one('#notice').hidden");
    bench.page.insert_text(&"more ".repeat(22)).unwrap();
    bench.says("#notice", "It can be sent.");
    bench.wait("T.one('#notice').dataset.level === 'warn'");
    bench.fine();
}

/// BND-7: the newest pair alone does not fit, and the line says so.
#[test]
fn bnd_7_nothing_aboard_is_explained() {
    let long = "word ".repeat(500);
    let replies = vec![Reply::openai(&[&long], 20, 500), Reply::openai(&["short"], 20, 6)];
    let Some(bench) = Workbench::prepared(replies, 300, |_| {}) else { return };
    bench.send("write a lot");
    let words = "the newest pair alone does not fit, so nothing of the history is sent";
    bench.says("#load", words);
    bench.reload();
    bench.says("#load", words);
    bench.send("briefly");
    bench.wait("!T.one('#load').textContent.includes('does not fit')");
    bench.fine();
}

/// EST-9: what an estimate rests on, and how far it may be off, is told beside it.
#[test]
fn est_9_the_details_tell_the_band_and_its_basis() {
    let replies = vec![Reply::openai(&["fine"], 40, 6)];
    let Some(bench) = Workbench::prepared(replies, 4096, |served| {
        for _ in 0..5 {
            served.send("the same words again");
        }
    }) else {
        return;
    };
    bench.click("#counter");
    bench.says("#hud dd", "learned from 5 answers");
    bench.says("#hud dt", "offset · slope");
    bench.wait("T.one('#legend .r').title.includes(' ± ')");
    bench.click("#hud .btn");
    choose(&bench, "yes");
    bench.says("#hud dd", "a rough estimate");
    bench.fine();
}

/// LIM-3: the first part that is offered can be sent.
#[test]
fn lim_3_the_first_part_that_is_offered_can_be_sent() {
    let replies = vec![Reply::openai(&["fine"], 3500, 6)];
    let Some(bench) = Workbench::prepared(replies, 4096, |_| {}) else { return };
    let bytes = "17;2024-03-04;ü;0.125\n".repeat(1200);
    bench.page.paste_file("data.csv", "text/csv", bytes.as_bytes()).unwrap();
    bench.wait("T.one('dialog[open]')");
    bench.click("dialog [value=head]");
    bench.wait("!T.one('dialog')");
    bench.click("#draft");
    bench.types("sum");
    bench.wait("!T.says('#notice', 'More than the window holds')");
    bench.keys("Enter");
    bench.wait("T.pairs().length === 1 && T.state() === 'complete'");
    let sent = bench.sent().to_string();
    assert!(sent.contains("[cut: the first "), "{sent}");
    bench.fine();
}
