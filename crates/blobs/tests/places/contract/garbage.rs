//! What is needed no more goes, and nothing else.

use std::{
    collections::HashSet,
    time::{Duration, SystemTime},
};

use plimsoll_blobs::BlobError;

use super::{Backend, take_in};

const HOUR: Duration = Duration::from_secs(3600);

pub(crate) fn blb_4_garbage_is_what_nobody_keeps_and_is_old(backend: &dyn Backend) {
    let blobs = backend.open();
    assert_eq!(blobs.garbage(&HashSet::new(), SystemTime::now()).unwrap(), []);
    let kept = take_in(&blobs, "a.txt", b"kept");
    let old = take_in(&blobs, "b.txt", b"old");
    let fresh = take_in(&blobs, "c.txt", b"fresh");
    backend.age(&kept.name, 3 * HOUR);
    backend.age(&old.name, 3 * HOUR);
    let keep = HashSet::from([kept.hash.clone()]);
    let garbage = blobs.garbage(&keep, SystemTime::now() - HOUR).unwrap();
    assert_eq!(garbage.iter().map(|one| &one.name).collect::<Vec<_>>(), [&old.name]);
    assert_eq!(garbage[0].size, 3);
    assert!(blobs.discard(&garbage[0]).unwrap());
    assert!(!blobs.discard(&garbage[0]).unwrap(), "it is gone");
    assert!(matches!(blobs.open_blob(&old.name), Err(BlobError::Missing(_))));
    let mut left: Vec<_> = blobs.list().unwrap().into_iter().map(|one| one.name).collect();
    let mut expected = vec![kept.name, fresh.name];
    left.sort();
    expected.sort();
    assert_eq!(left, expected);
}

/// Another node may have taken it in a moment ago, and its message is not written yet.
pub(crate) fn blb_4_what_is_taken_in_again_is_no_garbage(backend: &dyn Backend) {
    let blobs = backend.open();
    let blob = take_in(&blobs, "a.txt", b"again");
    backend.age(&blob.name, 3 * HOUR);
    let grace = || SystemTime::now() - HOUR;
    let found = blobs.garbage(&HashSet::new(), grace()).unwrap();
    assert_eq!(found.len(), 1);
    let other = backend.elsewhere();
    assert!(!take_in(&other, "b.md", b"again").new);
    assert!(!blobs.discard(&found[0]).unwrap(), "it was taken in since it was found");
    assert_eq!(blobs.garbage(&HashSet::new(), grace()).unwrap(), []);
    assert_eq!(other.read(&blob.name, 99).unwrap(), b"again");
    // Its time is that of the last time, and nothing is left of it when it goes.
    let listed = blobs.list().unwrap();
    assert!(blobs.discard(&listed[0]).unwrap());
    assert_eq!(blobs.list().unwrap(), []);
    assert!(take_in(&blobs, "a.txt", b"again").new);
}

pub(crate) fn tea_2_foreign_names_are_no_blobs(backend: &dyn Backend) {
    let blobs = backend.open();
    let blob = take_in(&blobs, "a.txt", b"ours");
    for foreign in ["foreign.txt", "README", &format!("{}.PNG", "1".repeat(64))] {
        backend.write(foreign, b"not ours");
    }
    let listed = blobs.list().unwrap();
    assert_eq!(listed.iter().map(|one| &one.name).collect::<Vec<_>>(), [&blob.name]);
    let garbage = blobs.garbage(&HashSet::new(), SystemTime::now() + HOUR).unwrap();
    assert_eq!(garbage.len(), 1);
}

pub(crate) fn tea_2_what_dead_runs_left_is_swept(backend: &dyn Backend) {
    let blobs = backend.open();
    let mut alive = blobs.begin("a.txt", None).unwrap();
    alive.write(b"still here").unwrap();
    assert_eq!(blobs.sweep(SystemTime::now() - HOUR).unwrap().files, 0);
    let mut dead = blobs.begin("b.txt", None).unwrap();
    dead.write(b"half").unwrap();
    // A process that is killed does not come to its end.
    std::mem::forget(dead);
    assert!(alive.finish().unwrap().new);
    assert_eq!(blobs.sweep(SystemTime::now() + HOUR).unwrap().files, 1);
    assert_eq!(blobs.list().unwrap().len(), 1);
}
