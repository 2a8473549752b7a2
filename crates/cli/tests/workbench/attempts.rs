//! A send that is retried or trimmed, while that happens (API-2, OVF-5, UI-4, FAU-6).

use std::time::Duration;

use plimsoll_domain::Timestamp;
use plimsoll_store::UsageEntry;
use plimsoll_testkit::scripted::{Gate, Reply, Step};

use crate::{
    bench::{Workbench, after, answer},
    honest::{asked, marked},
    served::store,
};

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

/// A workbench with pairs by the model `test`, and a model `slow` whose only request of this
/// minute was made so long ago that the next one waits for some seconds.
fn with_a_slow_model() -> Option<Workbench> {
    let other = |home: &std::path::Path| {
        let file = home.join("models.toml");
        let one = std::fs::read_to_string(&file).unwrap();
        let slow = one.replace("\"test\"", "\"slow\"");
        std::fs::write(file, format!("{one}\n{slow}rpm = 1\n")).unwrap();
    };
    let bench = Workbench::at_home([answer("fine")], 4096, other, |served| {
        for text in ["q1", "q2", "q3"] {
            served.send(text);
        }
    })?;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let now = i64::try_from(now.as_millis()).unwrap();
    let log = async {
        let data = bench.served.home().join("data");
        let store = store::open(&data, Timestamp::from_millis(now)).await;
        let at = Timestamp::from_millis(now - 40_000);
        store.log_usage("slow", UsageEntry { at, tokens: 1 }).await.unwrap();
    };
    tokio::runtime::Runtime::new().unwrap().block_on(log);
    Some(bench)
}

/// What the newest receipt says of what was seen.
#[track_caller]
fn seen(bench: &Workbench, words: &str) {
    bench.click("#draft");
    bench.view();
    bench.keys("G r");
    bench.says("#panel .seen", words);
}

/// PAY-1, PAY-6: the pair that waits is one of the newest two, and pushes none out of its own
/// history.
#[test]
fn pay_6_what_the_page_marked_goes_when_the_wait_for_quota_is_over() {
    let Some(bench) = with_a_slow_model() else { return };
    let view = serde_json::json!({ "model": "slow", "filter": "r2" });
    bench.served.json("PUT", "/api/view", Some(view));
    bench.wait("T.asked() === 'q2|q3'");
    bench.agrees();
    bench.types("q4");
    bench.keys("Enter");
    let post = bench.post(0);
    assert_eq!((post.status, post.marked), (202, vec!["q2".to_owned(), "q3".to_owned()]));
    bench.says(".pair .think", "requests per minute");
    bench.wait("T.state() === 'complete' && !document.body.classList.contains('sending')");
    assert_eq!(asked(&bench.sent()), ["q2", "q3"]);
    seen(&bench, "sent = seen ✓");
    bench.fine();
}

/// PAY-1: what is visible when its turn comes goes, and it is told that this is not what was
/// there when it was sent.
#[test]
fn pay_6_a_filter_that_changes_during_the_wait_counts_and_the_receipt_tells_the_difference() {
    let Some(bench) = with_a_slow_model() else { return };
    let view = serde_json::json!({ "model": "slow", "filter": "r1" });
    bench.served.json("PUT", "/api/view", Some(view));
    bench.wait("T.asked() === 'q3'");
    bench.agrees();
    bench.types("q4");
    bench.keys("Enter");
    bench.says(".pair .think", "requests per minute");
    bench.filter("");
    bench.wait("T.asked() === 'q1|q2|q3|q4'");
    let shown = marked(&bench);
    bench.says(".toast", "it went with what was visible when its turn came");
    bench.wait("T.state() === 'complete' && !document.body.classList.contains('sending')");
    assert_eq!(asked(&bench.sent()), shown);
    assert_eq!(shown, ["q1", "q2", "q3"]);
    seen(&bench, "changed while it waited");
    bench.fine();
}

/// The filter means what it means for the selectors of the page, not for the model of the send.
#[test]
fn pay_6_a_regenerate_by_another_model_that_waited_goes_with_what_was_marked() {
    let Some(bench) = with_a_slow_model() else { return };
    let view = serde_json::json!({ "model": "test", "filter": "m" });
    bench.served.json("PUT", "/api/view", Some(view));
    bench.wait("T.asked() === 'q1|q2|q3' && T.one('#filter').value === 'm'");
    bench.agrees();
    bench.view();
    bench.keys("G R");
    bench.wait("T.shown('.popup [role=option]')");
    bench.types("slow");
    bench.keys("Enter");
    bench.says("#notice", "Answer again with slow");
    let shown = marked(&bench);
    assert_eq!(shown, ["q1", "q2"]);
    bench.keys("Enter");
    // The pair is one of the other model now, and no longer among those of the filter.
    bench.wait("T.posts.length === 1 && T.asked() === 'q1|q2'");
    bench.wait("!document.body.classList.contains('sending')");
    assert_eq!((asked(&bench.sent()), bench.sent()["model"].as_str()), (shown, Some("slow")));
    let listed = bench.served.json("GET", "/api/receipts?limit=1", None);
    let id = listed["receipts"][0]["id"].as_str().unwrap();
    let receipt = bench.served.json("GET", &format!("/api/receipts/{id}"), None);
    assert_eq!(receipt["seen"], "compared");
    bench.fine();
}
