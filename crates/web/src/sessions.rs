//! One session a workspace: the view that all its tabs look at.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use plimsoll_app::{App, AppError, Draft, HistoryChoice, Purpose, Sent, View, WorkspaceView};
use plimsoll_send::{Counter, Plan};
use plimsoll_store::Workspace;
use serde::{Deserialize, Serialize};

use crate::api::views_told::Views;

/// A view, and what the counter shows besides it.
pub(crate) struct WorkspaceSession {
    pub(crate) workspace_view: WorkspaceView,
    /// The counter of the last send that trimmed, until something changes (REC-3).
    pub(crate) frozen: Option<Frozen>,
    /// The message that is being written.
    pub(crate) draft: Draft,
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

/// The desks that were opened.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<Workspace, Arc<tokio::sync::Mutex<WorkspaceSession>>>>);

/// A view as it is remembered.
#[derive(Serialize, Deserialize)]
struct Remembered {
    filter: String,
    topic: Option<String>,
    model: Option<String>,
}

fn view_key(workspace: &Workspace) -> String {
    format!("view:{workspace}")
}

impl Sessions {
    /// The session of a workspace, as it was left.
    pub(crate) async fn session(
        &self,
        app: &App,
        workspace: &Workspace,
    ) -> Result<Arc<tokio::sync::Mutex<WorkspaceSession>>, AppError> {
        if let Some(session) = self.opened(workspace) {
            return Ok(session);
        }
        let kept = app.store().value(&view_key(workspace)).await?;
        let kept = kept.and_then(|text| serde_json::from_str::<Remembered>(&text).ok());
        let view = kept.map_or_else(View::default, |kept| View {
            history: HistoryChoice::Filter(kept.filter),
            topic: kept.topic,
            model: kept.model,
        });
        // A view that does not work any more, its topic gone, gives way to the plain one.
        let workspace_view = match app.workspace_view(workspace, view).await {
            Err(AppError::Filter { .. } | AppError::UnknownTopic(_)) => {
                app.workspace_view(workspace, View::default()).await?
            }
            opened => opened?,
        };
        let draft = app.store().draft(workspace).await?.unwrap_or_default();
        let views = Views::starting_at(app.clock().now().millis());
        let session = Arc::new(tokio::sync::Mutex::new(WorkspaceSession {
            workspace_view,
            frozen: None,
            draft,
            views,
        }));
        let mut desks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(desks.entry(workspace.clone()).or_insert(session)))
    }

    /// The session, if somebody opened it.
    pub(crate) fn opened(
        &self,
        workspace: &Workspace,
    ) -> Option<Arc<tokio::sync::Mutex<WorkspaceSession>>> {
        let desks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        desks.get(workspace).cloned()
    }

    /// The workspaces that somebody looks at.
    pub(crate) fn workspaces(&self) -> Vec<Workspace> {
        let desks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        desks.keys().cloned().collect()
    }

    /// A send ended: a counter that shows a trim stays until something changes.
    pub(crate) async fn sent(&self, app: &App, workspace: &Workspace, sent: Option<&Sent>) {
        let Some(session) = self.opened(workspace) else { return };
        let mut session = session.lock().await;
        session.frozen = sent.and_then(Frozen::of);
        // The view is asked again by whoever looks; a store that fails will tell them.
        let _ = session.workspace_view.refresh(app).await;
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
        };
        let text = serde_json::to_string(&kept).unwrap_or_default();
        app.store().put_value(&view_key(self.workspace_view.workspace()), Some(&text)).await?;
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
            HistoryChoice::Nothing | HistoryChoice::These(_) => "",
        }
    }
}
