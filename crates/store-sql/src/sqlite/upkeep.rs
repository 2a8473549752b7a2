//! Backup, check, version, vacuum: the parts of upkeep that only SQLite knows.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use plimsoll_domain::Timestamp;
use plimsoll_store::{
    Finding, Noun, SchemaVersion, StoreError, StoreResult, Subject, Upkeep,
    engine::Engine,
    sql::{parts, search},
};
use rusqlite::{Connection, InterruptHandle};

use super::{SqlStore, error::Decide, file, migrate, schema};
use crate::migrations::SQLITE;

/// The indexes of full-text search.
const INDEXES: [&str; 2] = ["memory_search_index", "history_search_index"];

/// Fewer free pages than these are not worth writing the rest anew.
const FREE_PAGES_WORTH_A_VACUUM: i64 = 1024;

/// So many receipts are written anew in one transaction, for which others wait.
const RECEIPTS_AT_ONCE: u64 = 20;

#[async_trait]
impl Upkeep for SqlStore {
    async fn backup_to(&self, target: &Path) -> StoreResult<()> {
        let target = target.to_owned();
        self.readers.run(move |connection| copy_to(connection, &target)).await
    }

    async fn check(&self) -> StoreResult<Vec<Finding>> {
        // FTS5 takes what a connection has read before for what is there now when it looks through
        // its index, so a fresh one is asked.
        let mut findings = self.readers.run_fresh(|connection| look_through(connection)).await?;
        let path = self.path().to_owned();
        let foreign = self.readers.run(move |connection| {
            let applied = migrate::applied(connection, &path)?.len();
            schema::foreign(connection, &SQLITE, applied)
        });
        findings
            .extend(foreign.await?.map(|what| Finding(format!("{what} is none of Plimsoll's"))));
        for table in [&parts::RECEIPTS, &parts::REQUESTS] {
            findings.extend(self.read(move |db| table.check(db)).await?.map(Finding));
        }
        findings.extend(self.read(search::check).await?.map(Finding));
        // A search index is compared with the words by a command that counts as a write.
        for index in INDEXES {
            let compared = self
                .writer
                .run(move |writer| {
                    let command = format!(
                        "INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)"
                    );
                    writer.get().execute(&command, []).decided()
                })
                .await;
            match compared {
                Ok(_) => {}
                Err(StoreError::Corrupt { .. }) => {
                    findings.push(Finding(format!("{index} does not match the words")));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(findings)
    }

    async fn schema_version(&self) -> StoreResult<SchemaVersion> {
        let path = self.path().to_owned();
        self.readers
            .run(move |connection| {
                let applied = migrate::applied(connection, &path)?;
                let made = "SELECT MIN(applied_at) FROM schema_migrations";
                let made = connection.query_row(made, [], |row| row.get::<_, Option<i64>>(0));
                Ok(SchemaVersion {
                    made_at: Timestamp::from_millis(made.decided()?.unwrap_or(0)),
                    applied: applied.len() as u64,
                    newest: applied.last().map_or_else(String::new, |step| step.name.clone()),
                })
            })
            .await
    }

    /// SQLite counts the commits of all connections but the one that asks, and only the
    /// writer commits here.
    async fn changes_by_others(&self) -> StoreResult<u64> {
        let ask = |connection: &Connection| {
            connection
                .pragma_query_value(None, "data_version", |row| row.get::<_, i64>(0))
                .decided()
        };
        let version = self.writer.run(move |writer| ask(writer.get())).await?;
        Ok(version.unsigned_abs())
    }

    /// Writes the file anew. Whoever stops waiting stops it: a server that is asked to end does
    /// not write for minutes first (REL-11), and the file is as it was.
    async fn vacuum(&self) -> StoreResult<()> {
        let vacuum = Arc::new(Mutex::new(Vacuum::Waits));
        let _stop = StopVacuum(Arc::clone(&vacuum));
        self.writer.run(move |writer| write_anew(writer.get(), &vacuum)).await
    }

    async fn shrink(&self) -> StoreResult<bool> {
        for table in [&parts::RECEIPTS, &parts::REQUESTS] {
            if self.read(move |db| table.is_behind(db)).await? {
                self.write_lazily(Subject::Everything, move |db| {
                    table.write_anew(db, RECEIPTS_AT_ONCE)
                })
                .await?;
                return Ok(true);
            }
        }
        if self.readers.run(|connection| is_mostly_free(connection)).await? {
            self.write(Subject::Everything, |db| parts::RECEIPTS.sweep(db)).await?;
            self.vacuum().await?;
        }
        Ok(false)
    }
}

/// Whether more than half of the file is room that was given up, and more than a little.
fn is_mostly_free(connection: &Connection) -> StoreResult<bool> {
    let ask = |name: &str| {
        connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).decided()
    };
    let free = ask("freelist_count")?;
    Ok(free > FREE_PAGES_WORTH_A_VACUUM && free > ask("page_count")? / 2)
}

/// How far the writing anew has come.
enum Vacuum {
    Waits,
    Runs(InterruptHandle),
    Over,
}

/// Stops the writing anew when it goes away.
struct StopVacuum(Arc<Mutex<Vacuum>>);

impl Drop for StopVacuum {
    fn drop(&mut self) {
        let mut vacuum = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Vacuum::Runs(running) = &*vacuum {
            running.interrupt();
        }
        *vacuum = Vacuum::Over;
    }
}

fn write_anew(connection: &Connection, vacuum: &Mutex<Vacuum>) -> StoreResult<()> {
    let vacuum = || vacuum.lock().unwrap_or_else(PoisonError::into_inner);
    {
        let mut vacuum = vacuum();
        if matches!(*vacuum, Vacuum::Over) {
            return Ok(());
        }
        *vacuum = Vacuum::Runs(connection.get_interrupt_handle());
    }
    // The new file is a temporary one at first, which must not be in memory (REL-7).
    let written = connection.execute_batch("PRAGMA temp_store = FILE; VACUUM;").decided();
    *vacuum() = Vacuum::Over;
    let after = "PRAGMA temp_store = MEMORY; PRAGMA wal_checkpoint(TRUNCATE);";
    written.and(connection.execute_batch(after).decided())
}

/// Copies the store as it is at one instant. The copy has its name only when it is whole
/// and on the disk.
pub(super) fn copy_to(connection: &Connection, target: &Path) -> StoreResult<()> {
    if target.symlink_metadata().is_ok() {
        return Err(StoreError::Exists(Noun::File));
    }
    let unfinished = file::free_name(target, ".unfinished-")?;
    let copied = copy_unfinished(connection, &unfinished)
        .and_then(|()| fs::rename(&unfinished, target).decided())
        .and_then(|()| file::sync(target));
    if copied.is_err() {
        // What is left over is of no use to anybody, and the first error is the one to tell.
        let _ = fs::remove_file(&unfinished);
    }
    copied
}

fn copy_unfinished(connection: &Connection, unfinished: &Path) -> StoreResult<()> {
    file::prepare(unfinished)?;
    let name = unfinished
        .to_str()
        .ok_or_else(|| StoreError::Failed("the path of the backup is no text".to_owned()))?;
    connection.execute("VACUUM INTO $1", [name]).decided()?;
    file::sync(unfinished)
}

pub(super) fn look_through(connection: &Connection) -> StoreResult<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut pages = connection.prepare("PRAGMA integrity_check").decided()?;
    let lines = pages.query_map([], |row| row.get::<_, String>(0)).decided()?;
    for line in lines {
        let line = line.decided()?;
        if line != "ok" {
            findings.push(Finding(line));
        }
    }
    let mut references = connection.prepare("PRAGMA foreign_key_check").decided()?;
    let lines = references.query_map([], |row| row.get::<_, String>(0)).decided()?;
    for table in lines {
        findings.push(Finding(format!("a row of {} refers to nothing", table.decided()?)));
    }
    Ok(findings)
}
