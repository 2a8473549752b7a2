//! Commands after the filter (FLT-5): each is confirmed or can be taken back.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use plimsoll_app::{AppError, Audited, HistoryChoice, Label, View, WorkspaceView};
use plimsoll_domain::{HistoryScope, PairId};
use plimsoll_filter::{Command, TopicPattern, filter_part, parse};
use plimsoll_store::{PairRow, Workspace};
use plimsoll_tokens::commas;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Here, PlaceQuery, undo::Before};
use crate::{
    Web,
    access::By,
    problem::{Body, Problem},
};

/// More pairs than this go only by `--force`.
const MANY: usize = 50;

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CommandAsk {
    /// A filter, a colon, a command.
    #[schema(max_length = 65536)]
    text: String,
    /// Whether the user was asked and said yes.
    #[serde(default)]
    confirmed: bool,
}

/// What a command did.
#[derive(Serialize, ToSchema)]
pub(super) struct Done {
    /// In words.
    done: String,
    /// To take it back with.
    #[serde(skip_serializing_if = "Option::is_none")]
    undo: Option<String>,
    /// Where the file is, after an export.
    #[serde(skip_serializing_if = "Option::is_none")]
    download: Option<String>,
    /// A panel to open, after `:help`.
    #[serde(skip_serializing_if = "Option::is_none")]
    panel: Option<&'static str>,
}

impl Done {
    fn said(done: String) -> Self {
        Self { done, undo: None, download: None, panel: None }
    }
}

/// Do something with the pairs that a filter shows
#[utoipa::path(post, path = "/api/command", tag = "pairs", params(PlaceQuery),
    request_body = CommandAsk, responses((status = 200, body = Done), (status = 409, body = Problem,
        content_type = "application/problem+json", description = "Say yes first: `confirm`")))]
pub(super) async fn command(
    State(web): State<Arc<Web>>,
    by: By,
    Here(place): Here,
    Body(ask): Body<CommandAsk>,
) -> Result<Json<Done>, Problem> {
    let wrong = |error| AppError::Filter { source_text: ask.text.clone(), error };
    let query = parse(&ask.text).map_err(wrong)?;
    let Some(command) = query.command else {
        return Err(Problem::bad_request("there is no command after the filter"));
    };
    let filter = filter_part(&ask.text).trim().to_owned();
    let session = web.sessions.session(&web.app, &place).await?;
    let view = {
        let session = session.lock().await;
        let now = &session.workspace_view;
        View {
            history: HistoryChoice::Filter(filter.clone()),
            scope: now.view().scope,
            topic: Some(now.topic().id.to_string()),
            model: Some(now.model().id.clone()),
            files: now.view().files,
            person: now.view().person.clone(),
            ..View::default()
        }
    };
    let mut workspace_view = web.app.workspace_view(&place.workspace, view).await?;
    workspace_view.boundary(&web.app).await?;
    let job = Job {
        web: &web,
        at: &place.workspace,
        ids: workspace_view.visible_ids(),
        scope: workspace_view.view().scope,
    };
    let done = match command {
        Command::Star(star) => {
            let before = job.rows().await?.iter().map(|row| (row.id, row.star)).collect();
            job.label(Label::Star(star), Before::Stars(before), "starred").await?
        }
        Command::Flag(flag) => {
            let before = job.rows().await?.iter().map(|row| (row.id, row.flag)).collect();
            job.label(Label::Flag(flag), Before::Flags(before), "flagged").await?
        }
        Command::Use(pair_use) => {
            let before = job.rows().await?.iter().map(|row| (row.id, row.pair_use)).collect();
            job.label(Label::Use(pair_use), Before::Uses(before), pair_use.words()).await?
        }
        Command::Topic { path } => {
            let topic = one_topic(&workspace_view, &path)?;
            let before = job.rows().await?.iter().map(|row| (row.id, row.topic_id)).collect();
            job.label(Label::Topic(topic), Before::Topics(before), "moved").await?
        }
        Command::Delete { force } => {
            let done = job.delete(&workspace_view, force, ask.confirmed).await?;
            let subject = format!("{} {} by :delete", place.workspace, job.count());
            by.note(&web, Audited::Deleted, &subject).await?;
            done
        }
        Command::Save { name } => job.save(&name, &filter).await?,
        Command::Export { format, filename, order } => {
            let field = |name: &str, value: &str| format!("{name}={}", percent(value));
            let mut fields = vec![
                field("filter", &filter),
                field("format", format.name()),
                field("order", order.name()),
                field("workspace", place.workspace.as_str()),
                field("scope", place.scope.name()),
            ];
            fields.extend(place.conversation.map(|id| field("conversation", &id.to_string())));
            fields.extend(filename.map(|name| field("filename", &name)));
            let download = Some(format!("/api/export?{}", fields.join("&")));
            Done { download, ..Done::said(format!("{} to export", job.count())) }
        }
        Command::Help => Done { panel: Some("help"), ..Done::said(String::new()) },
    };
    Ok(Json(done))
}

