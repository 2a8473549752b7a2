//! A send that is retried or trimmed, while that happens (API-2, OVF-5, UI-4, FAU-6).

use std::time::Duration;

use plimsoll_testkit::scripted::{Gate, Reply, Step};

use crate::bench::{Workbench, after, answer};

/// A refusal that asks for a wait that no test lives through.
fn wait() -> Reply {
    Reply::rate(Some(Duration::from_secs(50)))
}

/// OVF-5: who changes the filter while a send is tried again is told what that means.
#[test]
fn ovf_5_a_filter_that_changes_during_retries_is_told_and_the_send_can_be_stopped() {
    let Some(bench) = Workbench::open([answer("fine"), wait()]) else { return };
    bench.send("first");
    bench.types("second");
    bench.keys("Enter");
    bench.says(".pair .think", "retry in");
    bench.filter("r5");
    bench.says("#notice", "The filter has changed; the message in flight goes on with what it had");
    // The same for the model alone.
    bench.click("#notice button");
    bench.wait("T.state() === 'cancelled' && !T.shown('#notice')");
    bench.fine();
}

#[test]
fn ovf_5_a_model_that_changes_during_a_trim_is_told_and_the_send_goes_on() {
    let held = Gate::default();
    let last = after([Step::Gate(held.clone())], &Reply::openai(&["short"], 20, 6));
    let replies = [answer("fine"), Reply::overflow(4000, 4100), last];
    let other = |home: &std::path::Path| {
        let file = home.join("models.toml");
        let one = std::fs::read_to_string(&file).unwrap();
        std::fs::write(file, format!("{one}\n{}", one.replace("\"test\"", "\"other\""))).unwrap();
    };
    let Some(bench) = Workbench::at_home(replies, 4096, other, |_| {}) else { return };
    bench.send("first");
    bench.types("second");
    bench.keys("Enter");
    bench.says(".pair .think", "trimming 1 · attempt 2 of 11");
    let change = Some(serde_json::json!({ "model": "other" }));
    bench.served.json("PUT", "/api/view", change);
    bench.says("#notice", "The model has changed; the message in flight goes on");
    held.open();
    bench.wait("T.state() === 'complete' && T.reply() === 'short'");
    bench.wait("!T.says('#notice', 'in flight')");
    assert_eq!(bench.sent()["model"], "test");
    bench.fine();
}

/// The badge tells the call that runs, not the wait that is over.
#[test]
fn ui_4_the_badge_tells_the_attempt_that_runs() {
    let held = Gate::default();
    let last = after([Step::Gate(held.clone())], &answer("fine"));
    let Some(bench) = Workbench::open([Reply::server(), last]) else { return };
    bench.types("ask");
    bench.keys("Enter");
    bench.says(".pair .think", "retry in");
    bench.says(".pair .think", "trying again, 1 of 3");
    assert!(!bench.js::<bool>("T.says('.pair .think', 'retry in')"));
    held.open();
    bench.wait("T.state() === 'complete'");
    bench.fine();
}

/// API-2: the HUD and the list of attempts follow a send while it is trimmed.
#[test]
fn api_2_the_page_follows_the_attempts_of_a_send() {
    let held = Gate::default();
    let last = after([Step::Gate(held.clone())], &Reply::openai(&["short"], 20, 6));
    let replies = [answer("fine"), Reply::overflow(4000, 4100), last];
    let Some(bench) = Workbench::open(replies) else { return };
    bench.send("first");
    bench.types("second");
    bench.keys("Enter");
    bench.wait("T.pairs().length === 2");
    bench.view();
    bench.keys("h");
    bench.says("#hud .attempts", "overflow_initial");
    bench.says("#hud .attempts", "maximum context length is 4000 tokens");
    bench.says("#hud .attempts", "sent");
    bench.keys("G r");
    bench.wait("T.panel() === 'Attempts' && T.says('#panel .attempts', 'overflow_initial')");
    held.open();
    // When it is over the same panel shows its receipt.
    bench.wait("T.panel() === 'Receipt' && T.says('#panel .attempts', 'success')");
    bench.wait("!T.shown('#hud .attempts')");
    bench.fine();
}

/// PAY-1: who waits for the quota is not yet sending, and what is said is what will happen.
#[test]
fn ovf_5_a_filter_that_changes_during_a_wait_for_quota_counts_and_that_is_said() {
    let limited = |home: &std::path::Path| {
        let file = home.join("models.toml");
        let one = std::fs::read_to_string(&file).unwrap();
        std::fs::write(file, format!("{one}rpm = 1\n")).unwrap();
    };
    let Some(bench) = Workbench::at_home([answer("fine")], 4096, limited, |_| {}) else { return };
    bench.send("first");
    bench.types("second");
    bench.keys("Enter");
    bench.says(".pair .think", "requests per minute");
    bench.filter("r5");
    bench.says("#notice", "the waiting message goes with what is visible when its turn comes");
    bench.click("#notice button");
    bench.wait("T.state() === 'cancelled' && !T.shown('#notice')");
    bench.fine();
}
