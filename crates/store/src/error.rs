//! What can go wrong with the store. Each variant is a decision for the caller, and each
//! message says what to do.

use std::path::PathBuf;

use plimsoll_domain::{IllegalTransition, Lifecycle, PairId, Timestamp, TopicTreeError};
use thiserror::Error;

pub type StoreResult<T> = Result<T, StoreError>;

/// What was looked for, or was already there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noun {
    Pair,
    Topic,
    Workspace,
    Receipt,
    /// The answer before the last regeneration.
    PreviousAnswer,
    /// A file, such as the target of a backup.
    File,
    Session,
    Observation,
    Revision,
    Relation,
    /// A note or a change that waits for a person.
    Pending,
    Filter,
    Snippet,
    Deletion,
    /// Where an empty one was wanted.
    StoreWithRows,
    /// Somebody of the team.
    Person,
    /// A project of the team.
    Project,
}

impl std::fmt::Display for Noun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Pair => "pair",
            Self::Topic => "topic",
            Self::Workspace => "workspace",
            Self::Receipt => "receipt",
            Self::PreviousAnswer => "previous answer",
            Self::File => "file",
            Self::Session => "session",
            Self::Observation => "observation",
            Self::Revision => "revision",
            Self::Relation => "relation",
            Self::Pending => "note that waits for review",
            Self::Filter => "saved filter",
            Self::Snippet => "snippet",
            Self::Deletion => "deletion to undo",
            Self::StoreWithRows => "store with something in it",
            Self::Person => "user",
            Self::Project => "project",
        })
    }
}

/// Why the store did not do what it was asked. Unless a variant says otherwise, nothing
/// was changed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StoreError {
    #[error("there is no such {0}; it may have been deleted, so look again")]
    NotFound(Noun),
    /// There already is one with this id or at this place.
    #[error("there already is such a {0}; choose another")]
    Exists(Noun),
    /// A send is in flight in this conversation, or in this workspace where everything is looked at
    /// (SND-2).
    #[error("another send is in flight here; wait for it or cancel it")]
    Busy { since: Timestamp, pair: PairId },
    /// The send was not renewed in time, so that another process took it for dead and ended it, or
    /// sends the pair itself by now (TEA-7).
    #[error(
        "this send was held too long without a sign of life, and another process ended it; what had arrived is kept, so ask again"
    )]
    LeaseLost { pair: PairId },
    /// The pair is no longer in the state that the caller saw.
    #[error("the pair is {} by now; read it again", .found.name())]
    Conflict { found: Lifecycle },
    /// The observation is no longer what the caller saw.
    #[error("somebody changed it meanwhile: it has revision {revision} by now; read it again")]
    Revised { revision: u64 },
    /// Another observation has the topic key, in that project, scope and namespace (MEM-3).
    #[error("#{by} has this topic key already; change that one or choose another key")]
    KeyTaken { by: u64 },
    /// The session belongs to another project (MEM-12).
    #[error("session {session} belongs to project {project}; choose another id")]
    OfAnotherProject { session: String, project: String },
    /// A relation from an observation to itself.
    #[error("#{0} cannot relate to itself; name two observations")]
    SelfRelation(u64),
    /// Notes that would supersede one another in a circle (MEM-15).
    #[error("#{to} supersedes #{from} already, so #{from} cannot supersede it; name another note")]
    Circle { from: u64, to: u64 },
    /// The pair's life does not go that way.
    #[error(transparent)]
    Illegal(#[from] IllegalTransition),
    /// A pair is being sent only by someone; there is no other way into `sending`.
    #[error("a send needs an owner; begin it or claim it")]
    Unclaimed,
    #[error(transparent)]
    Topic(#[from] TopicTreeError),
    #[error("another process is writing to the store; try again in a moment")]
    Locked,
    #[error("the store cannot be written to; check the permissions of its directory")]
    ReadOnly,
    /// A database that is a server, which nobody can enter now, for this reason.
    #[error("the database cannot be reached: {0}; check its address and whether it runs")]
    Unreachable(String),
    #[error(
        "the address of the store cannot be used: {0}; it is like \
         postgres://USER:PASSWORD@HOST:PORT/DATABASE"
    )]
    BadAddress(String),
    #[error(
        "the database does not let us write: {0}; grant its user all rights on the schema, or use \
         a database that is no replica"
    )]
    NotAllowed(String),
    /// The connection broke while a change was being saved, and nobody could be asked since.
    #[error("the database went away while this was being saved; look whether it is there")]
    Unconfirmed,
    /// There is no room left; what was kept before is intact.
    #[error("the disk is full; free some space and try again, what was saved is intact")]
    DiskFull,
    #[error("the store is damaged; {}", .set_aside.as_ref().map_or_else(
        || "`plimsoll restore FILE` puts a backup in its place, `plimsoll verify --set-aside` \
            moves it out of the way".to_owned(),
        |path| format!("it was set aside as {}", path.display()),
    ))]
    Corrupt {
        /// Where the damaged file stands now, if it was moved.
        set_aside: Option<PathBuf>,
    },
    /// The store was written by a newer version; it was left as it is.
    #[error(
        "the store was written by a newer version (it has {found}, this one knows {known}); use that version"
    )]
    Newer {
        /// The newest migration of the store.
        found: String,
        /// The newest one that this version knows.
        known: String,
    },
    /// A migration of the store is not the one that this version knows by that name.
    #[error(
        "migration {0} of the store is not the one of this version; use the version that made it, or a backup"
    )]
    Altered(String),
    /// The file is a database, but not one of ours; it was left as it is.
    #[error(
        "{} is not a Plimsoll store; choose another place, or `plimsoll verify --set-aside` moves \
         it out of the way",
        .0.display()
    )]
    NotAStore(PathBuf),
    /// A store with triggers or views that no version of ours made; it was left as it is.
    #[error("{0} in it is none of Plimsoll's")]
    ForeignSchema(String),
    /// The process has as many files open as it may have.
    #[error("too many files are open; close some, or raise the limit (ulimit -n)")]
    TooManyFiles,
    /// Anything else, with what the database said.
    #[error("the store failed: {0}; try again, and run a check if it stays")]
    Failed(String),
}
