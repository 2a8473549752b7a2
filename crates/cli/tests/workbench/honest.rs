//! What the page marks as sent is what is sent, in every tab and under every filter (promise 1,
//! PAY-6, UI-17).

use plimsoll_browser::Viewport;
use plimsoll_testkit::scripted::{Gate, Reply, Step};
use serde_json::{Value, json};

use crate::{
    bench::{Screen, Workbench, after, answer},
    budget::choose,
};

/// A page that believes it listens.
pub(crate) const DEAF: &str = "globalThis.EventSource = class extends EventTarget { close() {} };";

/// The questions that the page marks as sent, oldest first.
pub(crate) fn marked(screen: &Screen) -> Vec<String> {
    screen.js("T.pairs().filter((pair) => !pair.classList.contains('ooc'))
           .map((pair) => pair.querySelector('.u .prose').textContent.trim())")
}

/// The questions of a request's history: all user messages but the last.
pub(crate) fn asked(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().unwrap();
    let users = messages.iter().filter(|message| message["role"] == "user");
    let mut texts: Vec<String> =
        users.map(|message| message["content"].as_str().unwrap_or_default().to_owned()).collect();
    texts.pop();
    texts
}

/// Sends from the page, and that what went is what the page had marked.
#[track_caller]
pub(crate) fn sends_what_it_marks(bench: &Workbench, text: &str) -> Vec<String> {
    bench.agrees();
    let (calls, posts) = (bench.calls(), bench.js("T.posts.length"));
    bench.types(text);
    bench.keys("Enter");
    let post = bench.post(posts);
    assert_eq!(post.status, 202, "{}", post.body);
    bench.agrees();
    assert!(bench.calls() > calls);
    let went = asked(&bench.sent());
    assert_eq!(went, post.marked, "what was marked when {text:?} was sent");
    went
}

fn six(window: u64) -> Option<Workbench> {
    Workbench::prepared([answer("fine")], window, |served| {
        for n in 1..=6 {
            served.send(&format!("q{n}"));
        }
    })
}

/// So many equal pairs, of which a small window holds some.
pub(crate) fn equal_pairs(count: usize, window: u64) -> Option<Workbench> {
    Workbench::prepared([answer("fine and equal")], window, |served| {
        for n in 0..count {
            served.send(&format!("question number {n:03}"));
        }
    })
}

/// Filters that look at the line, where it stands among the pairs.
#[test]
fn promise_1_filters_that_look_at_the_line_show_after_each_send_what_they_mean_now() {
    for filter in ["o", "o1", "!o"] {
        let Some(bench) = equal_pairs(12, 260) else { return };
        let aboard = marked(&bench).len();
        assert!(0 < aboard && aboard < 12, "{aboard} of 12: the line is among them");
        bench.filter(filter);
        bench.mode("VIEW");
        bench.keys("Enter");
        bench.mode("INPUT");
        for n in 0..3 {
            bench.agrees();
            let shown = bench.js::<usize>("T.pairs().length");
            assert!(0 < shown && shown < 12 + n, "{filter}: {shown} rows");
            assert!(!marked(&bench).is_empty(), "{filter}: something goes along");
            sends_what_it_marks(&bench, &format!("question number {:03}", 12 + n));
        }
        bench.fine();
    }
}

#[test]
fn promise_1_filters_that_move_show_after_each_send_what_they_mean_now() {
    for (filter, rows) in [("r3", 3), ("t3", 3), ("d<1h", 9)] {
        let Some(bench) = six(4096) else { return };
        bench.filter(filter);
        bench.mode("VIEW");
        bench.keys("Enter");
        bench.mode("INPUT");
        for n in 1..=3 {
            sends_what_it_marks(&bench, &format!("new {n}"));
        }
        assert_eq!(bench.js::<usize>("T.pairs().length"), rows, "{filter}");
        bench.fine();
    }
}

#[test]
fn ui_17_after_clear_history_a_new_context_grows_from_there() {
    let Some(bench) = six(4096) else { return };
    bench.served.json("PUT", "/api/view", Some(json!({"contextFrom": "end"})));
    bench.counter("0 / 6");
    bench.says("#load", "set by hand");
    for (n, text) in ["first", "second", "third"].into_iter().enumerate() {
        sends_what_it_marks(&bench, text);
        bench.counter(&format!("{} / {}", n + 1, n + 7));
    }
    let off: String = bench.js("T.pairs()[0].querySelector('.badge.off').title");
    assert!(off.contains("before the line"), "{off}");
    bench.click("[data-act='use-prediction']");
    bench.counter("9 / 9");
    bench.fine();
}

#[test]
fn h1_regenerate_shows_its_own_boundary_and_sends_it() {
    // Twelve equal pairs, and a window for some of them.
    let Some(bench) = Workbench::prepared([answer("fine and equal")], 400, |served| {
        for n in 0..12 {
            served.send(&format!("question number {n:03}"));
        }
    }) else {
        return;
    };
    bench.view();
    bench.keys("G R");
    bench.wait("T.shown('.popup [role=option]')");
    bench.keys("Enter");
    bench.says("#notice", "Answer again with test");
    // The line stands where that request begins: further up than for a new message.
    let before = marked(&bench);
    assert!(!before.contains(&"question number 011".to_owned()), "{before:?}");
    // The button has the focus: a key is enough.
    bench.keys("Enter");
    let post = bench.post(0);
    assert_eq!((post.status, &post.marked), (202, &before));
    bench.agrees();
    assert_eq!(asked(&bench.sent()), before);
    bench.fine();
}

#[test]
fn pay_6_a_page_that_is_behind_sends_nothing_that_it_does_not_show() {
    let Some(bench) = six(4096) else { return };
    let behind = bench.tab();
    behind.filter("r1");
    behind.wait("T.asked() === 'q6'");
    // From now on it hears no event, and does not know that it does not.
    behind.page.before_load(DEAF).unwrap();
    behind.reload();
    behind.wait("T.asked() === 'q6'");
    bench.filter("");
    bench.wait("T.pairs().length === 6");
    let calls = bench.calls();
    behind.click("#draft");
    behind.types("hello");
    behind.keys("Enter");
    behind.says("#notice", "5 pairs more would be sent");
    assert_eq!(bench.calls(), calls, "nothing was sent");
    behind.wait("T.pairs().length === 6 && T.draft() === 'hello'");
    behind.keys("Enter");
    let post = behind.post(1);
    assert_eq!(post.status, 202, "one key sends what is shown now");
    bench.agrees();
    assert_eq!(asked(&bench.sent()), post.marked);
}

#[test]
fn h2_a_receipt_claims_only_what_was_compared() {
    let Some(bench) = six(4096) else { return };
    // Sent by a program: nobody looked.
    bench.view();
    bench.keys("G r");
    bench.says("#panel .seen", "not compared with a page");
    bench.keys("Escape");
    bench.click("#draft");
    sends_what_it_marks(&bench, "seen");
    bench.view();
    bench.keys("G r");
    bench.says("#panel .seen", "sent = seen ✓");
    bench.fine();
}

/// As it was seen: the provider takes less than was marked, and pairs are left out on the way.
#[test]
fn h2_a_receipt_of_a_trimmed_send_says_that_less_was_sent() {
    let replies = [answer("fine"), Reply::overflow(400, 500), answer("short")];
    let Some(bench) = Workbench::prepared(replies, 4096, |served| {
        served.send("first");
    }) else {
        return;
    };
    bench.types("second");
    bench.keys("Enter");
    let post = bench.post(0);
    assert_eq!((post.status, post.marked), (202, vec!["first".to_owned()]));
    bench.wait("T.state() === 'complete' && T.reply() === 'short'");
    assert_eq!(asked(&bench.sent()), [] as [String; 0], "the pair was left out");
    bench.view();
    bench.keys("G r");
    bench.says("#panel .seen", "then sent with less than it showed");
    assert!(!bench.js::<bool>("T.says('#panel', 'sent = seen')"));
    bench.fine();
}

/// UI-17: what was asked for in the dialog holds for the sends after it.
#[test]
fn ui_17_after_clear_history_in_the_dialog_each_send_goes_with_what_is_marked() {
    let Some(bench) = Workbench::prepared([Reply::openai(&["fine"], 0, 6)], 400, |served| {
        served.send(&"word ".repeat(120));
    }) else {
        return;
    };
    bench.page.insert_text(&"more ".repeat(250)).unwrap();
    bench.keys("Enter");
    bench.wait("T.one('dialog[open]')");
    choose(&bench, "clear");
    bench.wait("T.pairs().length === 2 && T.state() === 'complete' && T.draft() === ''");
    assert_eq!(asked(&bench.sent()), [] as [String; 0], "the message alone");
    bench.says("#load", "set by hand");
    for text in ["first", "second"] {
        bench.click("#draft");
        sends_what_it_marks(&bench, text);
        assert!(!bench.sent().to_string().contains("word"), "what was cleared is not sent");
        bench.says("#load", "set by hand");
    }
    assert!(marked(&bench).contains(&"first".to_owned()));
    bench.fine();
}

#[test]
fn h6_no_pair_is_drawn_twice_however_rows_and_scrolling_meet() {
    let Some(bench) = Workbench::prepared([answer("fine")], 100_000, |served| {
        for n in 0..30 {
            served.send(&format!("pair {n}"));
        }
    }) else {
        return;
    };
    bench.filter("r1");
    bench.wait("T.asked() === 'pair 29'");
    // Rows are held back while the pane is scrolled under them.
    bench.js::<Value>("(T.rowsAfter = new Promise((go) => { T.go = go; }), null)");
    bench.filter("");
    bench.wait("T.rowsHeld > 0");
    bench.js::<Value>(
        "(() => { for (let i = 0; i < 20; i += 1) T.pane().dispatchEvent(new Event('scroll')); return null; })()",
    );
    bench.page.settle().unwrap();
    bench.js::<Value>("(T.rowsAfter = null, T.go(), null)");
    bench.wait("T.pairs().length >= 20");
    bench.page.settle().unwrap();
    let ids: Vec<String> = bench.js("T.pairs().map((pair) => pair.dataset.id)");
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len(), "{ids:?}");
    bench.agrees();
    bench.fine();
}

