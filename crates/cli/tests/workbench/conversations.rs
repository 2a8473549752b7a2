//! Conversations in the page (HIS-9, UI-15): each has its own history, draft and address.

use plimsoll_browser::Viewport;
use plimsoll_testkit::scripted::{Gate, Step};
use serde_json::Value;

use crate::bench::{Screen, Workbench, after, answer};

/// A workbench as it is for a new user: in conversations.
pub(crate) fn open(
    replies: impl IntoIterator<Item = plimsoll_testkit::scripted::Reply>,
) -> Option<Workbench> {
    let home = |home: &std::path::Path| {
        std::fs::write(home.join("config.toml"), "defaultModel = \"test\"\n").unwrap();
    };
    Workbench::at_home(replies, 4096, home, |_| {})
}

/// The texts of the last request.
fn sent(bench: &Workbench) -> Vec<String> {
    let text = |message: &Value| message["content"].as_str().unwrap().to_owned();
    bench.sent()["messages"].as_array().unwrap().iter().map(text).collect()
}

fn new_chat(screen: &Screen) {
    let before: String = screen.js("location.pathname");
    screen.click("#new-chat");
    screen.wait(&format!("location.pathname !== '{before}' && T.one('#counter b')"));
    screen.wait("T.pairs().length === 0 && T.one('#history').dataset.ready");
}

/// Waits until the list holds these titles, in this order.
#[track_caller]
fn lists(screen: &Screen, titles: &[&str]) {
    let wanted = titles.join("|");
    let shown = "[...document.querySelectorAll('.conv b')].map((one) => one.textContent).join('|')";
    screen.wait(&format!("{shown} === '{wanted}'"));
}

/// Where it is opened, before its first message and later.
#[test]
fn ui_15_a_conversation_has_a_system_message_and_parameters_of_its_own() {
    let Some(bench) = open([answer("fine")]) else { return };
    bench.wait("T.says('#title', 'New chat')");
    bench.click("#instructions");
    bench.wait("T.shown('#panel [name=systemMessage]')");
    bench.click("#panel [name=systemMessage]");
    bench.types("Answer in Latin.");
    bench.click("#panel [name=temperature]");
    bench.types("0.5");
    bench.click("#panel .btn.pri");
    bench.wait("T.one('.prelude[data-part=system] pre')?.textContent.includes('Answer in Latin.')");
    bench.click("#draft");
    bench.send("What is a ship?");
    assert_eq!(sent(&bench), ["Answer in Latin.", "What is a ship?"]);
    assert_eq!(bench.sent()["temperature"], 0.5);
    bench.says("#title", "What is a ship?");
    // Another conversation has none of it.
    new_chat(&bench);
    bench.send("What is a train?");
    assert_eq!(sent(&bench), ["What is a train?"]);
    bench.fine();
}

#[test]
fn his_9_a_new_chat_sends_nothing_of_another() {
    let Some(bench) = open([answer("fine")]) else { return };
    bench.wait("location.pathname.startsWith('/c/') && T.says('#title', 'New chat')");
    bench.send("How do ships float?");
    bench.says("#title", "How do ships float?");
    bench.wait("document.title.startsWith('How do ships float?')");
    lists(&bench, &["How do ships float?"]);
    new_chat(&bench);
    bench.agrees();
    bench.send("Hello");
    assert_eq!(sent(&bench), ["Hello"]);
    lists(&bench, &["Hello", "How do ships float?"]);
    // One click opens and scopes; Back goes back.
    bench.click(".conv:not(.on) a");
    bench.wait("T.asked() === 'How do ships float?' && T.one('#counter b')");
    bench.send("And submarines?");
    assert_eq!(sent(&bench), ["How do ships float?", "fine", "And submarines?"]);
    bench.agrees();
    bench.page.eval::<()>("history.back()").unwrap();
    bench.wait("T.asked() === 'Hello'");
    // A conversation that holds nothing yet is the new one: no second one is begun.
    new_chat(&bench);
    let address: String = bench.js("location.pathname");
    bench.click("#new-chat");
    bench.wait("document.activeElement.id === 'draft'");
    assert_eq!(bench.js::<String>("location.pathname"), address);
    bench.accessible("conversations");
    bench.fine();
}

