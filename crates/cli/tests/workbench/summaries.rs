//! Summaries that can be seen (HIS-11), by the mouse and by keys.

use plimsoll_browser::{Scheme, Viewport};
use plimsoll_testkit::scripted::{Gate, Reply, Step};

use crate::{
    bench::{Workbench, after, answer},
    honest::{equal_pairs, marked, sends_what_it_marks},
};

const DIALOG: &str = "dialog.summary";

/// Presses a button that is shown while the pointer is over its pair.
pub(crate) fn press(bench: &Workbench, selector: &str) {
    let pair = selector.split(' ').next().unwrap();
    bench.page.hover(&format!("{pair} .u .prose")).unwrap();
    bench.click(selector);
}

#[test]
fn his_11_what_stays_ashore_is_summarised_shown_sent_and_undone() {
    let replies = (0..10).map(|_| answer("fine and equal"));
    let short = answer("questions in short");
    let replies = replies.chain([short.clone(), short, answer("fine and equal")]);
    let Some(bench) = Workbench::prepared(replies, 185, |served| {
        for n in 0..10 {
            served.send(&format!("question number {n:03}"));
        }
    }) else {
        return;
    };
    let before = marked(&bench);
    assert!(!before.is_empty() && before.len() < 10, "the line is among them: {before:?}");
    let ashore = 10 - before.len();
    bench.js::<()>("void T.one('#load').scrollIntoView({ block: 'center' })");
    bench.click("#load [data-act='summarise-rest']");
    bench.wait(&format!("T.shown('{DIALOG}')"));
    assert_eq!(
        bench.js::<usize>(&format!("document.querySelectorAll('{DIALOG} li').length")),
        ashore
    );
    bench.says(DIALOG, "question number 000");
    bench.says(DIALOG, "in 2 requests, because they do not fit one");
    bench.says(DIALOG, "tokens. The summary is shown and sent in place of them");
    // The request itself, before it goes.
    let calls = bench.calls();
    bench.click(&format!("{DIALOG} details summary"));
    bench.wait(&format!("T.says('{DIALOG} .exact', 'Summarise the conversation above')"));
    assert_eq!(bench.calls(), calls, "looking sends nothing");
    bench.click(&format!("{DIALOG} .btn.pri"));
    bench.wait("T.says('#toasts', 'Summarised')");
    bench.wait("T.pairs().some((pair) => pair.dataset.kind === 'summary' && pair.dataset.state === 'complete')");
    bench.agrees();
    bench.says(".pair[data-kind='summary']", "questions in short");
    bench.says(".pair[data-kind='summary'] .badge.summary", "summary");
    // They need two requests, so there are two summaries.
    let heading = "Summary of 8 earlier messages".to_owned();
    assert_eq!(
        bench.js::<usize>("document.querySelectorAll('.pair[data-kind=summary]').length"),
        2
    );
    assert_eq!(marked(&bench).first(), Some(&heading));
    bench.click("#draft");
    let went = sends_what_it_marks(&bench, "question number 010");
    assert_eq!(went.first(), Some(&heading), "it is sent in place of what it stands for");
    assert!(!went.contains(&"question number 000".to_owned()));
    bench.view();
    bench.keys("u");
    bench.wait("!T.pairs().some((pair) => pair.dataset.kind === 'summary')");
    bench.agrees();
    assert!(bench.js::<bool>("T.pairs().every((pair) => pair.dataset.use === 'auto')"));
    bench.fine();
}

