//! A transaction of PostgreSQL behind the seam of the engine.

use std::{borrow::Cow, cell::OnceCell, error::Error};

use futures_util::{StreamExt, TryStreamExt, future::join, pin_mut, stream::FuturesOrdered};
use plimsoll_store::{
    StoreError, StoreResult,
    engine::{Cells, Db, NamedCells, Numbers, Value, first, unreadable},
    values,
};
use tokio::runtime::Handle;
use tokio_postgres::{
    Client, Row, RowStream,
    types::{IsNull, ToSql, Type, private::BytesMut, to_sql_checked},
};

use super::{
    error::{self, Trouble},
    texts,
};

/// So many statements are on their way at once.
const ON_THEIR_WAY: usize = 500;

/// Statements on a connection.
pub(super) struct Session<'c> {
    client: &'c Client,
    runtime: &'c Handle,
    handle: &'c str,
    passing: bool,
    /// What begins the transaction, where that goes along with the first query.
    beginning: Option<&'static str>,
}

impl<'c> Session<'c> {
    /// A session in a transaction that has begun.
    pub(super) fn new(client: &'c Client, runtime: &'c Handle, handle: &'c str) -> Self {
        Self { client, runtime, handle, passing: false, beginning: None }
    }

    /// The same, where the first query begins it: one answer is waited for instead of two. Not for
    /// writing, where no statement may run should the beginning fail.
    pub(super) fn beginning_with(self, sql: &'static str) -> Self {
        Self { beginning: Some(sql), ..self }
    }

    /// Whether the transaction has begun.
    pub(super) fn has_begun(&self) -> bool {
        self.beginning.is_none()
    }

    /// Whether a statement failed for a reason that may be gone in a moment.
    pub(super) fn is_passing(&self) -> bool {
        self.passing
    }

    fn ask(&mut self, sql: &str, values: &[Value<'_>]) -> StoreResult<RowStream> {
        let bound: Vec<Bound<'_>> = values.iter().map(Bound::of).collect();
        let asking = self.client.query_typed_raw(sql, typed(&bound));
        let asked = match self.beginning.take() {
            None => self.runtime.block_on(asking),
            Some(beginning) => {
                // They leave in this order.
                let beginning = self.client.batch_execute(beginning);
                let (began, asked) = self.runtime.block_on(join(beginning, asking));
                began.and(asked)
            }
        };
        asked.map_err(|error| self.failed(error, sql))
    }

    fn failed(&mut self, error: tokio_postgres::Error, sql: &str) -> StoreError {
        let trouble = error::decide(error);
        self.passing |= matches!(trouble, Trouble::Passing(_));
        match trouble.error() {
            StoreError::Failed(words) if cfg!(debug_assertions) => {
                StoreError::Failed(format!("{words} in: {sql}"))
            }
            error => error,
        }
    }

    fn rows(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        row: &mut dyn FnMut(&Row) -> StoreResult<()>,
    ) -> StoreResult<u64> {
        let stream = self.ask(sql, values)?;
        pin_mut!(stream);
        // An error of the caller ends the transaction; what is left of the rows is passed over.
        while let Some(next) = self.runtime.block_on(stream.next()) {
            let next = next.map_err(|error| self.failed(error, sql))?;
            row(&next)?;
        }
        Ok(stream.rows_affected().unwrap_or(0))
    }
}

/// Runs a statement; says how many rows it touched.
async fn touch(
    client: &Client,
    sql: &str,
    bound: Vec<Bound<'_>>,
) -> Result<u64, tokio_postgres::Error> {
    let stream = client.query_typed_raw(sql, typed(&bound)).await?;
    pin_mut!(stream);
    while stream.next().await.transpose()?.is_some() {}
    Ok(stream.rows_affected().unwrap_or(0))
}

fn typed<'b>(
    bound: &'b [Bound<'_>],
) -> impl ExactSizeIterator<Item = (&'b (dyn ToSql + Sync), Type)> {
    bound.iter().map(|value| (value as &(dyn ToSql + Sync), value.kind()))
}