#[test]
fn his_9b_each_conversation_has_its_own_draft_and_two_tabs_of_one_agree() {
    let Some(bench) = open([answer("fine")]) else { return };
    bench.send("first");
    bench.types("half a thought");
    let first: String = bench.js("location.pathname");
    let other = bench.tab();
    other.wait("T.asked() === 'first' && T.draft() === 'half a thought'");
    new_chat(&other);
    other.wait("T.draft() === ''");
    other.types("another thought");
    bench.click("#draft");
    bench.keys("End");
    bench.types(" more");
    bench.wait("T.draft() === 'half a thought more'");
    // Reload and Back bring each conversation its own words.
    other.reload();
    other.wait("T.draft() === 'another thought'");
    other.page.eval::<()>(&format!("location.assign('{first}')")).unwrap();
    other.wait("T.asked() === 'first' && T.draft() === 'half a thought more'");
    // What is sent in one tab is seen in the other that shows the same conversation.
    bench.keys("Enter");
    other.wait("T.asked() === 'first|half a thought more' && T.state() === 'complete'");
    other.agrees();
    bench.agrees();
    bench.fine();
}

#[test]
fn snd_2_two_tabs_send_in_two_conversations_at_once() {
    let gate = Gate::default();
    let slow = after([Step::Gate(gate.clone())], &answer("slow answer"));
    let Some(bench) = open([slow, answer("fast answer")]) else { return };
    bench.types("slow");
    bench.keys("Enter");
    bench.wait("T.state() === 'sending'");
    let other = bench.tab();
    new_chat(&other);
    other.send("fast");
    assert_eq!(other.js::<String>("T.reply()"), "fast answer");
    assert_eq!(bench.js::<String>("T.asked()"), "slow");
    bench.wait("T.one('#send').textContent === 'Cancel' && T.state() === 'sending'");
    gate.open();
    bench.wait("T.reply() === 'slow answer' && T.state() === 'complete'");
    assert_eq!(other.js::<String>("T.asked()"), "fast");
    other.agrees();
    bench.agrees();
    bench.fine();
}

#[test]
fn his_9_the_scope_is_a_chip_and_a_filter_stands_in_the_address() {
    let Some(bench) = open([answer("fine")]) else { return };
    bench.send("ship");
    new_chat(&bench);
    bench.send("train");
    bench.says("#scope", "this conversation");
    bench.click("#scope");
    bench.wait("T.asked() === 'ship|train' && T.says('#scope', 'everything')");
    bench.wait("location.search === '?scope=everything'");
    bench.agrees();
    bench.send("all");
    assert_eq!(sent(&bench), ["ship", "fine", "train", "fine", "all"]);
    bench.filter("r1");
    bench.wait("T.asked() === 'all' && location.search.includes('filter=r1')");
    bench.filter("r2");
    bench.wait("T.asked() === 'train|all'");
    bench.page.eval::<()>("history.back()").unwrap();
    bench.wait("T.asked() === 'all' && T.one('#filter').value === 'r1'");
    bench.reload();
    bench.wait("T.asked() === 'all' && T.one('#filter').value === 'r1'");
    bench.agrees();
    // What was said with everything in sight was filed in the conversation that is open.
    bench.filter("");
    bench.wait("T.pairs().length === 3");
    bench.click("#scope");
    bench.wait("T.asked() === 'train|all' && T.says('#scope', 'this conversation')");
    bench.fine();
}

