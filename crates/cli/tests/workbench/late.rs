//! Keys that are pressed while the page is behind, or while it shows the marks of another
//! request: nothing goes that was not on screen, and what the page says of it is true (PAY-6).

use plimsoll_testkit::scripted::{Gate, Reply, ScriptedServer, Step};
use serde_json::json;

use crate::{
    behind::{hold_rows, let_rows_go},
    bench::{Screen, Workbench, after, answer, tall},
    honest::{DEAF, asked, marked},
};

/// A page whose events never come, and that knows it.
const CUT_OFF: &str = "globalThis.EventSource = class extends EventTarget {
  constructor() { super(); setTimeout(() => this.onerror?.(new Event('error'))); }
  close() {}
};";

/// Twelve equal pairs, and a window for some of them: an answer again begins further up.
fn twelve() -> Option<Workbench> {
    Workbench::prepared([answer("fine and equal")], 260, |served| {
        for n in 0..12 {
            served.send(&format!("question number {n:03}"));
        }
    })
}

/// Asks to answer the newest pair again; what would go along is drawn.
pub(crate) fn previews(screen: &Screen) -> Vec<String> {
    screen.view();
    screen.keys("G R");
    screen.wait("T.shown('.popup [role=option]')");
    screen.keys("Enter");
    screen.says("#notice", "Answer again with test");
    marked(screen)
}

#[test]
fn pay_6_who_turns_to_the_message_box_sees_what_goes_with_the_message() {
    let Some(bench) = twelve() else { return };
    let again = previews(&bench);
    bench.click("#draft");
    bench.wait("!T.says('#notice', 'Answer again')");
    bench.agrees();
    assert_ne!(marked(&bench), again);
    bench.types("something else");
    bench.keys("Enter");
    let post = bench.post(0);
    assert_eq!(post.status, 202, "{}", post.body);
    bench.agrees();
    assert_eq!(asked(&bench.sent()), post.marked);
    bench.fine();
}

#[test]
fn pay_6_send_never_takes_the_marks_of_an_answer_again_for_those_of_the_message() {
    let Some(bench) = twelve() else { return };
    bench.types("a draft");
    previews(&bench);
    let calls = bench.calls();
    // The button sends the draft, whose marks are not on screen yet.
    bench.click("#send");
    bench.says("#notice", "Enter sends it");
    bench.agrees();
    assert_eq!((bench.calls(), bench.js::<usize>("T.posts.length")), (calls, 0));
    bench.click("#draft");
    bench.keys("Enter");
    let post = bench.post(0);
    assert_eq!(post.status, 202, "{}", post.body);
    bench.agrees();
    assert_eq!(asked(&bench.sent()), post.marked);
    bench.fine();
}

#[test]
fn snd_8_the_words_of_an_answer_again_follow_what_others_change() {
    let Some(bench) = twelve() else { return };
    let other = bench.tab();
    let before = previews(&bench);
    let words = format!("{} pairs before it", before.len());
    bench.says("#notice", &words);
    bench.counter(&format!("{} / 12", before.len()));
    // A pair that goes along is edited to a longer one: there is room for fewer.
    let id: String = other.js("T.pairs().at(-2).dataset.id");
    let text = "a much longer question than all of the others were. ".repeat(3);
    let edit = serde_json::json!({ "userText": text.trim() });
    bench.served.json("PATCH", &format!("/api/pairs/{id}"), Some(edit));
    bench.wait(&format!("!T.says('#notice', '{words}') && T.says('#notice', 'Answer again with')"));
    let now = marked(&bench);
    bench.says("#notice", &format!("{} pairs before it", now.len()));
    bench.counter(&format!("{} / 12", now.len()));
    // The button still has the focus.
    bench.keys("Enter");
    let post = bench.post(0);
    assert_eq!(post.status, 202, "{}", post.body);
    bench.agrees();
    assert_eq!(asked(&bench.sent()), post.marked);
    bench.fine();
}

#[test]
fn bnd_7_an_answer_again_of_the_only_pair_is_not_said_to_be_without_room() {
    let Some(bench) = Workbench::prepared([answer("fine")], 4096, |served| {
        served.send("only");
    }) else {
        return;
    };
    assert_eq!(previews(&bench), [] as [String; 0]);
    bench.says("#notice", "nothing else is sent along");
    bench.counter("0 / 1");
    assert!(!bench.js::<bool>("T.one('#load').textContent.includes('does not fit')"));
    bench.fine();
}

