//! No keystroke is taken for something else, and none is lost (UI-16, SND-2).

use plimsoll_testkit::scripted::{Gate, Reply};
use serde_json::json;

use crate::bench::{Workbench, answer, tall};

/// After an answer that is taller than the pane: VIEW, its first line at the top (UI-5).
fn after_a_tall_reply() -> Option<Workbench> {
    let bench = Workbench::prepared([answer(&tall()), answer("fine")], 8192, |_| {})?;
    bench.types("Tell me.");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.draft() === ''");
    bench.mode("VIEW");
    bench.wait("T.current() === 0 && document.activeElement === T.last()");
    Some(bench)
}

/// Nothing happened but that somebody writes.
#[track_caller]
fn only_wrote(bench: &Workbench, text: &str) {
    bench.mode("INPUT");
    assert_eq!(bench.js::<String>("T.draft()"), text);
    assert!(bench.js::<bool>(
        "!T.one('dialog') && T.panel() === null && !T.shown('#hud') && !T.one('form.edit')"
    ));
    assert_eq!(bench.js::<usize>("T.pairs().length"), 1);
    bench.fine();
}

#[test]
fn ui_16_typing_after_a_tall_reply_writes_the_message() {
    let Some(bench) = after_a_tall_reply() else { return };
    bench.types("does that also explain retries?");
    only_wrote(&bench, "does that also explain retries?");
    bench.keys("Enter");
    bench.wait("T.asked() === 'Tell me.|does that also explain retries?'");
}

#[test]
fn ui_16_typing_after_a_click_in_the_history_writes_the_message() {
    let Some(bench) = after_a_tall_reply() else { return };
    bench.click("#history .pair .a p");
    bench.mode("VIEW");
    // Space writes too, and does not scroll.
    let at: f64 = bench.js("T.pane().scrollTop");
    bench.types(" 3 */?");
    only_wrote(&bench, " 3 */?");
    assert_eq!(bench.js::<f64>("T.pane().scrollTop"), at);
    // A button that was clicked keeps its own keys, and letters still write.
    bench.keys("Ctrl+A Delete");
    bench.page.hover("#history .pair .body").unwrap();
    bench.click("#history .pair .tools [data-act=star]");
    bench.wait("T.last().dataset.star === '1'");
    bench.types("gone");
    only_wrote(&bench, "gone");
}

#[test]
fn ui_16_input_methods_and_dead_keys_write_into_the_box() {
    let Some(bench) = after_a_tall_reply() else { return };
    bench.page.compose(&["k", "か", "漢"], "漢字").unwrap();
    only_wrote(&bench, "漢字");
}

#[test]
fn ui_16_letters_are_commands_in_a_view_that_esc_entered_until_the_next_click() {
    let Some(bench) = after_a_tall_reply() else { return };
    bench.keys("Enter");
    bench.mode("INPUT");
    bench.view();
    bench.keys("1");
    bench.wait("T.last().dataset.star === '1'");
    // COMMAND and back by its own keys: it is still that VIEW.
    bench.keys("/ Enter");
    bench.mode("VIEW");
    bench.keys("2");
    bench.wait("T.last().dataset.star === '2'");
    bench.click("#history .pair .a p");
    bench.types("3");
    only_wrote(&bench, "3");
    assert_eq!(bench.js::<String>("T.last().dataset.star"), "2");
}

#[test]
fn ui_16_what_is_typed_while_an_editor_opens_goes_into_it() {
    let Some(bench) = Workbench::open([answer("fine")]) else { return };
    bench.send("one");
    bench.view();
    bench.wait("T.current() === 0");
    bench.js::<()>("T.hold('/api/pairs/')");
    bench.keys("i");
    bench.wait("T.waiting.length === 1");
    bench.types("shd ");
    bench.js::<()>("T.letGo()");
    bench.wait("document.activeElement.matches('form.edit textarea')");
    bench.wait("document.activeElement.value === 'oneshd '");
    assert!(bench.js::<bool>("T.panel() === null && !T.shown('#hud') && !T.one('dialog')"));
    bench.fine();
}

#[test]
fn ui_16_who_edits_goes_on_writing_when_the_pair_is_drawn_anew() {
    let Some(bench) = Workbench::open([answer("fine")]) else { return };
    bench.send("one");
    bench.view();
    bench.keys("i");
    bench.wait("document.activeElement.matches('form.edit textarea')");
    bench.types(" two");
    bench.served.json("POST", "/api/command", Some(json!({ "text": "r1 :star 2" })));
    bench.wait("T.last().dataset.star === '2' && T.one('form.edit textarea')");
    bench.types(" sd");
    bench.wait("document.activeElement.matches('form.edit textarea') && document.activeElement.value === 'one two sd'");
    assert!(bench.js::<bool>("T.panel() === null && !T.one('dialog')"));
    bench.fine();
}

