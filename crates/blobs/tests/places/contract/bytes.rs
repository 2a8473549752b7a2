//! What is taken in comes back, or nothing is kept of it.

use std::io::Read;

use plimsoll_blobs::{BlobError, BlobName, Blobs};
use plimsoll_domain::ContentHash;

use super::{Backend, nobody, noise, take_in};

fn comes_back(blobs: &Blobs, bytes: &[u8]) {
    let blob = take_in(blobs, "a.bin", bytes);
    assert!(blob.new, "{} bytes", bytes.len());
    let size = bytes.len() as u64;
    assert_eq!(blob.size, size);
    assert_eq!(blobs.size(&blob.name).unwrap(), Some(size));
    assert_eq!(blobs.check(&blob.name).unwrap(), size);
    assert_eq!(blobs.read(&blob.name, u64::MAX).unwrap(), bytes);
    assert_eq!(std::fs::read(blobs.local_path(&blob.name).unwrap()).unwrap(), bytes);
    let mut read = Vec::new();
    blobs.open_blob(&blob.name).unwrap().read_to_end(&mut read).unwrap();
    assert_eq!(read, bytes);
    for first in [0, 1, size / 2, size, size + 9] {
        let start = blobs.read_start(&blob.name, first).unwrap();
        assert_eq!(start, &bytes[..bytes.len().min(first as usize)]);
    }
    let listed = blobs.list().unwrap();
    let listed: Vec<_> = listed.iter().filter(|one| one.name == blob.name).collect();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].size, size);
}

pub(crate) fn tea_2_bytes_come_back_as_they_were(backend: &dyn Backend) {
    let blobs = backend.open();
    for bytes in [b"".as_slice(), b"x", b"some words\n", &[0; 3], &noise(100_000)] {
        comes_back(&blobs, bytes);
    }
}

/// What does not fit into one request of an object store, and what just does.
pub(crate) fn tea_2_large_bytes_come_back_as_they_were(backend: &dyn Backend) {
    let blobs = backend.open();
    let bytes = noise(25 << 20);
    for length in [8 << 20, (8 << 20) + 1, 16 << 20, 25 << 20] {
        comes_back(&blobs, &bytes[..length]);
    }
    // Read where nothing was taken in.
    let blob = take_in(&blobs, "a.bin", &bytes);
    assert!(!blob.new);
    let elsewhere = backend.elsewhere();
    assert_eq!(elsewhere.read_start(&blob.name, 9 << 20).unwrap(), &bytes[..9 << 20]);
    assert_eq!(elsewhere.check(&blob.name).unwrap(), bytes.len() as u64);
    assert_eq!(elsewhere.read(&blob.name, u64::MAX).unwrap(), bytes);
}

pub(crate) fn tea_2_nothing_is_there_at_first(backend: &dyn Backend) {
    let blobs = backend.open();
    assert_eq!(blobs.list().unwrap(), []);
    let nobody = nobody();
    assert!(matches!(blobs.read(&nobody, 9), Err(BlobError::Missing(_))));
    assert!(matches!(blobs.read_start(&nobody, 9), Err(BlobError::Missing(_))));
    assert!(matches!(blobs.open_blob(&nobody), Err(BlobError::Missing(_))));
    assert!(matches!(blobs.local_path(&nobody), Err(BlobError::Missing(_))));
    assert!(matches!(blobs.check(&nobody), Err(BlobError::Missing(_))));
    assert_eq!(blobs.size(&nobody).unwrap(), None);
    blobs.remove(&nobody).unwrap();
}

pub(crate) fn tea_2_many_are_kept_together_in_their_order(backend: &dyn Backend) {
    let blobs = backend.open();
    let mut batch = blobs.batch();
    for n in 0..40 {
        // The same bytes under another ending, side by side, are not kept twice.
        let name = if n % 2 == 0 { "a.txt" } else { "b.md" };
        let mut intake = blobs.begin(name, None).unwrap();
        intake.write(format!("content {}", n / 2).as_bytes()).unwrap();
        batch.add(intake).unwrap();
    }
    assert_eq!(blobs.list().unwrap(), [], "none has a name before all are there");
    let taken = batch.finish().unwrap();
    for (n, blob) in taken.iter().enumerate() {
        let expected = format!("content {}", n / 2);
        assert_eq!(blob.hash.as_str(), blake3::hash(expected.as_bytes()).to_hex().as_str());
        assert_eq!(blobs.read(&blob.name, 99).unwrap(), expected.as_bytes());
        assert_eq!((blob.extension.as_str(), blob.new), ("txt", n % 2 == 0));
    }
    assert_eq!((taken.len(), blobs.list().unwrap().len()), (40, 20));
    assert!(blobs.batch().finish().unwrap().is_empty());
}

