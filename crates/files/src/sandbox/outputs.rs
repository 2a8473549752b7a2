//! The files that a program leaves behind: regular ones, a few, not too large. They are
//! copied out of its reach before anyone looks at them.

use std::{
    collections::HashSet,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use super::system;

/// How many files of one run are kept.
pub(crate) const MOST_FILES: usize = 20;

/// How many entries are looked at.
const MOST_SEEN: usize = 10_000;

/// A file that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    /// What the program called it.
    pub(crate) name: String,
    /// Our copy.
    pub(crate) path: PathBuf,
}

/// Copies what the program wrote. Says how many things it left that are not kept: links,
/// directories, devices, too many, too large.
pub(super) fn collect(
    work: &Path,
    kept: &Path,
    inputs: &HashSet<String>,
    most: u64,
) -> io::Result<(Vec<Output>, usize)> {
    let found = fs::read_dir(work)?.flatten().map(|entry| entry.file_name());
    // A program that overdrew may have left any number.
    let mut names: Vec<_> = found.take(MOST_SEEN).collect();
    names.sort();
    let (mut outputs, mut refused, mut bytes) = (Vec::new(), 0, 0);
    for name in names {
        let words = name.to_string_lossy().into_owned();
        if inputs.contains(&words) || words == "__pycache__" {
            continue;
        }
        let copy = kept.join(format!("{:02}", outputs.len()));
        let room = if outputs.len() < MOST_FILES { most - bytes } else { 0 };
        match copy_file(&work.join(&name), &copy, room) {
            Ok(Some(size)) => {
                bytes += size;
                outputs.push(Output { name: words, path: copy });
            }
            _ => refused += 1,
        }
    }
    Ok((outputs, refused))
}

/// Copies a regular file that is no larger than there is room.
fn copy_file(from: &Path, to: &Path, room: u64) -> io::Result<Option<u64>> {
    let file = system::open_itself(from)?;
    let found = file.metadata()?;
    if !found.is_file() || found.len() > room || room == 0 {
        return Ok(None);
    }
    io::copy(&mut file.take(room), &mut fs::File::create(to)?).map(Some)
}
