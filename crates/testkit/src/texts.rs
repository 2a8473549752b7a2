//! Real texts for measuring estimators: files of many kinds from a directory.

use std::path::{Path, PathBuf};

use crate::history::Random;

const KINDS: [&str; 24] = [
    "md", "txt", "rs", "py", "js", "ts", "c", "h", "cpp", "go", "java", "rb", "sh", "html", "css",
    "json", "toml", "yaml", "yml", "xml", "csv", "sql", "rst", "po",
];

/// Files smaller than this say little, larger ones would outweigh the rest.
const SIZES: std::ops::Range<u64> = 500..200_000;

/// Up to `most` text files below a directory, chosen by a fixed shuffle so that no
/// corner of the tree prevails. Whatever is not UTF-8 is passed over.
pub fn sample(dir: &Path, most: usize) -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    collect(dir, 12, &mut paths);
    paths.sort();
    let mut random = Random::new(7);
    for at in (1..paths.len()).rev() {
        paths.swap(at, random.below(at as u64 + 1) as usize);
    }
    let read = |path: PathBuf| std::fs::read_to_string(&path).ok().map(|text| (path, text));
    paths.into_iter().filter_map(read).take(most).collect()
}

fn collect(dir: &Path, depth: usize, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() && depth > 0 {
            collect(&path, depth - 1, paths);
        } else if metadata.is_file() && SIZES.contains(&metadata.len()) && is_text(&path) {
            paths.push(path);
        }
    }
}

fn is_text(path: &Path) -> bool {
    path.extension().and_then(|kind| kind.to_str()).is_some_and(|kind| KINDS.contains(&kind))
}
