//! Every rule of the contract, on a part of its own of a bucket.

use std::{
    fs::{self, File},
    path::PathBuf,
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime},
};

use plimsoll_blobs::{BlobName, Blobs, S3Store};
use plimsoll_testkit::s3_server::S3Server;
use tempfile::TempDir;

use crate::contract::{Backend, take_in};

/// One server for all rules: each has a part of the bucket for itself.
fn server() -> &'static S3Server {
    static SERVER: OnceLock<S3Server> = OnceLock::new();
    SERVER.get_or_init(|| S3Server::start().unwrap())
}

struct S3 {
    prefix: String,
    store: S3Store,
    machines: Mutex<Vec<TempDir>>,
}

fn s3() -> S3 {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let prefix = format!("rule-{}/files", NEXT.fetch_add(1, Ordering::Relaxed));
    let dir = TempDir::new().unwrap();
    let store = connect(&prefix, dir.path().join("copies"));
    S3 { prefix, store, machines: Mutex::new(vec![dir]) }
}

fn connect(prefix: &str, copies: PathBuf) -> S3Store {
    S3Store::connect(&server().address(prefix), server().variables(), copies).unwrap()
}

impl S3 {
    fn file(&self, name: &str) -> PathBuf {
        server().bucket_dir().join(&self.prefix).join("default/main/blobs").join(name)
    }
}

impl Backend for S3 {
    fn workspace(&self, name: &str) -> Blobs {
        let context = self.machines.lock().unwrap()[0].path().join(name).join("context");
        Blobs::open_s3(context, &self.store, &["default", name]).unwrap()
    }

    /// A machine without any copy.
    fn elsewhere(&self) -> Blobs {
        let dir = TempDir::new().unwrap();
        let store = connect(&self.prefix, dir.path().join("copies"));
        let context = dir.path().join("context");
        self.machines.lock().unwrap().push(dir);
        Blobs::open_s3(context, &store, &["default", "main"]).unwrap()
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.file(name), bytes).unwrap();
    }

    fn lose(&self, name: &BlobName) {
        fs::remove_file(self.file(&name.to_string())).unwrap();
    }

    fn age(&self, name: &BlobName, by: Duration) {
        let file = File::options().append(true).open(self.file(&name.to_string())).unwrap();
        file.set_modified(SystemTime::now() - by).unwrap();
    }
}

crate::contract::contract_tests!(s3());

/// What is new goes up under a condition, what is large in parts, and what is there not at all.
#[test]
fn tea_1_bytes_go_up_under_a_condition() {
    let server = S3Server::start().unwrap();
    let dir = TempDir::new().unwrap();
    let store =
        S3Store::connect(&server.address("a"), server.variables(), dir.path().join("copies"));
    let blobs = Blobs::open_s3(dir.path(), &store.unwrap(), &["p%20q", "w"]).unwrap();
    let blob = take_in(&blobs, "a.txt", b"small");
    let key = format!("a/p%2520q/w/blobs/{}", blob.name);
    let puts = |server: &S3Server| -> Vec<String> {
        let asked = server.asked();
        asked.into_iter().filter(|line| line.starts_with('P')).collect()
    };
    let (condition, asked) = (" if-none-match: *", puts(&server));
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(
        asked[0].ends_with(condition) && asked[0].contains(&blob.name.to_string()),
        "{asked:?}"
    );
    assert!(!take_in(&blobs, "b.txt", b"small").new);
    let asked = puts(&server);
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(asked[0].contains("/touched/") && !asked[0].contains("/blobs/"), "{asked:?}");
    take_in(&blobs, "a.bin", &crate::contract::noise(20 << 20));
    let asked = puts(&server);
    let parts = asked.iter().filter(|line| line.contains("partNumber=")).count();
    assert_eq!((asked.len(), parts), (5, 3), "begun, three parts, completed: {asked:?}");
    assert_eq!(server.keys().len(), 3, "{:?} {key}", server.keys());
}
