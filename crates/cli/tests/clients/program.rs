//! Programs of other people in an environment of their own.

use std::{
    ffi::OsStr,
    fs::File,
    io::{Read, Seek},
    os::unix::{fs::FileExt, process::CommandExt},
    path::Path,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use plimsoll_testkit::{python::Unavailable, real::skipped};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

/// Nothing here takes a minute; a program that hangs must end some day.
const TIMEOUT: Duration = Duration::from_secs(600);

/// Nobody listens there, so whatever a program asks of the world fails at once.
const NOWHERE: &str = "http://127.0.0.1:9";

/// What the tests keep below the target directory from run to run.
pub(crate) fn cache() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// What was fetched, or a loud word about why it was not.
pub(crate) fn fetched<T>(what: &str, found: Result<T, Unavailable>) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(why) => {
            skipped(&format!("this test needs {what}: {why}"));
            None
        }
    }
}

/// Homes for one run of a client: its settings, and the directory that it works in.
pub(crate) struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("home")).unwrap();
        std::fs::create_dir_all(dir.path().join("work")).unwrap();
        Self { dir }
    }

    pub(crate) fn home(&self) -> std::path::PathBuf {
        self.dir.path().join("home")
    }

    pub(crate) fn work(&self) -> std::path::PathBuf {
        self.dir.path().join("work")
    }

    /// A command that knows nothing of whoever runs the tests and reaches nothing but this
    /// machine.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.home()).env("LANG", "C.UTF-8").current_dir(self.work());
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
            command.env(name, NOWHERE);
        }
        for name in ["NO_PROXY", "no_proxy"] {
            command.env(name, "127.0.0.1,localhost");
        }
        command
    }
}

/// What a program left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// The lines of standard output that are JSON.
    pub(crate) fn events(&self) -> Vec<Value> {
        events_of(&self.stdout)
    }
}

pub(crate) fn events_of(printed: &str) -> Vec<Value> {
    printed.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Runs a program to its end, and ends whatever it left running.
pub(crate) fn run(command: &mut Command) -> Ran {
    run_until(command, |_| false)
}

/// The same, to its end or until it has printed enough.
pub(crate) fn run_until(command: &mut Command, is_enough: impl Fn(&str) -> bool) -> Ran {
    const LOOK: Duration = Duration::from_millis(200);
    // Files and no pipes: a pipe ends only with the last child that holds it.
    let (mut stdout, mut stderr) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
    command.stdin(Stdio::null()).process_group(0);
    command.stdout(stdout.try_clone().unwrap()).stderr(stderr.try_clone().unwrap());
    let mut child = command.spawn().unwrap();
    let group = Pid::from_child(&child);
    let (tell, told) = mpsc::channel();
    thread::spawn(move || tell.send(child.wait()));
    let started = Instant::now();
    let mut ended = told.recv_timeout(LOOK);
    while ended.is_err() && started.elapsed() < TIMEOUT && !is_enough(&so_far(&stdout)) {
        ended = told.recv_timeout(LOOK);
    }
    let _ = kill_process_group(group, Signal::KILL);
    let enough = is_enough(&so_far(&stdout));
    let ended =
        ended.or_else(|late| if enough { told.recv().map_err(|_| late) } else { Err(late) });
    let (stdout, stderr) = (text(&mut stdout), text(&mut stderr));
    let Ok(status) = ended else { panic!("{command:?} hangs:\n{stdout}\n{stderr}") };
    Ran { code: status.unwrap().code(), stdout, stderr }
}

/// What was printed up to now. The place where the program writes stays where it is.
fn so_far(file: &File) -> String {
    let mut bytes = vec![0; usize::try_from(file.metadata().unwrap().len()).unwrap()];
    let read = file.read_at(&mut bytes, 0).unwrap();
    String::from_utf8_lossy(&bytes[..read]).into_owned()
}

fn text(file: &mut File) -> String {
    let mut bytes = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}
