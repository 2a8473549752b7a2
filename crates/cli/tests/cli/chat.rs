//! `plimsoll chat` in a real terminal, and in a pipe.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use plimsoll_testkit::scripted::{Reply, ScriptedServer};

use crate::{
    send::{Home, posted},
    terminal::{CTRL_C, CTRL_D, Terminal, UP},
};

#[test]
fn a_conversation_under_the_load_line() {
    let replies = [
        Reply::openai(&["A mark ", "on the hull\x1b[2J."], 14, 6),
        Reply::openai(&["Samuel"], 30, 2),
    ];
    let server = ScriptedServer::chats(replies).unwrap();
    let home = Home::new(&server, 4096);
    let mut chat = Terminal::start(&home, &["chat"]);
    chat.wait_for("──⊖── 0 ashore · 0 aboard · ~0 / 4K tokens · 0 % · test · New chat");
    chat.enter("What is a load line?");
    chat.wait_for("A mark on the hull\u{fffd}[2J.");
    chat.wait_for("test · estimate ");
    chat.wait_for("0 ashore · 1 aboard · ");
    chat.enter("And who\\\rfought for it?");
    chat.wait_for("Samuel");
    chat.wait_for("0 ashore · 2 aboard · ");
    assert!(posted(&server)[1].contains("And who\\nfought for it?"));
    assert!(!chat.raw().contains("\x1b[2J."), "an answer must not steer the terminal");

    chat.enter("/receipt");
    chat.wait_for("history ");
    chat.wait_for("prompt ");
    chat.wait_for("attempts     1 (success), 0 trimmed");
    chat.wait_for("history hash ");
    chat.enter("/plan");
    chat.wait_for("2 aboard");
    chat.wait_for("What is a load line?");
    chat.wait_for("And who fought for it?");
    chat.enter("/star 3");
    chat.wait_for("3 of 3 stars: And who");
    chat.enter("/filter s3");
    chat.wait_for("0 ashore · 1 aboard");
    // FLT-4: the caret, and the last good filter.
    chat.enter("/filter s9");
    chat.wait_for("  s9\n   ^");
    chat.wait_for("stars go from 0 to 3");
    chat.wait_for("the filter stays s3");
    chat.wait_for("0 ashore · 1 aboard");
    chat.enter("/save good");
    chat.wait_for("@good stands for s3");
    chat.enter("/filter");
    chat.wait_for("0 ashore · 2 aboard");
    chat.enter("/fliter @good");
    chat.wait_for("did you mean /filter?");
    chat.enter("/exact and now?");
    chat.wait_for("\"messages\"");
    chat.wait_for("and now?");
    chat.enter("/delete");
    chat.wait_for("and its answer?");
    chat.enter("y");
    chat.wait_for("deleted: And who");
    chat.wait_for("/undo brings it back");
    chat.wait_for("0 ashore · 1 aboard");
    chat.enter("/undo");
    chat.wait_for("is back");
    chat.wait_for("0 ashore · 2 aboard");
    chat.wait_for("› ");
    chat.keys(CTRL_C);
    chat.wait_for("Ctrl+D leaves");
    chat.wait_for("› ");
    chat.keys(CTRL_D);
    assert_eq!(chat.end(), 0);
    assert_eq!(posted(&server).len(), 2, "commands send nothing");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let lines = home.path().join("data/chat_history");
        let mode = std::fs::metadata(&lines).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let lines = std::fs::read_to_string(lines).unwrap();
        assert!(lines.contains("What is a load line?") && !lines.contains("And who"), "{lines}");
    }
}

