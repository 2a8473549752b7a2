//! Taking in, storing once, reading back, clearing away.

use std::{
    cell::Cell,
    collections::HashSet,
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

use plimsoll_domain::FileKind;
use proptest::prelude::*;

use crate::{Blob, BlobError, BlobName, Blobs, Progress, name::is_extension};

/// A store in a directory that is gone afterwards.
pub(crate) fn store() -> (tempfile::TempDir, Blobs) {
    let dir = tempfile::tempdir().unwrap();
    let blobs = Blobs::open(dir.path().join("context")).unwrap();
    (dir, blobs)
}

/// Takes in bytes in parts of this size.
pub(crate) fn take_in(blobs: &Blobs, name: &str, bytes: &[u8], part: usize) -> Blob {
    let mut intake = blobs.begin(name, None).unwrap();
    bytes.chunks(part.max(1)).for_each(|part| intake.write(part).unwrap());
    intake.finish().unwrap()
}

fn files_in(dir: &Path) -> usize {
    fs::read_dir(dir).map_or(0, Iterator::count)
}

fn utf16(text: &str) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

/// Bytes of many kinds, some of them broken.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let beginning = prop::sample::select(vec![
        b"\x89PNG\r\n\x1a\n".to_vec(),
        b"\xff\xd8\xff\xe0".to_vec(),
        b"GIF89a".to_vec(),
        b"RIFF\0\0\0\0WEBPVP8 ".to_vec(),
        b"BM".to_vec(),
        b"PK\x03\x04".to_vec(),
        b"OggS\0".to_vec(),
        b"%PDF-1.7".to_vec(),
        b"<!doctype html>".to_vec(),
        b"\xff\xfe".to_vec(),
        b"\xef\xbb\xbf".to_vec(),
    ]);
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        any::<String>().prop_map(String::into_bytes),
        any::<String>().prop_map(|text| utf16(&text)),
        (beginning, prop::collection::vec(any::<u8>(), 0..200)).prop_map(|(a, b)| [a, b].concat()),
        ("[a-zä€😀]{1,40}", 16_300_usize..16_500)
            .prop_map(|(text, size)| { text.bytes().cycle().take(size).collect() }),
    ]
}

