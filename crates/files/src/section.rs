//! The files section of the prelude (FIL-3): which files there are, within a budget.

use std::collections::HashSet;

use plimsoll_domain::{File, Timestamp};
use plimsoll_tokens::commas;

use crate::words::{
    CONTEXT_CHARS, age_words, file_label, name_words, quoted, shortened, size_words,
};

/// The first line of the section.
pub const HEADING: &str = "Files, newest first:";

/// The section with its true counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub text: String,
    /// How many files it names: the newest.
    pub shown: usize,
    /// How many files there are.
    pub total: usize,
}

/// One file as a listing shows it. Every line of it is ours: names and contexts stand in
/// quotes unless they are plain words.
pub fn entry(file: &File, now: Timestamp) -> String {
    let mut text = format!(
        "- {} ({}, {}) [{}]\n  file_id: {}",
        name_words(&file.name),
        size_words(file.size),
        age_words(file.created_at, now),
        file.source.name(),
        file_label(file.id),
    );
    let context = file.upload_context.as_deref().map(str::trim).unwrap_or_default();
    if !context.is_empty() {
        text.push_str("\n  context: ");
        text.push_str(&quoted(&shortened(context, CONTEXT_CHARS)));
    }
    text
}

/// The files that a listing names: those that have not expired, and of several with the same
/// name and bytes the first one (FIL-6).
pub(crate) fn each_once(files: &[File], now: Timestamp) -> Vec<&File> {
    let mut seen = HashSet::new();
    let mut listed: Vec<&File> = files.iter().collect();
    listed.retain(|file| {
        file.expires_at.is_none_or(|end| end > now) && seen.insert((&file.name, &file.hash))
    });
    listed
}

/// The section for these files, newest first. None when there is nothing to name, or when
/// the budget does not even hold the line that says how many there are.
pub fn files_section(
    files: &[File],
    now: Timestamp,
    budget: u64,
    count: &dyn Fn(&str) -> u64,
) -> Option<Section> {
    let listed = each_once(files, now);
    let total = listed.len();
    if total == 0 {
        return None;
    }
    // No entry weighs less than a token, so older ones than this cannot fit; they are not
    // even written.
    let most = total.min(usize::try_from(budget).unwrap_or(usize::MAX));
    let entries: Vec<String> = listed[..most].iter().map(|file| entry(file, now)).collect();
    let text = |shown: usize| {
        let mut text = HEADING.to_owned();
        for entry in &entries[..shown] {
            text.push('\n');
            text.push_str(entry);
        }
        if shown < total {
            text.push('\n');
            text.push_str(&left_out(total - shown, shown));
        }
        text
    };
    let fits = |shown: &usize| count(&text(*shown)) <= budget;
    // Halving finds the place; where a tokenizer makes a longer text lighter, the walk
    // down from there still ends at one that fits.
    let (mut low, mut high) = (0, most + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(&middle) { low = middle } else { high = middle }
    }
    let shown = (0..=low).rev().find(fits)?;
    Some(Section { text: text(shown), shown, total })
}

fn left_out(count: usize, shown: usize) -> String {
    let more = if shown == 0 { "" } else { " more" };
    let noun = if count == 1 { "file" } else { "files" };
    format!("({}{more} {noun} not shown: call list_files)", commas(count as u64))
}

#[cfg(test)]
#[path = "section_tests.rs"]
mod tests;
