//! What Plimsoll keeps, and what it promises about it: small traits, their plain
//! records and one error type.
//!
//! This crate does not know how anything is kept: no SQL, no files, no threads. It never
//! reads a clock and never makes an id; both are handed in.

mod archive;
mod deletions;
mod error;
mod estimates;
mod files;
mod memory;
mod model_memory;
mod notebook;
mod owners;
mod pairs;
mod receipts;
mod search;
mod topics;
mod upkeep;
mod workspace;

pub use archive::{Archive, ArchivedPair, BroughtIn, PreviousAnswer, Revision};
pub use deletions::{Deletable, DeletedKind, Deletion, Deletions, NewDeletion, PutAside, Restored};
pub use error::{Noun, StoreError, StoreResult};
pub use estimates::{Estimate, Estimates};
pub use files::{Files, ToolCallRecord};
pub use memory::{
    ArchivedObservation, Around, BadScope, Brought, Change, Graph, Memory, MemoryArchive,
    MemoryCounts, MemoryFilter, MemoryFound, MemoryHit, MemoryHits, MemoryQuery, MemoryRecord,
    MemorySearch, NewObservation, NewPrompt, NewRelation, NewSession, Observation,
    ObservationRevision, Observations, Order, ProgressDocument, Projects, Prompt, Prompts, Related,
    Relation, SESSION_SUMMARY, SHARED_SESSION, Saved, SavedObservation, Scope, Session, Sessions,
    Summarised,
};
pub use model_memory::{LearnedLimit, ModelMemory, UsageEntry, UsageReport};
pub use notebook::{KeptDraft, Notebook, QUERIES_KEPT, SavedFilter};
pub use owners::{INTERRUPTED, Interrupted, Owners, SendInFlight};
pub use pairs::{Edit, Original, Outcome, PairRow, Pairs, StoredPair};
pub use receipts::{
    ErrorSnapshot, EstimateErrors, FailedAnswer, GroupBy, ReceiptFilter, ReceiptRecord,
    ReceiptTotals, Receipts, TotalsKey,
};
pub use search::{Search, SearchHit};
pub use topics::Topics;
pub use upkeep::{Finding, SchemaVersion, Upkeep};
pub use workspace::{BadWorkspace, Workspace, Workspaces};

/// Everything that is kept, behind one handle. Handles are cheap to share; dropping the
/// future of a write does not undo a write that was already handed over.
pub trait Store:
    Workspaces
    + Pairs
    + Owners
    + Topics
    + Archive
    + Deletions
    + Files
    + Estimates
    + Search
    + Receipts
    + ModelMemory
    + Notebook
    + Memory
    + Upkeep
{
}

impl<S> Store for S where
    S: Workspaces
        + Pairs
        + Owners
        + Topics
        + Archive
        + Deletions
        + Files
        + Estimates
        + Search
        + Receipts
        + ModelMemory
        + Notebook
        + Memory
        + Upkeep
{
}