fn any_name() -> impl Strategy<Value = String> {
    let ending = prop::sample::select(vec!["", "txt", "PNG", "md", "pdf", "ogg", "docx", "foo"]);
    prop_oneof![
        Just(String::new()),
        any::<String>(),
        ("[a-z./\\\\]{0,10}", ending).prop_map(|(stem, ending)| format!("{stem}.{ending}")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// BLB-1, BLB-2: how bytes are cut on their way changes nothing, and they are stored once.
    #[test]
    fn any_cut_of_any_bytes_gives_the_same_blob(
        name in any_name(),
        bytes in content(),
        part in prop_oneof![1_usize..5, 5_usize..400],
    ) {
        let (_dir, blobs) = store();
        let first = take_in(&blobs, &name, &bytes, usize::MAX);
        let second = take_in(&blobs, &name, &bytes, part);
        prop_assert!(first.new && !second.new);
        prop_assert_eq!(&Blob { new: true, ..second }, &first);
        prop_assert_eq!(files_in(&blobs.shared.blobs), 1);
        prop_assert_eq!(files_in(&blobs.shared.tmp), 0);
        let stored = blobs.read(&first.name, u64::MAX).unwrap();
        prop_assert_eq!(stored.len() as u64, first.size);
        let converted = first.facts.is_text && bytes.first().is_some_and(|byte| *byte >= 0xfe);
        prop_assert!(converted || stored == bytes);
        if first.facts.is_text {
            prop_assert!(String::from_utf8(stored).is_ok());
        }
    }

    /// BLB-1: the ending keeps its rule, and the name is that of the hash.
    #[test]
    fn a_blob_is_named_by_its_bytes(name in any_name(), bytes in content()) {
        let (_dir, blobs) = store();
        let blob = take_in(&blobs, &name, &bytes, 64);
        prop_assert!(is_extension(&blob.extension));
        let stored = blobs.read(&blob.name, u64::MAX).unwrap();
        prop_assert_eq!(blake3::hash(&stored).to_hex().to_string(), blob.hash.to_string());
        let path = blobs.path(&blob.name);
        prop_assert_eq!(path.parent(), Some(blobs.shared.blobs.as_path()));
    }

    /// A batch gives what single imports give.
    #[test]
    fn a_batch_gives_the_same_blobs(all in prop::collection::vec((any_name(), content()), 0..24)) {
        let ((_a, single), (_b, together)) = (store(), store());
        let mut batch = together.batch();
        let mut expected = Vec::new();
        for (name, bytes) in &all {
            expected.push(take_in(&single, name, bytes, 100));
            let mut intake = together.begin(name, None).unwrap();
            intake.write(bytes).unwrap();
            batch.add(intake).unwrap();
        }
        prop_assert_eq!(files_in(&together.shared.blobs), 0);
        prop_assert_eq!(batch.finish().unwrap(), expected);
        prop_assert_eq!(together.list().unwrap().len(), single.list().unwrap().len());
    }
}

#[test]
fn blb_1_the_same_bytes_are_stored_once_under_any_ending() {
    let (_dir, blobs) = store();
    let first = take_in(&blobs, "a.txt", b"same", 2);
    // A second handle, as another process would have.
    let other = Blobs::open(&blobs.shared.context).unwrap();
    let second = take_in(&other, "b.md", b"same", 3);
    assert_eq!((second.name, second.new), (first.name.clone(), false));
    assert_eq!(second.facts.mime, "text/markdown", "facts are those of the name this time");
    assert_eq!(take_in(&blobs, "c.rs", b"other", 9).extension, "rs");
    assert_eq!(blobs.list().unwrap().len(), 2);
}

#[test]
fn blb_1_pasted_text_is_txt_and_the_rest_is_bin() {
    let (_dir, blobs) = store();
    assert_eq!(take_in(&blobs, "", b"pasted", 9).extension, "txt");
    assert_eq!(take_in(&blobs, "noise", &[0xfd; 9], 9).extension, "bin");
    assert_eq!(take_in(&blobs, "", &[0xfe; 9], 9).extension, "bin");
    assert_eq!(take_in(&blobs, "Makefile", b"all:", 9).extension, "txt");
}

#[test]
fn ins_3_marked_utf16_becomes_utf8_under_a_name_of_text_only() {
    let (_dir, blobs) = store();
    let bytes = utf16("Grüße 😀\n");
    let blob = take_in(&blobs, "notes.txt", &bytes, 1);
    assert!(blob.facts.is_text);
    assert_eq!(blobs.read(&blob.name, 99).unwrap(), "Grüße 😀\n".as_bytes());
    assert_eq!(blob.hash.as_str(), blake3::hash("Grüße 😀\n".as_bytes()).to_hex().as_str());
    let kept = take_in(&blobs, "notes.foo", &bytes, 1);
    assert_eq!(blobs.read(&kept.name, 99).unwrap(), bytes);
    let broken = [bytes, vec![0x3d]].concat();
    let kept = take_in(&blobs, "notes.txt", &broken, 7);
    assert_eq!(blobs.read(&kept.name, 99).unwrap(), broken, "nothing is lost");
    assert!(!kept.facts.is_text && kept.facts.mismatch.is_some());
}

#[test]
fn blb_5_what_is_too_large_leaves_nothing() {
    let (_dir, blobs) = store();
    let mut intake = blobs.begin("a.txt", Some(10)).unwrap();
    intake.write(b"0123456789").unwrap();
    assert!(matches!(intake.write(b"x"), Err(BlobError::TooLarge { limit: 10 })));
    assert!(matches!(intake.write(b""), Err(BlobError::Spoiled)));
    assert!(matches!(intake.finish(), Err(BlobError::Spoiled)));
    assert_eq!((files_in(&blobs.shared.blobs), files_in(&blobs.shared.tmp)), (0, 0));
}

#[test]
fn blb_5_an_import_shows_progress_and_can_be_cancelled() {
    let (dir, blobs) = store();
    let path = dir.path().join("big.bin");
    fs::write(&path, vec![7; 3 << 20]).unwrap();
    let mut heard = Vec::new();
    let blob = blobs.import_file(&path, None, &mut |done, of| heard.push((done, of)), &|| false);
    assert_eq!(blob.unwrap().size, 3 << 20);
    assert_eq!(heard.last(), Some(&(3 << 20, Some(3 << 20))));
    assert!(heard.len() >= 3);
    let asked = Cell::new(0);
    let cancel = || {
        asked.set(asked.get() + 1);
        asked.get() > 2
    };
    fs::write(&path, vec![8; 3 << 20]).unwrap();
    let cancelled = blobs.import_file(&path, None, &mut |_, _| {}, &cancel);
    assert!(matches!(cancelled, Err(BlobError::Cancelled)));
    assert_eq!((files_in(&blobs.shared.blobs), files_in(&blobs.shared.tmp)), (1, 0));
}

#[test]
fn import_many_goes_on_after_a_bad_file() {
    let (dir, blobs) = store();
    let mut paths: Vec<_> = (0..30).map(|n| dir.path().join(format!("{n}.txt"))).collect();
    for (n, path) in paths.iter().enumerate() {
        fs::write(path, format!("file {}", n % 20)).unwrap();
    }
    paths.insert(3, dir.path().join("not there"));
    paths.insert(4, dir.path().to_owned());
    let mut last = None;
    let answers = blobs.import_many(&paths, Some(7), &mut |now| last = Some(now), &|| false);
    let answers = answers.unwrap();
    assert!(matches!(answers[3], Err(BlobError::NoSuchFile(_))));
    assert!(matches!(answers[4], Err(BlobError::NotAFile(_))));
    let (taken, bytes) = answers.iter().flatten().fold((0, 0), |(n, b), one| (n + 1, b + one.size));
    assert_eq!((taken, answers.iter().flatten().filter(|one| one.new).count()), (30, 20));
    assert_eq!(last, Some(Progress { files: 32, bytes }));
    let cancelled = blobs.import_many(&paths, None, &mut |_| {}, &|| true);
    assert!(matches!(cancelled, Err(BlobError::Cancelled)));
    assert_eq!((files_in(&blobs.shared.blobs), files_in(&blobs.shared.tmp)), (20, 0));
}

#[test]
fn rel_2_missing_and_altered_blobs_are_told_apart() {
    let (_dir, blobs) = store();
    let blob = take_in(&blobs, "a.txt", b"content", 9);
    assert!(matches!(blobs.read(&blob.name, 6), Err(BlobError::TooLarge { limit: 6 })));
    assert_eq!(blobs.read(&blob.name, 7).unwrap(), b"content");
    fs::write(blobs.path(&blob.name), b"Content").unwrap();
    assert!(matches!(blobs.read(&blob.name, 99), Err(BlobError::Altered(_))));
    // A torn one is put right when the same bytes come again.
    fs::write(blobs.path(&blob.name), b"con").unwrap();
    assert!(take_in(&blobs, "b.md", b"content", 9).new);
    assert_eq!(blobs.read(&blob.name, 99).unwrap(), b"content");
    fs::remove_file(blobs.path(&blob.name)).unwrap();
    assert!(matches!(blobs.read(&blob.name, 99), Err(BlobError::Missing(_))));
    assert!(take_in(&blobs, "a.txt", b"content", 9).new);
}

#[test]
fn blb_4_garbage_is_what_nobody_keeps_and_is_old() {
    let (_dir, blobs) = store();
    assert_eq!(blobs.garbage(&HashSet::new(), SystemTime::now()).unwrap(), []);
    let (kept, old, fresh) = (
        take_in(&blobs, "a.txt", b"kept", 9),
        take_in(&blobs, "b.txt", b"old", 9),
        take_in(&blobs, "c.txt", b"fresh", 9),
    );
    let long_ago = SystemTime::now() - Duration::from_secs(9_000);
    for blob in [&kept, &old] {
        let file = fs::File::options().append(true).open(blobs.path(&blob.name)).unwrap();
        file.set_modified(long_ago).unwrap();
    }
    fs::write(blobs.shared.blobs.join("foreign.txt"), "x").unwrap();
    let keep = HashSet::from([kept.hash.clone()]);
    let grace = SystemTime::now() - Duration::from_secs(3_600);
    let garbage = blobs.garbage(&keep, grace).unwrap();
    assert_eq!(garbage.iter().map(|one| &one.name).collect::<Vec<_>>(), [&old.name]);
    // The same bytes come again before it is removed: they stay.
    assert!(!take_in(&blobs, "b.txt", b"old", 9).new);
    assert!(!blobs.discard(&garbage[0]).unwrap());
    let garbage = blobs.garbage(&keep, SystemTime::now() + Duration::from_secs(60)).unwrap();
    assert_eq!(garbage.len(), 2);
    for one in &garbage {
        assert!(blobs.discard(one).unwrap());
    }
    assert_eq!(blobs.list().unwrap().len(), 1);
    assert!(take_in(&blobs, "c.txt", b"fresh", 9).new);
    blobs.remove(&fresh.name).unwrap();
    blobs.remove(&fresh.name).unwrap();
    assert!(matches!(blobs.open_blob(&fresh.name), Err(BlobError::Missing(_))));
    assert!(blobs.shared.blobs.join("foreign.txt").exists());
}

#[test]
fn a_sweep_removes_what_dead_runs_left() {
    let (_dir, blobs) = store();
    assert_eq!(blobs.sweep(SystemTime::now()).unwrap().files, 0);
    let mut alive = blobs.begin("a.txt", None).unwrap();
    fs::write(blobs.shared.tmp.join("dead.txt"), "half").unwrap();
    let dead = fs::File::options().append(true).open(blobs.shared.tmp.join("dead.txt")).unwrap();
    dead.set_modified(SystemTime::now() - Duration::from_secs(99)).unwrap();
    let swept = blobs.sweep(SystemTime::now() - Duration::from_secs(50)).unwrap();
    assert_eq!((swept.files, swept.bytes), (1, 4));
    alive.write(b"still here").unwrap();
    assert!(alive.finish().unwrap().new);
}

#[test]
fn nothing_is_made_before_something_comes() {
    let (_dir, blobs) = store();
    assert_eq!(blobs.list().unwrap(), []);
    let nobody = BlobName::parse(&format!("{}.txt", "0".repeat(64))).unwrap();
    assert!(matches!(blobs.read(&nobody, 9), Err(BlobError::Missing(_))));
    assert!(!blobs.shared.context.exists());
    blobs.remove(&nobody).unwrap();
    let empty = take_in(&blobs, "", b"", 1);
    assert_eq!((empty.size, empty.facts.is_text, empty.facts.kind), (0, true, FileKind::Document));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&blobs.shared.blobs), 0o700);
        assert_eq!(mode(&blobs.path(&empty.name)), 0o600);
    }
}

