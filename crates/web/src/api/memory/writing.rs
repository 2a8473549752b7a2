//! Notes saved, changed, related and deleted from the page.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plimsoll_memory::{
    Ledger, Memory, MemoryError, MemoryParts, OwnProject, Relate, Save, Update, Writer,
};
use plimsoll_store::Workspace;
use plimsoll_tokens::Estimator;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use plimsoll_app::Deleted;

use super::{changed, number, scope_of, told::WholeNote};
use crate::{
    Web,
    api::{Asked, At, AtQuery, undo::Gone},
    problem::{Body, Problem},
};

/// The memory as this request uses it: nobody is sent its answers, so nobody counts them.
pub(super) async fn memory(web: &Arc<Web>, at: &Workspace) -> Result<Memory, Problem> {
    web.app.open_workspace(at).await?;
    let app = Arc::clone(&web.app);
    Ok(Memory::new(MemoryParts {
        store: Arc::clone(web.app.store()),
        clock: Arc::new(move || app.clock().now()),
        workspace: at.clone(),
        own_project: OwnProject::ReadsAll(web.project.clone()),
        counter: Estimator::Bytes4,
        ledger: Arc::new(Ledger::new(None)),
        started: Arc::default(),
        root: web.root.clone(),
        writer: Writer::person("workbench"),
    })
    .with_meaning(Arc::clone(&web.meaning)))
}

/// A note to be.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::api) struct NewNote {
    /// One line.
    #[schema(min_length = 1)]
    title: String,
    /// The text, up to 64 KB.
    #[schema(min_length = 1)]
    content: String,
    /// decision, bugfix, …; manual if not given.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Else the one whose folder the server was started in.
    project: Option<String>,
    /// project or personal.
    scope: Option<String>,
    /// The note that has this key already gets the new text.
    topic_key: Option<String>,
    /// Notes that it relates to.
    #[serde(default)]
    relate_to: Vec<u64>,
    /// What it is about: src/auth.rs, src/auth.rs#Session::renew, commit:1f3c9a2.
    #[serde(default)]
    anchors: Vec<String>,
    /// Notes whose place it takes.
    #[serde(default)]
    supersedes: Vec<u64>,
    /// When it stops to count: a day, a time, or an age such as 30d.
    expires: Option<String>,
}

/// Save a note
///
/// The same text again is counted, not kept twice; what stands between `<private>` and
/// `</private>` is never kept.
#[utoipa::path(post, path = "/api/memory", tag = "memory", params(AtQuery),
    request_body = NewNote, responses((status = 201, body = WholeNote)))]
pub(in crate::api) async fn save(
    State(web): State<Arc<Web>>,
    At(at): At,
    Body(new): Body<NewNote>,
) -> Result<(StatusCode, Json<WholeNote>), Problem> {
    let ask = Save {
        title: new.title,
        content: new.content,
        kind: new.kind.filter(|kind| !kind.trim().is_empty()),
        project: new.project.filter(|project| !project.trim().is_empty()),
        scope: scope_of(new.scope.as_deref())?.unwrap_or_default(),
        topic_key: new.topic_key.filter(|key| !key.trim().is_empty()),
        relate_to: new.relate_to,
        anchors: new.anchors,
        supersedes: new.supersedes,
        expires: new.expires,
        ..Save::default()
    };
    let reply = memory(&web, &at).await?.save(ask).await?;
    let id = reply.ids.first().copied().ok_or_else(|| Problem::not_found("note"))?;
    Ok((StatusCode::CREATED, changed(&web, &at, id).await?))
}

/// What to change of a note; what is left out stays.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::api) struct NoteChanges {
    title: Option<String>,
    content: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    project: Option<String>,
    /// project or personal.
    scope: Option<String>,
    topic_key: Option<String>,
    /// The revision that was being looked at; a note that has another by now is left alone.
    revision: Option<u64>,
    /// What it is about, in the place of what it named.
    anchors: Option<Vec<String>>,
    /// Notes whose place it takes.
    #[serde(default)]
    supersedes: Vec<u64>,
    /// A day, a time, an age such as 30d, or never.
    expires: Option<String>,
}

/// Change a note; the text that it had stays as a revision
#[utoipa::path(patch, path = "/api/memory/{id}", tag = "memory", request_body = NoteChanges,
    params(AtQuery, ("id" = u64, Path)), responses((status = 200, body = WholeNote)))]
