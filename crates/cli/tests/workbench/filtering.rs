//! The box at the top: filters, commands, searches (UI-1, FLT-4 to FLT-6, HIS-7).

use crate::bench::{Workbench, answer};

/// Three answered pairs.
fn three() -> Option<Workbench> {
    Workbench::prepared([answer("fine")], 4096, |served| {
        for text in ["alpha", "beta", "gamma"] {
            served.send(text);
        }
    })
}

/// Waits until the earlier queries are there, which are asked for when the box is entered.
fn queries_known(bench: &Workbench, times: usize) {
    bench.wait(&format!(
        "performance.getEntriesByType('resource')
           .filter((entry) => entry.name.endsWith('/api/queries')).length >= {times}"
    ));
    bench.page.settle().unwrap();
}

#[test]
fn ui_1_a_filter_decides_what_is_seen_and_a_wrong_one_changes_nothing() {
    let Some(bench) = three() else { return };
    bench.counter("3 / 3");
    bench.keys("Escape Escape");
    bench.mode("COMMAND");
    bench.types("r1");
    bench.keys("Enter");
    bench.mode("VIEW");
    bench.wait("T.asked() === 'gamma'");
    bench.counter("1 / 1");
    bench.says("#load", "0 ashore · 1 aboard");
    bench.keys("/");
    bench.mode("COMMAND");
    bench.types("r1 s9");
    bench.keys("Enter");
    bench.says("#filter-error", "^");
    bench.wait("T.one('#filter').getAttribute('aria-invalid') === 'true'");
    assert_eq!(bench.js::<String>("T.asked()"), "gamma", "the last good filter stays");
    assert_eq!(bench.served.json("GET", "/api/state", None)["view"]["filter"], "r1");
    bench.keys("Escape");
    bench.mode("VIEW");
    bench.wait("T.one('#filter').value === 'r1' && !T.shown('#filter-error')");
    // A filter without a match says so, and the way back is a click.
    bench.filter("s3");
    bench.says("#history .empty", "No pair matches");
    bench.click("#history .empty button");
    bench.wait("T.asked() === 'alpha|beta|gamma'");
    bench.fine();
}

#[test]
fn flt_6_earlier_filters_come_back_and_tab_completes() {
    let Some(bench) = three() else { return };
    bench.filter("r1");
    bench.wait("T.asked() === 'gamma'");
    bench.mode("VIEW");
    bench.filter("r2");
    bench.wait("T.asked() === 'beta|gamma'");
    bench.mode("VIEW");
    bench.keys("Escape");
    queries_known(&bench, 3);
    bench.keys("ArrowUp");
    bench.wait("T.one('#filter').value === 'r1'");
    bench.keys("ArrowDown");
    bench.wait("T.one('#filter').value === 'r2'");
    bench.keys("Ctrl+A Delete");
    bench.types("m't");
    bench.wait("T.says('#filter-menu [role=option]', \"test'\")");
    bench.keys("Tab");
    bench.wait("T.one('#filter').value === \"m'test'\"");
    bench.keys("Enter");
    bench.mode("VIEW");
    bench.wait("T.asked() === 'alpha|beta|gamma'");
    bench.fine();
}

#[test]
fn flt_5_commands_are_taken_back_or_asked_about() {
    let Some(bench) = three() else { return };
    bench.filter("c'alpha' :star 2");
    bench.wait("T.pairs()[0].dataset.star === '2' && T.pairs()[1].dataset.star === '0'");
    bench.mode("VIEW");
    bench.says(".toast", "starred");
    bench.click(".toast .btn");
    bench.wait("T.pairs()[0].dataset.star === '0'");
    bench.filter("c'alpha' :delete");
    bench.says("dialog", "can be brought back for 24 hours");
    bench.keys("Escape");
    bench.wait("!T.one('dialog')");
    assert_eq!(bench.js::<String>("T.asked()"), "alpha|beta|gamma");
    bench.keys("Enter");
    bench.says("dialog", "can be brought back for 24 hours");
    bench.click("dialog .btn.danger");
    bench.wait("T.asked() === 'beta|gamma'");
    bench.counter("2 / 2");
    // What a moving filter means changes as pairs come, so nothing is deleted by one.
    bench.filter("r1 :delete");
    bench.says(".toast.error", "r");
    assert_eq!(bench.js::<String>("T.asked()"), "beta|gamma");
    bench.fine();
}

#[test]
fn his_7_plain_words_offer_a_search() {
    let Some(bench) = three() else { return };
    bench.filter("r1");
    bench.wait("T.asked() === 'gamma'");
    bench.mode("VIEW");
    bench.keys("Escape");
    bench.types("alpha");
    bench.wait("T.one('#filter-menu mark')?.textContent === 'alpha'");
    bench.says("#filter-menu", "hidden by the filter");
    // The hit is behind the filter, which goes so that it can be seen.
    bench.keys("ArrowDown Enter");
    bench.wait("T.asked() === 'alpha|beta|gamma' && T.current() === 0");
    bench.mode("VIEW");
    bench.filter("no such words");
    bench.says("#hits h2", "No pair has “no such words”");
    // What is meant as a filter after all is told its mistake.
    bench.click("#hits .btn:not([hidden])");
    bench.says("#filter-error", "^");
    bench.fine();
}

/// What the server says is visible, and so may be sent.
fn view_of(bench: &Workbench) -> (serde_json::Value, serde_json::Value) {
    let state = bench.served.json("GET", "/api/state", None);
    (state["view"]["filter"].clone(), state["boundary"].clone())
}

