//! For everybody, on any screen (UI-10, UI-11).

use std::collections::BTreeSet;

use plimsoll_browser::{Scheme, Viewport};
use plimsoll_testkit::scripted::Reply;
use serde_json::{Value, json};

use crate::{
    bench::{Workbench, answer},
    memory::Agent,
};

/// The table of keys, which the page and the server share.
const KEYS: &str = include_str!("../../../web/ui/keys/table.js");

/// A workbench with all that can stand in it: stars, an error, code, a table, a pair ashore.
fn furnished(size: Option<Viewport>) -> Option<Workbench> {
    let rich = "# Title\n\nText with `code` and [a link](https://example.org/).\n\n\
        ```rust\nfn main() { println!(\"hull\"); }\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n\n$x^2$\n";
    let long = Reply::openai(&[&"long ".repeat(150)], 145, 150);
    let replies = [long.clone(), long, answer(rich), Reply::auth(), answer("fine")];
    let bench = Workbench::prepared(replies, 600, |served| {
        let first = served.send(&"word ".repeat(100));
        let path = format!("/api/pairs/{}", first["id"].as_str().unwrap());
        served.json("PATCH", &path, Some(serde_json::json!({"star": 2, "flag": "blue"})));
        for text in ["second", "third", "fourth"] {
            served.send(text);
        }
        let topic = serde_json::json!({"path": "/Sea", "systemMessage": "Be brief."});
        served.json("POST", "/api/topics", Some(topic));
        served.json("PUT", "/api/view", Some(serde_json::json!({"topic": "/Sea"})));
    })?;
    if let Some(size) = size {
        bench.page.viewport(size).unwrap();
    }
    bench.page.reduced_motion(true).unwrap();
    bench.wait("T.pairs().length === 4 && T.shown('.prelude') && T.shown('.pair .err')");
    Some(bench)
}

/// The Memory panel with all of its pages: notes that may be wrong, one of them, those that wait
/// for a person and those that were deleted.
fn memory_looked_over(bench: &Workbench) {
    let note = |title: &str, more: Value| {
        let mut note = json!({"title": title, "content": "Some *words*."});
        note.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        bench.served.json("POST", "/api/memory", Some(note))["id"].as_u64().unwrap()
    };
    let old = note("Old", json!({"expires": "2020-01-01"}));
    let new = note("New", json!({"supersedes": [old], "anchors": []}));
    let gone = note("Gone", json!({}));
    bench.served.json("PATCH", &format!("/api/memory/{new}"), Some(json!({"content": "Other."})));
    bench.served.json("DELETE", &format!("/api/memory/{gone}"), None);
    bench.served.json("PUT", "/api/settings/memoryReview", Some(json!({"value": "on"})));
    let mut agent = Agent::start(&bench.served);
    agent.save(json!({"title": "Waits", "content": "# A title\n\nand words", "anchors": ["a.rs"],
        "project": "elsewhere", "supersedes": [old]}));
    agent.change(json!({"id": new, "title": "Newer"}));
    bench.click("nav [data-panel=memory]");
    bench.says(".notes .warning", "superseded by");
    bench.says(".memorypanel .waiting", "(2)");
    bench.accessible("notes that may be wrong");
    bench.click(&format!(".notes li[data-id='{old}'] .note-name"));
    bench.says(".note .warning", "expired");
    bench.accessible("a note that was superseded");
    bench.click(".note .link");
    bench.click(".memorypanel .waiting");
    bench.wait("document.querySelectorAll('.upkeep li[data-pending]').length === 2");
    bench.accessible("notes that wait for review");
    bench.click(".upkeep .link");
    bench.click(".memorypanel p > .link");
    bench.wait("document.querySelectorAll('.upkeep li[data-deleted]').length === 1");
    bench.accessible("deleted notes");
    bench.click(".upkeep .link");
    bench.wait("T.shown('.memorypanel .notes li[data-id]')");
    bench.click("#panel .panel-head .tool:last-child");
    bench.wait("T.panel() === null");
    bench.click("#draft");
}

