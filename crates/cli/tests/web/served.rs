//! A workbench that is served by the real binary, with a scripted provider behind it.

use std::{
    ffi::OsString,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use plimsoll_testkit::{
    http::{self, Answer, Events},
    scripted::ScriptedServer,
};
use serde_json::Value;

#[path = "store.rs"]
pub(crate) mod store;

/// Any free port of this machine.
const ANYWHERE: &str = "127.0.0.1:0";

/// A served workbench in a home of its own; it ends with this.
pub(crate) struct Served {
    child: Child,
    /// `127.0.0.1:port`
    pub(crate) address: String,
    home: tempfile::TempDir,
    /// What its processes have in their environment besides.
    env: Vec<(OsString, OsString)>,
}

impl Served {
    /// Serves with one model, `test`, that the scripted server answers for.
    pub(crate) fn start(server: &ScriptedServer, window: u64) -> Self {
        Self::start_with(server, window, |_| {})
    }

    /// The same, after the home was prepared.
    pub(crate) fn start_with(
        server: &ScriptedServer,
        window: u64,
        prepare: impl FnOnce(&Path),
    ) -> Self {
        Self::start_in(server, window, Vec::new(), prepare)
    }

    /// The same with more in the environment, also of other nodes and after a restart.
    pub(crate) fn start_in(
        server: &ScriptedServer,
        window: u64,
        env: Vec<(OsString, OsString)>,
        prepare: impl FnOnce(&Path),
    ) -> Self {
        let home = tempfile::tempdir().unwrap();
        let models = format!(
            "[[model]]\nid = \"test\"\nprovider = \"openai\"\nbaseUrl = \"{}\"\n\
             keyEnv = \"PLIMSOLL_TEST_KEY\"\ncontextWindow = {window}\n",
            server.base_url()
        );
        std::fs::write(home.path().join("models.toml"), models).unwrap();
        std::fs::write(
            home.path().join("config.toml"),
            "defaultModel = \"test\"\nscope = \"everything\"\n",
        )
        .unwrap();
        prepare(home.path());
        let (child, address) = serve(home.path(), ANYWHERE, env.clone());
        Self { child, address, home, env }
    }

    /// The same with more in its environment.
    pub(crate) fn start_watched(
        server: &ScriptedServer,
        window: u64,
        more: impl FnOnce(&Path) -> Vec<(OsString, OsString)>,
    ) -> Self {
        let mut served = Self::start(server, window);
        served.stop();
        std::fs::remove_dir_all(served.home.path().join("data")).unwrap();
        let more = more(served.home.path());
        (served.child, served.address) = serve(served.home.path(), ANYWHERE, more);
        served
    }

    /// The same, to other machines too: who comes has the token `open-sesame-and-more`.
    pub(crate) fn start_shared(
        server: &ScriptedServer,
        window: u64,
        prepare: impl FnOnce(&Path),
    ) -> Self {
        let mut served = Self::start_with(server, window, prepare);
        served.stop();
        let token = ("PLIMSOLL_TOKEN".into(), "open-sesame-and-more".into());
        let (child, address) = serve(served.home.path(), "0.0.0.0:0", vec![token]);
        (served.child, served.address) = (child, address.replace("0.0.0.0", "127.0.0.1"));
        served
    }

    /// Serves a home that is there.
    pub(crate) fn at_home(home: tempfile::TempDir) -> Self {
        let (child, address) = serve(home.path(), ANYWHERE, Vec::new());
        Self { child, address, home, env: Vec::new() }
    }

    /// Another process on the same data, as another node: it ends with what is returned.
    pub(crate) fn another_node(&self) -> Node {
        let (child, address) = serve(self.home.path(), ANYWHERE, self.env.clone());
        Node { child, address }
    }

    /// The home directory: configuration, and data below it.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// The process, for those who look at it from outside.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills the process and serves the same home again.
    pub(crate) fn restart(&mut self) {
        self.stop();
        (self.child, self.address) = serve(self.home.path(), ANYWHERE, self.env.clone());
    }

    /// The same with something else in the environment.
    pub(crate) fn restart_in(&mut self, env: Vec<(OsString, OsString)>) {
        self.env = env;
        self.restart();
    }

    /// The same, with more in its environment from now on.
    pub(crate) fn restart_with(&mut self, more: &[(&str, &str)]) {
        self.stop();
        self.env = more.iter().map(|(name, value)| (name.into(), value.into())).collect();
        (self.child, self.address) = serve(self.home.path(), ANYWHERE, self.env.clone());
    }

    /// Kills the process.
    pub(crate) fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Serves the same home again, at the same address.
    pub(crate) fn start_again(&mut self) {
        (self.child, self.address) = serve(self.home.path(), &self.address, self.env.clone());
    }

    pub(crate) fn ask(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        let text = body.map(|body| body.to_string()).unwrap_or_default();
        let json: &[(&str, &str)] =
            if text.is_empty() { &[] } else { &[("Content-Type", "application/json")] };
        http::request(&self.address, method, path, json, text.as_bytes()).unwrap()
    }

    #[track_caller]
    pub(crate) fn json(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        let answer = self.ask(method, path, body);
        assert!(answer.status < 300, "{method} {path}: {} {}", answer.status, answer.body);
        if answer.body.is_empty() {
            Value::Null
        } else {
            serde_json::from_str(&answer.body).unwrap()
        }
    }

    /// A problem, with its status and code.
    #[track_caller]
    pub(crate) fn refused(
        &self,
        method: &str,
        path: &str,
        body: Option<Value>,
        status: u16,
        code: &str,
    ) -> Value {
        let answer = self.ask(method, path, body);
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.body);
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
        let problem: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(problem["code"], code, "{problem}");
        problem
    }

    pub(crate) fn events(&self) -> Events {
        Events::listen(&self.address, "/api/events", &[]).unwrap()
    }

    /// Sends a message and waits for its end; gives the pair.
    pub(crate) fn send(&self, text: &str) -> Value {
        let mut events = self.events();
        let begun = self.json("POST", "/api/send", Some(serde_json::json!({ "text": text })));
        let path = format!("/api/pairs/{}", begun["pair"].as_str().unwrap());
        // Who cannot follow is told to read again, and does.
        while !matches!(events.next_event().unwrap().name.as_str(), "ended" | "reset") {}
        loop {
            let pair = self.json("GET", &path, None);
            if pair["lifecycleState"] != "sending" {
                return pair;
            }
            std::thread::yield_now();
        }
    }
}

/// A further process that serves the same home.
pub(crate) struct Node {
    child: Child,
    pub(crate) address: String,
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop();
    }
}

fn serve(home: &Path, at: &str, more: Vec<(OsString, OsString)>) -> (Child, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PLIMSOLL_") {
            command.env_remove(name);
        }
    }
    // Where a test makes a project, the server works in it.
    if home.join("project").is_dir() {
        command.current_dir(home.join("project"));
    }
    let mut child = command
        .args(["serve", "--addr", at])
        .env("PLIMSOLL_CONFIG_DIR", home)
        .env("PLIMSOLL_DATA_DIR", home.join("data"))
        .envs(store::variables(&home.join("data")))
        .env("PLIMSOLL_TIME_ZONE", "UTC")
        // The keyring of whoever runs the tests is not for them.
        .env("DBUS_SESSION_BUS_ADDRESS", "disabled:")
        .env("PLIMSOLL_TEST_KEY", "sk-canary-0123456789abcdef")
        .envs(more)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
    let address = said.split("http://").nth(1).and_then(|rest| rest.split('/').next());
    let address = address.unwrap_or_else(|| panic!("no address in {said:?}")).to_owned();
    (child, address)
}
