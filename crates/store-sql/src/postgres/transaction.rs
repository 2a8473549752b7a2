//! One transaction: begun with the locks that its kind needs, ended so that its outcome is known.

use deadpool_postgres::{Object, Pool};
use futures_util::FutureExt;
use plimsoll_store::{StoreResult, Subject, engine::Db, sql::search};
use tokio::runtime::Handle;
use tokio_postgres::SimpleQueryMessage;

use super::{
    error::{self, Trouble},
    session::Session,
};

/// Locks of ours have this number before theirs. Everybody who writes shares the one of
/// everything, and who writes about everything has it alone.
const EVERYTHING: &str = "1347176784, 1";
const SHARED: &str = "1347176784, 2";

const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// What a transaction is for.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Read,
    Write {
        about: Subject,
        lazily: bool,
    },
    /// The schema: one node at a time.
    Migrate,
}

impl Kind {
    pub(super) fn writes(&self) -> bool {
        !matches!(self, Self::Read)
    }

    /// The statements that begin one that writes. The locks come first: what was committed before
    /// they were had is seen by all that follows. The number of the transaction tells its outcome
    /// even if the connection breaks while it is committed.
    fn beginning(&self) -> Option<String> {
        let (about, lazily) = match self {
            Self::Read => return None,
            Self::Write { about, lazily } => (about, lazily),
            Self::Migrate => {
                return Some(format!(
                    "BEGIN; SELECT pg_advisory_xact_lock({EVERYTHING}); SELECT pg_current_xact_id()"
                ));
            }
        };
        let mut sql = "BEGIN".to_owned();
        if *lazily {
            sql.push_str("; SET LOCAL synchronous_commit = off");
        }
        let lock = match about {
            Subject::Everything => format!("SELECT pg_advisory_xact_lock({EVERYTHING})"),
            Subject::Shared => format!(
                "SELECT pg_advisory_xact_lock_shared({EVERYTHING}), pg_advisory_xact_lock({SHARED})"
            ),
            Subject::Workspace(workspace) => {
                let name = workspace.as_str().replace('\'', "''");
                of_workspace(&format!("(SELECT '{name}' AS workspace) AS one"))
            }
            Subject::Pair(pair) => of_workspace(&format!("pairs WHERE id = '{pair}'")),
            Subject::File(file) => of_workspace(&format!("files WHERE id = '{file}'")),
        };
        sql.push_str("; ");
        sql.push_str(&lock);
        sql.push_str("; SELECT pg_current_xact_id()");
        Some(sql)
    }
}

fn of_workspace(from: &str) -> String {
    format!(
        "SELECT pg_advisory_xact_lock_shared({EVERYTHING}); \
         SELECT pg_advisory_xact_lock(hashtextextended(workspace, 0)) FROM {from}"
    )
}

/// An open transaction. One that is dropped takes its connection along, which undoes it.
pub(super) struct Transaction<'p> {
    pool: &'p Pool,
    runtime: &'p Handle,
    handle: &'p str,
    connection: Option<Object>,
    writes: bool,
    /// One that reads begins with its first query.
    begun: bool,
    /// Its number, if it writes.
    number: Option<String>,
}

impl<'p> Transaction<'p> {
    pub(super) fn begin(
        pool: &'p Pool,
        runtime: &'p Handle,
        handle: &'p str,
        kind: &Kind,
    ) -> Result<Self, Trouble> {
        let connection = runtime.block_on(pool.get()).map_err(error::of_pool)?;
        let beginning = kind.beginning();
        let began = beginning.as_ref().map(|sql| runtime.block_on(connection.simple_query(sql)));
        // A connection whose transaction did not begin is not used again.
        let mut transaction = Self {
            pool,
            runtime,
            handle,
            connection: Some(connection),
            writes: kind.writes(),
            begun: began.is_some(),
            number: None,
        };
        let rows = began.transpose().map_err(error::decide)?.unwrap_or_default();
        transaction.number = rows.iter().rev().find_map(|row| match row {
            SimpleQueryMessage::Row(row) => row.get(0).map(ToOwned::to_owned),
            _ => None,
        });
        Ok(transaction)
    }

