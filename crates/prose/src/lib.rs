//! What a model wrote, as safe HTML, and as lines for a terminal.
//!
//! Text goes in, HTML comes out: CommonMark with GitHub's tables, strikethrough, task
//! lists and bare links, code with colours, and formulas as MathML. It is not a
//! sanitiser of HTML: raw HTML in a text is shown as the text that it is, and every tag
//! that comes out is written by this crate. Nothing is loaded, nothing is stored, and no
//! style, script, id or event handler is ever written (UI-7, SEC-2).

mod code;
mod footnotes;
mod gate;
mod highlight;
mod html;
pub mod limits;
mod links;
mod markdown;
mod math;
mod partial;
mod preview;
mod prose;
mod renderer;
mod stable;
mod terminal;
mod text;

pub use preview::plain_preview;
pub use renderer::{Renderer, render, render_partial};
pub use stable::stable_prefix;
pub use terminal::{TerminalLook, terminal_columns, terminal_lines, terminal_lines_partial};

/// The style sheet for everything that this crate writes, below an element with the
/// class `prose`. Its colours are custom properties with values for light and dark.
pub const STYLESHEET: &str = include_str!("../assets/prose.css");
