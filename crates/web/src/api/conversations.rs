//! Conversations (HIS-9): listed, begun, named, deleted.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plimsoll_app::{Conversation, TopicChange};
use plimsoll_store::{Noun, StoreError};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    At, AtQuery,
    topics::{given, topic_id},
    undo::Gone,
};
use crate::{
    Web,
    formats::rfc3339,
    problem::{Body, Problem},
};

/// A conversation as a list shows it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ConversationDto {
    /// The id of its topic.
    id: String,
    /// The name that somebody gave it, else the first words of its first message.
    title: String,
    /// Whether somebody named it.
    named: bool,
    pairs: u64,
    /// When something was written in it last.
    updated_at: String,
    /// The model of its newest pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// What its texts weigh, by their length alone.
    tokens: u64,
    /// What was sent in it cost, in US dollars, as far as prices were known.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<f64>,
}

impl From<Conversation> for ConversationDto {
    fn from(conversation: Conversation) -> Self {
        Self {
            id: conversation.topic.id.to_string(),
            title: conversation.topic.name,
            named: conversation.topic.named,
            pairs: conversation.pairs,
            updated_at: rfc3339(conversation.newest),
            model: conversation.model,
            tokens: conversation.tokens,
            cost: conversation.cost,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(super) struct ConversationList {
    /// The newest first.
    conversations: Vec<ConversationDto>,
}

/// The conversations, the newest first
#[utoipa::path(get, path = "/api/conversations", tag = "conversations", params(AtQuery),
    responses((status = 200, body = ConversationList)))]
pub(super) async fn list(
    State(web): State<Arc<Web>>,
    At(at): At,
) -> Result<Json<ConversationList>, Problem> {
    let listed = web.app.conversations(&at).await?;
    let conversations = listed.into_iter().map(ConversationDto::from).collect();
    Ok(Json(ConversationList { conversations }))
}

/// A conversation that begins.
#[derive(Serialize, ToSchema)]
pub(super) struct NewConversation {
    /// To be given as `conversation` from now on. Nothing is written down before the first message.
    id: String,
}

/// Begin a conversation
#[utoipa::path(post, path = "/api/conversations", tag = "conversations", params(AtQuery),
    responses((status = 201, body = NewConversation)))]
pub(super) async fn begin(
    State(web): State<Arc<Web>>,
    At(_): At,
) -> (StatusCode, Json<NewConversation>) {
    let id = web.app.new_conversation().to_string();
    (StatusCode::CREATED, Json(NewConversation { id }))
}

/// What to change of a conversation; what is left out stays, and null takes it away.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ConversationChanges {
    /// A name, which no other topic at the same place has.
    #[schema(min_length = 1, max_length = 200)]
    title: Option<String>,
    /// What goes before all of its messages.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    system_message: Option<Option<String>>,
    /// The model that answers where none is selected.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    default_model: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<f32>, minimum = 0, maximum = 2)]
    temperature: Option<Option<f32>>,
    /// The longest answer, in tokens.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<u64>)]
    max_output: Option<Option<u64>>,
}

/// Name a conversation, or say what goes with its messages
#[utoipa::path(patch, path = "/api/conversations/{id}", tag = "conversations",
    request_body = ConversationChanges, params(AtQuery, ("id" = String, Path)),
    responses((status = 204)))]
pub(super) async fn change(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
    Body(changes): Body<ConversationChanges>,
) -> Result<StatusCode, Problem> {
    web.app.open_workspace(&at).await?;
    let blank_is_none = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let change = TopicChange {
        name: changes.title,
        parent: None,
        system_message: changes.system_message.map(blank_is_none),
        default_model: changes.default_model.map(blank_is_none),
        temperature: changes.temperature,
        max_output: changes.max_output,
    };
    web.app.change_conversation(&at, topic_id(&id)?, change).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Delete a conversation with its pairs; it can be brought back for a while
#[utoipa::path(delete, path = "/api/conversations/{id}", tag = "conversations",
    params(AtQuery, ("id" = String, Path)), responses((status = 200, body = Gone)))]
pub(super) async fn delete(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
) -> Result<Json<Gone>, Problem> {
    let id = topic_id(&id)?;
    let listed = web.app.conversations(&at).await?;
    let found = listed.iter().find(|one| one.topic.id == id);
    let title = found.ok_or(StoreError::NotFound(Noun::Topic))?.topic.name.clone();
    let deleted = web.app.delete_conversation(&at, id).await?;
    Ok(Gone::of(deleted, format!("“{title}” is deleted")))
}