    /// Runs a job in it. The words of what it changed are searched from its end on.
    pub(super) fn run<T>(
        &mut self,
        job: &impl Fn(&mut dyn Db) -> StoreResult<T>,
    ) -> Result<T, Trouble> {
        let Some(connection) = &self.connection else { return Err(error::ended()) };
        let mut session = Session::new(connection, self.runtime, self.handle);
        if !self.begun {
            session = session.beginning_with(READ);
        }
        let mut done = job(&mut session);
        self.begun = session.has_begun();
        if self.writes && done.is_ok() {
            done = search::settle(&mut session).and(done);
        }
        let passing = session.is_passing();
        match done {
            Ok(done) => Ok(done),
            Err(error) if passing => Err(Trouble::Passing(error)),
            Err(error) => {
                // What was refused leaves a sound connection behind.
                self.end("ROLLBACK").map_err(|_| Trouble::Lasting(error.clone()))?;
                Err(Trouble::Lasting(error))
            }
        }
    }

    /// The same without words, for steps of the schema: there may be no tables of words yet.
    pub(super) fn run_as_it_is<T>(
        &mut self,
        job: &impl Fn(&mut dyn Db) -> StoreResult<T>,
    ) -> Result<T, Trouble> {
        let Some(connection) = &self.connection else { return Err(error::ended()) };
        job(&mut Session::new(connection, self.runtime, self.handle)).map_err(Trouble::Lasting)
    }

    /// Statements of the schema, several at once.
    pub(super) fn batch(&mut self, sql: &str) -> Result<(), Trouble> {
        let Some(connection) = &self.connection else { return Err(error::ended()) };
        self.runtime.block_on(connection.batch_execute(sql)).map_err(error::decide)
    }

    pub(super) fn commit(mut self) -> Result<(), Trouble> {
        if !self.writes {
            self.end_reading();
            return Ok(());
        }
        // Others are told behind the commit that there is something new.
        match self.end("COMMIT; SELECT nextval('writes')") {
            Err(Trouble::Passing(error)) => match self.number.take() {
                Some(number) => self.outcome(&number, error),
                None => Err(Trouble::Passing(error)),
            },
            ended => ended,
        }
    }

    /// Nothing depends on the answer, so nobody waits for it: what is asked next on the connection
    /// comes behind it.
    fn end_reading(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if self.begun {
            let _ = connection.batch_execute("COMMIT").now_or_never();
        }
    }

    fn end(&mut self, sql: &str) -> Result<(), Trouble> {
        let Some(connection) = self.connection.take() else { return Err(error::ended()) };
        match self.runtime.block_on(connection.batch_execute(sql)) {
            Ok(()) => Ok(()),
            Err(error) => {
                drop(Object::take(connection));
                Err(error::decide(error))
            }
        }
    }

    /// The connection broke while the transaction was committed: the database knows whether it was.
    fn outcome(&self, number: &str, error: plimsoll_store::StoreError) -> Result<(), Trouble> {
        let connection = self
            .runtime
            .block_on(self.pool.get())
            .map_err(|_| Trouble::Lasting(plimsoll_store::StoreError::Unconfirmed))?;
        let ask = format!("SELECT pg_xact_status('{number}'::xid8)");
        let unknown = |_| Trouble::Lasting(plimsoll_store::StoreError::Unconfirmed);
        let told = self.runtime.block_on(connection.simple_query(&ask)).map_err(unknown)?;
        let status = told.iter().find_map(|row| match row {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        match status {
            Some("committed") => Ok(()),
            Some("aborted") => Err(Trouble::Passing(error)),
            _ => Err(Trouble::Lasting(plimsoll_store::StoreError::Unconfirmed)),
        }
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            drop(Object::take(connection));
        }
    }
}
