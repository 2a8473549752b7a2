//! REL-6: every send ends. Its end is written until the disk takes it, and a send that nobody
//! carries out any more does not hold its workspace.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::future::BoxFuture;
use plimsoll_domain::{Lifecycle, LifecycleEvent, PairId, PairKind, TopicId};
use plimsoll_store::{HeldSend, Interrupted, StoreError, StoreResult, Workspace};
use tokio::time::Instant;

use crate::{App, AppError, Cancel, Progress};

/// How long is waited before an end is written again: at first, and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Somebody who stops a send waits no longer than this for a disk that takes nothing.
const AFTER_CANCEL: Duration = Duration::from_secs(2);

/// How often a send asks whether another process wants it to stop.
const ASK_EVERY: Duration = Duration::from_millis(500);

/// How long a deletion waits for the send that it stopped.
const STOPPED_WITHIN: Duration = Duration::from_secs(10);

/// The sends that this process carries out.
#[derive(Clone, Default)]
pub(crate) struct UnderWay(Arc<Mutex<Vec<Entry>>>);

struct Entry {
    pair: PairId,
    cancel: Cancel,
    /// Tells two sends of one pair apart, of which the second is about to be refused.
    number: u64,
}

impl UnderWay {
    /// Puts a send on the list until what is returned goes away.
    pub(crate) fn begin(&self, pair: PairId) -> Carried {
        let mut list = self.list();
        let number = list.last().map_or(0, |last| last.number + 1);
        let cancel = Cancel::default();
        list.push(Entry { pair, cancel: cancel.clone(), number });
        Carried { list: self.clone(), cancel, number }
    }

    pub(crate) fn has(&self, pair: PairId) -> bool {
        self.list().iter().any(|entry| entry.pair == pair)
    }

    /// Stops the sends of a pair.
    fn stop(&self, pair: PairId) {
        let list = self.list();
        list.iter().filter(|entry| entry.pair == pair).for_each(|entry| entry.cancel.cancel());
    }

    fn list(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A send on the list. Whatever becomes of it, it is off the list when this goes away.
pub(crate) struct Carried {
    list: UnderWay,
    /// Says that somebody wants it to stop.
    pub(crate) cancel: Cancel,
    number: u64,
}

impl Drop for Carried {
    fn drop(&mut self) {
        self.list.list().retain(|entry| entry.number != self.number);
    }
}

/// What may pass: another try may succeed when the disk has room or answers again.
fn may_pass(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Locked
            | StoreError::ReadOnly
            | StoreError::DiskFull
            | StoreError::Unreachable(_)
            | StoreError::NotAllowed(_)
            | StoreError::Unconfirmed
            | StoreError::Failed(_)
    )
}

/// How long the end of a send is written again and again.
#[derive(Clone)]
pub(crate) struct Patience<'a> {
    pub(crate) pair: PairId,
    /// Whoever waits for the send wants no answer after this; a server always does.
    pub(crate) at_most: Option<Duration>,
    pub(crate) cancel: &'a Cancel,
}

