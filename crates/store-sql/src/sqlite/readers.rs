//! A few readers, each at work on a thread where blocking is allowed.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use plimsoll_store::{StoreError, StoreResult};
use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::connection;
use crate::OpenOptions;

/// Connections at rest, and the right to use one.
pub(super) struct Readers {
    path: PathBuf,
    options: OpenOptions,
    at_rest: Arc<Mutex<Vec<Connection>>>,
    seats: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn new(path: PathBuf, options: OpenOptions) -> Self {
        let seats = Arc::new(Semaphore::new(options.readers.max(1)));
        Self { path, options, at_rest: Arc::default(), seats }
    }

    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let seat = Arc::clone(&self.seats)
            .acquire_owned()
            .await
            .map_err(|_| StoreError::Failed("its readers have ended".to_owned()))?;
        let at_rest = Arc::clone(&self.at_rest);
        let (path, options) = (self.path.clone(), self.options.clone());
        blocking(move || {
            // The seat is given up when the work is done, not when the caller leaves.
            let _seat = seat;
            let rested = at_rest.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut reader = match rested {
                Some(reader) => reader,
                None => connection::reading(&path, &options)?,
            };
            let done = job(&mut reader);
            at_rest.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
            done
        })
        .await
    }
}

impl Readers {
    /// The same on a connection of its own, which has seen nothing yet.
    pub(super) async fn run_fresh<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (path, options) = (self.path.clone(), self.options.clone());
        blocking(move || job(&mut connection::reading(&path, &options)?)).await
    }
}

/// Runs what blocks where it may.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> StoreResult<T> + Send + 'static,
) -> StoreResult<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| StoreError::Failed(error.to_string()))?
}
