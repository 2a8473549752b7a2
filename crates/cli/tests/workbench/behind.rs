//! Rows that are behind what the page was told: nothing goes that was not on screen (PAY-6).

use plimsoll_testkit::scripted::Reply;
use serde_json::{Value, json};

use crate::{
    bench::{Screen, Workbench, answer},
    honest::{asked, marked},
};

/// From now on rows wait until they are let go.
pub(crate) fn hold_rows(screen: &Screen) {
    screen.js::<Value>("(T.rowsHeld = 0, T.rowsAfter = new Promise((go) => { T.go = go; }), null)");
}

pub(crate) fn let_rows_go(screen: &Screen) {
    screen.js::<Value>("(T.rowsAfter = null, T.go(), null)");
}

/// Enter while the rows are on their way: nothing goes, and the page says why.
#[track_caller]
fn presses_too_early(bench: &Workbench, slow: &Screen) {
    let calls = bench.calls();
    slow.keys("Enter");
    slow.page.settle().unwrap();
    let_rows_go(slow);
    slow.says("#notice", "changed as you sent it");
    assert_eq!(bench.calls(), calls, "something went that was not on screen");
}

#[test]
fn pay_6_rows_that_come_after_the_key_are_not_sent_by_it() {
    let Some(bench) = Workbench::prepared([answer("fine")], 4096, |served| {
        for n in 1..=6 {
            served.send(&format!("q{n}"));
        }
    }) else {
        return;
    };
    let slow = bench.tab();
    slow.filter("r1");
    slow.wait("T.asked() === 'q6'");
    slow.click("#draft");
    slow.types("hello");
    slow.agrees();
    hold_rows(&slow);
    // This tab hears that everything is visible now, and its rows are on their way.
    bench.filter("");
    bench.wait("T.pairs().length === 6");
    slow.wait("T.rowsHeld > 0");
    presses_too_early(&bench, &slow);
    slow.wait("T.pairs().length === 6 && T.draft() === 'hello'");
    slow.keys("Enter");
    let post = slow.post(0);
    assert_eq!((post.status, post.marked.len()), (202, 6));
    bench.agrees();
    assert_eq!(asked(&bench.sent()), post.marked);
}

/// What goes along stands in parts of the history that a page with few rows knows nothing of.
#[test]
fn pay_6_who_sees_few_rows_sends_nothing_behind_them_by_the_word_of_the_server() {
    let fine = std::iter::repeat_n(answer("fine"), 24);
    let replies = fine.chain([Reply::invalid(), answer("fine")]);
    let Some(bench) = Workbench::prepared(replies, 8192, |served| {
        for n in 0..24 {
            served.send(&format!("q{n:02}"));
        }
        let page = served.json("GET", "/api/pairs?from=12&limit=1", None);
        let from = json!({ "contextFrom": page["pairs"][0]["id"] });
        served.json("PUT", "/api/view", Some(from));
    }) else {
        return;
    };
    let slow = bench.tab();
    slow.types("hello");
    slow.keys("Enter");
    slow.wait("T.state() === 'error'");
    slow.filter("c'q00' | c'q01' | c'hello'");
    slow.wait("T.asked() === 'q00|q01|hello'");
    hold_rows(&slow);
    bench.filter("");
    slow.wait("T.rowsHeld > 0");
    // The page is told what would go along now, and its rows are on their way.
    slow.click(".pair [data-act=reask]");
    slow.wait("T.draft() === 'hello' && T.says('#notice', 'Asking again')");
    slow.wait("T.asks.some((ask) => ask.startsWith('POST /api/preview'))");
    slow.page.settle().unwrap();
    presses_too_early(&bench, &slow);
    slow.wait("T.draft() === 'hello'");
    slow.keys("Enter");
    assert_eq!(slow.post(0).status, 202);
    bench.agrees();
    assert_eq!(asked(&bench.sent()).len(), 12);
}

/// Of a block of pairs that the page holds in part, it has only the server's word for what is sent.
#[test]
fn pay_6_the_page_holds_whole_blocks_of_pairs() {
    let Some(bench) = Workbench::prepared([answer("fine")], 4096, |served| {
        for n in 0..27 {
            served.send(&format!("q{n:02}"));
        }
    }) else {
        return;
    };
    for filter in ["", "r23", "r18"] {
        bench.filter(filter);
        bench.reload();
        bench.agrees();
        let first: usize = bench.js("Number(T.pairs()[0].dataset.at)");
        assert_eq!(first % plimsoll_send::BLOCK, 0, "the first row that is held under {filter:?}");
    }
}

/// A row that went away leaves a gap, and what is marked beside it is not what goes along now.
#[test]
fn pay_6_a_mark_beside_a_row_that_is_gone_is_not_passed_over() {
    let fine = std::iter::repeat_n(answer("fine and equal"), 12);
    let replies = fine.chain([Reply::invalid(), Reply::invalid(), answer("fine")]);
    let Some(bench) = Workbench::prepared(replies, 260, |served| {
        for n in 0..12 {
            served.send(&format!("question number {n:03}"));
        }
        // All but one of those that are left go along.
        let start = served.json("GET", "/api/state", None)["boundary"]["start"].as_u64().unwrap();
        let page = served.json("GET", "/api/pairs?from=0&limit=12", None);
        for pair in &page["pairs"].as_array().unwrap()[..start as usize - 1] {
            served.ask("DELETE", &format!("/api/pairs/{}", pair["id"].as_str().unwrap()), None);
        }
    }) else {
        return;
    };
    let slow = bench.tab();
    for (words, count) in [("gone", 1), ("hello", 2)] {
        slow.types(words);
        slow.keys("Enter");
        slow.wait(&format!(
            "document.querySelectorAll('.pair[data-state=error]').length === {count} \
             && T.draft() === '' && !document.body.classList.contains('sending')"
        ));
    }
    let page = bench.served.json("GET", "/api/pairs?from=0&limit=20", None);
    let id = |words: &str| {
        let pairs = page["pairs"].as_array().unwrap();
        let pair = pairs.iter().find(|pair| pair["userText"] == words).unwrap();
        pair["id"].as_str().unwrap().to_owned()
    };
    let newest = id("question number 011");
    slow.filter("!o");
    slow.wait("T.pairs().length === 3 && T.asked().endsWith('|gone|hello')");
    assert_eq!(marked(&slow).len(), 1);
    let delete = |id: &str| {
        bench.served.ask("DELETE", &format!("/api/pairs/{id}"), None);
    };
    hold_rows(&slow);
    delete(&id("gone"));
    slow.wait("T.rowsHeld > 0 && T.pairs().length === 2");
    slow.click(".pair [data-act=reask]");
    slow.wait("T.draft() === 'hello' && T.says('#notice', 'Asking again')");
    slow.wait("T.asks.some((ask) => ask.startsWith('POST /api/preview'))");
    slow.page.settle().unwrap();
    assert_eq!(marked(&slow).len(), 1);
    // There is room for the pair that is marked among those that go along, which are not shown.
    delete(&newest);
    presses_too_early(&bench, &slow);
    slow.keys("Enter");
    assert_eq!(slow.post(0).status, 202);
    bench.agrees();
    assert_eq!(asked(&bench.sent()), Vec::<String>::new());
}
