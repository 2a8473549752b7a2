//! The selection is on screen, and what is deleted can be brought back (REC-5, BND-8, UI-16).

use plimsoll_testkit::scripted::Reply;
use serde_json::json;

use crate::bench::{Workbench, answer, tall};

/// Three answered pairs, the middle one tall, and a question whose key was refused.
fn with_an_error() -> Option<Workbench> {
    let replies = [answer("one"), answer(&tall()), answer("three"), Reply::auth()];
    let bench = Workbench::prepared(replies, 8192, |served| {
        for text in ["alpha", "beta", "gamma"] {
            served.send(text);
        }
    })?;
    bench.types("failed");
    bench.keys("Enter");
    bench.wait("T.state() === 'error'");
    bench.view();
    bench.wait("T.current() === 3");
    Some(bench)
}

#[test]
fn bnd_8_no_key_is_about_a_pair_that_is_out_of_sight() {
    let Some(bench) = with_an_error() else { return };
    bench.keys("G");
    bench.wait("T.current() === 3 && T.atBottom()");
    bench.keys("Shift+O");
    bench.wait("T.current() === 0 && T.inView(T.one('.pair.current'))");
    bench.keys("d");
    // It is about what is seen: an answered pair, which is asked about first.
    bench.says("dialog", "alpha");
    bench.wait("document.activeElement.textContent.startsWith('Cancel')");
    bench.keys("Enter");
    bench.wait("!T.one('dialog') && T.pairs().length === 4");
    // The selection goes along with who scrolls.
    bench.keys("G");
    bench.wait("T.current() === 3");
    bench.page.wheel("#history", 0.0, -900.0).unwrap();
    bench.wait("!T.inView(T.last()) && T.current() !== 3 && T.inView(T.one('.pair.current'))");
    bench.keys("G");
    bench.wait("T.current() === 3");
    bench.keys("K");
    bench.wait("T.current() === 2");
    bench.fine();
}

#[test]
fn rec_5_an_error_that_went_without_a_question_comes_back() {
    let Some(bench) = with_an_error() else { return };
    bench.keys("d");
    bench.wait("T.asked() === 'alpha|beta|gamma'");
    bench.says(".toast", "Deleted “failed”");
    bench.keys("u");
    bench.wait("T.asked() === 'alpha|beta|gamma|failed' && T.state() === 'error'");
    bench.says(".toast", "is back");
    bench.keys("u");
    bench.says(".toast", "nothing to take back");
    bench.fine();
}

#[test]
fn rec_5_what_was_deleted_comes_back_in_its_place_in_every_tab_and_after_a_reload() {
    let Some(bench) = with_an_error() else { return };
    bench.served.json("POST", "/api/command", Some(json!({ "text": "c'beta' :star 2" })));
    let before: String = bench.js("T.pairs().map((pair) => pair.dataset.id).join()");
    let other = bench.tab();
    bench.keys("g J");
    bench.wait("T.current() === 1");
    bench.keys("d");
    bench.says("dialog", "That can be undone for 24 hours");
    bench.keys("Shift+Tab Enter");
    bench.wait("T.asked() === 'alpha|gamma|failed'");
    other.wait("T.asked() === 'alpha|gamma|failed'");
    bench.click(".toast .btn");
    for screen in [&*bench, &other] {
        screen.wait("T.asked() === 'alpha|beta|gamma|failed'");
        assert_eq!(screen.js::<String>("T.pairs().map((pair) => pair.dataset.id).join()"), before);
        screen.wait("T.one('.pair[data-at=\"1\"]').dataset.star === '2'");
    }
    // A filter's pairs are one step; the list of deletions outlives the page.
    bench.filter("s>=0 & !e :delete");
    bench.says("dialog", "Delete 3 pairs of all conversations?");
    bench.click("dialog .btn.danger");
    bench.wait("T.asked() === 'failed'");
    bench.reload();
    bench.view();
    bench.keys("D");
    bench.says("#panel", "3 pairs");
    bench.click("#panel .deletions .btn");
    bench.wait("T.asked() === 'alpha|beta|gamma|failed'");
    bench.says("#panel", "Nothing was deleted lately");
    bench.fine();
}

#[test]
fn rec_5_delete_for_good_leaves_nothing_to_bring_back() {
    let Some(bench) = with_an_error() else { return };
    bench.keys("d");
    bench.wait("T.pairs().length === 3");
    bench.keys("D");
    bench.says("#panel", "failed");
    bench.click("#panel .deletions .btn.danger");
    bench.says("dialog", "can then not be brought back");
    bench.click("dialog .btn.danger");
    bench.says("#panel", "Nothing was deleted lately");
    bench.fine();
}

#[test]
fn ui_12_what_was_written_into_a_pair_that_others_delete_comes_back_with_it() {
    let Some(bench) = Workbench::prepared([answer("fine")], 4096, |served| {
        served.send("first");
        served.send("second");
    }) else {
        return;
    };
    bench.view();
    bench.keys("G i");
    bench.wait("document.activeElement.matches('form.edit textarea')");
    bench.keys("Ctrl+A");
    bench.types("precious words");
    let id: String = bench.js("T.last().dataset.id");
    bench.served.json("DELETE", &format!("/api/pairs/{id}"), None);
    bench.wait("T.asked() === 'first'");
    bench.says(".toast", "was deleted");
    bench.click(".toast .btn");
    bench.wait("T.pairs().length === 2 && T.one('form.edit textarea')?.value === 'precious words'");
    bench.fine();
}