#[test]
fn his_11_by_keys_up_to_a_pair_and_out_of_date_after_an_edit() {
    let Some(bench) = equal_pairs(6, 4096) else { return };
    bench.view();
    bench.keys("g J");
    bench.wait("T.current() === 1");
    bench.keys("Z");
    bench.wait(&format!("T.shown('{DIALOG}')"));
    // The first button has the focus: Enter agrees.
    bench.keys("Enter");
    bench.wait("T.says(\".pair[data-at='2'] .badge.summary\", 'summary')");
    bench.agrees();
    bench.counter("5 / 7");
    // What it stands for says so, and leads to it; what somebody leaves out says that.
    bench.wait("T.one(\".pair[data-at='0'] .badge.off\").textContent === 'off: in a summary'");
    bench.wait(
        "T.one(\".pair[data-at='0'] .badge.off\").title.includes('a summary is sent in its place')",
    );
    bench.keys("G -");
    bench.says(".pair[data-at='6'] .badge.off", "off: left out by hand");
    bench.keys("u");
    bench.counter("5 / 7");
    bench.accessible("pairs that a summary stands for");
    bench.click(".pair[data-at='0'] .u .link[data-act='goto']");
    bench.wait("T.current() === 2");
    bench.js::<bool>(
        "fetch(`/api/pairs/${T.pairs()[0].dataset.id}`, { method: 'PATCH', \
         headers: { 'content-type': 'application/json' }, body: JSON.stringify({ userText: 'mended' }) }).then((answer) => answer.ok)",
    );
    bench.says(".badge.outdated", "out of date");
    // It goes like any pair, and what it stands for is used again.
    press(&bench, ".pair[data-kind='summary'] [data-act='delete']");
    bench.wait("T.says('dialog', 'used as before')");
    bench.click("dialog .btn.danger");
    bench.counter("6 / 6");
    bench.fine();
}

#[test]
fn his_11_a_summary_can_be_cancelled_and_one_that_fails_changes_nothing() {
    let gate = Gate::default();
    let waits = after([Step::Gate(gate.clone())], &answer("late"));
    let replies = [answer("fine"), waits, Reply::error(400, "I will not.")];
    let Some(bench) = Workbench::prepared(replies, 4096, |served| {
        served.send("the only question");
    }) else {
        return;
    };
    for how in ["cancelled", "refused"] {
        press(&bench, ".pair[data-at='0'] [data-act='summarise']");
        bench.wait(&format!("T.shown('{DIALOG}')"));
        bench.click(&format!("{DIALOG} .btn.pri"));
        if how == "cancelled" {
            bench.wait("document.body.classList.contains('sending') && T.pairs().length === 2");
            bench.click("#send");
        }
        bench.wait("T.says('#toasts', 'Nothing has changed')");
        bench.agrees();
        assert_eq!(marked(&bench), ["the only question"], "{how}");
        bench.js::<()>("T.one('#toasts').replaceChildren()");
    }
    gate.open();
    bench.fine_but(&["422", "400"]);
}

/// Found by a random day: the page left its filter or its scope to show a summary that they hide.
#[test]
fn promise_1_a_summary_that_the_filter_hides_changes_neither_filter_nor_scope() {
    let Some(bench) = equal_pairs(4, 4096) else { return };
    bench.filter("!y");
    bench.wait("location.search.includes('filter')");
    // Its rows are drawn: a button that shows under the pointer is not there in a new row at once.
    bench.agrees();
    let address: String = bench.js("location.href");
    press(&bench, ".pair[data-at='1'] [data-act='summarise']");
    bench.wait(&format!("T.shown('{DIALOG}')"));
    bench.click(&format!("{DIALOG} .btn.pri"));
    bench.says("#toasts", "Summarised");
    bench.counter("2 / 4");
    bench.agrees();
    assert_eq!(bench.js::<String>("location.href"), address);
    sends_what_it_marks(&bench, "and now?");
    bench.fine();
}

#[test]
fn ui_10_the_dialog_of_a_summary_can_be_read_and_heard() {
    let Some(bench) = equal_pairs(3, 4096) else { return };
    for (scheme, width) in [(Scheme::Light, 1280), (Scheme::Dark, 1280), (Scheme::Light, 360)] {
        bench.page.color_scheme(scheme).unwrap();
        bench.page.viewport(Viewport::new(width, 800)).unwrap();
        bench.js::<()>("T.one(\".pair[data-at='1'] [data-act='summarise']\").click()");
        bench.wait(&format!("T.shown('{DIALOG}')"));
        bench.accessible(&format!("summary {scheme:?} {width}"));
        bench.keys("Escape");
        bench.wait(&format!("!T.shown('{DIALOG}')"));
    }
    bench.fine();
}
