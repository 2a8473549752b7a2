//! What anchors name, looked at on the disk (MEM-15). Nothing outside the project's root is read,
//! whatever links say.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{ErrorKind, Read},
    path::{Component, Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::UNIX_EPOCH,
};

use plimsoll_store::{Anchor, AnchorState};

use super::{
    commits::{self, CommitState},
    symbol::definition,
};

/// The largest file that an anchor can name.
const LARGEST_FILE: u64 = 16 << 20;
/// So many looks are remembered.
const MOST_REMEMBERED: usize = 10_000;
/// What an anchor that names a commit begins with.
const COMMIT: &str = "commit:";

/// What a look at an anchor's target found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    There(AnchorState),
    Gone,
    /// It can never be an anchor here, for this reason.
    Refused(&'static str),
    /// Nobody could look.
    Unknown,
}

/// The disk below a project's root. It remembers what it has read, so that a file that was
/// touched but not changed is read once.
#[derive(Debug)]
pub(crate) struct ProjectDisk {
    root: PathBuf,
    read: Mutex<HashMap<String, AnchorState>>,
}

/// Whether a text can be an anchor, wherever it is looked at; else why not.
pub(super) fn check_target(target: &str) -> Result<(), &'static str> {
    if let Some(id) = target.strip_prefix(COMMIT) {
        let digits = id.bytes().all(|byte| byte.is_ascii_hexdigit());
        return match digits && (7..=64).contains(&id.len()) {
            true => Ok(()),
            false => Err("a commit is named by 7 to 64 hex digits, as in commit:1f3c9a2"),
        };
    }
    relative(target).map(drop)
}

/// A path that stays below where it starts.
fn relative(text: &str) -> Result<&Path, &'static str> {
    let path = Path::new(text);
    let inside =
        path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    // Windows names drives and streams with a colon, and takes a backslash for a slash.
    let odd = text.contains('\\') || text.split('/').next().is_some_and(|part| part.ends_with(':'));
    match inside && !odd && !text.trim_matches(['.', '/']).is_empty() {
        true => Ok(path),
        false => Err("name it from the project's root, as in src/auth.rs or src/auth.rs#renew"),
    }
}

impl ProjectDisk {
    pub(crate) fn below(root: &Path) -> Self {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        Self { root, read: Mutex::default() }
    }

    /// Looks at a target. One that is as `known` says by size and time is not read.
    pub(super) fn look(&self, target: &str, known: Option<&AnchorState>) -> Found {
        // It may come out of a file that was brought in.
        if let Err(why) = check_target(target) {
            return Found::Refused(why);
        }
        match target.strip_prefix(COMMIT) {
            Some(commit) => self.look_at_commit(target, commit, known),
            None => self.look_at_file(target, known),
        }
    }

    fn look_at_commit(&self, target: &str, commit: &str, known: Option<&AnchorState>) -> Found {
        let Some(head) = commits::head(&self.root) else { return Found::Unknown };
        let asked_at = |state: &AnchorState| state.hash.ends_with(&head);
        if let Some(known) = known.filter(|known| asked_at(known)) {
            return Found::There(known.clone());
        }
        if let Some(known) = self.remembered(target).filter(asked_at) {
            return Found::There(known);
        }
        match commits::commit_state(&self.root, commit) {
            None => Found::Unknown,
            Some(CommitState::Gone) => Found::Gone,
            Some(standing) => {
                let hash = format!("{}:{head}", standing.name());
                self.remember(target, AnchorState { hash, size: 0, changed: 0 })
            }
        }
    }

    fn look_at_file(&self, target: &str, known: Option<&AnchorState>) -> Found {
        // A name may hold a `#`, so the whole is a file first, and then a symbol of one.
        let whole = self.open(target);
        let (opened, symbol) = match (whole, target.rsplit_once('#')) {
            (Err(Found::Gone), Some((file, symbol))) => (self.open(file), Some(symbol)),
            (whole, _) => (whole, None),
        };
        let (path, size, changed) = match opened {
            Ok(opened) => opened,
            Err(found) => return found,
        };
        let same = |state: &AnchorState| (state.size, state.changed) == (size, changed);
        if let Some(known) = known.filter(|known| same(known) && changed != 0) {
            return Found::There(known.clone());
        }
        if let Some(known) = self.remembered(target).filter(same) {
            return Found::There(known);
        }
        let mut bytes = Vec::new();
        let read = File::open(&path).map(|file| file.take(LARGEST_FILE + 1));
        if read.and_then(|mut file| file.read_to_end(&mut bytes)).is_err() {
            return Found::Unknown;
        }
        let hash = match symbol {
            None => blake3::hash(&bytes),
            Some(symbol) => match definition(&String::from_utf8_lossy(&bytes), symbol) {
                Some(lines) => blake3::hash(lines.as_bytes()),
                None => return Found::Gone,
            },
        };
        let hash = hash.to_hex()[..32].to_owned();
        self.remember(target, AnchorState { hash, size, changed })
    }

    /// The place of a file of the project, its size and when it was changed.
    fn open(&self, target: &str) -> Result<(PathBuf, u64, i64), Found> {
        let path = self.root.join(relative(target).map_err(Found::Refused)?);
        let path = path.canonicalize().map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Found::Gone,
            _ => Found::Unknown,
        })?;
        if !path.starts_with(&self.root) {
            return Err(Found::Refused("it leads out of the project"));
        }
        let about = fs::metadata(&path).map_err(|_| Found::Unknown)?;
        if !about.is_file() {
            return Err(Found::Refused("it is no file; name the files in it"));
        }
        if about.len() > LARGEST_FILE {
            return Err(Found::Refused("it is larger than 16 MB"));
        }
        let changed = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let changed = changed.and_then(|since| i64::try_from(since.as_nanos()).ok());
        Ok((path, about.len(), changed.unwrap_or(0)))
    }

    fn remembered(&self, target: &str) -> Option<AnchorState> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).get(target).cloned()
    }

    fn remember(&self, target: &str, state: AnchorState) -> Found {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.len() >= MOST_REMEMBERED {
            read.clear();
        }
        read.insert(target.to_owned(), state.clone());
        Found::There(state)
    }

    /// Whether what an anchor names is as it was.
    pub(super) fn compare(&self, anchor: &Anchor) -> super::AnchorCondition {
        use super::AnchorCondition::{Changed, Gone, Same, Unknown};
        let Some(known) = &anchor.state else { return Unknown };
        match self.look(&anchor.target, Some(known)) {
            Found::There(now) if now.essence() == known.essence() => Same,
            Found::There(_) => Changed,
            // What leads elsewhere by now, or is no file any more, is not what was named.
            Found::Gone | Found::Refused(_) => Gone,
            Found::Unknown => Unknown,
        }
    }
}
