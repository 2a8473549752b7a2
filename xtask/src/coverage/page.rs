//! The page that people read.

use std::fmt::Write;

use super::{
    Coverage,
    rules::{Rule, State},
    scan::Place,
};

const HEAD: &str = "\
# Which test shows which rule

<!-- Written by `cargo xtask docs` from docs/spec-rules.tsv and the tests. -->

Plimsoll is built to numbered rules. A test names the rules that it shows, in its name
(`est_1_…`) or in a comment; this page turns that around. Titles are short for what is
meant, not the whole of a rule, and a rule is shown when tests show what it is about; a part
that none shows is noted where we know of it. A file without a name of a test stands for all
tests in it.
";

pub fn page(coverage: &Coverage) -> String {
    let mut page = HEAD.to_owned();
    let count = |state| coverage.rules.iter().filter(|rule| rule.state == state).count();
    let (shown, partly, not_yet) =
        (count(State::Shown), count(State::Partly), count(State::NotYet));
    let all = coverage.rules.len();
    let _ = writeln!(
        page,
        "\nOf {all} rules {shown} are shown, {partly} in part, {not_yet} not yet.\n\n\
         ## What is missing\n\n| rule | state | what is missing |\n|---|---|---|"
    );
    for rule in coverage.rules.iter().filter(|rule| rule.state != State::Shown) {
        let state = if rule.state == State::Partly { "in part" } else { "not yet" };
        let _ = writeln!(page, "| {} | {state} | {} |", rule.id, rule.note);
    }
    let mut chapter = "";
    for rule in &coverage.rules {
        let prefix = rule.id.split('-').next().unwrap_or_default();
        if prefix != chapter {
            let _ = writeln!(page, "\n## {prefix}");
            chapter = prefix;
        }
        page.push_str(&entry(rule, coverage.places(rule)));
    }
    page
}

/// A rule with its tests, those of one file on one line.
fn entry(rule: &Rule, places: &[Place]) -> String {
    let mut entry = format!("\n**{}** {}\n\n", rule.id, rule.title);
    if !rule.note.is_empty() {
        let state = if rule.state == State::NotYet { "Not yet" } else { "In part" };
        let _ = writeln!(entry, "- {state}: {}", rule.note);
    }
    for group in places.chunk_by(|a, b| a.file == b.file) {
        let names: Vec<String> = group
            .iter()
            .filter_map(|place| place.test.as_ref())
            .map(|test| format!("`{test}`"))
            .collect();
        let _ = match names.is_empty() {
            true => writeln!(entry, "- `{}`", group[0].file),
            false => writeln!(entry, "- `{}`: {}", group[0].file, names.join(", ")),
        };
    }
    entry
}
