//! The sends that this server carries out, and how to stop them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use plimsoll_app::{Begun, Cancel, HistoryChoice, HistoryNow, Progress};
use plimsoll_domain::PairId;
use plimsoll_store::Workspace;

use crate::{Web, relay};

/// One send a workspace (SND-2).
#[derive(Default)]
pub(crate) struct Sends(Mutex<HashMap<Workspace, (PairId, Cancel)>>);

impl Sends {
    fn list(&self) -> MutexGuard<'_, HashMap<Workspace, (PairId, Cancel)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops the send of a workspace; says whether there was one.
    pub(crate) fn cancel(&self, workspace: &Workspace) -> bool {
        let sends = self.list();
        let found = sends.get(workspace);
        if let Some((_, cancel)) = found {
            cancel.cancel();
        }
        found.is_some()
    }

    /// Stops all sends.
    pub(crate) fn cancel_all(&self) {
        let sends = self.list();
        sends.values().for_each(|(_, cancel)| cancel.cancel());
    }

    /// Returns when nothing is being sent.
    pub(crate) async fn ended(&self) {
        while !self.list().is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }

    /// The pair that is being answered.
    pub(crate) fn current(&self, workspace: &Workspace) -> Option<PairId> {
        let sends = self.list();
        sends.get(workspace).map(|(pair, _)| *pair)
    }
}

/// Carries a send out beside the request that began it. It is off the list before its end
/// is told, so that nobody hears of an end and still sees it going on.
pub(crate) fn carry_out(web: &Arc<Web>, workspace: Workspace, mut begun: Begun) {
    let web = Arc::clone(web);
    // A message that has to wait for its turn goes with what is visible then (PAY-1).
    begun.history_now = web.boards.opened(&workspace).map(|desk| -> HistoryNow {
        let web = Arc::clone(&web);
        Box::new(move |without| {
            Box::pin(async move {
                // By the selectors of the page: for the model of the send alone the same
                // filter may mean other pairs than people see.
                let visible = desk.lock().await.board.visible_now(&web.app, without).await?;
                Ok(HistoryChoice::These(visible))
            })
        })
    });
    let (pair, cancel) = (begun.pair, Cancel::default());
    web.sends.list().insert(workspace.clone(), (pair, cancel.clone()));
    // It was let in just before the end, and is stopped like those that were on the list then.
    if web.is_ending() {
        cancel.cancel();
    }
    tokio::spawn(async move {
        let mut watch = |progress: &Progress| {
            if matches!(progress, Progress::Ended(_)) {
                web.sends.list().remove(&workspace);
            }
        };
        let sent = web.app.carry_out(begun, &cancel, &mut watch).await;
        web.boards.sent(&web.app, &workspace, sent.as_ref().ok()).await;
        relay::tell_state(&web, &workspace).await;
    });
}
