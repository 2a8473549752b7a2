//! FAU-3: what a terminal does to an answer does not change what the answer means.

use proptest::prelude::*;

use super::{
    records::{body, outcome, records},
    wordings::check,
    *,
};

fn outcome_of(body: &str) -> String {
    outcome(&classify(None, body))
}

/// Breaks the lines of a text at blanks, as narrow as asked.
fn wrap(text: &str, width: usize, indent: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_inclusive(' ') {
        if column > 0 && column + word.trim_end().len() > width {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.push_str(indent);
            column = indent.len();
        }
        out.push_str(word);
        column = word.rfind('\n').map_or(column + word.len(), |at| word.len() - at);
    }
    out
}

#[test]
fn fau_3_a_line_break_at_any_blank_of_any_record_changes_nothing() {
    let mut changed = Vec::new();
    for record in records() {
        let body = body(&record);
        let plain = outcome_of(body);
        for (at, _) in body.match_indices(' ') {
            let (head, tail) = body.split_at(at);
            let found = outcome_of(&format!("{head}\n  {}", &tail[1..]));
            if found != plain {
                changed.push(format!("{found}, not {plain}: {head} // {}", &tail[1..]));
            }
        }
    }
    assert!(changed.is_empty(), "{} changed:\n{}", changed.len(), changed.join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn fau_3_a_record_wrapped_to_any_width_means_the_same(
        record in prop::sample::select(records()),
        width in 20_usize..160,
        indent in "[ ]{0,8}|\t",
    ) {
        let body = body(&record);
        let wrapped = wrap(body, width, &indent);
        prop_assert_eq!(outcome_of(&wrapped), outcome_of(body), "{}", wrapped);
    }
}

#[test]
fn fau_3_wrapped_answers_as_they_were_seen() {
    check(&[
        (
            400,
            "overflow_output/output_cap 32768 -",
            "400 Bad Request {\"message\":\"The maximum tokens\n   you requested exceeds the model limit of 32768\"}",
        ),
        (0, "overflow", "max_tokens must be at least 1, got\n-186."),
        (
            413,
            "overflow 8000 -",
            "Request body too large for gpt-4o model. Max\nsize: 8000 tokens.",
        ),
        (0, "quota", "{\"error\":{\"message\":\"Insufficient\n     Balance\",\"code\":\"x\"}}"),
        (
            0,
            "overflow_output/sum 4096 5000",
            "This model's maximum context length is 4096 tokens. However, your prompt contains\n at least 4000 input tokens (text) and you requested 1000\n output tokens.",
        ),
        (
            400,
            "invalid",
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'\n  instead.",
        ),
    ]);
}

/// A line of a log that is not set in is a record of its own: the parameters of the
/// call in one say nothing about the error in the next.
#[test]
fn fau_3_the_lines_of_a_log_are_not_one_sentence() {
    check(&[
        (
            0,
            "overflow 8192 9000",
            "POST /v1/chat model=x max_tokens=4096\nError: context length exceeded (9000 > 8192)",
        ),
        (
            502,
            "overflow 4096 5000",
            "<p>see max_tokens</p>\n   <p>prompt is <b>too long</b>: 5000 tokens &gt; 4096 maximum</p>",
        ),
    ]);
}
