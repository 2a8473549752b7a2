//! One node: a process of the real binary with a home of its own.

use std::{
    ffi::OsString,
    fs::File,
    net::SocketAddr,
    process::{Child, Command, ExitStatus},
    time::{Duration, Instant},
};

use plimsoll_testkit::scripted::ScriptedServer;

use crate::served;

/// A process that does not end fails a test instead of holding it up.
const NEVER: Duration = Duration::from_secs(60);

pub(crate) struct Node {
    home: tempfile::TempDir,
    environment: Vec<(OsString, OsString)>,
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Node {
    pub(crate) fn start(
        provider: &ScriptedServer,
        settings: &str,
        environment: Vec<(OsString, OsString)>,
    ) -> Self {
        let home = served::furnished(provider, 1_000_000);
        let file = home.path().join("config.toml");
        let usual = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("{settings}{usual}")).unwrap();
        let (child, address) = begin(&home, &environment);
        Self { home, environment, child, address }
    }

    /// Starts it again after its end, at another address.
    pub(crate) fn start_again(&mut self) {
        (self.child, self.address) = begin(&self.home, &self.environment);
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Asks it to end, as a system does.
    pub(crate) fn ask_to_end(&self) {
        self.signal("-TERM");
    }

    pub(crate) fn ended(&mut self) -> ExitStatus {
        let until = Instant::now() + NEVER;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < until, "a node does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Stops it where it is, and lets it go on.
    pub(crate) fn sleep(&self) {
        self.signal("-STOP");
    }

    pub(crate) fn wake(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// What the owner of a send begins with, where it is this run of this node.
    pub(crate) fn owner(&self) -> String {
        format!("{}-", self.child.id())
    }

    /// What it wrote to standard error.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.home.path().join("log")).unwrap_or_default()
    }

    /// Throws away what it has copied of the object store.
    pub(crate) fn forget_copies(&self) {
        let _ = std::fs::remove_dir_all(self.home.path().join("data/copies"));
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
    }
}

fn begin(home: &tempfile::TempDir, environment: &[(OsString, OsString)]) -> (Child, SocketAddr) {
    let log = File::options().create(true).append(true).open(home.path().join("log")).unwrap();
    let mut command = served::command(home.path(), "127.0.0.1:0");
    let all = environment.iter().map(|(name, value)| (name, value));
    let (child, address) = served::begun(command.envs(all).stderr(log));
    (child, address.parse().unwrap())
}
