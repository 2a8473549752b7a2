use std::{sync::Arc, time::Instant};

use plimsoll_domain::FileKind;
use plimsoll_testkit::pdf::{assemble, pdf};
use serde_json::json;

use crate::{
    images::Parrot,
    shelf::{Desk, ask, bare, programs, programs_inside},
};

fn put(desk: &Desk, bytes: &[u8]) -> plimsoll_domain::File {
    desk.put("a.pdf", "application/pdf", FileKind::Pdf, bytes)
}

#[tokio::test]
async fn ftl_4_pages_outline_and_text_are_told() {
    let desk = Desk::new();
    let file = put(&desk, &pdf(&["First page\nwith two lines", "Second (page)"]));
    let answer = ask(&bare(&desk), "analyze_pdf", &file, json!({})).await;
    assert!(answer.text.starts_with("a.pdf: PDF 1.7, 2 pages, "), "{}", answer.text);
    assert!(answer.text.contains("titled \"The (real) title\""), "{}", answer.text);
    assert!(
        answer.text.contains("Page 1:\n| First page\n| with two lines\nPage 2:\n| Second (page)"),
        "{}",
        answer.text
    );
    assert!(
        answer.text.contains("Outline:\n| Chapter 1 (page 1)\n| Chapter 2 (page 2)"),
        "{}",
        answer.text
    );
}

