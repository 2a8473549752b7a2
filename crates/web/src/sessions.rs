//! One session a place: the view that all tabs look at which show the same conversation, or everything.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use plimsoll_app::{App, AppError, Draft, HistoryChoice, Purpose, Sent, View, WorkspaceView};
use plimsoll_domain::{FilesScope, TopicId};
use plimsoll_send::{Counter, Plan};
use plimsoll_store::Workspace;
use serde::{Deserialize, Serialize};

use crate::{api::views_told::Views, place::Place};

/// A view, and what the counter shows besides it.
pub(crate) struct WorkspaceSession {
    pub(crate) place: Place,
    pub(crate) workspace_view: WorkspaceView,
    /// The counter of the last send that trimmed, until something changes (REC-3).
    pub(crate) frozen: Option<Frozen>,
    /// The message that is being written.
    pub(crate) draft: Draft,
    /// The tab that wrote it last, if it said which it is.
    pub(crate) draft_from: Option<String>,
    /// What pages were told lately.
    pub(crate) views: Views,
}

/// The counter of a send, and the numbers that belong to it.
#[derive(Clone, Debug)]
pub(crate) struct Frozen {
    pub(crate) counter: Counter,
    /// The tokens of the history that was sent.
    pub(crate) history: u64,
    /// What the message weighed.
    pub(crate) aut: u64,
    /// Everything that was sent.
    pub(crate) total: u64,
    pub(crate) ml: u64,
}

impl Frozen {
    /// None for a send that left nothing out: its counter is that of the view.
    fn of(sent: &Sent) -> Option<Self> {
        let (receipt, last) = (&sent.receipt, sent.receipt.last()?);
        (receipt.counter.trimmed > 0).then(|| Self {
            counter: receipt.counter,
            history: last.attempt_history_tokens,
            aut: last.message_tokens,
            total: last.attempt_total_tokens.saturating_add(last.tool_tokens),
            ml: last.budget.max_context,
        })
    }
}

/// A session that is used by one at a time.
pub(crate) type SharedSession = Arc<tokio::sync::Mutex<WorkspaceSession>>;

/// The sessions that were opened.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<Place, Opened>>);

struct Opened<S = tokio::sync::Mutex<WorkspaceSession>> {
    session: Arc<S>,
    used: Instant,
    /// The newest change of its workspace before it was opened.
    opened_at: u64,
}

/// So many sessions stay open that nobody looks at: each holds the rows of its place.
const SESSIONS_KEPT: usize = 16;

/// A view as it is remembered.
#[derive(Serialize, Deserialize)]
struct Remembered {
    filter: String,
    topic: Option<String>,
    model: Option<String>,
    #[serde(default)]
    files: Option<FilesScope>,
}

fn view_key(place: &Place) -> String {
    let key = view_of_all(place);
    match &place.person {
        Some(person) => format!("{key} by {person}"),
        None => key,
    }
}

fn view_of_all(place: &Place) -> String {
    match (place.conversation, place.scope) {
        (None, _) => format!("view:{}", place.workspace),
        (Some(id), scope) => format!("view:{}:{id}:{}", place.workspace, scope.name()),
    }
}

/// Under which name the conversation is remembered that was opened last.
fn opened_key(workspace: &Workspace, person: Option<&str>) -> String {
    match person {
        Some(person) => format!("opened:{workspace} by {person}"),
        None => format!("opened:{workspace}"),
    }
}

