//! A message from the box to its answer (UI-1, UI-4, SND-1 to SND-3), and stopping it.

use std::time::Duration;

use plimsoll_testkit::scripted::{Gate, Reply, Step};

use crate::bench::{Workbench, after, answer};

const LONG: Duration = Duration::from_secs(30);

/// UI-13: the first page explains itself, and nothing needs a key.
#[test]
fn ui_4_a_message_is_sent_and_its_answer_streams_in() {
    let (silent, half) = (Gate::default(), Gate::default());
    let streamed = Reply::openai_open(&["A mark "]).gate(&half).openai_more(&["on **the** hull."]);
    let reply = after([Step::Gate(silent.clone())], &streamed.openai_end(14, 6));
    let Some(bench) = Workbench::open([reply]) else { return };
    bench.mode("INPUT");
    bench.wait("T.shown('#welcome')");
    bench.counter("0 / 0");
    bench.types("What is a load line?");
    bench.wait("T.one('#aut').textContent !== '0'");
    bench.keys("Enter");
    // Before the first byte: the question with a badge, no empty answer, Cancel for Send.
    bench.wait("T.asked() === 'What is a load line?' && T.state() === 'sending'");
    bench.wait("T.shown('.pair .think') && T.one('.pair .think').textContent !== ''");
    bench.wait("T.one('#send').textContent === 'Cancel' && T.draft() === ''");
    bench.wait("!T.shown('.pair .a') && !T.shown('#welcome')");
    bench.mode("INPUT");
    silent.open();
    bench.wait("T.reply() === 'A mark' && !T.shown('.pair .think')");
    // The box stays open while the answer comes.
    bench.types("next");
    half.open();
    bench.wait("T.state() === 'complete' && T.reply() === 'A mark on the hull.'");
    bench.wait(
        "T.one('.pair .a strong').textContent === 'the' && T.one('#send').textContent === 'Send'",
    );
    bench.says(".pair .meta", "14 used");
    bench.counter("1 / 1");
    assert_eq!(bench.js::<String>("T.draft()"), "next");
    let sent = bench.sent();
    assert_eq!(sent["messages"][0]["content"], "What is a load line?");
    bench.fine();
}

#[test]
fn ui_2_shift_enter_is_a_new_line_and_an_input_method_never_sends() {
    let Some(bench) = Workbench::open([answer("fine")]) else { return };
    bench.types("one");
    bench.keys("Shift+Enter");
    bench.types("two ");
    bench.page.compose(&["に", "にほ", "にほん"], "日本").unwrap();
    bench.wait("T.draft() === 'one\\ntwo 日本'");
    bench.page.settle().unwrap();
    assert_eq!(bench.js::<usize>("T.pairs().length"), 0, "nothing was sent");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.draft() === ''");
    let sent = bench.sent();
    assert_eq!(sent["messages"][0]["content"], "one\ntwo 日本");
    // Earlier prompts come back by the arrow, and what was being written after them.
    bench.types("now");
    bench.keys("ArrowUp");
    bench.wait("T.draft() === 'one\\ntwo 日本'");
    bench.keys("ArrowDown");
    bench.wait("T.draft() === 'now'");
    bench.fine();
}

#[test]
fn snd_2_or_queues_it_where_the_setting_says_so() {
    let half = Gate::default();
    let slow = Reply::openai_open(&["one "]).gate(&half).openai_more(&["two"]).openai_end(9, 2);
    let Some(bench) = Workbench::open([slow, answer("three")]) else { return };
    let on = Some(serde_json::json!({ "value": "on" }));
    bench.served.json("PUT", "/api/settings/queueWhileSending", on);
    bench.reload();
    bench.types("first");
    bench.keys("Enter");
    bench.wait("T.reply() === 'one'");
    bench.types("second");
    bench.keys("Enter");
    bench.says("#notice", "Queued");
    assert_eq!(bench.js::<String>("T.draft()"), "second", "it can still be changed");
    half.open();
    bench.wait("T.pairs().length === 2 && T.reply() === 'three' && T.draft() === ''");
    bench.fine();
}

#[test]
fn snd_2_enter_while_sending_keeps_the_draft_and_says_why() {
    let gate = Gate::default();
    let reply = Reply::openai_open(&["half "]).gate(&gate).openai_end(14, 6);
    let Some(bench) = Workbench::open([reply]) else { return };
    bench.types("first");
    bench.keys("Enter");
    bench.wait("T.reply() === 'half'");
    bench.types("second");
    bench.keys("Enter");
    bench.says("#notice", "One message at a time");
    assert_eq!(bench.js::<String>("T.draft()"), "second");
    gate.open();
    bench.wait("T.state() === 'complete' && !T.says('#notice', 'One message')");
    bench.keys("Enter");
    bench.wait("T.pairs().length === 2 && T.state() === 'complete' && T.draft() === ''");
    bench.fine();
}

/// Sends, and waits until half of an answer is there that never goes on.
fn half_way() -> Option<Workbench> {
    let bench = Workbench::open([Reply::stalls_after(&["half "])])?;
    bench.types("ask");
    bench.keys("Enter");
    bench.wait("T.reply() === 'half'");
    Some(bench)
}

/// What a cancelled pair looks like, on the page and at the provider.
#[track_caller]
fn cancelled(bench: &Workbench) {
    bench.wait("T.state() === 'cancelled' && T.reply() === 'half'");
    bench.says(".pair .stopped", "what had arrived is kept");
    bench.wait("T.one('#send').textContent === 'Send'");
    assert!(bench.server.wait_for_hang_up(LONG), "the call goes on");
    bench.fine();
}

#[test]
fn snd_4_ctrl_c_cancels_when_nothing_is_selected() {
    let Some(bench) = half_way() else { return };
    bench.types("keep me");
    bench.keys("Ctrl+A Ctrl+C");
    bench.page.settle().unwrap();
    assert_eq!(bench.js::<String>("T.state()"), "sending", "a selection is copied");
    bench.keys("End Ctrl+C");
    cancelled(&bench);
    assert_eq!(bench.js::<String>("T.draft()"), "keep me");
}

#[test]
fn snd_4_x_in_view_cancels_and_escape_never_does() {
    let Some(bench) = half_way() else { return };
    bench.keys("Escape");
    bench.mode("VIEW");
    bench.keys("Escape");
    bench.mode("COMMAND");
    bench.keys("Escape");
    bench.mode("VIEW");
    assert_eq!(bench.js::<String>("T.state()"), "sending");
    assert!(bench.server.hung_up().is_empty());
    bench.keys("x");
    cancelled(&bench);
    bench.mode("VIEW");
}

#[test]
fn snd_4_the_button_cancels() {
    let Some(bench) = half_way() else { return };
    bench.click("#send");
    cancelled(&bench);
}
