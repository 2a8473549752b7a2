//! The file registry's words and the file tools.
//!
//! This crate says which files there are (the files section of the prelude) and answers
//! when a model asks for them: it lists, reads, looks, listens and runs. It does not know
//! where files are kept, which models see or hear, or what time it is: those come through
//! the ports in `ports.rs`. It never runs a program of a model outside a sandbox.

mod section;
mod words;

pub use section::{HEADING, Section, entry, files_section};
pub use words::{CONTEXT_CHARS, age_words, file_label, parse_file_id, quoted, size_words};
