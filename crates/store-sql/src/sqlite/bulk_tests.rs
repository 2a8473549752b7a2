//! The bulk ways of the memory are linear (MEM-17): what a record costs does not grow with what
//! is there. Time says little on a shared machine, so the steps of SQLite's machine are counted,
//! and its plans are read.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard},
};

use plimsoll_domain::Timestamp;
use plimsoll_store::{
    ArchivedObservation, Memory, MemoryFilter, MemoryRecord, MemorySync, NewObservation,
    Observation, ProgressDocument, Prompt, Relation, SeenNote, Session, StoreResult, Subject,
    SyncBase, SyncChange, Workspace,
    engine::{Cells, Db, Engine, NamedCells, Numbers, Value},
    sql::numbers,
};
use rusqlite::{Connection, StatementStatus};

use super::{SqlStore, connection, error::Decide, session};
use crate::OpenOptions;

/// An engine that counts what its statements do.
struct Counting(Mutex<(Connection, Counts)>);

#[derive(Clone, Default)]
struct Counts {
    statements: u64,
    steps: i64,
    /// The plan of each statement.
    plans: BTreeMap<String, String>,
}

struct CountingDb<'c> {
    connection: &'c Connection,
    counts: &'c mut Counts,
}

impl CountingDb<'_> {
    /// Notes a statement down, with its plan when it is new.
    fn note(&mut self, sql: &str, values: &[Value<'_>]) -> StoreResult<()> {
        if !self.counts.plans.contains_key(sql) {
            let mut asked =
                self.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).decided()?;
            let rows = asked.query_map(session::bound(values), |row| row.get::<_, String>(3));
            let plan: Vec<String> = rows.decided()?.collect::<rusqlite::Result<_>>().decided()?;
            self.counts.plans.insert(sql.to_owned(), plan.join("; "));
        }
        self.counts.statements += 1;
        Ok(())
    }
}

impl Db for CountingDb<'_> {
    fn handle(&self) -> &str {
        ""
    }

    fn run(&mut self, sql: &str, values: &[Value<'_>]) -> StoreResult<u64> {
        self.note(sql, values)?;
        let mut statement = self.connection.prepare(sql).decided()?;
        let touched = statement.execute(session::bound(values)).decided()?;
        self.counts.steps += i64::from(statement.get_status(StatementStatus::VmStep));
        Ok(touched as u64)
    }

    fn each(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        row: &mut dyn FnMut(&dyn Cells) -> StoreResult<()>,
    ) -> StoreResult<()> {
        self.note(sql, values)?;
        let mut statement = self.connection.prepare(sql).decided()?;
        let mut rows = statement.query(session::bound(values)).decided()?;
        while let Some(found) = rows.next().decided()? {
            row(&session::Found(found))?;
        }
        drop(rows);
        self.counts.steps += i64::from(statement.get_status(StatementStatus::VmStep));
        Ok(())
    }

    fn named(&mut self, sql: &str, values: &[Value<'_>]) -> StoreResult<Vec<NamedCells>> {
        session::Session::new(self.connection, "").named(sql, values)
    }

    fn next_number(&mut self, of: Numbers) -> StoreResult<u64> {
        numbers::next(self, of)
    }

    fn last_number(&mut self, of: Numbers) -> StoreResult<u64> {
        numbers::last(self, of)
    }

    fn number_past(&mut self, of: Numbers, number: u64) -> StoreResult<()> {
        numbers::past(self, of, number)
    }
}

impl Counting {
    /// On a store of its own, with the schema of today.
    async fn new(directory: &std::path::Path) -> Self {
        let path = directory.join("plimsoll.db");
        let options = OpenOptions::default();
        drop(SqlStore::open_sqlite(&path, options.clone(), at(0)).await.unwrap());
        let connection = connection::writing(&path, &options).unwrap();
        Self(Mutex::new((connection, Counts::default())))
    }

    fn locked(&self) -> MutexGuard<'_, (Connection, Counts)> {
        self.0.lock().unwrap()
    }

    fn job<T>(&self, job: impl FnOnce(&mut dyn Db) -> StoreResult<T>) -> StoreResult<T> {
        let (connection, counts) = &mut *self.locked();
        let transaction = connection.transaction().decided()?;
        let done = job(&mut CountingDb { connection: &transaction, counts })?;
        transaction.commit().decided()?;
        Ok(done)
    }

    /// What was counted since the last call.
    fn counted(&self) -> Counts {
        std::mem::take(&mut self.locked().1)
    }
}

