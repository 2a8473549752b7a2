//! For everybody, on any screen (UI-10, UI-11).

use plimsoll_browser::{Impact, Scheme, Viewport, axe, or_skip};
use plimsoll_testkit::scripted::Reply;

use crate::bench::{Workbench, answer};

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

/// That axe finds nothing serious on the page as it is.
#[track_caller]
fn sound(bench: &Workbench, scene: &str) -> bool {
    bench.page.settle().unwrap();
    let Some(found) = or_skip(axe(&bench.page)).unwrap() else { return false };
    let bad: Vec<String> = (found.iter())
        .filter(|violation| violation.impact >= Impact::Serious)
        .map(|violation| format!("{violation}"))
        .collect();
    assert!(bad.is_empty(), "{scene}:\n{}", bad.join("\n"));
    true
}

/// Everything open that can be, in one scheme.
fn looked_over(scheme: Scheme) {
    let Some(bench) = furnished(None) else { return };
    bench.page.color_scheme(scheme).unwrap();
    if !sound(&bench, "the page") {
        return;
    }
    bench.view();
    for (key, panel) in [
        ("m", "memory"),
        ("t", "topics"),
        ("s", "settings"),
        ("L", "receipts"),
        ("M", "models"),
        ("?", "help"),
    ] {
        bench.keys(key);
        bench.wait("T.panel() !== null && T.one('#panel .panel-body').textContent.length > 20");
        sound(&bench, panel);
        bench.keys("Escape");
        bench.wait("T.panel() === null");
        bench.mode("VIEW");
    }
    // The details take their room beside the history, and the selected pair may be out of sight then.
    bench.keys("h G r");
    bench.wait("T.says('#hud', 'Parameters') && T.says('#panel', 'prompt')");
    sound(&bench, "HUD and receipt");
    bench.keys("Escape");
    bench.wait("T.panel() === null");
    bench.click("#draft");
    bench.page.insert_text(&"more ".repeat(750)).unwrap();
    bench.says("#notice", "More than the window holds");
    sound(&bench, "a full gauge");
    bench.keys("Enter");
    bench.wait("T.one('dialog[open]')");
    sound(&bench, "the dialog");
    bench.keys("Escape");
    bench.wait("!T.one('dialog')");
    bench.filter("s9");
    bench.says("#filter-error", "^");
    sound(&bench, "a wrong filter");
    bench.fine();
}

#[test]
fn ui_10_axe_finds_nothing_serious_in_the_light() {
    looked_over(Scheme::Light);
}

#[test]
fn ui_10_axe_finds_nothing_serious_in_the_dark() {
    looked_over(Scheme::Dark);
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
        bench.click(&format!("{body} .panel-head .tool"));
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
