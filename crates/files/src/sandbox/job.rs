//! One run: a place is made, the program runs there under watch, and what it said and
//! wrote is brought out.

use std::{
    collections::HashSet,
    ffi::OsString,
    io,
    path::PathBuf,
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::process::Command;

use super::{
    INSIDE, PYTHON, Sandbox,
    capture::{Captured, HEAD, Meter, capture},
    command::Inside,
    group::Group,
    outputs::{self, Output},
    place::Place,
    rooms::Rooms,
    system,
    watch::{Over, watch},
};

/// How long the walls may take to stand; machines can be very busy.
const START: Duration = Duration::from_secs(30);

const LATE: &str = "it did not stand in time, or /proc does not show its processes";

/// A file that the program may read.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// Its name inside: plain letters, no path.
    pub(crate) name: String,
    /// Where it is outside.
    pub(crate) path: PathBuf,
}

/// Python that is to be run.
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

impl Sandbox {
    /// Runs Python to its end, or to the end of what it may use.
    pub(crate) async fn run(&self, job: Job<'_>) -> io::Result<Outcome> {
        let python = self.python.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let place = Place::make(Some(job.code), job.inputs, self.setpriv.is_some())?;
        let mut seen = vec![(place.code(), "/code/main.py".to_owned())];
        let inputs = job.inputs.iter();
        seen.extend(
            inputs.map(|input| (place.input(&input.name), format!("{INSIDE}/{}", input.name))),
        );
        let mut words = vec![python.clone().into_os_string()];
        words.extend(["-I", "-B", "-u", "/code/main.py"].map(OsString::from));
        let inside =
            Inside { words, seen, environment: Vec::new(), limits: &PYTHON, time: job.time };
        let inputs = job.inputs.iter().map(|input| input.name.clone()).collect();
        self.run_inside(place, inside, inputs, HEAD).await
    }

    /// Runs something to its end. However it ends, no process of it is left: the sandbox
    /// ends with the process that holds it. `inputs` are the names that are no outputs.
    pub(super) async fn run_inside(
        &self,
        place: Place,
        inside: Inside<'_>,
        inputs: HashSet<String>,
        head: usize,
    ) -> io::Result<Outcome> {
        let group = Group::make(&place.name(), inside.limits);
        let words = self.command(&place, group.as_ref(), &inside);
        let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).env_clear().current_dir("/").kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let meter = Arc::new(Meter::default());
        let stdout = tokio::spawn(capture(child.stdout.take(), Arc::clone(&meter), head));
        let stderr = tokio::spawn(capture(child.stderr.take(), Arc::clone(&meter), head));
        let id = child.id().unwrap_or(u32::MAX);
        // It waits for a word, or the end, of this pipe before the program begins.
        let gate = child.stdin.take();
        let mut started = Instant::now();
        let sign = place.name();
        let stands = tokio::select! {
            rooms = Rooms::open(id, &sign) => Ok(Arc::new(rooms)),
            status = child.wait() => Err(Ending::Exited(system::exit_code(status?))),
            () = tokio::time::sleep(START) => Err(Ending::TimedOut),
        };
        let ending = match &stands {
            Ok(rooms) => {
                started = Instant::now();
                drop(gate);
                tokio::select! {
                    status = child.wait() => Ending::Exited(system::exit_code(status?)),
                    () = tokio::time::sleep(inside.time) => Ending::TimedOut,
                    () = meter.too_much.notified() => Ending::TalkedTooMuch,
                    over = watch(id, Arc::clone(rooms), *inside.limits) => Ending::Overdrew(over),
                }
            }
            Err(Ending::TimedOut) => return Err(io::Error::new(io::ErrorKind::TimedOut, LATE)),
            Err(ending) => *ending,
        };
        let took = started.elapsed();
        if !matches!(ending, Ending::Exited(_)) {
            child.kill().await?;
        }
        let starved = matches!(ending, Ending::Exited(code) if code != 0)
            && group.as_ref().is_some_and(Group::ran_out_of_memory);
        let ending = if starved { Ending::Overdrew(Over::Memory) } else { ending };
        // All ends of the pipes are inside, so they close when the last process is gone.
        let (stdout, stderr) = (rest(stdout).await, rest(stderr).await);
        let (mut outputs, mut refused) = (Vec::new(), 0);
        if let Ok(rooms) = stands {
            let (kept, most) = (place.kept(), inside.limits.disk);
            let collect = move || outputs::collect(&rooms.work(), &kept, &inputs, most);
            let collected = tokio::task::spawn_blocking(collect).await;
            (outputs, refused) = collected.map_err(io::Error::other)??;
        }
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
