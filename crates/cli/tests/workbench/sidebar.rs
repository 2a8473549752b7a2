//! The sidebar with many conversations (UI-15): it holds what somebody scrolled to, and asks the
//! server for the rest.

use serde_json::{Value, json};

use crate::{
    bench::{Screen, Workbench, answer},
    many::{title, write_conversations},
};

const MANY: u32 = 300;

fn open() -> Option<Workbench> {
    let home = |home: &std::path::Path| {
        std::fs::write(home.join("config.toml"), "defaultModel = \"test\"\n").unwrap();
        write_conversations(home, MANY);
    };
    let bench = Workbench::at_home([answer("fine")], 4096, home, |_| {})?;
    bench.wait("document.querySelectorAll('.conv').length === 100");
    Some(bench)
}

/// Scrolls down until a conversation is in the list, then to it.
fn scroll_to(screen: &Screen, title: &str) {
    screen.wait(&format!(
        "(() => {{
           const list = T.one('#side-list');
           const link = T.one(`.conv a[title='{title}']`);
           if (link) link.scrollIntoView({{ block: 'center' }});
           else list.scrollTop = list.scrollHeight;
           return Boolean(link);
         }})()"
    ));
    screen.page.settle().unwrap();
}

/// How far below the top of the list a conversation is drawn.
fn top(screen: &Screen, title: &str) -> f64 {
    screen.js(&format!(
        "T.one(`.conv a[title='{title}']`).getBoundingClientRect().top \
         - T.one('#side-list').getBoundingClientRect().top"
    ))
}

/// The id of the conversation that stands at this place of the list.
fn id_at(bench: &Workbench, place: usize) -> String {
    let listed = bench.served.json("GET", "/api/conversations?limit=500", None);
    listed["conversations"][place]["id"].as_str().unwrap().to_owned()
}

fn rename(bench: &Workbench, id: &str, title: &str) {
    let title = Some(json!({ "title": title }));
    bench.served.json("PATCH", &format!("/api/conversations/{id}"), title);
}

#[test]
fn ui_15_the_250th_of_300_is_reached_by_scrolling_and_by_typing() {
    let Some(bench) = open() else { return };
    // 300 down to 1 by age: the 250th from the top.
    let far = title(MANY - 250);
    scroll_to(&bench, &far);
    assert!(bench.js::<bool>(&format!("T.shown(`.conv a[title='{far}']`)")));
    scroll_to(&bench, &title(0));
    let titles: Vec<String> =
        bench.js("[...document.querySelectorAll('.conv b')].map((one) => one.textContent)");
    assert_eq!(titles, (0..MANY).rev().map(title).collect::<Vec<_>>(), "each once, in order");
    // A fresh page has the first hundred alone, and finds it all the same.
    bench.reload();
    bench.wait("document.querySelectorAll('.conv').length === 100");
    bench.click("#side-find");
    bench.types("SHIPS 00050");
    bench.wait("document.querySelectorAll('.conv').length === 1");
    bench.says("#side-list .day", "1 found");
    bench.accessible("a search in the sidebar");
    bench.keys("Enter");
    bench.wait(&format!("T.asked() === '{}' && T.one('#counter b')", title(50)));
    // What is typed and opened in one go is looked for first; nothing else is opened.
    bench.click("#side-find");
    bench.types("00007");
    bench.keys("Enter");
    bench.wait(&format!("T.asked() === '{}' && T.one('#counter b')", title(7)));
    bench.click("#side-find");
    bench.types("no such words");
    bench.says("#side-list", "No title holds these words.");
    bench.keys("Enter Escape");
    bench.wait("document.querySelectorAll('.conv').length === 100");
    assert_eq!(bench.js::<String>("T.asked()"), title(7));
    bench.fine();
}

