//! What waits for a person to look at it (MEM-16).

use plimsoll_domain::Timestamp;

use super::{Change, NewObservation};

/// What an agent wants to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposal {
    New(NewObservation),
    /// A change of a note that is there. Which revision was seen is not kept, nor is one to
    /// restore: its text is part of the change.
    Change {
        of: u64,
        change: Change,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingNote {
    /// The number under which it waits. A note that is added keeps it.
    pub id: u64,
    pub saved_at: Timestamp,
    pub proposal: Proposal,
}
