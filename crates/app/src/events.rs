//! What happens, for whoever watches; and the way to stop it.

use plimsoll_budget::QuotaKind;
use plimsoll_domain::{PairId, ReceiptId};
use plimsoll_send::AttemptRecord;
use plimsoll_store::{ToolCallRecord, WhatChanged, Workspace, WorkspaceChange};
use tokio::sync::watch;

/// Something that happened in a workspace.
#[derive(Clone, Debug)]
pub struct AppEvent {
    /// Where; none for what concerns every workspace.
    pub workspace: Option<Workspace>,
    pub progress: Progress,
}

/// A step of a send, or a change of what is kept.
#[derive(Clone, Debug)]
pub enum Progress {
    /// The pair is on the disk and a call is about to be made; with the epoch of the send.
    Started(PairId, u64),
    /// A call goes out, or is over: the stage of its record says which.
    Attempt(PairId, Box<Attempt>),
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
    /// The account's windows are full; the call is made after this time (VAL-4).
    QuotaWait(PairId, std::time::Duration, QuotaKind),
    /// What came cannot be written down now, for this reason; it is tried again (REL-6).
    Unsaved(PairId, String),
    /// The receipt of a send is written down (REC-2).
    Receipt(PairId, ReceiptId),
    /// The send is over.
    Ended(PairId),
    /// The texts of these pairs changed: edited, swapped.
    Changed(Vec<PairId>),
    /// Stars, flags or topics of these pairs changed.
    Labelled(Vec<PairId>),
    /// These pairs are gone.
    Removed(Vec<PairId>),
    /// Pairs were brought in from elsewhere, or came back after a deletion.
    Imported,
    /// The context begins elsewhere (UI-17).
    ContextFrom,
    /// Topics or saved filters changed.
    Topics,
    /// A tool is at work for an answer, or has said something (PRV-5).
    Tool(PairId, Box<ToolStep>),
    /// The files of the workspace changed.
    Files,
    /// The memory of the workspace changed.
    Memory,
    /// Settings or models changed.
    Settings,
}

impl Progress {
    /// What another process tells of a change, as those here hear it; nothing of what only a page
    /// can make something of.
    pub fn of(change: &WorkspaceChange) -> Option<Self> {
        Some(match &change.what {
            // A send is known by the number of the change that began it.
            WhatChanged::Started(pair) => Self::Started(*pair, change.number),
            WhatChanged::Ended(pair) => Self::Ended(*pair),
            WhatChanged::Receipt(pair, receipt) => Self::Receipt(*pair, *receipt),
            WhatChanged::Texts(pairs) => Self::Changed(pairs.clone()),
            WhatChanged::Labels(pairs) => Self::Labelled(pairs.clone()),
            WhatChanged::Removed(pairs) => Self::Removed(pairs.clone()),
            WhatChanged::Imported => Self::Imported,
            WhatChanged::Topics => Self::Topics,
            WhatChanged::ContextFrom => Self::ContextFrom,
            WhatChanged::Files => Self::Files,
            WhatChanged::Memory => Self::Memory,
            WhatChanged::Tool(_) | WhatChanged::Draft(_) => return None,
        })
    }

    /// The pair of the send that this tells of, if it tells of one.
    pub fn pair(&self) -> Option<PairId> {
        match self {
            Self::Started(pair, _)
            | Self::Attempt(pair, _)
            | Self::Loading(pair)
            | Self::Text(pair, _)
            | Self::Reasoning(pair, _)
            | Self::RetryIn(pair, ..)
            | Self::Trimmed(pair, _)
            | Self::QuotaWait(pair, ..)
            | Self::Unsaved(pair, _)
            | Self::Receipt(pair, _)
            | Self::Ended(pair)
            | Self::Tool(pair, _) => Some(*pair),
            Self::Changed(_)
            | Self::Labelled(_)
            | Self::Removed(_)
            | Self::Imported
            | Self::ContextFrom
            | Self::Topics
            | Self::Files
            | Self::Memory
            | Self::Settings => None,
        }
    }
}

/// A call to a provider, for those who watch a send (API-2).
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Which call of the send it is, from 1. A call that is made again after a transient
    /// fault has a number of its own here, and none in the record.
    pub call: u32,
    /// The record, its messages aside: they are in the receipt.
    pub record: AttemptRecord,
    /// Whether it repeats a call after a transient fault: which repetition it is, and how
    /// many there may be (FAU-6).
    pub again: Option<(u32, u32)>,
    /// How many attempts there may be in all, with a smaller history each (OVF-2).
    pub most_attempts: u32,
}

/// A tool at work.
#[derive(Clone, Debug)]
pub struct ToolStep {
    /// Which of the answer's calls it is, from 0.
    pub place: usize,
    /// The tool.
    pub name: String,
    /// What it was asked.
    pub arguments: String,
    /// What it said; none while it is at work.
    pub said: Option<ToolCallRecord>,
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

    /// Whether it is stopped.
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns when it is stopped, at once if it already is.
    pub async fn cancelled(&self) {
        let mut watcher = self.0.subscribe();
        // The sender lives as long as this borrow, so waiting cannot fail.
        let _ = watcher.wait_for(|stopped| *stopped).await;
    }
}