impl Engine for Counting {
    async fn read<T: Send + 'static>(
        &self,
        job: impl Fn(&mut dyn Db) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.job(job)
    }

    async fn write<T: Send + 'static>(
        &self,
        _about: Subject,
        job: impl Fn(&mut dyn Db) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.job(job)
    }

    async fn write_lazily<T: Send + 'static>(
        &self,
        _about: Subject,
        job: impl Fn(&mut dyn Db) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.job(job)
    }
}

fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(1_794_830_400_000 + millis as i64)
}

const BATCH: u64 = 100;

/// Records of every kind, `BATCH` of each. Every fifth note has a topic key, every fourth the
/// same text as the others of its like.
fn records(first: u64) -> Vec<MemoryRecord> {
    let numbers = first..first + BATCH;
    let session = |n: u64| {
        MemoryRecord::Session(Session {
            id: format!("s{n}"),
            project: "p".to_owned(),
            directory: None,
            started_at: at(n),
            ended_at: None,
            summary: None,
            summary_id: None,
        })
    };
    let prompt = |n: u64| {
        MemoryRecord::Prompt(Prompt {
            id: n,
            session: format!("s{n}"),
            content: format!("prompt {n}"),
            project: "p".to_owned(),
            namespace: None,
            created_at: at(n),
        })
    };
    let progress = |n: u64| {
        MemoryRecord::Progress(ProgressDocument {
            project: format!("p{n:05}"),
            namespace: None,
            content: "[]".to_owned(),
            updated_at: at(n),
        })
    };
    let relation = |n: u64| {
        MemoryRecord::Relation(Relation {
            id: n,
            from: n,
            to: if n == first { first + 1 } else { n - 1 },
            kind: "relates_to".to_owned(),
            note: None,
            created_at: at(n),
        })
    };
    let mut all: Vec<_> = numbers.clone().map(session).collect();
    all.extend(numbers.clone().map(prompt));
    all.extend(numbers.clone().map(note));
    all.extend(numbers.clone().map(relation));
    all.extend(numbers.map(progress));
    all
}

fn note(n: u64) -> MemoryRecord {
    let text = if n.is_multiple_of(4) { "the same".to_owned() } else { format!("note {n}") };
    let observation = Observation {
        id: n,
        session: format!("s{n}"),
        kind: "manual".to_owned(),
        title: "title".to_owned(),
        content: text,
        tool_name: None,
        project: "p".to_owned(),
        scope: plimsoll_store::Scope::Project,
        topic_key: n.is_multiple_of(5).then(|| format!("key{n}")),
        namespace: None,
        revision_count: 1,
        duplicate_count: 0,
        last_seen_at: None,
        created_at: at(n),
        updated_at: at(n),
        author: None,
        expires_at: None,
        anchors: Vec::new(),
        superseded_by: None,
    };
    MemoryRecord::Observation(Box::new(ArchivedObservation { observation, revisions: vec![] }))
}

/// No statement on the tables of the memory goes through all of a table, nor sorts what it finds.
fn assert_plans(counts: &Counts) {
    for (sql, plan) in counts.plans.iter().filter(|(sql, _)| sql.contains("memory_")) {
        assert!(!plan.contains("SCAN memory"), "{sql}\n{plan}");
        // Those of one and the same text are few.
        let sorts = plan.contains("TEMP B-TREE") && !plan.contains("fingerprint=?");
        assert!(!sorts, "{sql}\n{plan}");
    }
}

/// The same work costs the same beside ten times as much, but for the depth of trees.
fn assert_as_cheap(what: &str, early: &Counts, late: &Counts) {
    assert_eq!(early.statements, late.statements, "{what}");
    assert!(early.steps > 0, "{what}: nothing was counted");
    let (early, late) = (early.steps, late.steps);
    assert!(late <= early + early / 4, "{what}: {early} steps at first, {late} later");
}

fn new(content: &str) -> NewObservation {
    NewObservation {
        session: "manual-save".to_owned(),
        kind: "manual".to_owned(),
        title: "title".to_owned(),
        content: content.to_owned(),
        project: "p".to_owned(),
        ..NewObservation::default()
    }
}

async fn exported(store: &Counting, from: &MemoryRecord) -> usize {
    store.memory_after(&Workspace::default(), Some(from), 50).await.unwrap().len()
}

