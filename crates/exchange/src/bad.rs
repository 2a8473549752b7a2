//! What can be wrong with a file that somebody wants to import.

use thiserror::Error;

/// Where in a file, counted from 1 as people count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Line(u64),
    /// A conversation of the list.
    Conversation(u64),
    /// A topic of our own export.
    Topic(u64),
    /// A saved filter of our own export.
    Filter(u64),
    /// A snippet of our own export.
    Snippet(u64),
    /// A draft of our own export.
    Draft(u64),
    /// A mark of our own export: where a context begins.
    Mark(u64),
    /// A file of our own export.
    File(u64),
    /// A pair of our own export.
    Pair(u64),
    /// The bytes of a file, among those of an archive of ours.
    Blob(u64),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line(n) => write!(f, "line {n}"),
            Self::Conversation(n) => write!(f, "conversation {n}"),
            Self::Topic(n) => write!(f, "topic {n}"),
            Self::Filter(n) => write!(f, "saved filter {n}"),
            Self::Snippet(n) => write!(f, "snippet {n}"),
            Self::Draft(n) => write!(f, "draft {n}"),
            Self::Mark(n) => write!(f, "mark {n}"),
            Self::File(n) => write!(f, "file {n}"),
            Self::Pair(n) => write!(f, "pair {n}"),
            Self::Blob(n) => write!(f, "blob {n}"),
        }
    }
}

/// One record that cannot be used. What follows it may be fine.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {problem}")]
pub struct BadRecord {
    /// Where it stands.
    pub place: Place,
    /// What is wrong with it.
    pub problem: String,
}

/// Why reading ended before the end of the file.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The source itself failed.
    #[error("reading failed: {0}")]
    Io(std::io::Error),
    /// It is none of the formats.
    #[error("this is no export that Plimsoll knows")]
    Unrecognised,
    /// The text breaks off, or is no JSON from here on.
    #[error("{place}: the file is broken here: {problem}")]
    Broken {
        /// The record that could not be read to its end.
        place: Place,
        /// What the parser says.
        problem: String,
    },
    /// Our own format, of a version that is not known here.
    #[error("the export has version {0}, which is newer than this Plimsoll")]
    Newer(u64),
    /// One record is larger than any conversation.
    #[error("{place}: it is larger than {limit} bytes, which no conversation is")]
    RecordTooLarge {
        place: Place,
        /// How much is read of one.
        limit: u64,
    },
    /// The archive cannot be read.
    #[error("the zip cannot be read: {0}")]
    Zip(String),
    /// The archive does not hold what an export holds.
    #[error("the zip holds neither plimsoll.json nor conversations.json")]
    NoConversations,
    /// The archive unpacks to more than it should.
    #[error("the zip unpacks to more than {0} bytes, which no export does")]
    TooLarge(u64),
    /// The sink had enough.
    #[error("it was stopped")]
    Stopped,
}

impl ReadError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Io(_) => "check the file and the disk it is on",
            Self::Unrecognised => {
                "it takes ChatGPT's and Claude's exports (zip or conversations.json), OpenAI-style \
                 messages as JSONL, and what `plimsoll export` writes"
            }
            Self::Broken { .. } => "fetch the export again, or take what stands before the break",
            Self::Newer(_) => "use the version of Plimsoll that wrote it, or a newer one",
            Self::RecordTooLarge { .. } => {
                "take that conversation out of the file, or take what stands before it"
            }
            Self::Zip(_) => "fetch the export again, or unpack it and import conversations.json",
            Self::NoConversations => "unpack it and import the file that holds the conversations",
            Self::TooLarge(_) => "if you trust it, unpack it and import conversations.json",
            Self::Stopped => "run it again to go on",
        }
    }
}
