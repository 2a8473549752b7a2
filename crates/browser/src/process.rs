//! The process of a browser: started in a group of its own with a home of its own, and
//! both gone when it is dropped.

#[cfg(unix)]
pub(crate) use unix::start;

use std::process::{Child, ChildStdin, ChildStdout};

use tempfile::TempDir;

/// A running browser.
pub(crate) struct Process {
    child: Child,
    home: Option<TempDir>,
}

impl Process {
    pub(crate) fn new(child: Child, home: TempDir) -> Self {
        Self { child, home: Some(home) }
    }
}

/// A process and the two ends of its pipes.
pub(crate) struct Started {
    pub(crate) process: Process,
    pub(crate) input: ChildStdin,
    pub(crate) output: ChildStdout,
}

#[cfg(unix)]
mod unix {
    use std::{
        fs,
        fs::File,
        io::ErrorKind,
        os::unix::process::CommandExt,
        path::PathBuf,
        process::{Command, Stdio},
        thread,
        time::Duration,
    };

    use rustix::process::{Pid, Signal, geteuid, kill_process_group};

    use super::{Process, Started};
    use crate::{
        Error, Options, Result,
        launch::{arguments, find},
    };

    /// Chromium wants its commands on descriptor 3 and answers on descriptor 4. A shell
    /// can arrange that; in Rust it would take `unsafe`. The shell becomes Chromium.
    const SHELL: &str = "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null";

    /// Starts Chromium.
    pub(crate) fn start(options: &Options) -> Result<Started> {
        let program = find(options)?;
        let failed = |what: &'static str| {
            move |error: std::io::Error| Error::Launch(format!("{what}: {error}"))
        };
        let home = tempfile::Builder::new()
            .prefix("plimsoll-browser-")
            .tempdir()
            .map_err(failed("no temporary directory"))?;
        let profile = home.path().join("profile");
        fs::create_dir(&profile).map_err(failed("no directory for its profile"))?;
        let words = File::create(home.path().join("stderr")).map_err(failed("no file"))?;
        let mut child = Command::new("sh")
            .args(["-c", SHELL])
            .arg(program)
            .args(arguments(options, &profile, geteuid().is_root()))
            // Nothing of the person's own browser is read or written.
            .env("HOME", home.path())
            .envs([("XDG_CONFIG_HOME", home.path()), ("XDG_CACHE_HOME", home.path())])
            .env("TMPDIR", home.path())
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(words)
            .process_group(0)
            .spawn()
            .map_err(failed("sh"))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let process = Process::new(child, home);
        let (Some(input), Some(output)) = (input, output) else {
            return Err(Error::Launch("it has no pipes".to_owned()));
        };
        Ok(Started { process, input, output })
    }

    impl Process {
        /// The last words on its standard error, which say why it does not work.
        pub(crate) fn last_words(&self) -> String {
            let path = self.home.as_ref().map(|home| home.path().join("stderr"));
            let said = path.and_then(|path| fs::read(path).ok()).unwrap_or_default();
            let said = String::from_utf8_lossy(&said);
            let lines: Vec<&str> = said.lines().collect();
            lines[lines.len().saturating_sub(8)..].join("\n")
        }

        /// The directory of all that Chromium writes.
        pub(crate) fn home(&self) -> PathBuf {
            self.home.as_ref().map(|home| home.path().to_owned()).unwrap_or_default()
        }

        /// The id of the process and of its group.
        pub(crate) fn id(&self) -> u32 {
            self.child.id()
        }
    }

    impl Drop for Process {
        fn drop(&mut self) {
            let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
            if let Some(group) = group {
                let _ = kill_process_group(group, Signal::KILL);
            }
            let _ = self.child.wait();
            // A child that is dying may still put a file back into a directory that is
            // just being emptied; once the directory is gone nothing can come back.
            let Some(home) = self.home.take() else { return };
            for _ in 0..500 {
                match fs::remove_dir_all(home.path()) {
                    Err(error) if error.kind() != ErrorKind::NotFound => {
                        thread::sleep(Duration::from_millis(10));
                    }
                    _ => break,
                }
            }
        }
    }
}

#[cfg(not(unix))]
impl Process {
    pub(crate) fn last_words(&self) -> String {
        String::new()
    }

    pub(crate) fn home(&self) -> std::path::PathBuf {
        self.home.as_ref().map(|home| home.path().to_owned()).unwrap_or_default()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

/// Elsewhere there is no shell to arrange the pipes.
#[cfg(not(unix))]
pub(crate) fn start(_: &crate::Options) -> crate::Result<Started> {
    Err(crate::Error::Missing {
        what: "a Unix system",
        how: "browser tests run on Linux and macOS".to_owned(),
    })
}
