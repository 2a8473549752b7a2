//! SEC-9: keys and tokens are in no child's environment or command line, and the memory that
//! holds them is in no core dump and open to no other program.

use std::{
    io::{BufRead, BufReader},
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::Path,
    process::{Command, Stdio},
};

use plimsoll_testkit::{
    real::{skipped, times},
    scripted::{Reply, ScriptedServer},
};

use crate::served::Served;

const CANARY: &str = "sk-canary-0123456789abcdef";
const TOKEN: &str = "tk-canary-0123456789abcdef";

/// The programs that are started, each played by a script that writes down how.
const PROGRAMS: [&str; 5] = ["codex", "foundry", "xdg-open", "secret-tool", "python3"];
const SCRIPT: &str = "#!/bin/sh\nout=\"$STAND_IN/${0##*/}-$$\"\n\
    { echo \"$0 $*\"; tr '\\0' '\\n' < /proc/self/environ; } > \"$out.part\"\n\
    case \"$1\" in /*.html) cat \"$1\" > \"$STAND_IN/page\" ;; esac\n\
    mv \"$out.part\" \"$out\"\nexit 1\n";

struct Machine {
    home: tempfile::TempDir,
}

impl Machine {
    fn new(server: &ScriptedServer) -> Self {
        let home = tempfile::tempdir().unwrap();
        for dir in ["tools", "out", "data"] {
            std::fs::create_dir(home.path().join(dir)).unwrap();
        }
        for name in PROGRAMS {
            let path = home.path().join("tools").join(name);
            std::fs::write(&path, SCRIPT).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        let models = format!(
            "[[model]]\nid = \"test\"\nprovider = \"openai\"\nbaseUrl = \"{}\"\n\
             keyEnv = \"ACME\"\n",
            server.base_url()
        );
        std::fs::write(home.path().join("models.toml"), models).unwrap();
        std::fs::write(home.path().join("config.toml"), "defaultModel = \"test\"\n").unwrap();
        Self { home }
    }

    fn command(&self, args: &[&str]) -> Command {
        let path = |name: &str| self.home.path().join(name);
        let mut along = path("tools").into_os_string();
        along.push(":/usr/bin:/bin");
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        command
            .args(args)
            .env("PLIMSOLL_CONFIG_DIR", self.home.path())
            .env("PLIMSOLL_DATA_DIR", path("data"))
            .env("PATH", along)
            .env("STAND_IN", path("out"))
            .env("OPENAI_API_KEY", CANARY)
            .env("ACME", CANARY)
            .env("ANOTHER_SECRET", CANARY)
            .env("PLIMSOLL_SECRET_KEY", CANARY)
            // A name that does not say what it is, and a setting that does.
            .env("PLIMSOLL_OPENID_SECRET_VARIABLE", "HARBOUR")
            .env("HARBOUR", CANARY)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command
    }

    /// What the programs wrote down, by their names.
    fn written(&self) -> Vec<(String, String)> {
        let entries = std::fs::read_dir(self.home.path().join("out")).unwrap().flatten();
        let whole = entries.filter(|entry| !entry.path().to_string_lossy().ends_with(".part"));
        whole
            .map(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                (name, std::fs::read_to_string(entry.path()).unwrap())
            })
            .collect()
    }

    fn was_started(&self, program: &str) -> bool {
        self.written().iter().any(|(name, _)| name.starts_with(program))
    }

    /// Serves until a browser was opened.
    fn serve_and_open(&self, command: &mut Command) {
        let mut child = command.spawn().unwrap();
        let mut said = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
        while !self.was_started("xdg-open") {
            assert!(child.try_wait().unwrap().is_none(), "it ended: {said}");
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn sec_9_no_program_gets_a_key_or_a_token() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap();
    let machine = Machine::new(&server);
    let codex = machine.home.path().join("tools/codex");
    for args in [&["models"][..], &["doctor"], &["send", "-m", "codex", "hello"]] {
        machine.command(args).env("PLIMSOLL_CODEX", &codex).output().unwrap();
    }
    let mut set =
        machine.command(&["keys", "set", "openai"]).stdin(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut set.stdin.take().unwrap(), CANARY.as_bytes()).unwrap();
    set.wait().unwrap();
    let at = ["serve", "--addr", "127.0.0.1:0", "--open"];
    machine.serve_and_open(machine.command(&at).env("PLIMSOLL_TOKEN", TOKEN));
    let mut written = machine.written();
    let page = written.iter().position(|(name, _)| name == "page").map(|at| written.remove(at).1);
    let page = page.unwrap_or_default();
    assert!(page.contains("/?token=") && !page.contains(TOKEN), "{page}");
    let code = page.split("token=").nth(1).unwrap().split('"').next().unwrap();
    for (name, text) in &written {
        assert!(text.contains("PATH="), "{name} wrote nothing down: {text}");
        for secret in [CANARY, TOKEN, code] {
            assert!(!text.contains(secret), "{name} got a secret: {text}");
        }
    }
    for program in PROGRAMS {
        assert!(machine.was_started(program), "{program} was not started: {written:?}");
    }
}

#[test]
fn sec_9_the_memory_of_a_server_is_open_to_nobody() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap();
    let served = Served::start(&server, 4096);
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", served.pid())).unwrap();
    let cores = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    assert_eq!(cores.split_whitespace().nth(4), Some("0"), "{cores}");
    // Root may read everything, so it is another account that looks at its own.
    const ACCOUNT: u32 = 12345;
    let machine = Machine::new(&server);
    give(machine.home.path(), ACCOUNT);
    let mut command = machine.command(&["serve", "--addr", "127.0.0.1:0"]);
    let started = command.uid(ACCOUNT).gid(ACCOUNT).spawn();
    let Ok(mut child) = started else {
        return skipped("only root can act as another account");
    };
    let mut said = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
    assert!(said.contains("http://"), "{said}");
    let look = |name: &str| {
        let path = format!("/proc/{}/{name}", child.id());
        let mut cat = Command::new("head");
        cat.args(["-c", "1", &path]).uid(ACCOUNT).gid(ACCOUNT).output().unwrap()
    };
    for name in ["environ", "mem", "maps"] {
        let looked = look(name);
        assert!(!looked.status.success() && looked.stdout.is_empty(), "{name}: {looked:?}");
    }
    assert!(look("status").status.success(), "who looks finds");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Gives everything below a directory to an account.
fn give(path: &Path, account: u32) {
    // Where that is not allowed, the account cannot be acted as either.
    let _ = std::os::unix::fs::chown(path, Some(account), Some(account));
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        give(&entry.path(), account);
    }
}

#[test]
fn prv_3_a_killed_change_of_keys_leaves_nothing_behind() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap();
    let machine = Machine::new(&server);
    let rounds = times(25, 200);
    for round in 0..rounds {
        let mut set = machine.command(&["keys", "set", "openai", "--file"]);
        let mut child = set.stdin(Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), CANARY.as_bytes()).unwrap();
        // Each is killed a little later than the one before, some in the middle of the writing.
        for _ in 0..round * 40 {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let list = machine.command(&["keys", "list"]).output().unwrap();
    assert!(list.status.success());
    let left: Vec<String> = std::fs::read_dir(machine.home.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| !["tools", "out", "data", "models.toml", "config.toml"].contains(&&**name))
        .collect();
    let known = |name: &String| name == "keys.toml" || name == "keys.lock";
    assert!(left.iter().all(known), "{left:?}");
}
