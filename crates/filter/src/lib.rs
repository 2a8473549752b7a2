//! The filter language: what is visible, and so what may be sent (FLT-1 to FLT-8).
//!
//! This crate reads the text of the command box, says what is wrong with it, completes
//! it, and decides which rows a filter shows. It does not know where pairs are stored,
//! what time it is, which topics exist or what fits into a request: a [`Scope`] answers
//! the first questions, [`Rows`] holds the pairs, and whether a pair is included in the
//! next request is handed in ([`Filter::apply_boundary`]). Commands are read, not done.
//!
//! The way of a filter: [`parse`] gives a [`Query`], [`compile()`] turns its expression
//! into a [`Filter`], and [`Filter::visible`] gives the rows that it shows.

mod ast;
mod atoms;
mod bits;
mod boundary;
mod command;
mod compile;
mod complete;
mod date;
mod error;
mod evaluate;
mod hints;
mod needle;
mod numbers;
mod parser;
mod pattern;
mod print;
mod ranges;
mod saved;
mod scan;
mod scope;
mod text;
mod times;
mod topics;
mod width;
mod words;

#[cfg(test)]
mod laws_tests;
#[cfg(test)]
mod mistakes_tests;
#[cfg(test)]
mod reference_tests;
#[cfg(test)]
mod testing;

pub use parser::{MAX_DEPTH, MAX_INPUT, Query, filter_part, parse};

pub use ast::{Age, AgeUnit, Atom, Comparator, Expr, Span};
pub use date::Date;
pub use pattern::{MAX_PATTERN, Pattern};
pub use topics::{TopicNode, TopicPath, TopicPattern};

pub use command::{COMMANDS, Command, ExportFormat, ExportOrder};

pub use error::{ErrorKind, FilterError};

pub use compile::compile;
pub use evaluate::Filter;
pub use scope::{Row, Rows, Scope};
pub use text::{MAX_TEXT_TERMS, TextTerm};

pub use complete::{ATOMS, Candidate, Completions, complete};
