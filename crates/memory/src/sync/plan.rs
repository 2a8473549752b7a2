//! What a sync does, decided from both sides and what the last one left: values in, values out.
//!
//! | note | file | last sync | what is done |
//! |---|---|---|---|
//! | same | same | any | remembered |
//! | changed | as it was | there | the file is written |
//! | as it was | changed | there | the note takes its text |
//! | changed | changed | there | the note takes the file's text; its own becomes a revision |
//! | there | there | none | the same, unless the file has an earlier text, or fewer fields |
//! | as it was | gone | there | the note is deleted softly |
//! | changed | gone | there | the file is written again |
//! | gone | as it was | there | the file is removed |
//! | gone | changed | there | the note comes back with the file's text |
//! | there | none | none | the file is written |
//! | none | there | none | the note is added, or brought back |

use std::collections::{BTreeMap, HashMap, HashSet};

use plimsoll_domain::Timestamp;
use plimsoll_store::{SeenNote, SyncBase};

/// A note, without its texts.
#[derive(Clone, Debug)]
pub(super) struct NoteSide {
    pub(super) seen: SeenNote,
    /// None before its first sync; then `made` has those that it may get, the best first.
    pub(super) uid: Option<String>,
    pub(super) made: Vec<String>,
    pub(super) hash: String,
    /// Of its fields without those that files did not always have.
    pub(super) hash_of_old: String,
    pub(super) identity: String,
    pub(super) key: Option<String>,
    pub(super) created_at: Timestamp,
}

/// A file of ours, without its texts.
#[derive(Clone, Debug)]
pub(super) struct FileSide {
    pub(super) uid: String,
    pub(super) path: String,
    /// Of its bytes.
    pub(super) file_hash: String,
    /// Of its fields.
    pub(super) hash: String,
    /// Of its text alone.
    pub(super) text: String,
    pub(super) identity: String,
    pub(super) key: Option<String>,
    pub(super) created_at: Timestamp,
}

/// Everything that a plan is made of.
#[derive(Debug, Default)]
pub(super) struct Sides {
    pub(super) notes: Vec<NoteSide>,
    pub(super) files: Vec<FileSide>,
    pub(super) bases: HashMap<String, SyncBase>,
    /// Notes that were deleted softly, by their uids.
    pub(super) deleted: HashMap<String, SeenNote>,
    /// The earlier texts of those notes that were asked for.
    pub(super) earlier: HashMap<u64, HashSet<String>>,
    /// What is not looked at this time, on either side.
    pub(super) left_alone: HashSet<String>,
    /// Whether a file could be any note's, so that none may be taken for gone.
    pub(super) unknown_file: bool,
    /// Whether any number of files may be gone on purpose.
    pub(super) delete_many: bool,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Both sides are the same.
    Remember(SyncBase),
    /// Both sides are gone.
    Forget { uid: String },
    /// A file's text goes into a note, or becomes one.
    Read { file: Pick, into: Option<SeenNote>, both_changed: bool },
    /// A file has the topic key of another note; from now on both are `uid`.
    Join { file: Pick, seen: SeenNote, file_wins: bool, uid: String },
    /// A note goes into its file, or into a new one.
    Write { seen: SeenNote, uid: String, path: Option<String>, instead_of: Option<String> },
    /// The note of this file was deleted here.
    Remove { file: Pick },
    /// The file of this note was deleted there.
    Delete { seen: SeenNote, uid: String },
}

/// A file as it was when the plan was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pick {
    pub(super) uid: String,
    pub(super) path: String,
    pub(super) file_hash: String,
}

#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Notes that get a uid before all else.
    pub(super) names: Vec<(u64, String)>,
    pub(super) steps: Vec<Step>,
    /// Notes whose earlier texts decide; the plan is made again with them.
    pub(super) wants_earlier: Vec<u64>,
    /// Files that are gone, and too many to be deleted unasked.
    pub(super) gone: usize,
}

/// So many files may be gone without a question; above it, half of them.
const DELETED_UNASKED: usize = 10;

pub(super) fn plan(sides: &Sides) -> Plan {
    let mut plan = Plan::default();
    let named = name(sides, &mut plan.names);
    let files: BTreeMap<&str, &FileSide> =
        sides.files.iter().map(|file| (file.uid.as_str(), file)).collect();
    let notes: BTreeMap<&str, &NoteSide> =
        named.iter().map(|(uid, note)| (uid.as_str(), *note)).collect();
    let mut steps: BTreeMap<&str, Step> = BTreeMap::new();
    for (uid, note) in &notes {
        if let Some(step) = of_note(sides, uid, note, files.get(uid), &mut plan.wants_earlier) {
            steps.insert(*uid, step);
        }
    }
    let keys: HashMap<&str, &str> =
        notes.iter().filter_map(|(uid, note)| Some((note.key.as_deref()?, *uid))).collect();
    let mut joined = HashSet::new();
    for (uid, file) in &files {
        if notes.contains_key(uid) || sides.left_alone.contains(*uid) {
            continue;
        }
        let base = sides.bases.get(*uid);
        if base.is_some_and(|base| base.file_hash == file.file_hash) {
            steps.insert(*uid, Step::Remove { file: pick(file) });
            continue;
        }
        let holder = file.key.as_deref().and_then(|key| keys.get(key));
        let Some(holder) = holder else {
            let into = sides.deleted.get(*uid).copied();
            steps.insert(*uid, Step::Read { file: pick(file), into, both_changed: false });
            continue;
        };
        // What else is to be done with that note comes first; it is looked at again after it.
        let idle =
            matches!(steps.get(holder), None | Some(Step::Remember(_) | Step::Delete { .. }));
        if idle && joined.insert(*holder) {
            steps.remove(holder);
            let note = notes[holder];
            let file_wins = (file.created_at, *uid) > (note.created_at, *holder);
            let keep = (*uid).min(*holder).to_owned();
            let (file, seen) = (pick(file), note.seen);
            steps.insert(*uid, Step::Join { file, seen, file_wins, uid: keep });
        }
    }
    for uid in sides.bases.keys() {
        let there = notes.contains_key(uid.as_str()) || files.contains_key(uid.as_str());
        if !there && !sides.left_alone.contains(uid) {
            steps.insert(uid, Step::Forget { uid: uid.clone() });
        }
    }
    let deletes = steps.values().filter(|step| matches!(step, Step::Delete { .. })).count();
    let many = deletes > DELETED_UNASKED && deletes * 2 > sides.bases.len() && !sides.delete_many;
    if many || sides.unknown_file {
        steps.retain(|_, step| !matches!(step, Step::Delete { .. }));
        plan.gone = deletes;
    }
    plan.steps = steps.into_values().collect();
    plan
}

