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

/// Whether the table of the `fast` estimator may be fitted on this file of a directory: half of
/// the packages, so that the other half says how well it does on what it never saw. A package
/// is the second folder below the directory (`registry/src/INDEX/serde-1.0.0`); its version does
/// not count, since two versions of a package are one text.
pub fn teaches(dir: &Path, file: &Path) -> bool {
    let inner = file.strip_prefix(dir).unwrap_or(file);
    let folders: Vec<_> = inner.parent().into_iter().flat_map(Path::components).collect();
    let package = folders.get(1).or(folders.first());
    let name = package.map(|name| name.as_os_str().to_string_lossy()).unwrap_or_default();
    // FNV-1a, which is the same on every machine and in every version of Rust.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in name.bytes().filter(|byte| !byte.is_ascii_digit() && *byte != b'.') {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (hash >> 20).is_multiple_of(2)
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
