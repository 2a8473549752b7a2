use std::{
    io::{Seek, SeekFrom, Write},
    time::Instant,
};

use plimsoll_domain::FileKind;
use plimsoll_files::WorkspaceFiles;
use serde_json::json;

use crate::shelf::{Desk, ask, bare};

fn numbered(count: usize) -> String {
    (1..=count).map(|number| format!("this is line {number}\n")).collect()
}

#[tokio::test]
async fn ftl_2_lines_have_numbers_and_the_rest_is_counted() {
    let desk = Desk::new();
    let file = desk.text("notes.md", &numbered(100));
    let toolbox = bare(&desk);
    let part = ask(&toolbox, "read_file", &file, json!({ "offset": 3, "lines": "2" })).await;
    assert_eq!(
        part.text,
        format!(
            "notes.md: 100 lines, 1.6 KB\n3| this is line 3\n4| this is line 4\n96 more lines: read_file \
             with offset=5\n📏 ~{} tokens",
            part.estimated_tokens
        )
    );
    assert_eq!((part.shown, part.total), (2, 2));
    let last = ask(&toolbox, "read_file", &file, json!({ "offset": 99 })).await;
    assert!(last.text.contains("100| this is line 100\n📏"), "{}", last.text);
    let tight = ask(&toolbox, "read_file", &file, json!({ "max_tokens": 150 })).await;
    assert_eq!(tight.total, 100);
    let left = 100 - tight.shown;
    assert!(
        tight
            .text
            .contains(&format!("{left} more lines: read_file with offset={}", tight.shown + 1))
    );
    assert!(tight.text.contains(&format!("{} of 100 lines shown.", tight.shown)), "{}", tight.text);
    let beyond = ask(&toolbox, "read_file", &file, json!({ "offset": 101 })).await;
    assert!(beyond.text.starts_with("The file has 100 lines, none at offset 101."));
    let empty = ask(&toolbox, "read_file", &desk.text("e", ""), json!({})).await;
    assert!(empty.text.starts_with("The file is empty.") && empty.total == 0);
}

/// MBG-4 for tools without levels of detail: the footer says what can really be done.
#[tokio::test]
async fn ftl_2_an_answer_that_was_cut_says_how_to_go_on() {
    let desk = Desk::new();
    let file = desk.text("notes.md", &numbered(1000));
    let toolbox = bare(&desk);
    for max_tokens in [60, 80, 150, 700] {
        let part = ask(&toolbox, "read_file", &file, json!({ "max_tokens": max_tokens })).await;
        assert!(!part.text.contains("detail_level"), "{}", part.text);
        let next = format!("Go on with offset={}.", part.shown + 1);
        assert!(part.shown == 0 || part.text.contains(&next), "{}", part.text);
    }
    let asked = json!({ "file_id": plimsoll_files::file_label(file.id) });
    let small = toolbox.call("list_files", &json!({ "max_tokens": 70 }), None).await;
    assert!(!small.text.contains("detail_level"), "{}", small.text);
    // In a window that is full nothing is promised that does not help.
    for room in [0, 1, 47] {
        let full = toolbox.call("read_file", &asked, Some(room)).await;
        assert_eq!(full.text, "[The context window is full. Answer now.]");
        assert!(full.is_error);
    }
    let little = toolbox.call("read_file", &asked, Some(100)).await;
    assert!(little.text.contains("Go on with offset="), "{}", little.text);
    assert!(little.estimated_tokens <= 100);
}

#[tokio::test]
async fn ftl_2_text_is_text_whatever_its_name_and_mark() {
    let desk = Desk::new();
    let toolbox = bare(&desk);
    for name in ["noext", "foo.log.1", "notes.qmd", "report.rmd"] {
        let file = desk.text_by_bytes(name, "\u{feff}a,b\n1,2\n");
        let answer = ask(&toolbox, "read_file", &file, json!({})).await;
        assert!(answer.text.contains("\n1| a,b\n2| 1,2\n"), "{name}: {}", answer.text);
    }
}

#[tokio::test]
async fn ftl_2_a_gigabyte_is_read_in_little_memory() {
    let desk = Desk::new();
    let file = desk.text("huge.log", "first\n");
    // A hole in the file: a line of a gigabyte that takes no disk.
    let path = desk.path(&file).await.unwrap();
    let mut real = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    real.set_len(1 << 30).unwrap();
    real.seek(SeekFrom::End(0)).unwrap();
    real.write_all(b"\nlast\n").unwrap();
    let started = Instant::now();
    let toolbox = bare(&desk);
    let answer = ask(&toolbox, "read_file", &file, json!({ "offset": 3 })).await;
    assert!(answer.text.contains("3| last"), "{}", answer.text);
    let answer = ask(&toolbox, "read_file", &file, json!({ "max_tokens": 200 })).await;
    assert!(answer.text.contains("1| first"), "{}", answer.text);
    let long =
        ask(&toolbox, "read_file", &file, json!({ "offset": 2, "max_tokens": 100_000 })).await;
    assert!(
        long.text.contains("[… cut, the line has 1.0 GB]"),
        "{}",
        &long.text[long.text.len() - 200..]
    );
    assert!(long.text.len() < 200_000);
    eprintln!("three readings of a gigabyte took {:?}", started.elapsed());
}

#[tokio::test]
async fn ftl_2_broken_characters_and_escapes_are_shown_not_obeyed() {
    let desk = Desk::new();
    let file = desk.put(
        "x.txt",
        "text/plain",
        FileKind::Document,
        b"a\xffb\r\n\x1b[31mred\n\xe2\x80\xaeflip",
    );
    let answer = ask(&bare(&desk), "read_file", &file, json!({})).await;
    assert!(
        answer.text.contains("1| a\u{fffd}b\n2| \\u{1b}[31mred\n3| \\u{202e}flip\n"),
        "{}",
        answer.text
    );
}

#[tokio::test]
async fn ftl_2_other_kinds_are_told_their_tool() {
    let desk = Desk::new();
    let toolbox = bare(&desk);
    for (mime, kind, tool) in [
        ("image/png", FileKind::Image, "analyze_image"),
        ("application/pdf", FileKind::Pdf, "analyze_pdf"),
        ("audio/ogg", FileKind::Voice, "transcribe_audio"),
        ("image/png", FileKind::Generated, "analyze_image"),
        ("application/zip", FileKind::Document, "no tool here"),
    ] {
        let file = desk.put("thing", mime, kind, b"x");
        let answer = ask(&toolbox, "read_file", &file, json!({})).await;
        assert!(answer.is_error && answer.text.contains(tool), "{}", answer.text);
    }
    let text = desk.text("a.txt", "a");
    for tool in ["analyze_image", "analyze_pdf", "transcribe_audio"] {
        let answer = ask(&toolbox, tool, &text, json!({})).await;
        assert!(
            answer.is_error && answer.text.contains("Use read_file with file-"),
            "{}",
            answer.text
        );
    }
}

#[tokio::test]
async fn a_file_whose_bytes_are_gone_is_said() {
    let desk = Desk::new();
    let file = desk.text("a.txt", "a");
    std::fs::remove_file(desk.place().join(file.blob_name())).unwrap();
    let answer = ask(&bare(&desk), "read_file", &file, json!({})).await;
    assert!(answer.is_error && answer.text.contains("missing or damaged"), "{}", answer.text);
}
