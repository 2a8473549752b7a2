//! Taking things back. What a command changed is remembered for a while (FLT-5); what was
//! deleted is kept by the store (REC-5).

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plimsoll_app::{AppError, Deleted, Label, restored_words};
use plimsoll_domain::{
    ColorFlag, ContextMark, DeletionId, PairId, PairUse, Star, Timestamp, TopicId,
};
use plimsoll_store::{Deletion, Noun, StoreError, Workspace};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{At, AtQuery};
use crate::{
    Web,
    formats::rfc3339,
    problem::{Body, Problem},
};

/// So many commands can be taken back; each move of the line is one.
const KEPT: usize = 100;

/// How things were before a command.
pub(super) enum Before {
    /// The labels and uses of pairs.
    Stars(Vec<(PairId, Star)>),
    Flags(Vec<(PairId, ColorFlag)>),
    Uses(Vec<(PairId, PairUse)>),
    Topics(Vec<(PairId, TopicId)>),
    /// Where the context of a conversation, or of the workspace, began; none for the prediction.
    ContextFrom(Option<TopicId>, Option<ContextMark>),
    /// Nothing: these summaries were made (HIS-11).
    Summaries(Vec<PairId>),
    /// A saved filter; none if there was none.
    Filter(String, Option<String>),
}

struct Step {
    token: u64,
    at: Timestamp,
    workspace: Workspace,
    before: Before,
}

/// What can be taken back.
#[derive(Default)]
pub(crate) struct Undo(Mutex<(u64, VecDeque<Step>)>);

impl Undo {
    /// Remembers; gives the token to come back with.
    pub(super) fn keep(&self, workspace: &Workspace, at: Timestamp, before: Before) -> String {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.0 += 1;
        let token = kept.0;
        kept.1.push_back(Step { token, at, workspace: workspace.clone(), before });
        if kept.1.len() > KEPT {
            kept.1.pop_front();
        }
        token.to_string()
    }

    fn take(&self, workspace: &Workspace, token: &str) -> Option<Before> {
        let token: u64 = token.parse().ok()?;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at =
            kept.1.iter().position(|step| step.token == token && step.workspace == *workspace)?;
        kept.1.remove(at).map(|step| step.before)
    }

    /// What was done last in a workspace, and when.
    fn newest(&self, workspace: &Workspace) -> Option<(String, Timestamp)> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let step = kept.1.iter().rev().find(|step| step.workspace == *workspace)?;
        Some((step.token.to_string(), step.at))
    }
}

/// What a deletion did.
#[derive(Serialize, ToSchema)]
pub(crate) struct Gone {
    /// How many things it took.
    count: u64,
    /// In words.
    done: String,
    /// To take it back with; none where it cannot be.
    #[serde(skip_serializing_if = "Option::is_none")]
    undo: Option<String>,
}

impl Gone {
    pub(super) fn of(deleted: Deleted, done: String) -> Json<Self> {
        let undo = deleted.undo.map(|id| id.to_string());
        Json(Self { count: deleted.count, done, undo })
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ForGoodQuery {
    /// Whether nothing can bring it back; else it is kept for a while.
    #[serde(default)]
    pub(super) for_good: bool,
}

/// Something that was deleted and can be brought back.
#[derive(Serialize, ToSchema)]
pub(crate) struct DeletionDto {
    /// To take it back with.
    pub(crate) id: String,
    /// When it was deleted.
    pub(crate) at: String,
    /// `pairs`, `file`, `topic`, `conversation`, `filter` or `notes`.
    pub(crate) kind: &'static str,
    /// How many things it took.
    pub(crate) count: u64,
    /// What it is known by: how a message begins, the name of a file.
    pub(crate) words: String,
}

impl DeletionDto {
    fn of(deletion: Deletion) -> Self {
        Self {
            id: deletion.id.to_string(),
            at: rfc3339(deletion.at),
            kind: deletion.kind.name(),
            count: deletion.count,
            words: deletion.words,
        }
    }
}

/// What was deleted lately.
#[derive(Serialize, ToSchema)]
pub(super) struct Deletions {
    /// The newest first.
    deletions: Vec<DeletionDto>,
}

/// What was deleted lately and can be brought back
#[utoipa::path(get, path = "/api/deletions", tag = "pairs", params(AtQuery),
    responses((status = 200, body = Deletions)))]
