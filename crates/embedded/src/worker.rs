//! The thread that computes.

use std::{
    io,
    path::PathBuf,
    sync::{
        Arc,
        mpsc::{self, Receiver, Sender},
    },
    thread,
};

use plimsoll_provider::{Delta, ProviderFailure};
use plimsoll_send::Request;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    engine::{AnswerError, Engine},
    llama::StepError,
    model::Home,
    stream::Inlet,
    wire,
};

/// More threads than this wait for each other more than they compute.
const MOST_THREADS: usize = 8;

/// What the thread is asked to do, in order.
pub(crate) enum Job {
    Load,
    Unload,
    Answer { request: Box<Request>, inlet: Inlet },
}

impl Job {
    /// Ends a job that cannot be begun.
    pub(crate) fn fail(self, reason: &str) {
        if let Self::Answer { inlet, .. } = self {
            inlet.send(Err(wire::broken(reason)));
        }
    }
}

/// Starts the thread. It ends when nobody can give it a job any more.
pub(crate) fn start(home: Arc<Home>) -> io::Result<Sender<Job>> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = home.options.threads.unwrap_or(cores.min(MOST_THREADS)).max(1);
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|number| format!("embedded-{number}"))
        .build()
        .map_err(io::Error::other)?;
    let (sender, jobs) = mpsc::channel();
    let worker = Worker { home, pool, engine: None };
    thread::Builder::new().name("embedded".to_owned()).spawn(move || worker.run(&jobs))?;
    Ok(sender)
}

struct Worker {
    home: Arc<Home>,
    pool: ThreadPool,
    engine: Option<(PathBuf, Engine)>,
}

impl Worker {
    fn run(mut self, jobs: &Receiver<Job>) {
        for job in jobs {
            match job {
                // Whoever asks for an answer later is told what is wrong.
                Job::Load => drop(self.engine(|| ())),
                Job::Unload => self.engine = None,
                Job::Answer { request, inlet } => self.answer(&request, &inlet),
            }
        }
    }

    fn answer(&mut self, request: &Request, inlet: &Inlet) {
        if inlet.unwanted() {
            return;
        }
        let seed = self.home.options.seed;
        let pool = match self.engine(|| inlet.send(Ok(Delta::Loading))) {
            Ok(()) => &self.pool,
            Err(failure) => return inlet.send(Err(failure)),
        };
        let Some((_, engine)) = &mut self.engine else { return };
        let stop = || inlet.unwanted();
        let mut give = |delta| inlet.send(Ok(delta));
        let failure = match pool.install(|| engine.answer(request, seed, &stop, &mut give)) {
            Ok(()) | Err(AnswerError::Step(StepError::Stopped)) => return,
            Err(AnswerError::Overflow { window, prompt, output }) => {
                wire::overflow(window, prompt, output)
            }
            Err(error) => wire::broken(&error.to_string()),
        };
        inlet.send(Err(failure));
    }

    /// Sees to it that the model is loaded; `loading` is called if that takes time.
    fn engine(&mut self, loading: impl FnOnce()) -> Result<(), ProviderFailure> {
        let (path, head) = self.home.head()?;
        if self.engine.as_ref().is_some_and(|(loaded, _)| *loaded == path) {
            return Ok(());
        }
        loading();
        self.engine = None;
        let engine = self.pool.install(|| Engine::load(&path, head));
        let engine = engine.map_err(|error| wire::no_model(&error.to_string()))?;
        self.engine = Some((path, engine));
        Ok(())
    }
}
