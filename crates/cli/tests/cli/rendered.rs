//! What people see in a terminal: Markdown, a dry run, narrow tables; and what a pipe gets.

use plimsoll_testkit::scripted::{Reply, ScriptedServer};
use pty_process::Size;

use crate::{
    run::kept,
    send::{Home, posted},
    terminal::Terminal,
};

const MARKDOWN: [&str; 6] = [
    "# Load ",
    "lines\n\nA **mark** on ",
    "the `hull`:\n\n- on",
    "e\n- two\n\n",
    "| a | b |\n|--",
    "-|---|\n| 1 | 2 |\n",
];

#[test]
fn markdown_is_rendered_on_a_terminal_and_plain_in_a_pipe() {
    let server = ScriptedServer::always(Reply::openai(&MARKDOWN, 14, 6)).unwrap();
    let home = Home::new(&server, 4096);
    let ran = home.send(&["What?"]);
    assert_eq!(ran.stdout, MARKDOWN.concat(), "{}", ran.stderr);

    let mut shown = Terminal::start(&home, &["send", "What?"]);
    shown.wait_for("• two");
    shown.wait_for("1   │ 2");
    shown.wait_for("test · estimate ");
    let raw = shown.raw();
    assert!(raw.contains("\x1b[1mmark\x1b[0m") && !raw.contains("**"), "{raw}");
    assert!(raw.contains("\x1b[36mhull\x1b[0m"), "{raw}");
    assert_eq!(shown.end(), 0);

    // Bold words are no colours; a dumb terminal gets neither.
    let size = Size::new(40, 80);
    let plain = [("NO_COLOR", "1")];
    let mut shown = Terminal::start_sized(&home, &["send", "What?"], size, &plain);
    shown.wait_for("test · estimate ");
    let raw = shown.raw();
    assert!(raw.contains("\x1b[1mmark\x1b[0m") && !raw.contains("\x1b[36m"), "{raw}");
    let dumb = [("TERM", "dumb")];
    let mut shown = Terminal::start_sized(&home, &["send", "What?"], size, &dumb);
    shown.wait_for("A **mark** on the `hull`");
    shown.wait_for("test · estimate ");
    assert!(!shown.raw().contains('\x1b'), "{}", shown.raw());

    let ran = home.send(&["--markdown", "always", "What?"]);
    assert!(ran.stdout.contains("• two\n") && !ran.stdout.contains("\x1b[J"), "{:?}", ran.stdout);
    let mut shown = Terminal::start(&home, &["send", "--markdown", "never", "What?"]);
    shown.wait_for("A **mark** on the `hull`");
}

