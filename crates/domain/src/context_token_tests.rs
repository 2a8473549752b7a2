use proptest::prelude::*;

use super::*;

/// Text as `"words"`, tokens as `kind=path`.
fn shape(message: &str) -> Vec<String> {
    segments(message)
        .into_iter()
        .map(|segment| match segment.body {
            SegmentBody::Text(text) => format!("{text:?}"),
            SegmentBody::Token(token) => format!("{}={}", token.kind.name(), token.path),
        })
        .collect()
}

#[track_caller]
fn check(message: &str, expected: &[&str]) {
    assert_eq!(shape(message), expected, "{message:?}");
}

#[test]
fn tokens_and_text_come_in_order() {
    check("", &[]);
    check("hello", &["\"hello\""]);
    check(
        "look <<context:image:/a/b.png>>> and <<context:text:/c.txt>>>",
        &["\"look \"", "image=/a/b.png", "\" and \"", "text=/c.txt"],
    );
}

#[test]
fn kind_and_path_are_trimmed_and_the_kind_has_no_case() {
    check("<<context: IMAGE : /a b.png >>>", &["image=/a b.png"]);
    check("<<context:\nFile\t:/x>>>", &["file=/x"]);
}

#[test]
fn what_is_not_a_token_is_text() {
    check("<<context:movie:/a>>>", &["\"<<context:movie:/a>>>\""]);
    check("<<context:image:   >>>", &["\"<<context:image:   >>>\""]);
    check("<<context:image:\u{3000}>>>", &["\"<<context:image:\\u{3000}>>>\""]);
    check("<<context:image:/a>>", &["\"<<context:image:/a>>\""]);
    check("<<context:image", &["\"<<context:image\""]);
    check("<<context::/a>>>", &["\"<<context::/a>>>\""]);
}

#[test]
fn scanning_resumes_right_after_a_bad_opener() {
    check("<<context:<<context:file:/x>>>", &["\"<<context:\"", "file=/x"]);
    check("<<context:image:/a<<context:file:/x>>>", &["\"<<context:image:/a\"", "file=/x"]);
    check("<<context:nope:/a>>><<context:file:/x>>>", &["\"<<context:nope:/a>>>\"", "file=/x"]);
}

#[test]
fn a_relative_path_is_a_token_that_is_broken() {
    check("<<context:file:a/b>>>", &["file=a/b"]);
    let tokens =
        |path: &str| ContextToken { kind: ContextKind::File, path: path.to_owned().into() };
    assert!(!tokens("a/b").is_absolute());
    assert!(!tokens("C:a").is_absolute());
    assert!(tokens("/a").is_absolute());
    assert!(tokens("C:\\a").is_absolute());
    assert!(tokens("\\\\server\\a").is_absolute());
}

#[test]
fn old_unescaped_paths_still_parse() {
    check("<<context:file:/home/100%/a.txt>>>", &["file=/home/100%/a.txt"]);
    check("<<context:file:/a%41b>>>", &["file=/a%41b"]);
    check("<<context:file:/x/My%20File%09.pdf>>>", &["file=/x/My%20File%09.pdf"]);
    check("<<context:file:/a > b>>>", &["file=/a > b"]);
    check("<<context:text:/a\nb>>>", &["text=/a\nb"]);
}

#[test]
fn awkward_paths_are_escaped_and_come_back() {
    assert_eq!(print_token(ContextKind::File, "/a>>>b"), "<<context:file:/a%3E%3E%3Eb>>>", "TOK-3");
    assert_eq!(print_token(ContextKind::File, "/plain"), "<<context:file:/plain>>>");
    check("<<context:file:/a%3e>>>", &["file=/a>"]);
}

#[test]
fn many_openers_take_linear_time() {
    // A quadratic scan of these two megabytes would take minutes.
    let openers = "<<context:image:/a".repeat(120_000);
    assert_eq!(segments(&openers).len(), 1);
    let spaces = format!("{}{}", OPEN, " ".repeat(2_000_000)).repeat(1);
    assert_eq!(segments(&spaces).len(), 1);
}

proptest! {
    /// TOK-2: the ranges give the message back.
    #[test]
    fn ranges_concatenate_to_the_source(message in messages()) {
        let mut at = 0;
        for segment in segments(&message) {
            prop_assert_eq!(segment.range.start, at);
            prop_assert!(segment.range.end > at);
            if let SegmentBody::Text(text) = segment.body {
                prop_assert_eq!(text, &message[segment.range.clone()]);
            }
            at = segment.range.end;
        }
        prop_assert_eq!(at, message.len());
    }

    /// TOK-3: any path comes back, as long as there is one.
    #[test]
    fn any_path_round_trips(path in r"[ a%0-9<>:ECDec\n\r\t]{0,12}/[ a%<>\nct25:]{0,12}") {
        let written = print_token(ContextKind::Text, &path);
        let parsed = segments(&written);
        prop_assert_eq!(parsed.len(), 1);
        match &parsed[0].body {
            SegmentBody::Token(token) => prop_assert_eq!(&token.path, &path),
            SegmentBody::Text(_) => prop_assert!(false, "{written:?} is not a token"),
        }
    }
}

fn messages() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<<context:".to_owned()),
        Just("image:".to_owned()),
        Just("file:/".to_owned()),
        Just(">>>".to_owned()),
        Just(">".to_owned()),
        Just("<".to_owned()),
        "[a-z é\n:%]{0,6}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

#[test]
fn his_8_people_read_the_name_of_a_file_and_never_its_path() {
    let message =
        "see <<context:text:/home/me/data/3f2a.txt>>> and <<context:image:C:\\x\\a.png>>>!";
    let known = |at: usize| (at == 0).then(|| "notes.txt".to_owned());
    assert_eq!(with_file_names(message, known), "see [notes.txt] and [a.png]!");
    assert_eq!(with_file_names("no file", |_| None), "no file");
}
