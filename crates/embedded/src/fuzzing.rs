//! A door for the fuzz targets of this repository, and for nothing else.

use std::{io::Cursor, sync::Arc};

use crate::engine::{Engine, Head};

/// Reads a model file: its head, the words of its tokenizer and its weights. Gives the tokens
/// of a text with it, if it can be used.
pub fn tokens(file: &[u8], text: &str) -> Option<Vec<u32>> {
    let mut file = Cursor::new(file);
    let head = Arc::new(Head::read(&mut file).ok()?);
    let tokens = head.encode(text).ok();
    // The weights are read as well, though a file that is cut has none.
    let engine = Engine::read(&mut file, head);
    tokens.filter(|_| engine.is_ok())
}
