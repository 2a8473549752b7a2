//! The file registry's words and the file tools.
//!
//! This crate says which files there are (the files section of the prelude) and answers
//! when a model asks for them: it lists, reads, looks, listens and runs. It does not know
//! where files are kept, which models see or hear, or what time it is: those come through
//! the ports in `ports.rs`. It never runs a program of a model outside a sandbox.

mod answering;
mod arguments;
mod audio;
mod extract;
#[doc(hidden)]
pub mod fuzzing;
mod image;
mod listing;
mod pdf;
mod ports;
mod programs;
mod python;
mod reading;
mod sandbox;
mod section;
mod toolbox;
mod tools;
mod words;

pub use answering::ToolAnswer;
pub use audio::{LocalRecogniser, RECOGNISER_HINT};
pub use extract::{DocumentReaders, Extract, Format, NoText, OLDER_TEXT};
pub use ports::{Document, Picture, ToolFailure, Transcriber, Unable, VisionModel, WorkspaceFiles};
pub use programs::Programs;
pub use sandbox::{NoSandbox, Sandbox};
pub use section::{HEADING, Section, entry, files_section};
pub use toolbox::{Clock, Toolbox};
pub use tools::{TOOLS, ToolSpec};
pub use words::{CONTEXT_CHARS, age_words, file_label, parse_file_id, quoted, size_words};
