//! A place in which a model's Python runs (FTL-6), made by bubblewrap.
//!
//! Inside there is the system's `/usr`, read-only, a working directory, and a small `/tmp`:
//! no network, no home, no other process, no privilege. Whether such a place can be made
//! is found out by making one; where it cannot, nothing runs.

mod capture;
mod job;
mod outputs;
mod system;
mod watch;

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use thiserror::Error;

use crate::programs::Programs;

pub(crate) use job::{Ending, Input, Job, Outcome};
pub(crate) use outputs::MOST_FILES;
pub(crate) use watch::Over;

/// What one program may use.
const MEMORY: u64 = 1 << 30;
const FILE: u64 = 64 << 20;
const TMP: u64 = 64 << 20;
const SHARED_MEMORY: u64 = 16 << 20;
const PROCESSES: u64 = 32;
const OPEN_FILES: u64 = 256;

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
    python: PathBuf,
    /// Whether this bubblewrap can forbid further namespaces inside.
    seals: bool,
}

impl Sandbox {
    /// Looks for what a sandbox needs and runs one line of Python in it.
    pub async fn find(programs: &Programs) -> Result<Self, NoSandbox> {
        if !cfg!(target_os = "linux") {
            return Err(NoSandbox {
                why: "sandboxes need Linux (bubblewrap)".to_owned(),
                how_to_fix: "run Plimsoll on Linux".to_owned(),
            });
        }
        let need = |name: &str, package: &str| {
            programs.find(name).ok_or_else(|| NoSandbox {
                why: format!("{name} is not installed"),
                how_to_fix: format!("apt-get install {package}, or your system's like of it"),
            })
        };
        let mut sandbox = Self {
            bwrap: need("bwrap", "bubblewrap")?,
            prlimit: need("prlimit", "util-linux")?,
            setpriv: if system::is_root() { Some(need("setpriv", "util-linux")?) } else { None },
            python: python(programs).ok_or_else(|| NoSandbox {
                why: "no python3 below /usr was found; one in a home directory is not seen inside"
                    .to_owned(),
                how_to_fix: "apt-get install python3".to_owned(),
            })?,
            seals: true,
        };
        if let Err(first) = sandbox.probe().await {
            sandbox.seals = false;
            if sandbox.probe().await.is_err() {
                return Err(first);
            }
        }
        Ok(sandbox)
    }

    /// Runs one line of Python and looks at what it says.
    async fn probe(&self) -> Result<(), NoSandbox> {
        let job = Job { code: "print(1)", inputs: &[], time: Duration::from_secs(20) };
        let failed = |said: &str| NoSandbox {
            why: format!("bubblewrap could not make a sandbox: {said}"),
            how_to_fix: "use bubblewrap 0.7 or newer and allow unprivileged user namespaces \
                         (sysctl kernel.unprivileged_userns_clone=1, or \
                         kernel.apparmor_restrict_unprivileged_userns=0)"
                .to_owned(),
        };
        let outcome = self.run(job).await.map_err(|error| failed(&error.to_string()))?;
        if outcome.ending == Ending::Exited(0) && outcome.stdout.text().trim() == "1" {
            return Ok(());
        }
        let said = outcome.stderr.text();
        Err(failed(said.lines().last().unwrap_or("it did not say why").trim()))
    }

    /// The whole command: who runs it, what is seen inside, what it may use.
    fn command(&self, place: &job::Place, inputs: &[Input], time: Duration) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        let mut say = |text: &str| words.extend(text.split(' ').map(OsString::from));
        if let Some(setpriv) = &self.setpriv {
            say(&setpriv.to_string_lossy());
            say(&format!("--reuid={NOBODY} --regid={NOBODY} --clear-groups --"));
        }
        say(&self.bwrap.to_string_lossy());
        say(
            "--unshare-all --unshare-user --die-with-parent --new-session --cap-drop ALL --clearenv",
        );
        say(&format!("--uid {NOBODY} --gid {NOBODY} --hostname sandbox"));
        if self.seals {
            say("--disable-userns");
        }
        for (name, value) in ENVIRONMENT {
            say(&format!("--setenv {name} {value}"));
        }
        say("--ro-bind /usr /usr");
        for link in ["bin", "sbin", "lib", "lib32", "lib64"] {
            let path = Path::new("/").join(link);
            match std::fs::read_link(&path) {
                Ok(_) => say(&format!("--symlink usr/{link} /{link}")),
                Err(_) if path.is_dir() => say(&format!("--ro-bind /{link} /{link}")),
                Err(_) => {}
            }
        }
        for path in SYSTEM_FILES {
            say(&format!("--ro-bind-try {path} {path}"));
        }
        say(&format!("--dev /dev --size {SHARED_MEMORY} --tmpfs /dev/shm --remount-ro /dev"));
        say(&format!("--size {TMP} --tmpfs /tmp"));
        let mut bind = |how: &str, from: &Path, to: &str| {
            words.extend([OsString::from(how), from.into(), OsString::from(to)]);
        };
        bind("--bind", &place.work(), INSIDE);
        bind("--ro-bind", &place.code(), "/code/main.py");
        for input in inputs {
            bind("--ro-bind", &place.input(&input.name), &format!("{INSIDE}/{}", input.name));
        }
        let mut say = |text: &str| words.extend(text.split(' ').map(OsString::from));
        // The root of the sandbox is memory; nothing may be put there.
        say(&format!("--remount-ro / --chdir {INSIDE} --"));
        say(&self.prlimit.to_string_lossy());
        say(&format!(
            "--cpu={} --as={MEMORY} --fsize={FILE} --nproc={PROCESSES} --nofile={OPEN_FILES} --core=0 --",
            time.as_secs().max(1)
        ));
        say(&self.python.to_string_lossy());
        say("-I -B -u /code/main.py");
        words
    }
}

const ENVIRONMENT: [(&str, &str); 7] = [
    ("PATH", "/usr/bin:/bin"),
    ("HOME", "/tmp"),
    ("LANG", "C.UTF-8"),
    ("MPLBACKEND", "Agg"),
    ("MPLCONFIGDIR", "/tmp"),
    ("OMP_NUM_THREADS", "2"),
    ("OPENBLAS_NUM_THREADS", "2"),
];

/// What libraries below `/usr` read elsewhere; none of it tells of people. Without its own
/// file Debian's matplotlib refuses to be imported.
const SYSTEM_FILES: [&str; 6] = [
    // Libraries of the system that are chosen by links, and where they are.
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/matplotlibrc",
    "/etc/fonts",
    "/etc/mime.types",
    "/etc/magic",
];

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
