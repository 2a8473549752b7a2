//! `docs/cli.md` is written from the arguments; `cargo xtask docs` writes it again.

use crate::run::plimsoll;

const COMMANDS: [&str; 26] = [
    "serve",
    "send",
    "chat",
    "files",
    "mcp",
    "memory",
    "tokens",
    "plan",
    "classify",
    "segments",
    "models",
    "topics",
    "snippets",
    "undo",
    "receipts",
    "settings",
    "keys",
    "import",
    "export",
    "backup",
    "restore",
    "gc",
    "verify",
    "doctor",
    "completions",
    "man",
];

fn page() -> String {
    let mut page =
        String::from("# Commands\n\n<!-- Written from the code by `cargo xtask docs`. -->\n");
    let mut add = |title: &str, args: &[&str]| {
        let help = plimsoll(args).env("COLUMNS", "90").run();
        assert_eq!(help.code, 0, "{}", help.stderr);
        let lines: Vec<&str> = help.stdout.lines().map(str::trim_end).collect();
        page.push_str(&format!("\n## {title}\n\n```text\n{}\n```\n", lines.join("\n").trim_end()));
    };
    add("plimsoll", &["--help"]);
    for command in COMMANDS {
        add(&format!("plimsoll {command}"), &[command, "--help"]);
    }
    page
}

#[test]
fn commands_page_is_true() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli.md");
    let page = page();
    if std::env::var_os("PLIMSOLL_UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(written, page, "run `cargo xtask docs`");
}

#[test]
fn every_command_of_the_readme_works() {
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let commands: Vec<&str> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("cargo run --release -- "))
        // Sending needs the model inside; its own tests send.
        .filter(|command| !command.starts_with("send "))
        .collect();
    assert!(commands.len() >= 4, "the README shows {} commands", commands.len());
    for command in commands {
        let (command, input) = match command.split_once(" < ") {
            Some((command, file)) => (command, std::fs::read(root.join(file.trim())).unwrap()),
            None => (command, Vec::new()),
        };
        let args = words(command);
        let ran = plimsoll(&args).within(root).input(input).run();
        assert_eq!(ran.code, 0, "{command}: {}", ran.stderr);
        assert!(!ran.stdout.is_empty(), "{command}");
    }
}

/// Splits a command as a shell would, as far as the README needs it.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in command.split(" #").next().unwrap_or_default().trim().chars() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, ' ') => words.push(String::new()),
            (_, c) => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