pub(crate) fn blb_5_what_is_broken_off_leaves_nothing(backend: &dyn Backend) {
    let blobs = backend.open();
    let mut dropped = blobs.begin("a.txt", None).unwrap();
    dropped.write(b"half").unwrap();
    drop(dropped);
    let mut large = blobs.begin("a.txt", Some(3)).unwrap();
    assert!(matches!(large.write(b"four"), Err(BlobError::TooLarge { limit: 3 })));
    assert!(matches!(large.finish(), Err(BlobError::Spoiled)));
    let mut other = blobs.begin_as(&nobody(), None).unwrap();
    other.write(b"other bytes").unwrap();
    assert!(matches!(other.finish(), Err(BlobError::Altered(_))));
    let mut batch = blobs.batch();
    let mut intake = blobs.begin("a.txt", None).unwrap();
    intake.write(b"never named").unwrap();
    batch.add(intake).unwrap();
    drop(batch);
    assert_eq!(blobs.list().unwrap(), []);
}

pub(crate) fn his_8_bytes_come_in_under_the_name_that_they_had(backend: &dyn Backend) {
    let blobs = backend.open();
    let bytes = b"as it was";
    let hash = ContentHash::from_bytes(blake3::hash(bytes).as_bytes());
    // Under either ending, for tokens name both.
    for extension in ["txt", "md"] {
        let name = BlobName::new(hash.clone(), extension).unwrap();
        for new in [true, false] {
            let mut intake = blobs.begin_as(&name, None).unwrap();
            intake.write(bytes).unwrap();
            let blob = intake.finish().unwrap();
            assert_eq!((&blob.name, blob.new), (&name, new));
        }
        assert_eq!(blobs.check(&name).unwrap(), bytes.len() as u64);
    }
    assert_eq!(blobs.list().unwrap().len(), 2);
    let found = take_in(&blobs, "a.rs", bytes);
    assert!(!found.new && ["txt", "md"].contains(&found.extension.as_str()), "no third one");
}

pub(crate) fn rel_2_missing_and_altered_are_told_apart(backend: &dyn Backend) {
    let blob = take_in(&backend.open(), "a.txt", b"content");
    let blobs = backend.elsewhere();
    assert!(matches!(blobs.read(&blob.name, 6), Err(BlobError::TooLarge { limit: 6 })));
    assert_eq!(blobs.read(&blob.name, 7).unwrap(), b"content");
    backend.write(&blob.name.to_string(), b"Content");
    // What was fetched before may still be good; what is kept is not.
    let blobs = backend.open();
    assert!(matches!(blobs.check(&blob.name), Err(BlobError::Altered(_))));
    backend.lose(&blob.name);
    assert!(matches!(blobs.check(&blob.name), Err(BlobError::Missing(_))));
    assert_eq!(blobs.size(&blob.name).unwrap(), None);
    assert!(take_in(&blobs, "a.txt", b"content").new);
    assert_eq!(blobs.check(&blob.name).unwrap(), 7);
}

pub(crate) fn rel_2_a_torn_blob_is_put_right(backend: &dyn Backend) {
    let blobs = backend.open();
    let blob = take_in(&blobs, "a.txt", b"content");
    backend.write(&blob.name.to_string(), b"con");
    assert_eq!(blobs.size(&blob.name).unwrap(), Some(3));
    let again = take_in(&blobs, "b.md", b"content");
    assert_eq!((&again.name, again.new), (&blob.name, true));
    assert_eq!(blobs.check(&blob.name).unwrap(), 7);
}

pub(crate) fn blb_3_a_thumbnail_is_drawn_and_goes_with_its_picture(backend: &dyn Backend) {
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbImage::from_pixel(900, 600, image::Rgb([1, 2, 3]))
        .write_to(&mut png, image::ImageFormat::Png)
        .unwrap();
    let blob = take_in(&backend.open(), "a.png", png.get_ref());
    assert_eq!(blob.facts.pixels, Some((900, 600)));
    let blobs = backend.elsewhere();
    let path = blobs.thumbnail(&blob.name).unwrap();
    let (width, height) = image::image_dimensions(&path).unwrap();
    assert!(width <= plimsoll_blobs::THUMBNAIL.0 && height <= plimsoll_blobs::THUMBNAIL.1);
    blobs.remove(&blob.name).unwrap();
    assert!(!path.exists());
    assert!(blobs.thumbnail(&blob.name).is_err());
}
