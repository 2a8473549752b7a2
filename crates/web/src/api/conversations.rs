//! Conversations (HIS-9): listed, begun, named, deleted.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plimsoll_app::TopicChange;
use plimsoll_domain::{Timestamp, TopicId};
use plimsoll_store::{ConversationPlace, ConversationQuery, ListedConversation};
use plimsoll_tokens::bytes4_of_length;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Asked, At, AtQuery,
    topics::{ChangesAlong, topic_id},
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

impl From<ListedConversation> for ConversationDto {
    fn from(listed: ListedConversation) -> Self {
        Self {
            id: listed.place.id.to_string(),
            title: listed.title,
            named: listed.named,
            pairs: listed.pairs,
            updated_at: rfc3339(listed.place.newest),
            model: listed.model,
            tokens: bytes4_of_length(listed.text_bytes),
            cost: listed.cost,
        }
    }
}

/// A conversation is looked for by a few words; each more is a look at every title.
const LONGEST_FIND: usize = 200;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// At most so many.
    #[param(minimum = 1, maximum = 500, default = 100)]
    limit: Option<u16>,
    /// The `next` of the page before; else the newest.
    before: Option<String>,
    /// Words that all stand in the title, in any case.
    #[param(max_length = 200)]
    find: Option<String>,
}

/// A page of the list of conversations.
#[derive(Serialize, ToSchema)]
pub(super) struct ConversationList {
    /// The newest first.
    conversations: Vec<ConversationDto>,
    /// How many there are on all pages.
    total: u64,
    /// What the next page is asked for by; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// A page of the conversations, the newest first
#[utoipa::path(get, path = "/api/conversations", tag = "conversations", params(AtQuery, ListQuery),
    responses((status = 200, body = ConversationList)))]
pub(super) async fn list(
    State(web): State<Arc<Web>>,
    At(at): At,
    Asked(query): Asked<ListQuery>,
) -> Result<Json<ConversationList>, Problem> {
    let find = query.find.unwrap_or_default();
    if find.chars().count() > LONGEST_FIND {
        let words = format!("`find` takes at most {LONGEST_FIND} characters");
        return Err(Problem::bad_request(words));
    }
    let before = query.before.as_deref().map(|text| {
        let unknown = || Problem::bad_request("`before` takes the `next` of another page");
        read_place(text).ok_or_else(unknown)
    });
    let limit = usize::from(query.limit.unwrap_or(100).clamp(1, 500));
    let query = ConversationQuery { find, before: before.transpose()?, limit };
    let page = web.app.conversations(&at, &query).await?;
    let last = page.conversations.last().filter(|_| page.more);
    Ok(Json(ConversationList {
        next: last.map(|last| written_place(last.place)),
        total: page.total,
        conversations: page.conversations.into_iter().map(ConversationDto::from).collect(),
    }))
}

/// Time and id, since a conversation that goes on meanwhile is no longer where it was.
fn written_place(place: ConversationPlace) -> String {
    format!("{}.{}", place.id, place.newest.millis())
}

fn read_place(text: &str) -> Option<ConversationPlace> {
    let (id, millis) = text.split_once('.')?;
    let newest = Timestamp::from_millis(millis.parse().ok()?);
    Some(ConversationPlace { newest, id: TopicId::parse(id)? })
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
#[serde(deny_unknown_fields)]
pub(super) struct ConversationChanges {
    /// A name, which no other topic at the same place has.
    #[schema(min_length = 1, max_length = 200)]
    title: Option<String>,
    #[serde(flatten)]
    along: ChangesAlong,
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
    let change = TopicChange { name: changes.title, ..changes.along.into() };
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
    web.app.open_workspace(&at).await?;
    let (deleted, title) = web.app.delete_conversation(&at, topic_id(&id)?).await?;
    Ok(Gone::of(deleted, format!("“{title}” is deleted")))
}
