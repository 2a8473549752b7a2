//! Whether it was the requested output that was too large, alone or together with
//! the input (FAU-1, `overflow_output`).

use super::{
    Label, Subkind,
    evidence::Evidence,
    lex::{Token, lex},
    numbers,
    role_words::OUTPUT_PARAMETERS,
    window::sentences,
    words::contains_any,
};

/// What is written, in words. Advice and the names of endpoints have them too, so
/// only phrases that speak of an amount are here.
const AMOUNTS: &str = "\
    the completion; completion token; completion length; completion tokens; output token;
    output tokens; output length; output limit; the output; output); + output; max output;
    maximum output; generation length; tokens to generate; new tokens;
    maximum tokens you requested; maximum tokens requested; response length; response tokens;
    generated tokens; and prediction; prediction tokens; 输出长度; 输出token; 最大输出";

/// What goes in.
const INPUTS: &str = "\
    prompt; input; inputs; messages; message tokens; context tokens; text input; 输入";

/// Comparisons that a maximum fails.
const ABOVE: &str = "\
    exceed; too large; too big; too high; too many; too long; at most; greater than;
    larger than; less than; lower than; more than; not less or equal; above maximum;
    maximum value; maximum allowed; is the maximum; range; between; must be <; must be ≤;
    should be <; <=; ≤; >; supports up to; only supports; not possible; limited to;
    higher than; out of range; cannot be more; 超过; 超出; 大于; 范围; a maximum of";

/// What the output did, with the rule that found it.
pub(super) struct Finding {
    /// Overflow or overflow of the output.
    pub(super) label: Label,
    /// Sum or cap.
    pub(super) subkind: Option<Subkind>,
    /// The rule.
    pub(super) rule: &'static str,
}

const NO_ROOM: Finding =
    Finding { label: Label::Overflow, subkind: None, rule: "no room left for output" };
const SUM: Finding = Finding {
    label: Label::OverflowOutput,
    subkind: Some(Subkind::Sum),
    rule: "input and output together",
};
const CAP: Finding = Finding {
    label: Label::OverflowOutput,
    subkind: Some(Subkind::OutputCap),
    rule: "requested output",
};

/// Looks for an output that was too large.
pub(super) fn finding(evidence: &Evidence) -> Option<Finding> {
    // These openers speak of the request as a whole, not of the prompt.
    let statement =
        ["input validation error", "malformed input request", "invalid input", "input should be"]
            .iter()
            .fold(evidence.statement.clone(), |text, opener| text.replace(opener, ""));
    let figures = numbers::read(&statement);
    if sentences(&statement).any(leaves_no_room) {
        return Some(NO_ROOM);
    }
    match (figures.input, figures.output) {
        // `0 for the completion`: all of it was input.
        (_, Some(0)) => return None,
        (Some(_), Some(_)) if figures.limit.is_some() && speaks_of_both(&statement) => {
            return Some(SUM);
        }
        // The input may go without a number of its own where the total has one.
        (None, Some(output)) if contains_any(&statement, INPUTS) => {
            let total =
                figures.requested.filter(|total| *total > output && figures.limit < Some(*total));
            if total.is_some() && figures.limit.is_some() {
                return Some(SUM);
            }
        }
        _ => {}
    }
    if sentences(&statement).any(adds_up) {
        return Some(SUM);
    }
    if sentences(&statement).any(caps_output) || is_bare_comparison(&statement) {
        return Some(CAP);
    }
    None
}

/// `max_tokens must be at least 1, got -186`: the server subtracted the prompt from
/// the window and nothing was left.
fn leaves_no_room(sentence: &str) -> bool {
    contains_any(sentence, OUTPUT_PARAMETERS)
        && contains_any(
            sentence,
            "at least; greater than; positive; minimum; >=; non-negative; > 0",
        )
        && lex(sentence).contains(&Token::Negative)
}

/// One sentence that compares input and output together with the window.
fn adds_up(sentence: &str) -> bool {
    let grows = contains_any(sentence, "max_length")
        && contains_any(sentence, "context_length; context length; context window");
    let grows = grows || contains_any(sentence, "max_total_tokens");
    (grows || speaks_of_both(sentence)) && compares(sentence)
}

fn speaks_of_both(text: &str) -> bool {
    speaks_of_output(text) && contains_any(text, INPUTS)
}

fn speaks_of_output(text: &str) -> bool {
    contains_any(text, OUTPUT_PARAMETERS) || contains_any(text, AMOUNTS)
}

/// One sentence that says that the output alone was too large.
fn caps_output(sentence: &str) -> bool {
    // A lower bound, of the output or of the thinking inside it, is another mistake.
    let too_small = contains_any(
        sentence,
        "at least; must be positive; must be greater than; thinking; budget_tokens",
    );
    speaks_of_output(sentence) && compares(sentence) && !too_small
}

fn compares(sentence: &str) -> bool {
    contains_any(sentence, ABOVE)
}

/// Bedrock's `8192 is not less or equal to 8191` does not name its parameter. Only
/// an amount of output has numbers of that size.
fn is_bare_comparison(statement: &str) -> bool {
    if !statement.contains("is not less or equal to") {
        return false;
    }
    let is_large = |token: &Token<'_>| matches!(token, Token::Number(Some(16..)));
    lex(statement).iter().filter(|token| is_large(token)).count() >= 2
}
