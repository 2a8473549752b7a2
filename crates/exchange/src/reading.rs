//! Reading: what a file is shows in its content, never in its name.

mod bytes;
mod chatgpt;
mod claude;
mod json;
mod messages;
mod own_export;
mod parts;
mod unzip;

use std::{
    io::{Read, Seek, SeekFrom},
    ops::ControlFlow,
};

use plimsoll_domain::{ContentHash, ContextMark, Draft, File, Snippet, Topic, TopicId};
use plimsoll_store::{ArchivedPair, SavedFilter};

use crate::{BadRecord, Conversation, LeftOut, ReadError};

/// The most that is read of one conversation or line, in bytes. It bounds the memory of
/// reading, whatever a file claims to be.
pub const LONGEST_RECORD: u64 = 64 << 20;

/// Whose format a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Our own export.
    Plimsoll,
    /// ChatGPT's `conversations.json`.
    ChatGpt,
    /// Claude's `conversations.json`.
    Claude,
    /// OpenAI-style messages, one object a line or in a list.
    Messages,
}

impl Format {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plimsoll => "Plimsoll",
            Self::ChatGpt => "ChatGPT",
            Self::Claude => "Claude",
            Self::Messages => "Messages",
        }
    }
}

/// Something that a file holds.
#[expect(clippy::large_enum_variant, reason = "records are handed out one at a time")]
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// A topic of ours; parents come before their children.
    Topic(Topic),
    /// A saved filter of ours.
    Filter(SavedFilter),
    /// A snippet of ours.
    Snippet(Snippet),
    /// What stood in the box of a conversation of ours, or of everything.
    Draft(Option<TopicId>, Draft),
    /// Where the context of one begins.
    Mark(Option<TopicId>, ContextMark),
    /// A file of ours. Its bytes, if the export has them, came before.
    File(File),
    /// A pair of ours, after its topic and the files that it attaches.
    Pair(Box<ArchivedPair>),
    /// A conversation of somebody else.
    Conversation(Format, Conversation),
}

/// The bytes that an archive of ours says it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobEntry {
    /// The hash that they should have.
    pub hash: ContentHash,
    /// The ending of their name.
    pub extension: String,
}

/// The bytes of a file on their way, before any record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlobPart<'a> {
    /// Here they begin.
    Begin(&'a BlobEntry),
    /// The next ones.
    Bytes(&'a [u8]),
    /// They are whole and have the hash that they should have.
    Whole,
    /// They are not; what came of them is worth nothing.
    Bad,
}

/// Takes what is read. Each answer says whether to go on.
pub trait Sink {
    fn record(&mut self, record: Record) -> ControlFlow<()>;

    /// Bytes of a file. Who wants records alone lets them pass.
    fn blob(&mut self, _part: BlobPart<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// A record that cannot be used.
    fn bad(&mut self, bad: BadRecord) -> ControlFlow<()>;

    /// So many bytes are done, of so many.
    fn progress(&mut self, done: u64, total: u64) -> ControlFlow<()>;
}

/// What a file held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Whose format; none if there was nothing in it.
    pub format: Option<Format>,
    /// What stayed behind.
    pub left_out: LeftOut,
    /// Pieces that were no UTF-8 and were read as U+FFFD.
    pub replaced: u64,
}

/// Reads a file to its end, or to where the sink has enough. A bad record is told to the
/// sink and left out; only what breaks the file itself is an error.
pub fn read(mut source: impl Read + Seek, sink: &mut dyn Sink) -> Result<Summary, ReadError> {
    let total = source.seek(SeekFrom::End(0)).map_err(ReadError::Io)?;
    source.rewind().map_err(ReadError::Io)?;
    let mut magic = Vec::new();
    source.by_ref().take(4).read_to_end(&mut magic).map_err(ReadError::Io)?;
    source.rewind().map_err(ReadError::Io)?;
    // An archive without a file begins with its end.
    if magic == *b"PK\x03\x04" || magic == *b"PK\x05\x06" {
        unzip::read(source, total, sink)
    } else {
        let meter = bytes::Meter::new(total, u64::MAX);
        let mut reading = json::Reading { sink, meter: &meter, summary: Summary::default() };
        json::read(&mut source, &mut reading)?;
        Ok(reading.summary)
    }
}
