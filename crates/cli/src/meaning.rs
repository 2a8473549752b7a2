//! Search of the memory by meaning on this machine (MEM-10): the sentence model as the memory
//! wants it, there while the settings ask for it; `filling` gives notes their vectors beside.

mod filling;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

use plimsoll_app::App;
use plimsoll_embedded::{SENTENCE_MODEL_ID, SentenceError, SentenceModel, locate_sentence_model};
use plimsoll_memory::{EmbedError, Embedder, Meaning, MeaningParts, PresentMeaning};
use plimsoll_store::Workspace;
use tokio::runtime::{Handle, RuntimeFlavor};

use self::filling::Filling;
use crate::failure::note;

/// More threads than these do not make a question faster.
const MOST_THREADS: usize = 4;

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

/// The same where the settings ask for it, for a command that asks once. Without the model
/// everything else works, so that this only says what is missing.
pub(crate) fn open_if_wanted(app: &App, data_dir: &Path) -> Option<Arc<Meaning>> {
    if !app.settings().memory_meaning() {
        return None;
    }
    open(app, data_dir).map_err(|error| say_missing(&error)).ok()
}

fn say_missing(error: &SentenceError) {
    note(&format!(
        "the memory is searched by words alone: {error}; `plimsoll memory meaning on` fetches it"
    ));
}

/// Search by meaning for a server, while the settings ask for it and the model is there. It is
/// looked at with each search, so that who switches it off or on need not start again.
pub(crate) struct WhileWanted {
    app: Arc<App>,
    workspace: Workspace,
    data_dir: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: Option<(Arc<Meaning>, Option<Filling>)>,
    /// Whether it was said that the model is missing.
    said: bool,
    ended: bool,
}

impl WhileWanted {
    /// For the notes of a workspace. Where it is wanted, they get their vectors from now on; it
    /// must be called on a runtime.
    pub(crate) fn start(app: &Arc<App>, workspace: &Workspace, data_dir: &Path) -> Arc<Self> {
        let (app, workspace) = (Arc::clone(app), workspace.clone());
        let (data_dir, state) = (data_dir.to_owned(), Mutex::default());
        let it = Arc::new(Self { app, workspace, data_dir, state });
        it.present();
        it
    }

    /// As the memory asks for it.
    pub(crate) fn asked(self: &Arc<Self>) -> PresentMeaning {
        let it = Arc::clone(self);
        Arc::new(move || it.present())
    }

    fn present(&self) -> Option<Arc<Meaning>> {
        let mut state = self.state();
        if state.ended {
            return None;
        }
        let wanted = self.app.settings().memory_meaning();
        // `plimsoll memory meaning off` of another process takes the model away.
        let there = wanted && locate_sentence_model(&self.data_dir).is_ok();
        if !there && let Some(open) = state.open.take() {
            // Its end waits for the notes that are being worked on; nobody else has to.
            thread::spawn(move || drop(open));
        }
        if !wanted {
            state.said = false;
            return None;
        }
        if let Some((meaning, _)) = &state.open {
            return Some(Arc::clone(meaning));
        }
        match open(&self.app, &self.data_dir) {
            Ok(meaning) => {
                let at = (&self.workspace, self.data_dir.as_path());
                let filling = Filling::start(&self.app, Arc::clone(&meaning), at);
                state.open = Some((Arc::clone(&meaning), filling));
                Some(meaning)
            }
            Err(error) => {
                if !std::mem::replace(&mut state.said, true) {
                    say_missing(&error);
                }
                None
            }
        }
    }

    /// Ends the thread behind it, after the notes that are being worked on.
    pub(crate) fn end(&self) {
        let open = {
            let mut state = self.state();
            state.ended = true;
            state.open.take()
        };
        drop(open);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