impl Sessions {
    /// The session of a place, as it was left.
    pub(crate) async fn session(
        &self,
        app: &App,
        place: &Place,
    ) -> Result<SharedSession, AppError> {
        if let Some(opened) = self.lock().get_mut(place) {
            opened.used = Instant::now();
            return Ok(Arc::clone(&opened.session));
        }
        let opened_at = app.store().newest_change(&place.workspace).await?;
        let kept = app.store().value(&view_key(place)).await?;
        let kept = kept.and_then(|text| serde_json::from_str::<Remembered>(&text).ok());
        let topic = place.conversation.map(|id| id.to_string());
        let person = place.person.clone();
        let plain = View { scope: place.scope, topic: topic.clone(), person, ..View::default() };
        let view = kept.map_or_else(
            || plain.clone(),
            |kept| View {
                history: HistoryChoice::Filter(kept.filter),
                scope: place.scope,
                topic: topic.or(kept.topic),
                model: kept.model,
                files: kept.files,
                ..plain.clone()
            },
        );
        // A view that does not work any more, its topic gone, gives way to the plain one.
        let workspace_view = match app.workspace_view(&place.workspace, view).await {
            Err(AppError::Filter { .. } | AppError::UnknownTopic(_)) => {
                app.workspace_view(&place.workspace, plain).await?
            }
            opened => opened?,
        };
        let draft = app.store().draft(&place.workspace, place.conversation).await?;
        let session = Arc::new(tokio::sync::Mutex::new(WorkspaceSession {
            place: place.clone(),
            workspace_view,
            frozen: None,
            draft: draft.unwrap_or_default(),
            draft_from: None,
            views: Views::starting_at(app.clock().now().millis()),
        }));
        let mut sessions = self.lock();
        let opened = Opened { session, used: Instant::now(), opened_at };
        let session = Arc::clone(&sessions.entry(place.clone()).or_insert(opened).session);
        close_unused(&mut sessions);
        Ok(session)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Place, Opened>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session, if somebody opened it.
    pub(crate) fn opened(&self, place: &Place) -> Option<SharedSession> {
        self.lock().get(place).map(|opened| Arc::clone(&opened.session))
    }

    /// The places of a workspace that somebody looks at or looked at lately; those of all
    /// workspaces without one.
    pub(crate) fn places(&self, workspace: Option<&Workspace>) -> Vec<Place> {
        let sessions = self.lock();
        let meant = |place: &&Place| workspace.is_none_or(|at| place.workspace == *at);
        sessions.keys().filter(meant).cloned().collect()
    }

    /// The workspaces that somebody looks at, each with the change behind which pages that were
    /// opened there may lack something.
    pub(crate) fn watched_from(&self) -> HashMap<Workspace, u64> {
        let mut watched: HashMap<Workspace, u64> = HashMap::new();
        for (place, opened) in &*self.lock() {
            let from = watched.entry(place.workspace.clone()).or_insert(u64::MAX);
            *from = opened.opened_at.min(*from);
        }
        watched
    }

    /// The conversation that was opened last in a workspace, by anybody or by who signed in.
    pub(crate) async fn last_conversation(
        &self,
        app: &App,
        workspace: &Workspace,
        person: Option<&str>,
    ) -> Result<Option<TopicId>, AppError> {
        let kept = app.store().value(&opened_key(workspace, person)).await?;
        Ok(kept.as_deref().and_then(TopicId::parse))
    }

    /// Remembers the conversation that was opened last.
    pub(crate) async fn note_opened(&self, app: &App, place: &Place) -> Result<(), AppError> {
        let Some(id) = place.conversation else { return Ok(()) };
        let person = place.person.as_deref();
        if self.last_conversation(app, &place.workspace, person).await? != Some(id) {
            let id = id.to_string();
            app.store().put_value(&opened_key(&place.workspace, person), Some(&id)).await?;
        }
        Ok(())
    }

    /// A send ended: a counter that shows a trim stays until something changes.
    pub(crate) async fn sent(&self, app: &App, place: &Place, sent: Option<&Sent>) {
        let Some(session) = self.opened(place) else { return };
        let mut session = session.lock().await;
        session.frozen = sent.and_then(Frozen::of);
        // The view is asked again by whoever looks; a store that fails will tell them.
        let _ = session.workspace_view.refresh(app).await;
    }
}

/// Closes the sessions that nobody used for the longest time, where there are too many. One that
/// somebody follows or holds stays.
fn close_unused<S>(sessions: &mut HashMap<Place, Opened<S>>) {
    let idle = |opened: &Opened<S>| Arc::strong_count(&opened.session) == 1;
    let mut unused: Vec<(Instant, Place)> = sessions
        .iter()
        .filter(|(_, opened)| idle(opened))
        .map(|(place, opened)| (opened.used, place.clone()))
        .collect();
    unused.sort_by_key(|(used, _)| *used);
    for (_, place) in unused.iter().rev().skip(SESSIONS_KEPT) {
        sessions.remove(place);
    }
}

impl WorkspaceSession {
    /// Looks at something else, and remembers it.
    pub(crate) async fn choose(&mut self, app: &App, view: View) -> Result<(), AppError> {
        self.workspace_view.choose(app, view).await?;
        self.frozen = None;
        let view = self.workspace_view.view();
        let HistoryChoice::Filter(filter) = &view.history else { return Ok(()) };
        let kept = Remembered {
            filter: filter.clone(),
            topic: view.topic.clone(),
            model: view.model.clone(),
            files: view.files,
        };
        let text = serde_json::to_string(&kept).unwrap_or_default();
        app.store().put_value(&view_key(&self.place), Some(&text)).await?;
        Ok(())
    }

    /// What the draft would be sent with as a new message.
    pub(crate) async fn plan(&mut self, app: &App) -> Result<Plan, AppError> {
        let draft = Draft { purpose: Purpose::New, ..self.draft.clone() };
        self.workspace_view.plan(app, &draft).await
    }

    pub(crate) fn filter(&self) -> &str {
        match &self.workspace_view.view().history {
            HistoryChoice::Filter(filter) => filter,
            HistoryChoice::Nothing | HistoryChoice::These(_) | HistoryChoice::Summarised(_) => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use plimsoll_domain::Timestamp;

    use super::*;

    #[test]
    fn rel_7_sessions_that_nobody_looks_at_are_closed_the_oldest_first() {
        let now = Instant::now();
        let place = |n: usize| {
            let id = TopicId::new(Timestamp::from_millis(i64::try_from(n).unwrap()), [1; 10]);
            Place::at(Workspace::default(), Some(id), None)
        };
        let opened = |n: usize| Opened {
            session: Arc::new(()),
            used: now + Duration::from_secs(u64::try_from(n).unwrap()),
            opened_at: 0,
        };
        let all = SESSIONS_KEPT + 4;
        let mut sessions: HashMap<Place, Opened<()>> =
            (0..all).map(|n| (place(n), opened(n))).collect();
        // Somebody follows the one that was used first.
        let followed = Arc::clone(&sessions[&place(0)].session);
        close_unused(&mut sessions);
        let open: Vec<usize> = (0..all).filter(|n| sessions.contains_key(&place(*n))).collect();
        let expected: Vec<usize> = [0].into_iter().chain(4..all).collect();
        assert_eq!(open, expected);
        drop(followed);
        close_unused(&mut sessions);
        assert!(!sessions.contains_key(&place(0)) && sessions.len() == SESSIONS_KEPT);
    }
}