#[test]
fn snd_8_an_answer_again_that_was_refused_is_sent_by_its_button() {
    let Some(bench) = twelve() else { return };
    let behind = bench.tab();
    behind.page.before_load(DEAF).unwrap();
    behind.reload();
    previews(&behind);
    // Somebody deletes a pair that would go along; this tab does not hear of it.
    let id: String = bench.js("T.pairs().at(-2).dataset.id");
    bench.served.json("DELETE", &format!("/api/pairs/{id}"), None);
    let calls = bench.calls();
    behind.keys("Enter");
    behind.says("#notice", "the button sends what is shown");
    assert_eq!((behind.post(0).status, bench.calls()), (409, calls));
    let shown = marked(&behind);
    behind.says("#notice", &format!("{} pairs before it", shown.len()));
    behind.keys("Enter");
    let post = behind.post(1);
    assert_eq!((post.status, &post.marked), (202, &shown));
    bench.agrees();
    assert_eq!(asked(&bench.sent()), shown);
}

/// The question itself is shown too: one that was edited elsewhere is not asked unseen.
#[test]
fn pay_6_a_question_that_was_edited_is_not_answered_anew_before_it_is_shown() {
    let Some(bench) = twelve() else { return };
    let behind = bench.tab();
    behind.page.before_load(DEAF).unwrap();
    behind.reload();
    previews(&behind);
    let id: String = bench.js("T.pairs().at(-1).dataset.id");
    let edit = serde_json::json!({ "userText": "another question" });
    bench.served.json("PATCH", &format!("/api/pairs/{id}"), Some(edit));
    let calls = bench.calls();
    behind.keys("Enter");
    behind.says("#notice", "the button sends what is shown");
    assert_eq!((behind.post(0).status, bench.calls()), (409, calls));
    behind.wait("T.last().querySelector('.u').textContent.includes('another question')");
    behind.keys("Enter");
    assert_eq!(behind.post(1).status, 202);
    bench.agrees();
    let sent = bench.sent();
    let last = sent["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(last["content"], "another question");
}

#[test]
fn pay_6_a_system_message_that_is_missing_on_screen_is_not_sent() {
    let Some(bench) = Workbench::prepared([answer("fine")], 4096, |served| {
        served.send("first");
        let topics = served.json("GET", "/api/topics", None);
        let id = topics["topics"][0]["id"].as_str().unwrap().to_owned();
        let change = json!({ "systemMessage": "Be brief." });
        served.json("PATCH", &format!("/api/topics/{id}"), Some(change));
    }) else {
        return;
    };
    bench.wait("T.says('.prelude[data-part=system]', 'System message')");
    // Two parts of the history that were fetched while the line moved from one to the other
    // have neither the line nor what stands at it.
    bench.js::<()>("document.querySelectorAll('#load, .prelude').forEach((row) => row.remove())");
    let calls = bench.calls();
    bench.types("second");
    bench.keys("Enter");
    bench.says("#notice", "Enter sends what is shown");
    assert_eq!(bench.calls(), calls, "it was sent although nobody could see it");
    bench.wait("T.says('.prelude[data-part=system]', 'System message')");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.asked() === 'first|second'");
    assert_eq!(bench.sent()["messages"][0]["content"], "Be brief.");
    bench.agrees();
    bench.fine();
}

#[test]
fn snd_8_the_line_of_an_answer_again_stands_where_that_of_the_message_is_out_of_sight() {
    let server = ScriptedServer::chats([answer("fine")]).unwrap();
    let address = server.base_url();
    let small = |home: &std::path::Path| {
        let mut models = std::fs::read_to_string(home.join("models.toml")).unwrap();
        models.push_str(&format!(
            "[[model]]\nid = \"small\"\nprovider = \"openai\"\nbaseUrl = \"{address}\"\n\
             keyEnv = \"PLIMSOLL_TEST_KEY\"\ncontextWindow = 330\n"
        ));
        std::fs::write(home.join("models.toml"), models).unwrap();
    };
    let Some(bench) = Workbench::before(server, 100_000, small, |served| {
        let topic = json!({ "path": "/General", "systemMessage": "Be brief." });
        served.json("POST", "/api/topics", Some(topic));
        for n in 0..90 {
            served.send(&format!("question number {n:03}"));
        }
    }) else {
        return;
    };
    // All of it goes along with a message: the line is far above what is loaded.
    bench.wait("T.pairs().length > 0 && !T.one('#load') && T.counter() === '90 / 90'");
    bench.view();
    bench.keys("G R");
    bench.wait("T.shown('.popup [role=option]')");
    bench.types("small");
    bench.wait("T.one('.popup [role=option]').textContent.startsWith('small')");
    bench.keys("Enter");
    bench.says("#notice", "Answer again with small");
    bench.wait("T.says('.prelude[data-part=system]', 'System message')");
    let line = "(() => { const rows = [...document.querySelectorAll('#rows #load, #rows .pair')];
       return rows.slice(rows.findIndex((row) => row.id === 'load') + 1).findIndex((row) => row.classList.contains('ooc')); })()";
    let marked: usize =
        bench.js("T.pairs().filter((pair) => !pair.classList.contains('ooc')).length");
    assert!(marked > 2 && marked < 40, "{marked}");
    assert_eq!(bench.js::<usize>(line), marked, "all that goes along stands right below the line");
    bench.keys("Enter");
    assert_eq!(bench.post(0).status, 202);
    assert_eq!(asked(&bench.sent()).len(), marked);
    bench.wait("T.state() === 'complete' && !document.body.classList.contains('sending')");
    bench.fine();
}

