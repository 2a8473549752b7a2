//! Pictures that are whole, damaged, enormous or lying on their side.

use std::{fs, io::Cursor};

use image::{DynamicImage, GenericImageView, ImageFormat, Rgb, RgbImage};
use proptest::prelude::*;

use crate::{
    BlobError, ImageProblem, THUMBNAIL,
    intake_tests::{store, take_in},
};

/// A picture whose left half is red and whose right half is blue.
pub(crate) fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let colour = |x: u32| if x < width / 2 { Rgb([250, 0, 0]) } else { Rgb([0, 0, 250]) };
    let picture = RgbImage::from_fn(width, height, |x, _| colour(x));
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::from(picture).write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// The beginning of a PNG that claims this size; its checksum is right.
fn header(width: u32, height: u32) -> Vec<u8> {
    let mut chunk = b"IHDR".to_vec();
    chunk.extend(width.to_be_bytes());
    chunk.extend(height.to_be_bytes());
    chunk.extend([8, 2, 0, 0, 0]);
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0d".to_vec();
    png.extend(&chunk);
    png.extend(checksum(&chunk).to_be_bytes());
    let data = b"IDAT\x78\x9c\x63\x00\x00\x00\x01\x00\x01";
    png.extend((data.len() as u32 - 4).to_be_bytes());
    png.extend(data);
    png.extend(checksum(data).to_be_bytes());
    png
}

/// CRC-32 as PNG has it.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc: u32, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 }
        })
    })
}

/// BLB-3: one that ends too early, or is too large to be drawn, is known when it comes in.
#[test]
fn blb_3_a_picture_that_cannot_be_shown_is_told_at_once() {
    let (_dir, blobs) = store();
    let png = picture(300, 200, ImageFormat::Png);
    let cut = take_in(&blobs, "cut.png", &png[..png.len() / 2], 1000);
    assert_eq!(cut.facts.pixels, None);
    assert!(cut.facts.broken_image.is_some());
    let vast = take_in(&blobs, "vast.png", &header(12_000, 12_000), 1000);
    assert_eq!(vast.facts.pixels, None);
    let why = vast.facts.broken_image.unwrap();
    assert!(why.contains("12000") || why.contains("pixels"), "{why}");
}

#[test]
fn a_picture_of_another_format_is_made_a_png() {
    let png = crate::as_png(&picture(30, 20, ImageFormat::Bmp)).unwrap();
    assert_eq!(image::guess_format(&png).unwrap(), ImageFormat::Png);
    assert_eq!(image::load_from_memory(&png).unwrap().dimensions(), (30, 20));
    assert!(crate::as_png(b"BM nothing").is_err());
}

#[test]
fn blb_3_thumbnails_fit_and_can_be_made_again() {
    let (_dir, blobs) = store();
    let formats = [
        ("a.png", ImageFormat::Png),
        ("a.jpg", ImageFormat::Jpeg),
        ("a.gif", ImageFormat::Gif),
        ("a.webp", ImageFormat::WebP),
        ("a.bmp", ImageFormat::Bmp),
    ];
    for (name, format) in formats {
        let blob = take_in(&blobs, name, &picture(800, 300, format), 1000);
        assert_eq!(blob.facts.pixels, Some((800, 300)), "{name}");
        assert_eq!(name.rsplit_once('.').unwrap().1, blob.extension, "images keep their format");
        let path = blobs.thumbnail(&blob.name).unwrap();
        let first = fs::read(&path).unwrap();
        let small = image::load_from_memory(&first).unwrap();
        assert_eq!(small.dimensions(), (360, 135), "{name}");
        fs::remove_file(&path).unwrap();
        assert_eq!(fs::read(blobs.thumbnail(&blob.name).unwrap()).unwrap(), first);
        blobs.remove(&blob.name).unwrap();
        assert!(!path.exists(), "what was derived goes with the blob");
    }
    let tiny = take_in(&blobs, "a.png", &picture(3, 2, ImageFormat::Png), 10);
    let small = image::open(blobs.thumbnail(&tiny.name).unwrap()).unwrap();
    assert_eq!(small.dimensions(), (3, 2), "nothing is blown up");
    let thin = take_in(&blobs, "a.png", &picture(5000, 1, ImageFormat::Png), 10);
    let small = image::open(blobs.thumbnail(&thin.name).unwrap()).unwrap();
    assert_eq!(small.dimensions(), (360, 1));
    assert_eq!(fs::read_dir(&blobs.shared.tmp).unwrap().count(), 0);
}