pub(super) async fn deletions(
    State(web): State<Arc<Web>>,
    At(at): At,
) -> Result<Json<Deletions>, Problem> {
    web.app.open_workspace(&at).await?;
    let deletions = web.app.deletions(&at).await?.into_iter().map(DeletionDto::of).collect();
    Ok(Json(Deletions { deletions }))
}

/// Delete for good what a deletion took
#[utoipa::path(delete, path = "/api/deletions/{id}", tag = "pairs",
    params(AtQuery, ("id" = String, Path)), responses((status = 204)))]
pub(super) async fn purge(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let id = DeletionId::parse(&id).ok_or_else(|| Problem::not_found("deletion"))?;
    match web.app.purge_deletion(&at, id).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Problem::not_found("deletion")),
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UndoAsk {
    /// What the command or the deletion gave; without it, what was done last is taken back.
    token: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(super) struct Undone {
    /// What was done, in words.
    done: String,
}

/// Take a command or a deletion back
#[utoipa::path(post, path = "/api/undo", tag = "pairs", params(AtQuery), request_body = UndoAsk,
    responses((status = 200, body = Undone)))]
pub(super) async fn undo(
    State(web): State<Arc<Web>>,
    At(at): At,
    Body(ask): Body<UndoAsk>,
) -> Result<Json<Undone>, Problem> {
    let token = match ask.token {
        Some(token) => token,
        None => newest(&web, &at).await?,
    };
    if let Some(id) = DeletionId::parse(&token) {
        let restored = web.app.undo(&at, Some(id)).await.map_err(|error| match error {
            AppError::Store(StoreError::NotFound(Noun::Deletion)) => nothing(),
            error => error.into(),
        })?;
        return Ok(Json(Undone { done: restored_words(&restored.deletion) }));
    }
    match web.undo.take(&at, &token).ok_or_else(nothing)? {
        Before::Stars(pairs) => {
            relabel(&web, &at, pairs, Label::Star, |star| u64::from(star.count())).await?;
        }
        Before::Flags(pairs) => {
            relabel(&web, &at, pairs, Label::Flag, |flag| *flag as u64).await?;
        }
        Before::Uses(pairs) => {
            relabel(&web, &at, pairs, Label::Use, |pair_use| *pair_use as u64).await?;
        }
        Before::Topics(pairs) => web.app.put_back(&at, &pairs).await?,
        Before::ContextFrom(within, mark) => {
            web.app.set_context_mark(&at, within, mark).await?;
        }
        Before::Summaries(pairs) => {
            web.app.delete(&at, &pairs).await?;
            let done = "the summary is gone; its messages are used as before".to_owned();
            return Ok(Json(Undone { done }));
        }
        Before::Filter(name, text) => web.app.save_filter(&at, &name, text.as_deref()).await?,
    }
    Ok(Json(Undone { done: "taken back".to_owned() }))
}

fn nothing() -> Problem {
    let detail = "there is nothing to take back any more";
    Problem::new(StatusCode::CONFLICT, "nothing_to_undo", detail)
}

/// What was done last, be it a command or a deletion.
async fn newest(web: &Arc<Web>, at: &Workspace) -> Result<String, Problem> {
    web.app.open_workspace(at).await?;
    let deleted = web.app.deletions(at).await?.into_iter().next();
    match (web.undo.newest(at), deleted) {
        (Some((token, when)), deleted) if deleted.as_ref().is_none_or(|one| one.at < when) => {
            Ok(token)
        }
        (_, Some(deleted)) => Ok(deleted.id.to_string()),
        (_, None) => Err(nothing()),
    }
}

async fn relabel<T: Copy>(
    web: &Web,
    at: &Workspace,
    mut pairs: Vec<(PairId, T)>,
    label: impl Fn(T) -> Label,
    key: impl Fn(&T) -> u64,
) -> Result<(), Problem> {
    pairs.sort_by_key(|(_, value)| key(value));
    for same in pairs.chunk_by(|a, b| key(&a.1) == key(&b.1)) {
        let ids: Vec<PairId> = same.iter().map(|(id, _)| *id).collect();
        web.app.label(at, &ids, label(same[0].1)).await?;
    }
    Ok(())
}
