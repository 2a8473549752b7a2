//! `plimsoll import`, `export` and `restore`, the way people run them.

use std::path::{Path, PathBuf};

use plimsoll_testkit::scripted::{Reply, ScriptedServer};

use crate::{
    run::{Ran, plimsoll},
    send::Home,
    terminal::Terminal,
};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../exchange/fixtures").join(name)
}

/// A data directory of its own.
pub(crate) struct Data(tempfile::TempDir);

impl Data {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"")
    }

    fn run_with(&self, args: &[&str], input: &[u8]) -> Ran {
        let data = self.path("data");
        plimsoll(args).env("PLIMSOLL_DATA_DIR", data).input(input).within(self.0.path()).run()
    }

    fn import(&self, name: &str) -> Ran {
        self.run(&["import", fixture(name).to_str().unwrap(), "--json"])
    }
}

#[test]
fn his_8_an_import_is_told_and_comes_once() {
    let data = Data::new();
    let ran = data.import("chatgpt.json");
    assert!(ran.stderr.contains("note: left out: 1 message on another branch, 2 tool calls"));
    let told = ran.json();
    assert_eq!((&told["format"], &told["newPairs"]), (&"ChatGPT".into(), &5.into()));
    assert_eq!(data.import("chatgpt.json").json()["knownPairs"], 5);
    let input = std::fs::read(fixture("messages.jsonl")).unwrap();
    let piped = data.run_with(&["import", "-", "--topic", "/Logs"], &input);
    assert_eq!(piped.stdout, "Messages: 2 new pairs, 3 new topics\n", "{}", piped.stderr);
    assert!(piped.stderr.contains("1 pair has no date"), "{}", piped.stderr);
    assert_eq!(data.run_with(&["import", "-"], b"").code, 0, "empty input is data");
}

#[test]
fn an_import_that_cannot_be_says_why_and_what_to_do() {
    let data = Data::new();
    let line = "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n";
    let cases: [(Vec<u8>, &str, &str); 3] = [
        (b"hello".to_vec(), "no export that Plimsoll knows", "ChatGPT's and Claude's"),
        (format!("{line}{{\"messages\":3}}\n").into(), "line 2: ", "--skip-bad"),
        (b"[{\"mapping\":{}},{\"map".to_vec(), "conversation 2: the file is broken", "--skip-bad"),
    ];
    for (input, said, hint) in cases {
        let ran = data.run_with(&["import", "-"], &input);
        ran.refused(1, said);
        assert!(ran.stderr.contains(hint), "{}", ran.stderr);
    }
    assert_eq!(data.run(&["topics"]).stdout, "", "nothing was written");
    data.run(&["import", "nowhere.json"]).refused(1, "cannot read nowhere.json");
    data.run(&["import", "."]).refused(1, "cannot read .");
}