#[test]
fn lines_are_remembered_completed_and_cleared() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 9, 1)]).unwrap();
    let home = Home::new(&server, 4096);
    let mut chat = Terminal::start(&home, &["chat"]);
    chat.enter("remember me");
    chat.wait_for("fine");
    chat.wait_for("1 aboard");
    chat.wait_for("› ");
    chat.keys("something else");
    chat.wait_for("else");
    // Ctrl+C empties the line, Tab completes, and Enter takes it.
    chat.keys(CTRL_C);
    chat.keys("/rec\t");
    chat.wait_for("/receipt ");
    chat.keys("\r");
    chat.wait_for("history hash");
    chat.enter("/quit");
    assert_eq!(chat.end(), 0);
    // The next chat knows the lines of the last one.
    let mut chat = Terminal::start(&home, &["chat"]);
    chat.wait_for("› ");
    chat.keys(UP);
    chat.wait_for("/quit");
    chat.keys(UP);
    chat.wait_for("/receipt");
    chat.keys(UP);
    chat.wait_for("remember me");
    // Alt+Enter goes on in the next line.
    chat.keys("\x1b\rand this\r");
    chat.wait_for("fine");
    assert!(posted(&server)[1].contains("remember me\\nand this"), "{:?}", posted(&server)[1]);
    chat.enter("/quit");
    assert_eq!(chat.end(), 0);
}

#[test]
fn snd_4_ctrl_c_stops_a_send_and_keeps_what_had_arrived() {
    let replies = [Reply::openai_open(&["half an "]).hang(), Reply::openai(&["whole"], 9, 1)];
    let server = ScriptedServer::chats(replies).unwrap();
    let home = Home::new(&server, 4096);
    let mut chat = Terminal::start(&home, &["chat"]);
    chat.enter("tell me");
    chat.wait_for("half an");
    chat.keys(CTRL_C);
    chat.wait_for("stopped; what had arrived is kept");
    assert!(server.wait_for_hang_up(Duration::from_secs(60)), "the call is closed");
    chat.enter("go on");
    chat.wait_for("whole");
    assert!(posted(&server)[1].contains("half an "), "the partial answer is history");
    // SND-7: the words come back to the input and can be changed.
    chat.enter("/reask");
    chat.wait_for("tell me");
    chat.keys(" again\r");
    chat.wait_for("whole");
    let body = posted(&server).pop().unwrap();
    assert!(body.contains("tell me again") && !body.contains("half an "), "{body}");
    chat.enter("/quit");
    assert_eq!(chat.end(), 0);
    let plan = home.command(&["plan", "--json"]).run().json();
    assert_eq!(plan["y"], 2, "the stopped pair is replaced");
}

#[test]
fn fau_6_a_wait_counts_down_and_ctrl_c_stops_it() {
    let posts = AtomicUsize::new(0);
    let server = ScriptedServer::answering(move |request| match request.method.as_str() {
        "POST" => match posts.fetch_add(1, Ordering::SeqCst) {
            0 => Reply::rate(Some(Duration::from_secs(1))),
            1 => Reply::openai(&["late"], 9, 1),
            2 => Reply::rate(Some(Duration::from_secs(50))),
            _ => Reply::auth(),
        },
        _ => Reply::model_missing("test"),
    })
    .unwrap();
    let home = Home::new(&server, 4096);
    let mut chat = Terminal::start(&home, &["chat"]);
    chat.enter("first");
    chat.wait_for("trying again; ");
    chat.wait_for("late");
    chat.enter("second");
    chat.wait_for("(Ctrl+C stops it)");
    chat.keys(CTRL_C);
    chat.wait_for("stopped; what had arrived is kept");
    // FAU-8: a fault says its label, and the text is not lost.
    chat.enter("third");
    chat.wait_for("[error: auth] ");
    chat.wait_for("your message is kept; /reask brings it back");
    chat.enter("/reask");
    chat.wait_for("third");
    chat.keys(CTRL_C);
    chat.keys(CTRL_C);
    chat.wait_for("left alone; nothing was sent");
    chat.enter("/quit");
    assert_eq!(chat.end(), 0);
}

