//! Ten thousand pairs (UI-8): a few are in the document, and none is touched by a key.

use std::path::Path;

use plimsoll_domain::{Lifecycle, MessagePair, PairId};
use plimsoll_store::Workspace;
use plimsoll_testkit::history::{Random, prose};
use plimsoll_testkit::pairs::{at, pair, topic};

use crate::{
    bench::{Workbench, answer},
    served::store,
};

const PAIRS: u64 = 10_000;
/// No more articles than this in the document at once.
const BOUND: usize = 400;

fn numbered(n: u64, words: &mut Random) -> MessagePair {
    let created_at = at(i64::try_from(n).unwrap() * 1000);
    let mut random = [0; 10];
    random[..8].copy_from_slice(&n.to_be_bytes());
    MessagePair {
        id: PairId::new(created_at, random),
        created_at,
        user_text: format!("Question {n}. {}", prose(words, 80)),
        assistant_text: Some(prose(words, 400)),
        lifecycle: Lifecycle::Complete,
        ..pair(1)
    }
}

fn filled(home: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = store::open(&home.join("data"), at(0)).await;
        store.put_topic(&Workspace::default(), &topic()).await.unwrap();
        let mut words = Random::new(7);
        for from in (0..PAIRS).step_by(1000) {
            let pairs: Vec<_> = (from..from + 1000).map(|n| numbered(n, &mut words)).collect();
            store.insert_many(&Workspace::default(), &pairs).await.unwrap();
        }
    });
}

fn opened() -> Option<Workbench> {
    Workbench::at_home([answer("fine")], 4096, filled, |_| {})
}

/// Waits until pairs are in view and stand still for a few frames.
fn still(bench: &Workbench) {
    bench.wait(
        "(async () => {
           const seen = [];
           for (let i = 0; i < 6; i += 1) {
             seen.push(`${T.first()} ${T.pane().scrollTop}`);
             await new Promise(requestAnimationFrame);
           }
           return T.first() >= 0 && new Set(seen).size === 1;
         })()",
    );
}

#[test]
fn ui_8_ten_thousand_pairs_are_read_through_a_window() {
    let Some(bench) = opened() else { return };
    bench.wait("T.last().dataset.at === '9999' && T.atBottom()");
    let bounded = || {
        let count: usize = bench.js("T.pairs().length");
        assert!(count <= BOUND, "{count} articles in the document");
    };
    bounded();
    bench.view();
    // By the wheel: whatever is in the pane is always a row of pairs without a gap.
    for _ in 0..60 {
        bench.page.wheel("#history", 0.0, -3000.0).unwrap();
        still(&bench);
        bounded();
        if bench.js::<u32>("T.first()") < 9700 {
            break;
        }
    }
    assert!(bench.js::<u32>("T.first()") < 9700, "the wheel leads upwards");
    bench.wait("T.pairs().some(T.inView)");
    // By keys, to the oldest and back.
    bench.keys("g");
    bench.wait("T.current() === 0 && T.inView(T.pairs()[0]) && T.pairs()[0].dataset.at === '0'");
    bench.says(".pair.current .u", "Question 0.");
    bounded();
    bench.page.hold("J", 40).unwrap();
    bench.wait("T.current() === 40 && T.inView(T.one('.pair.current'))");
    bounded();
    bench.keys("o");
    bench.wait("T.shown('#load') && T.inView(T.one('#load'))");
    bench.keys("G");
    bench.wait("T.current() === 9999 && T.atBottom()");
    bounded();
    let order: bool = bench.js(
        "T.pairs().every((pair, i, all) => i === 0 || Number(pair.dataset.at) === Number(all[i - 1].dataset.at) + 1)",
    );
    assert!(order, "the rows are one run");
    bench.fine();
}

#[test]
fn who_goes_on_reading_is_not_taken_back_by_rows_that_arrive() {
    let Some(bench) = opened() else { return };
    bench.wait("T.last().dataset.at === '9999' && T.atBottom()");
    bench.page.wheel("#history", 0.0, -500.0).unwrap();
    still(&bench);
    bench.page.run::<()>("T.rowsAfter = new Promise((open) => { T.openRows = open; });").unwrap();
    // So many changes at once are told as a whole: everybody fetches what they show.
    let command = serde_json::json!({"text": "r30 :star 1"});
    bench.served.json("POST", "/api/command", Some(command));
    bench.wait("T.rowsHeld > 0");
    bench.page.wheel("#history", 0.0, -800.0).unwrap();
    still(&bench);
    let reading: u32 = bench.js("T.first()");
    bench.page.run::<()>("T.rowsAfter = null; T.openRows();").unwrap();
    bench.wait("T.pairs().filter(T.inView).every((pair) => pair.dataset.star === '1')");
    still(&bench);
    assert_eq!(bench.js::<u32>("T.first()"), reading);
    bench.fine();
}

