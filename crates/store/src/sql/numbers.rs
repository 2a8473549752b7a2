//! Numbers for a database with one writer at a time: those of the memory come from a table, so that
//! one that was deleted never comes back as another, and the rest go on behind the newest.

use crate::{
    StoreResult,
    engine::{Db, Numbers, first},
};

const LAST: &str = "SELECT last_id FROM memory_ids WHERE name = $1";
const PUT: &str = "INSERT INTO memory_ids (name, last_id) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET last_id = excluded.last_id";

/// Where the numbers of something stand.
pub enum Kept {
    /// The last one, under this name in `memory_ids`.
    Named(&'static str),
    /// In this column of this table.
    In { table: &'static str, column: &'static str },
}

/// Where the numbers of something stand.
pub fn kept(of: Numbers) -> Kept {
    match of {
        Numbers::Observations => Kept::Named("observation"),
        Numbers::Prompts => Kept::Named("prompt"),
        Numbers::Relations => Kept::Named("relation"),
        Numbers::Vectors => Kept::Named("vectors"),
        Numbers::SearchedPairs => Kept::In { table: "search_docs", column: "doc" },
        Numbers::SearchPlaces => Kept::In { table: "search_places", column: "place" },
        Numbers::ReceiptParts => Kept::In { table: "receipt_parts", column: "id" },
        Numbers::RequestParts => Kept::In { table: "request_parts", column: "id" },
        Numbers::QuotedPairs => Kept::In { table: "quoted_pairs", column: "number" },
    }
}

/// The last number that was given.
pub fn last(db: &mut dyn Db, of: Numbers) -> StoreResult<u64> {
    let last = match kept(of) {
        Kept::Named(name) => first(db, LAST, values![name], |row| row.count(0))?,
        Kept::In { table, column } => {
            let sql = format!("SELECT COALESCE(MAX({column}), 0) FROM {table}");
            first(db, &sql, values![], |row| row.count(0))?
        }
    };
    Ok(last.unwrap_or(0))
}

/// The next number.
pub fn next(db: &mut dyn Db, of: Numbers) -> StoreResult<u64> {
    let next = last(db, of)? + 1;
    if let Kept::Named(name) = kept(of) {
        db.run(PUT, values![name, next])?;
    }
    Ok(next)
}

/// Lets no later number be this one or one below it.
pub fn past(db: &mut dyn Db, of: Numbers, number: u64) -> StoreResult<()> {
    match kept(of) {
        Kept::Named(name) if last(db, of)? < number => db.run(PUT, values![name, number]).map(drop),
        _ => Ok(()),
    }
}
