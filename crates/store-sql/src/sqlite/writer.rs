//! The one writer: a connection on a thread of its own, jobs in a channel.

use std::{
    sync::mpsc,
    thread::{self, JoinHandle},
};

use plimsoll_store::{StoreError, StoreResult};
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::error::Decide;

/// How much a commit has to survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Durability {
    /// A power cut: the log is synced before the answer.
    Full,
    /// A crash of the process: the log is written, and synced with the next full commit.
    /// For what is written often and replaced soon: partial answers, drafts, estimates.
    Process,
}

/// The connection, and how it commits at present.
pub(super) struct WriterConnection {
    connection: Connection,
    durability: Durability,
}

impl WriterConnection {
    pub(super) fn get(&mut self) -> &mut Connection {
        &mut self.connection
    }

    pub(super) fn set_durability(&mut self, durability: Durability) -> StoreResult<()> {
        if self.durability != durability {
            let synchronous = match durability {
                Durability::Full => "FULL",
                Durability::Process => "NORMAL",
            };
            self.connection.pragma_update(None, "synchronous", synchronous).decided()?;
            self.durability = durability;
        }
        Ok(())
    }
}

type Job = Box<dyn FnOnce(&mut WriterConnection) + Send>;

/// The door to the writer.
pub(super) struct Writer {
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Takes over a connection that commits with full durability.
    pub(super) fn start(connection: Connection) -> StoreResult<Self> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let mut writer = WriterConnection { connection, durability: Durability::Full };
        let thread = thread::Builder::new()
            .name("plimsoll-writer".to_owned())
            .spawn(move || queue.iter().for_each(|job| job(&mut writer)))
            .decided()?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Runs a job after all that were handed over before it. A caller who stops waiting
    /// does not stop the job.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut WriterConnection) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // Nobody may be waiting any more; the work is done all the same.
            let _ = answer.send(job(connection));
        });
        let ended = || StoreError::Failed("its writer has ended".to_owned());
        self.jobs.as_ref().and_then(|jobs| jobs.send(job).ok()).ok_or_else(ended)?;
        answered.await.map_err(|_| ended())?
    }
}

impl Drop for Writer {
    /// Waits for what was handed over, so that a store that was let go is at rest.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