#[test]
fn ui_8_a_key_in_the_draft_leaves_the_history_alone() {
    let Some(bench) = opened() else { return };
    bench.wait("T.last().dataset.at === '9999' && T.atBottom()");
    bench.types("warm ");
    bench.page.settle().unwrap();
    bench.page
        .run::<()>(
            "globalThis.changes = 0;
             new MutationObserver((all) => { globalThis.changes += all.length; })
               .observe(T.one('#history'), { subtree: true, childList: true, attributes: true, characterData: true });",
        )
        .unwrap();
    let cost = |count: usize| {
        let before = bench.page.metrics().unwrap();
        for _ in 0..count {
            bench.keys("a");
        }
        bench.page.settle().unwrap();
        let after = bench.page.metrics().unwrap();
        (
            after["LayoutCount"] - before["LayoutCount"],
            after["LayoutDuration"] - before["LayoutDuration"],
        )
    };
    let (layouts, seconds) = cost(20);
    assert_eq!(bench.js::<u32>("globalThis.changes"), 0, "the history was changed");
    // The box itself is laid out, a few elements; the history would be tens of milliseconds.
    assert!(layouts <= 120.0, "{layouts} layouts for 20 keys");
    assert!(seconds / layouts.max(1.0) < 0.02, "{seconds} s for {layouts} layouts");
    bench.fine();
}

/// So many conversations as ChatGPT exports them; each becomes a topic.
const CONVERSATIONS: usize = 2_000;

fn imported(home: &Path) {
    let message = |role: &str, text: String| {
        serde_json::json!({"author": {"role": role}, "create_time": 1.7e9,
            "content": {"content_type": "text", "parts": [text]}})
    };
    let one = |n: usize| {
        serde_json::json!({"id": format!("c{n}"), "title": format!("Voyage {n}"),
            "create_time": 1.7e9, "current_node": "b", "mapping": {
                "a": {"parent": null, "message": message("user", format!("question {n}"))},
                "b": {"parent": "a", "message": message("assistant", format!("answer {n}"))}}})
    };
    let all: Vec<serde_json::Value> = (0..CONVERSATIONS).map(one).collect();
    let file = home.join("conversations.json");
    std::fs::write(&file, serde_json::Value::from(all).to_string()).unwrap();
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .arg("import")
        .arg(&file)
        .env("PLIMSOLL_CONFIG_DIR", home)
        .env("PLIMSOLL_DATA_DIR", home.join("data"))
        .envs(crate::served::store::variables(&home.join("data")))
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// REL-9: of thousands of topics a page draws some, and finds each of the others by name.
#[test]
fn rel_9_thousands_of_topics_are_found_by_name_in_panel_and_chooser() {
    let bench = Workbench::at_home([answer("fine")], 4096, imported, |_| {});
    let Some(bench) = bench else { return };
    bench.wait("T.last() !== null");
    bench.click("nav [data-panel=topics]");
    bench.wait("document.querySelectorAll('#panel ul.tree > li').length > 100");
    assert!(bench.js::<usize>("document.querySelectorAll('#panel ul.tree > li').length") <= 201);
    bench.says("#panel form[data-find]", "topics, the first 200 are listed");
    bench.click("#panel form[data-find] input");
    bench.types("voyage 1777");
    bench.keys("Enter");
    bench.wait("document.querySelectorAll('#panel ul.tree > li').length === 1");
    bench.says("#panel ul.tree summary", "Voyage 1777");
    bench.keys("Escape");
    bench.wait("T.panel() === null");
    bench.click("#topic");
    bench.wait("document.querySelectorAll('.popup [role=option]').length > 100");
    assert!(bench.js::<usize>("document.querySelectorAll('.popup [role=option]').length") <= 202);
    bench.says(".popup", "more: type a part of the name");
    bench.types("voyage 1777");
    // The one that is called so stands before the offer to make another.
    bench.wait("document.querySelectorAll('.popup [role=option]').length === 2");
    bench.wait("T.one('.popup [role=option]').textContent.includes('Voyage 1777')");
    bench.keys("Enter");
    bench.wait("document.querySelector('#topic').dataset.path.endsWith('Voyage 1777')");
    bench.fine();
}
