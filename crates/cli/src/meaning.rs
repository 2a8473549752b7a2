//! Search of the memory by meaning on this machine (MEM-10): the sentence model as the memory
//! wants it, and the thread that gives notes their vectors.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::Duration,
};

use plimsoll_app::{App, Events, Heard, Progress};
use plimsoll_domain::Timestamp;
use plimsoll_embedded::{SENTENCE_MODEL_ID, SentenceError, SentenceModel};
use plimsoll_memory::{EmbedError, Embedder, Meaning, MeaningError, MeaningParts};
use plimsoll_store::Workspace;
use tokio::runtime::{Handle, RuntimeFlavor};

use crate::failure::note;

/// More threads than these do not make a question faster.
const MOST_THREADS: usize = 4;

/// All notes are looked through so often, beside those that are known to have changed: another
/// process may have brought some in.
const LOOK_AROUND: Duration = Duration::from_secs(600);

/// How far back a look at what changed goes behind the last one, for clocks that differ.
const SLACK: i64 = 600_000;

/// How long whoever ends waits for the notes that are being worked on.
const LAST_NOTES: Duration = Duration::from_secs(2);

/// The sentence model behind the memory's trait.
struct Sentences(SentenceModel);

impl Embedder for Sentences {
    fn name(&self) -> &str {
        SENTENCE_MODEL_ID
    }

    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let embed = || self.0.embed(texts).map_err(|error| EmbedError(error.to_string()));
        // It computes for milliseconds, at first for tenths of a second; others go on meanwhile.
        match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
            Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(embed),
            _ => embed(),
        }
    }
}

/// Search by meaning over the app's store; the model must be on the disk.
pub(crate) fn open(app: &App, data_dir: &Path) -> Result<Arc<Meaning>, SentenceError> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = app.settings().threads().unwrap_or(cores.min(MOST_THREADS));
    let model = SentenceModel::new(data_dir, threads)?;
    let behind = model.in_background()?;
    Ok(Arc::new(Meaning::new(MeaningParts {
        store: Arc::clone(app.store()),
        asking: Arc::new(Sentences(model)),
        filling: Arc::new(Sentences(behind)),
    })))
}

/// The same where the settings ask for it. Without the model everything else works, so that
/// this only says what is missing.
pub(crate) fn open_if_wanted(app: &App, data_dir: &Path) -> Option<Arc<Meaning>> {
    if !app.settings().memory_meaning() {
        return None;
    }
    match open(app, data_dir) {
        Ok(meaning) => Some(meaning),
        Err(error) => {
            note(&format!(
                "the memory is searched by words alone: {error}; `plimsoll memory meaning on` \
                 fetches it"
            ));
            None
        }
    }
}

/// A thread that gives notes their vectors while this lives.
pub(crate) struct Filling {
    stopped: Arc<AtomicBool>,
    ended: Receiver<()>,
}

impl Filling {
    /// Begins with all notes of a workspace, then follows what changes. It must be called on a
    /// runtime.
    pub(crate) fn start(
        app: &Arc<App>,
        meaning: Arc<Meaning>,
        workspace: &Workspace,
        data_dir: &Path,
    ) -> Option<Self> {
        let stopped = Arc::new(AtomicBool::new(false));
        let (ends, ended) = mpsc::channel();
        let work = Work {
            meaning,
            workspace: workspace.clone(),
            turn: data_dir.join("filling.lock"),
            clock: Arc::clone(app),
            stopped: Arc::clone(&stopped),
            _ends: ends,
        };
        let (runtime, events) = (Handle::current(), app.events());
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
    /// Who fills holds this file: of several processes one computes at a time.
    turn: PathBuf,
    clock: Arc<App>,
    stopped: Arc<AtomicBool>,
    _ends: Sender<()>,
}

impl Work {
    async fn run(self, mut events: Events) {
        let mut since = Timestamp::from_millis(0);
        let mut said = false;
        while !self.is_stopped() {
            let begun = self.clock.clock().now();
            match self.pass(since).await {
                Ok(()) => {
                    let changed = self.heard_of_change(&mut events).await;
                    let all = Timestamp::from_millis(0);
                    let back = begun.millis().saturating_sub(SLACK);
                    since = if changed { Timestamp::from_millis(back) } else { all };
                }
                Err(error) => {
                    // Words find everything meanwhile, so that once is enough.
                    if !std::mem::replace(&mut said, true) {
                        note(&format!("notes get no vectors for search by meaning: {error}"));
                    }
                    since = Timestamp::from_millis(0);
                    self.heard_of_change(&mut events).await;
                }
            }
        }
    }

    /// Fills what is missing, when no other process does.
    async fn pass(&self, since: Timestamp) -> Result<(), MeaningError> {
        let turn = File::options().create(true).truncate(false).write(true).open(&self.turn);
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

    /// Waits until somebody writes into the memory, and says so; or until it is time to look
    /// through all of it.
    async fn heard_of_change(&self, events: &mut Events) -> bool {
        let mut left = LOOK_AROUND.as_secs();
        while left > 0 && !self.is_stopped() {
            match tokio::time::timeout(Duration::from_secs(1), events.next()).await {
                Ok(Heard::Event(event)) if matches!(event.progress, Progress::Memory) => {
                    // One look is enough for all that was written by now.
                    while events.waiting().is_some() {}
                    return true;
                }
                Ok(Heard::Missed) => return false,
                Ok(Heard::Event(_)) => {}
                Err(_) => left -= 1,
            }
        }
        false
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
