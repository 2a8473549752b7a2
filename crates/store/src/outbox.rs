//! What changed in a workspace, in order, for every process that serves it (TEA-6).
//!
//! A change is numbered by a counter of its workspace and written in the transaction of what it
//! tells of, so that numbers become visible in order and without gaps. Text that is arriving is no
//! change: it is read from the send as far as it was saved.

use plimsoll_domain::{PairId, ReceiptId, Timestamp, TopicId};

use crate::{Workspace, sql::outbox};

/// So many ids are named by one change; of more it only says that there are many.
pub const MOST_NAMED: usize = 256;

/// What is told of a change. What it is now, whoever hears of it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhatChanged {
    /// A pair is being sent.
    Started(PairId),
    /// A send is over.
    Ended(PairId),
    /// The receipt of a send is written down.
    Receipt(PairId, ReceiptId),
    /// A tool has said something for an answer.
    Tool(PairId),
    /// The texts of these pairs are others.
    Texts(Vec<PairId>),
    /// Stars, flags, uses or topics of these pairs; none named stands for many.
    Labels(Vec<PairId>),
    /// These pairs are gone; none named stands for many.
    Removed(Vec<PairId>),
    /// Pairs came from elsewhere, or came back, or so many changed that they are not named.
    Imported,
    /// Topics, saved filters or snippets.
    Topics,
    /// The context begins elsewhere.
    ContextFrom,
    Files,
    Memory,
    /// The message that is being written in a conversation, or where everything is shown.
    Draft(Option<TopicId>),
}

/// A change in its workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceChange {
    pub workspace: Workspace,
    pub number: u64,
    pub what: WhatChanged,
    /// Whether it was made through the handle that asks.
    pub ours: bool,
}

/// A workspace that somebody watches, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    pub workspace: Workspace,
    /// Changes up to this number are known.
    pub after: u64,
    /// Of these sends so many characters are known.
    pub known: Vec<KnownText>,
}

/// How much of an answer that is on its way is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownText {
    pub pair: PairId,
    pub epoch: u64,
    /// Characters, not bytes: databases count texts so.
    pub chars: u64,
}

/// What happened in watched workspaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// The changes, by workspace and number.
    pub changes: Vec<WorkspaceChange>,
    /// The newest number of each workspace in which anything ever changed.
    pub newest: Vec<(Workspace, u64)>,
    /// Workspaces of which the known number is too old, or was never there: what is known of
    /// them is worth nothing.
    pub lost: Vec<Workspace>,
    /// The sends that others carry out there.
    pub sends: Vec<ArrivingText>,
}

/// A send that somebody else carries out, and what has been saved of its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrivingText {
    pub workspace: Workspace,
    pub pair: PairId,
    pub epoch: u64,
    /// Where `text` begins, in characters of the answer.
    pub from: u64,
    /// What is new.
    pub text: String,
}

jobs! {
    /// Changes, told to every process that serves a workspace.
    pub trait Outbox {
        /// What happened since in these workspaces, all asked for at once: changes, and what
        /// arrived of the sends that others than `owner` carry out there. At most a bounded
        /// number of changes; who gets that many asks again.
        read news(watched: &[Watched], owner: &str) -> News = outbox::news;

        /// The changes of a workspace behind a number; none where they are not all kept, or where
        /// so many came that reading everything again is less.
        read changes_after(workspace: &Workspace, number: u64)
            -> Option<Vec<WorkspaceChange>> = outbox::changes_after;

        /// The number of the newest change of a workspace; 0 before the first one.
        read newest_change(workspace: &Workspace) -> u64 = outbox::newest;

        /// Keeps a single value of a workspace that decides where its context begins.
        write put_context_mark(workspace: &Workspace, key: &str, value: Option<&str>)
            -> () = outbox::put_context_mark;

        /// How many changes are kept, of all workspaces.
        read changes_kept() -> u64 = outbox::kept;

        /// Forgets changes that were noted before `before`, and notes at `at` those that were not
        /// noted yet; a bounded number of both. Says whether there is more to do.
        write_lazily forget_changes(before: Timestamp, at: Timestamp) -> bool = outbox::forget;
    }
}

