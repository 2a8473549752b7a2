//! What happens, for whoever watches; and the way to stop it.

use plimsoll_domain::PairId;
use plimsoll_send::AttemptRecord;
use plimsoll_store::Workspace;
use tokio::sync::{broadcast, watch};

/// Something that happened in a workspace.
#[derive(Clone, Debug)]
pub struct AppEvent {
    /// Where.
    pub workspace: Workspace,
    /// What.
    pub progress: Progress,
}

/// A step of a send.
#[derive(Clone, Debug)]
pub enum Progress {
    /// The pair is on the disk and a call is about to be made.
    Started(PairId),
    /// A call goes out.
    Attempt(Box<AttemptRecord>),
    /// The provider loads its model.
    Loading(PairId),
    /// A piece of the answer.
    Text(PairId, String),
    /// A piece of the model's reasoning.
    Reasoning(PairId, String),
    /// A transient fault; the same call is made again after this time (FAU-6).
    RetryIn(PairId, std::time::Duration, String),
    /// An overflow; the request goes again without this many oldest pairs.
    Trimmed(PairId, usize),
    /// The send is over.
    Ended(PairId),
}

/// Events wait for slow watchers up to this many; who falls further behind reads the
/// state from the store.
const BACKLOG: usize = 1024;

#[derive(Clone)]
pub(crate) struct Bus(broadcast::Sender<AppEvent>);

impl Default for Bus {
    fn default() -> Self {
        Self(broadcast::channel(BACKLOG).0)
    }
}

impl Bus {
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<AppEvent> {
        self.0.subscribe()
    }

    pub(crate) fn publish(&self, workspace: &Workspace, progress: Progress) {
        // Nobody watching is fine.
        let _ = self.0.send(AppEvent { workspace: workspace.clone(), progress });
    }
}

/// Stops a send from anywhere (SND-4). Clones stop the same send.
#[derive(Clone)]
pub struct Cancel(watch::Sender<bool>);

impl Default for Cancel {
    fn default() -> Self {
        Self(watch::channel(false).0)
    }
}

impl Cancel {
    /// Stops it.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    /// Returns when it is stopped, at once if it already is.
    pub(crate) async fn cancelled(&self) {
        let mut watcher = self.0.subscribe();
        // The sender lives as long as this borrow, so waiting cannot fail.
        let _ = watcher.wait_for(|stopped| *stopped).await;
    }
}
