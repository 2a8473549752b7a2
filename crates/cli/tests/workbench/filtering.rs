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
    bench.says("#filter-menu", "No pair has");
    bench.fine();
}
