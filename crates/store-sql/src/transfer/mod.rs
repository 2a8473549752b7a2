//! Moving all that a store holds into an empty one, whatever databases they are in (TEA-4).
//!
//! The source is read as it is at one instant. Each part is written in a transaction which also says
//! how far it came, so that a move that was stopped goes on from there; at the end both are read
//! again and compared.

mod rows;
mod tables;

#[cfg(test)]
mod tests;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use futures_util::future::join;
use plimsoll_store::{
    Noun, StoreError, StoreResult, Subject, Workspace,
    engine::{Db, Engine, NamedCells, Numbers, first, list},
    sql::workspaces,
    values,
};
use tokio::sync::mpsc;

pub use tables::UNFINISHED;
use tables::{TABLES, Table};

/// Parts that wait to be written.
const WAITING_PARTS: usize = 2;

const WORKSPACES: &str = "SELECT scope FROM workspaces ORDER BY scope";
const MARK: &str = "SELECT text FROM single_values WHERE name = $1";
const SET_MARK: &str = "INSERT INTO single_values (name, text) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET text = excluded.text";
const DROP_MARK: &str = "DELETE FROM single_values WHERE name = $1";

/// How far a move has come, as the target knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reached {
    /// What the source held.
    stamp: String,
    /// The table that is being moved, by its place in the list.
    table: usize,
    /// Rows of it that are written.
    rows: u64,
}

/// Rows of a table on their way.
struct Part {
    table: usize,
    rows: Vec<NamedCells>,
    /// Whether the table ends with them.
    last: bool,
}

/// Moves everything. `told` hears how many rows are written, and of how many. A target that holds
/// something already is refused, unless it is an unfinished move of the same.
pub async fn transfer<S: Engine, T: Engine>(
    source: &S,
    target: &T,
    told: &mut (dyn FnMut(u64, u64) + Send),
) -> StoreResult<u64> {
    let (stamp, counts) = source.read(stamp).await?;
    let total: u64 = counts.iter().sum();
    let wanted = stamp.clone();
    let begun = target.write(Subject::Everything, move |db| begin(db, &wanted)).await?;
    let before: u64 = counts.iter().take(begun.table).sum();
    let mut done = before + begun.rows;
    told(done, total);

    let (parts, arriving) = mpsc::channel(WAITING_PARTS);
    let started = Arc::new(AtomicBool::new(false));
    let from = begun.clone();
    let reading = source.read(move |db| {
        // Parts that are on their way cannot be taken back.
        if started.swap(true, Ordering::Relaxed) {
            return Err(StoreError::Failed("the source went away while it was read".to_owned()));
        }
        read_all(db, &from, &parts)
    });
    let writing = async move {
        // It goes with this block, so that a reader whose rows nobody writes ends.
        let mut arriving = arriving;
        let mut reached = begun;
        while let Some(Part { table, rows, last }) = arriving.recv().await {
            let rows = Arc::new(rows);
            let count = rows.len() as u64;
            reached.rows = if table == reached.table { reached.rows + count } else { count };
            reached.table = table;
            if last {
                (reached.table, reached.rows) = (table + 1, 0);
            }
            let mark = reached.clone();
            let job = move |db: &mut dyn Db| {
                rows::put(db, &TABLES[table], &rows)?;
                db.run(SET_MARK, values![UNFINISHED, &mark.written()]).map(drop)
            };
            target.write(Subject::Everything, job).await?;
            done += count;
            told(done.min(total), total);
        }
        Ok(())
    };
    let (read, written): (StoreResult<Read>, StoreResult<()>) = join(reading, writing).await;
    written?;
    finish(target, read?).await?;
    Ok(total)
}

/// The workspaces that a store has.
pub async fn workspaces<S: Engine>(store: &S) -> StoreResult<Vec<Workspace>> {
    store.read(|db| list(db, WORKSPACES, values![], |row| workspaces::read(row, 0))).await
}

impl Reached {
    fn written(&self) -> String {
        format!("{} {} {}", self.stamp, self.table, self.rows)
    }

    fn read(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let stamp = words.next()?.to_owned();
        Some(Self { stamp, table: words.next()?.parse().ok()?, rows: words.next()?.parse().ok()? })
    }
}

/// How many rows there are, and a few letters that are others when that changed.
fn stamp(db: &mut dyn Db) -> StoreResult<(String, Vec<u64>)> {
    let mut counts = Vec::with_capacity(TABLES.len());
    let mut hasher = blake3::Hasher::new();
    for table in TABLES {
        let count = rows::count(db, table)?;
        hasher.update(&count.to_be_bytes());
        counts.push(count);
    }
    for of in Numbers::ALL {
        hasher.update(&db.last_number(of)?.to_be_bytes());
    }
    Ok((hasher.finalize().to_hex()[..16].to_owned(), counts))
}