#[test]
fn ui_15_an_event_while_scrolled_down_keeps_the_place() {
    let Some(bench) = open() else { return };
    let here = title(150);
    scroll_to(&bench, &here);
    let before = top(&bench, &here);
    // One in view is named anew, one begins, and the first in view goes to the top.
    let id = id_at(&bench, MANY as usize - 1 - 149);
    rename(&bench, &id, "Renamed in view");
    let first: (String, String) = bench.js("(() => {
           const top = T.one('#side-list').getBoundingClientRect().top;
           const first = [...document.querySelectorAll('.conv')]
             .find((one) => one.getBoundingClientRect().bottom > top);
           return [first.dataset.id, first.querySelector('b').textContent];
         })()");
    let send = |place: &str, text: &str| {
        bench.served.json("POST", &format!("/api/send?{place}"), Some(json!({ "text": text })));
    };
    send(&format!("conversation={}", first.0), "again");
    send("scope=conversation", "A new one");
    bench.wait("T.one(`.conv a[title='Renamed in view']`)");
    let newest = "[...document.querySelectorAll('.conv b')].slice(0, 2)
        .map((one) => one.textContent).sort().join('|')";
    bench.wait(&format!("{newest} === 'A new one|{}'", first.1));
    bench.page.settle().unwrap();
    let moved = (top(&bench, &here) - before).abs();
    assert!(moved < 2.0, "moved by {moved}");
    // Only what is in view was fetched, and it goes on from there.
    scroll_to(&bench, &title(0));
    let twice: Vec<String> = bench
        .js("[...document.querySelectorAll('.conv')].map((one) => one.dataset.id)
           .filter((id, i, all) => all.indexOf(id) !== i)");
    assert_eq!(twice, [] as [String; 0]);
    assert_eq!(bench.js::<usize>("document.querySelectorAll('.conv').length"), MANY as usize + 1);
    bench.fine();
}

/// Somebody else renames a conversation, and the page has fetched the list since.
fn renamed_elsewhere(bench: &Workbench) {
    let asked = "performance.getEntriesByType('resource')
        .filter((one) => one.name.includes('/api/conversations?')).length";
    let before: usize = bench.js(asked);
    rename(bench, &id_at(bench, 0), "Renamed meanwhile");
    bench.wait(&format!("{asked} > {before}"));
    bench.page.settle().unwrap();
}

/// A list that moves between the aim and the press has another conversation opened.
#[test]
fn ui_15_the_list_stands_still_while_somebody_aims() {
    let Some(bench) = open() else { return };
    // The pointer has just moved, for as long as the clock stands still.
    bench
        .page
        .eval::<()>("const at = performance.now(); performance.now = () => at; undefined")
        .unwrap();
    bench.page.hover(&format!(".conv a[title='{}']", title(MANY - 3))).unwrap();
    renamed_elsewhere(&bench);
    assert!(!bench.js::<bool>("Boolean(T.one(`.conv a[title='Renamed meanwhile']`))"));
    bench.page.eval::<()>("delete performance.now; undefined").unwrap();
    bench.wait("T.one(`.conv a[title='Renamed meanwhile']`)");
    bench.fine();
}

#[test]
fn ui_15_the_list_is_not_drawn_anew_under_a_pressed_finger() {
    let Some(bench) = open() else { return };
    let target = title(MANY - 3);
    let at = bench.page.centre(&format!(".conv a[title='{target}']")).unwrap();
    let mouse = |kind: &str| {
        let event: Value = json!({ "type": kind, "x": at.x, "y": at.y, "button": "left",
            "buttons": 1, "clickCount": 1 });
        bench.page.call("Input.dispatchMouseEvent", event).unwrap();
    };
    bench.page.move_to(at).unwrap();
    mouse("mousePressed");
    renamed_elsewhere(&bench);
    assert!(!bench.js::<bool>("Boolean(T.one(`.conv a[title='Renamed meanwhile']`))"));
    mouse("mouseReleased");
    bench.wait(&format!("T.asked() === '{target}' && T.one('#counter b')"));
    bench.wait("T.one(`.conv a[title='Renamed meanwhile']`)");
    bench.fine();
}

#[test]
fn ui_15_a_search_that_cannot_be_done_is_told_and_can_be_tried_again() {
    let Some(mut bench) = open() else { return };
    bench.served.stop();
    bench.click("#side-find");
    bench.types("00050");
    bench.says("#side-list .problem", "Plimsoll does not answer.");
    bench.served.start_again();
    // The page may have found it by itself.
    bench.page.eval::<()>("T.one('#side-list .problem button')?.click()").unwrap();
    bench.wait("document.querySelectorAll('.conv').length === 1");
    bench.says("#side-list", &title(50));
    bench.wait("!T.one('#side-list .problem')");
    bench.fine_but(&["status of 4", "ERR_"]);
}