#[test]
fn his_9c_a_system_message_and_a_temperature_are_of_the_send() {
    let server = ScriptedServer::always(Reply::openai(&["fine"], 9, 1)).unwrap();
    let home = Home::new(&server, 4096);
    let last = || posted(&server).pop().unwrap();
    let ran = home.send(&["-s", "Be brief.", "--temperature", "0.5", "ship"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(last().contains("Be brief.") && last().contains("\"temperature\":0.5"), "{}", last());
    // The conversation that it began keeps both; one that goes on is not changed by a later send.
    home.send(&["-c", "-s", "Be long.", "on"]);
    assert!(last().contains("Be long.") && !last().contains("Be brief."), "{}", last());
    home.send(&["-c", "and on"]);
    assert!(last().contains("Be brief.") && last().contains("\"temperature\":0.5"), "{}", last());
    home.send(&["another"]);
    assert!(!last().contains("Be brief.") && !last().contains("temperature"), "{}", last());
    let ran = home.send(&["--temperature", "3", "x"]);
    assert!(ran.code == 2 && ran.stderr.contains("a number from 0 to 2"), "{}", ran.stderr);

    // A conversation can be named when it begins, and gone on with by that name.
    let ran =
        home.command(&["chat", "--new", "Ships", "-s", "Sea."]).input("one\n/new Trains\ntwo\n");
    assert_eq!(ran.run().code, 0);
    assert!(last().contains("Sea.") && last().contains("two") && !last().contains("one"));
    home.send(&["--topic", "Ships", "three"]);
    assert!(last().contains("Sea.") && last().contains("one"), "{}", last());
    let ran = home.send(&["--new", "Ships", "x"]);
    ran.refused(1, "there is a conversation 'Ships' already");
    let ran = home.command(&["chat"]).input("/topic Planes\n").run();
    assert!(ran.stderr.contains("/new Planes begins it"), "{}", ran.stderr);
}

#[test]
fn a_dry_run_reads_well_on_a_terminal() {
    let server = ScriptedServer::always(Reply::openai(&["fine"], 9, 1)).unwrap();
    let home = Home::new(&server, 4096);
    let file = home.path().join("notes.txt");
    std::fs::write(&file, "what ships carry").unwrap();
    home.send(&["-f", file.to_str().unwrap(), "ship"]);
    let args = ["send", "-c", "-s", "Be brief.", "--dry-run", "and now?"];
    for columns in [160, 40] {
        let mut shown = Terminal::start_sized(&home, &args, Size::new(40, columns), &[]);
        shown.wait_for("1 aboard");
        shown.wait_for("system: Be brief.");
        // HIS-8: a file's name, never the mark or the path that stands for it.
        shown.wait_for("ship [notes.txt]");
        shown.wait_for("message: and now?");
        shown.wait_for("in all, of 4,096");
        shown.wait_for("nothing was sent");
        assert!(!shown.raw().contains("context:"), "{}", shown.raw());
        assert_eq!(shown.end(), 0);
    }
    let mut shown = Terminal::start(&home, &[&args[..], &["--json"]].concat());
    shown.wait_for("\"messages\"");
    assert_eq!(shown.end(), 0);
    assert_eq!((posted(&server).len(), kept(&home.path().join("data")).len()), (1, 1));
    let plan = home.command(&["chat", "-c"]).input("/plan\n").run();
    assert!(plan.stdout.contains("ship [notes.txt]"), "{}", plan.stdout);
    assert!(!plan.stdout.contains("context:"), "{}", plan.stdout);
}

#[test]
fn his_8_exports_for_people_name_files_and_say_what_is_left_out() {
    let server = ScriptedServer::always(Reply::openai(&["fine"], 9, 1)).unwrap();
    let home = Home::new(&server, 4096);
    let file = home.path().join("notes.txt");
    std::fs::write(&file, "what ships carry").unwrap();
    home.send(&["-f", file.to_str().unwrap(), "ship"]);
    for format in ["md", "txt"] {
        let text = home.command(&["export", "--format", format]).run().stdout;
        assert!(text.contains("ship\n[notes.txt]"), "{text}");
        assert!(!text.contains("context:") && !text.contains("/data/"), "{text}");
        assert!(text.contains("Left out of this text: what attached files hold (1)."), "{text}");
    }
}

#[test]
fn settings_and_receipts_fit_forty_columns() {
    if plimsoll_testkit::switch::is_of_files_alone(
        "the address of a database is longer than its lines",
    ) {
        return;
    }
    let server = ScriptedServer::always(Reply::openai(&["fine"], 9, 1)).unwrap();
    let home = Home::new(&server, 4096);
    home.send(&["ship"]);
    for (command, last) in [("settings", "threads"), ("receipts", "used 9 + 1")] {
        let mut shown = Terminal::start_sized(&home, &[command], Size::new(40, 40), &[]);
        shown.wait_for(last);
        let raw = shown.raw();
        let wide: Vec<&str> =
            raw.lines().filter(|line| line.trim_end().chars().count() > 40).collect();
        assert!(wide.is_empty(), "{command}: {wide:?}");
    }
    assert!(home.command(&["receipts"]).run().stdout.contains("estimate"));
}

#[test]
fn paths_are_completed_after_attach() {
    let server = ScriptedServer::always(Reply::openai(&["fine"], 9, 1)).unwrap();
    let home = Home::new(&server, 4096);
    std::fs::write(home.path().join("harbour notes.txt"), "x").unwrap();
    let mut chat = Terminal::start(&home, &["chat"]);
    chat.wait_for("› ");
    chat.keys(&format!("/attach {}/harb\t", home.path().display()));
    chat.wait_for("harbour notes.txt");
    chat.keys("\r");
    chat.wait_for("attached to the next message: harbour notes.txt");
    chat.enter("/quit");
    assert_eq!(chat.end(), 0);
}
