//! Notes as Markdown files in a folder that git can merge, both ways (MEM-17).
//!
//! [`card`] is what travels, [`front_matter`] and [`anchor_line`] how a file says it, [`folder`] the only way to the
//! files, [`plan`] decides, [`apply`] carries it out. What the last sync left is in the store, in
//! the same transactions as the notes: where a store is brought back from a backup, that is too.

mod anchor_line;
mod apply;
mod card;
mod folder;
mod front_matter;
mod gather;
mod plan;

use std::path::PathBuf;

use plimsoll_store::StoreError;
use thiserror::Error;

use crate::{Memory, MemoryError, checks};
use apply::describe;
use folder::Folder;
pub use folder::FolderError;
use gather::Gathered;
use plan::Step;

/// So often is looked again: what one round does can give the next one something to do.
const MOST_ROUNDS: usize = 6;

/// What to sync.
#[derive(Clone, Debug, Default)]
pub struct SyncAsk {
    /// The folder; it is made if it is not there.
    pub folder: PathBuf,
    /// Only notes of this project.
    pub project: Option<String>,
    /// Personal notes too.
    pub personal: bool,
    /// Deletes notes however many of their files are gone.
    pub delete_many: bool,
    /// Only says what would be done.
    pub dry_run: bool,
    /// What a folder that was never synced is called from now on: letters and digits that no
    /// other has.
    pub fresh_id: String,
}

/// What a sync did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Synced {
    /// Files that were written.
    pub written: u64,
    /// Notes that were added or changed by files.
    pub read: u64,
    /// Files that were removed, because their notes were deleted here.
    pub removed: u64,
    /// Notes that were deleted softly, because their files are gone.
    pub deleted: u64,
    /// Notes that were changed on both sides; both texts are kept. Among `read`.
    pub both_changed: u64,
    /// What somebody should look at, a line each.
    pub lines: Vec<String>,
    /// What a dry run would do, a line each.
    pub would: Vec<String>,
}

/// Why nothing more was synced.
#[derive(Debug, Error)]
pub enum SyncError {
    /// The folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// What was asked for.
    #[error(transparent)]
    Ask(#[from] MemoryError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Memory {
    /// Writes the notes of the workspace into the files of a folder and reads those that were
    /// changed there. Nothing is lost: what is replaced is kept as a revision, what is deleted
    /// can be brought back. Syncing again changes nothing.
    pub async fn sync(&self, ask: &SyncAsk) -> Result<Synced, SyncError> {
        let project = checks::opt_name("project", ask.project.as_deref())?;
        let folder = Folder::open(&ask.folder, &ask.fresh_id, ask.dry_run)?;
        let mut synced = Synced::default();
        for round in 0..MOST_ROUNDS {
            let mut gathered = self.gather(&folder, project.as_deref(), ask).await?;
            let mut plan = plan::plan(&gathered.sides);
            if !plan.wants_earlier.is_empty() {
                self.look_up_earlier(&plan.wants_earlier, &mut gathered).await?;
                plan = plan::plan(&gathered.sides);
            }
            if round == 0 {
                synced.lines.append(&mut gathered.lines);
                synced.lines.extend(held_back(plan.gone, &gathered));
            }
            if ask.dry_run {
                synced.would = plan.steps.iter().filter_map(describe).collect();
                count(&plan.steps, &mut synced);
                return Ok(synced);
            }
            if plan.steps.is_empty() && plan.names.is_empty() {
                break;
            }
            if !self.carry_out(&folder, &plan, &mut synced).await? {
                break;
            }
        }
        synced.lines.sort();
        synced.lines.dedup();
        Ok(synced)
    }
}

/// What a dry run would count.
fn count(steps: &[Step], synced: &mut Synced) {
    for step in steps {
        match step {
            Step::Remember(_) | Step::Forget { .. } => {}
            Step::Read { both_changed, .. } => {
                synced.read += 1;
                synced.both_changed += u64::from(*both_changed);
            }
            Step::Join { .. } => {
                synced.read += 1;
                synced.both_changed += 1;
            }
            Step::Write { .. } => synced.written += 1,
            Step::Remove { .. } => synced.removed += 1,
            Step::Delete { .. } => synced.deleted += 1,
        }
    }
}

/// Why notes whose files are gone were not deleted.
fn held_back(gone: usize, gathered: &Gathered) -> Option<String> {
    if gone == 0 {
        return None;
    }
    Some(if gathered.sides.unknown_file {
        format!(
            "{gone} files are gone, and a file that cannot be read may be one of them; no note \
             was deleted: mend that file and sync again"
        )
    } else {
        format!(
            "{gone} of {} files are gone; no note was deleted: check the folder, or sync again \
             with --delete-many",
            gathered.sides.bases.len()
        )
    })
}
