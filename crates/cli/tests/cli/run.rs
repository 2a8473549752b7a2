//! Running `plimsoll` with an empty configuration.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use plimsoll_domain::Timestamp;
use plimsoll_store::{StoredPair, Workspace};
use serde_json::Value;

use crate::store;

pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.code, 0, "{}", self.stderr);
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }

    /// It failed with this code, said so in one line, and never panicked.
    #[track_caller]
    pub(crate) fn refused(&self, code: i32, said: &str) {
        assert_eq!(self.code, code, "{}", self.stderr);
        assert!(self.stderr.contains(said), "{:?} in {}", said, self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        for line in self.stderr.lines() {
            let known = ["error: ", "note: ", "hint: ", "  "];
            assert!(known.iter().any(|start| line.starts_with(start)), "{}", self.stderr);
        }
    }
}

pub(crate) struct Plimsoll {
    command: Command,
    input: Vec<u8>,
}

/// `plimsoll` with these arguments; nothing of the machine's own settings reaches it.
pub(crate) fn plimsoll<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Plimsoll {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PLIMSOLL_") {
            command.env_remove(name);
        }
    }
    // What belongs to whoever runs the tests is neither read nor written.
    command
        .args(args)
        .env("PLIMSOLL_CONFIG_DIR", "/nonexistent")
        .env("PLIMSOLL_DATA_DIR", "/nonexistent/data")
        .env("PLIMSOLL_TIME_ZONE", "UTC");
    Plimsoll { command, input: Vec::new() }
}

/// Everything that is kept in the usual workspace, oldest first.
pub(crate) fn kept(data: &Path) -> Vec<StoredPair> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = store::open(data, Timestamp::from_millis(0)).await;
        let rows = store.rows(&Workspace::default()).await.unwrap();
        let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
        store.get_many(&ids).await.unwrap()
    })
}

impl Plimsoll {
    pub(crate) fn input(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.input = bytes.as_ref().to_vec();
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn within(mut self, dir: &Path) -> Self {
        self.command.current_dir(dir);
        self
    }

    /// As a user who owns nothing, for whom a directory can be read-only.
    #[cfg(unix)]
    pub(crate) fn for_nobody(mut self) -> Self {
        use std::os::unix::process::CommandExt;
        self.command.uid(65_534).gid(65_534);
        self
    }

    /// Whether it can be started at all.
    pub(crate) fn starts(mut self) -> bool {
        self.command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    }

    /// Starts it without input; whoever gets it waits for it.
    pub(crate) fn start(mut self) -> std::process::Child {
        self.find_the_store();
        self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        self.command.spawn().unwrap()
    }

    /// What belongs to a data directory is in a database, where the tests run on one. A test that
    /// names another place, or none that could be, says so itself.
    fn find_the_store(&mut self) {
        let set = |wanted: &str| {
            let mut all = self.command.get_envs();
            all.find(|(name, value)| *name == wanted && value.is_some())
                .and_then(|(_, value)| value)
        };
        let Some(data) = set("PLIMSOLL_DATA_DIR").map(Path::new) else { return };
        if set("PLIMSOLL_STORE").is_some() || !data.parent().is_some_and(Path::is_dir) {
            return;
        }
        let own = store::variables(data).into_iter();
        let named = set("PLIMSOLL_BLOBS").is_some();
        let own = own.filter(|(name, _)| !named || name == "PLIMSOLL_STORE");
        self.command.envs(own);
    }

    pub(crate) fn run(mut self) -> Ran {
        self.find_the_store();
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = std::mem::take(&mut self.input);
        // A command that does not read its input closes it early.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}