#[test]
fn ui_5_a_tall_reply_is_shown_though_its_own_request_is_answered_late() {
    let replies = [answer(&tall())];
    let Some(bench) = Workbench::prepared(replies, 8192, |_| {}) else { return };
    bench.js::<()>("T.hold('/api/send')");
    bench.types("Tell me.");
    bench.keys("Enter");
    bench.wait("T.waiting.length === 1 && T.state() === 'complete'");
    bench.mode("VIEW");
    bench.js::<()>("T.letGo()");
    bench.wait("T.draft() === ''");
    bench.mode("VIEW");
    bench.fine();
}

/// Sends `first`, whose answer begins; the server's word that it took it is still on its way.
fn unanswered(gate: &Gate, queue: bool) -> Option<Workbench> {
    let slow = Reply::openai_open(&["one "]).gate(gate).openai_more(&["two"]).openai_end(9, 2);
    let bench = Workbench::prepared([slow, answer("three")], 4096, |served| {
        let value = if queue { "on" } else { "off" };
        served.json("PUT", "/api/settings/queueWhileSending", Some(json!({ "value": value })));
    })?;
    bench.js::<()>("T.hold('/api/send')");
    bench.types("first");
    bench.keys("Enter");
    bench.wait("T.waiting.length === 1 && T.reply() === 'one'");
    Some(bench)
}

#[test]
fn val_2_a_page_that_opens_with_a_draft_says_nothing_of_a_window_that_it_was_not_told() {
    let Some(bench) = Workbench::open([answer("fine")]) else { return };
    bench.types("a few words");
    bench.wait(
        "fetch('/api/draft').then((it) => it.json()).then(({ text }) => text === 'a few words')",
    );
    bench.page.before_load("T.hold('/api/state', '/api/weigh')").unwrap();
    bench.page.reload().unwrap();
    bench.wait(
        "T.draft() === 'a few words' && T.waiting.length > 0 && T.one('#aut').textContent !== '0'",
    );
    bench.page.settle().unwrap();
    assert_eq!(bench.js::<String>("T.one('#notice').textContent"), "");
    let words: String = bench.js("T.one('#gauge').getAttribute('aria-label')");
    assert!(words.contains("of 4,096 tokens"), "{words}");
    bench.js::<()>("T.letGo()");
    bench.agrees();
}

#[test]
fn snd_4_a_selection_stays_when_the_word_that_the_message_was_taken_comes_late() {
    let gate = Gate::default();
    let Some(bench) = unanswered(&gate, false) else { return };
    bench.types("keep me");
    bench.keys("Ctrl+A");
    bench.js::<()>("T.letGo()");
    bench.wait("T.draft() === 'keep me'");
    let selected = "(({ selectionStart, selectionEnd }) => [selectionStart, selectionEnd])";
    let selected: [u64; 2] = bench.js(&format!("{selected}(T.one('#draft'))"));
    assert_eq!(selected, [0, 7]);
    bench.keys("Ctrl+C");
    bench.page.settle().unwrap();
    assert_eq!(bench.js::<String>("T.state()"), "sending", "a selection is copied");
    gate.open();
    bench.wait("T.state() === 'complete'");
    bench.fine();
}

/// The reply may be over before the page hears that the server took its message. An Enter that was
/// pressed between says so when it is over, and is not lost without a word.
#[test]
fn ui_16_an_enter_before_the_word_that_the_message_was_taken_is_not_lost_without_a_word() {
    let Some(bench) = Workbench::open([Reply::invalid(), answer("fine")]) else { return };
    bench.js::<()>("T.hold('/api/send')");
    bench.types("first");
    bench.keys("Enter");
    bench.wait("T.waiting.length === 1 && T.state() === 'error'");
    bench.types("second");
    bench.keys("Enter");
    bench.js::<()>("T.letGo()");
    bench.says("#notice", "Not sent: a reply was still on its way");
    bench.wait("T.draft() === 'second'");
    bench.keys("Enter");
    bench.wait("T.asked() === 'first|second' && T.reply() === 'fine' && T.draft() === ''");
    bench.wait("!T.shown('#notice')");
    bench.fine();
}

