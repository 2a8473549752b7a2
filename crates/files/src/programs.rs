//! Other people's programs: where they are, and running one without a shell, with a time
//! limit, a bound on what it says, and none of our environment.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::Command,
};

use crate::sandbox::Sandbox;

/// The variables that a program may see. Keys of providers are not among them.
const ENVIRONMENT: [&str; 9] = [
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "TESSDATA_PREFIX",
    "XDG_CACHE_HOME",
    "SystemRoot",
    "TEMP",
];

/// The directories in which programs are looked for.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    directories: Vec<PathBuf>,
    /// Where they run when they take apart what strangers made.
    sandbox: Option<Sandbox>,
}

impl Programs {
    /// Those of a search path, as in `PATH`. Relative ones are left out: what they name
    /// depends on where Plimsoll was started.
    pub fn in_path(path: &OsStr) -> Self {
        let directories = std::env::split_paths(path).filter(|dir| dir.is_absolute()).collect();
        Self { directories, sandbox: None }
    }

    /// The same, run in a sandbox from now on, those that are seen there: below `/usr`.
    pub fn inside(mut self, sandbox: Sandbox) -> Self {
        self.sandbox = Some(sandbox);
        self
    }

    /// Whether a program runs in a sandbox.
    pub fn is_inside(&self, program: &Path) -> bool {
        self.sandbox.as_ref().is_some_and(|sandbox| sandbox.sees(program).is_some())
    }

    /// The first program with this name.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        self.directories.iter().map(|dir| dir.join(&name)).find(|path| is_program(path))
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// How a program ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// By itself.
    Done { success: bool, stdout: Vec<u8>, stderr: Vec<u8> },
    /// It was ended when its time was up.
    TimedOut,
}

/// A word of a command. Inside a sandbox files have other paths.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word<'a> {
    Text(&'a str),
    /// The path of a file to read.
    Input(&'a Path),
    /// A path to write to: in this directory, with this name.
    Output(&'a Path, &'a str),
}

/// Runs a program that takes apart what strangers made: in the sandbox where there is one
/// (SEC-10), else with bounds on its memory and on what it writes where the system has a
/// program that sets them.
pub(crate) async fn run_bounded(
    programs: &Programs,
    program: &Path,
    words: &[Word<'_>],
    time: Duration,
    bytes: usize,
) -> io::Result<Ended> {
    if let Some(sandbox) = &programs.sandbox
        && let Some(program) = sandbox.sees(program)
    {
        return sandbox.run_program(program, words, time, bytes).await;
    }
    let words: Vec<OsString> = words
        .iter()
        .map(|word| match word {
            Word::Text(text) => OsString::from(text),
            Word::Input(path) => path.into(),
            Word::Output(directory, name) => directory.join(name).into(),
        })
        .collect();
    let arguments: Vec<&OsStr> = words.iter().map(OsString::as_os_str).collect();
    let Some(prlimit) = programs.find("prlimit") else {
        return run(program, &arguments, time, bytes).await;
    };
    let limits = ["--as=3221225472", "--fsize=134217728", "--core=0", "--"].map(OsStr::new);
    let words = [&limits[..], &[program.as_os_str()], &arguments].concat();
    run(&prlimit, &words, time, bytes).await
}

/// Runs a program to its end or to the end of its time. What it says beyond `bytes` is
/// read and forgotten.
pub(crate) async fn run(
    program: &Path,
    arguments: &[&OsStr],
    time: Duration,
    bytes: usize,
) -> io::Result<Ended> {
    let mut command = Command::new(program);
    command.args(arguments).env_clear().kill_on_drop(true);
    command.envs(ENVIRONMENT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    // One thread is enough for a page, and two cores are not all ours.
    command.env("OMP_THREAD_LIMIT", "1");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn()?;
    let group = Group(child.id());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let ending = async {
        let (stdout, stderr, status) =
            tokio::join!(head_of(stdout, bytes), head_of(stderr, bytes), child.wait());
        Ok(Ended::Done { success: status?.success(), stdout, stderr })
    };
    let ended = tokio::time::timeout(time, ending).await.unwrap_or(Ok(Ended::TimedOut));
    if matches!(ended, Ok(Ended::Done { .. })) {
        group.forget();
    }
    ended
}

/// A program and the children it started, ended together when this is dropped.
struct Group(Option<u32>);

impl Group {
    fn forget(mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(id) = self.0.and_then(|id| i32::try_from(id).ok())
            && let Some(group) = rustix::process::Pid::from_raw(id)
        {
            // It may have ended just now; then there is nothing to do.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

/// The head of a stream, which is read to its end.
async fn head_of(stream: Option<impl AsyncRead + Unpin>, bytes: usize) -> Vec<u8> {
    let mut head = Vec::new();
    let Some(mut stream) = stream else { return head };
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        let room = bytes.saturating_sub(head.len());
        head.extend_from_slice(&buffer[..read.min(room)]);
    }
    head
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn shell() -> PathBuf {
        Programs::in_path(OsStr::new("/usr/bin:/bin")).find("sh").unwrap()
    }

    async fn sh(script: &str, time: Duration, bytes: usize) -> Ended {
        run(&shell(), &[OsStr::new("-c"), OsStr::new(script)], time, bytes).await.unwrap()
    }

    #[tokio::test]
    async fn what_is_said_is_bounded_and_keys_are_not_seen() {
        let ended = sh(
            "echo \"${CARGO_MANIFEST_DIR:-no}\"; yes | head -c 100000",
            Duration::from_secs(20),
            10,
        )
        .await;
        let Ended::Done { success, stdout, .. } = ended else { panic!("{ended:?}") };
        assert!(success);
        assert_eq!(stdout, b"no\ny\ny\ny\ny"[..10]);
    }

    #[tokio::test]
    async fn time_ends_a_program_with_its_children() {
        let started = Instant::now();
        let mark = tempfile::tempdir().unwrap();
        let file = mark.path().join("late");
        let script = format!("(sleep 1; touch {}) & sleep 60", file.display());
        assert!(matches!(sh(&script, Duration::from_millis(200), 10).await, Ended::TimedOut));
        assert!(started.elapsed() < Duration::from_secs(5));
        tokio::time::sleep(Duration::from_millis(1300)).await;
        assert!(!file.exists(), "the child lived on");
    }

    #[test]
    fn only_programs_in_absolute_directories_are_found() {
        assert_eq!(Programs::in_path(OsStr::new("bin:.")).find("sh"), None);
        assert_eq!(Programs::default().find("sh"), None);
        assert_eq!(Programs::in_path(OsStr::new("/etc")).find("passwd"), None);
    }
}
