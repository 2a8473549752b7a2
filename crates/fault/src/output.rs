//! Whether it was the requested output that was too large, alone or together with
//! the input (FAU-1, `overflow_output`).

use crate::{
    Label, Subkind,
    evidence::Evidence,
    lex::{Token, lex},
    numbers,
    phrases::{ABOVE, INPUTS, OUTPUT_AMOUNTS, OUTPUT_PARAMETERS, contains_any},
    rules::Verdict,
    window::sentences,
};

/// Looks for an output that was too large.
pub(crate) fn too_large(evidence: &Evidence) -> Option<Verdict> {
    let together =
        || Some(Verdict::new(Label::OverflowOutput, "input and output together").of(Subkind::Sum));
    // These openers speak of the request as a whole, not of the prompt.
    let statement =
        ["input validation error", "malformed input request", "invalid input", "input should be"]
            .iter()
            .fold(evidence.statement.clone(), |text, opener| text.replace(opener, ""));
    let figures = numbers::read(&statement);
    if sentences(&statement).any(leaves_no_room) {
        return Some(Verdict::new(Label::Overflow, "no room left for output"));
    }
    match (figures.input, figures.output) {
        // `0 for the completion`: all of it was input.
        (_, Some(0)) => return None,
        (Some(_), Some(_)) if figures.limit.is_some() && speaks_of_both(&statement) => {
            return together();
        }
        // The input may go without a number of its own where the total has one.
        (None, Some(output)) if contains_any(&statement, INPUTS) => {
            if let (Some(limit), Some(total)) = (figures.limit, figures.requested)
                && total > output.max(limit)
            {
                return together();
            }
        }
        _ => {}
    }
    if sentences(&statement).any(adds_up) {
        return together();
    }
    (sentences(&statement).any(caps_output) || is_bare_comparison(&statement))
        .then(|| Verdict::new(Label::OverflowOutput, "requested output").of(Subkind::OutputCap))
}

/// `max_tokens must be at least 1, got -186`: the server subtracted the prompt from
/// the window and nothing was left.
fn leaves_no_room(sentence: &str) -> bool {
    let lower_bound = "at least; greater than; positive; minimum; >=; non-negative; > 0";
    contains_any(sentence, OUTPUT_PARAMETERS)
        && contains_any(sentence, lower_bound)
        && lex(sentence).contains(&Token::Negative)
}

/// One sentence that compares input and output together with the window.
fn adds_up(sentence: &str) -> bool {
    let grows = contains_any(sentence, "max_total_tokens")
        || contains_any(sentence, "max_length")
            && contains_any(sentence, "context_length; context length; context window");
    (grows || speaks_of_both(sentence)) && contains_any(sentence, ABOVE)
}

fn speaks_of_both(text: &str) -> bool {
    speaks_of_output(text) && contains_any(text, INPUTS)
}

fn speaks_of_output(text: &str) -> bool {
    contains_any(text, OUTPUT_PARAMETERS) || contains_any(text, OUTPUT_AMOUNTS)
}

/// One sentence that says that the output alone was too large. A lower bound, of the output
/// or of the thinking inside it, is another mistake.
fn caps_output(sentence: &str) -> bool {
    let lower_bound = "at least; must be positive; must be greater than; thinking; budget_tokens";
    speaks_of_output(sentence)
        && contains_any(sentence, ABOVE)
        && !contains_any(sentence, lower_bound)
}

/// Bedrock's `8192 is not less or equal to 8191` does not name its parameter. Only
/// an amount of output has numbers of that size.
fn is_bare_comparison(statement: &str) -> bool {
    let is_large = |token: &&Token<'_>| matches!(token, Token::Number(Some(16..)));
    statement.contains("is not less or equal to")
        && lex(statement).iter().filter(is_large).count() >= 2
}