#[test]
fn ui_16_an_enter_while_a_reply_comes_is_spoken_of_when_that_is_complete() {
    let gate = Gate::default();
    let Some(bench) = unanswered(&gate, false) else { return };
    bench.js::<()>("T.letGo()");
    bench.wait("T.draft() === ''");
    bench.types("second");
    bench.keys("Enter");
    bench.says("#notice", "One message at a time");
    gate.open();
    bench.says("#notice", "Enter sends it now");
    bench.keys("Enter");
    bench.wait("T.asked() === 'first|second' && T.reply() === 'three' && T.draft() === ''");
    bench.fine();
}

#[test]
fn snd_2_a_queued_message_goes_though_the_answer_to_the_first_came_late() {
    let gate = Gate::default();
    let Some(bench) = unanswered(&gate, true) else { return };
    bench.types("second");
    bench.keys("Enter");
    bench.says("#notice", "Queued");
    bench.js::<()>("T.letGo()");
    bench.wait("T.draft() === 'second'");
    bench.says("#notice", "Queued");
    // It can be changed, and is still queued.
    bench.types("!");
    bench.says("#notice", "Queued");
    gate.open();
    bench.wait("T.asked() === 'first|second!' && T.reply() === 'three' && T.draft() === ''");
    bench.wait("!T.says('#notice', 'Queued')");
    bench.fine();
}

#[test]
fn snd_2_a_queued_message_goes_though_the_reply_ended_before_its_own_request_was_answered() {
    let gate = Gate::default();
    let Some(bench) = unanswered(&gate, true) else { return };
    bench.types("second");
    bench.keys("Enter");
    bench.says("#notice", "Queued");
    gate.open();
    bench.wait("T.state() === 'complete' && T.reply() === 'one two'");
    bench.says("#notice", "Queued");
    bench.js::<()>("T.letGo()");
    bench.wait("T.asked() === 'first|second' && T.reply() === 'three' && T.draft() === ''");
    bench.fine();
}

#[test]
fn snd_2_what_enter_said_is_not_taken_away_by_a_late_answer() {
    let gate = Gate::default();
    let Some(bench) = unanswered(&gate, false) else { return };
    bench.types("second");
    bench.keys("Enter");
    bench.says("#notice", "One message at a time");
    bench.js::<()>("T.letGo()");
    bench.wait("T.draft() === 'second'");
    bench.says("#notice", "Your draft (6 characters) is kept");
    // Enter with nothing to send says something, too.
    bench.keys("Ctrl+A Delete Enter");
    bench.says("#notice", "nothing to send");
    gate.open();
    bench.wait("T.state() === 'complete'");
    bench.fine();
}

#[test]
fn a_second_click_on_send_does_not_cancel() {
    let Some(bench) = Workbench::open([Reply::stalls_after(&["half "])]) else { return };
    bench.types("ask");
    bench.page.double_click("#send").unwrap();
    bench.wait("T.reply() === 'half' && T.one('#send').textContent === 'Cancel'");
    assert_eq!(bench.js::<String>("T.state()"), "sending");
    // A click of its own does, as soon as it is one.
    while bench.js::<String>("T.state()") == "sending" {
        bench.click("#send");
        bench.page.settle().unwrap();
    }
    bench.wait("T.state() === 'cancelled'");
    bench.fine();
}

#[test]
fn snd_7_a_question_that_is_asked_again_survives_a_reload() {
    let Some(bench) = Workbench::open([Reply::auth(), answer("fine")]) else { return };
    bench.types("What now?");
    bench.keys("Enter");
    bench.wait("T.state() === 'error'");
    bench.click(".pair [data-act=reask]");
    bench.says("#notice", "Asking again");
    bench.wait("JSON.parse(localStorage.getItem('draft:default/main') ?? '{}').synced === true");
    bench.reload();
    bench.says("#notice", "Asking again");
    bench.wait("T.draft() === 'What now?'");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.asked() === 'What now?'");
    bench.fine();
}

#[test]
fn snd_7_leaving_a_question_gives_the_selectors_back() {
    let Some(bench) = Workbench::open([Reply::auth()]) else { return };
    bench.types("What now?");
    bench.keys("Enter");
    bench.wait("T.state() === 'error'");
    bench.served.json("PUT", "/api/view", Some(json!({ "model": "other-model" })));
    bench.wait("T.one('#model').dataset.id === 'other-model'");
    bench.click(".pair [data-act=reask]");
    bench.wait("T.draft() === 'What now?' && T.one('#model').dataset.id !== 'other-model'");
    bench.keys("Escape");
    bench.wait("T.draft() === '' && T.one('#model').dataset.id === 'other-model'");
    bench.fine();
}