/// The notes by their uids. One that has none gets that of a file which holds the same note,
/// the same text of the same time, or its topic key; else one of its own.
fn name<'s>(sides: &'s Sides, names: &mut Vec<(u64, String)>) -> Vec<(String, &'s NoteSide)> {
    let mut taken: HashSet<&str> = sides.deleted.keys().map(String::as_str).collect();
    taken.extend(sides.left_alone.iter().map(String::as_str));
    taken.extend(sides.notes.iter().filter_map(|note| note.uid.as_deref()));
    let free = || sides.files.iter().filter(|file| !taken.contains(file.uid.as_str()));
    let by_uid: HashMap<&str, &str> = free().map(|file| (&*file.uid, &*file.uid)).collect();
    let by_identity: HashMap<&str, &str> =
        free().map(|file| (&*file.identity, &*file.uid)).collect();
    let by_key: HashMap<&str, &str> =
        free().filter_map(|file| Some((file.key.as_deref()?, &*file.uid))).collect();
    let files: HashSet<&str> = sides.files.iter().map(|file| &*file.uid).collect();
    let mut named = Vec::with_capacity(sides.notes.len());
    for note in &sides.notes {
        if let Some(uid) = &note.uid {
            named.push((uid.clone(), note));
            continue;
        }
        let first = note.made.first().and_then(|made| by_uid.get(made.as_str()));
        let same = first.or_else(|| by_identity.get(note.identity.as_str()));
        let same = same.or_else(|| note.key.as_deref().and_then(|key| by_key.get(key)));
        let of_file = same.copied().filter(|uid| !taken.contains(uid));
        let fresh = || {
            let mut made = note.made.iter().map(String::as_str);
            made.find(|uid| !taken.contains(uid) && !files.contains(uid))
        };
        // There are so many to choose from that one is free.
        let Some(uid) = of_file.or_else(fresh) else { continue };
        taken.insert(uid);
        names.push((note.seen.id, uid.to_owned()));
        named.push((uid.to_owned(), note));
    }
    named
}

fn of_note(
    sides: &Sides,
    uid: &str,
    note: &NoteSide,
    file: Option<&&FileSide>,
    wants_earlier: &mut Vec<u64>,
) -> Option<Step> {
    if sides.left_alone.contains(uid) {
        return None;
    }
    let base = sides.bases.get(uid);
    let changed = base.is_none_or(|base| base.note_hash != note.hash);
    let write = |path: Option<&str>, instead_of: Option<&str>| Step::Write {
        seen: note.seen,
        uid: uid.to_owned(),
        path: path.map(ToOwned::to_owned),
        instead_of: instead_of.map(ToOwned::to_owned),
    };
    let Some(file) = file else {
        return match base {
            Some(_) if !changed => Some(Step::Delete { seen: note.seen, uid: uid.to_owned() }),
            base => Some(write(base.map(|base| base.path.as_str()), None)),
        };
    };
    let now = SyncBase {
        uid: uid.to_owned(),
        path: file.path.clone(),
        file_hash: file.file_hash.clone(),
        note_hash: note.hash.clone(),
    };
    if file.hash == note.hash {
        return (base != Some(&now)).then_some(Step::Remember(now));
    }
    let into = Some(note.seen);
    let read = |both_changed| Step::Read { file: pick(file), into, both_changed };
    let Some(base) = base else {
        // An earlier version wrote the note without what it did not know.
        if file.hash == note.hash_of_old {
            return Some(write(Some(&file.path), Some(&file.file_hash)));
        }
        return match sides.earlier.get(&note.seen.id) {
            Some(earlier) if earlier.contains(&file.text) => {
                Some(write(Some(&file.path), Some(&file.file_hash)))
            }
            Some(_) => Some(read(true)),
            None => {
                wants_earlier.push(note.seen.id);
                Some(read(true))
            }
        };
    };
    // Another spelling of the same fields is no change.
    let file_changed = base.file_hash != file.file_hash && base.note_hash != file.hash;
    match (changed, file_changed) {
        (false, false) if base.path == file.path && base.file_hash == file.file_hash => None,
        (false, false) => Some(Step::Remember(now)),
        (false, true) => Some(read(false)),
        (true, false) => Some(write(Some(&file.path), Some(&file.file_hash))),
        (true, true) => Some(read(true)),
    }
}

fn pick(file: &FileSide) -> Pick {
    Pick { uid: file.uid.clone(), path: file.path.clone(), file_hash: file.file_hash.clone() }
}