#[test]
fn his_8_an_export_goes_to_a_file_that_is_whole() {
    let data = Data::new();
    data.import("claude.json").json();
    let ran = data.run(&["export", "-o", "all.json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    data.run(&["export", "-o", "all.json"]).refused(1, "all.json is there already");
    assert_eq!(data.run(&["export", "-o", "all.json", "--force"]).code, 0);
    let written = std::fs::read_to_string(data.path("all.json")).unwrap();
    assert_eq!(data.run(&["export"]).stdout, written);
    let left: Vec<_> = std::fs::read_dir(data.0.path()).unwrap().collect();
    assert_eq!(left.len(), 2, "no other file is left beside it: {left:?}");

    let other = Data::new();
    other.run_with(&["import", "-"], written.as_bytes()).refused(0, "");
    assert_eq!(other.run(&["export"]).stdout, written, "a round trip loses nothing");
    let text =
        other.run(&["export", "--format", "txt", "--filter", "t'Knots'", "--order", "topic"]);
    assert!(text.stdout.starts_with("=== /Imported/Claude/Knots ===\n"), "{}", text.stdout);
    other.run(&["export", "--filter", "s9", "-o", "no.json"]).refused(2, "the filter is not right");
    assert!(!other.path("no.json").exists());
    other.run(&["export", "-o", "no/such/dir.json"]).refused(1, "cannot write no/such/dir.json");
}

/// HIS-9c: the scope is a field, and a conversation is told by its path or its id.
#[test]
fn his_9c_one_conversation_is_exported_by_its_scope() {
    let data = Data::new();
    data.import("claude.json").json();
    let pairs = |args: &[&str]| -> Vec<String> {
        let ran = data.run(&[&["export", "--format", "txt"], args].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout.lines().filter(|line| line.starts_with("--- ")).map(ToOwned::to_owned).collect()
    };
    let path = "/Imported/Claude/Knots";
    let (all, knots) = (pairs(&[]), pairs(&["--filter", "t'Knots'"]));
    assert!(!knots.is_empty() && knots.len() < all.len(), "{all:?}");
    assert_eq!(pairs(&["--topic", path]), all, "a topic alone is what a bare t means");
    assert_eq!(pairs(&["--topic", path, "--scope", "conversation"]), knots);
    assert_eq!(pairs(&["--topic", path, "--scope", "everything"]), all);
    data.run(&["export", "--scope", "conversation"])
        .refused(2, "--scope conversation goes with --topic");
    assert_eq!(data.run(&["export", "--scope", "half"]).code, 2);
    let unknown = ["export", "--scope", "conversation", "--topic", "/Nowhere"];
    assert_ne!(data.run(&unknown).code, 0);
}

#[test]
fn his_8_attached_files_go_along_in_a_zip() {
    let data = Data::new();
    data.import("claude.json").json();
    std::fs::write(data.path("notes.md"), "# A mark on the hull\n").unwrap();
    assert_eq!(data.run(&["files", "add", "notes.md"]).code, 0);
    let json = data.run(&["export", "-o", "all.json"]);
    assert!(json.stderr.contains("it is without the bytes of 1 attached file; "));
    let zip = data.run(&["export", "-o", "all.zip"]);
    assert!(zip.stderr.contains("wrote 3 pairs with 1 file to all.zip"), "{}", zip.stderr);
    let archive = std::fs::read(data.path("all.zip")).unwrap();
    assert!(archive.starts_with(b"PK"), "the name chose the format");
    let backup = data.run(&["backup", "copy.db"]);
    assert!(backup.stderr.contains("not in it: 1 file, 21 B, in "), "{}", backup.stderr);
    assert!(backup.stderr.contains("`plimsoll export --format zip`"), "{}", backup.stderr);

    let other = Data::new();
    let told = other.run_with(&["import", "-"], &archive);
    assert_eq!(told.stdout, "Plimsoll: 3 new pairs, 4 new topics, 1 new file\n", "{}", told.stderr);
    assert!(other.run(&["files", "show", "notes.md"]).stdout.contains("A mark on the hull"));
    assert_eq!(other.run(&["export", "--format", "zip", "-o", "again"]).code, 0);
    assert_eq!(std::fs::read(other.path("again")).unwrap(), archive, "a round trip loses nothing");
    assert!(other.run(&["backup", "copy.db"]).stderr.contains("not in it"));

    let empty = Data::new();
    let text = std::fs::read(data.path("all.json")).unwrap();
    let told = empty.run_with(&["import", "-"], &text);
    assert!(told.stderr.contains("left out: 1 picture or file"), "{}", told.stderr);
    assert!(!empty.run(&["backup", "copy.db"]).stderr.contains("not in it"));

    for blob in plimsoll_testkit::switch::blobs_of(&data.path("data"), "default/main") {
        std::fs::write(blob, "altered").unwrap();
    }
    let _ = std::fs::remove_dir_all(data.path("data").join("copies"));
    let ran = data.run(&["export", "-o", "less.zip"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("left out the bytes of 'notes.md'"), "{}", ran.stderr);
    assert!(ran.stderr.contains("altered"), "{}", ran.stderr);
}

#[test]
fn a_backup_is_restored_and_the_present_store_is_kept() {
    let data = Data::new();
    data.import("claude.json").json();
    assert_eq!(data.run(&["backup", "before.db"]).code, 0);
    let before = data.run(&["export"]).stdout;
    data.import("chatgpt.json").json();
    let after = data.run(&["export"]).stdout;
    let backup = std::fs::read(data.path("before.db")).unwrap();

    let ran = data.run(&["restore", "before.db"]);
    ran.refused(0, "the store before it is kept as ");
    assert_eq!(data.run(&["export"]).stdout, before);
    assert_eq!(std::fs::read(data.path("before.db")).unwrap(), backup, "it is only read");
    let kept = ran.stderr.split("is kept as ").nth(1).unwrap().trim();
    assert_eq!(data.run(&["restore", kept]).code, 0);
    assert_eq!(data.run(&["export"]).stdout, after, "and back again");

    let fresh = Data::new();
    let from = data.path("before.db");
    assert_eq!(fresh.run(&["restore", from.to_str().unwrap()]).code, 0, "where none was before");
    assert_eq!(fresh.run(&["export"]).stdout, before);
}

#[test]
fn what_is_no_sound_backup_changes_nothing() {
    let data = Data::new();
    data.import("claude.json").json();
    assert_eq!(data.run(&["backup", "good.db"]).code, 0);
    let before = data.run(&["export"]).stdout;
    let good = std::fs::read(data.path("good.db")).unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(data.path(name), bytes).unwrap();
    write("text.db", b"hello");
    write("empty.db", b"");
    write("short.db", &good[..good.len() / 2]);
    let mut torn = good.clone();
    let middle = torn.len() / 2;
    torn[middle..middle + 8192].fill(0x5a);
    write("torn.db", &torn);
    for name in ["text.db", "empty.db", "short.db", "torn.db", "data", "nowhere.db"] {
        let ran = data.run(&["restore", name]);
        ran.refused(1, name);
        assert_eq!(data.run(&["export"]).stdout, before, "{name}");
    }
    let names = std::fs::read_dir(data.path("data")).unwrap();
    let names: Vec<String> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().all(|name| !name.contains("restor")), "{names:?}");
}

#[test]
fn a_store_that_somebody_has_open_is_not_replaced() {
    let data = Data::new();
    data.import("claude.json").json();
    assert_eq!(data.run(&["backup", "good.db"]).code, 0);
    let lock = std::fs::File::open(data.path("data").join("store.lock")).unwrap();
    lock.lock_shared().unwrap();
    data.run(&["restore", "good.db"]).refused(1, "another plimsoll has the store open");
    lock.unlock().unwrap();
    lock.lock().unwrap();
    data.run(&["topics"]).refused(1, "the store is being restored");
}

/// What a stranger or a model wrote must not steer the terminal; a file holds it as it is.
#[test]
fn an_export_on_a_terminal_is_neutral() {
    let server = ScriptedServer::chats([Reply::openai(&["a\u{1b}[2Jb\u{9b}31mc"], 9, 1)]).unwrap();
    let home = Home::new(&server, 4096);
    assert_eq!(home.command(&["send", "hello \u{1b}]0;title\u{7}"]).run().code, 0);
    for format in ["txt", "md", "json"] {
        let mut screen = Terminal::start(&home, &["export", "--format", format]);
        screen.wait_for("31mc");
        let raw = screen.raw();
        assert!(!raw.contains("\u{1b}[2J") && !raw.contains('\u{9b}'), "{format}: {raw:?}");
        assert!(!raw.contains("\u{1b}]0;"), "{format}: {raw:?}");
        assert_eq!(screen.end(), 0);
    }
    let piped = home.command(&["export", "--format", "txt"]).run();
    assert!(piped.stdout.contains("\u{1b}[2J"), "a pipe gets it as it is");
}
