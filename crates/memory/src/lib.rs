//! The memory of coding agents: what is saved, found and told, within a budget.
//!
//! One method a tool of the spec, each from a plain struct to a [`Reply`]. This crate holds
//! the rules of the memory (what is redacted, what counts as the same, what is worth most)
//! and leaves keeping to `store`, weighing and cutting to `budget`. It knows no wire format
//! and no surface, and it reads no clock: the time is handed in.

mod anchors;
mod archive;
mod asks;
mod capture;
mod checks;
mod compact;
mod context;
mod error;
mod find;
mod graph;
mod ledger;
mod lines;
mod meaning;
mod memory;
mod notes;
mod private;
mod progress;
mod projects;
mod reply;
mod review;
mod saving;
mod sessions;
mod stats;
mod sync;
mod time;
mod timeline;
mod topic_key;

pub use plimsoll_budget::{BadDetailLevel, DetailLevel, SUMMARY_HINT};

pub use anchors::{AnchorCondition, Marks};
pub use archive::{ArchiveError, ImportStep, Imported};
pub use asks::{
    BuildContext, CapturePassive, Compact, EndSession, Find, GetObservation, Progress, Reading,
    Recall, Relate, Save, SavePrompt, StartSession, Stats, SuggestTopicKey, SummariseSession,
    Timeline, Update,
};
pub use checks::{MAX_CONTENT_BYTES, MAX_TITLE_BYTES};
pub use error::MemoryError;
pub use ledger::{BudgetSpent, Ledger, SMALLEST_BUDGET, SMALLEST_SESSION_BUDGET, Sent};
pub use meaning::{
    EmbedError, Embedder, MOST_NOTES_BY_MEANING, Meaning, MeaningError, MeaningParts,
    PresentMeaning, find_joined, speaks,
};
pub use memory::{Clock, DEFAULT_SESSION, Memory, MemoryParts};
pub use private::{REDACTED, redact};
pub use projects::{ALL_PROJECTS, OwnProject, StartedSessions, UNKNOWN_PROJECT};
pub use reply::Reply;
pub use review::Writer;
pub use sync::{FolderError, SyncAsk, SyncError, Synced};