impl Db for Session<'_> {
    fn handle(&self) -> &str {
        self.handle
    }

    fn run_all(&mut self, sql: &str, all: &[Vec<Value<'_>>]) -> StoreResult<Vec<u64>> {
        let mut touched = Vec::with_capacity(all.len());
        for some in all.chunks(ON_THEIR_WAY) {
            let bound = some.iter().map(|values| values.iter().map(Bound::of).collect());
            // Each leaves when it is first polled, which is done in their order.
            let done: FuturesOrdered<_> =
                bound.map(|bound| touch(self.client, sql, bound)).collect();
            let done = self.runtime.block_on(done.try_collect::<Vec<u64>>());
            touched.extend(done.map_err(|error| self.failed(error, sql))?);
        }
        Ok(touched)
    }

    fn run(&mut self, sql: &str, values: &[Value<'_>]) -> StoreResult<u64> {
        self.rows(sql, values, &mut |_| Ok(()))
    }

    fn each(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        row: &mut dyn FnMut(&dyn Cells) -> StoreResult<()>,
    ) -> StoreResult<()> {
        self.rows(sql, values, &mut |found| row(&Found::of(found))).map(drop)
    }

    fn named(&mut self, sql: &str, values: &[Value<'_>]) -> StoreResult<Vec<NamedCells>> {
        let mut all = Vec::new();
        self.rows(sql, values, &mut |row| {
            let found = Found::of(row);
            let cells = row.columns().iter().enumerate().map(|(place, column)| {
                let value = match *column.type_() {
                    Type::BYTEA => found
                        .opt_bytes(place)?
                        .map(|bytes| Value::Bytes(Cow::Owned(bytes.to_vec()))),
                    Type::FLOAT8 | Type::FLOAT4 => found.opt_real(place)?.map(Value::Real),
                    Type::INT8 | Type::INT4 | Type::INT2 => found.opt_int(place)?.map(Value::Int),
                    _ => found.opt_string(place)?.map(|text| Value::Text(Cow::Owned(text))),
                };
                Ok((column.name().to_owned(), value.unwrap_or(Value::Null)))
            });
            all.push(cells.collect::<StoreResult<_>>()?);
            Ok(())
        })?;
        Ok(all)
    }

    fn next_number(&mut self, of: Numbers) -> StoreResult<u64> {
        let sql = format!("SELECT nextval('{}')", sequence(of));
        first(self, &sql, values![], |row| row.count(0))?.ok_or_else(|| unreadable("no number"))
    }

    fn last_number(&mut self, of: Numbers) -> StoreResult<u64> {
        let sql =
            format!("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {}", sequence(of));
        Ok(first(self, &sql, values![], |row| row.count(0))?.unwrap_or(0))
    }

    fn number_past(&mut self, of: Numbers, number: u64) -> StoreResult<()> {
        if self.last_number(of)? < number {
            let sql = format!("SELECT setval('{}', $1)", sequence(of));
            self.run(&sql, values![number])?;
        }
        Ok(())
    }
}

pub(super) fn sequence(of: Numbers) -> &'static str {
    match of {
        Numbers::Observations => "number_of_observations",
        Numbers::Prompts => "number_of_prompts",
        Numbers::Relations => "number_of_relations",
        Numbers::Vectors => "number_of_vectors",
        Numbers::SearchedPairs => "number_of_searched_pairs",
        Numbers::SearchPlaces => "number_of_search_places",
        Numbers::ReceiptParts => "number_of_receipt_parts",
        Numbers::RequestParts => "number_of_request_parts",
        Numbers::QuotedPairs => "number_of_quoted_pairs",
    }
}

/// A value as it is sent.
#[derive(Debug)]
enum Bound<'v> {
    Null,
    Int(i64),
    Real(f64),
    Text(Cow<'v, str>),
    Bytes(&'v [u8]),
}

impl<'v> Bound<'v> {
    fn of(value: &'v Value<'v>) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Int(value) => Self::Int(*value),
            Value::Real(value) => Self::Real(*value),
            Value::Text(text) => Self::Text(texts::written(text)),
            Value::Bytes(bytes) => Self::Bytes(bytes),
        }
    }

    /// What the database takes it for. Nothing may be of any type.
    fn kind(&self) -> Type {
        match self {
            Self::Null => Type::UNKNOWN,
            Self::Int(_) => Type::INT8,
            Self::Real(_) => Type::FLOAT8,
            Self::Text(_) => Type::TEXT,
            Self::Bytes(_) => Type::BYTEA,
        }
    }
}

impl ToSql for Bound<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(value) => value.to_sql(kind, out),
            Self::Real(value) => value.to_sql(kind, out),
            Self::Text(text) => text.as_ref().to_sql(kind, out),
            Self::Bytes(bytes) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A row, and its texts where they were written otherwise than they are.
struct Found<'r> {
    row: &'r Row,
    read: OnceCell<Vec<Option<String>>>,
}

impl<'r> Found<'r> {
    fn of(row: &'r Row) -> Self {
        Self { row, read: OnceCell::new() }
    }

    fn cell<'a, T: tokio_postgres::types::FromSql<'a>>(
        &'a self,
        place: usize,
    ) -> StoreResult<Option<T>> {
        self.row.try_get(place).map_err(|error| unreadable(&error.to_string()))
    }

    fn kind(&self, place: usize) -> Option<&Type> {
        self.row.columns().get(place).map(tokio_postgres::Column::type_)
    }

    fn read_all(&self) -> Vec<Option<String>> {
        let texts = (0..self.row.len()).map(|place| {
            let text = self.row.try_get::<_, Option<&str>>(place).ok().flatten();
            text.map(|text| texts::read(text).into_owned())
        });
        texts.collect()
    }
}

impl Cells for Found<'_> {
    fn opt_text(&self, place: usize) -> StoreResult<Option<&str>> {
        let Some(text) = self.cell::<&str>(place)? else { return Ok(None) };
        match texts::read(text) {
            Cow::Borrowed(text) => Ok(Some(text)),
            Cow::Owned(_) => {
                let all = self.read.get_or_init(|| self.read_all());
                Ok(all.get(place).and_then(Option::as_deref))
            }
        }
    }

    fn opt_int(&self, place: usize) -> StoreResult<Option<i64>> {
        match self.kind(place) {
            Some(&Type::INT4) => Ok(self.cell::<i32>(place)?.map(i64::from)),
            Some(&Type::INT2) => Ok(self.cell::<i16>(place)?.map(i64::from)),
            Some(&Type::BOOL) => Ok(self.cell::<bool>(place)?.map(i64::from)),
            _ => self.cell::<i64>(place),
        }
    }

    fn opt_real(&self, place: usize) -> StoreResult<Option<f64>> {
        match self.kind(place) {
            Some(&Type::FLOAT8) => self.cell::<f64>(place),
            Some(&Type::FLOAT4) => Ok(self.cell::<f32>(place)?.map(f64::from)),
            _ => Ok(self.opt_int(place)?.map(|value| value as f64)),
        }
    }

    fn opt_bytes(&self, place: usize) -> StoreResult<Option<&[u8]>> {
        self.cell::<&[u8]>(place)
    }
}
