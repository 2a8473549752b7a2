//! HTTP statuses in prose.

use super::lex::Token;

/// Whether the number is an HTTP status: `413 Request …`, `error code: 400`,
/// `Bad request (400)`, `520: web server …`.
pub(super) fn is_status(tokens: &[Token<'_>], at: usize) -> bool {
    // The colon of `error code: 400` is not heard.
    let mut before = tokens[..at].iter().rev().filter(|token| **token != Token::Sign(":"));
    let (last, last_but_one) = (before.next().copied(), before.next().copied());
    let Token::Number(Some(400..600)) = tokens[at] else { return false };
    let ahead = tokens.get(at + 1);
    if matches!(ahead, Some(Token::Word("tokens" | "token"))) {
        return false;
    }
    const NAMES: [&str; 17] = [
        "error",
        "code",
        "status",
        "http",
        "failed",
        "statuscode",
        "http_status",
        "httpstatus",
        "status_code",
        "request",
        "gateway",
        "unauthorized",
        "returned",
        "response",
        "upstream_status",
        "rejected",
        "refused",
    ];
    const REASONS: [&str; 12] = [
        "bad",
        "unauthorized",
        "payment",
        "forbidden",
        "not",
        "too",
        "internal",
        "gateway",
        "service",
        "payload",
        "unprocessable",
        "web",
    ];
    if last == Some(Token::Sign("<")) && ahead == Some(&Token::Sign(">")) {
        return true;
    }
    match last {
        None | Some(Token::Stop) => true,
        Some(Token::Word(word)) if NAMES.contains(&word) => true,
        Some(Token::Sign("(" | "[" | "=" | "<")) => {
            matches!(last_but_one, None | Some(Token::Stop))
                || matches!(last_but_one, Some(Token::Word(word)) if NAMES.contains(&word))
                || matches!(ahead, Some(Token::Word(word)) if REASONS.contains(word))
        }
        _ => matches!(ahead, Some(Token::Word(word)) if REASONS.contains(word)),
    }
}
