//! A memory on a store of its own, with a clock that is moved by hand.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    thread,
};

use plimsoll_domain::Timestamp;
use plimsoll_memory::{Ledger, Memory, MemoryParts, OwnProject, Save, Writer};
use plimsoll_store::{Store, Workspace};
use plimsoll_store_sql::{OpenOptions, PostgresStore, SqlStore};
use plimsoll_testkit::switch::test_store;
use plimsoll_tokens::Estimator;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// 2026-11-16 at noon.
pub(crate) const NOON: i64 = 1_794_830_400_000;
pub(crate) const MINUTE: i64 = 60_000;
pub(crate) const DAY: i64 = 86_400_000;

/// A desk to test on; the directory goes with it.
pub(crate) struct Desk {
    pub(crate) memory: Memory,
    pub(crate) store: Arc<dyn Store>,
    now: Arc<AtomicI64>,
    directory: TempDir,
}

pub(crate) async fn open(path: &Path) -> Arc<dyn Store> {
    let (options, now) = (OpenOptions::default(), Timestamp::from_millis(NOON));
    match test_store(path.parent().unwrap(), make) {
        Some(address) => Arc::new(PostgresStore::open(&address, options, now).await.unwrap()),
        None => Arc::new(SqlStore::open_sqlite(path, options, now).await.unwrap()),
    }
}

/// Makes a store in an empty database, on a thread that may wait for it.
fn make(address: &str) {
    let open = PostgresStore::open(address, OpenOptions::default(), Timestamp::from_millis(NOON));
    let made = || drop(Runtime::new().unwrap().block_on(open).unwrap());
    thread::scope(|scope| scope.spawn(made).join().unwrap());
}

pub(crate) fn memory_on(store: Arc<dyn Store>, now: Arc<AtomicI64>, ledger: Ledger) -> Memory {
    memory_of(OwnProject::Is("harbour".to_owned()), store, now, ledger)
}

pub(crate) fn memory_of(
    own_project: OwnProject,
    store: Arc<dyn Store>,
    now: Arc<AtomicI64>,
    ledger: Ledger,
) -> Memory {
    Memory::new(MemoryParts {
        store,
        clock: Arc::new(move || Timestamp::from_millis(now.load(Ordering::Relaxed))),
        workspace: Workspace::default(),
        own_project,
        counter: Estimator::Bytes4,
        ledger: Arc::new(ledger),
        started: Arc::default(),
        root: None,
        writer: Writer { name: None, reviewed: Arc::new(|| false) },
    })
}

/// An agent that works in the folder of the project `harbour`.
pub(crate) fn agent_in(desk: &Desk, root: Option<&Path>, name: &str, reviewed: bool) -> Memory {
    let now = Arc::clone(&desk.now);
    Memory::new(MemoryParts {
        store: Arc::clone(&desk.store),
        clock: Arc::new(move || Timestamp::from_millis(now.load(Ordering::Relaxed))),
        workspace: Workspace::default(),
        own_project: OwnProject::Is("harbour".to_owned()),
        counter: Estimator::Bytes4,
        ledger: Arc::default(),
        started: Arc::default(),
        root: root.map(Path::to_owned),
        writer: Writer::client(Some(name), Arc::new(move || reviewed)),
    })
}

pub(crate) async fn desk() -> Desk {
    let directory = TempDir::new().unwrap();
    let store = open(&directory.path().join("plimsoll.db")).await;
    let now = Arc::new(AtomicI64::new(NOON));
    let memory = memory_on(Arc::clone(&store), Arc::clone(&now), Ledger::default());
    Desk { memory, store, now, directory }
}

impl Desk {
    pub(crate) fn pass(&self, millis: i64) {
        self.now.fetch_add(millis, Ordering::Relaxed);
    }

    pub(crate) fn path(&self) -> std::path::PathBuf {
        self.directory.path().join("plimsoll.db")
    }

    /// The same store with a book of its own.
    pub(crate) fn with_budget(&self, budget: u64) -> Memory {
        memory_on(Arc::clone(&self.store), Arc::clone(&self.now), Ledger::new(Some(budget)))
    }

    /// The same store as another client sees it.
    pub(crate) fn seen_from(&self, own: OwnProject) -> Memory {
        memory_of(own, Arc::clone(&self.store), Arc::clone(&self.now), Ledger::default())
    }

    /// The same with a book of its own.
    pub(crate) fn seen_within(&self, own: OwnProject, ledger: Ledger) -> Memory {
        memory_of(own, Arc::clone(&self.store), Arc::clone(&self.now), ledger)
    }

    /// The same from another project.
    pub(crate) fn in_project(&self, name: &str) -> Memory {
        self.seen_from(OwnProject::Is(name.to_owned()))
    }

    /// Saves a note and says its id.
    pub(crate) async fn note(&self, title: &str, content: &str) -> u64 {
        self.memory.save(save(title, content)).await.unwrap().ids[0]
    }
}

pub(crate) fn save(title: &str, content: &str) -> Save {
    Save { title: title.to_owned(), content: content.to_owned(), ..Save::default() }
}