#[test]
fn ui_20_words_search_and_enter_lists_all_hits_over_the_history() {
    let Some(bench) = Workbench::prepared([answer("a **bold** reply")], 4096, |served| {
        for n in 1..=12 {
            served.send(&format!("ship number {n}"));
        }
        served.send("something else");
    }) else {
        return;
    };
    bench.filter("!e");
    bench.mode("VIEW");
    let before = view_of(&bench);
    bench.filter("ship");
    bench.says("#hits h2", "12 hits for “ship”, the best first");
    bench.wait("document.querySelectorAll('#hits [role=option]').length === 12");
    bench.wait("!T.shown('#filter-error') && !T.one('#filter').hasAttribute('aria-invalid')");
    // The list covers the history and nothing else, and changes nothing of what is sent.
    bench.wait("T.shown('#draft') && T.pairs().length > 0");
    assert_eq!(view_of(&bench), before);
    bench.accessible("hits");
    // The arrows walk; the buttons above are a Tab away.
    bench.keys("ArrowDown ArrowDown");
    bench.wait("T.one('#hits [aria-selected=true]')?.dataset.i === '2'");
    bench.wait("T.one('#filter').getAttribute('aria-activedescendant') === 'hits-list-2'");
    bench.keys("Tab");
    bench.wait("document.activeElement.textContent === 'Use as filter' && T.shown('#hits')");
    bench.keys("Escape");
    bench.wait("document.activeElement.id === 'filter' && T.shown('#hits')");
    // Esc closes it, and nothing has changed.
    bench.keys("Escape");
    bench.mode("VIEW");
    bench.wait("!T.shown('#hits') && T.one('#filter').value === '!e'");
    assert_eq!(view_of(&bench), before);
    // A click opens a hit.
    bench.filter("number 3");
    bench.says("#hits h2", "1 hit");
    bench.click("#hits [role=option]");
    bench.wait("!T.shown('#hits') && T.current() === 2");
    assert_eq!(view_of(&bench), before);
    // So does Enter on it, and no sign of Markdown is shown.
    bench.filter("bold");
    bench.says("#hits h2", "13 hits");
    bench.wait(
        "T.one('#hits mark')?.textContent === 'bold' && !T.one('#hits').textContent.includes('**')",
    );
    bench.keys("Enter");
    bench.wait("!T.shown('#hits') && T.current() >= 0");
    bench.filter("ship number");
    bench.says("#hits h2", "12 hits");
    bench.click("#hits .btn");
    bench.wait("T.one('#filter').value === \"c'ship' c'number'\" && T.pairs().length === 12");
    bench.counter("12 / 12");
    bench.fine();
}

#[test]
fn ui_20_a_word_that_is_a_filter_too_asks_which_was_meant() {
    let Some(bench) = Workbench::prepared([answer("fine")], 4096, |served| {
        served.send("the age of sail");
        served.send("something else");
    }) else {
        return;
    };
    bench.filter("age");
    bench.says("#filter-menu", "Search for the word “age”");
    bench.says("#filter-menu", "Use age as a filter");
    assert_eq!(view_of(&bench).0, "", "nothing is decided before the answer");
    bench.keys("Enter");
    bench.says("#hits h2", "1 hit for “age”");
    bench.keys("Enter");
    bench.wait("!T.shown('#hits') && T.current() === 0");
    bench.wait("T.asked() === 'the age of sail|something else'");
    bench.filter("bag");
    bench.says("#filter-menu", "in no pair");
    bench.keys("ArrowDown Enter");
    bench.says("#history .empty", "No pair matches");
    assert_eq!(view_of(&bench).0, "bag");
    bench.fine();
}

#[test]
fn ui_20_an_empty_box_offers_filters_and_the_best_completion_is_taken_by_enter() {
    let Some(bench) = three() else { return };
    bench.served.json("PUT", "/api/filters/work", Some(serde_json::json!({"text": "c'alpha'"})));
    bench.filter("r1");
    bench.wait("T.asked() === 'gamma'");
    bench.mode("VIEW");
    bench.filter("");
    bench.wait("T.asked() === 'alpha|beta|gamma'");
    bench.mode("VIEW");
    bench.click("#filter");
    for offer in ["r1", "@work", "last 24 hours", "starred"] {
        bench.says("#filter-menu [role=option]", offer);
    }
    bench.accessible("offered filters");
    // Tab goes on: nothing of it is taken by who only passes.
    bench.keys("Tab");
    bench.wait("document.activeElement.id !== 'filter' && !T.shown('#filter-menu')");
    assert_eq!(view_of(&bench).0, "");
    bench.click("#filter");
    bench.says("#filter-menu", "@work");
    bench.keys("ArrowDown ArrowDown Enter");
    bench.wait("T.asked() === 'alpha' && T.one('#filter').value === '@work'");
    bench.mode("VIEW");
    // An open quote has its best completion selected; Enter takes it, and then applies it.
    bench.click("#filter");
    bench.keys("Ctrl+A Delete");
    bench.types("m't");
    bench.wait("T.one('#filter-menu [aria-selected=true]')?.textContent.startsWith(\"test'\")");
    bench.keys("Enter");
    bench.wait("T.one('#filter').value === \"m'test'\" && !T.shown('#filter-error')");
    bench.keys("Enter");
    bench.mode("VIEW");
    bench.wait("T.asked() === 'alpha|beta|gamma'");
    // What reads as no words and is no filter says where it is wrong, and offers the search.
    bench.filter("it's alpha");
    bench.says("#filter-error", "^");
    bench.click("#filter-error button");
    // "it" and "s" say nothing, so that the one word that does is enough (MEM-10).
    bench.says("#hits h2", "1 hit for “it's alpha”");
    bench.fine();
}
