//! What a note names of its project (MEM-15), as a line of its file: `src/auth.rs#renew @3f9c…`, or
//! without the hash where nobody looked. Size and time of a file are those of one disk, so they
//! stay there; by the hash everybody can tell whether what is named is as it was.

use std::collections::HashSet;

use plimsoll_store::{Anchor, AnchorState, Observation};

use crate::{MemoryError, anchors::checked_target, checks};

/// What comes between the name and the hash.
const AT: &str = " @";
/// In the place of a hash, behind a name that looks as if it had one.
const NONE: &str = "-";
const LONGEST_HASH: usize = 64;

/// One thing that a note names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnchorLine {
    pub(super) target: String,
    /// What it was like when somebody last looked.
    pub(super) hash: Option<String>,
}

impl AnchorLine {
    /// What travels of the anchors of a note: those that could be saved here. An import takes
    /// others too, and a file with one of them would be refused.
    pub(super) fn of_note(note: &Observation) -> Vec<Self> {
        let mut known = HashSet::new();
        let sound = |anchor: &&Anchor| {
            checked_target(&anchor.target).is_ok_and(|target| target == anchor.target)
                && known.insert(anchor.target.clone())
        };
        let line = |anchor: &Anchor| {
            let hash = anchor.state.as_ref().map(|state| state.essence().to_owned());
            Self { target: anchor.target.clone(), hash: hash.filter(|hash| is_hash(hash)) }
        };
        note.anchors.iter().filter(sound).take(Anchor::MOST).map(line).collect()
    }

    pub(super) fn checked(lines: Vec<Self>) -> Result<Vec<Self>, MemoryError> {
        checks::number("anchors", Some(lines.len()), 0, 0..=Anchor::MOST)?;
        let mut kept: Vec<Self> = Vec::with_capacity(lines.len());
        for line in lines {
            let target = checked_target(&line.target)?;
            if !kept.iter().any(|one| one.target == target) {
                kept.push(Self { target, ..line });
            }
        }
        Ok(kept)
    }

    pub(super) fn read(text: &str) -> Self {
        match text.rsplit_once(AT) {
            Some((target, NONE)) => Self { target: target.to_owned(), hash: None },
            Some((target, hash)) if is_hash(hash) => {
                Self { target: target.to_owned(), hash: Some(hash.to_owned()) }
            }
            _ => Self { target: text.to_owned(), hash: None },
        }
    }

    pub(super) fn written(&self) -> String {
        match &self.hash {
            Some(hash) => format!("{}{AT}{hash}", self.target),
            None if Self::read(&self.target) == *self => self.target.clone(),
            None => format!("{}{AT}{NONE}", self.target),
        }
    }
}

impl From<AnchorLine> for Anchor {
    fn from(line: AnchorLine) -> Self {
        let state = line.hash.map(|hash| AnchorState { hash, size: 0, changed: 0 });
        Self { target: line.target, state }
    }
}

fn is_hash(text: &str) -> bool {
    (1..=LONGEST_HASH).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
}
