//! The sends that this server carries out, and how to stop them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use plimsoll_app::{Begun, Cancel};
use plimsoll_domain::PairId;
use plimsoll_store::Workspace;

use crate::Web;

/// One send a workspace (SND-2).
#[derive(Default)]
pub(crate) struct Sends(Mutex<HashMap<Workspace, (PairId, Cancel)>>);

impl Sends {
    /// Stops the send of a workspace; says whether there was one.
    pub(crate) fn cancel(&self, workspace: &Workspace) -> bool {
        let sends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = sends.get(workspace);
        if let Some((_, cancel)) = found {
            cancel.cancel();
        }
        found.is_some()
    }

    /// Stops all sends.
    pub(crate) fn cancel_all(&self) {
        let sends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sends.values().for_each(|(_, cancel)| cancel.cancel());
    }

    /// Returns when nothing is being sent.
    pub(crate) async fn ended(&self) {
        while !self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }

    /// The pair that is being answered.
    pub(crate) fn current(&self, workspace: &Workspace) -> Option<PairId> {
        let sends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sends.get(workspace).map(|(pair, _)| *pair)
    }
}

/// Carries a send out beside the request that began it.
pub(crate) fn carry_out(web: &Arc<Web>, workspace: Workspace, begun: Begun) {
    let web = Arc::clone(web);
    let (pair, cancel) = (begun.pair, Cancel::default());
    web.sends
        .0
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(workspace.clone(), (pair, cancel.clone()));
    tokio::spawn(async move {
        let sent = web.app.carry_out(begun, &cancel, &mut |_| {}).await;
        web.sends.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&workspace);
        web.boards.sent(&web.app, &workspace, sent.as_ref().ok()).await;
    });
}