impl App {
    /// Writes until the disk takes it, and tells that it does not. What failed for another
    /// reason fails again, so it is not repeated.
    pub(crate) async fn until_kept<'w, T>(
        &self,
        patience: &Patience<'_>,
        tell: &mut (dyn FnMut(Progress) + Send),
        write: impl Fn() -> BoxFuture<'w, StoreResult<T>> + Send,
    ) -> StoreResult<T> {
        let began = Instant::now();
        let mut pause = FIRST_PAUSE;
        let mut stopped = None;
        loop {
            let error = match write().await {
                Err(error) if may_pass(&error) => error,
                done => return done,
            };
            if patience.cancel.is_cancelled() {
                stopped.get_or_insert_with(Instant::now);
            }
            let over = patience.at_most.is_some_and(|most| began.elapsed() >= most);
            if over || stopped.is_some_and(|at: Instant| at.elapsed() >= AFTER_CANCEL) {
                return Err(error);
            }
            tracing::warn!(pair = %patience.pair, %error, "cannot be saved yet");
            tell(Progress::Unsaved(patience.pair, error.to_string()));
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Ends a pair. One that has ended so already was written by a try that the disk did not
    /// confirm.
    pub(crate) fn end_pair<'a>(
        &'a self,
        send: HeldSend,
        event: LifecycleEvent,
        kept: &'a plimsoll_store::Outcome,
    ) -> BoxFuture<'a, StoreResult<()>> {
        Box::pin(async move {
            match self.store.set_state(send, event, kept).await {
                Err(StoreError::Conflict { found })
                    if Lifecycle::Sending.after(event) == Ok(found) =>
                {
                    // Another process may have ended it as interrupted: that has no receipt.
                    let ended = self.store.get(send.pair).await?.pair;
                    match ended.receipt_id == kept.receipt_id {
                        true => Ok(()),
                        false => Err(StoreError::LeaseLost { pair: send.pair }),
                    }
                }
                ended => ended,
            }
        })
    }

    /// SND-6: pairs that a dead process left in `sending`, or whose end this one could not
    /// write, become errors that can be read, asked again or deleted.
    pub async fn recover(&self) -> Result<Vec<Interrupted>, AppError> {
        let now = self.lease_time().await?;
        let ended = self.store.recover(&|send| self.is_carried_out(send, now)).await?;
        for stored in &ended {
            if stored.pair.kind == PairKind::Summary {
                // A summary that failed changes nothing (HIS-11).
                self.store.delete(&[stored.pair.id]).await?;
                self.events.publish(&stored.workspace, Progress::Removed(vec![stored.pair.id]));
            }
            self.events.publish(&stored.workspace, Progress::Ended(stored.pair.id));
        }
        Ok(ended)
    }

    /// Stops the sends of a workspace, or of a conversation, or only that of a pair, whoever carries them out; says
    /// whether there was one. A send that nobody carries out is ended; another process is asked
    /// to stop its own.
    pub async fn stop(
        &self,
        workspace: &Workspace,
        within: Option<TopicId>,
        pair: Option<PairId>,
    ) -> Result<bool, AppError> {
        let mut stopped = false;
        for send in self.store.in_flight(workspace).await? {
            if pair.is_some_and(|pair| pair != send.pair) {
                continue;
            }
            if let Some(topic) = within
                && self.store.get(send.pair).await?.pair.topic_id != topic
            {
                continue;
            }
            if !self.is_carried_out(&send, self.lease_time().await?) {
                self.recover().await?;
            } else if send.owner == self.owner {
                self.under_way.stop(send.pair);
            } else {
                self.store.put_value(&stop_key(send.pair), Some("stop")).await?;
            }
            stopped = true;
        }
        Ok(stopped)
    }

    /// Stops the send of a pair, if it is being sent, and waits for its end.
    pub(crate) async fn end_of(&self, workspace: &Workspace, pair: PairId) -> Result<(), AppError> {
        let until = Instant::now() + STOPPED_WITHIN;
        let sending = async || -> Result<bool, AppError> {
            let sends = self.store.in_flight(workspace).await?;
            Ok(sends.iter().any(|send| send.pair == pair))
        };
        while sending().await? && Instant::now() < until {
            self.stop(workspace, None, Some(pair)).await?;
            tokio::time::sleep(FIRST_PAUSE).await;
        }
        Ok(())
    }

    /// Returns when somebody wants this send to stop, in this process or in another.
    pub(crate) async fn asked_to_stop(&self, pair: PairId, here: &Cancel) {
        let key = stop_key(pair);
        loop {
            tokio::select! {
                () = here.cancelled() => return,
                () = tokio::time::sleep(ASK_EVERY) => {}
            }
            if matches!(self.store.value(&key).await, Ok(Some(_))) {
                // What is left of the wish is harmless: no other send has this pair's name.
                let _ = self.store.put_value(&key, None).await;
                return;
            }
        }
    }
}

/// Where the wish to stop a send is kept.
fn stop_key(pair: PairId) -> String {
    format!("stop:{pair}")
}
