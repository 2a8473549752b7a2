//! The copies of an object store's blobs can be damaged, thrown away and shared.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use plimsoll_blobs::{Blobs, S3Store};
use plimsoll_testkit::s3_server::S3Server;
use tempfile::TempDir;

use crate::contract::take_in;

fn blobs_with(server: &S3Server, dir: &Path, room: u64) -> Blobs {
    let (address, variables) = (server.address("files"), server.variables());
    let store = S3Store::connect_with(&address, variables, dir.join("copies"), room).unwrap();
    Blobs::open_s3(dir.join("context"), &store, &["default", "main"]).unwrap()
}

#[test]
fn tea_1_a_damaged_copy_is_fetched_again() {
    let (server, dir) = (S3Server::start().unwrap(), TempDir::new().unwrap());
    let blobs = blobs_with(&server, dir.path(), 1 << 20);
    let blob = take_in(&blobs, "a.txt", b"content");
    let copy = blobs.local_path(&blob.name).unwrap();
    assert_ne!(copy, blobs.path(&blob.name));
    for damage in [b"Content".as_slice(), b"con", b""] {
        std::fs::write(&copy, damage).unwrap();
        assert_eq!(blobs.read(&blob.name, 99).unwrap(), b"content");
        assert_eq!(std::fs::read(&copy).unwrap(), b"content");
    }
    std::fs::remove_dir_all(dir.path().join("copies")).unwrap();
    assert_eq!(blobs.read(&blob.name, 99).unwrap(), b"content");
}

/// What is open stays readable, whoever needs room, and what is thrown away is fetched again.
#[test]
fn tea_1_several_processes_share_copies_within_a_bound() {
    let (server, dir) = (S3Server::start().unwrap(), TempDir::new().unwrap());
    let handles: Vec<Blobs> = (0..3).map(|_| blobs_with(&server, dir.path(), 100_000)).collect();
    let contents: Vec<Vec<u8>> = (0..40).map(|n| vec![n; 9_000 + usize::from(n)]).collect();
    let taken: Vec<_> = contents.iter().map(|one| take_in(&handles[0], "a.bin", one)).collect();
    let copies = || -> Vec<PathBuf> {
        let found = std::fs::read_dir(dir.path().join("copies/default/main")).unwrap();
        found.map(|entry| entry.unwrap().path()).collect()
    };
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    for copy in copies() {
        let file = std::fs::File::options().append(true).open(copy).unwrap();
        file.set_modified(long_ago).unwrap();
    }
    let mut open = handles[0].open_blob(&taken[0].name).unwrap();
    std::thread::scope(|scope| {
        for blobs in &handles {
            let (taken, contents) = (&taken, &contents);
            scope.spawn(move || {
                for (blob, content) in taken.iter().zip(contents).rev() {
                    assert_eq!(&blobs.read(&blob.name, u64::MAX).unwrap(), content);
                }
            });
        }
    });
    for copy in copies() {
        let file = std::fs::File::options().append(true).open(copy).unwrap();
        file.set_modified(long_ago).unwrap();
    }
    take_in(&blobs_with(&server, dir.path(), 100_000), "b.bin", b"one more");
    let held: u64 = copies().iter().map(|path| path.metadata().unwrap().len()).sum();
    assert!(held <= 100_000, "{held}");
    let mut read = Vec::new();
    open.read_to_end(&mut read).unwrap();
    assert_eq!(read, contents[0]);
    assert_eq!(handles[1].list().unwrap().len(), 41, "nothing of the store itself went");
}
