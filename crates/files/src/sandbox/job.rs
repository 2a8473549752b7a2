//! One run: a place is made, the program runs there under watch, and what it said and
//! wrote is brought out.

use std::{
    collections::HashSet,
    fs, io,
    path::PathBuf,
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};

use tempfile::TempDir;
use tokio::process::Command;

use super::{
    NOBODY, Sandbox,
    capture::{Captured, Meter, capture},
    outputs::{self, Output},
    system,
    watch::{Over, watch},
};

/// A file that the program may read.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// Its name inside: plain letters, no path.
    pub(crate) name: String,
    /// Where it is outside.
    pub(crate) path: PathBuf,
}

/// What is to be run.
pub(crate) struct Job<'a> {
    pub(crate) code: &'a str,
    pub(crate) inputs: &'a [Input],
    pub(crate) time: Duration,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// By itself, with this code; above 128 by the signal above that.
    Exited(i32),
    /// Its time was up.
    TimedOut,
    /// It said too much.
    TalkedTooMuch,
    /// It took too much.
    Overdrew(Over),
}

/// What came of it.
pub(crate) struct Outcome {
    pub(crate) ending: Ending,
    pub(crate) took: Duration,
    pub(crate) stdout: Captured,
    pub(crate) stderr: Captured,
    /// The files that it wrote. They live as long as the outcome.
    pub(crate) outputs: Vec<Output>,
    /// How many things it wrote that are not kept.
    pub(crate) refused: usize,
    _place: Place,
}

/// The directories of one run.
pub(super) struct Place {
    root: TempDir,
}

impl Place {
    fn make(job: &Job<'_>, nobody: bool) -> io::Result<Self> {
        let place = Self { root: tempfile::Builder::new().prefix("plimsoll-run-").tempdir()? };
        for directory in [place.work(), place.inputs(), place.kept()] {
            fs::create_dir(directory)?;
        }
        fs::write(place.code(), job.code)?;
        for input in job.inputs {
            fs::copy(&input.path, place.input(&input.name))?;
            system::set_mode(&place.input(&input.name), 0o444)?;
        }
        system::set_mode(&place.code(), 0o444)?;
        if nobody {
            system::set_mode(place.root.path(), 0o711)?;
            system::set_mode(&place.kept(), 0o700)?;
            system::set_mode(&place.inputs(), 0o711)?;
            system::give_to(&place.work(), NOBODY)?;
        }
        Ok(place)
    }

    /// What the program sees as its working directory.
    pub(super) fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    pub(super) fn code(&self) -> PathBuf {
        self.root.path().join("main.py")
    }

    fn inputs(&self) -> PathBuf {
        self.root.path().join("in")
    }

    pub(super) fn input(&self, name: &str) -> PathBuf {
        self.inputs().join(name)
    }

    /// Where our copies of what it wrote are.
    fn kept(&self) -> PathBuf {
        self.root.path().join("kept")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        outputs::unlock(&self.work());
    }
}

impl Sandbox {
    /// Runs a job to its end, or to the end of what it may use. However it ends, no
    /// process of it is left: the sandbox ends with the process that holds it.
    pub(crate) async fn run(&self, job: Job<'_>) -> io::Result<Outcome> {
        let place = Place::make(&job, self.setpriv.is_some())?;
        let words = self.command(&place, job.inputs, job.time);
        let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).env_clear().current_dir("/").kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = command.spawn()?;
        let meter = Arc::new(Meter::default());
        let stdout = tokio::spawn(capture(child.stdout.take(), Arc::clone(&meter)));
        let stderr = tokio::spawn(capture(child.stderr.take(), Arc::clone(&meter)));
        let id = child.id().unwrap_or(u32::MAX);
        let ending = tokio::select! {
            status = child.wait() => Ending::Exited(system::exit_code(status?)),
            () = tokio::time::sleep(job.time) => Ending::TimedOut,
            () = meter.too_much.notified() => Ending::TalkedTooMuch,
            over = watch(id, place.work()) => Ending::Overdrew(over),
        };
        let took = started.elapsed();
        if !matches!(ending, Ending::Exited(_)) {
            child.kill().await?;
        }
        // All ends of the pipes are inside, so they close when the last process is gone.
        let (stdout, stderr) = (rest(stdout).await, rest(stderr).await);
        let inputs: HashSet<String> = job.inputs.iter().map(|input| input.name.clone()).collect();
        let (work, kept) = (place.work(), place.kept());
        let collected =
            tokio::task::spawn_blocking(move || outputs::collect(&work, &kept, &inputs)).await;
        let (outputs, refused) = collected.map_err(io::Error::other)??;
        Ok(Outcome { ending, took, stdout, stderr, outputs, refused, _place: place })
    }
}

/// What was captured, once the stream has ended.
async fn rest(task: tokio::task::JoinHandle<Captured>) -> Captured {
    match tokio::time::timeout(Duration::from_secs(5), task).await {
        Ok(Ok(captured)) => captured,
        _ => Captured::default(),
    }
}
