//! Notes that a person looks at before they count (MEM-16). What agents save waits apart, and
//! nothing that reads notes tells it.

use std::{collections::HashSet, sync::Arc};

use plimsoll_store::{Change, NewObservation, Observation, PendingNote, Proposal, StoreError};

use crate::{Memory, MemoryError, Reply, checks, memory::missing, sessions::of_session};

/// The most that is listed or approved at once.
const MOST: usize = 1000;

/// Who writes through a [`Memory`] (MEM-16).
#[derive(Clone)]
pub struct Writer {
    /// Their name, as notes tell it.
    pub name: Option<String>,
    /// Whether a person looks at what they save before it counts, as it is at this moment.
    pub reviewed: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Writer {
    /// Names that no client of a server can have.
    const OURS: [&str; 3] = ["workbench", "cli", "import"];

    /// A person at one of our own surfaces.
    pub fn person(surface: &str) -> Self {
        Self { name: Some(surface.to_owned()), reviewed: Arc::new(|| false) }
    }

    /// A client that says what it is called. It cannot pass for a person.
    pub fn client(name: Option<&str>, reviewed: Arc<dyn Fn() -> bool + Send + Sync>) -> Self {
        let name = name.map(checks::one_line).filter(|name| !name.is_empty());
        let name = name.map(|name| checks::of_folder(&name));
        let name = name.map(|name| match Self::OURS.contains(&name.as_str()) {
            true => format!("{name} (client)"),
            false => name,
        });
        Self { name, reviewed }
    }
}

impl Memory {
    /// Whether what is saved now waits for a person.
    pub fn is_reviewed(&self) -> bool {
        (self.writer.reviewed)()
    }

    /// Keeps notes apart; says the numbers under which they wait.
    pub(crate) async fn propose(
        &self,
        notes: Vec<NewObservation>,
        project: &str,
    ) -> Result<Vec<u64>, MemoryError> {
        let proposals: Vec<Proposal> = notes.into_iter().map(Proposal::New).collect();
        let kept = self.store.propose(&self.workspace, &proposals, self.now()).await;
        kept.map_err(of_session(project))
    }

    /// Keeps a change of a note apart. A revision that is wanted back becomes part of it, since
    /// there may be others by the time that somebody looks at it.
    pub(crate) async fn propose_change(
        &self,
        known: &Observation,
        change: Change,
    ) -> Result<Reply, MemoryError> {
        let of = known.id;
        let mut change = change;
        if let Some(revision) = change.restore.take().filter(|one| *one != known.revision_count) {
            let newest = known.revision_count;
            let unknown = MemoryError::NoRevision { id: of, revision, newest };
            let earlier = self.store.observation_revisions(&self.workspace, of).await?;
            let earlier =
                earlier.into_iter().find(|one| one.revision == revision).ok_or(unknown)?;
            change.kind.get_or_insert(earlier.kind);
            change.title.get_or_insert(earlier.title);
            change.content.get_or_insert(earlier.content);
        }
        let revision = known.revision_count;
        if change.seen.take().is_some_and(|seen| seen != revision) {
            return Err(MemoryError::ChangedMeanwhile { id: of, revision });
        }
        let proposal = [Proposal::Change { of, change }];
        let ids = self.store.propose(&self.workspace, &proposal, self.now()).await;
        let ids = ids.map_err(missing(of))?;
        let text = format!("The change of #{of} {}", waits(&ids));
        Ok(self.said("mem_update", text, ids))
    }

    /// The newest text that waits under a topic key of a project, for whoever goes on from it.
    pub(crate) async fn waiting_under(
        &self,
        project: &str,
        key: &str,
    ) -> Result<Option<String>, MemoryError> {
        let (waiting, _) = self.store.pending_notes(&self.workspace, usize::MAX).await?;
        Ok(waiting.into_iter().rev().find_map(|waiting| match waiting.proposal {
            Proposal::New(note)
                if note.project == project && note.topic_key.as_deref() == Some(key) =>
            {
                Some(note.content)
            }
            _ => None,
        }))
    }

    /// What waits for a person, the first first, and how much that is.
    pub async fn pending(&self) -> Result<(Vec<PendingNote>, u64), MemoryError> {
        Ok(self.store.pending_notes(&self.workspace, MOST).await?)
    }

    /// Lets what waits under these numbers count, in this order, each once; says the notes that they
    /// are. One that cannot count holds none of the others up.
    pub async fn approve(&self, ids: &[u64]) -> Result<Vec<u64>, MemoryError> {
        for id in ids {
            self.store.pending_note(&self.workspace, *id).await.map_err(not_waiting(*id))?;
        }
        let mut notes = Vec::with_capacity(ids.len());
        let mut seen = HashSet::new();
        let mut failed = None;
        for id in ids.iter().filter(|id| seen.insert(**id)) {
            match self.store.approve(&self.workspace, *id, self.now()).await {
                Ok(approved) => notes.push(approved.id),
                // The others do not wait for it.
                Err(error) => failed = failed.or(Some(not_waiting(*id)(error))),
            }
        }
        failed.map_or(Ok(notes), Err)
    }

    /// Takes away what waits under these numbers, each once; says which. Where one of them does
    /// not wait, all stay.
    pub async fn reject_all(&self, ids: &[u64], hard: bool) -> Result<Vec<u64>, MemoryError> {
        for id in ids {
            self.store.pending_note(&self.workspace, *id).await.map_err(not_waiting(*id))?;
        }
        let mut done: Vec<u64> = Vec::with_capacity(ids.len());
        for id in ids {
            if !done.contains(id) {
                self.reject(*id, hard).await?;
                done.push(*id);
            }
        }
        Ok(done)
    }

    /// Takes away what waits. A note to be can be brought back like a deleted one.
    pub async fn reject(&self, id: u64, hard: bool) -> Result<(), MemoryError> {
        let rejected = self.store.reject(&self.workspace, id, hard, self.now()).await;
        rejected.map_err(not_waiting(id))
    }
}

/// What is said of what waits.
pub(crate) fn waits(ids: &[u64]) -> String {
    let told: Vec<String> = ids.iter().map(|id| format!("#{id}")).collect();
    format!(
        "waits for review as {}: no read tells it until a person approves it in the workbench or \
         with `plimsoll memory approve`.",
        told.join(", ")
    )
}

fn not_waiting(id: u64) -> impl Fn(StoreError) -> MemoryError {
    move |error| match error {
        StoreError::NotFound(plimsoll_store::Noun::Pending) => MemoryError::NotWaiting(id),
        StoreError::NotFound(plimsoll_store::Noun::Observation) => MemoryError::NothingToApply(id),
        StoreError::Circle { from, to } => MemoryError::Circle { from, to },
        other => MemoryError::Store(other),
    }
}
