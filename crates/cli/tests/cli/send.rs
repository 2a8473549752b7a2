//! `plimsoll send` against a server that follows a script.

use std::{path::Path, time::Duration};

use plimsoll_testkit::scripted::{Reply, ScriptedServer};

use crate::run::{Plimsoll, Ran, plimsoll};

/// A home with one model that the scripted server serves.
pub(crate) struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    pub(crate) fn new(server: &ScriptedServer, window: u64) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let model = format!(
            "[[model]]\nid = \"test\"\nprovider = \"openai\"\nbaseUrl = \"{}\"\n\
             keyEnv = \"PLIMSOLL_TEST_KEY\"\ncontextWindow = {window}\n",
            server.base_url()
        );
        std::fs::write(dir.path().join("models.toml"), model).unwrap();
        Self { dir }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Plimsoll {
        plimsoll(args)
            .env("PLIMSOLL_CONFIG_DIR", self.path())
            .env("PLIMSOLL_DATA_DIR", self.path().join("data"))
            .env("PLIMSOLL_DEFAULT_MODEL", "test")
            .env("PLIMSOLL_TEST_KEY", "sk-canary-0123456789abcdef")
    }

    pub(crate) fn send(&self, args: &[&str]) -> Ran {
        let all: Vec<&str> = ["send"].iter().chain(args).copied().collect();
        self.command(&all).run()
    }
}

/// The bodies of the calls, without the questions for models.
pub(crate) fn posted(server: &ScriptedServer) -> Vec<String> {
    let requests = server.requests().into_iter();
    requests.filter(|request| request.method == "POST").map(|request| request.body).collect()
}

