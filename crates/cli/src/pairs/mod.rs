//! Histories in files: one pair a line (spec 70).
//!
//! A line is parsed, handed on and forgotten, so a history of any length is read in
//! the memory of its longest line.

mod field;
mod line;
mod reader;

pub use line::{LineError, PairLine};
pub use reader::{PairsError, read_pairs};
