//! Copies of fetched blobs as files of this machine. All of it can be thrown away at any time,
//! and several processes may share it: a copy gets its name when it is whole, is never written
//! again, and one that is gone is fetched again.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use crate::{
    BlobError, BlobName,
    disk::{Temporary, make_dir, open_plain},
};

/// What was used so lately is not thrown away: somebody may be about to open it by its path.
const SPARED: Duration = Duration::from_secs(120);

/// What nobody has used for so long is thrown away, however much room there is: it may have
/// been deleted from the store.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// Files below one directory, a folder for each workspace.
#[derive(Debug)]
pub(super) struct Copies {
    dir: PathBuf,
    room: u64,
    /// How much there is, as far as this process knows; none before it has looked.
    held: Mutex<Option<u64>>,
}

impl Copies {
    pub(super) fn new(dir: PathBuf, room: u64) -> Self {
        Self { dir, room, held: Mutex::new(None) }
    }

    /// Where the copies of a workspace are. Its names are plain names of directories.
    pub(super) fn folder(&self, names: &[String]) -> PathBuf {
        names.iter().fold(self.dir.clone(), |dir, name| dir.join(name))
    }

    /// A file to fetch into.
    pub(super) fn temporary(&self, name: &BlobName) -> Result<(Temporary, File), BlobError> {
        let dir = self.dir.join("tmp");
        make_dir(&dir)?;
        Temporary::create(&dir, name.extension())
    }

    /// A copy that is there. It counts as used.
    pub(super) fn open(&self, path: &Path) -> Option<File> {
        let file = open_plain(path).ok()?;
        let used = File::options().append(true).open(path);
        let _ = used.and_then(|file| file.set_modified(SystemTime::now()));
        Some(file)
    }

    /// Keeps whole bytes as a copy.
    pub(super) fn keep(
        &self,
        temporary: Temporary,
        path: &Path,
        size: u64,
    ) -> Result<(), BlobError> {
        make_dir(path.parent().unwrap_or(&self.dir))?;
        temporary.rename(path)?;
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let now = match *held {
            Some(before) => before.saturating_add(size),
            None => u64::MAX,
        };
        *held = Some(if now > self.room { self.make_room(SystemTime::now()) } else { now });
        Ok(())
    }

    /// Throws away what was used longest ago until there is room again; says how much is left.
    fn make_room(&self, now: SystemTime) -> u64 {
        let mut all = Vec::new();
        gather(&self.dir, &mut all);
        all.sort_by_key(|(used, ..)| *used);
        let mut held: u64 = all.iter().map(|(_, size, _)| size).sum();
        // Below the bound, so that not every copy looks through all of them.
        let wanted = if held > self.room { self.room / 5 * 4 } else { self.room };
        for (used, size, path) in all {
            let unused = now.duration_since(used).unwrap_or_default();
            let goes = unused > KEPT || (held > wanted && unused > SPARED);
            if goes && fs::remove_file(path).is_ok() {
                held = held.saturating_sub(size);
            }
        }
        held
    }
}

/// All files below a directory: when each was used, how large it is, and where. What vanishes
/// meanwhile was thrown away by another.
fn gather(dir: &Path, all: &mut Vec<(SystemTime, u64, PathBuf)>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let Ok(found) = entry.metadata() else { continue };
        if found.is_dir() {
            gather(&entry.path(), all);
        } else if let Ok(used) = found.modified() {
            all.push((used, found.len(), entry.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn name(digit: usize) -> BlobName {
        BlobName::parse(&format!("{}.bin", format!("{digit:x}").repeat(64))).unwrap()
    }

    fn keep(copies: &Copies, digit: usize) -> PathBuf {
        let path = copies.folder(&["p".to_owned(), "w".to_owned()]).join(name(digit).to_string());
        let (temporary, mut file) = copies.temporary(&name(digit)).unwrap();
        file.write_all(&[7; 100]).unwrap();
        copies.keep(temporary, &path, 100).unwrap();
        path
    }

    fn used_before(path: &Path, time: Duration) {
        let file = File::options().append(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - time).unwrap();
    }

    #[test]
    fn tea_1_copies_are_thrown_away_by_size_the_oldest_first() {
        let dir = tempfile::tempdir().unwrap();
        let copies = Copies::new(dir.path().join("copies"), 1000);
        let paths: Vec<PathBuf> = (0..10).map(|digit| keep(&copies, digit)).collect();
        assert!(paths.iter().all(|path| path.exists()), "they just fit");
        for (at, path) in paths.iter().enumerate() {
            used_before(path, Duration::from_secs(3600 - at as u64));
        }
        assert!(copies.open(&paths[0]).is_some(), "the oldest is used again");
        let last = keep(&copies, 10);
        let there: Vec<bool> = paths.iter().map(|path| path.exists()).collect();
        assert_eq!(there, [true, false, false, false, true, true, true, true, true, true]);
        assert!(last.exists());
        // Another process finds what is there, and what is in use stays whatever its size.
        let other = Copies::new(dir.path().join("copies"), 50);
        let mine = keep(&other, 11);
        assert!(mine.exists() && last.exists() && paths[0].exists());
        assert!(!paths[9].exists());
    }

    #[test]
    fn tea_1_what_nobody_used_for_long_goes() {
        let dir = tempfile::tempdir().unwrap();
        let copies = Copies::new(dir.path().join("copies"), 1000);
        let old = keep(&copies, 1);
        let young = keep(&copies, 2);
        used_before(&old, KEPT + Duration::from_secs(60));
        used_before(&young, KEPT - Duration::from_secs(60));
        let next_run = Copies::new(dir.path().join("copies"), 1000);
        keep(&next_run, 3);
        assert!(!old.exists() && young.exists());
    }
}
