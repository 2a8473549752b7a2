//! What a database has to do for the store: run a job in one transaction, and run the statements
//! of a job.
//!
//! Statements use `$1`-style placeholders, numbered by their first appearance, and only
//! expressions that every database takes.

use std::borrow::Cow;

use plimsoll_domain::{DeletionId, FileId, PairId, ReceiptId, Timestamp, TopicId};

use crate::{StoreError, StoreResult, Workspace, subject::Subject};

/// A value that goes into a statement.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    Null,
    Int(i64),
    Real(f64),
    Text(Cow<'a, str>),
    /// For what can be made again alone: rows with bytes are not put aside by a deletion.
    Bytes(Cow<'a, [u8]>),
}

/// A database that runs jobs. A job outlives its caller: whoever stops waiting does not undo it.
/// It may be run again where the database undid it for reasons of its own.
///
/// Jobs of writing about the same subject run one after the other, each seeing what those before
/// it wrote.
pub trait Engine: Send + Sync {
    /// Runs a job of reading on one consistent view.
    fn read<T: Send + 'static>(
        &self,
        job: impl Fn(&mut dyn Db) -> StoreResult<T> + Send + 'static,
    ) -> impl Future<Output = StoreResult<T>> + Send;

    /// Runs a job of writing in one transaction, which an error undoes as a whole. What was
    /// written survives a power cut when this returns.
    fn write<T: Send + 'static>(
        &self,
        about: Subject,
        job: impl Fn(&mut dyn Db) -> StoreResult<T> + Send + 'static,
    ) -> impl Future<Output = StoreResult<T>> + Send;

    /// The same, but it survives only a crash of the process until the next `write`. For what is
    /// written often and replaced soon, or can be made again: partial answers, drafts, estimates.
    fn write_lazily<T: Send + 'static>(
        &self,
        about: Subject,
        job: impl Fn(&mut dyn Db) -> StoreResult<T> + Send + 'static,
    ) -> impl Future<Output = StoreResult<T>> + Send;
}

/// What is numbered across all workspaces. A number is given once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    Observations,
    Prompts,
    Relations,
    /// Changes of vectors.
    Vectors,
    /// Pairs as they are searched.
    SearchedPairs,
    /// Workspaces as they are searched.
    SearchPlaces,
    /// Lines of receipts and of requests that failed.
    ReceiptParts,
    RequestParts,
    QuotedPairs,
}

impl Numbers {
    pub const ALL: [Self; 9] = [
        Self::Observations,
        Self::Prompts,
        Self::Relations,
        Self::Vectors,
        Self::SearchedPairs,
        Self::SearchPlaces,
        Self::ReceiptParts,
        Self::RequestParts,
        Self::QuotedPairs,
    ];
}

/// One open transaction, or one consistent view for reading.
pub trait Db {
    /// The handle that the job runs through: a text that no other handle on the store has, in no
    /// process. Changes carry it (TEA-6).
    fn handle(&self) -> &str;

