//! How much work a text may cause. Everything here is a constant, so that one look
//! tells what the worst answer of a model can do.

/// A longer text is shown as it is, in one plain block. As Markdown a text of short lines takes
/// fifty times its size while it is read, and a browser is slow with what comes out (REL-7).
pub const MAX_MARKDOWN_BYTES: usize = 512 * 1024;

/// Elements inside elements, math aside. Deeper ones are left out and only their text
/// stays; browsers stop at 512 themselves.
pub const MAX_DEPTH: usize = 48;

/// Quote and list markers that one line may open. Past this a line is text: each open
/// container is looked at again for each following line, so without a limit the work
/// would be the product of both.
pub const MAX_MARKERS_PER_LINE: usize = 32;

/// A longer code block is shown without colours.
pub const MAX_HIGHLIGHT_BYTES: usize = 200 * 1024;

/// Colours for all code blocks of one text together; what comes later is plain.
pub const MAX_HIGHLIGHT_TOTAL: usize = 1024 * 1024;

/// A longer formula is shown as its source.
pub const MAX_MATH_BYTES: usize = 8 * 1024;

/// Formulas of one text that become MathML, in bytes of their source together.
pub const MAX_MATH_TOTAL: usize = 256 * 1024;

/// Commands in one formula; one with more is shown as its source. The converter calls
/// itself for an argument without braces, about 1 KB of stack each time, so this is what
/// keeps `\sqrt\sqrt\sqrt…` from its end.
pub const MAX_MATH_COMMANDS: usize = 500;

/// Elements inside elements of one formula; a deeper one is shown as its source.
pub const MAX_MATH_DEPTH: usize = 64;

/// MathML that one formula may become; a longer one is shown as its source.
pub const MAX_MATHML_BYTES: usize = 512 * 1024;

/// A longer address is not a link.
pub const MAX_URL_BYTES: usize = 4 * 1024;

/// A longer name of a code block's language is cut.
pub const MAX_LANGUAGE_CHARS: usize = 24;
