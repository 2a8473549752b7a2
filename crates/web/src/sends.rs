//! The sends that this server carries out, and how to stop them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use plimsoll_app::{Cancel, HistoryChoice, HistoryNow, Progress, Sent, StartedSend};
use plimsoll_domain::{PairId, TopicId};
use plimsoll_store::Workspace;
use tracing::Instrument;

use crate::{Web, place::Place, telling};

/// At most one send a conversation (SND-2); the store sees to that.
#[derive(Default)]
pub(crate) struct Sends(Arc<Mutex<List>>);

type List = HashMap<PairId, Arc<ActiveSend>>;

struct ActiveSend {
    pair: PairId,
    workspace: Workspace,
    topic: TopicId,
    cancel: Cancel,
}

/// A send on the list. It is off it at the latest when this goes away, also by a panic.
struct Listed {
    sends: Sends,
    send: Arc<ActiveSend>,
}

impl Listed {
    /// Another send of the same pair may stand in its place by now: the store lets one begin as
    /// soon as the end of this one is written. That one stays.
    fn take_off(&self) {
        let mut list = self.sends.list();
        if list.get(&self.send.pair).is_some_and(|send| Arc::ptr_eq(send, &self.send)) {
            list.remove(&self.send.pair);
        }
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.take_off();
    }
}

impl ActiveSend {
    fn is_seen(&self, place: &Place) -> bool {
        self.workspace == place.workspace && place.shows(self.topic)
    }
}

impl Sends {
    fn list(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, workspace: Workspace, topic: TopicId, pair: PairId) -> Listed {
        let send = Arc::new(ActiveSend { pair, workspace, topic, cancel: Cancel::default() });
        self.list().insert(pair, Arc::clone(&send));
        Listed { sends: Self(Arc::clone(&self.0)), send }
    }

    /// Stops the sends that can be seen at a place, or only that of a pair; says whether there was
    /// one.
    pub(crate) fn cancel(&self, place: &Place, pair: Option<PairId>) -> bool {
        let sends = self.list();
        let meant = |send: &&Arc<ActiveSend>| {
            send.is_seen(place) && pair.is_none_or(|pair| pair == send.pair)
        };
        sends.values().filter(meant).map(|send| send.cancel.cancel()).count() > 0
    }

    /// Stops all sends.
    pub(crate) fn cancel_all(&self) {
        let sends = self.list();
        sends.values().for_each(|send| send.cancel.cancel());
    }

    /// Returns when nothing is being sent.
    pub(crate) async fn ended(&self) {
        while !self.list().is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }

    /// The pair that is being answered at a place; where there are several, the newest.
    pub(crate) fn current(&self, place: &Place) -> Option<PairId> {
        let sends = self.list();
        sends.values().filter(|send| send.is_seen(place)).map(|send| send.pair).max()
    }
}

/// Carries a send out beside the request that began it. It is off the list before its end
/// is told, so that nobody hears of an end and still sees it going on.
pub(crate) fn carry_out(web: &Arc<Web>, place: Place, started: StartedSend) {
    // Its lines in the log are those of the request that began it.
    tokio::spawn(carried(web, place, started).in_current_span());
}

/// The same, for whoever waits for it: how it ended, where that could be written down.
pub(crate) fn carried(
    web: &Arc<Web>,
    place: Place,
    mut started: StartedSend,
) -> impl Future<Output = Option<Sent>> + Send + use<> {
    let web = Arc::clone(web);
    // A message that has to wait for its turn goes with what is visible then (PAY-1).
    let session = web.sessions.opened(&place).filter(|_| started.follows_the_view());
    started.history_now = session.map(|session| -> HistoryNow {
        let web = Arc::clone(&web);
        Box::new(move |without| {
            Box::pin(async move {
                // By the selectors of the page: for the model of the send alone the same
                // filter may mean other pairs than people see.
                let visible =
                    session.lock().await.workspace_view.visible_now(&web.app, without).await?;
                Ok(HistoryChoice::These(visible))
            })
        })
    });
    let listed = web.sends.begin(place.workspace.clone(), started.topic, started.pair);
    // It was let in just before the end, and is handed back: no person stopped it (TEA-8).
    if web.is_ending() {
        web.app.hand_sends_back();
        listed.send.cancel.cancel();
    }
    async move {
        let mut watch = |progress: &Progress| {
            if matches!(progress, Progress::Ended(_)) {
                listed.take_off();
            }
        };
        let sent = web.app.carry_out(started, &listed.send.cancel, &mut watch).await.ok();
        if let (Some(person), Some(sent)) = (&place.person, &sent) {
            // What cannot be counted now is missing in the books, and the answer is there.
            let counted = web.app.count_sent(person, place.workspace.project(), sent).await;
            if let Err(error) = counted {
                tracing::error!(%error, "what a send used was not counted");
            }
        }
        web.sessions.sent(&web.app, &place, sent.as_ref()).await;
        telling::tell_state(&web, &place).await;
        sent
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_domain::{HistoryScope, Timestamp};

    use super::*;

    fn pair(n: u8) -> PairId {
        PairId::new(Timestamp::from_millis(i64::from(n)), [n; 10])
    }

    fn topic(n: u8) -> TopicId {
        TopicId::new(Timestamp::from_millis(i64::from(n)), [n; 10])
    }

    #[test]
    fn snd_2_each_conversation_has_a_send_of_its_own() {
        let sends = Sends::default();
        let within = |n| Place {
            conversation: Some(topic(n)),
            scope: HistoryScope::Conversation,
            person: None,
            ..Place::default()
        };
        let one = sends.begin(Workspace::default(), topic(1), pair(1));
        let two = sends.begin(Workspace::default(), topic(2), pair(2));
        assert_eq!(sends.current(&within(1)), Some(pair(1)));
        assert_eq!(sends.current(&within(2)), Some(pair(2)));
        assert_eq!(sends.current(&within(3)), None);
        assert_eq!(sends.current(&Place::default()), Some(pair(2)), "everything is seen here");
        assert!(!sends.cancel(&within(3), None) && !sends.cancel(&within(2), Some(pair(1))));
        assert!(sends.cancel(&within(1), None));
        assert!(one.send.cancel.is_cancelled() && !two.send.cancel.is_cancelled());
    }

    #[test]
    fn snd_2_the_end_of_a_send_leaves_the_one_that_took_its_place() {
        let (sends, here) = (Sends::default(), Place::default());
        let first = sends.begin(here.workspace.clone(), topic(1), pair(1));
        // The same pair asked again, while the first has written its end and not yet told it.
        let second = sends.begin(here.workspace.clone(), topic(1), pair(1));
        first.take_off();
        assert_eq!(sends.current(&here), Some(pair(1)));
        drop(first);
        assert!(sends.cancel(&here, None) && second.send.cancel.is_cancelled());
        second.take_off();
        assert_eq!(sends.current(&here), None);
    }

    #[tokio::test]
    async fn snd_2_a_send_that_panics_is_off_the_list() {
        let (sends, here) = (Sends::default(), Place::default());
        let listed = sends.begin(here.workspace.clone(), topic(1), pair(1));
        let task = tokio::spawn(async move {
            let _listed = listed;
            panic!("as a defect would");
        });
        assert!(task.await.is_err());
        assert_eq!(sends.current(&here), None);
        sends.ended().await;
    }
}
