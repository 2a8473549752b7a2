//! The prompt library in the terminal (UI-23).

use plimsoll_testkit::scripted::{Reply, ScriptedServer};

use crate::{
    send::{Home, posted},
    terminal::Terminal,
};

const REVIEW: &str = "Review this {{language=Rust}} code for {{whom}}: {{input}}";

#[test]
fn ui_23_a_snippet_makes_the_message() {
    let server = ScriptedServer::always(Reply::openai(&["fine"], 9, 1)).unwrap();
    let home = Home::new(&server, 4096);
    let last = || posted(&server).pop().unwrap();
    assert_eq!(home.command(&["snippets", "set", "review", REVIEW]).run().code, 0);
    assert_eq!(home.command(&["snippets", "set", "hello"]).input("Say hello.\n").run().code, 0);
    let listed = home.command(&["snippets", "--json"]).run().json();
    assert_eq!(listed["snippets"][1]["places"], serde_json::json!(["language", "whom"]));
    let listed = home.command(&["snippets"]).run().stdout;
    assert!(listed.contains("/review ") && listed.contains("Review this"), "{listed}");
    assert_eq!(home.command(&["snippets", "show", "hello"]).run().stdout, "Say hello.\n");

    let ran = home.send(&["-t", "review", "-p", "whom=the crew", "let x;"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(last().contains("Review this Rust code for the crew: let x;"), "{}", last());
    let ran = home.command(&["send", "-t", "hello"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(last().contains("Say hello."), "{}", last());
    // A place that nobody filled in, one that is not there, a name that nobody has.
    let count = posted(&server).len();
    home.send(&["-t", "review", "x"]).refused(2, "has places to fill in: whom");
    home.send(&["-t", "review", "-p", "who=x", "x"]).refused(2, "has no place 'who'");
    home.send(&["-t", "nothing", "x"]).refused(1, "there is no snippet 'nothing'");
    home.command(&["snippets", "set", "Two Words", "x"]).run().refused(2, "is no name");
    assert_eq!(posted(&server).len(), count);

    // In a script of chat it goes at once, and a name that nobody has is no message.
    let ran = home.command(&["chat"]).input("/review whom=\"all of us\" let y;\n/rview\n").run();
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(last().contains("Review this Rust code for all of us: let y;"), "{}", last());
    assert!(ran.stderr.contains("there is no command or snippet /rview"), "{}", ran.stderr);

    // REC-5: one step brings a deleted one back.
    assert_eq!(home.command(&["snippets", "rm", "review"]).run().code, 0);
    home.send(&["-t", "review", "x"]).refused(1, "there is no snippet 'review'");
    let ran = home.command(&["undo"]).run();
    assert!(ran.stdout.contains("/review is back") || ran.stderr.contains("/review is back"));
    assert_eq!(home.command(&["snippets", "show", "review"]).run().stdout.trim(), REVIEW);
}

#[test]
fn ui_23_in_a_terminal_a_snippet_is_seen_before_it_is_sent() {
    let server = ScriptedServer::always(Reply::openai(&["fine"], 9, 1)).unwrap();
    let home = Home::new(&server, 4096);
    home.command(&["snippets", "set", "review", REVIEW]).run();
    let mut chat = Terminal::start(&home, &["chat"]);
    chat.wait_for("› ");
    chat.keys("/revi\t");
    chat.wait_for("/review ");
    chat.keys("whom=us let z;\r");
    chat.wait_for("Review this Rust code for us: let z;");
    assert_eq!(posted(&server).len(), 0, "nothing goes before Enter");
    chat.keys(" Please.\r");
    chat.wait_for("fine");
    assert!(posted(&server)[0].contains("Review this Rust code for us: let z; Please."));
    chat.enter("/quit");
    assert_eq!(chat.end(), 0);
}

#[test]
fn ui_23_new_conversations_begin_with_the_system_message_of_the_settings() {
    let server = ScriptedServer::always(Reply::openai(&["fine"], 9, 1)).unwrap();
    let home = Home::new(&server, 4096);
    let last = || posted(&server).pop().unwrap();
    home.send(&["before"]);
    home.command(&["settings", "set", "systemMessage", "Speak like a sailor."]).run();
    home.send(&["-c", "again"]);
    assert!(!last().contains("sailor"), "a conversation that goes on stays as it is: {}", last());
    home.send(&["new"]);
    assert!(last().contains("Speak like a sailor."), "{}", last());
    home.command(&["settings", "set", "systemMessage", "Be brief."]).run();
    home.send(&["-c", "on"]);
    assert!(last().contains("Speak like a sailor."), "{}", last());
    home.send(&["-s", "Be long.", "other"]);
    assert!(last().contains("Be long.") && !last().contains("Be brief."), "{}", last());
    home.command(&["settings", "set", "sendSystemMessage", "off"]).run();
    home.send(&["-c", "on"]);
    assert!(!last().contains("Be long."), "{}", last());
    // What was the switch before keeps its meaning.
    home.command(&["settings", "unset", "sendSystemMessage"]).run();
    home.command(&["settings", "set", "systemMessage", "off"]).run();
    home.send(&["-c", "on"]);
    assert!(!last().contains("Be long.") && !last().contains("\"off\""), "{}", last());
}

/// HIS-8: what belongs to conversations beside their pairs comes back in another store.
#[test]
fn his_8_an_export_carries_titles_marks_and_snippets() {
    let server = ScriptedServer::always(Reply::openai(&["fine"], 9, 1)).unwrap();
    let home = Home::new(&server, 4096);
    home.command(&["snippets", "set", "review", REVIEW]).run();
    home.command(&["chat", "--new", "Ships", "-s", "Sea."]).input("one\n/clear\n").run();
    home.send(&["a title of first words"]);
    let file = home.path().join("all.json");
    let ran = home.command(&["export", "-o", file.to_str().unwrap()]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = std::fs::read_to_string(&file).unwrap();
    let export: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&export["plimsollExport"], &export["scope"]), (&3.into(), &"everything".into()));
    assert_eq!(export["contextFrom"][0]["after"], true, "{text}");

    let other = Home::new(&server, 4096);
    let ran = other.command(&["import", file.to_str().unwrap()]).run();
    assert!(ran.stdout.contains("1 snippet") || ran.stderr.contains("1 snippet"), "{}", ran.stderr);
    assert_eq!(other.command(&["snippets", "show", "review"]).run().stdout.trim(), REVIEW);
    // The mark came along: nothing before it is sent, and the system message is.
    other.send(&["--topic", "Ships", "two"]);
    let last = posted(&server).pop().unwrap();
    assert!(last.contains("Sea.") && last.contains("two") && !last.contains("one"), "{last}");
    let again = home.path().join("again.json");
    home.command(&["import", file.to_str().unwrap()]).run();
    home.command(&["export", "-o", again.to_str().unwrap()]).run();
    assert_eq!(std::fs::read_to_string(&again).unwrap(), text);
    let newer = home.path().join("newer.json");
    std::fs::write(&newer, r#"{"plimsollExport":4,"topics":[]}"#).unwrap();
    home.command(&["import", newer.to_str().unwrap()]).run().refused(1, "version 4");
}
