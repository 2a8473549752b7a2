//! Paths that are typed after `/attach`.

use std::path::PathBuf;

/// More names than this help nobody.
const MOST: usize = 200;

/// A path as it was meant: `~/` is the home directory.
pub(super) fn meant(typed: &str) -> PathBuf {
    match (typed.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(typed),
    }
}

/// What a typed path could become; directories end in a slash. Hidden files are offered to those
/// who type the dot.
pub(super) fn completions(typed: &str) -> Vec<String> {
    let (directory, begun) = typed
        .rsplit_once('/')
        .map_or(("", typed), |(_, begun)| (&typed[..typed.len() - begun.len()], begun));
    let place = if directory.is_empty() { PathBuf::from(".") } else { meant(directory) };
    let Ok(entries) = std::fs::read_dir(place) else { return Vec::new() };
    let named = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let offered = name.starts_with(begun) && (!name.starts_with('.') || begun.starts_with('.'));
        let slash = if entry.path().is_dir() { "/" } else { "" };
        offered.then(|| format!("{directory}{name}{slash}"))
    });
    let mut found: Vec<String> = named.take(MOST).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_completed_from_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("notes")).unwrap();
        for name in ["north.txt", "a b.txt", ".hidden"] {
            std::fs::write(dir.path().join(name), "x").unwrap();
        }
        let at = |typed: &str| completions(&format!("{}/{typed}", dir.path().display()));
        let names = |found: Vec<String>| -> Vec<String> {
            let start = dir.path().display().to_string().len() + 1;
            found.iter().map(|path| path[start..].to_owned()).collect()
        };
        assert_eq!(names(at("no")), ["north.txt", "notes/"]);
        assert_eq!(names(at("")), ["a b.txt", "north.txt", "notes/"]);
        assert_eq!(names(at(".h")), [".hidden"]);
        assert!(completions("/nowhere/at/all").is_empty());
    }
}