#[test]
fn val_3_too_much_is_asked_about_and_each_choice_works() {
    let long = "word ".repeat(177);
    for (choice, old_goes_along) in [("f", false), ("t", true), ("h", false), ("c", false)] {
        let server = ScriptedServer::chats([Reply::openai(&["fine"], 15, 1)]).unwrap();
        let home = Home::new(&server, 200);
        let mut chat = Terminal::start(&home, &["chat"]);
        chat.enter("one two three four five six seven eight nine ten");
        chat.wait_for("1 aboard");
        chat.enter(&long);
        chat.wait_for("The request is over the limit of 200 tokens by ");
        chat.wait_for("[f] fit first: leave the oldest pair ashore");
        chat.wait_for("[t] send it and trim as needed");
        chat.wait_for("[h] clear the history");
        chat.wait_for("[c] cancel");
        chat.enter("x");
        // Larger models are in the catalog, but none of them can be asked here.
        chat.wait_for("it is one of f, t, h, c");
        chat.enter(choice);
        if choice == "c" {
            chat.wait_for("nothing was sent");
            chat.wait_for("› ");
            // The message is a key away.
            chat.keys(UP);
            chat.wait_for("word word");
            chat.keys(CTRL_C);
            chat.keys("/quit\r");
            assert_eq!((chat.end(), posted(&server).len()), (0, 1));
            continue;
        }
        if choice == "h" {
            chat.wait_for("a new context begins here");
        }
        chat.wait_for("fine");
        let body = posted(&server).remove(1);
        assert_eq!(body.contains("seven"), old_goes_along, "{choice}: {body}");
        chat.enter("/quit");
        assert_eq!(chat.end(), 0);
    }
}

#[test]
fn val_3_another_model_takes_what_is_too_much_for_the_first() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 15, 1)]).unwrap();
    let home = Home::new(&server, 100);
    let models = home.path().join("models.toml");
    let small = std::fs::read_to_string(&models).unwrap();
    let large = small.replace("\"test\"", "\"larger\"").replace("= 100\n", "= 400\n");
    std::fs::write(&models, format!("{small}\n{large}")).unwrap();
    let mut chat = Terminal::start(&home, &["chat"]);
    chat.enter(&"word ".repeat(150));
    chat.wait_for("The message alone is over the limit of 100 tokens");
    chat.wait_for("[1] switch to larger");
    chat.enter("1");
    chat.wait_for("fine");
    chat.wait_for("larger · /word word");
    assert!(posted(&server)[0].contains("\"larger\""));
    chat.enter("/quit");
    assert_eq!(chat.end(), 0);
}

/// HIS-9c: `chat` begins a conversation, `/new` another, `-c` goes on with the last, and `--topic`
/// with one by its title.
#[test]
fn his_9c_a_chat_is_a_conversation_of_its_own() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 9, 1)]).unwrap();
    let home = Home::new(&server, 4096);
    let chat = |args: &[&str], input: &str| {
        let ran = home.command(&[&["chat"], args].concat()).input(input).run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        posted(&server).pop().unwrap()
    };
    let last = chat(&[], "ship\n/new\ntrain\nwagon\n");
    assert!(last.contains("train") && last.contains("wagon") && !last.contains("ship"), "{last}");
    let last = chat(&[], "plane\n");
    assert!(!last.contains("train") && !last.contains("ship"), "{last}");
    let last = chat(&["-c"], "wing\n");
    assert!(last.contains("plane") && !last.contains("train"), "{last}");
    let last = chat(&["--topic", "ship"], "boat\n");
    assert!(last.contains("ship") && !last.contains("plane"), "{last}");
    let last = chat(&["--filter", "c'wagon' | c'wing'"], "all\n");
    assert!(last.contains("wagon") && last.contains("wing") && !last.contains("ship"), "{last}");
    // A message alone is a conversation of its own, and nothing of another goes with it.
    home.send(&["alone"]);
    let last = posted(&server).pop().unwrap();
    assert!(last.contains("alone") && !last.contains("ship"), "{last}");
    // What was imported is nobody's last word, and the end of an import says that it is not sent.
    let old =
        r#"{"messages":[{"role":"user","content":"porto"},{"role":"assistant","content":"yes"}]}"#;
    let file = home.path().join("old.jsonl");
    std::fs::write(&file, old).unwrap();
    let ran = home.command(&["import", file.to_str().unwrap()]).run();
    assert!(ran.stderr.contains("nothing of it is sent before you open"), "{}", ran.stderr);
    home.send(&["-c", "on"]);
    let last = posted(&server).pop().unwrap();
    assert!(last.contains("alone") && !last.contains("porto"), "{last}");
    let ran = home.send(&["--scope", "half", "x"]);
    assert!(ran.code == 2 && ran.stderr.contains("conversation, everything"), "{}", ran.stderr);
}

