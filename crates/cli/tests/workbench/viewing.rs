//! Every key of VIEW and what can be seen of it (UI-2).

use plimsoll_testkit::scripted::Reply;
use serde_json::{Value, json};

use crate::bench::{Workbench, answer, tall};

/// Three pairs, the middle one taller than the pane, in VIEW on the newest.
fn reading() -> Option<Workbench> {
    let replies = [answer("one"), answer(&tall()), answer("three"), answer("four")];
    let bench = Workbench::prepared(replies, 8192, |served| {
        for text in ["alpha", "beta", "gamma"] {
            served.send(text);
        }
    })?;
    bench.wait("T.atBottom()");
    bench.view();
    bench.wait("T.current() === 2");
    Some(bench)
}

#[test]
fn ui_2_keys_that_move() {
    let Some(bench) = reading() else { return };
    let top = |bench: &Workbench| bench.js::<f64>("T.pane().scrollTop");
    let low = top(&bench);
    bench.keys("k");
    bench.wait(&format!("T.pane().scrollTop < {low}"));
    let high = top(&bench);
    bench.keys("j");
    bench.wait(&format!("T.pane().scrollTop > {high}"));
    bench.keys("G");
    bench.wait("T.current() === 2 && T.atBottom()");
    bench.keys("K");
    bench.wait("T.current() === 1 && document.activeElement.dataset.at === '1'");
    bench.keys("K");
    bench.wait("T.current() === 0");
    bench.keys("J");
    bench.wait("T.current() === 1");
    bench.keys("g");
    bench.wait("T.current() === 0 && T.pane().scrollTop < 40");
    bench.keys("G");
    bench.wait("T.current() === 2 && T.atBottom()");
    // All is aboard, so there is no line to go to but the one at the top.
    bench.keys("o");
    bench.says(".toast", "the load line is at the top");
    bench.wait("T.inView(T.one('#load')) && T.current() === 0");
    bench.fine();
}

#[test]
fn ui_2_o_goes_to_the_load_line() {
    // The window holds the newest pairs only; the reports are about what was estimated.
    let replies = [Reply::openai(&[&"long ".repeat(150)], 145, 150)];
    let Some(bench) = Workbench::prepared(replies, 900, |served| {
        for _ in 0..8 {
            served.send(&"word ".repeat(100));
        }
    }) else {
        return;
    };
    let start: usize = bench.js("Number(T.pane().dataset.start)");
    assert!(0 < start && start < 8, "{start}");
    bench.wait(&format!(
        "T.pairs().every((pair) => pair.classList.contains('ooc') === (pair.dataset.at < {start}))"
    ));
    bench.view();
    bench.keys("g");
    bench.wait("T.current() === 0 && !T.inView(T.one('#load'))");
    bench.keys("o");
    bench.wait("T.inView(T.one('#load'))");
    bench.keys("g");
    bench.wait("!T.inView(T.one('#load'))");
    bench.keys("Shift+O");
    bench.wait("T.inView(T.one('#load'))");
    // BND-8: the first pair that goes along is selected, and J goes on from it.
    bench.wait(&format!(
        "T.current() === {start} && document.activeElement.dataset.at === '{start}'"
    ));
    bench.keys("J");
    bench.wait(&format!("T.current() === {start} + 1"));
    // UI-3: those ashore say why, and can be read.
    bench.wait("T.shown('.pair.ooc .badge.off') && T.one('.pair.ooc .badge.off').title !== ''");
    bench.wait("!T.shown('.pair:not(.ooc) .badge.off')");
    bench.fine();
}

