//! REL-1, BLB-5: an import that is killed at any instant leaves whole blobs or none.
//!
//! The test starts itself again as a child that does nothing but take in, kills it, and looks
//! at what is left.

#![allow(clippy::unwrap_used)]

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, SystemTime},
};

use plimsoll_blobs::Blobs;

const CONTEXT: &str = "PLIMSOLL_TEST_KILLED_CONTEXT";

/// The child: takes in large and small contents, alone and together, for ever.
#[test]
fn child() {
    let Some(context) = std::env::var_os(CONTEXT).map(PathBuf::from) else { return };
    let blobs = Blobs::open(context).unwrap();
    for n in u64::from(std::process::id()) << 32.. {
        let mut intake = blobs.begin("large.bin", None).unwrap();
        for part in 0..40 {
            intake.write(&[&n.to_le_bytes(), [part; 65_000].as_slice()].concat()).unwrap();
        }
        println!("\ntaking in");
        intake.finish().unwrap();
        let mut batch = blobs.batch();
        for small in 0..40 {
            let mut intake = blobs.begin("small.txt", None).unwrap();
            intake.write(format!("{n} {small}").as_bytes()).unwrap();
            batch.add(intake).unwrap();
        }
        batch.finish().unwrap();
    }
}

fn kill_after(context: &Path, pause: Duration) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(CONTEXT, context)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Kept open until the end: a child without a reader would end by itself.
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(said.any(|line| line == "taking in"), "the child never began");
    std::thread::sleep(pause);
    child.kill().unwrap();
    let end = child.wait().unwrap();
    assert_ne!(end.code(), Some(0), "it was killed in the middle");
    #[cfg(unix)]
    assert_eq!(end.code(), None, "it ended by a signal, not by itself");
}

#[test]
fn killed_imports_leave_whole_blobs_or_none() {
    let dir = tempfile::tempdir().unwrap();
    let context = dir.path().join("context");
    let blobs = Blobs::open(&context).unwrap();
    let mut left_over = 0;
    for round in 0..12 {
        kill_after(&context, Duration::from_micros(round * 1_700));
        for stored in blobs.list().unwrap() {
            blobs.read(&stored.name, u64::MAX).unwrap();
            assert!(stored.size > 0);
        }
        let names = std::fs::read_dir(context.join("blobs")).unwrap().count();
        assert_eq!(names, blobs.list().unwrap().len(), "nothing in blobs/ that is no blob");
        left_over += blobs.sweep(SystemTime::now() + Duration::from_secs(9)).unwrap().files;
        assert_eq!(std::fs::read_dir(context.join("tmp")).unwrap().count(), 0);
    }
    assert!(left_over > 0, "no kill hit an import, so this showed nothing");
    let mut intake = blobs.begin("after.txt", None).unwrap();
    intake.write(b"the store still works").unwrap();
    assert!(intake.finish().unwrap().new);
}
