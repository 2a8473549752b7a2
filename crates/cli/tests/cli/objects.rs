//! Files in an object store (TEA-1): the commands that people use, on a real one.

use plimsoll_testkit::{
    s3_server::S3Server,
    scripted::{Reply, ScriptedServer},
};

use crate::{
    run::{Plimsoll, Ran},
    send::{Home, posted},
};

/// A machine whose files are in a bucket.
struct Machine {
    home: Home,
    variables: Vec<(String, String)>,
}

impl Machine {
    fn new(answering: &ScriptedServer, objects: &S3Server, prefix: &str) -> Self {
        let mut variables = objects.variables();
        variables.push(("PLIMSOLL_BLOBS".to_owned(), objects.address(prefix)));
        // Whatever is logged is looked through for keys.
        variables.push(("PLIMSOLL_LOG".to_owned(), "debug".to_owned()));
        Self { home: Home::new(answering, 8192), variables }
    }

    fn command(&self, args: &[&str]) -> Plimsoll {
        let command = self.home.command(args).within(self.home.path());
        self.variables.iter().fold(command, |command, (name, value)| command.env(name, value))
    }

    #[track_caller]
    fn run(&self, args: &[&str]) -> Ran {
        told_no_key(self.command(args).run())
    }

    #[track_caller]
    fn does(&self, args: &[&str]) -> Ran {
        let ran = self.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        ran
    }
}

#[track_caller]
fn told_no_key(ran: Ran) -> Ran {
    for secret in [S3Server::KEY_ID, S3Server::SECRET] {
        assert!(!ran.stdout.contains(secret) && !ran.stderr.contains(secret), "{}", ran.stderr);
    }
    ran
}

fn answering() -> ScriptedServer {
    ScriptedServer::always(Reply::openai(&["read"], 40, 1)).unwrap()
}

fn blobs_of(objects: &S3Server) -> Vec<String> {
    let keys = objects.keys().into_iter();
    keys.filter(|key| key.contains("/blobs/")).collect()
}

#[test]
fn tea_1_files_come_go_along_and_go_from_an_object_store() {
    let (server, objects) = (answering(), S3Server::start().unwrap());
    let machine = Machine::new(&server, &objects, "team");
    std::fs::write(machine.home.path().join("notes.md"), "A mark on the hull.\n").unwrap();
    machine.does(&["files", "add", "notes.md"]);
    let name = format!("{}.md", blake3::hash(b"A mark on the hull.\n").to_hex());
    assert_eq!(objects.keys(), [format!("team/default/main/blobs/{name}")]);
    let context = machine.home.path().join("data/conversations/default/main/context");
    assert!(!context.join("blobs").exists(), "the data directory holds copies alone");
    assert!(machine.does(&["files", "show", "notes.md"]).stdout.contains("A mark on the hull."));
    machine.does(&["send", "-f", "notes.md", "What is this?"]);
    assert!(posted(&server)[0].contains("A mark on the hull."));
    // Copies are thrown away, and nobody notices.
    std::fs::remove_dir_all(machine.home.path().join("data/copies")).unwrap();
    machine.does(&["send", "-c", "And again?"]);
    assert!(posted(&server)[1].contains("A mark on the hull."));
    // BLB-4: what a message needs stays; what nobody needs goes when it is old enough.
    std::fs::write(machine.home.path().join("draft.txt"), "not needed").unwrap();
    machine.does(&["files", "add", "draft.txt"]);
    machine.does(&["files", "rm", "draft.txt"]);
    let deletions = machine.does(&["undo", "--list", "--json"]).json();
    let id = deletions["deletions"][0]["id"].as_str().unwrap().to_owned();
    machine.does(&["undo", &id, "--for-good"]);
    let young = machine.does(&["gc", "--yes"]);
    assert!(young.stderr.contains("nothing to remove; 10 B in 1 blob"), "{}", young.stderr);
    assert_eq!(blobs_of(&objects).len(), 2);
    let gone = machine.does(&["gc", "--older-than", "0", "--yes"]);
    assert!(gone.stderr.contains("removed 1 blob, 10 B"), "{}", gone.stderr);
    assert_eq!(blobs_of(&objects), [format!("team/default/main/blobs/{name}")]);
}

