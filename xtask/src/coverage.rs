//! Which test shows which rule.
//!
//! The rules stand in `docs/spec-rules.tsv`, one a line; tests name them, in their name
//! (`est_1_…`) or in a comment or message (`EST-1`). From both comes
//! `docs/spec-coverage.md`, and a test of this package fails when it is not current, when
//! a test names a rule that there is not, or when a rule has no test and no excuse.

mod page;
mod rules;
mod scan;

#[cfg(test)]
#[path = "coverage_tests.rs"]
mod tests;

use std::{collections::BTreeMap, fs, path::Path};

use rules::Rule;
use scan::Place;

/// Where the page stands.
const PAGE: &str = "docs/spec-coverage.md";

/// Where the rules stand.
const RULES: &str = "docs/spec-rules.tsv";

/// What is known after everything was read.
struct Coverage {
    rules: Vec<Rule>,
    /// By the id of a rule: who names it, in order of files and lines.
    shown_by: BTreeMap<String, Vec<Place>>,
}

/// Writes the page again.
pub fn write(root: &Path) -> Result<(), String> {
    let coverage = read(root)?;
    let wrong = coverage.wrong();
    if !wrong.is_empty() {
        return Err(format!("the rules and their tests disagree:\n{}", wrong.join("\n")));
    }
    let path = root.join(PAGE);
    fs::write(&path, page::page(&coverage)).map_err(|error| format!("{PAGE}: {error}"))
}

fn read(root: &Path) -> Result<Coverage, String> {
    let told = fs::read_to_string(root.join(RULES)).map_err(|error| format!("{RULES}: {error}"))?;
    let rules = rules::parse(&told)?;
    let prefixes = rules::prefixes(&rules);
    let mut shown_by: BTreeMap<String, Vec<Place>> = BTreeMap::new();
    for mention in scan::tree(root, &prefixes)? {
        let places = shown_by.entry(mention.rule).or_default();
        if !places.contains(&mention.place) {
            places.push(mention.place);
        }
    }
    Ok(Coverage { rules, shown_by })
}

impl Coverage {
    fn places(&self, rule: &Rule) -> &[Place] {
        self.shown_by.get(&rule.id).map_or(&[], Vec::as_slice)
    }

    /// What does not fit together, one sentence each.
    fn wrong(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for (id, places) in &self.shown_by {
            if !self.rules.iter().any(|rule| rule.id == *id) {
                wrong.push(format!("{id} is no rule, but {} names it", places[0]));
            }
        }
        for rule in &self.rules {
            let places = self.places(rule);
            let id = &rule.id;
            match rule.state {
                rules::State::NotYet if !places.is_empty() => {
                    wrong.push(format!("{id} is said to have no test, but {} names it", places[0]));
                }
                rules::State::Shown | rules::State::Partly if places.is_empty() => {
                    wrong.push(format!("{id} is said to be tested, but no test names it"));
                }
                rules::State::Partly | rules::State::NotYet if rule.note.is_empty() => {
                    wrong.push(format!("{id} lacks a note of what is missing"));
                }
                _ => {}
            }
        }
        wrong
    }
}
