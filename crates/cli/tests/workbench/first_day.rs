//! A new user on an empty directory, by mouse alone: from the import of an export to a sentence of
//! last year. At each step: what is on screen, and that what is sent is what was marked.

use std::cell::Cell;

use plimsoll_testkit::{
    chatgpt::{a_person, export},
    scripted::ScriptedServer,
};
use serde_json::Value;

use crate::{
    bench::Workbench,
    first_day_walk::{CONFIG, EARLY, LONG_ANSWER, NEW_QUESTION, QUESTION, models, replies, walk},
    honest::{asked, marked},
    importing::now,
};

/// The body of the request with this number.
fn request(bench: &Workbench, number: usize) -> Value {
    let requests = bench.server.requests();
    let mut posts = requests.iter().filter(|request| request.method == "POST");
    serde_json::from_str(&posts.nth(number).unwrap().body).unwrap()
}

fn asked_at(bench: &Workbench, at: usize) -> String {
    bench.js(&format!("T.one('.pair[data-at=\"{at}\"] .u .prose').textContent.trim()"))
}

#[test]
fn his_9_the_first_day_by_mouse_alone_sends_what_is_marked() {
    let server = ScriptedServer::chats(replies()).unwrap();
    let catalog = models(&server.base_url());
    let home = |home: &std::path::Path| {
        std::fs::write(home.join("models.toml"), &catalog).unwrap();
        std::fs::write(home.join("config.toml"), CONFIG).unwrap();
    };
    let Some(bench) = Workbench::before(server, 4096, home, |_| {}) else { return };
    let file = bench.served.home().join("conversations.json");
    std::fs::write(&file, export(&a_person(now()))).unwrap();
    // Letters go into boxes, and no key does anything else.
    bench.page.before_load(
        "addEventListener('keydown', ({ key, target }) => { if ((key.length > 1 && key !== 'Shift') || !target.matches('textarea, input')) sessionStorage.setItem('pressed', key); }, true)",
    ).unwrap();
    bench.reload();
    let steps = Cell::new(0);
    let (mut at_first, mut before) = (Vec::new(), Vec::new());
    let mut seen = |step: &str| {
        steps.set(steps.get() + 1);
        match step {
            "2-imported" => {
                bench.says("dialog", "ChatGPT: 21 new pairs, 7 new topics.");
                assert_eq!(bench.calls(), 0);
                bench.counter("0 / 0");
            }
            "3-conversation" => {
                bench.agrees();
                assert_eq!(bench.js::<String>("T.one('#history').dataset.visible"), "15");
                let long = asked_at(&bench, LONG_ANSWER);
                let aboard = marked(&bench);
                assert!(aboard.contains(&long), "the long answer would go: {aboard:?}");
                at_first = aboard;
                // Its weight: of each pair, of what goes along, of the window.
                bench.wait(
                    "T.pairs().every((pair) => Number(pair.querySelector('.tok').textContent) > 0)",
                );
                bench.says("#load", "aboard");
                bench.says("#legend", "% of tern-1");
            }
            "5-pinned" => {
                bench.agrees();
                let (aboard, early) = (marked(&bench), asked_at(&bench, EARLY));
                assert!(aboard.contains(&early) && !at_first.contains(&early), "{at_first:?}");
                assert!(!aboard.contains(&asked_at(&bench, LONG_ANSWER)));
                assert!(aboard.len() < 14, "something stays ashore: {aboard:?}");
            }
            "6-price" => {
                bench.says("#send", "≤ $0.00");
                assert_eq!(bench.calls(), 0, "nothing was sent yet");
                bench.agrees();
                before = marked(&bench);
            }
            "7-answer" => {
                let sent = request(&bench, 0);
                assert_eq!(asked(&sent), before, "what was marked was sent");
                assert_eq!(sent["model"], "tern-1");
                let last = sent["messages"].as_array().unwrap().last().unwrap();
                assert_eq!(last["content"], QUESTION);
                bench.says("#spent", "$0.00");
                bench.agrees();
                before = marked(&bench);
            }
            "8-summarise" => {
                assert_eq!(bench.calls(), 1, "looking sends nothing");
                bench.says("dialog.summary", "tokens, ≤ $0.00");
            }
            "9-summary" => {
                bench.says(".pair[data-kind=summary] .a", "a small managed server in the EU");
                bench.agrees();
                assert!(marked(&bench).iter().any(|one| one.starts_with("Summary of ")));
                bench.wait("T.one('.pair.current')?.dataset.kind === 'summary'");
                assert!(!bench.js::<String>("T.one('#toasts').textContent").contains("gone"));
            }
            "10-undone" => {
                bench.agrees();
                assert_eq!(marked(&bench), before, "all is as it was");
            }
            "11-new-chat" => bench.counter("0 / 0"),
            "12-compared" => {
                assert_eq!(bench.calls(), 4);
                let both = [request(&bench, 2), request(&bench, 3)];
                let mut models: Vec<&str> =
                    both.iter().map(|one| one["model"].as_str().unwrap()).collect();
                models.sort_unstable();
                assert_eq!(models, ["gull-2", "tern-1"]);
                for sent in &both {
                    assert_eq!(sent["messages"].as_array().unwrap().len(), 1, "{sent}");
                    assert_eq!(sent["messages"][0]["content"], NEW_QUESTION);
                }
                let used = "T.pairs().map((pair) => pair.dataset.use).join()";
                assert_eq!(bench.js::<String>(used), "auto,out");
            }
            // In a bar that is short of room the menu still shows what was found.
            "13-find" => bench.wait("T.one('#filter-menu').offsetWidth >= 400"),
            "14-found" => {
                bench.says("#title", "A weekend in Porto");
                assert_eq!(bench.calls(), 4, "finding sends nothing");
            }
            _ => {}
        }
    };
    walk(&bench.page, &file, &mut seen).unwrap();
    assert_eq!(steps.get(), 14);
    assert_eq!(bench.js::<Option<String>>("sessionStorage.getItem('pressed')"), None);
    bench.fine();
}
