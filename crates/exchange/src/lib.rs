//! Conversations in other people's formats and our own (HIS-8).
//!
//! Readers take any bytes and give records, one conversation at a time; writers take
//! records and give bytes. This crate opens no file, reads no clock and knows no store:
//! what to do with a record, and whether it is there already, is for the caller to say.

#[cfg(test)]
mod archive_tests;
mod bad;
mod conversation;
mod own;
mod own_extras;
mod own_file;
mod person_zip;
mod reading;
#[cfg(test)]
mod reading_tests;
mod times;
mod write_own;
mod write_text;
mod write_zip;

pub use bad::{BadRecord, Place, ReadError};
pub use conversation::{
    Conversation, LeftOut, Turn, copied_file_id, copied_pair_id, copied_topic_id, pair_id,
    topic_id, topic_name,
};
pub use person_zip::{PersonArchive, PersonWorkspace, PersonWriter};
pub use reading::{BlobEntry, BlobPart, Format, LONGEST_RECORD, Record, Sink, Summary, read};
pub use write_own::{OwnHead, OwnWriter};
pub use write_text::{TextStyle, TextWriter};
pub use write_zip::ArchiveWriter;
