use serde_json::json;

use crate::run::plimsoll;

#[test]
fn text_and_tokens_with_their_places() {
    let ran = plimsoll(["segments", "--json"]).input("é <<context: IMAGE :/a%3E>>>!").run();
    let expected = json!({"segments": [
        {"type": "text", "text": "é ", "start": 0, "end": 3},
        {"type": "token", "kind": "image", "path": "/a>", "start": 3, "end": 29},
        {"type": "text", "text": "!", "start": 29, "end": 30},
    ]});
    assert_eq!(ran.json(), expected);
}

#[test]
fn nothing_is_no_segments() {
    assert_eq!(plimsoll(["segments", "--json"]).run().json(), json!({"segments": []}));
    assert_eq!(plimsoll(["segments"]).run().stdout, "");
}

#[test]
fn people_see_what_is_broken() {
    let ran = plimsoll(["segments"]).input("<<context:file:a\u{1b}b>>>").run();
    assert_eq!(ran.stdout, "0..21        file   a\u{fffd}b  (broken: not absolute)\n");
}

#[test]
fn bytes_that_are_no_text_are_noted() {
    let ran = plimsoll(["segments", "--json"]).input([0xff]).run();
    assert_eq!(ran.json()["segments"][0]["text"], "\u{fffd}");
    assert!(ran.stderr.contains("not UTF-8"));
}