/// HIS-8: bytes that had a name elsewhere keep it, to the last byte, or are not taken.
#[test]
fn his_8_bytes_come_in_under_the_name_that_they_had() {
    let (_dir, blobs) = store();
    let bytes = utf16("as it was");
    let hash = plimsoll_domain::ContentHash::from_bytes(blake3::hash(&bytes).as_bytes());
    let pour = |name: &BlobName, bytes: &[u8]| {
        let mut intake = blobs.begin_as(name, None).unwrap();
        intake.write(bytes).unwrap();
        intake.finish()
    };
    // Under either ending, for tokens name both.
    for extension in ["txt", "md"] {
        let name = BlobName::new(hash.clone(), extension).unwrap();
        assert!(matches!(blobs.check(&name), Err(BlobError::Missing(_))));
        let blob = pour(&name, &bytes).unwrap();
        assert_eq!((&blob.name, blob.new), (&name, true));
        assert!(!pour(&name, &bytes).unwrap().new);
        assert_eq!(blobs.check(&name).unwrap(), bytes.len() as u64);
        assert_eq!(blobs.read(&name, 99).unwrap(), bytes, "nothing was converted");
    }
    let name = BlobName::new(hash, "bin").unwrap();
    assert!(matches!(pour(&name, b"other"), Err(BlobError::Altered(_))));
    let mut batch = blobs.batch();
    let mut intake = blobs.begin_as(&name, None).unwrap();
    intake.write(b"other").unwrap();
    assert!(matches!(batch.add(intake), Err(BlobError::Altered(_))));
    assert!(batch.finish().unwrap().is_empty());
    assert_eq!((files_in(&blobs.shared.blobs), files_in(&blobs.shared.tmp)), (2, 0));
    fs::write(blobs.path(&name), b"altered").unwrap();
    assert!(matches!(blobs.check(&name), Err(BlobError::Altered(_))));
}
