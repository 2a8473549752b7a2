//! Rows of any table as JSON objects, and back.

use std::borrow::Cow;

use plimsoll_domain::DeletionId;
use serde_json::{Map, Value as Json};

use crate::{
    StoreResult,
    engine::{Db, Value, first, list, unreadable},
};

const KEEP: &str = "INSERT INTO deleted_rows (deletion_id, place, part, owner, mentions, cells)
    VALUES ($1, $2, $3, $4, $5, $6)";
const NEXT: &str = "SELECT COALESCE(MAX(place) + 1, 0) FROM deleted_rows WHERE deletion_id = $1";
const OF: &str = "SELECT part, owner, cells FROM deleted_rows
    WHERE deletion_id = $1 ORDER BY place";

/// A row as an object: the names of its columns and what they hold.
pub(super) type Row = Map<String, Json>;

/// Something that was put aside.
pub(super) struct Kept {
    pub(super) part: String,
    pub(super) owner: String,
    pub(super) row: Row,
}

pub(super) fn fetch(db: &mut dyn Db, sql: &str, values: &[Value<'_>]) -> StoreResult<Vec<Row>> {
    let cell = |value: Value<'_>| match value {
        Value::Null => Json::Null,
        Value::Int(value) => Json::from(value),
        Value::Real(value) => Json::from(value),
        Value::Text(text) => Json::from(text.into_owned()),
        // No table whose rows are put aside has any.
        Value::Bytes(_) => Json::Null,
    };
    let rows = db.named(sql, values)?;
    let row = |cells: Vec<(String, Value<'static>)>| {
        cells.into_iter().map(|(name, value)| (name, cell(value))).collect()
    };
    Ok(rows.into_iter().map(row).collect())
}

/// Puts a row into a table. A column that the table has got since keeps its default.
pub(super) fn insert(db: &mut dyn Db, table: &str, row: &Row) -> StoreResult<()> {
    let names: Vec<&str> = row.keys().map(String::as_str).collect();
    let places: Vec<String> = (1..=names.len()).map(|place| format!("${place}")).collect();
    let sql = format!("INSERT INTO {table} ({}) VALUES ({})", names.join(", "), places.join(", "));
    let values: Vec<Value<'_>> = row.values().map(value).collect();
    db.run(&sql, &values).map(drop)
}

fn value(cell: &Json) -> Value<'_> {
    match cell {
        Json::String(text) => Value::Text(Cow::Borrowed(text)),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => Value::Int(whole),
            None => number.as_f64().map_or(Value::Null, Value::Real),
        },
        Json::Bool(truth) => Value::Int(i64::from(*truth)),
        _ => Value::Null,
    }
}

pub(super) fn text<'r>(row: &'r Row, name: &str) -> Option<&'r str> {
    row.get(name).and_then(Json::as_str)
}

pub(super) fn read(cells: &str) -> StoreResult<Row> {
    serde_json::from_str(cells).map_err(|_| unreadable("what was put aside is no row"))
}

/// Writes down rows of one deletion, in their order.
pub(super) struct Keeper {
    deletion: DeletionId,
    next: u64,
}

impl Keeper {
    /// Goes on behind what the deletion has.
    pub(super) fn of(db: &mut dyn Db, deletion: DeletionId) -> StoreResult<Self> {
        let next = first(db, NEXT, values![deletion], |row| row.count(0))?.unwrap_or(0);
        Ok(Self { deletion, next })
    }

    pub(super) fn keep(
        &mut self,
        db: &mut dyn Db,
        part: &str,
        owner: &str,
        mentions: Option<&str>,
        row: Row,
    ) -> StoreResult<()> {
        let cells = Json::Object(row).to_string();
        db.run(KEEP, values![self.deletion, self.next, part, owner, mentions, &cells])?;
        self.next += 1;
        Ok(())
    }
}

/// All that a deletion took.
pub(super) fn of(db: &mut dyn Db, deletion: DeletionId) -> StoreResult<Vec<Kept>> {
    list(db, OF, values![deletion], |row| {
        Ok(Kept { part: row.string(0)?, owner: row.string(1)?, row: read(row.text(2)?)? })
    })
}