#[test]
fn tea_1_verify_export_and_import_work_on_an_object_store() {
    let (server, objects) = (answering(), S3Server::start().unwrap());
    let one = Machine::new(&server, &objects, "one");
    std::fs::write(one.home.path().join("notes.md"), "A mark on the hull.\n").unwrap();
    one.does(&["send", "-f", "notes.md", "What is this?"]);
    let verified = one.does(&["verify", "--read-data"]);
    assert!(verified.stdout.contains('1') && !verified.stdout.contains("bytes of its name"));
    one.does(&["export", "-o", "all.zip"]);
    let told = one.does(&["backup", "copy.db"]);
    assert!(told.stderr.contains("20 B, in s3://plimsoll-test/one;"), "{}", told.stderr);
    // Into another part of the bucket, and into a folder; each gives the same archive again.
    let archive = std::fs::read(one.home.path().join("all.zip")).unwrap();
    let (two, mut folder) = (Machine::new(&server, &objects, "two"), one.variables.clone());
    folder.retain(|(name, _)| name != "PLIMSOLL_BLOBS");
    let folder = Machine { home: Home::new(&server, 8192), variables: folder };
    for other in [&two, &folder] {
        let came = other.command(&["import", "-"]).input(&archive).run();
        assert_eq!(came.code, 0, "{}", came.stderr);
        other.does(&["export", "-o", "again.zip"]);
        assert_eq!(std::fs::read(other.home.path().join("again.zip")).unwrap(), archive);
    }
    assert_eq!(blobs_of(&objects).len(), 2);
    let own = plimsoll_testkit::switch::blobs_of(&folder.home.path().join("data"), "default/main");
    assert_eq!(own.len(), 1);
    // What was altered in the bucket is damage, whatever copies there are.
    std::fs::write(objects.bucket_dir().join(&blobs_of(&objects)[0]), "A mark on the HULL.\n")
        .unwrap();
    let damaged = one.run(&["verify", "--read-data"]);
    assert_eq!(damaged.code, 1, "{}", damaged.stderr);
    let said = format!("{}{}", damaged.stdout, damaged.stderr);
    assert!(said.contains("does not hold the bytes of its name"), "{said}");
}

#[test]
fn tea_1_what_is_wrong_with_the_store_is_one_line() {
    let (server, mut objects) = (answering(), S3Server::start().unwrap());
    let machine = Machine::new(&server, &objects, "team");
    std::fs::write(machine.home.path().join("notes.md"), "A mark on the hull.\n").unwrap();
    let with = |name: &str, value: &str| {
        let ran = machine.command(&["files", "add", "notes.md"]).env(name, value).run();
        told_no_key(ran)
    };
    with("AWS_SECRET_ACCESS_KEY", "wrong").refused(1, "refuses the keys");
    with("AWS_SECRET_ACCESS_KEY", "").refused(2, "set both");
    with("AWS_ALLOW_HTTP", "").refused(2, "AWS_ALLOW_HTTP=true");
    with("PLIMSOLL_BLOBS", "s3://nobody-made-it").refused(1, "there is no bucket 'nobody-made-it'");
    with("PLIMSOLL_BLOBS", "s3://a/b?c").refused(2, "is no address of an object store");
    with("PLIMSOLL_BLOBS", "team").refused(2, "s3://bucket/prefix");
    let flag = ["files", "add", "notes.md", "--blobs", "s3://nobody-made-it"];
    machine.run(&flag).refused(1, "there is no bucket 'nobody-made-it'");
    // Whoever serves is told before anybody comes.
    let serve = ["serve", "--addr", "127.0.0.1:0", "--blobs", "s3://nobody-made-it"];
    machine.run(&serve).refused(2, "there is no bucket 'nobody-made-it'");
    objects.stop();
    machine.run(&["files", "add", "notes.md"]).refused(1, "cannot be reached (no connection)");
    machine.run(&["gc", "--yes"]).refused(1, "cannot be reached");
    machine.run(&["verify"]).refused(1, "cannot be reached");
    // Nothing is left of all that, and what has to do with no file goes on.
    assert_eq!(machine.does(&["files", "--json"]).json()["files"].as_array().unwrap().len(), 0);
    machine.does(&["send", "Hello?"]);
    objects.start_again().unwrap();
    machine.does(&["files", "add", "notes.md"]);
    assert_eq!(blobs_of(&objects).len(), 1);
    // A message is not sent without its file because the store is away.
    let sent = posted(&server).len();
    objects.stop();
    std::fs::remove_dir_all(machine.home.path().join("data/copies")).unwrap();
    machine.run(&["send", "-f", "notes.md", "hi"]).refused(1, "cannot be reached");
    assert_eq!(posted(&server).len(), sent);
}