#[test]
fn pay_6_a_question_again_goes_to_no_model_that_the_page_does_not_show() {
    let Some(bench) = Workbench::open([Reply::auth(), answer("fine")]) else { return };
    bench.types("What now?");
    bench.keys("Enter");
    bench.wait("T.state() === 'error'");
    let choose = |model| bench.served.json("PUT", "/api/view", Some(json!({ "model": model })));
    choose("other-model");
    bench.wait("T.one('#model').dataset.id === 'other-model'");
    // The page hears late that the model is the pair's own again.
    bench.js::<()>("(T.deaf = true, T.hold('/api/view', '/api/state'))");
    choose("test");
    bench.click(".pair [data-act=reask]");
    bench.wait("T.draft() === 'What now?' && T.waiting.length > 0");
    bench.wait("T.asks.some((ask) => ask === 'POST /api/preview')");
    bench.page.settle().unwrap();
    assert_eq!(bench.js::<String>("T.one('#model').dataset.id"), "other-model");
    let calls = bench.calls();
    bench.keys("Enter");
    bench.page.settle().unwrap();
    bench.js::<()>("T.letGo()");
    bench.says("#notice", "changed as you sent it");
    assert_eq!(bench.calls(), calls, "it went to a model that was not on screen");
    bench.wait("T.one('#model').dataset.id === 'test'");
    bench.keys("Enter");
    assert_eq!(bench.post(0).status, 202);
    assert_eq!(bench.sent()["model"], "test");
    bench.js::<()>("(T.deaf = false, T.cut(), T.mend())");
    bench.wait("T.state() === 'complete'");
    bench.agrees();
}

#[test]
fn snd_7_after_a_reload_a_question_that_is_asked_again_goes_without_its_old_pair() {
    let replies = [answer("fine"), Reply::stalls_after(&["half "]), answer("whole")];
    let Some(bench) = Workbench::open(replies) else { return };
    bench.send("first");
    bench.types("ask");
    bench.keys("Enter");
    bench.wait("T.reply() === 'half'");
    bench.keys("Ctrl+C");
    bench.wait("T.state() === 'cancelled'");
    // A part of an answer is sent along, but not with its own question.
    bench.counter("2 / 2");
    bench.view();
    bench.keys("G e");
    bench.says("#notice", "Asking again");
    bench.wait("T.last().classList.contains('ooc')");
    bench.reload();
    bench.says("#notice", "Asking again");
    bench.wait("T.last().classList.contains('ooc')");
    bench.click("#draft");
    bench.keys("Enter");
    let post = bench.post(0);
    assert_eq!((post.status, post.marked), (202, vec!["first".to_owned()]));
    bench.wait("T.state() === 'complete' && T.reply() === 'whole'");
    assert_eq!(asked(&bench.sent()), ["first"]);
    bench.agrees();
    bench.fine();
}

#[test]
fn ui_5_a_tall_reply_is_shown_though_a_filter_that_moves_fetches_its_row_late() {
    let gate = Gate::default();
    let late = after([Step::Gate(gate.clone())], &answer(&tall()));
    let Some(bench) = Workbench::open([answer("fine"), late]) else { return };
    bench.send("first");
    bench.filter("r1");
    bench.mode("VIEW");
    bench.click("#draft");
    bench.agrees();
    hold_rows(&bench);
    bench.types("tell me");
    bench.keys("Enter");
    bench.wait("T.rowsHeld > 0");
    gate.open();
    bench.wait("!document.body.classList.contains('sending')");
    bench.page.settle().unwrap();
    let_rows_go(&bench);
    bench.mode("VIEW");
    bench.wait("T.asked() === 'tell me'");
    // It is on screen: nothing says that it is elsewhere.
    bench.wait("Math.abs(T.last().querySelector('.a').getBoundingClientRect().top - T.pane().getBoundingClientRect().top) < 40");
    assert!(!bench.js::<bool>("T.says('.toast', 'further down')"));
    bench.fine();
}

