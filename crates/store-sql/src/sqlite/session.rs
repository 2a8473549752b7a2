//! A transaction of SQLite behind the seam of `db`.

use std::borrow::Cow;

use plimsoll_store::{
    StoreResult,
    engine::{Cells, Db, NamedCells, Numbers, Value, unreadable},
    sql::{numbers, search},
};
use rusqlite::{
    Connection, Row, Statement, ToSql, TransactionBehavior,
    types::{ToSqlOutput, ValueRef},
};

use super::error::Decide;

/// Runs a job in a transaction that has the right to write from its start, so that it
/// never has to give up half-way for another process. The words of what it changed are searched
/// from its end on.
pub(super) fn transaction<T>(
    connection: &mut Connection,
    handle: &str,
    job: impl FnOnce(&mut dyn Db) -> StoreResult<T>,
) -> StoreResult<T> {
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).decided()?;
    let done = job(&mut Session::new(&transaction, handle))?;
    search::settle(&mut Session::new(&transaction, handle))?;
    transaction.commit().decided()?;
    Ok(done)
}

pub(super) fn view<T>(
    connection: &mut Connection,
    handle: &str,
    job: impl FnOnce(&mut dyn Db) -> StoreResult<T>,
) -> StoreResult<T> {
    let view = connection.transaction_with_behavior(TransactionBehavior::Deferred).decided()?;
    job(&mut Session::new(&view, handle))
}

/// Statements on a connection, prepared once.
pub(super) struct Session<'c> {
    connection: &'c Connection,
    handle: &'c str,
}

impl<'c> Session<'c> {
    pub(super) fn new(connection: &'c Connection, handle: &'c str) -> Self {
        Self { connection, handle }
    }
}

impl Db for Session<'_> {
    fn handle(&self) -> &str {
        self.handle
    }

    fn run(&mut self, sql: &str, values: &[Value<'_>]) -> StoreResult<u64> {
        let mut statement = self.connection.prepare_cached(sql).decided()?;
        debug_assert!(placeholders_in_order(&statement), "{sql}");
        let touched = statement.execute(bound(values)).decided()?;
        Ok(u64::try_from(touched).unwrap_or(u64::MAX))
    }

    fn each(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        row: &mut dyn FnMut(&dyn Cells) -> StoreResult<()>,
    ) -> StoreResult<()> {
        let mut statement = self.connection.prepare_cached(sql).decided()?;
        debug_assert!(placeholders_in_order(&statement), "{sql}");
        let mut rows = statement.query(bound(values)).decided()?;
        while let Some(found) = rows.next().decided()? {
            row(&Found(found))?;
        }
        Ok(())
    }

    fn named(&mut self, sql: &str, values: &[Value<'_>]) -> StoreResult<Vec<NamedCells>> {
        let mut statement = self.connection.prepare_cached(sql).decided()?;
        debug_assert!(placeholders_in_order(&statement), "{sql}");
        let names: Vec<String> = statement.column_names().map(ToOwned::to_owned).collect();
        let mut rows = statement.query(bound(values)).decided()?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().decided()? {
            let mut cells = Vec::with_capacity(names.len());
            for (place, name) in names.iter().enumerate() {
                let value = match row.get_ref(place).decided()? {
                    ValueRef::Null => Value::Null,
                    ValueRef::Integer(value) => Value::Int(value),
                    ValueRef::Real(value) => Value::Real(value),
                    ValueRef::Text(bytes) => {
                        let text = std::str::from_utf8(bytes);
                        let text = text.map_err(|_| unreadable("a text is no text"))?;
                        Value::Text(Cow::Owned(text.to_owned()))
                    }
                    ValueRef::Blob(bytes) => Value::Bytes(Cow::Owned(bytes.to_vec())),
                };
                cells.push((name.clone(), value));
            }
            found.push(cells);
        }
        Ok(found)
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

/// To SQLite `$1` is a name, and names are numbered as they appear: values land in the
/// right place only if they first appear in order.
fn placeholders_in_order(statement: &Statement<'_>) -> bool {
    (1..=statement.parameter_count())
        .all(|place| statement.parameter_name(place) == Some(format!("${place}").as_str()))
}

pub(super) fn bound<'v>(values: &'v [Value<'v>]) -> impl rusqlite::Params + 'v {
    rusqlite::params_from_iter(values.iter().map(Bound))
}

struct Bound<'v>(&'v Value<'v>);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Int(value) => ValueRef::Integer(*value),
            Value::Real(value) => ValueRef::Real(*value),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

pub(super) struct Found<'r>(pub(super) &'r Row<'r>);

impl Cells for Found<'_> {
    fn opt_text(&self, place: usize) -> StoreResult<Option<&str>> {
        match self.0.get_ref(place).decided()? {
            ValueRef::Null => Ok(None),
            ValueRef::Text(bytes) => {
                std::str::from_utf8(bytes).map(Some).map_err(|_| unreadable("a text is no text"))
            }
            _ => Err(unreadable("a text is no text")),
        }
    }

    fn opt_int(&self, place: usize) -> StoreResult<Option<i64>> {
        match self.0.get_ref(place).decided()? {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(value) => Ok(Some(value)),
            _ => Err(unreadable("a number is no number")),
        }
    }

    fn opt_real(&self, place: usize) -> StoreResult<Option<f64>> {
        match self.0.get_ref(place).decided()? {
            ValueRef::Null => Ok(None),
            ValueRef::Real(value) => Ok(Some(value)),
            ValueRef::Integer(value) => Ok(Some(value as f64)),
            _ => Err(unreadable("a number is no number")),
        }
    }

    fn opt_bytes(&self, place: usize) -> StoreResult<Option<&[u8]>> {
        match self.0.get_ref(place).decided()? {
            ValueRef::Null => Ok(None),
            ValueRef::Blob(bytes) => Ok(Some(bytes)),
            _ => Err(unreadable("bytes are no bytes")),
        }
    }
}