#[test]
fn an_answer_comes_to_standard_output_and_its_receipt_beside_it() {
    let server =
        ScriptedServer::always(Reply::openai(&["A mark ", "on the hull."], 14, 6)).unwrap();
    let home = Home::new(&server, 4096);
    let ran = home.send(&["What is a load line?"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "A mark on the hull.\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("test · estimate ") && ran.stderr.contains("used 14 + 6 · error "));
    assert!(ran.stderr.trim_end().ends_with("0 / 0"), "{}", ran.stderr);
    let next = home.send(&["-c", "And today?"]);
    assert_eq!(next.code, 0, "{}", next.stderr);
    let body = posted(&server).remove(1);
    assert!(body.contains("What is a load line?") && body.contains("on the hull."), "{body}");
    let receipts = home.command(&["receipts", "--json"]).run();
    assert_eq!(receipts.stdout.lines().count(), 2, "{}", receipts.stdout);
    assert_eq!(home.command(&["doctor"]).run().code, 1, "the embedded model is not there");
}

#[test]
fn a_dry_run_prints_the_request_and_sends_nothing() {
    let server = ScriptedServer::always(Reply::openai(&["no"], 1, 1)).unwrap();
    let home = Home::new(&server, 4096);
    let ran = home.command(&["send", "--dry-run", "Review this"]).input("a\nb\n").run();
    let request = ran.json();
    assert_eq!(request["messages"][0]["content"], "Review this\n\n```\na\nb\n```");
    assert!(server.requests().iter().all(|request| request.method == "GET"));
}

#[test]
fn overflow_is_trimmed_and_told() {
    let answers = [
        Reply::openai(&["one"], 9, 1),
        Reply::openai(&["two"], 20, 1),
        Reply::overflow(64, 90),
        Reply::openai(&["three"], 20, 1),
    ];
    let server = ScriptedServer::chats(answers).unwrap();
    let home = Home::new(&server, 4096);
    assert_eq!(home.send(&["first"]).code, 0);
    assert_eq!(home.send(&["-c", "second"]).code, 0);
    let ran = home.send(&["-c", "third"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "three\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("[2-1]/2"), "REC-3: {}", ran.stderr);
    assert!(ran.stderr.contains("the oldest pair was left out"), "REC-4: {}", ran.stderr);
}

#[test]
fn faults_say_their_label_and_their_own_words() {
    for (reply, label) in [
        (Reply::auth(), "[error: auth]"),
        (Reply::model_missing("test"), "[error: model]"),
        (Reply::quota(), "[error: quota]"),
        (Reply::content_filter(), "[error: filter]"),
    ] {
        let server = ScriptedServer::always(reply).unwrap();
        let ran = Home::new(&server, 4096).send(&["hello"]);
        assert_eq!((ran.code, ran.stdout.trim()), (1, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains(label), "{label}: {}", ran.stderr);
    }
}

#[test]
fn a_rate_limit_is_waited_out() {
    let posts = std::sync::atomic::AtomicUsize::new(0);
    let server = ScriptedServer::answering(move |request| match request.method.as_str() {
        "POST" if posts.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0 => {
            Reply::rate(Some(Duration::from_secs(1)))
        }
        _ => Reply::openai(&["late"], 9, 1),
    })
    .unwrap();
    let ran = Home::new(&server, 4096).send(&["hello"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "late\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("trying again in 1."), "{}", ran.stderr);
}

#[test]
fn over_budget_without_a_terminal_blocks_with_suggestions() {
    let server = ScriptedServer::always(Reply::openai(&["x"], 14, 1)).unwrap();
    let home = Home::new(&server, 200);
    assert_eq!(home.send(&["one two three four five six seven eight nine ten"]).code, 0);
    let long = "word ".repeat(182);
    let ran = home.send(&["-c", &long]);
    ran.refused(1, "over the limit of 200 by");
    assert!(ran.stderr.contains("note: send it and trim as needed"), "{}", ran.stderr);
    let huge = "word ".repeat(400);
    home.send(&[&huge]).refused(1, "the message alone is larger than the limit of 200 tokens");
    assert_eq!(home.send(&["-c", "--over-budget", "fit", &long]).code, 0);
}

#[test]
fn a_wrong_filter_is_told_before_a_provider_is_looked_for() {
    let server = ScriptedServer::always(Reply::auth()).unwrap();
    let home = Home::new(&server, 4096);
    home.send(&["-m", "nobody-serves-this", "hello"]).refused(1, "no provider is set up for");
    let ran = home.send(&["-m", "nobody-serves-this", "--filter", "s9", "hello"]);
    ran.refused(2, "the filter is not right");
}

#[test]
fn sec_4_the_key_is_nowhere() {
    let server = ScriptedServer::always(Reply::auth()).unwrap();
    let home = Home::new(&server, 4096);
    let ran = home.send(&["hello"]);
    let canary = "canary-0123456789abcdef";
    let sent = server.requests();
    assert!(sent.iter().any(|r| r.header("authorization").is_some_and(|v| v.contains(canary))));
    assert!(!ran.stderr.contains(canary) && !ran.stdout.contains(canary));
    for entry in walk(home.path()) {
        let bytes = std::fs::read(&entry).unwrap();
        let found = bytes.windows(canary.len()).any(|window| window == canary.as_bytes());
        assert!(!found, "{}", entry.display());
    }
}

fn walk(dir: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(walk(&path)) } else { found.push(path) }
    }
    found
}

#[test]
fn keys_are_kept_for_their_owner_alone_and_never_printed() {
    let home = Home::new(&ScriptedServer::always(Reply::auth()).unwrap(), 4096);
    let set = home.command(&["keys", "set", "mistral", "--file"]).input("sk-secret-123456\n").run();
    assert_eq!(set.code, 0, "{}", set.stderr);
    let list = home.command(&["keys", "list"]).run();
    assert!(list.stdout.contains("mistral      stored in a file"), "{}", list.stdout);
    assert!(!format!("{}{}{}", list.stdout, list.stderr, set.stderr).contains("sk-secret"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(home.path().join("keys.toml")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert_eq!(home.command(&["keys", "rm", "mistral"]).run().code, 0);
    home.command(&["keys", "rm", "mistral"]).run().refused(1, "no stored key");
    home.command(&["keys", "set", "mistral"]).run().refused(2, "that is no key");
}

#[test]
fn topics_have_paths_and_a_system_message_that_is_sent() {
    let server = ScriptedServer::always(Reply::openai(&["ok"], 9, 1)).unwrap();
    let home = Home::new(&server, 4096);
    let add = ["topics", "add", "/Sea/Ships", "--system", "Speak like a sailor."];
    assert_eq!(home.command(&add).run().code, 0);
    let request = home.send(&["--dry-run", "--topic", "/Sea/Ships", "hello"]).json();
    assert_eq!(request["messages"][0]["content"], "Speak like a sailor.");
    home.send(&["--topic", "/Moon", "hello"]).refused(1, "there is no topic '/Moon'");
    let listed = home.command(&["topics"]).run();
    assert!(listed.stdout.contains("/Sea/Ships"), "{}", listed.stdout);
    assert_eq!(home.command(&["topics", "rm", "/Sea/Ships"]).run().code, 0);
}