#[test]
fn without_a_terminal_each_line_is_a_message() {
    let replies = [Reply::openai(&["one\x1b[2J"], 9, 1), Reply::openai(&["two"], 9, 1)];
    let server = ScriptedServer::chats(replies).unwrap();
    let home = Home::new(&server, 4096);
    let ran = home.command(&["chat"]).input("first\n\n//slash\n").run();
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "one\x1b[2J\ntwo\n"), "{}", ran.stderr);
    assert!(!ran.stderr.contains('\x1b') && !ran.stdout.contains('⊖'), "{}", ran.stderr);
    let bodies = posted(&server);
    assert!(bodies[1].contains("first") && bodies[1].contains("\"/slash\""), "{}", bodies[1]);
    // Commands work too, and one failure fails the whole without stopping it.
    let ran =
        home.command(&["chat", "-c"]).input("/filter s9\n/filter r1\nthird\n/receipt\n").run();
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with("two\n") && ran.stdout.contains("history hash"),
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.contains("stars go from 0 to 3"), "{}", ran.stderr);
    let last = posted(&server).pop().unwrap();
    assert!(last.contains("/slash") && !last.contains("first"), "{last}");
    // Too much is refused with suggestions: there is nobody to ask.
    let small = Home::new(&server, 100);
    let long = "word ".repeat(300);
    let ran = small.command(&["chat"]).input(format!("{long}\nshort\n")).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (1, "two\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("[error: context] The message alone is over"), "{}", ran.stderr);
}

#[test]
fn snd_8_regenerate_and_swap_in_a_script() {
    let replies = [Reply::auth(), Reply::openai(&["one"], 9, 1), Reply::openai(&["two"], 9, 1)];
    let server = ScriptedServer::chats(replies).unwrap();
    let home = Home::new(&server, 4096);
    let lines = "/reask\nhello\n/reask\n/regenerate\n/swap\n/delete\n/plan\n";
    let ran = home.command(&["chat"]).input(lines).run();
    assert_eq!(ran.code, 1, "the first /reask and the first send failed: {}", ran.stderr);
    let answers: Vec<&str> = ran.stdout.lines().take(3).collect();
    assert_eq!(answers, ["one", "two", "one"], "{}\n{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("deleted: hello"), "{}", ran.stderr);
    assert_eq!(home.command(&["plan", "--json"]).run().json()["y"], 0);
}

/// API-6: what the page does to a pair can be done here.
#[test]
fn api_6_a_context_begins_at_a_pair_and_a_question_is_written_anew() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 9, 1)]).unwrap();
    let home = Home::new(&server, 4096);
    let input = "ship\ntrain\n/from 1\nwagon\n/edit coach\nwheel\n/edit\n";
    let ran = home.command(&["chat"]).input(input).run();
    let last = posted(&server).pop().unwrap();
    assert!(last.contains("train") && !last.contains("ship"), "{last}");
    assert!(last.contains("coach") && !last.contains("wagon"), "{last}");
    assert!(ran.stderr.contains("/edit takes the new words"), "{}", ran.stderr);
    // A conversation goes with its pairs, and comes back with them.
    assert!(home.command(&["topics", "rm", "ship"]).run().code != 0, "it holds pairs");
    assert_eq!(home.command(&["topics", "rm", "ship", "--with-pairs"]).run().code, 0);
    let pairs = || home.command(&["export"]).run().json()["pairs"].as_array().unwrap().len();
    assert_eq!(pairs(), 0);
    assert_eq!(home.command(&["undo"]).run().code, 0);
    assert_eq!(pairs(), 4);
}

#[test]
fn api_6_a_pair_is_moved_to_another_conversation() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 9, 1)]).unwrap();
    let home = Home::new(&server, 4096);
    assert_eq!(home.command(&["topics", "add", "/Sea"]).run().code, 0);
    let input = "ship\ntrain\n/move\n/move /Nowhere\n/move /Sea\nwagon\n";
    let ran = home.command(&["chat"]).input(input).run();
    for said in ["/move takes a topic", "Nowhere", "moved: train"] {
        assert!(ran.stderr.contains(said) || ran.stdout.contains(said), "{said}: {}", ran.stderr);
    }
    let last = posted(&server).pop().unwrap();
    assert!(last.contains("ship") && !last.contains("train"), "it is elsewhere now: {last}");
}
