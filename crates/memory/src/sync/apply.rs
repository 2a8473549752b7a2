//! Carrying out a plan. A file is written before the store remembers it, and what a file changes
//! in the store is one transaction with what is remembered of it: whoever is interrupted syncs
//! again.

use std::collections::HashMap;

use plimsoll_store::{Observation, SyncBase, SyncChange, SyncOutcome};

use super::{
    SyncError, Synced,
    card::{self, Card},
    folder::{Folder, Written},
    front_matter::{self, Parsed},
    plan::{Pick, Plan, Step},
};
use crate::Memory;

/// Changes in one transaction.
const BATCH: usize = 500;

/// What a file was taken for, in words for when it was not done.
struct Reading {
    change: SyncChange,
    path: String,
    both_changed: Option<u64>,
    /// A file that goes once its text is in.
    superseded: Option<Pick>,
}

impl Memory {
    /// Says whether anything was done.
    pub(super) async fn carry_out(
        &self,
        folder: &Folder,
        plan: &Plan,
        synced: &mut Synced,
    ) -> Result<bool, SyncError> {
        let names: Vec<SyncChange> = plan
            .names
            .iter()
            .map(|(id, uid)| SyncChange::Name { id: *id, uid: uid.clone() })
            .collect();
        self.changed(folder, &names).await?;
        let mut done = !names.is_empty();
        done |= self.remember_and_delete(folder, &plan.steps, synced).await?;
        for steps in plan.steps.chunks(BATCH) {
            done |= self.read_files(folder, steps, synced).await?;
        }
        for steps in plan.steps.chunks(BATCH) {
            done |= self.write_files(folder, steps, synced).await?;
            done |= self.remove_files(folder, steps, synced).await?;
        }
        Ok(done)
    }

    async fn changed(
        &self,
        folder: &Folder,
        changes: &[SyncChange],
    ) -> Result<Vec<SyncOutcome>, SyncError> {
        let mut outcomes = Vec::with_capacity(changes.len());
        for batch in changes.chunks(BATCH) {
            let now = self.now();
            let done = self.store.sync_apply(&self.workspace, folder.id(), batch, now).await?;
            outcomes.extend(done);
        }
        Ok(outcomes)
    }

    async fn remember_and_delete(
        &self,
        folder: &Folder,
        steps: &[Step],
        synced: &mut Synced,
    ) -> Result<bool, SyncError> {
        let mut deleted = Vec::new();
        let mut changes = Vec::new();
        for step in steps {
            match step {
                Step::Remember(base) => changes.push(SyncChange::Remember(base.clone())),
                Step::Forget { uid } => changes.push(SyncChange::Forget(uid.clone())),
                Step::Delete { seen, uid } => deleted.push((*seen, uid.clone())),
                _ => {}
            }
        }
        if !deleted.is_empty() {
            synced.deleted += deleted.len() as u64;
            changes.push(SyncChange::Delete(deleted));
        }
        self.changed(folder, &changes).await?;
        Ok(!changes.is_empty())
    }

    async fn read_files(
        &self,
        folder: &Folder,
        steps: &[Step],
        synced: &mut Synced,
    ) -> Result<bool, SyncError> {
        let readings: Vec<Reading> =
            steps.iter().filter_map(|step| reading(folder, step)).collect();
        let changes: Vec<SyncChange> = readings.iter().map(|one| one.change.clone()).collect();
        let outcomes = self.changed(folder, &changes).await?;
        let mut done = false;
        for (one, outcome) in readings.iter().zip(outcomes) {
            match outcome {
                SyncOutcome::Done => {
                    done = true;
                    synced.read += 1;
                    if let Some(id) = one.both_changed {
                        synced.both_changed += 1;
                        synced.lines.push(format!(
                            "#{id} and {} were both changed; the text of the file is the present \
                             one, the other is a revision of #{id}",
                            one.path
                        ));
                    }
                    if let Some(file) = &one.superseded {
                        folder.remove(&file.path, &file.file_hash)?;
                    }
                }
                // The next round, or the next sync, sees it as it is then.
                SyncOutcome::Meanwhile => {}
                SyncOutcome::KeyTaken(by) => synced.lines.push(format!(
                    "{} was left alone: note #{by} has its topic key; give one of them another",
                    one.path
                )),
            }
        }
        Ok(done)
    }

