//! `docs/fuzzing.md`: how many inputs each target has had, written by the command that tries them.

use std::{collections::BTreeMap, fmt::Write, fs, io::ErrorKind, path::Path};

const HEAD: &str = "\
# Fuzzing

`cargo xtask fuzz` tries every reader of what comes from outside with inputs that nobody thought of,
until each has had a million; `cargo xtask fuzz TARGET N` tries N more with one. It needs
`cargo install cargo-fuzz`. What it learned stays in `fuzz/corpus`, so that runs add up. This page is
written by the command.

| target | inputs so far | last run | how it ended |
|---|---|---|---|
";

/// What a target has been through.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Runs {
    inputs: u64,
    last: String,
    ended: String,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Record(BTreeMap<String, Runs>);

impl Record {
    /// What stands in the page; nothing where there is none yet.
    pub fn read(path: &Path) -> Result<Self, String> {
        match fs::read_to_string(path) {
            Ok(text) => Ok(Self::parse(&text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(format!("{}: {error}", path.display())),
        }
    }

    fn parse(text: &str) -> Self {
        let rows = text.lines().filter_map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [target, inputs, last, ended] = cells[..] else { return None };
            let inputs = inputs.replace(',', "").parse().ok()?;
            let runs = Runs { inputs, last: last.to_owned(), ended: ended.to_owned() };
            Some((target.trim_matches('`').to_owned(), runs))
        });
        Self(rows.collect())
    }

    pub fn inputs(&self, target: &str) -> u64 {
        self.0.get(target).map_or(0, |runs| runs.inputs)
    }

    /// Adds a run. After a failure the count begins anew: what it was before was another program.
    pub fn add(&mut self, target: &str, inputs: u64, last: String, good: bool) {
        let before = if good { self.inputs(target) } else { 0 };
        let (inputs, ended) = if good {
            (before + inputs, "no failure")
        } else {
            (0, "FAILED: look at fuzz/artifacts")
        };
        self.0.insert(target.to_owned(), Runs { inputs, last, ended: ended.to_owned() });
    }

    pub fn write(&self, path: &Path) -> Result<(), String> {
        fs::write(path, self.page()).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn page(&self) -> String {
        let mut page = HEAD.to_owned();
        for (target, Runs { inputs, last, ended }) in &self.0 {
            // Writing to a text does not fail.
            let _ = writeln!(page, "| `{target}` | {} | {last} | {ended} |", grouped(*inputs));
        }
        page
    }
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_add_up_and_a_failure_begins_anew() {
        let mut record = Record::default();
        record.add("filter", 600_000, "2026-11-18".to_owned(), true);
        record.add("filter", 400_000, "2026-11-19".to_owned(), true);
        record.add("sse", 1_234_567, "2026-11-19".to_owned(), true);
        assert_eq!(record.inputs("filter"), 1_000_000);
        let page = record.page();
        assert!(page.contains("| `sse` | 1,234,567 | 2026-11-19 | no failure |"), "{page}");
        assert_eq!(Record::parse(&page), record);
        record.add("filter", 10, "2026-11-20".to_owned(), false);
        assert_eq!(record.inputs("filter"), 0);
    }
}
