//! What a job of writing is about: where writers do not wait for each other anyway, those about
//! the same must.

use plimsoll_domain::{FileId, PairId, Timestamp};

use crate::{
    AuditEntry, ClientKey, ErrorSnapshot, Estimate, GatewayCall, HeldSend, KeyHolder, NewDeletion,
    OpenIdAttempt, Person, PersonToken, PersonUse, Project, ProjectRole, ReceiptRecord, SealedKey,
    SendInFlight, SignIn, Workspace,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    Workspace(Workspace),
    /// The workspace of this pair.
    Pair(PairId),
    /// The workspace of this file.
    File(FileId),
    /// What belongs to no workspace: models, keys, single values.
    Shared,
    /// All workspaces: nobody else writes meanwhile.
    Everything,
}

/// The first argument of a job of writing, which says what it is about.
pub(crate) trait Concerns {
    fn subject(&self) -> Subject;
}

impl Concerns for Workspace {
    fn subject(&self) -> Subject {
        Subject::Workspace(self.clone())
    }
}

impl Concerns for PairId {
    fn subject(&self) -> Subject {
        Subject::Pair(*self)
    }
}

impl Concerns for HeldSend {
    fn subject(&self) -> Subject {
        Subject::Pair(self.pair)
    }
}

impl Concerns for FileId {
    fn subject(&self) -> Subject {
        Subject::File(*self)
    }
}

macro_rules! first_of_many {
    ($($many:ty => |$one:pat_param| $of:expr),* $(,)?) => { $(
        impl Concerns for [$many] {
            fn subject(&self) -> Subject {
                self.first().map_or(Subject::Shared, |$one| $of.subject())
            }
        }
    )* };
}

first_of_many!(
    PairId => |pair| pair,
    FileId => |file| file,
    SendInFlight => |send| send.workspace,
    (PairId, Estimate) => |(pair, _)| pair,
    (PairId, plimsoll_domain::PairUse) => |(pair, _)| pair,
    (PairId, plimsoll_domain::TopicId) => |(pair, _)| pair,
);

impl Concerns for NewDeletion {
    fn subject(&self) -> Subject {
        self.workspace.subject()
    }
}

impl Concerns for ReceiptRecord {
    fn subject(&self) -> Subject {
        self.workspace.subject()
    }
}

impl Concerns for ErrorSnapshot {
    fn subject(&self) -> Subject {
        self.pair.subject()
    }
}

macro_rules! shared {
    ($($type:ty),* $(,)?) => { $(
        impl Concerns for $type {
            fn subject(&self) -> Subject {
                Subject::Shared
            }
        }
    )* };
}

shared!(
    str,
    Timestamp,
    [GatewayCall],
    ClientKey,
    AuditEntry,
    [PersonUse],
    SealedKey,
    KeyHolder,
    Person,
    Project,
    ProjectRole,
    PersonToken,
    SignIn,
    OpenIdAttempt,
);
