//! Sends in flight, and whose they are (SND-2, SND-6).

use async_trait::async_trait;
use plimsoll_domain::{MessagePair, PairId, Timestamp};

use crate::{StoreResult, StoredPair, Workspace};

/// The error code of a pair whose process died while it was being sent (SND-6).
pub const INTERRUPTED: &str = "interrupted";

/// A send in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendInFlight {
    /// Where.
    pub workspace: Workspace,
    /// The pair that is being answered.
    pub pair: PairId,
    /// The process that does it, in the words of the caller.
    pub owner: String,
    /// Since when.
    pub since: Timestamp,
}

/// A send that was found interrupted: the pair as it is now, in error.
pub type Interrupted = StoredPair;

/// At most one send a workspace, each owned by a process.
///
/// An owner is any text that tells one run of a process from all others, such as a
/// process id with its start time. Whether it is alive is for the caller to say.
#[async_trait]
pub trait Owners: Send + Sync {
    /// Writes down an idle pair and claims the workspace for it, in one durable step
    /// (SND-1): the pair is `sending` when this returns, and nothing is kept when it is
    /// refused with `Busy`.
    async fn begin(
        &self,
        workspace: &Workspace,
        pair: &MessagePair,
        owner: &str,
        at: Timestamp,
    ) -> StoreResult<()>;

    /// Claims the workspace for a pair that is already there: an idle one is sent, a
    /// complete one is asked again (SND-8), where its answer is kept beside the new one.
    /// `model` is the one that will answer.
    async fn claim(&self, id: PairId, model: &str, owner: &str, at: Timestamp) -> StoreResult<()>;

    /// The send in flight in a workspace.
    async fn in_flight(&self, workspace: &Workspace) -> StoreResult<Option<SendInFlight>>;

    /// Ends the sends of all workspaces that nobody carries out: the pairs go to `error`
    /// with the code [`INTERRUPTED`] and keep what had arrived (SND-6). Others are not
    /// touched.
    async fn recover(
        &self,
        is_carried_out: &(dyn for<'s> Fn(&'s SendInFlight) -> bool + Send + Sync),
    ) -> StoreResult<Vec<Interrupted>>;
}
