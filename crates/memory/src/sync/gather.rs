//! Both sides of a sync, and what the last one left.

use std::collections::{HashMap, HashSet};

use plimsoll_store::{Scope, SeenNote, SyncNote};

use super::{
    SyncAsk, SyncError,
    card::{self, Card},
    folder::{Folder, Listed},
    front_matter::{self, Parsed},
    plan::{FileSide, NoteSide, Sides},
};
use crate::Memory;

/// Notes that are read at a time.
const PAGE: usize = 500;
/// How many names a note may choose from. Only those that were saved in the same millisecond
/// with the same text share one.
const NAMES: u32 = 16;

/// What a plan is made of, and what people are told about it.
pub(super) struct Gathered {
    pub(super) sides: Sides,
    pub(super) lines: Vec<String>,
}

/// Which notes are asked for.
struct Asked<'a> {
    project: Option<&'a str>,
    personal: bool,
}

impl Asked<'_> {
    fn takes(&self, card: &Card) -> bool {
        let named = |project: &str| project.to_lowercase() == card.project.to_lowercase();
        self.project.is_none_or(named) && (self.personal || card.scope != Scope::Personal)
    }
}

impl Memory {
    pub(super) async fn gather(
        &self,
        folder: &Folder,
        project: Option<&str>,
        ask: &SyncAsk,
    ) -> Result<Gathered, SyncError> {
        let asked = Asked { project, personal: ask.personal };
        let bases = self.store.sync_bases(&self.workspace, folder.id()).await?;
        let deleted = self.store.sync_deleted(&self.workspace).await?;
        let mut sides = Sides {
            bases: bases.into_iter().map(|base| (base.uid.clone(), base)).collect(),
            deleted: deleted.into_iter().collect(),
            delete_many: ask.delete_many,
            ..Sides::default()
        };
        let mut found = Files::of(&sides);
        folder.each(&mut |listed| found.take(listed, &asked))?;
        let Files { files, left_alone, unknown_file, lines, .. } = found;
        let (files, twice) = once(files, &sides);
        sides.files = files;
        sides.left_alone = left_alone;
        sides.unknown_file = unknown_file;
        let mut last = 0;
        loop {
            let page = self.store.sync_notes_after(&self.workspace, last, PAGE).await?;
            let Some(end) = page.last() else { break };
            last = end.note.observation.id;
            for note in page {
                if asked.takes(&Card::of(&note.note.observation)) {
                    sides.notes.push(side(&note));
                } else if let Some(uid) = note.uid {
                    sides.left_alone.insert(uid);
                }
            }
        }
        Ok(Gathered { sides, lines: lines.into_iter().chain(twice).collect() })
    }

    /// The earlier texts of some notes.
    pub(super) async fn look_up_earlier(
        &self,
        ids: &[u64],
        gathered: &mut Gathered,
    ) -> Result<(), SyncError> {
        for id in ids {
            let earlier = self.store.observation_revisions(&self.workspace, *id).await?;
            let texts = earlier.iter().map(card::text_of).collect();
            gathered.sides.earlier.insert(*id, texts);
        }
        Ok(())
    }
}

fn side(found: &SyncNote) -> NoteSide {
    let note = &found.note.observation;
    let card = Card::of(note);
    let made = match found.uid {
        Some(_) => Vec::new(),
        None => (0..NAMES).map(|attempt| card::uid(found, attempt)).collect(),
    };
    NoteSide {
        seen: SeenNote { id: note.id, revision: note.revision_count, updated_at: note.updated_at },
        uid: found.uid.clone(),
        made,
        hash: card.hash(),
        hash_of_old: card.hash_of_old(),
        identity: card.identity(),
        key: card.key(),
        created_at: card.created_at,
    }
}

/// The files of a folder, one after the other.
struct Files<'s> {
    /// Which note a path was.
    known: HashMap<&'s str, &'s str>,
    files: Vec<FileSide>,
    left_alone: HashSet<String>,
    unknown_file: bool,
    lines: Vec<String>,
}

impl<'s> Files<'s> {
    fn of(sides: &'s Sides) -> Self {
        let known = sides.bases.values().map(|base| (&*base.path, &*base.uid)).collect();
        let (files, left_alone, lines) = (Vec::new(), HashSet::new(), Vec::new());
        Self { known, files, left_alone, unknown_file: false, lines }
    }

    fn take(&mut self, listed: Listed, asked: &Asked<'_>) {
        let Listed { path, text, hash } = listed;
        let was = self.known.get(path.as_str()).copied();
        let (uid, card) = match text.map(|text| front_matter::read(&text)) {
            Ok(Parsed::Note { uid, card }) => (uid, *card),
            Ok(Parsed::NotOurs) if was.is_none() => return,
            Err(_) if was.is_none() => return,
            Ok(Parsed::NotOurs) => {
                return self.skip(
                    &path,
                    was,
                    "it does not begin with the lines of a note any more",
                );
            }
            Ok(Parsed::Bad(why)) | Err(why) => return self.skip(&path, was, &why),
        };
        let card = match card.checked() {
            Ok(card) => card,
            Err(error) => return self.skip(&path, Some(&uid), &error.to_string()),
        };
        if !asked.takes(&card) {
            self.left_alone.insert(uid);
            return;
        }
        self.files.push(FileSide {
            uid,
            path,
            file_hash: hash,
            hash: card.hash(),
            text: card.text(),
            identity: card.identity(),
            key: card.key(),
            created_at: card.created_at,
        });
    }

    /// A file that is not read. Its note is left as it is; whose it is may not be known.
    fn skip(&mut self, path: &str, uid: Option<&str>, why: &str) {
        self.lines.push(format!("{path} was left alone: {why}"));
        match uid {
            Some(uid) => drop(self.left_alone.insert(uid.to_owned())),
            None => self.unknown_file = true,
        }
    }
}

/// Each note has one file: the one that it had, else the first. Says which were more.
fn once(files: Vec<FileSide>, sides: &Sides) -> (Vec<FileSide>, Vec<String>) {
    let mut kept: Vec<FileSide> = Vec::with_capacity(files.len());
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut lines = Vec::new();
    for file in files {
        let Some(place) = places.get(&file.uid) else {
            places.insert(file.uid.clone(), kept.len());
            kept.push(file);
            continue;
        };
        let first = &mut kept[*place];
        let had = sides.bases.get(&file.uid).is_some_and(|base| base.path == file.path);
        let other = if had { std::mem::replace(first, file) } else { file };
        lines.push(format!(
            "{} was left alone: {} has the same uid; delete one of them, or give it another uid",
            other.path, first.path
        ));
    }
    (kept, lines)
}
