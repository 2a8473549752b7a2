use super::*;
use crate::{ErrorKind::*, TopicPath, parse};

#[track_caller]
fn check(text: &str, expected: Command) {
    assert_eq!(parse(text).unwrap().command, Some(expected), "FLT-5 {text:?}");
}

fn export(format: ExportFormat, filename: Option<&str>, order: ExportOrder) -> Command {
    Command::Export { format, filename: filename.map(str::to_owned), order }
}

#[test]
fn commands_are_read() {
    check(":export", export(ExportFormat::Json, None, ExportOrder::Time));
    check(":export zip", export(ExportFormat::Zip, None, ExportOrder::Time));
    let named = |format, name| export(format, Some(name), ExportOrder::Time);
    check(":export --filename=sea.ZIP", named(ExportFormat::Zip, "sea.ZIP"));
    check(":export json --filename=sea.zip", named(ExportFormat::Json, "sea.zip"));
    check(":export --filename=zip", named(ExportFormat::Json, "zip"));
    check("b : export md", export(ExportFormat::Markdown, None, ExportOrder::Time));
    check(
        "c'a:b' :export --order=topic --filename=a:b.txt txt ",
        export(ExportFormat::Text, Some("a:b.txt"), ExportOrder::Topic),
    );
    check(
        r#":export --filename="my *\"file\".json""#,
        export(ExportFormat::Json, Some("my *\"file\".json"), ExportOrder::Time),
    );
    check(":star 3", Command::Star(Star::new(3).unwrap()));
    check(":flag b", Command::Flag(ColorFlag::Blue));
    check("b:flag g", Command::Flag(ColorFlag::Grey));
    check("b :use out", Command::Use(PairUse::Out));
    check(":use pinned", Command::Use(PairUse::Pinned));
    check(":use auto", Command::Use(PairUse::Auto));
    check(":delete", Command::Delete { force: false });
    check(":delete --force", Command::Delete { force: true });
    check(":save my-1", Command::Save { name: "my-1".to_owned() });
    check(":help", Command::Help);
}

#[test]
fn a_topic_is_one_topic() {
    let path = |text: &str| match parse(text).unwrap().command {
        Some(Command::Topic { path }) => path.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(path("b :topic 'A > B'"), "'/A/B'");
    assert_eq!(path("b :topic \"Ships\""), "'Ships'");
    let named = parse(":topic 'Ships'").unwrap().command;
    let Some(Command::Topic { path: TopicPattern { path: TopicPath::Name(name), .. } }) = named
    else {
        panic!("{named:?}")
    };
    assert_eq!(name.literal(), Some("Ships"));
}

#[track_caller]
fn check_error(text: &str, marked: &str, kind: ErrorKind, suggestion: &str) {
    let error = parse(text).expect_err(text);
    let caret = error.caret(text);
    assert_eq!(error.kind, kind, "{error}\n{caret}");
    assert_eq!(caret.lines().nth(1), Some(marked), "{error}\n{caret}");
    let hint = error.suggestion.clone().unwrap_or_default();
    assert!(hint.contains(suggestion), "{error}\n{caret}");
}

#[test]
fn mistakes_in_commands_have_a_place_and_a_suggestion() {
    // FLT-4 holds for commands as well.
    check_error("b :strar 3", "   ^^^^^", UnknownCommand, "did you mean `:star`?");
    check_error(":exp", " ^^^", UnknownCommand, "`:export`");
    check_error(":Help", " ^^^^", UnknownCommand, "`:help`");
    check_error(":xyzzy", " ^^^^^", UnknownCommand, "`:help` lists");
    check_error("b :", "   ^", MissingArgument, "`:help`");
    check_error(":star", "     ^", MissingArgument, "0 to 3");
    check_error(":star 4", "      ^", BadNumber, "0 to 3");
    check_error(":star 3 4", "        ^", BadCommand, "nothing after");
    check_error(":flag red", "      ^^^", BadCommand, "`:flag b`");
    check_error(":flag", "     ^", BadCommand, "`:flag b`");
    check_error(":topic Ships", "       ^^^^^", MissingArgument, "`:topic 'Ships'`");
    check_error(":topic", "      ^", MissingArgument, "`:topic '/A/B'`");
    check_error(":topic 'A*'", "       ^^^^", BadCommand, "without `*`");
    check_error(":topic 'A'...", "          ^^^", BadCommand, "nothing after");
    check_error(":topic 'A", "       ^", UnterminatedQuote, "close it");
    check_error(":use pined", "     ^^^^^", BadCommand, "did you mean `:use pinned`?");
    check_error(":use", "    ^", BadCommand, "`:use out`");
    check_error(":delete now", "        ^^^", BadCommand, "--force");
    check_error(":save", "     ^", MissingArgument, "A–Z");
    check_error(":save @x", "      ^", BadCommand, "without `@`");
    check_error(":save é", "      ^", MissingArgument, "A–Z");
    check_error(":export jsn", "        ^^^", BadCommand, "did you mean `json`?");
    check_error(":export json md", "             ^^", BadCommand, "remove one");
    check_error(":export --order=size", "                ^^^^", BadCommand, "--order=time");
    check_error(":export --filename", "                  ^", MissingArgument, "--filename=");
    check_error(":export --filename= ", "                   ^", MissingArgument, "--filename=");
    check_error("b :help :help", "        ^^^^^", BadCommand, "nothing after");
}