    /// Runs a statement; says how many rows it touched.
    fn run(&mut self, sql: &str, values: &[Value<'_>]) -> StoreResult<u64>;

    /// Runs a statement for each of these values, in their order; says how many rows each touched.
    /// A database on another machine is not waited for between them.
    fn run_all(&mut self, sql: &str, all: &[Vec<Value<'_>>]) -> StoreResult<Vec<u64>> {
        all.iter().map(|values| self.run(sql, values)).collect()
    }

    /// Runs a query and hands each row over.
    fn each(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        row: &mut dyn FnMut(&dyn Cells) -> StoreResult<()>,
    ) -> StoreResult<()>;

    /// All rows of a query, each cell with the name of its column: for what is put aside and
    /// brought back as it was, whatever columns a table has.
    fn named(&mut self, sql: &str, values: &[Value<'_>]) -> StoreResult<Vec<NamedCells>>;

    /// The next number.
    fn next_number(&mut self, of: Numbers) -> StoreResult<u64>;

    /// The last number that was given.
    fn last_number(&mut self, of: Numbers) -> StoreResult<u64>;

    /// Lets no later number be this one or one below it.
    fn number_past(&mut self, of: Numbers, number: u64) -> StoreResult<()>;
}

/// The cells of a row with the names of their columns.
pub type NamedCells = Vec<(String, Value<'static>)>;

/// The cells of one row, by their place.
pub trait Cells {
    fn opt_text(&self, place: usize) -> StoreResult<Option<&str>>;
    fn opt_int(&self, place: usize) -> StoreResult<Option<i64>>;
    fn opt_real(&self, place: usize) -> StoreResult<Option<f64>>;
    fn opt_bytes(&self, place: usize) -> StoreResult<Option<&[u8]>>;

    fn bytes(&self, place: usize) -> StoreResult<&[u8]> {
        self.opt_bytes(place)?.ok_or_else(|| unreadable("bytes are missing"))
    }

    fn text(&self, place: usize) -> StoreResult<&str> {
        self.opt_text(place)?.ok_or_else(|| unreadable("a text is missing"))
    }

    fn int(&self, place: usize) -> StoreResult<i64> {
        self.opt_int(place)?.ok_or_else(|| unreadable("a number is missing"))
    }

    fn real(&self, place: usize) -> StoreResult<f64> {
        self.opt_real(place)?.ok_or_else(|| unreadable("a number is missing"))
    }

    fn string(&self, place: usize) -> StoreResult<String> {
        self.text(place).map(ToOwned::to_owned)
    }

    fn opt_string(&self, place: usize) -> StoreResult<Option<String>> {
        Ok(self.opt_text(place)?.map(ToOwned::to_owned))
    }

    fn count(&self, place: usize) -> StoreResult<u64> {
        self.int(place).map(unsigned)
    }

    fn opt_count(&self, place: usize) -> StoreResult<Option<u64>> {
        Ok(self.opt_int(place)?.map(unsigned))
    }

    fn truth(&self, place: usize) -> StoreResult<bool> {
        self.int(place).map(|value| value != 0)
    }

    fn time(&self, place: usize) -> StoreResult<Timestamp> {
        self.int(place).map(Timestamp::from_millis)
    }
}

/// A row that no version of ours can have written.
pub fn unreadable(what: &str) -> StoreError {
    StoreError::Failed(format!("a row cannot be read: {what}"))
}

/// Counts are never negative; a damaged one is read as none.
fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// All rows of a query.
pub fn list<T>(
    db: &mut dyn Db,
    sql: &str,
    values: &[Value<'_>],
    mut read: impl FnMut(&dyn Cells) -> StoreResult<T>,
) -> StoreResult<Vec<T>> {
    let mut rows = Vec::new();
    db.each(sql, values, &mut |row| {
        rows.push(read(row)?);
        Ok(())
    })?;
    Ok(rows)
}

/// The first row of a query, if there is one.
pub fn first<T>(
    db: &mut dyn Db,
    sql: &str,
    values: &[Value<'_>],
    mut read: impl FnMut(&dyn Cells) -> StoreResult<T>,
) -> StoreResult<Option<T>> {
    let mut found = None;
    db.each(sql, values, &mut |row| {
        if found.is_none() {
            found = Some(read(row)?);
        }
        Ok(())
    })?;
    Ok(found)
}

/// The values of a statement, in the order of their placeholders.
#[macro_export]
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::engine::Value::from($value)),*] };
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a Workspace> for Value<'a> {
    fn from(workspace: &'a Workspace) -> Self {
        Self::Text(Cow::Borrowed(workspace.as_str()))
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(Cow::Borrowed(bytes))
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u64> for Value<'_> {
    fn from(value: u64) -> Self {
        Self::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<Timestamp> for Value<'_> {
    fn from(time: Timestamp) -> Self {
        Self::Int(time.millis())
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

macro_rules! id_values {
    ($($id:ident),*) => { $(
        impl From<$id> for Value<'_> {
            fn from(id: $id) -> Self {
                Self::Text(Cow::Owned(id.to_string()))
            }
        }

        impl ReadId for $id {
            fn read(text: &str) -> Option<Self> {
                Self::parse(text)
            }
        }
    )* };
}

/// An id that is kept as text.
pub trait ReadId: Sized {
    fn read(text: &str) -> Option<Self>;
}

id_values!(PairId, TopicId, ReceiptId, FileId, DeletionId);

pub fn id<T: ReadId>(row: &dyn Cells, place: usize) -> StoreResult<T> {
    T::read(row.text(place)?).ok_or_else(|| unreadable("an id is no id"))
}

pub fn opt_id<T: ReadId>(row: &dyn Cells, place: usize) -> StoreResult<Option<T>> {
    let text = row.opt_text(place)?;
    text.map(|text| T::read(text).ok_or_else(|| unreadable("an id is no id"))).transpose()
}
