//! Hands on the line: pairs that are pinned or left out, and a line that is moved (HIS-10, BND-8,
//! UI-16, UI-17).

use plimsoll_browser::{Scheme, Viewport};

use crate::{
    bench::Workbench,
    honest::{equal_pairs, marked, sends_what_it_marks},
};

/// A button of the pair at a position.
fn button(at: usize, act: &str) -> String {
    format!(".pair[data-at='{at}'] [data-act='{act}']")
}

/// Sends from the box, and that what went is what was marked.
#[track_caller]
fn sends(bench: &Workbench, text: &str) -> Vec<String> {
    bench.click("#draft");
    sends_what_it_marks(bench, text)
}

#[test]
fn his_10_a_pair_is_left_out_by_one_click_and_undone_by_one_key() {
    let Some(bench) = equal_pairs(10, 4096) else { return };
    bench.counter("10 / 10");
    bench.click(&button(4, "out"));
    bench.counter("9 / 10");
    bench.says(".pair[data-at='4'] .badge.off", "off: left out by hand");
    bench.wait("T.one(\".pair[data-at='4'] [data-act=out]\").ariaPressed === 'true'");
    let went = sends(&bench, "next");
    assert_eq!(went.len(), 9);
    assert!(!went.iter().any(|text| text.ends_with("004")), "{went:?}");
    bench.view();
    bench.keys("u");
    bench.counter("11 / 11");
    bench.fine();
}

#[test]
fn his_10_keys_pin_and_leave_out_the_selected_pair() {
    let Some(bench) = equal_pairs(10, 4096) else { return };
    bench.view();
    bench.keys("g");
    bench.wait("T.one('.pair.current')?.dataset.at === '0'");
    bench.keys("-");
    bench.wait("T.one('.pair.current').dataset.use === 'out'");
    bench.keys("+");
    bench.wait("T.one('.pair.current').dataset.use === 'pinned'");
    bench.says(".pair.current .badge.pinned", "pinned");
    bench.keys("+");
    bench.wait("T.one('.pair.current').dataset.use === 'auto'");
    bench.filter("p");
    bench.wait("T.says('.empty', 'No pair matches')");
    bench.fine();
}

#[test]
fn bnd_8_a_pinned_pair_above_the_line_is_marked_and_sent() {
    let Some(bench) = equal_pairs(10, 200) else { return };
    let before = marked(&bench);
    assert!(!before.is_empty() && before.len() < 9, "the line is among them: {before:?}");
    bench.click(&button(0, "pin"));
    bench.wait("!T.one(\".pair[data-at='0']\").classList.contains('ooc')");
    bench.agrees();
    let now = marked(&bench);
    assert_eq!(now.first().unwrap(), "question number 000");
    assert!(now.len() <= before.len(), "the pin takes room from the oldest of the others");
    let went = sends(&bench, "question number 010");
    assert_eq!(went.first().unwrap(), "question number 000");
    // The line says who is ashore, and the pin above it is not.
    let (ashore, above): (usize, usize) = bench.js(
        "[Number(T.one('#load .words b').textContent), T.pairs().filter((pair) => pair.dataset.at < Number(T.pane().dataset.start)).length]",
    );
    assert_eq!(ashore, above - 1);
    bench.fine();
}

#[test]
fn ui_17_the_line_is_moved_by_keys_by_the_pair_and_by_the_mouse() {
    let Some(bench) = equal_pairs(10, 4096) else { return };
    bench.counter("10 / 10");
    bench.view();
    bench.keys("]");
    bench.counter("9 / 10");
    bench.says("#load", "set by hand");
    bench.keys("] ]");
    bench.counter("7 / 10");
    bench.keys("[");
    bench.counter("8 / 10");
    // From the pair itself.
    bench.js::<()>("T.one(\".pair[data-at='6'] [data-act='context-here']\").click()");
    bench.counter("4 / 10");
    assert_eq!(sends(&bench, "next").len(), 4);
    bench.counter("5 / 11");
    // By the mouse: what it is let go above is the first that goes.
    let grip = bench.page.centre("#load .grip").unwrap();
    let to: plimsoll_browser::Point = bench.js(
        "(() => { const { x, y } = T.one(\".pair[data-at='8']\").getBoundingClientRect(); return { x: x + 90, y: y + 4 }; })()",
    );
    bench.page.drag(grip, to).unwrap();
    bench.counter("3 / 11");
    assert_eq!(sends(&bench, "after the drag").len(), 3);
    bench.page.double_click("#load .words").unwrap();
    bench.counter("12 / 12");
    bench.click("#draft");
    bench.view();
    bench.keys("u");
    bench.counter("4 / 12");
    bench.fine();
}

#[test]
fn ui_10_marks_of_use_can_be_read_and_heard() {
    let Some(bench) = equal_pairs(10, 4096) else { return };
    bench.click(&button(9, "pin"));
    bench.wait("T.last().dataset.use === 'pinned'");
    bench.click(&button(8, "out"));
    bench.counter("9 / 10");
    for (scheme, width) in [(Scheme::Light, 1280), (Scheme::Dark, 1280), (Scheme::Light, 360)] {
        bench.page.color_scheme(scheme).unwrap();
        bench.page.viewport(Viewport::new(width, 800)).unwrap();
        bench.accessible(&format!("{scheme:?} at {width}"));
    }
    bench.fine();
}
