//! Summaries, comparisons and messages that are sent again, in a chat (HIS-11, HIS-12, HIS-13).

use plimsoll_testkit::scripted::{Reply, ScriptedServer};

use crate::{
    send::{Home, posted},
    terminal::{CTRL_D, Terminal},
};

fn replies(texts: &[&str]) -> Vec<Reply> {
    texts.iter().map(|text| Reply::openai(&[text], 14, 2)).collect()
}

#[test]
fn his_11_chat_shows_what_it_would_summarise_and_takes_it_back() {
    let server = ScriptedServer::chats(replies(&["alpha", "beta", "both in short", "on"])).unwrap();
    let home = Home::new(&server, 4096);
    let mut chat = Terminal::start(&home, &["chat"]);
    chat.enter("first question");
    chat.wait_for("0 ashore · 1 aboard");
    chat.enter("second question");
    chat.wait_for("0 ashore · 2 aboard");
    chat.enter("/summarise");
    chat.wait_for("there is nothing to summarise");
    chat.enter("/summarise 1");
    chat.wait_for("2 pairs go to test: ");
    chat.wait_for("first question");
    chat.enter("n");
    chat.wait_for("nothing was summarised");
    chat.enter("/summarise 1");
    chat.enter("y");
    chat.wait_for("both in short");
    chat.wait_for("2 ashore · 1 aboard");
    chat.enter("go on");
    chat.wait_for("2 ashore · 2 aboard");
    let last = posted(&server).pop().unwrap();
    assert!(last.contains("Summary of 4 earlier messages") && last.contains("both in short"));
    assert!(!last.contains("first question"), "{last}");
    chat.enter("/undo");
    chat.wait_for("used as before");
    chat.wait_for("0 ashore · 3 aboard");
    chat.wait_for("› ");
    chat.keys(CTRL_D);
    assert_eq!(chat.end(), 0);
}

#[test]
fn his_12_chat_asks_several_models_and_goes_on_with_one() {
    let server = ScriptedServer::chats(replies(&["an answer"])).unwrap();
    let home = Home::new(&server, 4096);
    let path = home.path().join("models.toml");
    let mut models = std::fs::read_to_string(&path).unwrap();
    models.push_str(&models.replace("id = \"test\"", "id = \"other\""));
    std::fs::write(&path, models).unwrap();
    let mut chat = Terminal::start(&home, &["chat"]);
    chat.enter("/compare other");
    chat.wait_for("/compare takes 1 to 2 models and a message");
    chat.enter("/compare test why?");
    chat.wait_for("2 to 3 different models");
    chat.enter("/compare other Which is larger?");
    chat.wait_for("── test");
    chat.wait_for("── other");
    chat.wait_for("/prefer N goes on with another");
    chat.wait_for("1 aboard · ");
    chat.wait_for(" · test · ");
    assert_eq!(posted(&server).len(), 2);
    chat.enter("/compare a,b,c Which?");
    chat.wait_for("/compare takes 1 to 2 models and a message");
    chat.enter("/prefer 1");
    chat.wait_for("going on with the answer of other");
    chat.enter("/again 1");
    chat.wait_for("Which is larger?");
    chat.keys(" In bytes.\r");
    chat.wait_for("2 ashore · 1 aboard");
    let last = posted(&server).pop().unwrap();
    assert!(last.contains("Which is larger? In bytes."), "{last}");
    assert!(!last.contains("an answer"), "the old pair is left out: {last}");
    chat.wait_for("› ");
    chat.keys(CTRL_D);
    assert_eq!(chat.end(), 0);
}

/// CAT-5: the newest pair is that of the last model, but the answer of the first one goes on.
#[test]
fn his_12_who_continues_after_a_comparison_goes_on_with_the_model_whose_answer_does() {
    let server = ScriptedServer::chats(replies(&["an answer"])).unwrap();
    let home = Home::new(&server, 4096);
    let path = home.path().join("models.toml");
    let mut models = std::fs::read_to_string(&path).unwrap();
    models.push_str(&models.replace("id = \"test\"", "id = \"other\""));
    std::fs::write(&path, models).unwrap();
    let mut chat = Terminal::start(&home, &["chat"]);
    chat.enter("/compare other Which is larger?");
    chat.wait_for("/prefer N goes on with another");
    chat.wait_for("› ");
    chat.keys(CTRL_D);
    assert_eq!(chat.end(), 0);
    let model = |input: &str, expected: &str| {
        let mut chat = Terminal::start(&home, &["chat", "-c"]);
        chat.wait_for(&format!(" · {expected} · "));
        chat.enter(input);
        chat.wait_for("› ");
        chat.keys(CTRL_D);
        assert_eq!(chat.end(), 0);
    };
    model("/prefer 1", "test");
    model("/prefer 2", "other");
    model("/help", "test");
}