#[tokio::test]
async fn ftl_4_pages_are_chosen() {
    let desk = Desk::new();
    let texts: Vec<String> = (1..=120).map(|number| format!("text of {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let file = put(&desk, &pdf(&texts));
    let toolbox = bare(&desk);
    let some = ask(&toolbox, "analyze_pdf", &file, json!({ "pages": "2-3, 7" })).await;
    for (words, there) in [
        ("text of 2\n", true),
        ("text of 3\n", true),
        ("text of 7\n", true),
        ("text of 4\n", false),
    ] {
        assert_eq!(some.text.contains(words), there, "{words}");
    }
    let first = ask(&toolbox, "analyze_pdf", &file, json!({})).await;
    assert!(first.text.contains("text of 50\n") && !first.text.contains("text of 51\n"));
    assert!(first.text.contains("go on with pages=51-."), "{}", first.text);
    let rest = ask(&toolbox, "analyze_pdf", &file, json!({ "pages": "101-" })).await;
    assert!(rest.text.contains("text of 120\n") && !rest.text.contains("go on with"));
    let beyond = ask(&toolbox, "analyze_pdf", &file, json!({ "pages": "500" })).await;
    assert!(beyond.text.contains("None of the pages asked for is there; there are 120."));
}

/// A PDF of one page with a font and what is drawn with it.
fn drawn(font: &str, content: &str) -> Vec<u8> {
    let objects = [
        (1, "<< /Type /Catalog /Pages 2 0 R >>".to_owned()),
        (2, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned()),
        (
            3,
            "<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /Font << /F 4 0 R >> >> >>"
                .to_owned(),
        ),
        (4, format!("<< /Type /Font /Encoding /WinAnsiEncoding {font} >>")),
        (5, format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len())),
    ];
    assemble(&objects, "/Root 1 0 R")
}

#[tokio::test]
async fn ftl_4_words_and_lines_are_where_the_page_puts_them() {
    let desk = Desk::new();
    let toolbox = bare(&desk);
    let widths = format!("/Subtype /TrueType /FirstChar 32 /Widths [{}]", "600 ".repeat(96));
    let same = "/Subtype /Type1 /BaseFont /Courier";
    for (font, content, words) in [
        (widths.as_str(), "BT /F 10 Tf [(W) 80 (inter) -300 (Line)] TJ ET", "| Winter Line\n"),
        (&widths, "BT /F 10 Tf 1 0 0 1 0 9 Tm (car) Tj 1 0 0 1 18 9 Tm (go) Tj ET", "| cargo\n"),
        (&widths, "BT /F 10 Tf 1 0 0 1 0 9 Tm (car) Tj 1 0 0 1 24 9 Tm (go) Tj ET", "| car go\n"),
        (&widths, "BT /F 10 Tf 12 TL (one) Tj T* (two) Tj (three) ' ET", "| one\n| two\n| three\n"),
        (same, "BT /F 10 Tf (no widths) Tj 0 -12 Td (at all) Tj ET", "| no widths\n| at all\n"),
        (same, "BT /F 10 Tf (left) Tj 300 0 Td (right) Tj ET", "| left right\n"),
    ] {
        let answer =
            ask(&toolbox, "analyze_pdf", &put(&desk, &drawn(font, content)), json!({})).await;
        assert!(answer.text.contains(&format!("Page 1:\n{words}")), "{content}: {}", answer.text);
    }
    let ranges = "0 65535 500 ".repeat(100_000);
    let bomb = format!("/Subtype /Type0 /DescendantFonts [<< /Type /Font /W [{ranges}] >>]");
    let started = Instant::now();
    ask(&toolbox, "analyze_pdf", &put(&desk, &drawn(&bomb, "BT /F 9 Tf (a) Tj ET")), json!({}))
        .await;
    assert!(started.elapsed().as_secs() < 15);
}

#[tokio::test]
async fn ftl_4_broken_pdfs_give_a_clear_answer() {
    let desk = Desk::new();
    let toolbox = bare(&desk);
    let whole = pdf(&["Hello"]);
    let no_pages = assemble(&[(1, "<< /Type /Catalog >>".to_owned())], "/Root 1 0 R");
    for bytes in [&b""[..], b"%PDF-1.7", b"not a pdf at all", &whole[..120], &no_pages] {
        let answer = ask(&toolbox, "analyze_pdf", &put(&desk, bytes), json!({})).await;
        assert!(
            answer.is_error && answer.text.starts_with("The PDF is damaged"),
            "{}",
            answer.text
        );
    }
}

#[tokio::test]
async fn ftl_4_encrypted_pdfs_are_said_to_be() {
    let desk = Desk::new();
    let zeros = "00".repeat(32);
    let lock =
        format!("<< /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <{zeros}> /U <{zeros}> >>");
    let objects = [
        (1, "<< /Type /Catalog /Pages 2 0 R >>".to_owned()),
        (2, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned()),
        (3, "<< /Type /Page /Parent 2 0 R >>".to_owned()),
        (4, lock.clone()),
    ];
    for lock in ["4 0 R", &lock] {
        let trailer = format!("/Root 1 0 R /ID [<00> <00>] /Encrypt {lock}");
        let file = put(&desk, &assemble(&objects, &trailer));
        let answer = ask(&bare(&desk), "analyze_pdf", &file, json!({})).await;
        let told = answer.text.contains("encrypted and needs a password");
        assert!(answer.is_error && told, "{}", answer.text);
    }
}

#[tokio::test]
async fn ftl_4_circles_and_depths_end() {
    let desk = Desk::new();
    let toolbox = bare(&desk);
    let deep = format!("{}{}", "[".repeat(300_000), "]".repeat(300_000));
    let objects = |outline: &str, more: &str| {
        [
            (1, "<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>".to_owned()),
            (2, "<< /Type /Pages /Kids [3 0 R 2 0 R] /Count 2 >>".to_owned()),
            (3, format!("<< /Type /Page /Parent 2 0 R /Contents {more} >>")),
            (4, "<< /First 5 0 R >>".to_owned()),
            (5, outline.to_owned()),
        ]
    };
    let started = Instant::now();
    for (outline, more) in [
        ("<< /Title (Round) /Next 5 0 R /First 5 0 R >>", "3 0 R"),
        ("<< /Title (Deep) >>", deep.as_str()),
    ] {
        let bytes = assemble(&objects(outline, more), "/Root 1 0 R");
        let answer = ask(&toolbox, "analyze_pdf", &put(&desk, &bytes), json!({})).await;
        assert!(answer.text.contains("a.pdf: PDF") || answer.is_error, "{}", answer.text);
    }
    assert!(started.elapsed().as_secs() < 30);
}

#[tokio::test]
async fn ftl_4_pages_are_shown_to_a_vision_model() {
    let desk = Desk::new();
    let file = put(&desk, &pdf(&["Hello"]));
    let bare_answer = ask(&bare(&desk), "analyze_pdf", &file, json!({ "question": "What?" })).await;
    assert!(bare_answer.text.contains("none is configured"), "{}", bare_answer.text);
    let toolbox =
        bare(&desk).with_vision_model(Arc::new(Parrot)).with_programs(programs_inside().await);
    let answer = ask(&toolbox, "analyze_pdf", &file, json!({ "question": "What?" })).await;
    if programs().find("pdftoppm").is_none() {
        assert!(answer.text.contains("apt-get install poppler-utils"), "{}", answer.text);
        plimsoll_testkit::real::skipped(
            "pdftoppm is not installed (apt-get install poppler-utils)",
        );
    } else {
        assert!(
            answer.text.contains("The vision model says of page 1:\n| page 1 (image/png, "),
            "{}",
            answer.text
        );
    }
}

#[tokio::test]
async fn ftl_4_a_large_file_is_refused_with_its_size() {
    let desk = Desk::new();
    let file = put(&desk, b"%PDF-1.7\n");
    let path = desk.place().join(file.blob_name());
    std::fs::OpenOptions::new().append(true).open(path).unwrap().set_len(65 << 20).unwrap();
    let answer = ask(&bare(&desk), "analyze_pdf", &file, json!({})).await;
    assert!(
        answer.is_error && answer.text.contains("The PDF has 65.0 MB; up to 64.0 MB"),
        "{}",
        answer.text
    );
}
