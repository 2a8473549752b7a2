//! A real disk that is full (REL-2, REL-6): a small one of its own, in a mount namespace that
//! ends with the server.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use plimsoll_testkit::{
    http,
    real::skipped,
    scripted::{Gate, Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::served::Served;

const SMALL_DISK: &str = r#"
    mount -t tmpfs -o size=6m none "$PLIMSOLL_DATA_DIR" || exit 77
    exec "$1" serve --addr 127.0.0.1:0
"#;

/// A server whose data is on a small disk.
struct Small {
    child: Child,
    address: String,
    /// The disk, as this process sees it.
    disk: PathBuf,
    _served: Served,
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Small {
    /// None, and a loud word, where nothing can be mounted.
    fn start(server: &ScriptedServer) -> Option<Self> {
        let mut served = Served::start(server, 100_000);
        served.stop();
        let data = served.home().join("small");
        fs::create_dir_all(&data).unwrap();
        let mut child = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", SMALL_DISK, "sh"])
            .arg(env!("CARGO_BIN_EXE_plimsoll"))
            .env("PLIMSOLL_CONFIG_DIR", served.home())
            .env("PLIMSOLL_DATA_DIR", &data)
            .env("PLIMSOLL_TEST_KEY", "sk-canary-0123456789abcdef")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut said).unwrap();
        let address = said.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let Some(address) = address.map(str::to_owned) else {
            child.wait().unwrap();
            skipped("a full disk needs a small one, and none can be mounted");
            return None;
        };
        let root = PathBuf::from(format!("/proc/{}/root", child.id()));
        let disk = root.join(data.strip_prefix("/").unwrap());
        Some(Self { child, address, disk, _served: served })
    }

    fn ask(&self, method: &str, path: &str, body: &[u8]) -> http::Answer {
        let json = [("Content-Type", "application/json")];
        http::request(&self.address, method, path, &json, body).unwrap()
    }

    fn upload(&self, name: &str, bytes: &[u8]) -> http::Answer {
        let path = format!("/api/files?name={name}");
        http::request(&self.address, "POST", &path, &[], bytes).unwrap()
    }

    /// Takes all the room that is left.
    fn fill(&self) -> std::io::Result<()> {
        let mut filler = fs::File::create(self.disk.join("filler"))?;
        for size in [64 << 10, 4 << 10, 512, 1] {
            while filler.write_all(&vec![b'x'; size]).is_ok() {}
        }
        Ok(())
    }

    /// Gives the room back.
    fn free(&self) {
        fs::remove_file(self.disk.join("filler")).unwrap();
    }

    fn newest(&self) -> Value {
        let page: Value =
            serde_json::from_str(&self.ask("GET", "/api/pairs?from=0&limit=200", b"").body)
                .unwrap();
        page["pairs"].as_array().unwrap().last().unwrap().clone()
    }
}

#[test]
fn rel_2_an_upload_onto_a_full_disk_is_said_and_leaves_nothing() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap();
    let Some(small) = Small::start(&server) else { return };
    let fits = small.upload("small.txt", b"fits");
    let refused = small.upload("large.txt", &vec![b'x'; 12 << 20]);
    let after = small.upload("after.txt", &vec![b'y'; 1 << 20]);
    let listed = small.ask("GET", "/api/files", b"").body;
    assert_eq!(fits.status, 201, "{}", fits.body);
    assert_eq!(refused.status, 507, "{}", refused.body);
    assert!(refused.body.contains("disk"), "{}", refused.body);
    assert_eq!(after.status, 201, "nothing was left of what did not fit: {}", after.body);
    assert!(listed.contains("small.txt") && !listed.contains("large.txt"), "{listed}");
}

/// H3, the way it was seen: the disk is full when a long answer ends. Nothing of the answer is
/// lost, and nobody has to start the server again.
#[test]
fn rel_6_an_answer_that_ends_on_a_full_disk_is_kept_when_there_is_room() {
    let gate = Gate::default();
    let long = "word ".repeat(40_000);
    let slow = Reply::openai_open(&["first "]).gate(&gate).openai_more(&[&long]).openai_end(14, 6);
    let fine = Reply::openai(&["fine"], 14, 6);
    let server = ScriptedServer::chats([slow, fine]).unwrap();
    let Some(small) = Small::start(&server) else { return };
    let mut events = http::Events::listen(&small.address, "/api/events", &[]).unwrap();
    let sent = small.ask("POST", "/api/send", json!({"text": "go"}).to_string().as_bytes());
    assert_eq!(sent.status, 202, "{}", sent.body);
    events.until("delta").unwrap();
    if small.fill().is_err() {
        return skipped("the small disk of another process cannot be written to");
    }
    gate.open();
    loop {
        let status = events.until("status").unwrap().pop().unwrap();
        if status.data.contains("the disk is full") {
            break;
        }
    }
    let second = small.ask("POST", "/api/send", json!({"text": "next"}).to_string().as_bytes());
    assert_eq!(second.status, 409, "{}", second.body);
    small.free();
    events.until("ended").unwrap();
    let pair = small.newest();
    assert_eq!(pair["lifecycleState"], "complete", "{}", pair["error"]);
    let kept = pair["assistantText"].as_str().unwrap();
    assert_eq!(kept.trim().len(), format!("first {long}").trim().len());
    let next = small.ask("POST", "/api/send", json!({"text": "next"}).to_string().as_bytes());
    assert_eq!(next.status, 202, "{}", next.body);
    events.until("ended").unwrap();
    assert_eq!(small.newest()["assistantText"], "fine");
}

/// The same where somebody stops it: a pair that is shown as sending can be stopped and
/// deleted, and the next message goes.
#[test]
fn rel_6_a_send_on_a_full_disk_can_be_stopped_and_deleted() {
    let gate = Gate::default();
    let slow = Reply::openai_open(&["first "]).gate(&gate).openai_end(14, 6);
    let fine = Reply::openai(&["fine"], 14, 6);
    let server = ScriptedServer::chats([slow, fine]).unwrap();
    let Some(small) = Small::start(&server) else { return };
    let mut events = http::Events::listen(&small.address, "/api/events", &[]).unwrap();
    small.ask("POST", "/api/send", json!({"text": "go"}).to_string().as_bytes());
    events.until("delta").unwrap();
    let pair = small.newest()["id"].as_str().unwrap().to_owned();
    if small.fill().is_err() {
        return skipped("the small disk of another process cannot be written to");
    }
    let stopped = small.ask("POST", "/api/cancel", b"");
    assert_eq!(stopped.status, 204, "{}", stopped.body);
    events.until("ended").unwrap();
    small.free();
    gate.open();
    let deleted = small.ask("DELETE", &format!("/api/pairs/{pair}"), b"");
    assert_eq!(deleted.status, 200, "{}", deleted.body);
    let next = small.ask("POST", "/api/send", json!({"text": "next"}).to_string().as_bytes());
    assert_eq!(next.status, 202, "{}", next.body);
    events.until("ended").unwrap();
    assert_eq!(small.newest()["assistantText"], "fine");
}
