//! A place in which a model's Python runs (FTL-6), and programs of others (SEC-10), made by
//! bubblewrap.
//!
//! Inside there is the system's `/usr`, read-only, a working directory and a small `/tmp`,
//! both in memory and with a size: no network, no home, no other process, no privilege, no
//! keys, and no system call that reaches round these walls. Whether such a place can be made
//! is found out by making one; where it cannot, no program of a model runs.

mod capture;
mod command;
mod filter;
mod group;
mod job;
mod others;
mod outputs;
mod place;
mod rooms;
mod system;
mod watch;

use std::{path::PathBuf, time::Duration};

use thiserror::Error;

use crate::programs::{Ended, Programs, Word};

pub(crate) use job::{Ending, Input, Job, Outcome};
pub(crate) use outputs::MOST_FILES;
pub(crate) use watch::Over;

/// What one run may use, all its processes together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    memory: u64,
    /// What the working directory may hold.
    disk: u64,
    file: u64,
    processes: u64,
    /// Processors that may work for it all the time.
    cpu: u64,
}

/// What a model's Python may use.
const PYTHON: Limits =
    Limits { memory: 1 << 30, disk: 64 << 20, file: 64 << 20, processes: 32, cpu: 1 };

/// What programs of others may use: pages and pictures can be large.
const OTHERS: Limits =
    Limits { memory: 3 << 30, disk: 128 << 20, file: 128 << 20, processes: 32, cpu: 2 };

const TMP: u64 = 64 << 20;
const SHARED_MEMORY: u64 = 16 << 20;

/// Where a program finds itself, its inputs, and room for what it writes.
const INSIDE: &str = "/job";

/// Nobody: who runs the program when Plimsoll is run by root.
const NOBODY: u32 = 65_534;

/// Why there is no sandbox, and what would make one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{why}")]
pub struct NoSandbox {
    /// What is missing.
    pub why: String,
    /// What to install or set.
    pub how_to_fix: String,
}

/// A sandbox that was seen to work.
#[derive(Clone, Debug)]
pub struct Sandbox {
    bwrap: PathBuf,
    prlimit: PathBuf,
    /// Gives root away before anything else. Limits on processes do not bind root.
    setpriv: Option<PathBuf>,
    /// Programs of others need none.
    python: Option<PathBuf>,
    /// Whether this bubblewrap can forbid further namespaces inside.
    seals: bool,
    /// Whether system calls are filtered: always, but in a test of the other walls.
    filters: bool,
}

impl Sandbox {
    /// Looks for what a sandbox needs and runs one line of Python in it.
    pub async fn find(programs: &Programs) -> Result<Self, NoSandbox> {
        let mut sandbox = Self::look_for(programs)?;
        if sandbox.python.is_none() {
            return Err(NoSandbox {
                why: "no python3 below /usr was found; one in a home directory is not seen inside"
                    .to_owned(),
                how_to_fix: "apt-get install python3".to_owned(),
            });
        }
        sandbox.try_out().await?;
        Ok(sandbox)
    }

    /// The same for programs of others, which need no Python.
    pub async fn find_for_programs(programs: &Programs) -> Result<Self, NoSandbox> {
        let mut sandbox = Self::look_for(programs)?;
        sandbox.try_out().await?;
        Ok(sandbox)
    }

    fn look_for(programs: &Programs) -> Result<Self, NoSandbox> {
        if !cfg!(target_os = "linux") {
            return Err(NoSandbox {
                why: "sandboxes need Linux (bubblewrap)".to_owned(),
                how_to_fix: "run Plimsoll on Linux".to_owned(),
            });
        }
        if filter::bytes().is_none() {
            return Err(NoSandbox {
                why: "there is no filter of system calls for this kind of processor".to_owned(),
                how_to_fix: "run Plimsoll on x86-64 or on 64-bit ARM".to_owned(),
            });
        }
        let need = |name: &str, package: &str| {
            programs.find(name).ok_or_else(|| NoSandbox {
                why: format!("{name} is not installed"),
                how_to_fix: format!("apt-get install {package}, or your system's like of it"),
            })
        };
        Ok(Self {
            bwrap: need("bwrap", "bubblewrap")?,
            prlimit: need("prlimit", "util-linux")?,
            setpriv: if system::is_root() { Some(need("setpriv", "util-linux")?) } else { None },
            python: python(programs),
            seals: true,
            filters: true,
        })
    }

    /// Makes one, and clears away what killed runs left.
    async fn try_out(&mut self) -> Result<(), NoSandbox> {
        let clear = || {
            place::clear_left(&std::env::temp_dir());
            group::clear_left();
        };
        // Only help: nothing depends on it.
        let _ = tokio::task::spawn_blocking(clear).await;
        let Err(first) = self.probe().await else { return Ok(()) };
        self.seals = false;
        self.probe().await.map_err(|_| first)
    }

    /// Lets a program say one word inside, and looks at what it says.
    async fn probe(&self) -> Result<(), NoSandbox> {
        let failed = |said: &str| NoSandbox {
            why: format!("bubblewrap could not make a sandbox: {said}"),
            how_to_fix: "use bubblewrap 0.7 or newer and allow unprivileged user namespaces \
                         (sysctl kernel.unprivileged_userns_clone=1, or \
                         kernel.apparmor_restrict_unprivileged_userns=0)"
                .to_owned(),
        };
        let time = Duration::from_secs(20);
        let (success, stdout, stderr) = if self.python.is_some() {
            let job = Job { code: "print(1)", inputs: &[], time };
            let outcome = self.run(job).await.map_err(|error| failed(&error.to_string()))?;
            let success = outcome.ending == Ending::Exited(0);
            (success, outcome.stdout.text(), outcome.stderr.text())
        } else {
            let words = [Word::Text("-c"), Word::Text("echo 1")];
            let shell = PathBuf::from("/bin/sh");
            let ended = self.run_program(shell, &words, time, 4096).await;
            match ended.map_err(|error| failed(&error.to_string()))? {
                Ended::Done { success, stdout, stderr } => {
                    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
                    (success, text(stdout), text(stderr))
                }
                Ended::TimedOut => (false, String::new(), String::new()),
            }
        };
        if success && stdout.trim() == "1" {
            return Ok(());
        }
        Err(failed(stderr.lines().last().unwrap_or("it did not say why").trim()))
    }
}

/// A Python that is seen inside: below `/usr`, links followed.
fn python(programs: &Programs) -> Option<PathBuf> {
    let system = ["/usr/bin/python3", "/usr/local/bin/python3"].map(PathBuf::from);
    let found = system.into_iter().chain(programs.find("python3"));
    found.into_iter().filter_map(|path| path.canonicalize().ok()).find(|path| {
        path.starts_with("/usr") && path.is_file() && !path.to_string_lossy().contains(' ')
    })
}

#[cfg(target_os = "linux")]
#[cfg(test)]
#[path = "sandbox_tests.rs"]
mod tests;

#[cfg(target_os = "linux")]
#[cfg(test)]
#[path = "sandbox_reach_tests.rs"]
mod reach_tests;