/// Everything open that can be, in one scheme.
fn looked_over(scheme: Scheme, size: Option<Viewport>) {
    let Some(bench) = furnished(size) else { return };
    bench.page.color_scheme(scheme).unwrap();
    bench.accessible("the page");
    memory_looked_over(&bench);
    bench.view();
    // What was deleted, so that there is a list of it.
    bench.keys("G d");
    bench.says(".toast", "Deleted");
    for (key, panel) in [
        ("f", "files"),
        ("m", "memory"),
        ("t", "topics"),
        ("s", "settings"),
        ("L", "receipts"),
        ("M", "models"),
        ("D", "deleted"),
        ("P", "what would be sent"),
        ("?", "help"),
    ] {
        bench.keys(key);
        bench.wait("T.panel() !== null && T.one('#panel .panel-body').textContent.length > 20");
        bench.accessible(panel);
        bench.keys("Escape");
        bench.wait("T.panel() === null");
        bench.mode("VIEW");
    }
    for (key, words) in [("r", "prompt"), ("p", "messages")] {
        bench.keys("G");
        bench.keys(key);
        bench.wait(&format!("T.says('#panel', '{words}')"));
        bench.accessible(words);
        bench.keys("Escape");
        bench.wait("T.panel() === null");
    }
    bench.keys("i");
    bench.wait("T.one('form.edit')");
    bench.accessible("an edit");
    bench.keys("Escape");
    bench.wait("!T.one('form.edit')");
    // The details take their room beside the history, and the selected pair may be out of sight then.
    bench.keys("h");
    bench.wait("T.says('#hud', 'Parameters')");
    bench.accessible("HUD");
    bench.keys("h");
    bench.wait("!T.shown('#hud')");
    bench.click("#model");
    bench.wait("T.shown('.popup')");
    bench.accessible("the models");
    bench.keys("Escape");
    bench.click("#draft");
    bench.page.insert_text(&"more ".repeat(750)).unwrap();
    bench.says("#notice", "More than the window holds");
    bench.accessible("a full gauge");
    bench.keys("Enter");
    bench.wait("T.one('dialog[open]')");
    bench.accessible("the dialog");
    bench.keys("Escape");
    bench.wait("!T.one('dialog')");
    bench.filter("s9");
    bench.says("#filter-error", "^");
    bench.accessible("a wrong filter");
    bench.keys("Escape");
    bench.mode("VIEW");
    bench.keys("C");
    bench.accessible("the conversations, gone or above the page");
    bench.fine();
}

#[test]
fn ui_27_axe_finds_nothing_in_the_light() {
    looked_over(Scheme::Light, None);
}

#[test]
fn ui_27_axe_finds_nothing_in_the_dark() {
    looked_over(Scheme::Dark, None);
}

#[test]
fn ui_27_axe_finds_nothing_at_360_pixels() {
    looked_over(Scheme::Light, Some(Viewport::new(360, 640)));
}

/// That nothing is wider than the screen and nothing hides behind its edge.
#[track_caller]
fn within(bench: &Workbench, scene: &str) {
    bench.page.settle().unwrap();
    let wide: Vec<String> = bench.js(
        "document.documentElement.scrollWidth <= innerWidth && document.body.scrollWidth <= innerWidth ? []
         : [...document.querySelectorAll('body *')]
             .filter((node) => node.getBoundingClientRect().right > innerWidth + 1)
             .map((node) => node.outerHTML.slice(0, 120))",
    );
    assert!(wide.is_empty(), "{scene} is wider than the screen: {wide:#?}");
}

#[test]
fn ui_11_everything_can_be_reached_at_360_pixels() {
    let Some(bench) = furnished(Some(Viewport::new(360, 640))) else { return };
    within(&bench, "the page");
    for part in ["#filter", "#counter", "#draft", "#model", "#topic", "#send", "#theme"] {
        if let Err(error) = bench.page.centre(part) {
            panic!("{error}");
        }
    }
    for name in ["memory", "topics", "receipts", "models", "settings", "help", "hud"] {
        bench.click(&format!("nav [data-panel={name}]"));
        let body = if name == "hud" { "#hud" } else { "#panel" };
        bench.wait(&format!(
            "T.shown('{body}') && T.one('{body} .panel-body').textContent.length > 20"
        ));
        within(&bench, name);
        bench.click(&format!("{body} .panel-head .tool:last-child"));
        bench.wait(&format!("!T.shown('{body}')"));
    }
    bench.click("#history .pair:last-of-type .acts [data-act=reask]");
    bench.wait("T.draft() === 'fourth'");
    within(&bench, "asking again");
    bench.page.insert_text(&"more ".repeat(750)).unwrap();
    // The pair's own topic has no system message; who sends before that is drawn looks first.
    bench.wait("!T.one('.prelude')");
    bench.keys("Enter");
    bench.wait("T.one('dialog[open]')");
    within(&bench, "the dialog");
    bench.keys("Escape");
    bench.click("#model");
    bench.wait("T.shown('.popup')");
    within(&bench, "the models");
    bench.keys("Escape");
    bench.filter("s9");
    bench.says("#filter-error", "^");
    within(&bench, "a wrong filter");
    bench.fine();
}

