//! What a model wrote, as lines for a terminal.
//!
//! Bold, italic and underlined words are told by codes, and so are colours where they are
//! wanted. Every code that comes out is written by this module: a control character of the
//! text, also one that is written as an entity, is replaced.

mod blocks;
mod table;
mod words;

use crate::{limits::MAX_MARKDOWN_BYTES, markdown, partial, text};
use blocks::Blocks;
use words::harmless;

/// How a terminal is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalLook {
    /// Columns that a line may take. Lines of code take what they need.
    pub width: usize,
    /// Whether there are colours beside bold, italic and underlined words.
    pub colours: bool,
}

/// A text as lines, without an empty one at either end. Of two parts that
/// [`stable_prefix`](crate::stable_prefix) cuts, the lines with an empty one between them are
/// those of the whole.
pub fn terminal_lines(markdown: &str, look: TerminalLook) -> Vec<String> {
    if markdown.len() > MAX_MARKDOWN_BYTES {
        return markdown.lines().map(harmless).collect();
    }
    let clean = text::without_marks(markdown);
    let mut blocks = Blocks::new(look);
    for event in pulldown_cmark::Parser::new_ext(&markdown::flatten(&clean), markdown::options()) {
        blocks.take(event);
    }
    blocks.finish()
}

/// The lines of a text that is still being written: what is open at its end is shown as what it
/// will become, as far as that can be told.
pub fn terminal_lines_partial(markdown: &str, look: TerminalLook) -> Vec<String> {
    if markdown.len() > MAX_MARKDOWN_BYTES {
        return terminal_lines(markdown, look);
    }
    terminal_lines(&partial::complete(markdown), look)
}

/// How many columns a line takes, its codes aside.
pub fn terminal_columns(line: &str) -> usize {
    words::columns(line)
}

#[cfg(test)]
#[path = "terminal_tests.rs"]
mod tests;
