//! Topics (HIS-3): listed, made, renamed, moved, removed when empty.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plimsoll_app::{NewTopic, TopicChange, TopicPaths, find_topic, topic_path};
use plimsoll_domain::{Topic, TopicId};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::{At, AtQuery, undo::Gone};
use crate::{
    Web,
    problem::{Body, Problem},
};

/// A topic.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TopicDto {
    id: String,
    /// Where it stands, `/A/B`.
    path: String,
    name: String,
    /// What is sent before the history.
    system_message: Option<String>,
    /// The model that new pairs start with.
    default_model: Option<String>,
    temperature: Option<f32>,
    /// The longest answer, in tokens.
    max_output: Option<u64>,
}

impl TopicDto {
    fn of(topic: &Topic, paths: &TopicPaths<'_>) -> Self {
        Self {
            id: topic.id.to_string(),
            path: paths.path(topic.id),
            name: topic.name.clone(),
            system_message: topic.system_message.clone(),
            default_model: topic.default_model.clone(),
            temperature: topic.temperature,
            max_output: topic.max_output,
        }
    }
}

/// All topics, parents before their children.
#[derive(Serialize, ToSchema)]
pub(super) struct TopicList {
    topics: Vec<TopicDto>,
}

/// The tree of topics, parents before their children
#[utoipa::path(get, path = "/api/topics", tag = "topics", params(AtQuery),
    responses((status = 200, body = TopicList)))]
pub(super) async fn list(
    State(web): State<Arc<Web>>,
    At(at): At,
) -> Result<Json<TopicList>, Problem> {
    web.app.open_workspace(&at).await?;
    let topics = web.app.store().topics(&at).await?;
    let paths = TopicPaths::of(&topics);
    let list = topics.iter().map(|topic| TopicDto::of(topic, &paths)).collect();
    Ok(Json(TopicList { topics: list }))
}

/// A topic to make.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewTopicAsk {
    /// Its path; what is above it is made too.
    #[schema(min_length = 1, max_length = 1000)]
    path: String,
    /// What is sent before the history; else a copy of its parent's.
    system_message: Option<String>,
    /// The model that new pairs start with.
    default_model: Option<String>,
}

/// Make a topic
#[utoipa::path(post, path = "/api/topics", tag = "topics", params(AtQuery),
    request_body = NewTopicAsk, responses((status = 201, body = TopicDto)))]
pub(super) async fn add(
    State(web): State<Arc<Web>>,
    At(at): At,
    Body(ask): Body<NewTopicAsk>,
) -> Result<(StatusCode, Json<TopicDto>), Problem> {
    let new = NewTopic {
        path: ask.path.clone(),
        system_message: ask.system_message.filter(|text| !text.trim().is_empty()),
        default_model: ask.default_model.filter(|model| !model.trim().is_empty()),
    };
    web.app.add_topic(&at, &new).await?;
    let topics = web.app.store().topics(&at).await?;
    let made = find_topic(&topics, &ask.path).ok_or_else(|| Problem::not_found("topic"))?;
    Ok((StatusCode::CREATED, Json(TopicDto::of(made, &TopicPaths::of(&topics)))))
}

/// What to change of a topic; what is left out stays, what is null goes.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TopicChanges {
    /// A new name.
    #[schema(min_length = 1, max_length = 200)]
    name: Option<String>,
    /// The path of the topic to move below; empty for the root.
    parent: Option<String>,
    #[serde(flatten)]
    along: ChangesAlong,
}

/// What to change of that which goes along with every message of a topic.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ChangesAlong {
    /// What goes before all of its messages; a blank one is none.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    system_message: Option<Option<String>>,
    /// The model that answers where none is selected; a blank one is none.
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

impl From<ChangesAlong> for TopicChange {
    fn from(changes: ChangesAlong) -> Self {
        let blank_is_none = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        Self {
            system_message: changes.system_message.map(blank_is_none),
            default_model: changes.default_model.map(blank_is_none),
            temperature: changes.temperature,
            max_output: changes.max_output,
            ..Self::default()
        }
    }
}

/// Null is a value; what is absent is none.
fn given<'de, D, T>(from: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::<T>::deserialize(from).map(Some)
}

pub(super) fn topic_id(text: &str) -> Result<TopicId, Problem> {
    TopicId::parse(text).ok_or_else(|| Problem::not_found("topic"))
}

/// Rename, move or change a topic
#[utoipa::path(patch, path = "/api/topics/{id}", tag = "topics", request_body = TopicChanges,
    params(AtQuery, ("id" = String, Path)), responses((status = 200, body = TopicDto)))]
pub(super) async fn change(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
    Body(changes): Body<TopicChanges>,
) -> Result<Json<TopicDto>, Problem> {
    let id = topic_id(&id)?;
    let TopicChanges { name, parent, along } = changes;
    let change = TopicChange { name, parent, ..along.into() };
    web.app.change_topic(&at, id, change).await?;
    let topics = web.app.store().topics(&at).await?;
    let topic = topics.iter().find(|topic| topic.id == id);
    let topic = topic.ok_or_else(|| Problem::not_found("topic"))?;
    Ok(Json(TopicDto::of(topic, &TopicPaths::of(&topics))))
}

/// Remove a topic that holds nothing; it can be brought back for a while
#[utoipa::path(delete, path = "/api/topics/{id}", tag = "topics",
    params(AtQuery, ("id" = String, Path)), responses((status = 200, body = Gone)))]
pub(super) async fn remove(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
) -> Result<Json<Gone>, Problem> {
    let id = topic_id(&id)?;
    let topics = web.app.store().topics(&at).await?;
    if !topics.iter().any(|topic| topic.id == id) {
        return Err(Problem::not_found("topic"));
    }
    let path = topic_path(&topics, id);
    let deleted = web.app.remove_topic(&at, id).await?;
    Ok(Gone::of(deleted, format!("the topic {path} is deleted")))
}
