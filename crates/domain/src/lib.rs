//! The nouns of Plimsoll: ids, pairs, topics, files, context tokens.
//!
//! This crate knows what a conversation *is*. It does not know what it weighs
//! (`tokens`), what is visible (`filter`), what fits (`budget`) or how it is sent
//! (`send`), and it never reads a clock, a file or a random source: times and
//! randomness are handed in.

mod context_token;
mod draft;
mod extraction;
mod file;
mod id;
mod json_size;
mod lifecycle;
mod mark;
mod pair;
mod protocol;
mod repeats;
mod scope;
mod snippet;
mod stranger;
mod topic;

pub use context_token::{
    ContextKind, ContextToken, Segment, SegmentBody, print_token, segments, with_file_names,
    words_alone,
};
pub use draft::{Draft, Purpose};
pub use extraction::{ExtractedText, Extraction, TextPart};
pub use file::{
    Attachment, BadHash, ContentHash, Delivery, File, FileKind, FileSource, ProviderFileId,
    file_label, parse_file_id, realigned,
};
pub use id::{DeletionId, FileId, PairId, ReceiptId, TopicId};
pub use json_size::{JsonTreeSize, MAX_JSON_TREE_BYTES, json_is_bounded, json_tree_fits};
pub use lifecycle::{IllegalTransition, Lifecycle, LifecycleEvent};
pub use mark::ContextMark;
pub use pair::{
    ColorFlag, MessagePair, OutOfRange, PairError, PairKind, PairUse, Star, Summarised, Timestamp,
    Usage, attachment_kinds,
};
pub use protocol::Protocol;
pub use repeats::ends_in_a_circle;
pub use scope::{FilesScope, HistoryScope};
pub use snippet::{BadSnippetName, Fillings, LONGEST_SNIPPET_NAME, Snippet};
pub use stranger::{plain_name, quoted, visible};
pub use topic::{NEW_CHAT, Topic, TopicTree, TopicTreeError, title_of};
