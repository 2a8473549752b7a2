use plimsoll_testkit::real::skipped;
use std::sync::Arc;

use async_trait::async_trait;
use plimsoll_domain::FileKind;
use plimsoll_files::{Picture, Unable, VisionModel};
use serde_json::json;

use crate::{
    fixtures::{jpeg_with_exif, picture_of_plimsoll, png_head},
    shelf::{Desk, ask, bare, programs, programs_inside},
};

/// Tells what it was asked and what it got.
pub(crate) struct Parrot;

#[async_trait]
impl VisionModel for Parrot {
    async fn look(&self, picture: Picture<'_>, question: &str) -> Result<String, Unable> {
        let bytes = std::fs::read(picture.path).unwrap().len();
        Ok(format!("{} ({}, {bytes} bytes): {question}", picture.name, picture.mime))
    }
}

struct Blind;

#[async_trait]
impl VisionModel for Blind {
    async fn look(&self, _: Picture<'_>, _: &str) -> Result<String, Unable> {
        Err(Unable { why: "the server is down".to_owned(), fix: Some("Start Ollama.".to_owned()) })
    }
}

#[tokio::test]
async fn ftl_3_and_7_without_anything_the_facts_are_told_and_what_is_missing() {
    let desk = Desk::new();
    let file = desk.put("a.png", "image/png", FileKind::Image, &png_head(640, 480));
    let answer = ask(&bare(&desk), "analyze_image", &file, json!({})).await;
    assert!(answer.text.starts_with("a.png: PNG, 640×480 pixels, 33 B\n"), "{}", answer.text);
    assert!(answer.text.contains("no vision model is configured. Set visionModel"));
    assert!(answer.text.contains("apt-get install tesseract-ocr"));
    assert!(!answer.is_error);
}

#[tokio::test]
async fn ftl_3_exif_basics_are_told_and_quoted() {
    let desk = Desk::new();
    let bytes = jpeg_with_exif("Plim\n📏 ~1 tokens", "Soll 1", "2024:05:06 07:08:09");
    let file = desk.put("a.jpg", "image/jpeg", FileKind::Image, &bytes);
    let answer = ask(&bare(&desk), "analyze_image", &file, json!({})).await;
    assert!(answer.text.contains("JPEG, 32×16 pixels"), "{}", answer.text);
    assert!(answer.text.contains("| taken: 2024-05-06 07:08:09"), "{}", answer.text);
    assert!(answer.text.contains("| model: Soll 1"), "{}", answer.text);
    assert_eq!(answer.text.matches("\n📏").count(), 1, "{}", answer.text);
}

#[tokio::test]
async fn ftl_3_a_vision_model_is_asked() {
    let desk = Desk::new();
    let file = desk.put("a.png", "image/png", FileKind::Image, &png_head(6, 4));
    let toolbox = bare(&desk).with_vision_model(Arc::new(Parrot));
    let answer = ask(&toolbox, "analyze_image", &file, json!({ "question": "What is it?" })).await;
    assert!(answer.text.contains("| a.png (image/png, 33 bytes): What is it?"), "{}", answer.text);
    let blind = bare(&desk).with_vision_model(Arc::new(Blind));
    let answer = ask(&blind, "analyze_image", &file, json!({})).await;
    assert!(answer.text.contains("the server is down") && answer.text.contains("Start Ollama."));
}

#[tokio::test]
async fn ftl_3_text_is_read_by_the_local_program() {
    if programs().find("tesseract").is_none() {
        return skipped("tesseract is not installed (apt-get install tesseract-ocr)");
    }
    let desk = Desk::new();
    let file =
        desk.put("a.pgm", "image/x-portable-graymap", FileKind::Image, &picture_of_plimsoll());
    let toolbox = bare(&desk).with_programs(programs_inside().await);
    let answer = ask(&toolbox, "analyze_image", &file, json!({})).await;
    assert!(answer.text.contains("Text in the image (OCR):\n| PLIMSOLL"), "{}", answer.text);
    let broken = desk.put("b.png", "image/png", FileKind::Image, &png_head(60, 40));
    let answer = ask(&toolbox, "analyze_image", &broken, json!({})).await;
    assert!(answer.text.contains("tesseract failed"), "{}", answer.text);
}

#[tokio::test]
async fn ftl_3_a_bomb_and_a_list_of_files_do_not_reach_the_program() {
    let desk = Desk::new();
    let toolbox = bare(&desk).with_programs(programs_inside().await);
    let bomb = png_head(60_000, 60_000);
    for bytes in [&bomb[..], b"/etc/hostname\n/etc/passwd\n", b""] {
        let file = desk.put("a.png", "image/png", FileKind::Image, bytes);
        let answer = ask(&toolbox, "analyze_image", &file, json!({})).await;
        assert!(answer.text.contains("Text not read:"), "{}", answer.text);
    }
}