#[test]
fn a_photo_that_lies_on_its_side_is_shown_upright() {
    let (_dir, blobs) = store();
    let jpeg = picture(400, 200, ImageFormat::Jpeg);
    // Orientation 6: turn it clockwise by a quarter.
    let exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
    let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    let turned = [&jpeg[..2], b"\xff\xe1", &length, exif, &jpeg[2..]].concat();
    let blob = take_in(&blobs, "a.jpg", &turned, 999);
    assert_eq!(blob.facts.pixels, Some((200, 400)));
    let small = image::open(blobs.thumbnail(&blob.name).unwrap()).unwrap();
    assert_eq!(small.dimensions(), (110, 220));
    let (top, bottom) = (small.get_pixel(50, 20), small.get_pixel(50, 200));
    assert!(top[0] > 200 && bottom[2] > 200, "red is on top: {top:?} {bottom:?}");
}

#[test]
fn hostile_40_000_by_40_000_png_is_a_named_problem() {
    let (_dir, blobs) = store();
    let bomb = take_in(&blobs, "bomb.png", &header(40_000, 40_000), 7);
    assert_eq!(bomb.facts.pixels, None);
    assert!(bomb.facts.broken_image.is_some(), "told when it comes in");
    let problem = blobs.thumbnail(&bomb.name).unwrap_err();
    assert!(
        matches!(problem, ImageProblem::TooManyPixels { width: 40_000, height: 40_000 }),
        "{problem}"
    );
    assert!(problem.to_string().contains("40000 × 40000"));
    // Few enough pixels, but too much memory; and the largest that a header can say.
    let large = take_in(&blobs, "large.png", &header(9_990, 9_990), 7);
    assert!(matches!(blobs.thumbnail(&large.name), Err(ImageProblem::TooMuchMemory)));
    let most = take_in(&blobs, "most.png", &header(0x7fff_ffff, 0x7fff_ffff), 7);
    assert!(blobs.thumbnail(&most.name).is_err());
    let none = take_in(&blobs, "none.png", &header(0, 0), 7);
    assert!(none.facts.broken_image.is_some() && none.facts.pixels.is_none());
}

#[test]
fn hostile_truncated_png_is_a_named_problem() {
    let (_dir, blobs) = store();
    let png = picture(300, 300, ImageFormat::Png);
    let half = take_in(&blobs, "half.png", &png[..png.len() / 2], 64);
    assert!(matches!(blobs.thumbnail(&half.name), Err(ImageProblem::Damaged(_))));
    let stump = take_in(&blobs, "stump.png", &png[..12], 64);
    assert!(stump.facts.broken_image.is_some());
    assert!(matches!(blobs.thumbnail(&stump.name), Err(ImageProblem::Damaged(_))));
    assert!(!blobs.shared.derived.exists(), "nothing is made of damaged pictures");
}

#[test]
fn hostile_png_that_is_html_is_no_picture() {
    let (_dir, blobs) = store();
    let html = take_in(&blobs, "photo.png", b"<html><script>alert(1)</script>", 5);
    assert_eq!(html.facts.mismatch.as_deref(), Some("named photo.png, but it is HTML"));
    assert_eq!((html.extension.as_str(), html.facts.pixels), ("html", None));
    assert!(matches!(blobs.thumbnail(&html.name), Err(ImageProblem::NotAPicture)));
    let tiff = take_in(&blobs, "a.tiff", b"II*\0\x08\0\0\0\0\0", 5);
    assert!(matches!(blobs.thumbnail(&tiff.name), Err(ImageProblem::NotAPicture)));
}

#[test]
fn an_altered_picture_is_not_drawn() {
    let (_dir, blobs) = store();
    let blob = take_in(&blobs, "a.png", &picture(9, 9, ImageFormat::Png), 64);
    fs::write(blobs.path(&blob.name), picture(8, 8, ImageFormat::Png)).unwrap();
    let altered = blobs.thumbnail(&blob.name);
    assert!(matches!(altered, Err(ImageProblem::Blob(BlobError::Altered(_)))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// BLB-3: whatever is done to a picture, there is a thumbnail that fits, or a reason.
    #[test]
    fn damaged_pictures_never_crash(
        format in prop::sample::select(vec![
            ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP, ImageFormat::Bmp,
        ]),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
        whole in any::<bool>(),
    ) {
        let (_dir, blobs) = store();
        let mut bytes = picture(40, 30, format);
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if !whole {
            bytes.truncate(cut.index(bytes.len()));
        }
        let blob = take_in(&blobs, "a.png", &bytes, 333);
        if let Ok(path) = blobs.thumbnail(&blob.name) {
            let (width, height) = image::open(path).unwrap().dimensions();
            prop_assert!(width <= THUMBNAIL.0 && height <= THUMBNAIL.1);
        }
    }
}
