//! The grammar of FLT-2: alternatives, conjunctions, negations, parentheses.
//!
//! Only parentheses recurse, and their depth is bounded together with that of `!`, so
//! that no input overflows the stack (FLT-8). Everything else is a loop.

use crate::{
    ast::{Expr, Span},
    command::{Command, parse_command},
    error::{ErrorKind, FilterError, quoted},
    hints::meant_by_label,
    scan::{Scanner, command_colon},
    width::is_invisible,
};

/// The longest text that is parsed, in bytes.
pub const MAX_INPUT: usize = 64 * 1024;
/// How deep parentheses and `!` may nest.
pub const MAX_DEPTH: usize = 64;

/// What stands in the command box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The filter; none means everything (FLT-1).
    pub expr: Option<Expr>,
    /// The command after the first `:`.
    pub command: Option<Command>,
}

/// Reads the text of the command box: a filter, then perhaps a command.
pub fn parse(text: &str) -> Result<Query, FilterError> {
    if text.len() > MAX_INPUT {
        let span = Span::new(text.floor_char_boundary(MAX_INPUT), text.len());
        let found = format!("{} bytes", text.len());
        let expected = format!("at most {MAX_INPUT} bytes");
        let error = FilterError::new(ErrorKind::TooLong, span, found, expected);
        return Err(error.hint("save parts of it with `:save name` and write `@name`"));
    }
    let Some(colon) = command_colon(text) else {
        return Ok(Query { expr: parse_expr(text, false)?, command: None });
    };
    // Where a colon follows a letter it may be meant for something else than a command.
    let relabelled = |error: FilterError| {
        let at_colon = colon..=colon + 1 + leading_space(&text[colon + 1..]);
        let concerns = at_colon.contains(&(error.position + error.length))
            || at_colon.contains(&error.position);
        match meant_by_label(text, colon).filter(|_| concerns) {
            Some(meant) => match error.suggestion.clone() {
                Some(other) if other.starts_with("did you mean") => {
                    error.hint(format!("{meant}; or {other}"))
                }
                _ => error.hint(meant),
            },
            None => error,
        }
    };
    let expr = parse_expr(&text[..colon], false).map_err(relabelled)?;
    let command = parse_command(text, colon).map_err(relabelled)?;
    Ok(Query { expr, command: Some(command) })
}

/// The filter of a text, without the command after it.
pub fn filter_part(text: &str) -> &str {
    command_colon(text).map_or(text, |colon| &text[..colon])
}

