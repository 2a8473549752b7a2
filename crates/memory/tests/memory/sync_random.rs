//! Two people, random edits, one folder or two that git merges: they end up with the same notes,
//! and no text is lost (MEM-17).

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use plimsoll_domain::Timestamp;
use plimsoll_memory::{Memory, MemoryParts, OwnProject, Save, SyncAsk, Synced, Update, Writer};
use plimsoll_store::{MemoryFilter, Observation, Order, Store, Workspace};
use plimsoll_tokens::Estimator;
use proptest::prelude::*;
use tempfile::TempDir;

use crate::support::{NOON, open, save};

/// What somebody does. Numbers choose among what is there.
#[derive(Clone, Debug)]
enum Act {
    Save { who: usize, key: Option<u8> },
    Change { who: usize, which: usize },
    Retitle { who: usize, which: usize },
    Name { who: usize, which: usize, files: Vec<u8> },
    Expire { who: usize, which: usize, days: u8 },
    Delete { who: usize, which: usize, hard: bool },
    EditFile { who: usize, which: usize },
    DeleteFile { who: usize, which: usize },
    MoveFile { who: usize, which: usize },
    Sync { who: usize },
    Merge,
}

fn act() -> impl Strategy<Value = Act> {
    let who = 0usize..2;
    let which = 0usize..8;
    prop_oneof![
        4 => (who.clone(), proptest::option::weighted(0.4, 0u8..2))
            .prop_map(|(who, key)| Act::Save { who, key }),
        4 => (who.clone(), which.clone()).prop_map(|(who, which)| Act::Change { who, which }),
        1 => (who.clone(), which.clone()).prop_map(|(who, which)| Act::Retitle { who, which }),
        2 => (who.clone(), which.clone(), proptest::collection::vec(0u8..4, 0..3))
            .prop_map(|(who, which, files)| Act::Name { who, which, files }),
        1 => (who.clone(), which.clone(), 0u8..3)
            .prop_map(|(who, which, days)| Act::Expire { who, which, days }),
        1 => (who.clone(), which.clone(), any::<bool>())
            .prop_map(|(who, which, hard)| Act::Delete { who, which, hard }),
        2 => (who.clone(), which.clone()).prop_map(|(who, which)| Act::EditFile { who, which }),
        1 => (who.clone(), which.clone()).prop_map(|(who, which)| Act::DeleteFile { who, which }),
        1 => (who.clone(), which).prop_map(|(who, which)| Act::MoveFile { who, which }),
        5 => who.prop_map(|who| Act::Sync { who }),
        2 => Just(Act::Merge),
    ]
}

struct Person {
    memory: Memory,
    store: Arc<dyn Store>,
    database: PathBuf,
    folder: PathBuf,
}

struct World {
    people: [Person; 2],
    now: Arc<AtomicI64>,
    /// What git had when both were last the same.
    merged: BTreeMap<String, String>,
    texts: u32,
    /// Texts that were deleted for good on purpose, or never reached a store.
    excused: BTreeSet<String>,
    _directory: TempDir,
}

fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let Ok(entries) = fs::read_dir(&next) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() && !name.starts_with('.') {
                folders.push(path);
            } else if path.is_file() {
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

fn put(folder: &Path, wanted: &BTreeMap<String, String>) {
    for name in files(folder).keys().filter(|name| !wanted.contains_key(*name)) {
        fs::remove_file(folder.join(name)).unwrap();
    }
    for (name, text) in wanted {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn written_by(name: &str, store: Arc<dyn Store>, now: Arc<AtomicI64>) -> Memory {
    Memory::new(MemoryParts {
        store,
        clock: Arc::new(move || Timestamp::from_millis(now.load(Ordering::Relaxed))),
        workspace: Workspace::default(),
        own_project: OwnProject::Is("harbour".to_owned()),
        counter: Estimator::Bytes4,
        ledger: Arc::default(),
        started: Arc::default(),
        root: None,
        writer: Writer::person(name),
    })
}

impl World {
    async fn new(shared: bool) -> Self {
        let directory = TempDir::new().unwrap();
        let now = Arc::new(AtomicI64::new(NOON));
        let mut people = Vec::new();
        for name in ["a", "b"] {
            let database = directory.path().join(format!("{name}.db"));
            let store = open(&database).await;
            let memory = written_by(name, Arc::clone(&store), Arc::clone(&now));
            let folder = directory.path().join(if shared { "shared" } else { name }).join("notes");
            people.push(Person { memory, store, database, folder });
        }
        let people = people.try_into().ok().unwrap();
        let (merged, excused) = (BTreeMap::new(), BTreeSet::new());
        Self { people, now, merged, texts: 0, excused, _directory: directory }
    }

    fn text(&mut self) -> String {
        self.texts += 1;
        format!("the words of text number {:04}.", self.texts)
    }

    async fn notes(&self, who: usize) -> Vec<Observation> {
        let filter = MemoryFilter::default();
        let store = &self.people[who].store;
        let found = store.observations(&Workspace::default(), &filter, Order::Oldest, 1000).await;
        let mut notes = found.unwrap().0;
        notes.sort_by_key(|note| note.id);
        notes
    }

    async fn sync(&self, who: usize) -> Synced {
        let person = &self.people[who];
        let ask = SyncAsk {
            folder: person.folder.clone(),
            fresh_id: format!("copy-of-person-{who}"),
            delete_many: true,
            ..SyncAsk::default()
        };
        person.memory.sync(&ask).await.unwrap()
    }

    /// As git does it, file by file, which it also knows by another name; where both changed
    /// one, somebody takes what the first made of it.
    fn merge(&mut self) {
        let by_uid = |files: &BTreeMap<String, String>| -> BTreeMap<String, (String, String)> {
            let uid = |text: &str| {
                text.lines().find(|line| line.starts_with("uid: ")).unwrap().to_owned()
            };
            files.iter().map(|(name, text)| (uid(text), (name.clone(), text.clone()))).collect()
        };
        let [a, b] = [0, 1].map(|who| by_uid(&files(&self.people[who].folder)));
        let base = by_uid(&self.merged);
        let mut merged = BTreeMap::new();
        for uid in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
            let (ours, theirs, base) = (a.get(uid), b.get(uid), base.get(uid));
            let taken = match (ours, theirs, base) {
                (Some(ours), Some(theirs), Some(base)) => {
                    let take = |ours: &String, theirs: &String, base: &String| {
                        if ours == base { theirs.clone() } else { ours.clone() }
                    };
                    Some((take(&ours.0, &theirs.0, &base.0), take(&ours.1, &theirs.1, &base.1)))
                }
                // Deleted by one of them, and not touched by the other.
                (Some(one), None, Some(base)) | (None, Some(one), Some(base)) => {
                    (one.1 != base.1).then(|| one.clone())
                }
                (one, other, _) => one.or(other).cloned(),
            };
            merged.extend(taken);
        }
        for person in &self.people {
            put(&person.folder, &merged);
        }
        self.merged = merged;
    }

    async fn act(&mut self, act: &Act) {
        self.now.fetch_add(1000, Ordering::Relaxed);
        match act.clone() {
            Act::Save { who, key } => {
                let content = self.text();
                let topic_key = key.map(|key| format!("key{key}"));
                let save = Save { topic_key, ..save("a title", &content) };
                self.people[who].memory.save(save).await.unwrap();
            }
            Act::Change { who, which } => {
                let notes = self.notes(who).await;
                let Some(note) = notes.get(which % notes.len().max(1)) else { return };
                let content = Some(self.text());
                let update = Update { id: note.id, content, ..Update::default() };
                self.people[who].memory.update(update).await.unwrap();
            }
            Act::Retitle { who, which } => {
                let notes = self.notes(who).await;
                let Some(note) = notes.get(which % notes.len().max(1)) else { return };
                let title = Some(format!("title of {}", self.text()));
                let update = Update { id: note.id, title, ..Update::default() };
                self.people[who].memory.update(update).await.unwrap();
            }
            Act::Name { who, which, files } => {
                let notes = self.notes(who).await;
                let Some(note) = notes.get(which % notes.len().max(1)) else { return };
                let anchors = files.iter().map(|file| format!("src/{file} @a.rs")).collect();
                let update = Update { id: note.id, anchors: Some(anchors), ..Update::default() };
                self.people[who].memory.update(update).await.unwrap();
            }
            Act::Expire { who, which, days } => {
                let notes = self.notes(who).await;
                let Some(note) = notes.get(which % notes.len().max(1)) else { return };
                let expires = if days == 0 { "never".to_owned() } else { format!("{days}d") };
                let update = Update { id: note.id, expires: Some(expires), ..Update::default() };
                self.people[who].memory.update(update).await.unwrap();
            }
            Act::Delete { who, which, hard } => {
                let notes = self.notes(who).await;
                let Some(note) = notes.get(which % notes.len().max(1)) else { return };
                if hard {
                    let store = &self.people[who].store;
                    let workspace = Workspace::default();
                    let gone = store.observation_revisions(&workspace, note.id).await.unwrap();
                    self.excused.extend(gone.into_iter().flat_map(|one| [one.title, one.content]));
                    self.excused.extend([note.title.clone(), note.content.clone()]);
                }
                self.people[who].memory.delete(note.id, hard).await.unwrap();
            }
            Act::EditFile { who, which } => {
                let folder = self.people[who].folder.clone();
                let found = files(&folder);
                let Some((name, text)) = found.iter().nth(which % found.len().max(1)) else {
                    return;
                };
                let new = self.text();
                // A merge, or the next edit, may take it away before any store has seen it.
                self.excused.insert(new.clone());
                let at = text.find("\n---\n").unwrap() + 5;
                fs::write(folder.join(name), format!("{}\n{new}\n", &text[..at])).unwrap();
            }
            Act::DeleteFile { who, which } => {
                let folder = self.people[who].folder.clone();
                let found = files(&folder);
                if let Some(name) = found.keys().nth(which % found.len().max(1)) {
                    fs::remove_file(folder.join(name)).unwrap();
                }
            }
            Act::MoveFile { who, which } => {
                let folder = self.people[who].folder.clone();
                let found = files(&folder);
                if let Some(name) = found.keys().nth(which % found.len().max(1)) {
                    let last = name.rsplit('/').next().unwrap();
                    fs::create_dir_all(folder.join("moved")).unwrap();
                    fs::rename(folder.join(name), folder.join("moved").join(last)).unwrap();
                }
            }
            Act::Sync { who } => drop(self.sync(who).await),
            Act::Merge => self.merge(),
        }
    }

    /// Everybody syncs and merges until nothing is left to do.
    async fn settle(&mut self, shared: bool) {
        for _ in 0..8 {
            self.now.fetch_add(1000, Ordering::Relaxed);
            let before = [files(&self.people[0].folder), files(&self.people[1].folder)];
            let done = [self.sync(0).await, self.sync(1).await];
            if !shared {
                self.merge();
            }
            let after = [files(&self.people[0].folder), files(&self.people[1].folder)];
            let quiet = |one: &Synced| (one.read, one.deleted) == (0, 0);
            if before == after && done.iter().all(quiet) {
                return;
            }
        }
        panic!("they never came to rest");
    }
}

/// What two stores have to agree on, in words.
fn shared_fields(notes: Vec<Observation>) -> BTreeSet<String> {
    let fields = notes.into_iter().map(|note| {
        let text = (note.title, note.content, note.kind, note.author);
        let place = (note.topic_key, note.created_at.millis(), note.expires_at);
        format!("{text:?} {place:?} {:?}", note.anchors)
    });
    fields.collect()
}

async fn check(acts: Vec<Act>, shared: bool) -> Result<(), TestCaseError> {
    let mut world = World::new(shared).await;
    for act in &acts {
        world.act(act).await;
    }
    world.settle(shared).await;
    let notes = [world.notes(0).await, world.notes(1).await];
    prop_assert_eq!(notes[0].len(), notes[1].len());
    let [a, b] = notes.map(shared_fields);
    prop_assert_eq!(&a, &b);
    prop_assert_eq!(files(&world.people[0].folder).len(), a.len(), "each note has one file");
    prop_assert_eq!(files(&world.people[0].folder), files(&world.people[1].folder));
    for who in [0, 1] {
        let before = files(&world.people[who].folder);
        let again = world.sync(who).await;
        prop_assert_eq!(&again, &Synced::default());
        prop_assert_eq!(files(&world.people[who].folder), before);
        prop_assert!(world.people[who].store.check().await.unwrap().is_empty());
    }
    // Whatever was ever saved stands in a store: as a text, a revision, or in a deleted note.
    let World { people, texts, excused, _directory, .. } = world;
    let mut bytes = Vec::new();
    for Person { memory, store, database, .. } in people {
        drop(memory);
        let backup = database.with_extension("backup");
        store.backup_to(&backup).await.unwrap();
        bytes.extend(fs::read(backup).unwrap());
    }
    let kept = String::from_utf8_lossy(&bytes);
    for number in 1..=texts {
        let text = format!("the words of text number {number:04}.");
        let lost = !kept.contains(&text) && !excused.iter().any(|excused| excused.contains(&text));
        prop_assert!(!lost, "{} is lost", text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn mem_17_two_stores_that_share_a_folder_end_up_the_same(
        acts in proptest::collection::vec(act(), 1..40),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let acts = acts.into_iter().filter(|act| !matches!(act, Act::Merge)).collect();
        runtime.block_on(check(acts, true))?;
    }

    #[test]
    fn mem_17_two_stores_whose_folders_git_merges_end_up_the_same(
        acts in proptest::collection::vec(act(), 1..40),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(check(acts, false))?;
    }
}