/// Where to begin in the target: at the start of an empty one, or where the last move was stopped.
fn begin(db: &mut dyn Db, stamp: &str) -> StoreResult<Reached> {
    let mark = first(db, MARK, values![UNFINISHED], |row| row.string(0))?;
    if let Some(reached) = mark.as_deref().and_then(Reached::read) {
        if reached.stamp == stamp {
            return Ok(reached);
        }
    } else {
        for table in
            TABLES.iter().filter(|table| !["workspaces", "single_values"].contains(&table.name))
        {
            if rows::count(db, table)? > 0 {
                return Err(StoreError::Exists(Noun::StoreWithRows));
            }
        }
    }
    // What the source does not hold any more, and what a new store has from the start.
    clear(db)?;
    let reached = Reached { stamp: stamp.to_owned(), table: 0, rows: 0 };
    db.run(SET_MARK, values![UNFINISHED, &reached.written()])?;
    Ok(reached)
}

/// Removes every row, and leaves the mark of a move that has come nowhere.
pub(crate) fn clear_for_a_move(db: &mut dyn Db) -> StoreResult<()> {
    clear(db)?;
    let nowhere = Reached { stamp: String::new(), table: 0, rows: 0 };
    db.run(SET_MARK, values![UNFINISHED, &nowhere.written()]).map(drop)
}

/// Removes every row.
fn clear(db: &mut dyn Db) -> StoreResult<()> {
    for table in TABLES.iter().rev() {
        if let Some(own) = table.own {
            db.run(&format!("UPDATE {} SET {own} = NULL", table.name), &[])?;
        }
        db.run(&format!("DELETE FROM {}", table.name), &[])?;
    }
    Ok(())
}

/// What is known of the source when all of it was read, as it was at that instant.
struct Read {
    /// A digest of each table.
    digests: Vec<blake3::Hash>,
    /// Rows that refer to others of their table.
    own: Vec<(&'static Table, Vec<NamedCells>)>,
    numbers: Vec<(Numbers, u64)>,
}

/// Reads everything, and hands over what the target does not have yet.
fn read_all(db: &mut dyn Db, from: &Reached, parts: &mpsc::Sender<Part>) -> StoreResult<Read> {
    let mut read = Read { digests: Vec::new(), own: Vec::new(), numbers: Vec::new() };
    for (place, table) in TABLES.iter().enumerate() {
        let mut skip = if place == from.table { from.rows } else { 0 };
        let mut hasher = blake3::Hasher::new();
        each_part(db, table, &mut |rows, last| {
            rows::digest(&mut hasher, rows);
            if table.own.is_some() {
                read.own.push((table, rows.clone()));
            }
            if place < from.table {
                return Ok(());
            }
            let known = usize::try_from(skip).unwrap_or(usize::MAX).min(rows.len());
            skip -= known as u64;
            let rows = rows.split_off(known);
            parts.blocking_send(Part { table: place, rows, last }).map_err(|_| stopped())
        })?;
        read.digests.push(hasher.finalize());
    }
    for of in Numbers::ALL {
        read.numbers.push((of, db.last_number(of)?));
    }
    Ok(read)
}

fn stopped() -> StoreError {
    StoreError::Failed("the move was stopped".to_owned())
}

/// Hands over all rows of a table in parts, at least one, and says which is the last.
fn each_part(
    db: &mut dyn Db,
    table: &Table,
    take: &mut dyn FnMut(&mut Vec<NamedCells>, bool) -> StoreResult<()>,
) -> StoreResult<()> {
    let mut last: Option<NamedCells> = None;
    let mut behind = 0;
    loop {
        let mut rows = rows::next(db, table, last.as_ref(), behind)?;
        behind += rows.len() as u64;
        let ends = rows.len() < rows::AT_ONCE;
        last = rows.last().cloned().or(last);
        if table.name == "single_values" {
            rows.retain(|row| !rows::is_mark(row));
        }
        take(&mut rows, ends)?;
        if ends {
            return Ok(());
        }
    }
}

/// Completes what had to wait for all rows, compares both, and takes the mark away.
async fn finish<T: Engine>(target: &T, read: Read) -> StoreResult<()> {
    let Read { digests: there, own, numbers } = read;
    target
        .write(Subject::Everything, move |db| {
            for (table, rows) in &own {
                rows::put_own(db, table, rows)?;
            }
            for (of, last) in &numbers {
                db.number_past(*of, *last)?;
            }
            Ok(())
        })
        .await?;
    let here = target.read(digests).await?;
    for (table, (one, other)) in TABLES.iter().zip(there.iter().zip(&here)) {
        if one != other {
            return Err(StoreError::Failed(format!(
                "{} are not the same in both stores, because one of them was changed meanwhile",
                table.name
            )));
        }
    }
    target.write(Subject::Everything, |db| db.run(DROP_MARK, values![UNFINISHED]).map(drop)).await
}

/// A digest of each table.
fn digests(db: &mut dyn Db) -> StoreResult<Vec<blake3::Hash>> {
    let mut all = Vec::with_capacity(TABLES.len());
    for table in TABLES {
        let mut hasher = blake3::Hasher::new();
        each_part(db, table, &mut |rows, _| {
            rows::digest(&mut hasher, rows);
            Ok(())
        })?;
        all.push(hasher.finalize());
    }
    Ok(all)
}