#[test]
fn ui_15_a_conversation_is_found_renamed_deleted_and_brought_back() {
    let Some(bench) = open([answer("fine")]) else { return };
    bench.send("ship");
    new_chat(&bench);
    bench.send("train");
    lists(&bench, &["train", "ship"]);
    bench.click("#side-find");
    bench.types("shi");
    lists(&bench, &["ship"]);
    bench.keys("Escape");
    lists(&bench, &["train", "ship"]);
    bench.click("#title");
    bench.wait("T.one('dialog input')");
    bench.keys("Ctrl+A");
    bench.types("Trains of the world");
    bench.keys("Enter");
    bench.says("#title", "Trains of the world");
    lists(&bench, &["Trains of the world", "ship"]);
    // One confirmation, with the focus on Cancel, and one undo.
    bench.click(".conv.on .more");
    bench.wait("T.one('.popup input')");
    bench.types("Delete");
    bench.keys("Enter");
    bench.wait("T.one('dialog') && document.activeElement.textContent.startsWith('Cancel')");
    bench.click("dialog .danger");
    lists(&bench, &["ship"]);
    bench.says(".toast", "is deleted");
    bench.click(".toast button");
    lists(&bench, &["Trains of the world", "ship"]);
    bench.fine();
}

#[test]
fn his_9_what_is_imported_is_not_sent_before_somebody_opens_it() {
    let Some(bench) = open([answer("fine")]) else { return };
    let line = |user: &str, answer: &str| {
        serde_json::json!({ "messages": [
            { "role": "user", "content": user }, { "role": "assistant", "content": answer },
        ] })
        .to_string()
    };
    let file = bench.served.home().join("chats.jsonl");
    let text = format!("{}\n{}\n", line("Trip to Porto?", "Yes."), line("React loop?", "No."));
    std::fs::write(&file, text).unwrap();
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["import", "--data-dir"])
        .arg(bench.served.home().join("data"))
        .arg(&file)
        .envs(crate::served::store::variables(&bench.served.home().join("data")))
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    bench.wait("document.querySelectorAll('.conv').length === 2");
    bench.send("Hello");
    assert_eq!(sent(&bench), ["Hello"]);
    bench.wait("document.querySelectorAll('.conv').length === 3");
    bench.click(".conv a[title='Trip to Porto?']");
    bench.wait("T.asked() === 'Trip to Porto?' && T.one('#counter b')");
    bench.send("When?");
    assert_eq!(sent(&bench), ["Trip to Porto?", "Yes.", "When?"]);
    bench.fine();
}

#[test]
fn ui_15_the_sidebar_is_a_drawer_on_a_phone_and_keys_do_what_the_mouse_does() {
    let Some(bench) = open([answer("fine")]) else { return };
    bench.send("ship");
    bench.view();
    bench.keys("n");
    bench.wait("T.pairs().length === 0 && T.says('#title', 'New chat')");
    bench.wait("T.one('#history').dataset.ready && T.one('#counter b')");
    bench.view();
    bench.keys("C");
    bench.wait("!T.shown('#side') && T.shown('#panels')");
    bench.keys("C");
    bench.wait("T.shown('#side') && document.activeElement.id === 'side-find'");
    bench.types("ship");
    bench.keys("Enter");
    bench.wait("T.asked() === 'ship' && T.one('#counter b')");
    bench.page.viewport(Viewport::new(360, 740)).unwrap();
    bench.wait("!T.shown('#side') && T.shown('#side-open')");
    bench.click("#side-open");
    bench.wait("T.shown('#side') && T.shown('#side-shade')");
    bench.accessible("the drawer");
    bench.click("#side-close");
    bench.wait("!T.shown('#side')");
    bench.fine();
}

#[test]
fn his_7_a_hit_in_another_conversation_opens_that_conversation() {
    let Some(bench) = open([answer("fine")]) else { return };
    bench.send("barnacles on a hull");
    bench.send("another word");
    let first: String = bench.js("location.pathname");
    new_chat(&bench);
    bench.send("train");
    bench.click("#filter");
    bench.types("barnacles");
    bench.wait("T.one('#filter-menu mark')?.textContent === 'barnacles'");
    bench.says("#filter-menu", "in “barnacles on a hull”");
    bench.keys("ArrowDown Enter");
    bench.wait(&format!("location.pathname === '{first}' && T.current() === 0"));
    bench.fine();
}
