//! Deleting, and taking it back (REC-5): told to everybody who looks.

use std::time::Duration;

use plimsoll_domain::{DeletionId, PairId, Timestamp};
use plimsoll_store::{
    Deletable, DeletedKind, Deletion, NewDeletion, Noun, Restored, StoreError, Workspace,
};
use plimsoll_tokens::commas;

use crate::{App, AppError, Progress};

/// So much of a message is shown in the list of deletions.
const WORDS: usize = 80;

/// What a deletion did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// How many things it took.
    pub count: u64,
    /// What undoes it; none where it cannot be undone.
    pub undo: Option<DeletionId>,
}

/// What an undo did, in words.
pub fn restored_words(deletion: &Deletion) -> String {
    let words = &deletion.words;
    match deletion.kind {
        DeletedKind::Pairs if deletion.count == 1 => format!("“{words}” is back"),
        DeletedKind::Pairs => format!("{} pairs are back", commas(deletion.count)),
        DeletedKind::File => format!("the file {words} is back"),
        DeletedKind::Topic => format!("the topic {words} is back"),
        DeletedKind::Conversation => format!("the conversation “{words}” is back"),
        DeletedKind::Filter => format!("the filter @{words} is back"),
        DeletedKind::Snippet => format!("the snippet /{words} is back"),
        DeletedKind::Notes if deletion.count == 1 => format!("the note “{words}” is back"),
        DeletedKind::Notes => format!("{} notes are back", commas(deletion.count)),
    }
}

impl App {
    /// Deletes the pairs of a workspace that exist, all or none, as one step.
    pub async fn delete(&self, workspace: &Workspace, ids: &[PairId]) -> Result<Deleted, AppError> {
        let deleted = match self.put_pairs_aside(workspace, ids).await {
            Err(AppError::Store(StoreError::Busy { pair, .. })) => {
                // A pair that is being sent is stopped first (REL-6).
                self.end_of(workspace, pair).await?;
                self.put_pairs_aside(workspace, ids).await?
            }
            deleted => deleted?,
        };
        self.events.publish(workspace, Progress::Removed(ids.to_vec()));
        Ok(deleted)
    }

    /// The same, so that nothing can bring them back.
    pub async fn delete_for_good(
        &self,
        workspace: &Workspace,
        ids: &[PairId],
    ) -> Result<Deleted, AppError> {
        let count = match self.store.delete(ids).await {
            Err(StoreError::Busy { pair, .. }) => {
                self.end_of(workspace, pair).await?;
                self.store.delete(ids).await?
            }
            count => count?,
        };
        self.events.publish(workspace, Progress::Removed(ids.to_vec()));
        Ok(Deleted { count, undo: None })
    }

    /// Deletes a saved filter.
    pub async fn delete_filter(
        &self,
        workspace: &Workspace,
        name: &str,
    ) -> Result<Deleted, AppError> {
        let what = Deletable::Filter(name.to_owned());
        let (deleted, _) = self.put_aside(workspace, what, name.to_owned()).await?;
        self.events.publish(workspace, Progress::Topics);
        Ok(deleted)
    }

    /// What can be brought back, newest first.
    pub async fn deletions(&self, workspace: &Workspace) -> Result<Vec<Deletion>, AppError> {
        match self.settings().keep_deleted() {
            Some(keep) => Ok(self.store.deletions(workspace, self.before(keep)).await?),
            None => Ok(Vec::new()),
        }
    }

    /// What undoes the deletion of a note.
    pub async fn deletion_of_note(
        &self,
        workspace: &Workspace,
        note: u64,
    ) -> Result<Option<DeletionId>, AppError> {
        Ok(self.store.deletion_of_note(workspace, note).await?)
    }

    /// Brings back what a deletion took; without one, what the newest took.
    pub async fn undo(
        &self,
        workspace: &Workspace,
        id: Option<DeletionId>,
    ) -> Result<Restored, AppError> {
        let known = self.deletions(workspace).await?;
        let meant = |one: &&Deletion| id.is_none_or(|id| one.id == id);
        let gone = StoreError::NotFound(Noun::Deletion);
        let deletion = known.iter().find(meant).ok_or(gone)?.id;
        let restored = self.store.restore(workspace, deletion).await?;
        match restored.deletion.kind {
            DeletedKind::Pairs | DeletedKind::Conversation => {
                // A topic that was deleted after its pairs comes back with them.
                self.events.publish(workspace, Progress::Topics);
                self.events.publish(workspace, Progress::Imported);
            }
            DeletedKind::File => self.tell_files(workspace, restored.changed.clone()),
            DeletedKind::Topic | DeletedKind::Filter | DeletedKind::Snippet => {
                self.events.publish(workspace, Progress::Topics);
            }
            DeletedKind::Notes => self.events.publish(workspace, Progress::Memory),
        }
        Ok(restored)
    }

    /// Deletes for good what a deletion took; says whether there was such a deletion.
    pub async fn purge_deletion(
        &self,
        workspace: &Workspace,
        id: DeletionId,
    ) -> Result<bool, AppError> {
        Ok(self.store.purge_deletion(workspace, id).await?)
    }

    /// Deletes for good what was deleted long enough ago.
    pub async fn purge_expired(&self) -> Result<u64, AppError> {
        let keep = self.settings().keep_deleted().unwrap_or_default();
        Ok(self.store.purge_deleted_before(self.before(keep)).await?)
    }

    pub(crate) async fn put_pairs_aside(
        &self,
        workspace: &Workspace,
        ids: &[PairId],
    ) -> Result<Deleted, AppError> {
        let words = match ids.first() {
            Some(first) => self.store.get_many(&[*first]).await?,
            None => Vec::new(),
        };
        let words = words.first().map_or_else(String::new, |one| opening(&one.pair.user_text));
        let (deleted, _) = self.put_aside(workspace, Deletable::Pairs(ids.to_vec()), words).await?;
        Ok(deleted)
    }

    /// Deletes; gives also the pairs whose tokens are broken by it. Where nothing is to be
    /// kept, what was put aside is purged before anybody can see it.
    pub(crate) async fn put_aside(
        &self,
        workspace: &Workspace,
        what: Deletable,
        words: String,
    ) -> Result<(Deleted, Vec<PairId>), AppError> {
        let now = self.clock.now();
        let id = DeletionId::new(now, self.chance.bytes());
        let new = NewDeletion { id, workspace: workspace.clone(), at: now, words };
        let done = self.store.put_aside(&new, &what).await?;
        let kept = self.settings().keep_deleted().is_some();
        if !kept {
            self.store.purge_deletion(workspace, id).await?;
        }
        let undo = (kept && done.count > 0).then_some(id);
        Ok((Deleted { count: done.count, undo }, done.changed))
    }

    fn before(&self, keep: Duration) -> Timestamp {
        let millis = i64::try_from(keep.as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(self.clock.now().millis().saturating_sub(millis))
    }
}

/// How a message begins, on one line; what its tokens stand for is not said.
fn opening(text: &str) -> String {
    let words = plimsoll_domain::words_alone(text);
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(WORDS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}
