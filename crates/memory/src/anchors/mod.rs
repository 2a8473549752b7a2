//! What notes name of their project, and whether it has changed since (MEM-15).

mod commits;
mod disk;
mod symbol;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use plimsoll_domain::Timestamp;
use plimsoll_store::{Anchor, Observation};

pub(crate) use disk::ProjectDisk;

use crate::{Memory, MemoryError, checks, projects::alike, time::day};
use disk::{Found, check_target};

/// So many files are looked at for one read.
const MOST_LOOKS: usize = 200;
/// So many anchors of a note are named on its headline.
const MOST_NAMED: usize = 3;

/// What has become of what an anchor names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnchorCondition {
    Same,
    Changed,
    Gone,
    /// Nobody can look from here, or nobody could when the note was saved.
    Unknown,
}

impl AnchorCondition {
    /// The word for it, as it is told.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "unchanged",
            Self::Changed => "changed since",
            Self::Gone => "gone",
            Self::Unknown => "not checked",
        }
    }
}

/// What has to be said on the headlines of notes: that they are superseded, expired, or may be
/// out of date.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    now: Option<Timestamp>,
    stale: HashMap<u64, Vec<String>>,
    /// Whether there was more to look at than a read looks at.
    pub cut_short: bool,
}

impl Marks {
    /// Whether what a note names has changed.
    pub fn is_stale(&self, note: &Observation) -> bool {
        self.stale.contains_key(&note.id)
    }

    /// What has to be said of a note, the most pressing first.
    pub fn of(&self, note: &Observation) -> Vec<String> {
        let mut words = Vec::new();
        words.extend(note.superseded_by.map(|by| format!("superseded by #{by}")));
        if let (Some(at), Some(now)) = (note.expires_at, self.now)
            && at <= now
        {
            words.push(format!("expired {}", day(at)));
        }
        words.extend(self.stale.get(&note.id).into_iter().flatten().cloned());
        words
    }
}

/// What is said of anchors that were named for a note.
pub(crate) struct Anchored {
    pub(crate) anchors: Vec<Anchor>,
    /// Whether somebody could look at them.
    pub(crate) looked: bool,
}

impl Memory {
    /// Looks at what a note of a project is to name. What is not there is refused, and so is
    /// what lies outside of the project.
    pub(crate) async fn anchors(
        &self,
        project: &str,
        targets: &[String],
    ) -> Result<Anchored, MemoryError> {
        checks::number("anchors", Some(targets.len()), 0, 0..=Anchor::MOST)?;
        let mut wanted: Vec<String> = Vec::with_capacity(targets.len());
        for target in targets {
            let target = checked_target(target)?;
            if !wanted.contains(&target) {
                wanted.push(target);
            }
        }
        let Some(disk) = self.disk_of(project).filter(|_| !wanted.is_empty()) else {
            let unseen = |target| Anchor { target, state: None };
            let anchors = wanted.into_iter().map(unseen).collect();
            return Ok(Anchored { anchors, looked: false });
        };
        let looked = blocking(move || {
            let look = |target: String| (disk.look(&target, None), target);
            wanted.into_iter().map(look).collect::<Vec<_>>()
        })
        .await;
        let mut anchors = Vec::with_capacity(looked.len());
        for (found, target) in looked {
            let state = match found {
                Found::There(state) => Some(state),
                Found::Unknown => None,
                Found::Gone => return Err(bad(&target, "there is no such thing in the project")),
                Found::Refused(why) => return Err(bad(&target, why)),
            };
            anchors.push(Anchor { target, state });
        }
        Ok(Anchored { anchors, looked: true })
    }

    /// The disk of a project, if it is the one that this client works in.
    fn disk_of(&self, project: &str) -> Option<Arc<ProjectDisk>> {
        self.disk.clone().filter(|_| alike(project, self.own.name()))
    }

    /// What has become of what a note names, in its order.
    pub async fn anchor_conditions(&self, note: &Observation) -> Vec<AnchorCondition> {
        let anchors = note.anchors.clone();
        let Some(disk) = self.disk_of(&note.project) else {
            return vec![AnchorCondition::Unknown; anchors.len()];
        };
        blocking(move || anchors.iter().map(|anchor| disk.compare(anchor)).collect()).await
    }

    /// What has to be said of these notes. Those that come first are looked at first.
    pub async fn marks<'n>(&self, notes: impl IntoIterator<Item = &'n Observation>) -> Marks {
        let mut marks = Marks { now: Some(self.now()), ..Marks::default() };
        let mut known = HashSet::new();
        let wanted: Vec<(u64, Vec<Anchor>)> = notes
            .into_iter()
            .filter(|note| !note.anchors.is_empty() && known.insert(note.id))
            .filter(|note| self.disk_of(&note.project).is_some())
            .map(|note| (note.id, note.anchors.clone()))
            .collect();
        if let Some(disk) = self.disk.clone().filter(|_| !wanted.is_empty()) {
            (marks.stale, marks.cut_short) = blocking(move || compare_all(&disk, &wanted)).await;
        }
        marks
    }
}

fn compare_all(
    disk: &ProjectDisk,
    notes: &[(u64, Vec<Anchor>)],
) -> (HashMap<u64, Vec<String>>, bool) {
    let mut stale: HashMap<u64, Vec<String>> = HashMap::new();
    let mut looked: HashSet<&str> = HashSet::new();
    for (id, anchors) in notes {
        let mut words = Vec::new();
        for anchor in anchors {
            let file = anchor.target.split('#').next().unwrap_or_default();
            if looked.len() >= MOST_LOOKS && !looked.contains(file) {
                return (stale, true);
            }
            looked.insert(file);
            let found = disk.compare(anchor);
            if matches!(found, AnchorCondition::Changed | AnchorCondition::Gone) {
                words.push(format!("{} {}", anchor.target, found.name()));
            }
        }
        if words.len() > MOST_NAMED {
            let more = words.len() - MOST_NAMED;
            words.truncate(MOST_NAMED);
            words.push(format!("{more} more like that"));
        }
        if !words.is_empty() {
            stale.insert(*id, words);
        }
    }
    (stale, false)
}

/// What a note may name, wherever it comes from.
pub(crate) fn checked_target(target: &str) -> Result<String, MemoryError> {
    let target = checks::anchor(target)?;
    check_target(&target).map_err(|why| bad(&target, why))?;
    Ok(target)
}

fn bad(anchor: &str, why: &'static str) -> MemoryError {
    MemoryError::BadAnchor { anchor: anchor.to_owned(), why }
}

/// Disks are waited for where nobody else waits with it.
async fn blocking<T: Default + Send + 'static>(job: impl FnOnce() -> T + Send + 'static) -> T {
    // A look that failed has seen nothing.
    tokio::task::spawn_blocking(job).await.unwrap_or_default()
}
