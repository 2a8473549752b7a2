use serde_json::{Value, json};

use crate::run::plimsoll;

#[test]
fn the_json_of_the_spec() {
    let body = r#"{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9311 tokens.","code":"context_length_exceeded"}}"#;
    let ran = plimsoll(["classify", "--status", "400", "--json"]).input(body).run();
    let expected = json!({
        "label": "overflow", "subkind": null, "short": "context", "limit": 8192,
        "requested": 9311, "retryable": false, "shrinkHelps": true,
        "matched": "context_length_exceeded",
    });
    assert_eq!(ran.json(), expected);
}

#[test]
fn status_code_and_headers_count() {
    let label = |args: &[&str], body: &str| -> Value {
        let all = ["classify", "--json"].iter().chain(args);
        plimsoll(all).input(body).run().json()["label"].clone()
    };
    assert_eq!(label(&["--status", "401"], "no"), "auth");
    assert_eq!(label(&["--code", "context_length_exceeded"], "no"), "overflow");
    assert_eq!(label(&["--header", "Retry-After: 7"], "too many tokens in the prompt"), "rate");
}

#[test]
fn people_read_a_table() {
    let ran = plimsoll(["classify", "--status", "429"]).input("Slow down: too many requests").run();
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.starts_with("[error: quota] Slow down"), "{}", ran.stdout);
    assert!(ran.stdout.contains("drop history  no\n"), "{}", ran.stdout);
}

#[test]
fn there_must_be_something_to_classify() {
    plimsoll(["classify"]).run().refused(2, "standard input is empty");
    plimsoll(["classify", "--status", "429"]).input(" \n").run().refused(2, "is empty");
    assert_eq!(plimsoll(["classify", "--header", "nonsense"]).run().code, 2);
}

#[test]
fn hostile_bodies_end_in_an_answer() {
    for body in [vec![0xff; 5000], b"[".repeat(100_000), b"\\\"".repeat(100_000)] {
        let ran = plimsoll(["classify", "--json"]).input(body).run();
        assert!(ran.json()["label"].is_string());
    }
}
