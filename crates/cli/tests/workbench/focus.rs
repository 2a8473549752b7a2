//! Where the reader is taken, and where not (UI-5, UI-6).

use plimsoll_testkit::scripted::{Gate, Reply};

use crate::bench::{Workbench, answer, tall};

/// An answer of two halves with a gate between them.
fn halves(first: &str, gate: &Gate, second: &str) -> Reply {
    Reply::openai_open(&[first]).gate(gate).openai_more(&[second]).openai_end(14, 6)
}

/// Some history that fills the pane, then a send of which the first half is there.
fn half_way(first: &str, second: &str) -> Option<(Workbench, Gate)> {
    let gate = Gate::default();
    let replies = [answer(&tall()), halves(first, &gate, second)];
    let bench = Workbench::prepared(replies, 8192, |served| {
        served.send("before");
    })?;
    bench.types("ask");
    bench.keys("Enter");
    bench.wait("T.asked() === 'before|ask' && T.reply() !== ''");
    // The new question is in view, and the box keeps the focus.
    bench.wait("T.inView(T.last().querySelector('.u'))");
    bench.mode("INPUT");
    Some((bench, gate))
}

#[test]
fn ui_5_a_reply_taller_than_the_pane_is_shown_from_its_first_line() {
    let Some((bench, gate)) = half_way("Begin.\n\n", &tall()) else { return };
    gate.open();
    bench.wait("T.state() === 'complete'");
    bench.mode("VIEW");
    bench.wait("document.activeElement === T.last() && T.current() === 1");
    bench.wait(
        "Math.abs(T.last().querySelector('.a').getBoundingClientRect().top
           - T.pane().getBoundingClientRect().top) < 24",
    );
    bench.fine();
}

#[test]
fn ui_5_a_reply_that_fits_leaves_the_writer_alone() {
    let Some((bench, gate)) = half_way("Begin. ", "End.") else { return };
    gate.open();
    bench.wait("T.state() === 'complete' && T.reply() === 'Begin. End.'");
    bench.mode("INPUT");
    bench.wait("document.activeElement.id === 'draft' && T.atBottom()");
    bench.fine();
}

#[test]
fn ui_5_who_writes_already_is_left_alone() {
    let Some((bench, gate)) = half_way("Begin.\n\n", &tall()) else { return };
    bench.types("next");
    gate.open();
    bench.wait("T.state() === 'complete'");
    bench.mode("INPUT");
    // They were at the bottom, so they still are.
    bench.wait("document.activeElement.id === 'draft' && T.draft() === 'next' && T.atBottom()");
    bench.fine();
}

#[test]
fn ui_5_who_reads_elsewhere_is_not_moved() {
    let Some((bench, gate)) = half_way("Begin.\n\n", &tall()) else { return };
    bench.view();
    bench.keys("g");
    bench.wait("T.current() === 0 && T.pane().scrollTop < 40");
    gate.open();
    bench.wait("T.last().querySelector('.a').textContent.includes('Paragraph 80')");
    bench.wait("T.state() === 'complete'");
    bench.page.settle().unwrap();
    assert!(bench.js::<bool>("T.pane().scrollTop < 40 && T.current() === 0"));
    bench.mode("VIEW");
    bench.fine();
}

#[test]
fn ui_5_who_filters_is_not_moved() {
    let Some((bench, gate)) = half_way("Begin.\n\n", &tall()) else { return };
    bench.keys("Escape Escape");
    bench.mode("COMMAND");
    bench.types("r");
    gate.open();
    bench.wait("T.state() === 'complete'");
    bench.page.settle().unwrap();
    bench.mode("COMMAND");
    assert!(
        bench
            .js::<bool>("document.activeElement.id === 'filter' && T.one('#filter').value === 'r'")
    );
    bench.fine();
}

#[test]
fn ui_5_a_stream_is_followed_only_from_the_bottom() {
    let Some((bench, gate)) = half_way("Begin.\n\n", &tall()) else { return };
    bench.wait("T.atBottom()");
    bench.page.wheel("#history", 0.0, -600.0).unwrap();
    bench.wait("!T.atBottom()");
    // A wheel may roll on for a few frames.
    let mut at = f64::NAN;
    while bench.js::<f64>("T.pane().scrollTop") != at {
        at = bench.js("T.pane().scrollTop");
        bench.page.settle().unwrap();
    }
    bench.types("x");
    gate.open();
    bench.wait("T.state() === 'complete'");
    bench.page.settle().unwrap();
    assert!((bench.js::<f64>("T.pane().scrollTop") - at).abs() < 2.0);
    bench.fine();
}

#[test]
fn ui_6_a_send_that_the_filter_hides_goes_on_and_is_told_about() {
    let Some((bench, gate)) = half_way("Begin. ", "End.") else { return };
    bench.filter("c'Paragraph'");
    bench.wait("T.asked() === 'before'");
    bench.mode("VIEW");
    assert_eq!(bench.js::<String>("T.one('#send').textContent"), "Cancel");
    gate.open();
    bench.says(".toast", "the filter hides it");
    assert_eq!(bench.js::<String>("T.asked()"), "before");
    bench.click(".toast .btn");
    bench.wait("T.asked() === 'before|ask' && T.reply() === 'Begin. End.'");
    bench.fine();
}

#[test]
fn ui_21_the_modes_are_shown_once_esc_was_used() {
    let Some(bench) = Workbench::open([answer("fine")]) else { return };
    bench.send("hello");
    assert!(!bench.js::<bool>("T.shown('#mode')"), "they are for those who use Esc");
    bench.view();
    bench.wait("T.shown('#mode') && T.says('#mode', 'VIEW')");
    bench.reload();
    bench.wait("T.shown('#mode')");
    bench.fine();
}

/// Aboard and ashore stand on the load line alone; numbers have commas, and the canonical names
/// stand beside plain ones.
#[test]
fn ui_21_the_page_speaks_of_instructions_details_sent_and_left_out() {
    let Some(bench) = Workbench::prepared([answer("fine")], 128_000, |served| {
        served.send("q1");
    }) else {
        return;
    };
    bench.says("#legend", "instructions");
    bench.click("nav [data-panel=hud]");
    bench.says("#hud h2", "Details");
    for words in ["model limit (ML)", "kept for your message (URA)", "most trims (NTA)"] {
        bench.says("#hud dt", words);
    }
    bench.says("#hud dt", "this message (AUT)");
    bench.says("#hud dd", "128,000");
    bench.wait("[...document.querySelectorAll('#hud dd')].every((one) => !/[0-9]{4}/.test(one.textContent))");
    bench.wait("!/prelude|HUD/.test([...document.querySelectorAll('header, footer')].map((part) => part.textContent).join(' '))");
    bench.wait(
        "(() => { const page = document.body.cloneNode(true);
           page.querySelectorAll('#load, template, script').forEach((node) => node.remove());
           return !/ashore|aboard/.test(page.textContent); })()",
    );
    bench.wait("/ashore.*aboard/.test(T.one('#load').textContent)");
    bench.fine();
}
