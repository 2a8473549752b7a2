//! What an export says beside topics, files and pairs (HIS-8): drafts, snippets, and where the
//! context of a conversation begins.

use plimsoll_domain::{ContextMark, Draft, PairId, Snippet, Timestamp, TopicId};
use serde::{Deserialize, Serialize};

use crate::{
    own::{is_false, no_id},
    own_file::{OwnAttachment, attachments},
    times,
};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OwnSnippet {
    name: String,
    text: String,
}

/// What stands in the box of a conversation; without one, of a page that shows everything.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OwnDraft {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conversation: Option<String>,
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<OwnAttachment>,
}

/// Where a person set the line of a conversation, or of everything (UI-17).
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OwnMark {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conversation: Option<String>,
    pair: String,
    #[serde(with = "times::own")]
    created_at: i64,
    #[serde(default, skip_serializing_if = "is_false")]
    after: bool,
}

impl From<&Snippet> for OwnSnippet {
    fn from(snippet: &Snippet) -> Self {
        Self { name: snippet.name.clone(), text: snippet.text.clone() }
    }
}

impl OwnSnippet {
    pub(crate) fn check(self) -> Result<Snippet, String> {
        Snippet::check_name(&self.name).map_err(|error| error.to_string())?;
        Ok(Snippet { name: self.name, text: self.text })
    }
}

impl From<&(Option<TopicId>, Draft)> for OwnDraft {
    fn from((conversation, draft): &(Option<TopicId>, Draft)) -> Self {
        Self {
            conversation: conversation.map(|id| id.to_string()),
            text: draft.text.clone(),
            attachments: draft.attachments.iter().map(OwnAttachment::from).collect(),
        }
    }
}

impl OwnDraft {
    pub(crate) fn check(self) -> Result<(Option<TopicId>, Draft), String> {
        let attachments = attachments(&self.text, self.attachments)?;
        let draft = Draft { text: self.text, attachments, ..Draft::default() };
        Ok((conversation(self.conversation)?, draft))
    }
}

impl From<&(Option<TopicId>, ContextMark)> for OwnMark {
    fn from((conversation, mark): &(Option<TopicId>, ContextMark)) -> Self {
        Self {
            conversation: conversation.map(|id| id.to_string()),
            pair: mark.pair.to_string(),
            created_at: mark.created_at.millis(),
            after: mark.after,
        }
    }
}

impl OwnMark {
    pub(crate) fn check(self) -> Result<(Option<TopicId>, ContextMark), String> {
        let mark = ContextMark {
            created_at: Timestamp::from_millis(self.created_at),
            pair: PairId::parse(&self.pair).ok_or_else(|| no_id(&self.pair))?,
            after: self.after,
        };
        Ok((conversation(self.conversation)?, mark))
    }
}

fn conversation(id: Option<String>) -> Result<Option<TopicId>, String> {
    id.map(|id| TopicId::parse(&id).ok_or_else(|| no_id(&id))).transpose()
}
