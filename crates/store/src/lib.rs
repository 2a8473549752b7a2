//! What Plimsoll keeps and what it promises about it: records, traits by use, one error type, and
//! the statements that do it in every database.
//!
//! A method of a trait is one job: a function of `sql/`, run in one transaction by an
//! [`Engine`](engine::Engine). This crate knows no database, no file and no thread; it never reads
//! a clock and never makes an id, both are handed in.

#[macro_use]
pub mod engine;
#[macro_use]
mod jobs;

mod archive;
mod audit;
mod conversations;
mod deletions;
mod error;
mod estimates;
mod files;
mod gateway;
mod memory;
mod model_memory;
mod notebook;
mod openid;
mod outbox;
mod pairs;
mod people;
mod receipts;
mod search;
pub mod sql;
mod subject;
mod topics;
mod upkeep;
pub mod words;
mod workspace;

use async_trait::async_trait;
use plimsoll_domain::Timestamp;

pub use archive::{Archive, ArchivedPair, BroughtIn, PreviousAnswer, Revision};
pub use audit::{Audit, AuditEntry, KeyHolder, PersonUse, SealedKey, TeamUse, UseBy};
pub use conversations::{
    ConversationPage, ConversationPlace, ConversationQuery, Conversations, ListedConversation,
};
pub use deletions::{Deletable, DeletedKind, Deletion, Deletions, NewDeletion, PutAside, Restored};
pub use error::{Noun, StoreError, StoreResult};
pub use estimates::{Estimate, Estimates};
pub use files::{Files, ListedIn, ToolCallRecord};
pub use gateway::{ClientKey, ClientUse, Gateway, GatewayCall};
pub use jobs::StoreFuture;
pub use memory::{
    Anchor, AnchorState, ArchivedObservation, Around, BadScope, Brought, Change,
    DeletedObservation, HowFound, KeptVectors, Memory, MemoryCounts, MemoryFilter, MemoryFound,
    MemoryHit, MemoryHits, MemoryQuery, MemoryRecord, MemorySync, NewObservation, NewPrompt,
    NewRelation, NewSession, NoteText, NoteVectors, Observation, ObservationRevision, Order,
    PendingNote, ProgressDocument, Projects, Prompt, Proposal, Related, Relation, SESSION_SUMMARY,
    SHARED_SESSION, SUPERSEDES, Saved, SavedObservation, Scope, SeenNote, Session, Summarised,
    SyncBase, SyncChange, SyncNote, SyncOutcome, VectorCounts, Vectors,
};
pub use model_memory::{LearnedLimits, ModelStats, UsageEntry, UsageReport};
pub use notebook::{Preferences, QUERIES_KEPT, SavedFilter};
pub use openid::{OpenIdAttempt, OpenIds, openid_name};
pub use outbox::{
    ArrivingText, KnownText, MOST_NAMED, News, Outbox, Watched, WhatChanged, WorkspaceChange,
};
pub use pairs::{
    Edit, FIRST_LEASE, HeldSend, INTERRUPTED, Interrupted, Outcome, PairRow, Pairs, SendInFlight,
    StoredPair,
};
pub use people::{
    KnownPerson, Leaving, MonthlyLimits, People, Person, PersonToken, Project, ProjectRole, Role,
    SignIn, is_person_name, is_project_name, own_project,
};
pub use receipts::{
    ErrorSnapshot, EstimateErrors, FailedAnswer, GroupBy, ReceiptFilter, ReceiptRecord,
    ReceiptTotals, Receipts, TotalsKey,
};
pub use search::{Search, SearchHit};
pub use subject::Subject;
pub use topics::Topics;
pub use upkeep::{Finding, SchemaVersion, Upkeep};
pub use workspace::{BadWorkspace, Workspace};

/// Everything that is kept, behind one handle. Handles are cheap to share; dropping the
/// future of a write does not undo a write that was already handed over.
#[async_trait]
pub trait Store:
    Pairs
    + Topics
    + Conversations
    + Outbox
    + Archive
    + Deletions
    + Files
    + Estimates
    + Receipts
    + Gateway
    + People
    + OpenIds
    + Audit
    + ModelStats
    + Preferences
    + Memory
    + Vectors
    + MemorySync
    + Search
    + Upkeep
{
    /// Ends the sends of all workspaces that nobody carries out (SND-6). Others are not touched.
    async fn recover(
        &self,
        is_carried_out: &(dyn for<'s> Fn(&'s SendInFlight) -> bool + Send + Sync),
    ) -> StoreResult<Vec<Interrupted>> {
        let mut dead = self.sends_in_flight().await?;
        dead.retain(|send| !is_carried_out(send));
        dead.sort_by(|a, b| a.workspace.as_str().cmp(b.workspace.as_str()));
        let mut interrupted = Vec::new();
        for dead in dead.chunk_by(|a, b| a.workspace == b.workspace) {
            interrupted.extend(self.interrupt(dead).await?);
        }
        Ok(interrupted)
    }

    /// Purges what was deleted before a time, in all workspaces; says how many deletions. Mostly
    /// there is nothing to purge, and then nothing is written.
    async fn purge_deleted_before(&self, before: Timestamp) -> StoreResult<u64> {
        if self.any_deleted_before(before).await? {
            self.purge_all_before(before).await
        } else {
            Ok(0)
        }
    }
}

impl<E: engine::Engine + Search + Upkeep> Store for E {}
