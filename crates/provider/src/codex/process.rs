//! A running Codex: in a group and a directory of its own, and both gone when it is
//! dropped. The program that npm installs is a script around the real one, so the whole
//! group must end, not only the child.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
};

use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    time::{Instant, sleep_until},
};

use super::prompt::Invocation;
use crate::child::program_with;

/// As many bytes are read at once.
const CHUNK: usize = 16 * 1024;
/// As much as is kept of the end of standard error.
const MAX_STDERR: usize = 16 * 1024;

/// What a running Codex did.
pub(super) enum Happened {
    /// It wrote something to its standard output.
    Said(Vec<u8>),
    /// It ended, and all that it said was read.
    Ended,
    TimeIsUp,
}

/// A running Codex.
pub(super) struct Process {
    child: Child,
    /// The group, as long as its id cannot be anybody else's.
    group: Option<u32>,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    prompt: Vec<u8>,
    written: usize,
    said: Box<[u8]>,
    complained: Box<[u8]>,
    /// The end of what it wrote to its standard error.
    pub(super) complaints: Vec<u8>,
    /// How it ended, once it has.
    pub(super) status: Option<ExitStatus>,
    /// Dropped last: nobody is in it any more.
    _place: TempDir,
}

impl Process {
    pub(super) fn start(program: &Path, invocation: Invocation) -> io::Result<Self> {
        let place = tempfile::Builder::new().prefix("plimsoll-codex-").tempdir()?;
        for (name, data) in &invocation.copies {
            fs::write(place.path().join(name), data)?;
        }
        // Codex has a key of its own, which is not ours to keep from it.
        let mut command = Command::from(program_with(program, &["CODEX_API_KEY"]));
        command
            .args(&invocation.arguments)
            .current_dir(place.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        Ok(Self {
            group: child.id(),
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            child,
            prompt: invocation.stdin.into_bytes(),
            written: 0,
            said: vec![0; CHUNK].into_boxed_slice(),
            complained: vec![0; CHUNK].into_boxed_slice(),
            complaints: Vec::new(),
            status: None,
            _place: place,
        })
    }

    /// Waits until something happens. The prompt is written and complaints are read
    /// meanwhile, so that neither side waits for the other.
    pub(super) async fn next(&mut self, deadline: Instant) -> Happened {
        loop {
            let open = self.stdout.is_some() || self.stderr.is_some();
            if self.status.is_some() && !open {
                return Happened::Ended;
            }
            tokio::select! {
                written = write(&mut self.stdin, &self.prompt[self.written..]) => {
                    self.written += written;
                    if written == 0 || self.written == self.prompt.len() {
                        self.stdin = None;
                    }
                }
                read = read(&mut self.stdout, &mut self.said) => match read {
                    0 => self.stdout = None,
                    read => return Happened::Said(self.said[..read].to_vec()),
                },
                read = read(&mut self.stderr, &mut self.complained) => match read {
                    0 => self.stderr = None,
                    read => self.complain(read),
                },
                status = self.child.wait(), if self.status.is_none() => {
                    self.status = Some(status.unwrap_or_default());
                    // Whoever is left of the group would keep the pipes open.
                    self.kill();
                }
                () = sleep_until(deadline) => return Happened::TimeIsUp,
            }
        }
    }

    fn complain(&mut self, read: usize) {
        self.complaints.extend_from_slice(&self.complained[..read]);
        let over = self.complaints.len().saturating_sub(MAX_STDERR);
        self.complaints.drain(..over);
    }

    /// Ends the child and all its children, once: afterwards the id may be anybody's.
    fn kill(&mut self) {
        let Some(group) = self.group.take() else { return };
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            if let Some(group) = i32::try_from(group).ok().and_then(Pid::from_raw) {
                let _ = kill_process_group(group, Signal::KILL);
            }
        }
        #[cfg(not(unix))]
        if self.status.is_none() {
            // There are no groups; `taskkill` follows the children.
            let mut command = program_with("taskkill", &[]);
            command.args(["/T", "/F", "/PID", &group.to_string()]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let _ = command.status();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Writes some of the bytes; a pipe that takes none any more takes zero.
async fn write(stdin: &mut Option<ChildStdin>, bytes: &[u8]) -> usize {
    match stdin {
        Some(stdin) => stdin.write(bytes).await.unwrap_or_default(),
        None => std::future::pending().await,
    }
}

/// Reads some bytes; a pipe that broke is at its end.
async fn read(from: &mut Option<impl AsyncReadExt + Unpin>, into: &mut [u8]) -> usize {
    match from {
        Some(from) => from.read(into).await.unwrap_or_default(),
        None => std::future::pending().await,
    }
}

/// Where a program is: a path as it is, a name along `PATH`. Codex runs in a directory of
/// its own, where a relative path would mean something else.
pub(super) fn find(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return std::path::absolute(program).ok().filter(|path| is_program(path));
    }
    let endings: &[&str] = if cfg!(windows) { &["exe", "cmd"] } else { &[""] };
    let paths = env::var_os("PATH")?;
    env::split_paths(&paths)
        .filter(|directory| directory.is_absolute())
        .flat_map(|directory| {
            endings.iter().map(move |end| directory.join(program.with_extension(end)))
        })
        .find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path)
            .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    {
        path.is_file()
    }
}