/// A command over some pairs.
struct Job<'a> {
    web: &'a Arc<Web>,
    at: &'a Workspace,
    ids: Vec<PairId>,
    scope: HistoryScope,
}

impl Job<'_> {
    /// So many pairs, and of what: a command acts on the scope and says so (HIS-9b).
    fn pairs(&self, count: u64) -> String {
        let whose = match self.scope {
            HistoryScope::Conversation => "of this conversation",
            HistoryScope::Everything => "of all conversations",
        };
        let what = if count == 1 { "pair" } else { "pairs" };
        format!("{} {what} {whose}", commas(count))
    }

    fn count(&self) -> String {
        self.pairs(self.ids.len() as u64)
    }

    fn keep(&self, before: Before) -> String {
        self.web.undo.keep(self.at, self.web.app.clock().now(), before)
    }

    async fn rows(&self) -> Result<Vec<PairRow>, Problem> {
        let wanted: std::collections::HashSet<&PairId> = self.ids.iter().collect();
        let mut rows = self.web.app.store().rows(self.at).await?;
        rows.retain(|row| wanted.contains(&row.id));
        Ok(rows)
    }

    async fn label(&self, label: Label, before: Before, verb: &str) -> Result<Done, Problem> {
        let count = self.web.app.label(self.at, &self.ids, label).await?;
        let undo = Some(self.keep(before));
        Ok(Done { undo, ..Done::said(format!("{} {verb}", self.pairs(count))) })
    }

    async fn delete(
        &self,
        workspace_view: &WorkspaceView,
        force: bool,
        confirmed: bool,
    ) -> Result<Done, Problem> {
        if let Some(refusal) = workspace_view.delete_refusal() {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            let problem = Problem::new(status, "moving_filter", refusal.problem());
            return Err(match &refusal.suggestion {
                Some(hint) => problem.hint(hint.as_str()),
                None => problem,
            });
        }
        if self.ids.len() > MANY && !force {
            let detail = format!("{} are many: write :delete --force", self.count());
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "needs_force", detail));
        }
        if !confirmed {
            let hours = self.web.app.settings().keep_deleted().map(|keep| keep.as_secs() / 3600);
            let back = match hours {
                Some(hours) => format!("They can be brought back for {} hours.", commas(hours)),
                None => "They cannot be brought back.".to_owned(),
            };
            return Err(Problem::confirm(format!("Delete {}? {back}", self.count())));
        }
        let deleted = self.web.app.delete(self.at, &self.ids).await?;
        let undo = deleted.undo.map(|id| id.to_string());
        Ok(Done { undo, ..Done::said(format!("{} deleted", self.pairs(deleted.count))) })
    }

    async fn save(&self, name: &str, filter: &str) -> Result<Done, Problem> {
        let saved = self.web.app.store().saved_filters(self.at).await?;
        let before = saved.into_iter().find(|saved| saved.name == name).map(|saved| saved.text);
        self.web.app.save_filter(self.at, name, Some(filter)).await?;
        let undo = Some(self.keep(Before::Filter(name.to_owned(), before)));
        Ok(Done { undo, ..Done::said(format!("saved as @{name}")) })
    }
}

/// The one topic that a command names.
fn one_topic(
    workspace_view: &WorkspaceView,
    path: &TopicPattern,
) -> Result<plimsoll_domain::TopicId, Problem> {
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    match workspace_view.topics_meant(path)[..] {
        [topic] => Ok(topic.id),
        [] => Err(Problem::new(status, "unknown_topic", "there is no such topic")
            .hint("the Topics panel makes one")),
        _ => Err(Problem::new(status, "unknown_topic", "several topics have this name")
            .hint("write its path, as in :topic '/A/B'")),
    }
}

/// A text as a field of an address.
pub(crate) fn percent(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
