//! The project's convention files, found in a repository of any size.
//!
//! `.gitignore` is respected, links are followed only to files inside the root, and the
//! search ends after a number of entries or a time, whichever comes first.

use std::{
    collections::{BTreeSet, HashMap},
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use ignore::{DirEntry, WalkBuilder};

use crate::{files::lenient, kin::words};

/// What projects write down for those who work on them, worthiest first.
const NAMES: [&str; 4] = ["AGENTS.md", "CLAUDE.md", "README.md", "CONTRIBUTING.md"];

/// Directories that are large and never hold conventions.
const SKIPPED: [&str; 4] = [".git", "node_modules", "target", ".venv"];

/// How much is read of a convention file.
const LONGEST: u64 = 256 * 1024;

/// So many convention files are compared with a change.
const MOST_COMPARED: usize = 1_000;

/// How much work one scan may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) entries: usize,
    pub(crate) time: Duration,
    pub(crate) files: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { entries: 200_000, time: Duration::from_secs(2), files: 20 }
    }
}

/// One convention file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Convention {
    /// Its path below the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// What a scan found.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// Those of the root first, then those that have most to do with the change.
    pub(crate) conventions: Vec<Convention>,
    /// How many others were found.
    pub(crate) further: usize,
    /// Whether there may be more.
    pub(crate) stopped: bool,
}

/// Looks for convention files below a root, for a change that is described.
pub(crate) fn scan(root: &Path, about: &str, bounds: Bounds) -> Scan {
    let Ok(root) = root.canonicalize() else { return Scan::default() };
    let mut search = Search {
        found: BTreeSet::new(),
        left: bounds.entries,
        until: Instant::now() + bounds.time,
        stopped: false,
    };
    // What stands at the top matters most, so no large neighbour can keep it from being
    // found.
    search.walk(&root, true);
    search.walk(&root, false);
    let top = root.components().count() + 1;
    let mut seen = BTreeSet::new();
    let (mut of_root, mut below_root) = (Vec::new(), Vec::new());
    for (depth, _, path) in search.found {
        if seen.len() == MOST_COMPARED || (!seen.is_empty() && Instant::now() > search.until) {
            search.stopped = true;
            break;
        }
        // Several names may lead to one file, and a name may lead out of the project.
        let Ok(real) = path.canonicalize() else { continue };
        if !real.starts_with(&root) || !seen.insert(real.clone()) {
            continue;
        }
        let (Some(text), Ok(below)) = (read(&real), path.strip_prefix(&root)) else { continue };
        let parts: Vec<String> = below
            .components()
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect();
        let found = Convention { path: parts.join("/"), text };
        if depth <= top { of_root.push(found) } else { below_root.push(found) }
    }
    let mut conventions = of_root;
    conventions.extend(most_shared(about, below_root));
    let further = conventions.len().saturating_sub(bounds.files);
    conventions.truncate(bounds.files);
    Scan { conventions, further, stopped: search.stopped }
}

/// The files that share most with a change first: a word counts the more, the fewer files have
/// it, and three times in a path. The order stays among equals.
fn most_shared(about: &str, files: Vec<Convention>) -> Vec<Convention> {
    const WHOLE: usize = 1_000_000;
    let wanted = words(about);
    let of = |text: &str| -> BTreeSet<String> { &words(text) & &wanted };
    let shared: Vec<[BTreeSet<String>; 2]> =
        files.iter().map(|file| [of(&file.path), of(&file.text)]).collect();
    let mut holders: HashMap<&str, usize> = HashMap::new();
    for [path, text] in &shared {
        for word in path.union(text) {
            *holders.entry(word).or_default() += 1;
        }
    }
    let weight = |words: &BTreeSet<String>| -> usize {
        words.iter().map(|word| WHOLE / holders.get(word.as_str()).copied().unwrap_or(1)).sum()
    };
    let weights: Vec<usize> =
        shared.iter().map(|[path, text]| 3 * weight(path) + weight(text)).collect();
    let mut weighed: Vec<(usize, Convention)> = weights.into_iter().zip(files).collect();
    weighed.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    weighed.into_iter().map(|(_, file)| file).collect()
}

struct Search {
    /// Depth, rank and path: the order in which files are worth something.
    found: BTreeSet<(usize, usize, PathBuf)>,
    left: usize,
    until: Instant,
    stopped: bool,
}

impl Search {
    /// Walks all of it, or only the top with the rules that hold for the whole project.
    fn walk(&mut self, root: &Path, top: bool) {
        let walk = WalkBuilder::new(root)
            .max_depth(Some(if top { 3 } else { 16 }))
            .hidden(false)
            // What stands above the root is none of this project's business.
            .parents(false)
            .require_git(false)
            .git_global(false)
            .follow_links(false)
            .filter_entry(move |entry| !skipped(entry, top))
            .build();
        for entry in walk {
            if self.left == 0 || Instant::now() > self.until {
                self.stopped = true;
                return;
            }
            self.left -= 1;
            let Ok(entry) = entry else { continue };
            if entry.file_type().is_some_and(|kind| kind.is_dir()) {
                continue;
            }
            if let Some(rank) = rank(entry.path()) {
                let depth = entry.path().components().count();
                // Rules stand deep, but hold for the whole project.
                let depth = if rank == NAMES.len() { depth.saturating_sub(2) } else { depth };
                self.found.insert((depth, rank, entry.into_path()));
            }
        }
    }
}

fn skipped(entry: &DirEntry, top: bool) -> bool {
    let named = |names: &[&str]| names.iter().any(|name| entry.file_name() == *name);
    let directory = entry.file_type().is_some_and(|kind| kind.is_dir());
    directory && entry.depth() > 0 && (named(&SKIPPED) || (top && !named(&[".cursor", "rules"])))
}

/// The place of a file among convention files; none if it is none.
fn rank(path: &Path) -> Option<usize> {
    let name = path.file_name()?.to_str()?;
    if let Some(rank) = NAMES.iter().position(|one| *one == name) {
        return Some(rank);
    }
    let mut above = path.parent()?.components().rev().filter_map(|part| part.as_os_str().to_str());
    let rules = above.next() == Some("rules") && above.next() == Some(".cursor");
    let text = name.ends_with(".mdc") || name.ends_with(".md");
    (rules && text).then_some(NAMES.len())
}

/// The start of an ordinary file.
fn read(path: &Path) -> Option<String> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
    Some(lenient(&bytes))
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
