//! The thread that gives notes their vectors.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use plimsoll_app::{App, Events, Heard, Progress};
use plimsoll_domain::Timestamp;
use plimsoll_embedded::locate_sentence_model;
use plimsoll_memory::{Meaning, MeaningError};
use plimsoll_store::{WhatChanged, Workspace};
use tokio::runtime::Handle;

use crate::failure::note;

/// All notes are looked through at least so often, beside those that are known to have changed:
/// what was imported or brought back may be older than any look.
const LOOK_AROUND: Duration = Duration::from_secs(600);

/// So often it is asked whether another process wrote into the store.
const LOOK_OUTSIDE: Duration = Duration::from_secs(5);

/// How far back a look at what changed goes behind the last one, for clocks that differ.
const SLACK: i64 = 600_000;

/// How long whoever ends waits for the notes that are being worked on.
const LAST_NOTES: Duration = Duration::from_secs(2);

/// Looks at all notes.
const ALL: Timestamp = Timestamp::from_millis(0);

/// A thread that gives notes their vectors while this lives.
pub(super) struct Filling {
    stopped: Arc<AtomicBool>,
    ended: Receiver<()>,
}

impl Filling {
    /// Begins with all notes of a workspace, then follows what changes. None where there is no
    /// runtime.
    pub(super) fn start(
        app: &Arc<App>,
        meaning: Arc<Meaning>,
        (workspace, data_dir): (&Workspace, &Path),
    ) -> Option<Self> {
        let runtime = Handle::try_current().ok()?;
        let stopped = Arc::new(AtomicBool::new(false));
        let (ends, ended) = mpsc::channel();
        let work = Work {
            meaning,
            workspace: workspace.clone(),
            data_dir: data_dir.to_owned(),
            app: Arc::clone(app),
            stopped: Arc::clone(&stopped),
            _ends: ends,
        };
        let events = app.events();
        let name = "memory-meaning".to_owned();
        let started =
            thread::Builder::new().name(name).spawn(move || runtime.block_on(work.run(events)));
        started.ok().map(|_| Self { stopped, ended })
    }
}

impl Drop for Filling {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        // The end of the thread is told by its half of the channel going away.
        let _ = self.ended.recv_timeout(LAST_NOTES);
    }
}

struct Work {
    meaning: Arc<Meaning>,
    workspace: Workspace,
    data_dir: PathBuf,
    app: Arc<App>,
    stopped: Arc<AtomicBool>,
    _ends: Sender<()>,
}

impl Work {
    async fn run(self, mut events: Events) {
        let mut since = ALL;
        let (mut all_looked_at, mut seen) = (Instant::now(), None);
        let mut said = false;
        while !self.is_stopped() {
            let begun = self.app.clock().now();
            if since == ALL {
                (all_looked_at, seen) = (Instant::now(), self.newest_change().await);
            }
            let passed = self.pass(since).await;
            let changed_here = self.heard_of_change(&mut events, &mut seen, all_looked_at).await;
            let back = Timestamp::from_millis(begun.millis().saturating_sub(SLACK));
            since = if changed_here && passed.is_ok() { back } else { ALL };
            if let Err(error) = passed
                // Words find everything meanwhile, so that once is enough.
                && !std::mem::replace(&mut said, true)
            {
                note(&format!("notes get no vectors for search by meaning: {error}"));
            }
        }
    }

    /// Fills what is missing, when no other process does and nobody took the model away.
    async fn pass(&self, since: Timestamp) -> Result<(), MeaningError> {
        if locate_sentence_model(&self.data_dir).is_err() {
            return Ok(());
        }
        // Who fills holds this file: of several processes one computes at a time.
        let turn = self.data_dir.join("filling.lock");
        let turn = File::options().create(true).truncate(false).write(true).open(turn);
        // Where there are no locks, two processes do the same work twice and harm nothing.
        while let Ok(file) = &turn
            && let Err(std::fs::TryLockError::WouldBlock) = file.try_lock()
        {
            tokio::time::sleep(Duration::from_secs(1)).await;
            if self.is_stopped() {
                return Ok(());
            }
        }
        self.meaning.fill(&self.workspace, since, &|| !self.is_stopped()).await.map(drop)
    }

    /// Waits until this process writes into the memory, and says so; or until all of it is to be
    /// looked through: another process wrote into the store since that was done, or it is time.
    async fn heard_of_change(
        &self,
        events: &mut Events,
        seen: &mut Option<u64>,
        all_looked_at: Instant,
    ) -> bool {
        let mut asked = Instant::now();
        while all_looked_at.elapsed() < LOOK_AROUND && !self.is_stopped() {
            match tokio::time::timeout(Duration::from_secs(1), events.next()).await {
                Ok(Heard::Event(event)) if matches!(event.progress, Progress::Memory) => {
                    // One look is enough for all that was written by now.
                    while events.waiting().is_some() {}
                    return true;
                }
                Ok(Heard::Missed) => return false,
                Ok(Heard::Event(_)) | Err(_) => {}
            }
            if asked.elapsed() >= LOOK_OUTSIDE {
                asked = Instant::now();
                if self.written_by_others(seen).await {
                    return false;
                }
            }
        }
        false
    }

    /// The number of the newest change of the workspace; none where it cannot be told.
    async fn newest_change(&self) -> Option<u64> {
        self.app.store().newest_change(&self.workspace).await.ok()
    }

    /// Whether another process wrote into the memory behind a change.
    async fn written_by_others(&self, after: &mut Option<u64>) -> bool {
        let Some(number) = *after else { return true };
        match self.app.store().changes_after(&self.workspace, number).await {
            Ok(Some(changes)) => {
                *after = changes.last().map(|change| change.number).or(*after);
                changes.iter().any(|change| !change.ours && change.what == WhatChanged::Memory)
            }
            // There is too much to tell, so that all of it is looked through.
            Ok(None) => true,
            Err(_) => false,
        }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