#[test]
fn snd_7_a_question_whose_old_pair_is_gone_is_a_message_like_any_other() {
    for deaf in [false, true] {
        let replies = [answer("fine"), Reply::invalid(), answer("whole")];
        let Some(bench) = Workbench::prepared(replies, 4096, |served| {
            served.send("first");
            served.send("ask");
        }) else {
            return;
        };
        let asking = bench.tab();
        if deaf {
            asking.page.before_load(DEAF).unwrap();
            asking.reload();
        }
        asking.view();
        asking.keys("G e");
        asking.says("#notice", "Asking again");
        let id: String = bench.js("T.last().dataset.id");
        bench.served.json("DELETE", &format!("/api/pairs/{id}"), None);
        if !deaf {
            asking.wait("!T.says('#notice', 'Asking again') && T.asked() === 'first'");
        }
        assert_eq!(asking.js::<String>("T.draft()"), "ask", "the words are kept");
        asking.click("#draft");
        asking.keys("Enter");
        if deaf {
            asking.says("#notice", "this is a new message now");
            asking.wait("T.asked() === 'first'");
            asking.keys("Enter");
        }
        let post = asking.post(usize::from(deaf));
        assert_eq!((post.status, post.marked), (202, vec!["first".to_owned()]));
        bench.agrees();
        assert_eq!(asked(&bench.sent()), ["first"]);
        assert_eq!(bench.js::<String>("T.asked()"), "first|ask");
    }
}

#[test]
fn ui_16_enter_is_answered_on_screen_though_the_connection_is_lost() {
    let Some(bench) = Workbench::prepared([answer("fine")], 4096, |served| {
        served.send("first");
        served.send("second");
    }) else {
        return;
    };
    let behind = bench.tab();
    behind.page.before_load(CUT_OFF).unwrap();
    behind.reload();
    behind.says("#notice", "Connection lost");
    let id: String = bench.js("T.pairs()[0].dataset.id");
    bench.served.json("DELETE", &format!("/api/pairs/{id}"), None);
    behind.click("#draft");
    behind.types("hello");
    behind.keys("Enter");
    behind.says("#notice", "Enter sends what is shown");
    behind.wait("T.asked() === 'second'");
    behind.keys("Enter");
    let post = behind.post(1);
    assert_eq!((post.status, post.marked), (202, vec!["second".to_owned()]));
    // Who writes on reads again that the connection is lost.
    behind.says("#notice", "Connection lost");
    bench.agrees();
    assert_eq!(asked(&bench.sent()), ["second"]);
}

/// Seen on a busy machine: rows that were fetched at the end of a send overtook its last text, which
/// was then drawn a second time.
#[test]
fn promise_1_text_that_comes_late_is_not_drawn_twice() {
    let Some(bench) = Workbench::open([answer("said once")]) else { return };
    bench.send("a question");
    bench.reload();
    bench.wait("T.reply() === 'said once' && T.stream.readyState === 1");
    let told = "for (const [name, more] of [['text', { append: '', tail: '<p>said once</p>' }], ['status', { kind: 'thinking', text: 'thinking' }]]) {
           const data = JSON.stringify({ pair: T.last().dataset.id, ...more });
           T.stream.dispatchEvent(new MessageEvent(name, { data, lastEventId: document.body.dataset.event }));
         }";
    bench.page.run::<()>(told).unwrap();
    assert_eq!(bench.js::<String>("T.reply()"), "said once");
    assert!(!bench.js::<bool>("document.body.classList.contains('sending')"), "nothing is sent");
    bench.fine();
}

/// Seen in a random day: a summary begins far above the rows that are loaded, and its event came
/// when they were those of the new arrangement already. It was drawn below the newest pair.
#[test]
fn promise_1_a_pair_that_begins_above_the_loaded_rows_is_not_drawn_below_them() {
    let bench = Workbench::prepared([answer(&tall())], 4096, |served| {
        for n in 0..60 {
            served.send(&format!("question number {n:03}"));
        }
    });
    let Some(bench) = bench else { return };
    bench.wait("T.last().dataset.at === '59' && T.atBottom()");
    let first: u32 = bench.js("Number(T.pairs()[0].dataset.at)");
    assert!(first > 3, "the oldest are not loaded: {first}");
    let told = "const shape = Number(T.one('.chunk').dataset.shape);
         const html = T.last().outerHTML.replaceAll(T.last().dataset.id, 'a-summary');
         const data = JSON.stringify({ pair: 'a-summary', at: 3, shape, state: 'complete', html });
         T.stream.dispatchEvent(new MessageEvent('started', { data, lastEventId: document.body.dataset.event }));";
    bench.page.run::<()>(told).unwrap();
    bench.agrees();
    assert_eq!(bench.js::<String>("T.last().dataset.at"), "59");
    bench.fine();
}
