//! What the references of messages stand for, what they weigh and how they go out (TOK-4,
//! TOK-5, DLV-1 to DLV-4).

mod bytes;
mod file_cache;
mod renderer;

pub(crate) use file_cache::FileCache;
pub(crate) use renderer::{AttachmentRenderer, files_of};
