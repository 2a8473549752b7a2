//! What the page shows, so that nothing else is sent (PAY-6).

use std::sync::Arc;

use axum::{Json, extract::State};
use plimsoll_app::{Draft, HistoryChoice, Purpose, View, WorkspaceView};
use plimsoll_domain::{Attachment, Delivery, PairId, file_label};
use plimsoll_send::{BLOCK, Hash, Seen, SeenFile};
use plimsoll_store::Workspace;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Here, PlaceQuery, attached, pair_id, state::BoundaryDto};
use crate::{
    Web,
    place::Place,
    problem::{Body, Problem},
    sessions::WorkspaceSession,
};

/// What a page must know to make the digest of what it shows.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ShownDto {
    /// The number of this view.
    view: u64,
    /// Grows when visible pairs change their places; those added at the end leave it alone.
    pub(crate) shape: u64,
    /// Positions of a block.
    block: usize,
    /// The blocks with a pair that is sent, by their number, and their digests.
    #[schema(value_type = Vec<(usize, String)>)]
    blocks: Vec<(usize, String)>,
    /// The digest of the system message, where one is sent.
    system: Option<String>,
    /// The digest of what is said about files, where something is.
    files: Option<String>,
}

impl ShownDto {
    pub(crate) fn of(web: &Web, session: &mut WorkspaceSession, seen: &Seen) -> Self {
        let instructions = session.workspace_view.instructions(&web.app);
        let view = session.views.number(seen, instructions);
        Self::with(view, session.workspace_view.shape(), instructions, seen)
    }

    fn with(view: u64, shape: u64, instructions: [Option<Hash>; 2], seen: &Seen) -> Self {
        let [system, files] = instructions.map(|part| part.map(|hash| hash.to_string()));
        let blocks = seen.blocks().into_iter().map(|(at, hash)| (at, hash.to_string()));
        Self { view, shape, block: BLOCK, blocks: blocks.collect(), system, files }
    }
}

/// What a page showed when somebody sent from it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SeenDto {
    /// The number of the view, as `/api/state` told it.
    pub(super) view: u64,
    /// The digest that the page made of what it shows.
    #[schema(max_length = 64)]
    pub(super) digest: String,
}

/// What is to be sent besides the draft.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Again {
    /// A new message without files.
    #[serde(default)]
    text: String,
    /// The failed or stopped pair that would be asked again.
    reask: Option<String>,
    /// The newest complete pair, to be answered anew.
    regenerate: Option<String>,
    /// The pair whose message would be sent again, and which would be left out then.
    send_again: Option<String>,
    /// The model, for this send alone.
    model: Option<String>,
    /// Two or three models that would answer the draft.
    #[serde(default)]
    #[schema(max_items = 3)]
    compare: Vec<String>,
}

/// What would be sent for a pair that is answered again.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Preview {
    /// Where the line would be.
    boundary: BoundaryDto,
    /// From this position on nothing would be sent.
    end: usize,
    /// The model that it would go to; those of a comparison, one a line.
    model: String,
    /// The model that the line is drawn for.
    drawn_for: String,
    /// What a page that shows this holds.
    shown: ShownDto,
    /// The files of the pair's own message, as they would be delivered.
    files: Vec<PreviewFile>,
    /// The question that would be answered anew.
    question: Option<PreviewQuestion>,
}

/// A question that would be answered anew.
#[derive(Serialize, ToSchema)]
struct PreviewQuestion {
    /// Its pair.
    pair: String,
    /// The revision of its texts.
    revision: u64,
}

/// A file of a message.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PreviewFile {
    /// Its id; none if it is broken.
    file_id: Option<String>,
    /// How it would be delivered.
    delivery: Option<&'static str>,
}

/// What would be sent if a pair were asked again or answered anew, or with a message that is not
/// the draft; nothing is sent
#[utoipa::path(post, path = "/api/preview", tag = "sending", params(PlaceQuery), request_body = Again,
    responses((status = 200, body = Preview)))]