/// A random day found it: rows that were on their way while one of them was changed were shown
/// as they had been.
#[test]
fn promise_1_a_row_that_is_edited_while_it_is_fetched_is_shown_as_it_is() {
    let Some(bench) = Workbench::prepared([answer("fine")], 100_000, |served| {
        for n in 0..60 {
            served.send(&format!("pair {n}"));
        }
    }) else {
        return;
    };
    bench.page.viewport(Viewport::new(900, 500)).unwrap();
    bench.reload();
    let first: usize = bench.js("Number(T.pairs()[0].dataset.at)");
    assert!(first > 0, "all rows are there already");
    let pairs = bench.served.json("GET", "/api/pairs?from=0&limit=200", None);
    let id = |at: usize| pairs["pairs"][at]["id"].as_str().unwrap().to_owned();
    let edit = |at: usize, text: &str| {
        let path = format!("/api/pairs/{}", id(at));
        bench.served.json("PATCH", &path, Some(json!({ "userText": text })));
    };
    // The next rows above are asked for, and their answer is held back.
    bench.js::<Value>("(T.hold('/ui/rows'), T.pane().scrollTo(0, 0), null)");
    bench.wait("T.waiting.length > 0");
    for at in 0..first {
        edit(at, &format!("edited {at}"));
    }
    // Events come in order: when this one is shown, those before it were heard.
    edit(59, "the last one");
    bench.wait("T.asked().endsWith('the last one')");
    bench.js::<Value>("(T.letGo(), null)");
    bench.agrees();
    bench.wait("T.pairs()[0].dataset.at === '0'");
    bench.agrees();
    bench.fine();
}

