//! HTTP statuses in prose.

use crate::{
    lex::Token,
    phrases::{STATUS_NAMES, STATUS_REASONS, lists},
};

/// Whether the number is an HTTP status: `413 Request …`, `error code: 400`,
/// `Bad request (400)`, `520: web server …`.
pub(crate) fn is_status(tokens: &[Token<'_>], at: usize) -> bool {
    let ahead = tokens.get(at + 1);
    if !matches!(tokens[at], Token::Number(Some(400..600)))
        || matches!(ahead, Some(Token::Word("tokens" | "token")))
    {
        return false;
    }
    // The colon of `error code: 400` is not heard.
    let mut before = tokens[..at].iter().rev().filter(|token| **token != Token::Sign(":"));
    let (last, last_but_one) = (before.next(), before.next());
    let starts = |token: Option<&Token<'_>>| matches!(token, None | Some(Token::Stop));
    let lists = |table, token: Option<&Token<'_>>| matches!(token, Some(Token::Word(word)) if lists(table, word));
    starts(last)
        || lists(STATUS_NAMES, last)
        || lists(STATUS_REASONS, ahead)
        || matches!(last, Some(Token::Sign("(" | "[" | "=" | "<")))
            && (starts(last_but_one) || lists(STATUS_NAMES, last_but_one))
        || last == Some(&Token::Sign("<")) && ahead == Some(&Token::Sign(">"))
}