pub(in crate::api) async fn change(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
    Body(changes): Body<NoteChanges>,
) -> Result<Json<WholeNote>, Problem> {
    let id = number(&id, "note")?;
    let memory = memory(&web, &at).await?;
    // A blank name would be taken for one that was not given, and nobody would be told.
    let names = [("type", &changes.kind), ("project", &changes.project)];
    for (what, name) in names.into_iter().chain([("topicKey", &changes.topic_key)]) {
        if name.as_deref().is_some_and(|name| name.trim().is_empty()) {
            return Err(MemoryError::Blank(what).into());
        }
    }
    let ask = Update {
        id,
        title: changes.title,
        content: changes.content,
        kind: changes.kind,
        project: changes.project,
        scope: scope_of(changes.scope.as_deref())?,
        topic_key: changes.topic_key,
        restore_revision: None,
        seen_revision: changes.revision,
        anchors: changes.anchors,
        supersedes: changes.supersedes,
        expires: changes.expires,
        undelete: false,
    };
    memory.update(ask).await?;
    changed(&web, &at, id).await
}

/// Which text is wanted back.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct Earlier {
    /// The revision; 1 is the first.
    revision: u64,
}

/// Give a note back an earlier text; the present one stays as a revision
#[utoipa::path(post, path = "/api/memory/{id}/restore", tag = "memory", request_body = Earlier,
    params(AtQuery, ("id" = u64, Path)), responses((status = 200, body = WholeNote)))]
pub(in crate::api) async fn restore(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
    Body(Earlier { revision }): Body<Earlier>,
) -> Result<Json<WholeNote>, Problem> {
    let id = number(&id, "note")?;
    let ask = Update { id, restore_revision: Some(revision), ..Update::default() };
    memory(&web, &at).await?.update(ask).await?;
    changed(&web, &at, id).await
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DeleteQuery {
    /// Whether nothing of it is to be left; else it is only out of sight.
    #[serde(default)]
    hard: bool,
}

/// Delete a note
#[utoipa::path(delete, path = "/api/memory/{id}", tag = "memory",
    params(AtQuery, DeleteQuery, ("id" = u64, Path)), responses((status = 200, body = Gone)))]
pub(in crate::api) async fn delete(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
    Asked(DeleteQuery { hard }): Asked<DeleteQuery>,
) -> Result<Json<Gone>, Problem> {
    let id = number(&id, "note")?;
    let hard = hard || web.app.settings().keep_deleted().is_none();
    memory(&web, &at).await?.delete(id, hard).await?;
    web.app.memory_changed(&at);
    let undo = match hard {
        true => None,
        false => web.app.deletion_of_note(&at, id).await?,
    };
    Ok(Gone::of(Deleted { count: 1, undo }, format!("note #{id} deleted")))
}

/// An arrow to draw.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct NewRelation {
    from: u64,
    to: u64,
    /// relates_to if not given.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Why.
    note: Option<String>,
}

/// A relation that was asked for.
#[derive(Serialize, ToSchema)]
pub(in crate::api) struct Related {
    /// What was done, in words.
    words: String,
}

/// Relate two notes
#[utoipa::path(post, path = "/api/memory/relations", tag = "memory", params(AtQuery),
    request_body = NewRelation, responses((status = 201, body = Related)))]
pub(in crate::api) async fn relate(
    State(web): State<Arc<Web>>,
    At(at): At,
    Body(new): Body<NewRelation>,
) -> Result<(StatusCode, Json<Related>), Problem> {
    let known = |id: u64| number(&id.to_string(), "note");
    let ask = Relate {
        from: known(new.from)?,
        to: known(new.to)?,
        kind: new.kind.filter(|kind| !kind.trim().is_empty()),
        note: new.note.filter(|note| !note.trim().is_empty()),
        bidirectional: false,
    };
    let reply = memory(&web, &at).await?.relate(ask).await?;
    web.app.memory_changed(&at);
    Ok((StatusCode::CREATED, Json(Related { words: reply.text })))
}

/// Take a relation away
#[utoipa::path(delete, path = "/api/memory/relations/{id}", tag = "memory",
    params(AtQuery, ("id" = u64, Path)), responses((status = 204)))]
pub(in crate::api) async fn unrelate(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    memory(&web, &at).await?.unrelate(number(&id, "relation")?).await?;
    web.app.memory_changed(&at);
    Ok(StatusCode::NO_CONTENT)
}
