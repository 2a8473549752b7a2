use std::time::Instant;

use super::*;

/// Fields as `key=value`.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let found: Vec<String> = extract_fields(text)
        .fields
        .iter()
        .map(|field| format!("{}={}", field.key, field.value))
        .collect();
    assert_eq!(found, expected, "{text:?}");
}

#[test]
fn fau_3_json_python_and_keyword_arguments() {
    check(r#"{"error":{"message":"No \"x\"","code":400}}"#, &["message=No \"x\"", "code=400"]);
    check(r#"{'error': {'message': "It's", 'param': None}}"#, &["message=It's", "param=None"]);
    check(r#"E(message="It's so", http_status=400)"#, &["message=It's so"]);
    check(r#"[{"detail": [ "a", "b" ]}]"#, &["detail=a", "detail=b"]);
}

#[test]
fn fau_3_strings_inside_strings_are_opened() {
    check(r#"{"raw":"{\"error\":{\"message\":\"deep \\\"one\\\"\"}}"}"#, &["message=deep \"one\""]);
    check(r#"x {\"error\":\"plain\"}"#, &["error=plain"]);
}

#[test]
fn fau_3_bodies_that_are_cut_keep_their_words() {
    check(r#"{"error": {"message": "This was cu"#, &["message=This was cu"]);
    check(r#"{'error': 'must be <= 192"#, &["error=must be <= 192"]);
}

#[test]
fn fau_3_sse_lines_are_read() {
    check("event: error\ndata: {\"message\":\"Overloaded\"}\n\n", &["message=Overloaded"]);
}

#[test]
fn apostrophes_in_prose_are_not_strings() {
    let found = extract_fields("This model's window, 'tis said, isn't big. It's {small}");
    assert!(found.fields.is_empty(), "{found:?}");
    assert!(found.prose.contains("isn't big"));
}

#[test]
fn braces_in_a_sentence_do_not_split_it() {
    let text = r#"{"error":"too long, use {'truncation': 'only_first'}"}"#;
    assert!(
        extract_fields(text)
            .fields
            .iter()
            .any(|f| f.key == "error" && f.value.starts_with("too long"))
    );
}

#[test]
fn hostile_texts_take_linear_time() {
    let started = Instant::now();
    for unit in ["[", "{\"", "\"", "\\", "'", ",\"a ", "{\"a\":", "\\\"", ":'", "{\\\"", "=", "a="]
    {
        let _ = extract_fields(&unit.repeat(1_000_000 / unit.len()));
    }
    // A quadratic pass over one of these would take minutes.
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