#[test]
fn ui_2_keys_that_label() {
    let Some(bench) = reading() else { return };
    for (keys, star) in [
        ("*", "1"),
        ("*", "2"),
        ("*", "3"),
        ("*", "0"),
        ("2", "2"),
        ("0", "0"),
        ("3", "3"),
        ("1", "1"),
    ] {
        bench.keys(keys);
        // The label is set at once; the stars come with the server's own rendering.
        bench.wait(&format!(
            "T.last().dataset.star === '{star}'
               && (T.last().querySelector('.star')?.textContent.length ?? 0) === {star}"
        ));
    }
    bench.keys("a");
    bench.wait("T.last().dataset.flag === 'blue' && T.last().querySelector('.flag')");
    bench.keys("a");
    bench.wait("T.last().dataset.flag === 'grey' && !T.last().querySelector('.flag')");
    bench.wait("T.current() === 2");
    bench.fine();
}

#[test]
fn ui_5_who_is_at_the_bottom_stays_there_when_a_toast_makes_the_pane_lower() {
    let Some(bench) = reading() else { return };
    // The toast comes in the same frame in which the pane tells of an earlier scroll.
    bench.js::<Value>(
        "(() => {
           T.pane().dispatchEvent(new Event('scroll'));
           const toast = document.createElement('div');
           toast.className = 'toast';
           toast.style.height = '90px';
           T.one('#toasts').append(toast);
           return null;
         })()",
    );
    // The key still means the pair that was selected.
    bench.keys("R");
    bench.wait("T.says('.popup [role=option][aria-selected=true]', 'test')");
    assert_eq!(bench.js::<i64>("T.current()"), 2);
    bench.wait("T.atBottom()");
    bench.fine();
}

#[test]
fn ui_2_keys_that_change_a_pair() {
    let Some(bench) = reading() else { return };
    bench.keys("i");
    bench.wait("document.activeElement.matches('form.edit textarea')");
    bench.keys("Ctrl+A");
    bench.types("delta");
    bench.keys("Ctrl+Enter");
    bench.wait("T.asked() === 'alpha|beta|delta' && !T.one('form.edit')");
    bench.says(".pair .meta", "edited");
    bench.mode("VIEW");
    bench.keys("i");
    bench.wait("document.activeElement.matches('form.edit textarea')");
    bench.types("x");
    bench.keys("Escape");
    bench.wait("!T.one('form.edit') && T.current() === 2");
    assert_eq!(bench.js::<String>("T.asked()"), "alpha|beta|delta");
    bench.mode("VIEW");
    bench.keys("S");
    bench.says(".toast", "no earlier answer");
    bench.keys("e");
    bench.says(".toast", "Only pairs in error or cancelled");
    bench.keys("R");
    bench.wait("T.says('.popup [role=option][aria-selected=true]', 'test')");
    bench.keys("Enter");
    // Its own boundary is drawn; the button that sends it has the focus (SND-8, PAY-6).
    bench.says("#notice", "Answer again with test");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.reply() === 'four'");
    bench.wait("T.last().dataset.swap !== undefined && T.current() === 2");
    bench.keys("S");
    bench.wait("T.reply() === 'three'");
    bench.keys("S");
    bench.wait("T.reply() === 'four'");
    bench.keys("d");
    bench.says("dialog", "Delete this pair?");
    bench.keys("Escape");
    bench.wait("!T.one('dialog') && T.pairs().length === 3");
    bench.mode("VIEW");
    bench.keys("d");
    bench.says("dialog", "Delete this pair?");
    bench.keys("Shift+Tab Enter");
    bench.wait("T.asked() === 'alpha|beta'");
    bench.counter("2 / 2");
    bench.fine();
}

#[test]
fn ui_2_keys_that_copy() {
    let Some(bench) = reading() else { return };
    bench.keys("y");
    bench.says(".toast", "The reply is copied.");
    bench.keys("Y");
    bench.says(".toast", "The pair is copied.");
    assert_eq!(bench.js::<Vec<String>>("T.copied"), ["three", "gamma\n\nthree"]);
    bench.keys("x");
    bench.says(".toast", "Nothing is being sent.");
    bench.fine();
}