    async fn write_files(
        &self,
        folder: &Folder,
        steps: &[Step],
        synced: &mut Synced,
    ) -> Result<bool, SyncError> {
        let ids: Vec<u64> = steps
            .iter()
            .filter_map(|step| match step {
                Step::Write { seen, .. } => Some(seen.id),
                _ => None,
            })
            .collect();
        let notes = self.store.observations_by_id(&self.workspace, &ids).await?;
        let notes: HashMap<u64, Observation> =
            notes.into_iter().map(|note| (note.id, note)).collect();
        let mut remembered = Vec::new();
        for step in steps {
            let Step::Write { seen, uid, path, instead_of } = step else { continue };
            let Some(note) = notes.get(&seen.id) else { continue };
            let card = Card::of(note);
            let text = front_matter::write(uid, &card);
            let names = match path {
                Some(path) => vec![path.clone()],
                None => file_names(uid, &card),
            };
            let mut taken = None;
            for name in names {
                if folder.write(&name, &text, instead_of.as_deref())? == Written::Done {
                    taken = Some(name);
                    break;
                }
            }
            let Some(path) = taken else {
                let at = path.as_deref().unwrap_or("the folder");
                let id = seen.id;
                synced.lines.push(format!(
                    "#{id} was not written: {at} changed meanwhile, or is in the way; sync again"
                ));
                continue;
            };
            synced.written += 1;
            remembered.push(SyncChange::Remember(SyncBase {
                uid: uid.clone(),
                path,
                file_hash: card::bytes(text.as_bytes()),
                note_hash: card.hash(),
            }));
        }
        self.changed(folder, &remembered).await?;
        Ok(!remembered.is_empty())
    }

    async fn remove_files(
        &self,
        folder: &Folder,
        steps: &[Step],
        synced: &mut Synced,
    ) -> Result<bool, SyncError> {
        let mut forgotten = Vec::new();
        for step in steps {
            let Step::Remove { file } = step else { continue };
            if folder.remove(&file.path, &file.file_hash)? == Written::Done {
                synced.removed += 1;
                forgotten.push(SyncChange::Forget(file.uid.clone()));
            }
        }
        self.changed(folder, &forgotten).await?;
        Ok(!forgotten.is_empty())
    }
}

/// What is read of a file, if it is still the one that was planned with.
fn reading(folder: &Folder, step: &Step) -> Option<Reading> {
    let (Step::Read { file, .. } | Step::Join { file, .. }) = step else { return None };
    let (text, hash) = folder.read(&file.path).filter(|(_, hash)| *hash == file.file_hash)?;
    let Parsed::Note { card, .. } = front_matter::read(&text) else { return None };
    let card = card.checked().ok()?;
    let base = SyncBase {
        uid: file.uid.clone(),
        path: file.path.clone(),
        file_hash: hash,
        note_hash: card.hash(),
    };
    let note = Box::new(card.note());
    let path = file.path.clone();
    Some(match step {
        Step::Join { seen, file_wins, uid, .. } => Reading {
            change: SyncChange::Join { seen: *seen, note, file_wins: *file_wins, uid: uid.clone() },
            path,
            both_changed: Some(seen.id),
            superseded: (*uid != file.uid).then(|| file.clone()),
        },
        Step::Read { into: Some(seen), both_changed, .. } => Reading {
            change: SyncChange::Change { seen: *seen, note, base, both_changed: *both_changed },
            path,
            both_changed: both_changed.then_some(seen.id),
            superseded: None,
        },
        _ => Reading {
            change: SyncChange::Add { note, base },
            path,
            both_changed: None,
            superseded: None,
        },
    })
}

/// A step as a line of a dry run; what only the store remembers is none.
pub(super) fn describe(step: &Step) -> Option<String> {
    Some(match step {
        Step::Remember(_) | Step::Forget { .. } => return None,
        Step::Read { file, into: None, .. } => format!("read {} as a new note", file.path),
        Step::Read { file, into: Some(seen), both_changed: false } => {
            format!("read {} into #{}", file.path, seen.id)
        }
        Step::Read { file, into: Some(seen), both_changed: true } => format!(
            "read {} into #{}: both were changed, the text here becomes a revision",
            file.path, seen.id
        ),
        Step::Join { file, seen, .. } => {
            format!("join {} to #{}, which has the same topic key", file.path, seen.id)
        }
        Step::Write { seen, path: Some(path), .. } => format!("write #{} to {path}", seen.id),
        Step::Write { seen, path: None, .. } => format!("write #{} to a new file", seen.id),
        Step::Remove { file } => format!("remove {}: its note was deleted here", file.path),
        Step::Delete { seen, .. } => format!("delete #{}: its file is gone", seen.id),
    })
}

/// Names for the file of a note, the shortest first. A name stays when the title changes, so that
/// git sees one file; letters that file systems disagree about are left out.
fn file_names(uid: &str, card: &Card) -> Vec<String> {
    let folder = plain_name(&card.project, 60);
    // Some systems keep these names for themselves.
    let kept = ["con", "prn", "aux", "nul"].contains(&folder.as_str())
        || folder.len() == 4 && (folder.starts_with("com") || folder.starts_with("lpt"));
    let folder = match (folder.is_empty(), kept) {
        (true, _) => "no-project".to_owned(),
        (false, true) => format!("{folder}-"),
        (false, false) => folder,
    };
    let name = plain_name(card.topic_key.as_deref().unwrap_or(&card.title), 60);
    let name = if name.is_empty() { "note".to_owned() } else { name };
    [8, uid.len()].iter().map(|length| format!("{folder}/{name}-{}.md", &uid[..*length])).collect()
}

fn plain_name(text: &str, longest: usize) -> String {
    let mut name = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c.to_ascii_lowercase());
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        if name.len() >= longest {
            break;
        }
    }
    name.trim_end_matches('-').to_owned()
}
