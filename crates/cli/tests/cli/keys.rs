//! Where keys are kept: a file, or a keyring that is played by a script.

use std::{os::unix::fs::PermissionsExt, path::PathBuf};

use plimsoll_testkit::scripted::{Reply, ScriptedServer};

use crate::{
    run::Plimsoll,
    send::{Home, posted},
    terminal::Terminal,
};

const KEY: &str = "sk-canary-fedcba9876543210";

/// A keyring that keeps its keys in files and writes down how it was asked.
const GOOD: &str = "#!/bin/sh\necho \"$@\" >> \"$STAND_IN/asked\"\ncase \"$1\" in\n\
    store) cat > \"$STAND_IN/key-$6\" ;;\n\
    lookup) [ -f \"$STAND_IN/key-$5\" ] || exit 1; cat \"$STAND_IN/key-$5\" ;;\n\
    clear) rm -f \"$STAND_IN/key-$5\" ;;\nesac\n";

struct Machine {
    home: Home,
    tools: tempfile::TempDir,
}

impl Machine {
    fn new(server: &ScriptedServer, secret_tool: Option<&str>) -> Self {
        let tools = tempfile::tempdir().unwrap();
        if let Some(script) = secret_tool {
            let path = tools.path().join("secret-tool");
            std::fs::write(&path, script).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        let home = Home::new(server, 4096);
        let models = std::fs::read_to_string(home.path().join("models.toml")).unwrap();
        let models = models.replace("keyEnv = \"PLIMSOLL_TEST_KEY\"\n", "");
        std::fs::write(home.path().join("models.toml"), models).unwrap();
        Self { home, tools }
    }

    fn command(&self, args: &[&str]) -> Plimsoll {
        // The machine's own keyring is out of reach.
        let mut path = std::ffi::OsString::from(self.tools.path());
        if self.file("secret-tool").is_file() {
            path.push(":/usr/bin:/bin");
        }
        self.home
            .command(args)
            .env("PATH", path)
            .env("STAND_IN", self.tools.path())
            .env("OPENAI_API_KEY", "")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.tools.path().join(name)
    }

    fn keys_file(&self) -> String {
        std::fs::read_to_string(self.home.path().join("keys.toml")).unwrap_or_default()
    }
}

#[test]
fn prv_3_a_key_is_kept_in_the_keyring_found_and_forgotten() {
    let server = ScriptedServer::chats([Reply::openai(&["ok"], 9, 1)]).unwrap();
    let machine = Machine::new(&server, Some(GOOD));
    let set = machine.command(&["keys", "set", "openai"]).input(KEY).run();
    assert_eq!(set.code, 0, "{}", set.stderr);
    assert!(set.stderr.contains("kept in the keyring of this machine"), "{}", set.stderr);
    assert_eq!(std::fs::read_to_string(machine.file("key-openai")).unwrap(), KEY);
    let file = machine.keys_file();
    assert!(file.starts_with("\"openai\" = { keyring = true, for = ["), "{file}");
    assert!(file.contains("\"https://api.openai.com\"") && !file.contains(KEY), "{file}");
    let asked = std::fs::read_to_string(machine.file("asked")).unwrap();
    assert!(!asked.contains(KEY), "a secret is never an argument: {asked}");

    let list = machine.command(&["keys", "list"]).run();
    assert!(list.stdout.contains("openai       stored in the keyring"), "{}", list.stdout);
    assert!(list.stdout.contains("mistral      none (set MISTRAL_API_KEY)"), "{}", list.stdout);
    let again = std::fs::read_to_string(machine.file("asked")).unwrap();
    assert_eq!(asked, again, "a list asks no keyring");

    let sent = machine.command(&["send", "hello"]).run();
    assert_eq!((sent.code, sent.stdout.as_str()), (0, "ok\n"), "{}", sent.stderr);
    let bearer = server
        .requests()
        .iter()
        .any(|request| request.header("authorization").is_some_and(|value| value.contains(KEY)));
    assert!(bearer, "the key of the keyring is used");
    assert_eq!(machine.command(&["keys", "rm", "openai"]).run().code, 0);
    assert!(!machine.file("key-openai").exists() && machine.keys_file().is_empty());
    for said in [&set.stderr, &list.stdout, &sent.stderr] {
        assert!(!said.contains(KEY));
    }
}

/// PRV-3: the other place for keys.
#[test]
fn a_machine_without_a_keyring_keeps_the_key_in_a_file() {
    let server = ScriptedServer::always(Reply::auth()).unwrap();
    let machine = Machine::new(&server, None);
    let set = machine.command(&["keys", "set", "openai"]).input(KEY).run();
    assert_eq!(set.code, 0, "{}", set.stderr);
    assert!(set.stderr.contains("a file that only you can read"), "{}", set.stderr);
    let asked = machine.command(&["keys", "set", "openai", "--keyring"]).input(KEY).run();
    asked.refused(1, "there is no secret-tool on this machine");
    assert!(machine.keys_file().contains(KEY), "what was kept stays");
}

#[test]
fn a_locked_keyring_neither_hangs_nor_breaks_anything() {
    let server = ScriptedServer::chats([Reply::openai(&["ok"], 9, 1)]).unwrap();
    let machine = Machine::new(&server, Some("#!/bin/sh\nexec sleep 100\n"));
    let quick = |args: &[&str]| machine.command(args).env("PLIMSOLL_KEYRING_PATIENCE_MS", "300");
    let set = quick(&["keys", "set", "openai"]).input(KEY).run();
    assert_eq!(set.code, 0, "{}", set.stderr);
    assert!(set.stderr.contains("did not answer within 0.3 s"), "{}", set.stderr);
    assert!(machine.keys_file().contains(KEY), "the file took it");
    // A key that is in the keyring, which is locked now.
    std::fs::write(machine.home.path().join("keys.toml"), "openai = { keyring = true }\n").unwrap();
    let keys = machine.home.path().join("keys.toml");
    std::fs::set_permissions(&keys, PermissionsExt::from_mode(0o600)).unwrap();
    let sent = quick(&["send", "hello"]).run();
    sent.refused(1, "the key of openai is in the keyring: it did not answer");
    assert!(sent.stderr.contains("or set OPENAI_API_KEY"), "{}", sent.stderr);
    assert!(posted(&server).is_empty(), "nothing goes out without the key");
    quick(&["keys", "rm", "openai"]).run().refused(1, "still in the keyring");
    let list = quick(&["keys", "list"]).run();
    assert!(list.stdout.contains("openai       stored in the keyring"), "{}", list.stdout);
    // The environment needs no keyring.
    let sent = quick(&["send", "hello"]).env("OPENAI_API_KEY", KEY).run();
    assert_eq!(sent.code, 0, "{}", sent.stderr);
}

#[test]
fn sec_8_a_key_goes_to_no_other_server_than_it_was_given_for() {
    let server = ScriptedServer::chats([Reply::openai(&["ok"], 9, 1)]).unwrap();
    let machine = Machine::new(&server, None);
    let only = ["keys", "set", "openai", "--for", "https://api.openai.com/v1"];
    let set = machine.command(&only).input(KEY).run();
    assert!(set.stderr.contains("for https://api.openai.com\n"), "{}", set.stderr);
    let sent = machine.command(&["send", "hello"]).run();
    let own = server.base_url().trim_end_matches("/v1").to_owned();
    sent.refused(1, &format!("the key of openai was not given for {own}"));
    assert!(
        sent.stderr.contains(&format!("plimsoll keys set openai --for {own}")),
        "{}",
        sent.stderr
    );
    assert!(posted(&server).is_empty());
    // The command that the hint names makes it so.
    let more = ["keys", "set", "openai", "--for", &own];
    assert_eq!(machine.command(&more).input(KEY).run().code, 0);
    assert_eq!(machine.command(&["send", "hello"]).run().code, 0);
    // Without a word, it is for the provider and for the servers of the file.
    let set = machine.command(&["keys", "set", "openai"]).input(KEY).run();
    let both = format!("for {own} and https://api.openai.com\n");
    assert!(set.stderr.contains(&both), "{}", set.stderr);
    machine.command(&["keys", "set", "nobody"]).input(KEY).run().refused(2, "where nobody is");
    // Files of earlier versions name no servers, and stay as good as they were.
    let keys = machine.home.path().join("keys.toml");
    std::fs::write(&keys, format!("openai = \"{KEY}\"\n")).unwrap();
    assert_eq!(machine.command(&["send", "hello"]).run().code, 0);
}

/// Review item 6: nothing was asked for, and the key was echoed.
#[test]
fn ui_19_a_key_is_asked_for_on_a_terminal_and_not_shown() {
    let server = ScriptedServer::chats([Reply::openai(&["ok"], 9, 1)]).unwrap();
    let home = Home::new(&server, 4096);
    let mut terminal = Terminal::start(&home, &["keys", "set", "openai", "--file"]);
    terminal.wait_for("Key of openai (not shown as you type): ");
    // Typed as soon as it is asked for.
    terminal.keys(&format!("{KEY}\r"));
    terminal.wait_for("the key of openai is kept in a file that only you can read");
    terminal.wait_for("whether it works: plimsoll keys test openai");
    let all = terminal.rest();
    assert!(!all.contains(KEY), "{all}");
    let kept = std::fs::read_to_string(home.path().join("keys.toml")).unwrap();
    assert!(kept.contains(KEY), "{kept}");
}

#[test]
fn sec_8_an_address_from_the_page_gets_no_key() {
    let server = ScriptedServer::chats([Reply::openai(&["ok"], 9, 1)]).unwrap();
    let machine = Machine::new(&server, None);
    let path = machine.home.path().join("models.toml");
    let models = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{models}keyless = true\n")).unwrap();
    let sent = machine.command(&["send", "hello"]).env("OPENAI_API_KEY", KEY).run();
    assert_eq!(sent.code, 0, "{}", sent.stderr);
    assert!(!posted(&server).is_empty());
    for request in server.requests() {
        assert!(!format!("{:?}", request.headers).contains(KEY), "{request:?}");
    }
}
