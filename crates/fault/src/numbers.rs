//! The limit and the request in tokens, as the text states them (FAU-4).
//!
//! Every number is given a role by the words around it: the nearest telling word on
//! its left, or what is said right after it. Numbers without a role are not used,
//! which is how status codes, excesses and counts of other things stay out.

use crate::{
    Label, Subkind,
    evidence::Evidence,
    lex::{Token, lex},
    phrases::{LIMIT_KEYS, REQUESTED_KEYS, contains_any, entries},
    roles::{Role, role},
};

/// What a text states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    /// The most that is allowed.
    pub(crate) limit: Option<u64>,
    /// What was asked for.
    pub(crate) requested: Option<u64>,
    /// The share of the input, where it is told apart.
    pub(crate) input: Option<u64>,
    /// The share of the output, where it is told apart.
    pub(crate) output: Option<u64>,
}

/// The figures that belong to a fault with this label.
pub(crate) fn stated(evidence: &Evidence, label: Label, subkind: Option<Subkind>) -> Figures {
    let hay = &evidence.hay;
    // The tokens of one batch or one request are a limit of the endpoint, not of the window.
    let counts_batch =
        || hay.contains("tokens per request") || hay.contains("batch") && hay.contains("tokens");
    let text = match label {
        Label::Overflow | Label::OverflowOutput => evidence.statement.clone(),
        Label::Rate => token_lines(&evidence.statement),
        Label::Quota if hay.contains("token") => evidence.statement.clone(),
        Label::Invalid if counts_batch() => evidence.statement.clone(),
        _ => return Figures::default(),
    };
    match label {
        Label::Overflow | Label::OverflowOutput => completed(read(&text), evidence, subkind),
        _ => read(&text),
    }
}

/// For a rate limit only the lines that speak of tokens count; a limit of requests
/// is not a number of tokens.
fn token_lines(text: &str) -> String {
    let counts_requests = contains_any(text, "requests per; rpm$; rpd$; qps$");
    let counts = |line: &&str| {
        contains_any(line, "token; tpm$; tpd$; limit")
            && (line.contains("token") || !line.contains("request"))
    };
    let lines: Vec<&str> = text.lines().filter(counts).collect();
    let lines = lines.join("\n");
    let tokens = lines.contains("token") || contains_any(&lines, "tpm$; tpd$");
    if tokens && !counts_requests { lines } else { String::new() }
}

/// Adds what stands in fields rather than in words, and what follows from shares.
fn completed(mut figures: Figures, evidence: &Evidence, subkind: Option<Subkind>) -> Figures {
    if subkind == Some(Subkind::OutputCap) {
        figures.requested = figures.requested.or(figures.output);
        return figures;
    }
    if subkind == Some(Subkind::Sum) {
        let input =
            figures.input.or(figures.requested.filter(|share| Some(*share) <= figures.limit));
        let shares = match (input, figures.output) {
            (Some(input), Some(output)) => input.checked_add(output),
            _ => None,
        };
        // The sum is what was too large, so a lone share is not the request.
        let is_share = figures.requested.is_none() || figures.requested <= figures.limit;
        let lone = figures.input.max(figures.output).filter(|share| Some(*share) > figures.limit);
        if is_share {
            figures.requested = shares.or(lone).or(figures.requested);
        }
    } else {
        figures.requested = figures.requested.or(figures.input);
    }
    let field = |table| entries(table).find_map(|key| evidence.number(key));
    figures.limit = figures.limit.or_else(|| field(LIMIT_KEYS));
    figures.requested = figures.requested.or_else(|| field(REQUESTED_KEYS));
    figures
}

/// Reads the figures of a lower-case text.
pub(crate) fn read(text: &str) -> Figures {
    let tokens = lex(text);
    let mut figures = Figures::default();
    let mut total = None;
    for at in 0..tokens.len() {
        let Token::Number(Some(value)) = tokens[at] else { continue };
        // MiniMax puts the number of the error where others put the limit.
        if value == 2013 && text.contains("exceeds limit (2013)") {
            continue;
        }
        if let Some(sum) = sum_of(&tokens, at) {
            total = total.or(Some(sum.0));
            figures.limit = figures.limit.or(Some(sum.1));
            continue;
        }
        let slot = match role(&tokens, at) {
            Role::Limit => &mut figures.limit,
            Role::Below => {
                figures.limit = figures.limit.or(value.checked_sub(1));
                continue;
            }
            // `n_keep = 0` and its like: nobody asked for nothing.
            Role::Total | Role::Requested if value == 0 => continue,
            Role::Total => &mut total,
            Role::Requested => &mut figures.requested,
            Role::Input => &mut figures.input,
            Role::Output => &mut figures.output,
            Role::None => continue,
        };
        *slot = slot.or(Some(value));
    }
    figures.requested = total.or(figures.requested);
    figures
}

/// `199211 + 20000 > 200000`: the sum and the limit.
fn sum_of(tokens: &[Token<'_>], at: usize) -> Option<(u64, u64)> {
    match tokens.get(at..at + 5)? {
        [
            Token::Number(Some(left)),
            Token::Sign("+"),
            Token::Number(Some(right)),
            Token::Sign(">" | ">="),
            Token::Number(Some(limit)),
        ] => Some((left.checked_add(*right)?, *limit)),
        _ => None,
    }
}

#[cfg(test)]
#[path = "numbers_tests.rs"]
mod tests;