impl WhatChanged {
    /// The word for it, and the ids that it names.
    pub(crate) fn written(&self) -> (&'static str, String) {
        let ids = |ids: &[PairId]| {
            let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            ids.join(" ")
        };
        match self {
            Self::Started(pair) => ("started", pair.to_string()),
            Self::Ended(pair) => ("ended", pair.to_string()),
            Self::Receipt(pair, receipt) => ("receipt", format!("{pair} {receipt}")),
            Self::Tool(pair) => ("tool", pair.to_string()),
            Self::Texts(pairs) if pairs.len() > MOST_NAMED => ("imported", String::new()),
            Self::Texts(pairs) => ("texts", ids(pairs)),
            Self::Labels(pairs) | Self::Removed(pairs) if pairs.len() > MOST_NAMED => {
                let kind = if matches!(self, Self::Labels(_)) { "labels" } else { "removed" };
                (kind, String::new())
            }
            Self::Labels(pairs) => ("labels", ids(pairs)),
            Self::Removed(pairs) => ("removed", ids(pairs)),
            Self::Imported => ("imported", String::new()),
            Self::Topics => ("topics", String::new()),
            Self::ContextFrom => ("context-from", String::new()),
            Self::Files => ("files", String::new()),
            Self::Memory => ("memory", String::new()),
            Self::Draft(topic) => {
                ("draft", topic.map(|topic| topic.to_string()).unwrap_or_default())
            }
        }
    }

    /// Reads what [`written`](Self::written) wrote. What a later version wrote may be anything,
    /// so that everything is looked at again.
    pub(crate) fn read(kind: &str, about: &str) -> Self {
        let pairs: Vec<PairId> = about.split(' ').filter_map(PairId::parse).collect();
        match (kind, pairs.as_slice()) {
            ("started", [pair]) => Self::Started(*pair),
            ("ended", [pair]) => Self::Ended(*pair),
            ("tool", [pair]) => Self::Tool(*pair),
            ("receipt", [pair, ..]) => {
                let receipt = about.split(' ').nth(1).and_then(ReceiptId::parse);
                receipt.map_or(Self::Imported, |receipt| Self::Receipt(*pair, receipt))
            }
            ("texts", _) => Self::Texts(pairs),
            ("labels", _) => Self::Labels(pairs),
            ("removed", _) => Self::Removed(pairs),
            ("topics", _) => Self::Topics,
            ("context-from", _) => Self::ContextFrom,
            ("files", _) => Self::Files,
            ("memory", _) => Self::Memory,
            ("draft", _) => Self::Draft(TopicId::parse(about)),
            _ => Self::Imported,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(n: usize) -> PairId {
        PairId::new(Timestamp::from_millis(i64::try_from(n).unwrap()), [7; 10])
    }

    #[test]
    fn tea_6_what_is_written_is_read() {
        let receipt = ReceiptId::new(Timestamp::from_millis(5), [3; 10]);
        let topic = TopicId::new(Timestamp::from_millis(6), [3; 10]);
        for what in [
            WhatChanged::Started(pair(1)),
            WhatChanged::Ended(pair(1)),
            WhatChanged::Receipt(pair(1), receipt),
            WhatChanged::Tool(pair(1)),
            WhatChanged::Texts(vec![pair(1), pair(2)]),
            WhatChanged::Labels(vec![pair(1), pair(2)]),
            WhatChanged::Labels(Vec::new()),
            WhatChanged::Removed(vec![pair(3)]),
            WhatChanged::Imported,
            WhatChanged::Topics,
            WhatChanged::ContextFrom,
            WhatChanged::Files,
            WhatChanged::Memory,
            WhatChanged::Draft(None),
            WhatChanged::Draft(Some(topic)),
        ] {
            let (kind, about) = what.written();
            assert_eq!(WhatChanged::read(kind, &about), what);
        }
        assert_eq!(WhatChanged::read("of a later version", "x"), WhatChanged::Imported);
    }

    #[test]
    fn tea_6_many_pairs_are_not_named() {
        let many: Vec<PairId> = (0..=MOST_NAMED).map(pair).collect();
        assert_eq!(WhatChanged::Labels(many.clone()).written(), ("labels", String::new()));
        assert_eq!(WhatChanged::Removed(many.clone()).written(), ("removed", String::new()));
        assert_eq!(WhatChanged::Texts(many).written(), ("imported", String::new()));
    }
}