#[test]
fn ui_2_keys_that_open_and_close() {
    let Some(bench) = reading() else { return };
    for (key, title, part) in [
        ("r", "Receipt", "prompt"),
        ("p", "Exact request", "user"),
        ("t", "Topics", "General"),
        ("s", "Settings", "overBudget"),
        ("?", "", "Enter"),
    ] {
        bench.keys(key);
        bench.wait(&format!(
            "T.panel()?.includes('{title}') && T.says('#panel .panel-body', '{part}')"
        ));
        bench.wait("T.one('#panel').contains(document.activeElement)");
        bench.keys("Escape");
        bench.wait("T.panel() === null && T.current() === 2");
        bench.mode("VIEW");
    }
    bench.keys("h");
    bench.wait(
        "T.says('#hud', 'Parameters') && T.says('#hud', 'Boundary') && T.says('#hud', 'Trimming')",
    );
    bench.wait("T.says('#hud', 'Usage') && T.says('#hud', 'Error')");
    bench.keys("h");
    bench.wait("!T.shown('#hud')");
    // The letters in the help are those that work, each with its words.
    bench.keys("?");
    for key in [
        "j", "k", "J", "K", "g", "G", "*", "a", "e", "d", "i", "R", "S", "y", "Y", "r", "p", "t",
        "h", "s", "/", "x", "u", "D",
    ] {
        bench.wait(&format!("[...document.querySelectorAll('#panel kbd')].some((kbd) => kbd.textContent.split(/[\\s,]+/).includes('{key}'))"));
    }
    bench.keys("Escape");
    bench.wait("T.panel() === null");
    bench.keys("/");
    bench.mode("COMMAND");
    bench.keys("Escape");
    bench.mode("VIEW");
    bench.keys("Escape");
    bench.mode("COMMAND");
    bench.keys("Escape Enter");
    bench.mode("INPUT");
    bench.wait("document.activeElement.id === 'draft'");
    bench.fine();
}

#[test]
fn ui_1_the_mouse_does_what_keys_do() {
    let Some(bench) = reading() else { return };
    bench.click("#filter");
    bench.mode("COMMAND");
    bench.click("#draft");
    bench.mode("INPUT");
    bench.click("#history .pair[data-at='2'] .a");
    bench.mode("VIEW");
    for name in ["topics", "receipts", "models", "settings", "help"] {
        bench.click(&format!("nav [data-panel={name}]"));
        bench.wait("T.panel() !== null && T.one('#panel .panel-body').textContent.length > 20");
        bench.click("#panel .panel-head .tool:last-child");
        bench.wait("T.panel() === null");
    }
    bench.page.hover("#history .pair[data-at='2'] .body").unwrap();
    bench.click("#history .pair[data-at='2'] .tools [data-act=star]");
    bench.wait("T.last().dataset.star === '1'");
    bench.click("#history .pair[data-at='2'] .meta [data-act=receipt]");
    bench.wait("T.panel() === 'Receipt'");
    bench.click("#counter");
    bench.wait("T.says('#hud', 'Parameters')");
    bench.fine();
}

#[test]
fn a_press_counts_though_the_pair_is_drawn_anew_under_it() {
    let Some(bench) = Workbench::open([answer("fine")]) else { return };
    bench.send("One.");
    let other = bench.tab();
    let at = bench.page.centre(".pair [data-act=receipt]").unwrap();
    let mouse = |kind: &str| {
        let event = json!({"type": kind, "x": at.x, "y": at.y, "button": "left", "clickCount": 1});
        bench.page.call("Input.dispatchMouseEvent", event).unwrap();
    };
    mouse("mouseMoved");
    mouse("mousePressed");
    bench.served.json("POST", "/api/command", Some(json!({"text": "r1 :star 2"})));
    // What one page was told, the other has heard.
    other.wait("T.last().dataset.star === '2'");
    bench.page.settle().unwrap();
    mouse("mouseReleased");
    bench.says("#panel-title", "Receipt");
    bench.wait("T.last().dataset.star === '2'");
    bench.fine();
}
