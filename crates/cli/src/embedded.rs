//! The model inside, and getting its weights with a bar on the terminal.

use std::{
    io::{self, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use indicatif::{ProgressBar, ProgressStyle};
use plimsoll_app::NoProvider;
use plimsoll_embedded::{
    Downloader, EmbeddedModel, EmbeddedOptions, OnProgress, Stage, Weights, fetch,
};
use plimsoll_provider::{Download, Provider, Timeouts};

/// Where the weights were first published, and the variable that names another place
/// with the same files, as Hugging Face's own tools have it.
const HUGGING_FACE: &str = "https://huggingface.co";
const MIRROR: &str = "HF_ENDPOINT";

pub(crate) struct Embedded {
    data_dir: PathBuf,
    timeouts: Timeouts,
    /// Threads to compute with; none means by the cores.
    threads: Option<usize>,
    model: Mutex<Option<Arc<EmbeddedModel>>>,
}

impl Embedded {
    pub(crate) fn new(data_dir: &Path, timeouts: Timeouts, threads: Option<usize>) -> Self {
        Self { data_dir: data_dir.to_owned(), timeouts, threads, model: Mutex::new(None) }
    }

    /// The model, once its weights are there; they are fetched on first use.
    pub(crate) fn provider(&self) -> Result<Arc<dyn Provider>, NoProvider> {
        let mut model = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = &*model {
            return Ok(Arc::clone(model) as Arc<dyn Provider>);
        }
        if Weights::locate(&self.data_dir, None).is_err() {
            self.fetch()?;
        }
        let options = EmbeddedOptions {
            data_dir: self.data_dir.clone(),
            threads: self.threads,
            ..Default::default()
        };
        let loaded = Arc::new(EmbeddedModel::new(options));
        loaded.load();
        *model = Some(Arc::clone(&loaded));
        Ok(loaded)
    }

    /// The model, if it was asked for before.
    pub(crate) fn loaded(&self) -> Option<Arc<dyn Provider>> {
        let model = self.model.try_lock().ok()?;
        model.as_ref().map(|model| Arc::clone(model) as Arc<dyn Provider>)
    }

    /// Whether the weights are on the disk.
    pub(crate) fn is_there(data_dir: &Path) -> bool {
        Weights::locate(data_dir, None).is_ok()
    }

    fn fetch(&self) -> Result<(), NoProvider> {
        let fetched = with_bar(self.timeouts, |web, told| fetch(&self.data_dir, Some(web), told));
        fetched.map(|_| ()).map_err(|error| NoProvider {
            message: error.to_string(),
            hint: "another model works without it, such as -m gpt-4o with OPENAI_API_KEY"
                .to_owned(),
        })
    }
}

/// Fetches a model with a bar on the terminal.
pub(crate) fn with_bar<T>(
    timeouts: Timeouts,
    fetch: impl FnOnce(&dyn Downloader, OnProgress<'_>) -> T,
) -> T {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {bytes} of {total_bytes}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(0).with_style(style);
    let mut told = |progress: plimsoll_embedded::Progress| {
        bar.set_length(progress.total);
        bar.set_position(progress.done);
        bar.set_message(match progress.stage {
            Stage::Waiting => "another process fetches the model",
            Stage::Downloading => "fetching the model",
            Stage::Unpacking => "unpacking the model",
            Stage::Checking => "checking the model",
        });
        ControlFlow::Continue(())
    };
    let fetched = fetch(&Web { timeouts }, &mut told);
    bar.finish_and_clear();
    fetched
}

/// The web, as the second way to the weights.
struct Web {
    timeouts: Timeouts,
}

impl Downloader for Web {
    fn download(
        &self,
        url: &str,
        to: &mut dyn Write,
        told: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let mirror = std::env::var(MIRROR).ok().filter(|mirror| !mirror.trim().is_empty());
        let url = match (mirror, url.strip_prefix(HUGGING_FACE)) {
            (Some(mirror), Some(path)) => format!("{}{path}", mirror.trim().trim_end_matches('/')),
            _ => url.to_owned(),
        };
        let download = Download::new(&url, self.timeouts).map_err(io::Error::other)?;
        let mut done = 0;
        let mut take = |bytes: &[u8]| {
            to.write_all(bytes)?;
            done += bytes.len() as u64;
            match told(done) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(io::ErrorKind::Interrupted.into()),
            }
        };
        tokio::runtime::Handle::current().block_on(download.run(&mut take))
    }
}
