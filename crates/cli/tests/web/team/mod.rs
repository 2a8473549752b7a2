//! A server that several people use (TEA-9, TEA-10, TEA-11).

mod alone;
mod keys;
mod leaving;
mod openid;
mod openid_refused;
mod others_ids;
mod signing_in;
mod using;
mod walk;

use std::{
    collections::HashMap,
    ffi::OsString,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use plimsoll_testkit::{
    http::{self, Answer, Events},
    scripted::{Reply, ScriptedServer},
};
use serde_json::Value;

use crate::served::Served;

/// `ada` looks after the team and has no role; `olga`, `mia` and `vic` are owner, member and viewer
/// of the project `sea`; `eve` owns another one, `land`.
pub(super) const PEOPLE: [&str; 5] = ["ada", "olga", "mia", "vic", "eve"];

/// A word that stands in all that the owner of `sea` writes there.
pub(super) const CANARY: &str = "barnacle";

pub(super) struct Team {
    pub(super) served: Served,
    pub(super) tokens: HashMap<&'static str, String>,
    pub(super) provider: ScriptedServer,
}

/// Runs `plimsoll` beside the store of a home.
pub(super) fn plimsoll(home: &Path, args: &[&str]) -> (i32, String, String) {
    plimsoll_in(home, &[], "", args)
}

/// The same with more in its environment, and something on its standard input.
pub(super) fn plimsoll_in(
    home: &Path,
    env: &[(&str, &str)],
    input: &str,
    args: &[&str],
) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PLIMSOLL_") {
            command.env_remove(name);
        }
    }
    let mut child = command
        .args(args)
        .env("PLIMSOLL_CONFIG_DIR", home)
        .env("PLIMSOLL_DATA_DIR", home.join("data"))
        .envs(crate::served::store::variables(&home.join("data")))
        .env("PLIMSOLL_TIME_ZONE", "UTC")
        .env("DBUS_SESSION_BUS_ADDRESS", "disabled:")
        .envs(env.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Who reads nothing has gone by then.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let ran = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (ran.status.code().unwrap(), text(ran.stdout), text(ran.stderr))
}

#[track_caller]
pub(super) fn done(home: &Path, args: &[&str]) -> String {
    let (code, stdout, stderr) = plimsoll(home, args);
    assert_eq!(code, 0, "{args:?}: {stderr}");
    stdout
}

impl Team {
    pub(super) fn start() -> Self {
        Self::start_with("")
    }

    /// The same with more in the settings.
    pub(super) fn start_with(settings: &str) -> Self {
        let replies = (0..200).map(|_| Reply::openai(&["an answer"], 14, 6));
        let provider = ScriptedServer::chats(replies).unwrap();
        Self::start_at(provider, settings, Vec::new())
    }

    /// The same with another provider, and more in the environment of its nodes.
    pub(super) fn start_at(
        provider: ScriptedServer,
        settings: &str,
        env: Vec<(OsString, OsString)>,
    ) -> Self {
        let mut tokens = HashMap::new();
        let served = Served::start_in(&provider, 4096, env, |home| {
            let path = home.join("config.toml");
            let kept = std::fs::read_to_string(&path).unwrap();
            std::fs::write(&path, format!("team = true\n{settings}\n{kept}")).unwrap();
            for name in PEOPLE {
                let admin: &[&str] = if name == "ada" { &["--admin"] } else { &[] };
                done(home, &[&["team", "user", "add", name], admin].concat());
                let token = done(home, &["team", "token", "add", name]);
                tokens.insert(name, token.trim().to_owned());
            }
            done(home, &["team", "project", "add", "sea", "--owner", "olga"]);
            done(home, &["team", "project", "add", "land", "--owner", "eve"]);
            done(home, &["team", "role", "set", "sea", "mia", "member"]);
            done(home, &["team", "role", "set", "sea", "vic", "viewer"]);
        });
        Self { served, tokens, provider }
    }

    /// Asks as somebody; nobody for a blank name.
    pub(super) fn ask(&self, who: &str, method: &str, path: &str, body: Option<Value>) -> Answer {
        self.ask_at(&self.served.address, who, method, path, body)
    }

    /// The same at another node.
    pub(super) fn ask_at(
        &self,
        node: &str,
        who: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Answer {
        let text = body.map(|body| body.to_string()).unwrap_or_default();
        let bearer = self.tokens.get(who).map(|token| format!("Bearer {token}"));
        let mut headers: Vec<(&str, &str)> = Vec::new();
        if let Some(bearer) = &bearer {
            headers.push(("Authorization", bearer));
        }
        if !text.is_empty() {
            headers.push(("Content-Type", "application/json"));
        }
        // A stream of events has no end: its head says whether it begins.
        if path.contains("/events") && method == "GET" {
            return match Events::listen(node, path, &headers) {
                Ok(_) => answer(200),
                Err(error) => {
                    let status = error.to_string().rsplit(' ').next().unwrap().parse();
                    answer(status.unwrap())
                }
            };
        }
        http::request(node, method, path, &headers, text.as_bytes()).unwrap()
    }

    #[track_caller]
    pub(super) fn json(&self, who: &str, method: &str, path: &str, body: Option<Value>) -> Value {
        let answer = self.ask(who, method, path, body);
        assert!(answer.status < 300, "{who} {method} {path}: {} {}", answer.status, answer.body);
        serde_json::from_str(&answer.body).unwrap_or(Value::Null)
    }

    /// Sends in a workspace and waits for the end; gives the pair.
    #[track_caller]
    pub(super) fn send(&self, who: &str, workspace: &str, text: &str) -> Value {
        let path = format!("/api/send?workspace={workspace}");
        let begun = self.json(who, "POST", &path, Some(serde_json::json!({ "text": text })));
        let pair = begun["pair"].as_str().unwrap().to_owned();
        loop {
            let pair = self.json(who, "GET", &format!("/api/pairs/{pair}"), None);
            if pair["lifecycleState"] != "sending" && !pair["receiptId"].is_null() {
                assert_eq!(pair["lifecycleState"], "complete", "{pair}");
                return pair;
            }
            std::thread::yield_now();
        }
    }

    pub(super) fn home(&self) -> &Path {
        self.served.home()
    }
}

fn answer(status: u16) -> Answer {
    Answer { status, headers: Vec::new(), body: String::new(), bytes: Vec::new() }
}