pub(super) async fn preview(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    Body(again): Body<Again>,
) -> Result<Json<Preview>, Problem> {
    if !again.compare.is_empty() {
        return compared(&web, &place, &again).await;
    }
    let asked = AskedFor {
        reask: again.reask.as_deref(),
        regenerate: again.regenerate.as_deref(),
        send_again: again.send_again.as_deref(),
    };
    let mut draft = draft(&web, &place.workspace, asked, &again.text, &[]).await?;
    match draft.purpose {
        Purpose::New if again.text.trim().is_empty() => {
            return Err(Problem::bad_request("say which pair, reask or regenerate, or a text"));
        }
        // Its words may be changed before they are sent; they are shown as they are.
        Purpose::ReAsk(id) | Purpose::SendAgain(id) => {
            (draft.text, draft.attachments) = own_words(&web, &place.workspace, id).await?;
        }
        Purpose::New | Purpose::Regenerate(_) | Purpose::Summarise => {}
    }
    let session = web.sessions.session(&web.app, &place).await?;
    let mut session = session.lock().await;
    let mut other = view_for_model(&web, &mut session, again.model.as_deref()).await?;
    let workspace_view = other.as_mut().unwrap_or(&mut session.workspace_view);
    let (plan, seen) = workspace_view.planned_and_seen(&web.app, &draft).await?;
    let end = plan.snapshot.selection.end;
    let model = plan.model().id.clone();
    let boundary = BoundaryDto::of(&plan, workspace_view);
    let instructions = workspace_view.instructions(&web.app);
    let preview = Preview::of(&mut session, boundary, (end, model), &seen, instructions);
    Ok(Json(preview))
}

/// What would be sent if several models answered the draft.
async fn compared(web: &Web, place: &Place, again: &Again) -> Result<Json<Preview>, Problem> {
    let session = web.sessions.session(&web.app, place).await?;
    let mut session = session.lock().await;
    session.workspace_view.boundary(&web.app).await?;
    let draft = match again.text.is_empty() {
        true => Draft { purpose: Purpose::New, ..session.draft.clone() },
        false => Draft { text: again.text.clone(), ..Draft::default() },
    };
    let view = as_shown(&session, None);
    let planned = web.app.plan_compared(&place.workspace, &view, &again.compare, &draft).await?;
    let plan = &planned.smallest;
    let boundary = BoundaryDto::of(plan, &session.workspace_view);
    let drawn = (plan.snapshot.selection.end, plan.model().id.clone());
    Ok(Json(Preview::of(&mut session, boundary, drawn, &planned.seen, planned.instructions)))
}

impl Preview {
    fn of(
        session: &mut WorkspaceSession,
        boundary: BoundaryDto,
        (end, drawn_for): (usize, String),
        seen: &Seen,
        instructions: [Option<Hash>; 2],
    ) -> Self {
        let (shape, view) =
            (session.workspace_view.shape(), session.views.number(seen, instructions));
        let shown = ShownDto::with(view, shape, instructions, seen);
        let file = |file: &SeenFile| PreviewFile {
            file_id: file.id.map(file_label),
            delivery: file.delivery.map(Delivery::name),
        };
        let files = seen.files.iter().map(file).collect();
        let question = seen.question.map(|question| PreviewQuestion {
            pair: question.id.to_string(),
            revision: question.revision,
        });
        Self { boundary, end, model: seen.model.clone(), drawn_for, shown, files, question }
    }
}

/// What a message is for besides being new; at most one of these.
#[derive(Clone, Copy, Default)]
pub(crate) struct AskedFor<'a> {
    pub(crate) reask: Option<&'a str>,
    pub(crate) regenerate: Option<&'a str>,
    pub(crate) send_again: Option<&'a str>,
}

/// A message with what it is for: a pair that is answered anew brings its own words.
pub(crate) async fn draft(
    web: &Web,
    at: &Workspace,
    asked: AskedFor<'_>,
    text: &str,
    attachments: &[Attachment],
) -> Result<Draft, Problem> {
    attached::check(attachments)?;
    let purpose = match (asked.reask, asked.regenerate, asked.send_again) {
        (None, None, None) => Purpose::New,
        (Some(id), None, None) => Purpose::ReAsk(pair_id(id)?),
        (None, Some(id), None) => Purpose::Regenerate(pair_id(id)?),
        (None, None, Some(id)) => Purpose::SendAgain(pair_id(id)?),
        _ => return Err(Problem::bad_request("one of reask, regenerate and sendAgain, no more")),
    };
    if let Purpose::ReAsk(id) | Purpose::SendAgain(id) = purpose {
        own_words(web, at, id).await?;
    }
    let (text, attachments) = match purpose {
        Purpose::Regenerate(id) => own_words(web, at, id).await?,
        _ => (text.to_owned(), attachments.to_vec()),
    };
    Ok(Draft { text, attachments, purpose })
}

