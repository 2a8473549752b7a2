//! `plimsoll files`, `gc` and `send -f`.

use plimsoll_testkit::scripted::{Reply, ScriptedServer};

use crate::send::{Home, posted};

fn home(window: u64) -> (ScriptedServer, Home) {
    let server = ScriptedServer::always(Reply::openai(&["read"], 40, 1)).unwrap();
    let home = Home::new(&server, window);
    (server, home)
}

#[test]
fn files_come_are_listed_shown_and_go() {
    let (_server, home) = home(8192);
    let path = home.path().join("notes.md");
    std::fs::write(&path, "# Load line\nA mark on the hull.\n").unwrap();
    let added = home.command(&["files", "add", path.to_str().unwrap(), "--words", "for Sam"]).run();
    assert_eq!(added.code, 0, "{}", added.stderr);
    let listed = home.command(&["files", "--json"]).run().json();
    let file = &listed["files"][0];
    assert_eq!(
        (file["name"].as_str(), file["uploadContext"].as_str()),
        (Some("notes.md"), Some("for Sam"))
    );
    let shown = home.command(&["files", "show", "notes.md"]).run();
    assert!(shown.stdout.contains("A mark on the hull."), "{}", shown.stdout);
    let told = home.command(&["files", "show", "notes.md", "--json"]).run().json();
    assert_eq!(told, *file);
    home.command(&["files", "show", "none.md"]).run().refused(1, "there is no file 'none.md'");
    // REC-5: what is deleted comes back, and its bytes are no garbage until it cannot.
    let removed = home.command(&["files", "rm", "notes.md"]).run();
    assert!(removed.stderr.contains("`plimsoll undo` brings it back"), "{}", removed.stderr);
    let kept = home.command(&["gc", "--older-than", "0"]).run();
    assert!(kept.stderr.contains("nothing to remove"), "{}", kept.stderr);
    let back = home.command(&["undo"]).run();
    assert_eq!((back.code, back.stdout.as_str()), (0, "the file notes.md is back\n"));
    assert_eq!(home.command(&["files", "--json"]).run().json(), listed);
    home.command(&["undo"]).run().refused(1, "there is nothing to bring back");
    assert_eq!(home.command(&["files", "rm", "notes.md"]).run().code, 0);
    let deletions = home.command(&["undo", "--list", "--json"]).run().json();
    let deletion = &deletions["deletions"][0];
    assert_eq!((deletion["kind"].as_str(), deletion["count"].as_u64()), (Some("file"), Some(1)));
    let list = home.command(&["undo", "--list"]).run();
    assert!(list.stdout.contains("1 file  notes.md"), "{}", list.stdout);
    let id = deletion["id"].as_str().unwrap();
    assert_eq!(home.command(&["undo", id, "--for-good"]).run().code, 0);
    home.command(&["undo", id]).run().refused(1, "there is nothing to bring back");
    let young = home.command(&["gc"]).run();
    assert!(young.stderr.contains("nothing to remove; 32 B in 1 blob"), "{}", young.stderr);
    let dry = home.command(&["gc", "--older-than", "0"]).run();
    assert!(
        dry.stdout.contains(".md") && dry.stderr.contains("`plimsoll gc --yes` removes them"),
        "{}",
        dry.stderr
    );
    let gone = home.command(&["gc", "--older-than", "0", "--yes"]).run();
    assert!(gone.stderr.contains("removed 1 blob,"), "{}", gone.stderr);
    let again = home.command(&["gc", "--older-than", "0"]).run();
    assert!(again.stderr.contains("nothing to remove"), "{}", again.stderr);
}

#[test]
fn dlv_1_a_file_rides_along_and_a_secret_does_not() {
    let (server, home) = home(8192);
    let (notes, key) = (home.path().join("notes.md"), home.path().join("id_rsa"));
    std::fs::write(&notes, "A mark on the hull.\n").unwrap();
    std::fs::write(&key, "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n").unwrap();
    let ran = home.send(&["-f", notes.to_str().unwrap(), "What is this?"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let body = posted(&server).remove(0);
    assert!(body.contains("What is this?") && body.contains("A mark on the hull."), "{body}");
    assert!(!body.contains("<<context") && !body.contains("/blobs/"), "{body}");
    home.send(&["-f", key.to_str().unwrap(), "hi"]).refused(1, "looks like a private key");
    home.send(&["-f", "/nowhere/at/all", "hi"]).refused(1, "there is no file");
    assert_eq!(posted(&server).len(), 1);
}

#[test]
fn a_large_file_is_shown_by_its_beginning() {
    let (_server, home) = home(8192);
    let path = home.path().join("wide.txt");
    std::fs::write(&path, format!("{}\nsecond\n{}", "x".repeat(9000), "more\n".repeat(9000)))
        .unwrap();
    home.command(&["files", "add", path.to_str().unwrap()]).run();
    let shown = home.command(&["files", "show", "wide.txt", "--lines", "2"]).run().stdout;
    assert!(shown.ends_with("x…\nsecond\n") && shown.len() < 6000, "{}", shown.len());
}

#[test]
fn what_is_only_shown_or_refused_leaves_no_file_behind() {
    let (server, home) = home(8192);
    let notes = home.path().join("notes.md");
    std::fs::write(&notes, "A mark on the hull.\n").unwrap();
    let dry = home.send(&["--dry-run", "-f", notes.to_str().unwrap(), "What is this?"]);
    assert!(dry.stdout.contains("A mark on the hull."), "{}", dry.stderr);
    home.send(&["-f", notes.to_str().unwrap(), "-f", "/nowhere/at/all", "hi"])
        .refused(1, "there is no file");
    let listed = home.command(&["files", "--json"]).run().json();
    assert_eq!(listed["files"], serde_json::json!([]));
    assert_eq!(posted(&server).len(), 0);
}

#[test]
fn lim_3_a_file_over_the_limit_says_what_can_be_done() {
    let (server, home) = home(4096);
    let log = home.path().join("big.log");
    std::fs::write(&log, "a line\n".repeat(2600)).unwrap();
    let path = log.to_str().unwrap();
    let refused = home.send(&["-f", path, "Why?"]);
    assert_eq!(refused.code, 1);
    let said = &refused.stderr;
    assert!(said.contains("limit") && said.contains("--first"), "{said}");
    let first = home.send(&["-f", path, "--first", "4", "Why?"]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    let body = posted(&server).remove(0);
    assert!(body.contains("[cut: the first 4095 of 18200 bytes]"), "{body}");
}

/// FIL-6: whose files are told of is an option.
#[test]
fn fil_6_the_scope_of_files_is_an_option() {
    let (server, home) = home(32_768);
    let models = home.path().join("models.toml");
    let text = std::fs::read_to_string(&models).unwrap();
    std::fs::write(models, format!("{text}tools = true\n")).unwrap();
    let path = home.path().join("notes.md");
    std::fs::write(&path, "# Load line\nA mark on the hull.\n").unwrap();
    home.send(&["-f", path.to_str().unwrap(), "Read this"]);
    for (scope, told) in
        [("conversation", false), ("pinned", false), ("all", true), ("none", false)]
    {
        let ran = home.send(&["--files-scope", scope, "hello"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let last = posted(&server).pop().unwrap();
        assert_eq!(last.contains("- notes.md ("), told, "{scope}: {last}");
    }
    let ran = home.send(&["--files-scope", "some", "x"]);
    assert!(ran.code == 2 && ran.stderr.contains("conversation, pinned, all, none"));
}
