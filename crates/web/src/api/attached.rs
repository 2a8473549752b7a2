//! What the page says of the files of a message.

use axum::http::StatusCode;
use plimsoll_domain::{Attachment, FileId, parse_file_id};

use crate::problem::Problem;

/// More files than this are in no message that a person wrote.
const MOST_ATTACHMENTS: usize = 1000;

/// The file that an id means.
pub(crate) fn file_id(text: &str) -> Result<FileId, Problem> {
    parse_file_id(text).ok_or_else(|| {
        Problem::new(StatusCode::NOT_FOUND, "not_found", "there is no file with this id")
    })
}

/// Refuses more attachments than a message may hold.
pub(crate) fn check(attachments: &[Attachment]) -> Result<(), Problem> {
    if attachments.len() > MOST_ATTACHMENTS {
        let words = format!("a message holds at most {MOST_ATTACHMENTS} attachments");
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "too_many_attachments", words));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use plimsoll_domain::{SegmentBody, segments};
    use plimsoll_tokens::{dollars_at_most, heuristic};
    use serde_json::{Value, json};

    /// The same cases are read by `ui/tests/tokens.test.js`: both sides read texts alike.
    const SHARED: &str = include_str!("../../ui/tests/shared.json");

    #[test]
    fn tok_2_page_and_server_find_the_same_tokens_and_est_1_guess_the_same() {
        let shared: Value = serde_json::from_str(SHARED).unwrap();
        for case in shared["tokens"].as_array().unwrap() {
            let text = case["text"].as_str().unwrap();
            let token = |body| match body {
                SegmentBody::Token(token) => Some(json!([token.kind.name(), token.path])),
                SegmentBody::Text(_) => None,
            };
            let found: Vec<Value> =
                segments(text).into_iter().filter_map(|s| token(s.body)).collect();
            assert_eq!(json!(found), case["found"], "{text:?}");
        }
        for case in shared["atMost"].as_array().unwrap() {
            assert_eq!(dollars_at_most(case[0].as_f64().unwrap()), case[1], "UI-18");
        }
        for case in shared["estimates"].as_array().unwrap() {
            let (text, per_token) = (case["text"].as_str().unwrap(), &case["charsPerToken"]);
            assert_eq!(heuristic(text, per_token.as_f64().unwrap()), case["tokens"], "{text:?}");
        }
    }
}