/// The words of a pair's own question, and what is attached to them. A pair of another workspace
/// is none here.
async fn own_words(
    web: &Web,
    at: &Workspace,
    id: PairId,
) -> Result<(String, Vec<Attachment>), Problem> {
    let stored = web.app.store().get(id).await?;
    if stored.workspace != *at {
        return Err(Problem::not_found("pair"));
    }
    let pair = stored.pair;
    Ok((pair.user_text, pair.attachments))
}

/// The view of a model that is named for one send alone; none for that of the session.
pub(crate) async fn view_for_model(
    web: &Web,
    session: &mut WorkspaceSession,
    model: Option<&str>,
) -> Result<Option<WorkspaceView>, Problem> {
    let Some(model) = model else { return Ok(None) };
    session.workspace_view.boundary(&web.app).await?;
    Ok(Some(beside(web, session, model).await?))
}

/// A view for another model, with the pairs that the session shows: what its filter would mean
/// for the other model is not what people see.
async fn beside(
    web: &Web,
    session: &WorkspaceSession,
    model: &str,
) -> Result<WorkspaceView, Problem> {
    let view = as_shown(session, Some(model));
    Ok(web.app.workspace_view(session.workspace_view.workspace(), view).await?)
}

/// A view of the pairs that the session shows, for another model.
pub(crate) fn as_shown(session: &WorkspaceSession, model: Option<&str>) -> View {
    let now = &session.workspace_view;
    View {
        history: HistoryChoice::These(now.visible_ids()),
        scope: now.view().scope,
        topic: Some(now.topic().id.to_string()),
        model: model.map(ToOwned::to_owned),
        files: now.view().files,
        person: now.view().person.clone(),
        ..View::default()
    }
}

/// The view that a message is planned in: that of a model for this send alone, that of the smallest
/// of several, or none for that of the session.
pub(crate) async fn view_for(
    web: &Web,
    session: &mut WorkspaceSession,
    (model, compare): (Option<&str>, &[String]),
    draft: &Draft,
) -> Result<Option<WorkspaceView>, Problem> {
    if compare.is_empty() {
        return view_for_model(web, session, model).await;
    }
    session.workspace_view.boundary(&web.app).await?;
    let at = session.place.workspace.clone();
    let view = as_shown(session, None);
    let planned = web.app.plan_compared(&at, &view, compare, draft).await?;
    view_for_model(web, session, Some(&planned.smallest.model().id)).await
}

#[cfg(test)]
mod tests {
    use plimsoll_send::{SeenPair, SeenQuestion};

    use super::*;

    /// The same cases are read by `ui/tests/seen.test.js`: both sides make the same digests.
    const CASES: &str = include_str!("../../ui/tests/seen.json");

    #[test]
    fn pay_6_page_and_server_make_the_same_digest() {
        let cases: Vec<serde_json::Value> = serde_json::from_str(CASES).unwrap();
        assert!(cases.len() >= 3);
        for case in cases {
            let list = |name: &str| case[name].as_array().unwrap().clone();
            let number = |value: &serde_json::Value| value.as_u64().unwrap();
            let pair = |pair: &serde_json::Value| SeenPair {
                at: usize::try_from(number(&pair["at"])).unwrap(),
                id: PairId::parse(pair["id"].as_str().unwrap()).unwrap(),
                revision: number(&pair["revision"]),
                pinned: pair["pinned"] == true,
            };
            let file = |file: &serde_json::Value| SeenFile {
                id: file["fileId"].as_str().and_then(plimsoll_domain::parse_file_id),
                delivery: file["delivery"].as_str().and_then(Delivery::parse),
            };
            let seen = Seen {
                within: case["conversation"].as_str().and_then(plimsoll_domain::TopicId::parse),
                model: case["model"].as_str().unwrap().to_owned(),
                instructions: list("instructions")
                    .iter()
                    .map(|text| plimsoll_send::Hash::of(text.as_str().unwrap()))
                    .collect(),
                pairs: list("pairs").iter().map(pair).collect(),
                files: list("files").iter().map(file).collect(),
                question: case.get("question").map(|question| SeenQuestion {
                    id: PairId::parse(question["pair"].as_str().unwrap()).unwrap(),
                    revision: number(&question["revision"]),
                }),
            };
            assert_eq!(seen.digest().to_string(), case["digest"].as_str().unwrap(), "{case}");
        }
    }
}
