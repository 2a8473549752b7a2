//! Pairs in error: what they say, asking again, deleting (FAU-8, SND-7).

use plimsoll_testkit::scripted::Reply;

use crate::bench::{Workbench, answer};

/// A pair whose key was refused.
fn refused() -> Option<Workbench> {
    let bench = Workbench::open([Reply::auth(), answer("fine")])?;
    bench.types("What now?");
    bench.keys("Enter");
    bench.wait("T.state() === 'error'");
    bench.says(".pair .err", "[error: auth]");
    bench.wait("T.last().classList.contains('ooc') && T.shown('.pair .badge.off')");
    Some(bench)
}

/// The question is back in the box; sending it takes the place of the old pair.
#[track_caller]
fn asked_again(bench: &Workbench) {
    let old: String = bench.js("T.last().dataset.id");
    bench.mode("INPUT");
    bench.wait("T.draft() === 'What now?'");
    bench.says("#notice", "Asking again");
    bench.types(" Please.");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.asked() === 'What now? Please.'");
    assert_ne!(bench.js::<String>("T.last().dataset.id"), old);
    bench.counter("1 / 1");
    bench.fine();
}

#[test]
fn snd_7_e_asks_an_error_again_and_replaces_it() {
    let Some(bench) = refused() else { return };
    bench.view();
    bench.keys("e");
    asked_again(&bench);
}

#[test]
fn snd_7_the_button_asks_again_and_escape_leaves_the_old_pair_alone() {
    let Some(bench) = refused() else { return };
    bench.types("mine");
    bench.click(".pair [data-act=reask]");
    bench.wait("T.draft() === 'What now?'");
    bench.keys("Escape");
    bench.mode("VIEW");
    bench.wait("T.draft() === 'mine'");
    assert_eq!(bench.js::<String>("T.state()"), "error");
    bench.click("#draft");
    bench.keys("Ctrl+A Delete");
    bench.click(".pair [data-act=reask]");
    asked_again(&bench);
}

#[test]
fn snd_7_an_error_goes_without_a_question() {
    let Some(bench) = refused() else { return };
    bench.view();
    bench.keys("d");
    bench.wait("T.pairs().length === 0");
    assert!(!bench.js::<bool>("!!T.one('dialog')"));
    bench.counter("0 / 0");
    bench.fine();
}