#[test]
fn pay_6_a_send_in_flight_is_another_refusal() {
    let gate = Gate::default();
    let slow = after([Step::Gate(gate.clone())], &answer("late"));
    let Some(bench) = Workbench::open([slow, Reply::openai(&["x"], 5, 5)]) else { return };
    bench.types("first");
    bench.keys("Enter");
    bench.wait("document.body.classList.contains('sending')");
    let body = json!({"text": "second", "seen": {"view": 1, "digest": "0000000000000000"}});
    bench.served.refused("POST", "/api/send", Some(body), 409, "view_changed");
    bench.served.refused("POST", "/api/send", Some(json!({"text": "b"})), 409, "send_in_flight");
    gate.open();
    bench.wait("T.state() === 'complete'");
}

/// PAY-6: while a pair that goes along is edited, the page shows one text of it and another would
/// go.
#[test]
fn pay_6_nothing_is_sent_beside_an_open_edit() {
    let Some(bench) = six(4096) else { return };
    bench.view();
    bench.keys("i");
    bench.wait("document.activeElement.matches('form.edit textarea')");
    bench.types(" REMOVED");
    bench.click("#draft");
    bench.types("And now?");
    let calls = bench.calls();
    bench.keys("Enter");
    bench.says("#notice", "a pair that goes along is being edited");
    assert_eq!(bench.calls(), calls);
    bench.click("#notice button");
    bench.wait("document.activeElement.matches('form.edit textarea')");
    bench.keys("Ctrl+Enter");
    bench.wait("!T.one('form.edit')");
    bench.click("#draft");
    bench.agrees();
    bench.keys("Enter");
    bench.wait("T.pairs().length === 7 && T.state() === 'complete'");
    assert!(bench.sent().to_string().contains("q6 REMOVED"));
    bench.fine();
}

/// HIS-5: what another tab made of a pair is not overwritten unseen.
#[test]
fn his_5_an_edit_of_a_text_that_changed_elsewhere_is_not_saved() {
    let Some(bench) = six(4096) else { return };
    bench.view();
    bench.keys("i");
    bench.wait("document.activeElement.matches('form.edit textarea')");
    let id: String = bench.js("T.last().dataset.id");
    let elsewhere = json!({"userText": "q6, better"});
    bench.served.json("PATCH", &format!("/api/pairs/{id}"), Some(elsewhere));
    bench.types(" here");
    bench.keys("Ctrl+Enter");
    bench.says("form.edit .problem", "changed elsewhere");
    let kept = bench.served.json("GET", &format!("/api/pairs/{id}"), None);
    assert_eq!(kept["userText"], "q6, better");
    bench.fine();
}
