//! The embedded model as a provider.

use std::{
    future::ready,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc::Sender},
};

use plimsoll_provider::{
    AnswerStream, ChatFormat, Encoded, Models, Provider, ProviderFailure, ServedModel, Unsayable,
};
use plimsoll_send::{Message, Request, WireRules};

use crate::{
    engine::Head,
    stream,
    weights::{MODEL_ID, Weights},
    wire,
    worker::{self, Job},
};

/// How the model is run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmbeddedOptions {
    /// Where fetched weights are kept.
    pub data_dir: PathBuf,
    /// A model file of the user's own, which wins.
    pub path: Option<PathBuf>,
    /// Threads to compute with; none means one for each core, at most eight.
    pub threads: Option<usize>,
    /// Where the dice start when a temperature is asked for.
    pub seed: u64,
}

/// The model inside this process (PRV-4).
///
/// Nothing is loaded before the first use, and one answer is computed at a time, on a
/// thread of its own. The weights are looked for at each load, so that they can be
/// fetched while the program runs.
pub struct EmbeddedModel {
    home: Arc<Home>,
    worker: Mutex<Option<Sender<Job>>>,
}

/// What the provider and its thread share.
pub(crate) struct Home {
    pub(crate) options: EmbeddedOptions,
    /// The tokenizer, once it was needed, and the file that it is from.
    head: Mutex<Option<(PathBuf, Arc<Head>)>>,
}

impl Home {
    /// The weights and their tokenizer.
    pub(crate) fn head(&self) -> Result<(PathBuf, Arc<Head>), ProviderFailure> {
        let options = &self.options;
        let weights = Weights::locate(&options.data_dir, options.path.as_deref())
            .map_err(|error| wire::no_model(&error.to_string()))?;
        let mut known = lock(&self.head);
        if let Some((path, head)) = known.as_ref().filter(|(path, _)| path == weights.path()) {
            return Ok((path.clone(), Arc::clone(head)));
        }
        let head =
            Head::load(weights.path()).map_err(|error| wire::no_model(&error.to_string()))?;
        let head = Arc::new(head);
        *known = Some((weights.path().to_owned(), Arc::clone(&head)));
        Ok((weights.path().to_owned(), head))
    }
}

impl EmbeddedModel {
    /// A model that is loaded when it is first asked.
    pub fn new(options: EmbeddedOptions) -> Self {
        let home = Arc::new(Home { options, head: Mutex::new(None) });
        Self { home, worker: Mutex::new(None) }
    }

    /// Starts to load in the background, so that the first answer need not wait. A
    /// failure shows when an answer is asked for.
    pub fn load(&self) {
        self.hand_over(Job::Load);
    }

    /// Gives the memory of the model back, after the answers that are under way.
    pub fn unload(&self) {
        // A thread that was never started has loaded nothing.
        if let Some(worker) = lock(&self.worker).as_ref() {
            let _ = worker.send(Job::Unload);
        }
    }

    /// The tokens of a text, by their numbers; none without weights.
    pub fn tokens(&self, text: &str) -> Option<Vec<u32>> {
        let (_, head) = self.home.head().ok()?;
        head.encode(text).ok()
    }

    /// The exact tokens of a whole request, marks around the messages included; none
    /// without weights.
    pub fn count_prompt(&self, messages: &[Message]) -> Option<u64> {
        let (_, head) = self.home.head().ok()?;
        head.prompt(messages).ok().map(|prompt| prompt.len() as u64)
    }

    /// Hands a job to the thread, which is started when there is none, or none any more.
    fn hand_over(&self, job: Job) {
        let mut worker = lock(&self.worker);
        let job = match worker.as_ref().map(Sender::clone) {
            None => job,
            Some(running) => match running.send(job) {
                Ok(()) => return,
                Err(unsent) => unsent.0,
            },
        };
        match worker::start(Arc::clone(&self.home)) {
            Ok(started) => {
                // The thread that was just started listens.
                let _ = started.send(job);
                *worker = Some(started);
            }
            Err(error) => job.fail(&error.to_string()),
        }
    }
}

impl Provider for EmbeddedModel {
    fn name(&self) -> &str {
        "embedded"
    }

    fn base_url(&self) -> &str {
        "embedded:"
    }

    /// The template takes any roles in any order.
    fn wire_rules(&self) -> WireRules {
        WireRules::OPENAI
    }

    fn encode(&self, request: &Request) -> Encoded {
        Encoded::of_text(wire::body(request))
    }

    fn unsayable(&self, request: &Request) -> Vec<Unsayable> {
        Unsayable::of_words(request)
    }

    fn answer(&self, request: &Request, _: Encoded) -> AnswerStream {
        let (inlet, outlet) = stream::pipe();
        self.hand_over(Job::Answer { request: Box::new(request.clone()), inlet });
        Box::pin(outlet)
    }

    fn models(&self) -> Models {
        let served = self.home.head().map(|(_, head)| {
            let context_window = Some(head.window as u64);
            vec![ServedModel { id: MODEL_ID.to_owned(), context_window }]
        });
        Box::pin(ready(served))
    }

    fn count_tokens(&self, text: &str) -> Option<u64> {
        self.tokens(text).map(|tokens| tokens.len() as u64)
    }

    fn chat_format(&self) -> Option<ChatFormat> {
        let (_, head) = self.home.head().ok()?;
        head.format().ok()
    }
}

/// Nothing that is guarded here can be left half changed, so a poisoned lock is as good.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
