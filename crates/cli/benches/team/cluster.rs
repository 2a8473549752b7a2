//! The processes of a team: the database, the object store, the provider, and nodes.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use plimsoll_testkit::{
    http::{self, Answer, Events},
    postgres::Postgres,
    s3_server::S3Server,
};

use crate::{Outcome, bodies, own_process::OwnProcess, upstream};

/// The project in which all workspaces are.
pub(crate) const PROJECT: &str = "load";

/// PostgreSQL keeps here what it says is kept, unlike in tests, and has some memory.
const OPTIONS: &str = "-c fsync=on -c full_page_writes=on -c shared_buffers=1GB \
    -c maintenance_work_mem=1GB -c max_wal_size=8GB";

pub(crate) struct Cluster {
    pub(crate) postgres: Postgres,
    pub(crate) store: String,
    objects: S3Server,
    _upstream: OwnProcess,
    home: tempfile::TempDir,
    /// Of the one person, who owns the project.
    token: String,
}

/// A node; it ends with this.
pub(crate) struct Node {
    child: Child,
    /// `127.0.0.1:port`
    pub(crate) address: String,
    bearer: String,
    _data: tempfile::TempDir,
}

impl Cluster {
    pub(crate) fn start() -> Outcome<Self> {
        let postgres = Postgres::start(OPTIONS).map_err(|why| why.to_string())?;
        let store = postgres.database();
        let upstream = OwnProcess::start(&[upstream::ASKED])?;
        let home = tempfile::tempdir()?;
        let models = format!(
            "[[model]]\nid = \"{}\"\nprovider = \"openai\"\nbaseUrl = \"http://{}/v1\"\n\
             keyEnv = \"PLIMSOLL_TEST_KEY\"\ncontextWindow = 128000\n",
            bodies::MODEL,
            upstream.address
        );
        std::fs::write(home.path().join("models.toml"), models)?;
        let settings = format!("defaultModel = \"{}\"\nteam = true\n", bodies::MODEL);
        std::fs::write(home.path().join("config.toml"), settings)?;
        let objects = S3Server::start()?;
        let mut cluster =
            Self { postgres, store, objects, _upstream: upstream, home, token: String::new() };
        cluster.run(&["team", "user", "add", "ann", "--admin"])?;
        cluster.token = cluster.run(&["team", "token", "add", "ann"])?.trim().to_owned();
        cluster.run(&["team", "project", "add", PROJECT, "--owner", "ann"])?;
        Ok(cluster)
    }

    /// A command of the administrator; what it printed.
    fn run(&self, args: &[&str]) -> Outcome<String> {
        let ran = self.command(self.home.path()).args(args).output()?;
        if !ran.status.success() {
            return Err(String::from_utf8_lossy(&ran.stderr).into_owned().into());
        }
        Ok(String::from_utf8(ran.stdout)?)
    }

    fn command(&self, data: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PLIMSOLL_") {
                command.env_remove(name);
            }
        }
        command
            .env("PLIMSOLL_CONFIG_DIR", self.home.path())
            .env("PLIMSOLL_DATA_DIR", data)
            .env("PLIMSOLL_STORE", &self.store)
            .env("PLIMSOLL_BLOBS", self.objects.address("team"))
            .envs(self.objects.variables())
            .env("PLIMSOLL_TIME_ZONE", "UTC")
            .env("PLIMSOLL_TEST_KEY", "sk-0123456789abcdef")
            .env("DBUS_SESSION_BUS_ADDRESS", "disabled:");
        command
    }

    /// One more node, in a directory of its own.
    pub(crate) fn node(&self) -> Outcome<Node> {
        let data = tempfile::tempdir()?;
        let mut command = self.command(data.path());
        command.args(["serve", "--addr", "127.0.0.1:0"]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut said = String::new();
        let out = child.stdout.take().ok_or("it has no standard output")?;
        BufReader::new(out).read_line(&mut said)?;
        let address = said.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let address = address.ok_or_else(|| format!("no address in {said:?}"))?.to_owned();
        Ok(Node { child, address, bearer: format!("Bearer {}", self.token), _data: data })
    }

    pub(crate) fn sql(&self, sql: &str) -> Outcome<String> {
        let told = self.postgres.run_sql(&self.store, sql);
        // A statement that fails tells of its exit.
        if told.starts_with("Ok(Output") || told.starts_with("Err(") {
            Err(told.into())
        } else {
            Ok(told)
        }
    }
}

impl Node {
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Asks over a connection of its own; what is refused is an error.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &str) -> Outcome<Answer> {
        let mut headers = vec![("Authorization", self.bearer.as_str())];
        if !body.is_empty() {
            headers.push(("Content-Type", "application/json"));
        }
        let answer = http::request(&self.address, method, path, &headers, body.as_bytes())?;
        if answer.status >= 300 {
            let said = format!("{method} {path}: {} {}", answer.status, answer.body);
            return Err(said.into());
        }
        Ok(answer)
    }

    /// Listens to what happens in a workspace.
    pub(crate) fn events(&self, workspace: usize) -> Outcome<Events> {
        let path = format!("/api/events?workspace={}", name(workspace));
        Ok(Events::listen(&self.address, &path, &[("Authorization", &self.bearer)])?)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The name of a workspace by its number; that of 0 is the one that the others are copies of.
pub(crate) fn name(workspace: usize) -> String {
    format!("{PROJECT}/w{workspace}")
}
