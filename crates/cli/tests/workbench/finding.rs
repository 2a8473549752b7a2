//! Finding one's way in a long history: the newest message, the names of conversations, menus and
//! toasts that are where they can be used (UI-25).

use plimsoll_browser::Viewport;
use plimsoll_testkit::scripted::{Gate, Reply, Step};
use serde_json::json;

use crate::bench::{Workbench, after, answer, tall};

#[test]
fn ui_25_the_newest_message_is_one_button_away() {
    let Some(bench) = Workbench::prepared([answer(&tall())], 200_000, |served| {
        for n in 1..=60 {
            served.send(&format!("q{n}"));
        }
    }) else {
        return;
    };
    bench.wait("T.atBottom() && !T.shown('#newest')");
    bench.view();
    bench.keys("g");
    bench.wait("T.first() === 0 && T.shown('#newest')");
    bench.click("#draft");
    bench.types("a thought");
    bench.click("#newest");
    bench.wait("T.atBottom() && T.first() >= 58 && !T.shown('#newest')");
    // Who writes goes on writing.
    bench.types(" goes on");
    bench.wait("T.draft() === 'a thought goes on'");
    bench.page.viewport(Viewport::new(360, 640)).unwrap();
    bench.view();
    bench.keys("g");
    bench.wait("T.first() === 0 && T.shown('#newest')");
    bench.accessible("the way to the newest message");
    bench.click("#newest");
    bench.wait("T.atBottom()");
    bench.fine();
}

#[test]
fn ui_25_conversations_are_named_where_they_change_in_the_scope_everything() {
    let Some(bench) = Workbench::prepared([answer("fine")], 4096, |served| {
        for (text, topic) in
            [("q1", "/Ships"), ("q2", "/Ships"), ("q3", "/Meals"), ("q4", "/Ships")]
        {
            let _ = served.ask("POST", "/api/topics", Some(json!({"path": topic})));
            served.json("PUT", "/api/view", Some(json!({"topic": topic})));
            served.send(text);
        }
    }) else {
        return;
    };
    let marks = "[...document.querySelectorAll('#rows .pair')].map((pair) => \
                 pair.querySelector('.conversation')?.textContent ?? '-').join('|')";
    bench.wait(&format!("{marks} === 'Ships|-|Meals|Ships'"));
    // What comes is named as well, and the name leads there.
    bench.send("q5");
    bench.wait(&format!("{marks} === 'Ships|-|Meals|Ships|-'"));
    bench.served.json("PUT", "/api/view", Some(json!({"topic": "/Meals"})));
    bench.send("q6");
    bench.wait(&format!("{marks} === 'Ships|-|Meals|Ships|-|Meals'"));
    bench.accessible("names of conversations");
    bench.click("#rows .pair:nth-of-type(3) .conversation a");
    bench.wait("location.pathname.startsWith('/c/') && T.asked() === 'q3|q6'");
    bench.wait("!T.one('#rows .conversation')");
    bench.fine();
}

/// The topic button says the name itself, however long the way to it is.
#[test]
fn ui_25_a_topic_is_named_by_its_last_part() {
    let path = "/Imported/ChatGPT/Trip to Porto";
    let Some(bench) = Workbench::prepared([answer("fine")], 4096, |served| {
        served.json("POST", "/api/topics", Some(json!({"path": path})));
        served.json("PUT", "/api/view", Some(json!({"topic": path})));
    }) else {
        return;
    };
    bench.wait("T.one('#topic').textContent.startsWith('Trip to Porto')");
    bench.wait("T.one('#topic').title === 'Imported › ChatGPT › Trip to Porto'");
    bench.wait("T.one('#topic').scrollWidth <= T.one('#topic').clientWidth");
    bench.reload();
    bench.wait("T.one('#topic').textContent.startsWith('Trip to Porto')");
    bench.fine();
}

#[test]
fn ui_25_toasts_cover_no_action() {
    let Some(bench) = Workbench::prepared([answer("fine")], 4096, |served| {
        for n in 1..=12 {
            served.send(&format!("q{n}"));
        }
    }) else {
        return;
    };
    for size in [Viewport::new(360, 640), Viewport::new(1280, 800)] {
        bench.page.viewport(size).unwrap();
        bench.wait("T.atBottom()");
        bench.filter("c'q1' :star 1");
        bench.says(".toast", "starred");
        bench.wait("T.atBottom()");
        // Between the history and the message: over nothing that can be pressed.
        bench.wait(
            "(() => {
               const [toast, pane, foot] = ['.toast', '#history', 'footer']
                 .map((part) => T.one(part).getBoundingClientRect());
               return toast.top >= pane.bottom && toast.bottom <= foot.top;
             })()",
        );
        bench.click(".toast .tool");
        bench.wait("!T.shown('.toast')");
    }
    bench.fine();
}

#[test]
fn ui_25_the_menu_of_a_tall_pair_is_on_screen_and_one_click_leaves_it() {
    let Some(bench) = Workbench::prepared([answer(&tall())], 8192, |served| {
        served.send("q1");
    }) else {
        return;
    };
    bench.view();
    bench.keys("R");
    bench.wait(
        "(() => { const box = T.one('.popup')?.getBoundingClientRect();
          return box && box.top >= 0 && box.bottom <= innerHeight && box.height > 60; })()",
    );
    bench.click("#draft");
    bench.wait("!T.one('.popup') && document.activeElement.id === 'draft'");
    bench.types("on");
    bench.wait("T.draft() === 'on'");
    bench.fine();
}

/// While a message is on its way, the line says nothing else than before and after.
#[test]
fn ui_25_a_pair_in_flight_is_not_told_as_left_out() {
    let gate = Gate::default();
    let reply = after([Step::Gate(gate.clone())], &answer("fine"));
    let Some(bench) = Workbench::prepared([answer("fine"), reply], 4096, |served| {
        served.send("q1");
    }) else {
        return;
    };
    bench.says("#load", "0 ashore · 1 aboard · ");
    bench.types("q2");
    bench.keys("Enter");
    bench.wait("T.pairs().length === 2 && T.state() === 'sending'");
    assert!(!bench.js::<String>("T.one('#load').textContent").contains("not sent"));
    gate.open();
    bench.says("#load", "0 ashore · 2 aboard · ");
    bench.fine();
}

/// Footnotes are raised numbers, and what is done has a tick.
#[test]
fn ui_7_footnotes_and_ticks_are_drawn() {
    let text = "It floats.[^1]\n\n- [x] done\n- [ ] open\n\n[^1]: Archimedes.";
    let Some(bench) = Workbench::prepared([Reply::openai(&[text], 14, 6)], 4096, |served| {
        served.send("q1");
    }) else {
        return;
    };
    bench.wait("document.querySelectorAll('.a .foot').length === 2");
    bench.wait("!T.one('.a').textContent.includes('[^1]')");
    bench.wait("getComputedStyle(T.one('.a .task.done'), '::after').borderBottomStyle === 'solid'");
    bench.accessible("footnotes and ticks");
    bench.fine();
}