#[tokio::test]
async fn mem_17_bringing_in_and_taking_out_cost_the_same_in_a_large_memory() {
    let directory = tempfile::tempdir().unwrap();
    let store = Counting::new(directory.path()).await;
    let workspace = Workspace::default();
    let mut seen = Vec::new();
    for round in 0..20 {
        let batch = records(1 + round * BATCH);
        store.counted();
        let brought = store.bring_memory(&workspace, &batch).await.unwrap();
        assert!(brought.iter().all(|one| one.fresh), "round {round}");
        let fresh = store.counted();
        assert_plans(&fresh);
        let again = store.bring_memory(&workspace, &batch).await.unwrap();
        assert!(again.iter().all(|one| !one.fresh), "round {round}");
        let known = store.counted();
        assert_plans(&known);
        let mut pages = Vec::new();
        for kind in 0..5 {
            // From the middle of each kind on, so that a page of it is full.
            let from = &batch[kind * BATCH as usize + 20];
            assert_eq!(exported(&store, from).await, 50);
            let page = store.counted();
            assert_plans(&page);
            pages.push(page);
        }
        let saved: Vec<_> = (0..50).map(|n| new(&format!("said {round} {n}"))).collect();
        store.save_observations(&workspace, &saved, at(round), at(0)).await.unwrap();
        let saved = store.counted();
        assert_plans(&saved);
        pages.push(saved);
        seen.push((fresh, known, pages));
    }
    let (early, late) = (&seen[1], &seen[19]);
    assert_as_cheap("new records", &early.0, &late.0);
    assert_as_cheap("known records", &early.1, &late.1);
    for (kind, (early, late)) in early.2.iter().zip(&late.2).enumerate() {
        assert_as_cheap(&format!("a page of kind {kind} (5: saving)"), early, late);
    }
}

#[tokio::test]
async fn mem_17_compacting_costs_the_same_in_a_large_memory() {
    let directory = tempfile::tempdir().unwrap();
    let store = Counting::new(directory.path()).await;
    let workspace = Workspace::default();
    let summary = new("all of it");
    let mut seen = Vec::new();
    for (round, filled) in [(0, 1), (1, 2), (2, 20)] {
        for batch in 0..filled {
            let notes: Vec<_> =
                (0..BATCH).map(|n| note(1 + round * 10_000 + batch * BATCH + n)).collect();
            store.bring_memory(&workspace, &notes).await.unwrap();
        }
        store.counted();
        let before = at(1_000_000);
        let filter = MemoryFilter { before: Some(before), ..MemoryFilter::default() };
        let old = store.oldest_observations(&workspace, &filter, 50).await.unwrap();
        let ids: Vec<u64> = old.iter().map(|note| note.id).collect();
        assert_eq!(ids.len(), 50);
        store.compact(&workspace, &ids, before, &summary, at(2_000_000 + round)).await.unwrap();
        let counts = store.counted();
        assert_plans(&counts);
        seen.push(counts);
    }
    assert_as_cheap("compaction", &seen[1], &seen[2]);
}

#[tokio::test]
async fn mem_17_a_sync_costs_the_same_in_a_large_memory() {
    let directory = tempfile::tempdir().unwrap();
    let store = Counting::new(directory.path()).await;
    let workspace = Workspace::default();
    let mut seen = Vec::new();
    for round in 0..20 {
        let base = |n: u64| SyncBase {
            uid: format!("{n:016x}"),
            path: format!("p/{n}.md"),
            file_hash: "f".to_owned(),
            note_hash: "n".to_owned(),
        };
        let numbers = 1 + round * BATCH..=(round + 1) * BATCH;
        let plain = |n: u64| match note(n) {
            MemoryRecord::Observation(whole) => Box::new(whole.observation),
            _ => panic!("a note is a note"),
        };
        let added = |n| SyncChange::Add { note: plain(n), base: base(n) };
        let changed = |n: u64| SyncChange::Change {
            seen: SeenNote { id: n, revision: 1, updated_at: at(n) },
            note: Box::new(Observation { content: format!("changed {n}"), ..*plain(n) }),
            base: base(n),
            both_changed: false,
        };
        store.counted();
        let mut counts = Vec::new();
        for changes in [
            numbers.clone().map(added).collect::<Vec<_>>(),
            numbers.clone().map(changed).collect(),
            numbers.clone().map(|n| SyncChange::Forget(base(n).uid)).collect(),
            numbers.clone().map(|n| SyncChange::Remember(base(n))).collect(),
        ] {
            let done =
                store.sync_apply(&workspace, "folder", &changes, at(1_000_000 + round)).await;
            assert!(done.unwrap().iter().all(|one| *one == plimsoll_store::SyncOutcome::Done));
            counts.push(store.counted());
        }
        let page = store.sync_notes_after(&workspace, round * BATCH, 50).await.unwrap();
        assert!(page.len() == 50 && page.iter().all(|note| note.uid.is_some()));
        counts.push(store.counted());
        counts.iter().for_each(assert_plans);
        seen.push(counts);
    }
    for (kind, (early, late)) in seen[1].iter().zip(&seen[19]).enumerate() {
        assert_as_cheap(&format!("step {kind} of a sync"), early, late);
    }
    store.sync_bases(&workspace, "folder").await.unwrap();
    store.sync_deleted(&workspace).await.unwrap();
    assert_plans(&store.counted());
}