fn leading_space(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// Whether a text is a filter that can be suggested, so that all of it can be seen.
/// Nothing is suggested where it is none, or trying one could lead to trying another.
pub(crate) fn is_filter(text: &str) -> bool {
    let fits =
        text.len() <= MAX_INPUT && command_colon(text).is_none() && !text.contains(is_invisible);
    fits && parse_expr(text, true).is_ok()
}

fn parse_expr(text: &str, trial: bool) -> Result<Option<Expr>, FilterError> {
    let mut parser = Parser::new(text, trial);
    parser.scan.skip_space();
    if parser.scan.peek().is_none() {
        return Ok(None);
    }
    let expr = parser.alternatives(Before::Start)?;
    match parser.scan.peek() {
        None => Ok(Some(expr)),
        // Everything but a closing parenthesis starts a term or is refused as one.
        Some(_) => Err(FilterError::new(
            ErrorKind::UnexpectedParenthesis,
            parser.scan.next_span(),
            parser.scan.found(),
            "an operator, a term or the end",
        )
        .hint("there is no `(` that it closes: remove it")),
    }
}

/// What a term that is missing would have followed.
#[derive(Clone, Copy)]
enum Before {
    Start,
    Operator(Span),
    Open(Span),
}

pub(crate) struct Parser<'a> {
    pub(crate) scan: Scanner<'a>,
    depth: usize,
    /// Where the last run of letters that was checked for stray words ends.
    pub(crate) words_checked: usize,
    /// Where the last atom stands.
    pub(crate) last: Option<Span>,
    /// Whether the text is a suggestion that is being tried.
    pub(crate) trial: bool,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, trial: bool) -> Self {
        Self { scan: Scanner::new(text, 0), depth: 0, words_checked: 0, last: None, trial }
    }

    fn alternatives(&mut self, before: Before) -> Result<Expr, FilterError> {
        let mut children = vec![self.conjunction(before)?];
        while matches!(self.scan.peek(), Some('|' | '+')) {
            let operator = self.scan.next_span();
            self.scan.bump();
            children.push(self.conjunction(Before::Operator(operator))?);
        }
        Ok(Expr::any(children))
    }

    /// Ends before `|`, `+`, `)` or the end of the text.
    fn conjunction(&mut self, before: Before) -> Result<Expr, FilterError> {
        let mut children = vec![self.term(before)?];
        loop {
            self.scan.skip_space();
            match self.scan.peek() {
                None | Some('|' | '+' | ')') => return Ok(Expr::all(children)),
                Some('&') => {
                    let operator = self.scan.next_span();
                    self.scan.bump();
                    children.push(self.term(Before::Operator(operator))?);
                }
                Some(_) => children.push(self.term(Before::Start)?),
            }
        }
    }

    /// An atom or parentheses, with the `!` before it.
    fn term(&mut self, mut before: Before) -> Result<Expr, FilterError> {
        let mut negations = 0;
        loop {
            self.scan.skip_space();
            let span = self.scan.next_span();
            if !self.scan.eat("!") {
                break;
            }
            self.enter(span)?;
            negations += 1;
            before = Before::Operator(span);
        }
        let mut expr = match self.scan.peek() {
            Some('(') => self.parentheses()?,
            None | Some(')' | '|' | '+' | '&') => return Err(self.missing_term(before)),
            Some(_) => {
                let start = self.scan.at;
                let atom = match self.atom() {
                    Ok(atom) => atom,
                    Err(error) => return Err(self.explained(error, start)),
                };
                let span = Span::new(start, self.scan.at);
                self.last = Some(span);
                Expr::Atom(atom, span)
            }
        };
        self.depth -= negations;
        for _ in 0..negations {
            expr = Expr::Not(Box::new(expr));
        }
        Ok(expr)
    }

    fn parentheses(&mut self) -> Result<Expr, FilterError> {
        let open = self.scan.next_span();
        self.scan.bump();
        self.enter(open)?;
        let expr = self.alternatives(Before::Open(open))?;
        if !self.scan.eat(")") {
            return Err(unclosed(open));
        }
        self.depth -= 1;
        Ok(expr)
    }

    fn enter(&mut self, at: Span) -> Result<(), FilterError> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        let found = format!("{} levels of `(` and `!`", self.depth);
        let expected = format!("at most {MAX_DEPTH}");
        let error = FilterError::new(ErrorKind::TooDeep, at, found, expected);
        Err(error.hint("remove parentheses or `!` that change nothing"))
    }

    fn missing_term(&self, before: Before) -> FilterError {
        let here = self.scan.next_span();
        let error = |kind, span| FilterError::new(kind, span, self.scan.found(), "a term");
        match (self.scan.peek(), before) {
            (None, Before::Open(open)) => unclosed(open),
            (Some(')'), Before::Open(open)) => {
                let span = Span::new(open.start, here.end);
                let found = quoted(self.scan.slice(span));
                FilterError::new(ErrorKind::UnexpectedParenthesis, span, found, "a term inside")
                    .hint("remove the parentheses or write a term between them")
            }
            (Some(')'), Before::Start) => error(ErrorKind::UnexpectedParenthesis, here)
                .hint("there is no `(` that it closes: remove it"),
            (Some('|' | '+' | '&'), Before::Operator(_)) => {
                error(ErrorKind::DanglingOperator, here).hint("one operator is enough")
            }
            (Some('|' | '+' | '&'), _) => {
                error(ErrorKind::DanglingOperator, here).hint("remove it or write a term before it")
            }
            (_, Before::Operator(operator)) => error(ErrorKind::DanglingOperator, operator)
                .hint("remove it or write a term after it"),
            _ => error(ErrorKind::UnexpectedCharacter, here),
        }
    }
}

fn unclosed(open: Span) -> FilterError {
    let found = "the end of the text";
    FilterError::new(ErrorKind::UnclosedParenthesis, open, found, "a closing `)`")
        .hint("close it with `)`")
}

#[cfg(test)]
#[path = "parser_tests.rs"]
mod tests;