#[test]
fn ui_11_a_large_screen_and_the_switch_of_light_and_dark() {
    let Some(bench) = furnished(Some(Viewport::new(3840, 2160))) else { return };
    within(&bench, "the page");
    bench.page.color_scheme(Scheme::Light).unwrap();
    let ground = "getComputedStyle(document.body).backgroundColor";
    let light: String = bench.js(ground);
    bench.page.color_scheme(Scheme::Dark).unwrap();
    bench.wait(&format!("{ground} !== '{light}'"));
    // From the system's to light, by the button, and it stays so.
    bench.click("#theme");
    bench.wait(&format!(
        "document.documentElement.dataset.theme === 'light' && {ground} === '{light}'"
    ));
    bench.reload();
    bench.wait(&format!("{ground} === '{light}'"));
    bench.fine();
}

/// UI-10: a screen reader jumps from question to question.
#[test]
fn ui_10_each_question_is_a_heading_below_that_of_the_page() {
    let Some(bench) = Workbench::open([answer("fine")]) else { return };
    bench.send("Why do ships float?");
    bench.send("And iron ones?");
    let heads: Vec<String> = bench.js(
        "[...document.querySelectorAll('h1, h2, h3, [role=heading]')].filter((one) => one.checkVisibility())
          .map((one) => `${one.ariaLevel ?? one.tagName.slice(1)} ${one.textContent.trim()}`)",
    );
    assert_eq!(heads, ["1 Plimsoll", "2 Why do ships float?", "2 And iron ones?"]);
}

/// UI-16, UI-27: whatever a key does has a button, and whatever a button does can be reached by
/// keys.
#[test]
fn ui_27_every_action_has_a_button_and_a_key() {
    let Some(bench) = furnished(None) else { return };
    let (_, table) = KEYS.rsplit_once("export default").unwrap();
    let table: Vec<Value> = serde_json::from_str(table.trim().trim_end_matches(';')).unwrap();
    let actions: BTreeSet<&str> = table.iter().filter_map(|key| key["action"].as_str()).collect();
    assert!(actions.len() > 45, "{actions:?}");
    let help = || {
        bench.click("[data-panel=help]");
        bench.wait("T.panel() === 'Help' && T.one('#panel [data-does=send]')");
    };
    help();
    let buttons: Vec<String> = bench.js(
        "[...document.querySelectorAll('#panel button[data-does]')].map((one) => one.dataset.does)",
    );
    for action in &actions {
        assert!(buttons.iter().any(|button| button == action), "no button does {action}");
    }
    // Nothing that can be clicked is out of reach of the keys: it takes the focus, or a key of the
    // table does the same to the pair that is selected.
    let stray: Vec<String> = bench.js(
        "[...document.querySelectorAll('[data-act], [data-panel], [data-does], [data-call], [onclick]')]
          .filter((one) => !(one.matches('button, a[href], summary, input, select') && one.tabIndex >= 0 && !one.closest('[inert]')))
          .map((one) => one.outerHTML.slice(0, 120))",
    );
    assert!(stray.is_empty(), "{stray:#?}");
    // The buttons of the help do what the keys do: to the page, and to the pair that is selected.
    bench.click("#panel [data-does=panel-settings]");
    bench.wait("T.panel() === 'Settings'");
    help();
    bench.click("#panel [data-does=first]");
    bench.wait("T.current() === 0");
    bench.click("#panel [data-does=out]");
    bench.wait("T.pairs()[0].dataset.use === 'out'");
    bench.click("#panel [data-does=undo]");
    bench.wait("T.pairs()[0].dataset.use === 'auto'");
    bench.click("#panel [data-does=older-prompt]");
    bench.wait("T.draft() === 'fourth'");
    bench.fine();
}

/// UI-27: what is dragged can be done by a key and by a button.
#[test]
fn ui_27_every_drag_has_a_key_and_a_button() {
    let Some(bench) = furnished(None) else { return };
    // The load line.
    bench.view();
    bench.keys("G c");
    bench.says("#load", "set by hand");
    bench.click("#load [data-act=use-prediction]");
    bench.wait("!T.says('#load', 'set by hand')");
    bench.js::<()>("T.last().querySelector('[data-act=context-here]').click()");
    bench.says("#load", "set by hand");
    // The edge of a panel.
    bench.click("[data-panel=settings]");
    bench.wait("T.panel() === 'Settings'");
    let width = "Math.round(T.one('#panel').getBoundingClientRect().width)";
    let before: u32 = bench.js(width);
    bench.click("#panel .size");
    bench.wait(&format!("{width} > {before}"));
    bench.js::<()>("T.one('#panel .sizer').focus()");
    let wide: u32 = bench.js(width);
    bench.keys("ArrowRight");
    bench.wait(&format!("{width} < {wide}"));
    // Files that are dropped: a button for the message, and one for the panel.
    bench.wait("T.shown('#attach')");
    bench.click("[data-panel=files]");
    bench.says("#panel button", "Add files");
    bench.fine();
}
