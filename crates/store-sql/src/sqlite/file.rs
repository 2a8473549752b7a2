//! The file of a store, before and beside SQLite: its header, its neighbours, a free name.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    time::Duration,
};

use plimsoll_store::{StoreError, StoreResult};

use super::error::Decide;

const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const HEADER_BYTES: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Nothing,
    /// A file that begins like a database, of this many bytes.
    Database(u64),
    /// A file that is no whole database.
    Damaged,
}

/// Reads the header; nothing is changed.
pub(super) fn look(path: &Path) -> StoreResult<Found> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(nothing(path)),
        Err(error) => return Err(error).decided(),
    };
    let length = file.metadata().decided()?.len();
    // A store gets its name when it is whole, so that an empty file was one or is another's.
    let mut header = Vec::with_capacity(HEADER_BYTES);
    file.take(HEADER_BYTES as u64).read_to_end(&mut header).decided()?;
    let whole = header.len() == HEADER_BYTES
        && header.starts_with(MAGIC)
        && (has_log(path) || length >= stated_length(&header));
    Ok(if whole { Found::Database(length) } else { Found::Damaged })
}

/// A log without its file is what is left of a store, and SQLite would throw it away.
fn nothing(path: &Path) -> Found {
    if has_log(path) { Found::Damaged } else { Found::Nothing }
}

/// The length that the header states. It is 0 when an old writer has not kept it up.
fn stated_length(header: &[u8]) -> u64 {
    let number = |at: usize| {
        header[at..at + 4].iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte))
    };
    let page_size = match number(16) >> 16 {
        1 => 65_536,
        size => size,
    };
    let valid = number(24) == number(92);
    if valid { number(28) * page_size } else { 0 }
}

/// Whether a log stands beside the file. Until it is written back, the file alone may be
/// shorter than its header says.
fn has_log(path: &Path) -> bool {
    fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0)
}

/// The path with something added to the file's name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Makes the directory and the file, for the user's eyes only: it holds conversations.
pub(super) fn prepare(path: &Path) -> StoreResult<()> {
    prepare_directory(path)?;
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).decided()?;
    Ok(())
}

/// Makes the directory of a file, and those above it, each with its name on the disk.
pub(super) fn prepare_directory(path: &Path) -> StoreResult<()> {
    let Some(directory) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) else {
        return Ok(());
    };
    let new: Vec<&Path> = directory.ancestors().take_while(|above| !above.exists()).collect();
    fs::create_dir_all(directory).decided()?;
    new.into_iter().try_for_each(sync_directory)
}

/// A file under a name that nobody has, for a store that is being made.
pub(super) fn unfinished(path: &Path) -> StoreResult<PathBuf> {
    prepare_directory(path)?;
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    for number in 1..=9_999 {
        let fresh = beside(path, &format!("{MAKING}{}-{number}", std::process::id()));
        match options.open(&fresh) {
            Ok(_) => return Ok(fresh),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).decided(),
        }
    }
    Err(StoreError::Failed("there are too many unfinished files".to_owned()))
}

/// Gives a finished file its name, unless somebody else has made one with it meanwhile. What
/// runs that were killed left behind long ago goes too. Says whether it has the name.
pub(super) fn finish(fresh: &Path, path: &Path) -> StoreResult<bool> {
    File::open(fresh).and_then(|file| file.sync_all()).decided()?;
    let linked = fs::hard_link(fresh, path);
    let named = linked.is_ok() || path.symlink_metadata().is_err();
    match linked.is_err() && named {
        // A file system without second names.
        true => fs::rename(fresh, path).decided()?,
        false => fs::remove_file(fresh).decided()?,
    }
    sweep(path);
    sync_directory(path)?;
    Ok(named)
}

/// How the file of a store is called while it is made.
const MAKING: &str = ".making-";

/// Longer than this no store is being made.
const LONG_AGO: Duration = Duration::from_secs(60 * 60);

fn sweep(path: &Path) {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { return };
    let start = format!("{}{MAKING}", name.to_string_lossy());
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(&start);
        let age = entry.metadata().and_then(|about| about.modified()).ok();
        let age = age.and_then(|modified| modified.elapsed().ok());
        if ours && age.is_some_and(|age| age > LONG_AGO) {
            // Whoever cannot remove it now does so another time.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Moves a damaged store, log and all, to a name that is free.
pub(super) fn set_aside(path: &Path) -> StoreResult<PathBuf> {
    let target = free_name(path, ".corrupt-")?;
    for part in ["-wal", "-shm", ""] {
        let from = beside(path, part);
        if from.exists() {
            fs::rename(&from, beside(&target, part)).decided()?;
        }
    }
    sync_directory(path)?;
    Ok(target)
}

/// The first name with this ending and a number that nothing has.
pub(super) fn free_name(path: &Path, ending: &str) -> StoreResult<PathBuf> {
    (1..=9_999)
        .map(|number| beside(path, &format!("{ending}{number}")))
        .find(|candidate| candidate.symlink_metadata().is_err())
        .ok_or_else(|| StoreError::Failed("there are too many set-aside files".to_owned()))
}

/// Makes sure that a finished file is on the disk, name and all.
pub(super) fn sync(path: &Path) -> StoreResult<()> {
    File::open(path).and_then(|file| file.sync_all()).decided()?;
    sync_directory(path)
}

fn sync_directory(path: &Path) -> StoreResult<()> {
    if cfg!(unix)
        && let Some(directory) = path.parent()
    {
        let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        File::open(directory).and_then(|directory| directory.sync_all()).decided()?;
    }
    Ok(())
}
