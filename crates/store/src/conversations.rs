//! The list of conversations (HIS-9, UI-15): a part of it at a time, so that no answer grows with
//! the history (REL-7).

use plimsoll_domain::{Timestamp, TopicId};

use crate::{Workspace, sql::conversations};

/// Which part of the list is wanted.
#[derive(Clone, Debug, Default)]
pub struct ConversationQuery {
    /// Words that all stand in the title, in any case; none for all conversations.
    pub find: String,
    /// The place that the part begins after; none for the newest.
    pub before: Option<ConversationPlace>,
    /// At most so many.
    pub limit: usize,
}

/// Where a conversation stands in the list: by its newest pair, and by its id where two are of the
/// same time. Larger is newer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConversationPlace {
    /// When something was written in it last; else when it was made.
    pub newest: Timestamp,
    pub id: TopicId,
}

/// What the list says of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedConversation {
    pub place: ConversationPlace,
    pub title: String,
    /// Whether somebody named it.
    pub named: bool,
    pub pairs: u64,
    /// The model of its newest pair.
    pub model: Option<String>,
    /// How long its texts are.
    pub text_bytes: u64,
    /// What was sent in it cost, in US dollars, as far as prices were known (UI-18).
    pub cost: Option<f64>,
}

/// A part of the list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConversationPage {
    /// The newest first.
    pub conversations: Vec<ListedConversation>,
    /// How many there are in all parts together.
    pub total: u64,
    /// Whether there are older ones.
    pub more: bool,
}

jobs! {
    /// Topics by the age of what was said in them.
    pub trait Conversations {
        /// A part of the list. A topic that only holds others is no conversation.
        read conversations(workspace: &Workspace, query: &ConversationQuery)
            -> ConversationPage = conversations::page;

        /// The conversation in which something was sent last: pairs that were imported have no
        /// receipt here.
        read last_sent_in(workspace: &Workspace) -> Option<TopicId> = conversations::last_sent_in;
    }
}
