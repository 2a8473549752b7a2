//! Holding a send (TEA-7): who carries one out gives a sign of life again and again, and stops when
//! another process took it for dead.
//!
//! Which send is whose is decided by its epoch, in the transaction of each write, and never by a
//! clock. Clocks only decide how soon a dead one is noticed. Where processes are on several
//! machines all of them go by the clock of the database, so that theirs may differ as they like;
//! what is left is the time that asking takes, and a lease is renewed when a third of it is over:
//! it runs out only for who failed to renew it twice.

use std::{sync::atomic::Ordering, time::Duration};

use plimsoll_domain::{Lifecycle, PairError, Timestamp};
use plimsoll_store::{HeldSend, INTERRUPTED, SendInFlight, StoreError, StoreResult};

use crate::{App, Cancel};

/// So often within a lease it is renewed.
const RENEWALS: u32 = 3;

/// What people read on a pair that was handed back.
const HANDED_BACK: &str =
    "The server ended while this was being sent. What had arrived is kept; ask again.";

impl App {
    /// The time that leases count by.
    pub(crate) async fn lease_time(&self) -> StoreResult<Timestamp> {
        Ok(self.store.database_time().await?.unwrap_or_else(|| self.clock.now()))
    }

    /// Renews a send until it is lost; then what it does is stopped. A store that does not answer
    /// is asked again: whether the send is lost it says when it does.
    pub(crate) async fn keep_lease(&self, send: HeldSend, cancel: &Cancel) {
        loop {
            let lease = self.settings().lease();
            if let Err(error) = self.renew(send, lease).await {
                if is_lost(&error) {
                    if self.was_taken(send).await {
                        tracing::warn!(pair = %send.pair, %error, "send stopped");
                        cancel.cancel();
                    }
                    return;
                }
                tracing::warn!(pair = %send.pair, %error, "cannot renew the send yet");
            }
            tokio::time::sleep(lease / RENEWALS).await;
        }
    }

    /// Whether another process ended or took over a send that cannot be renewed; else its end was
    /// written by us, and the books are still open.
    async fn was_taken(&self, send: HeldSend) -> bool {
        let Ok(stored) = self.store.get(send.pair).await else { return true };
        let error = stored.pair.error.as_ref();
        stored.pair.lifecycle == Lifecycle::Sending
            || error.is_some_and(|error| error.code == INTERRUPTED)
    }

    async fn renew(&self, send: HeldSend, lease: Duration) -> StoreResult<()> {
        let lease = i64::try_from(lease.as_millis()).unwrap_or(i64::MAX);
        let until = self.lease_time().await?.millis().saturating_add(lease);
        self.store.renew(send, Timestamp::from_millis(until)).await
    }

    /// The process ends: sends that are stopped from now on were interrupted, not stopped by a
    /// person (TEA-8).
    pub fn hand_sends_back(&self) {
        self.handing_back.store(true, Ordering::SeqCst);
    }

    /// The error of a send that is handed back, where that is why it stops.
    pub(crate) fn handed_back(&self) -> Option<PairError> {
        self.handing_back
            .load(Ordering::SeqCst)
            .then(|| PairError { code: INTERRUPTED.to_owned(), message: HANDED_BACK.to_owned() })
    }

    /// Whether somebody carries a send out at this time. One of this process is on our list. Of
    /// another process it may be known whether it lives: then a slow one is never robbed, and a
    /// dead one is noticed at once. Else its lease decides.
    pub(crate) fn is_carried_out(&self, send: &SendInFlight, now: Timestamp) -> bool {
        if send.owner == self.owner {
            return self.under_way.has(send.pair);
        }
        (self.is_alive)(&send.owner).unwrap_or(send.expires_at >= now)
    }
}

/// Whether a write of a send was refused because it is no longer ours.
pub(crate) fn is_lost(error: &StoreError) -> bool {
    matches!(error, StoreError::LeaseLost { .. } | StoreError::Conflict { .. })
}
