//! A workspace as one person looks at it, kept up to date, with the boundary drawn on exactly
//! the triggers of BND-4.
//!
//! A view holds rows and weights, never texts. It learns of changes from the event bus,
//! and from the store's outbox when another process made them.

mod planning;
mod prepare;
mod refresh;
mod selection;
mod shown;
mod target;
mod visible;

pub use shown::{Inclusion, Shown};
pub use target::GivenTarget;

use std::sync::Arc;

use plimsoll_blobs::Blobs;
use plimsoll_budget::{BoundaryCache, BoundaryInput, Change, Load, Model};
use plimsoll_domain::{ContextMark, File, HistoryScope, PairId, Topic, TopicId};
use plimsoll_filter::{Completions, Filter, FilterError, TopicPattern};
use plimsoll_send::Selection;
use plimsoll_store::Workspace;
use plimsoll_tokens::{Correction, RawTokens};

use crate::{
    App, AppError, Events, HistoryChoice, PassedOver, View,
    attach::{AttachmentRenderer, FileCache},
    history::{History, LoadRules},
};
use target::TargetModel;

/// A workspace as one person looks at it.
pub struct WorkspaceView {
    workspace: Workspace,
    view: View,
    events: Events,
    /// The number of the last change that was taken in (TEA-6).
    seen: u64,
    topics: Vec<Topic>,
    topic: Topic,
    pub(crate) history: History,
    /// None when no history is wanted at all.
    filter: Option<Filter>,
    /// What the filter shows apart from its `o` terms.
    base: Vec<u32>,
    visible: Vec<u32>,
    /// Where the context begins, if somebody said so (UI-17).
    mark: Option<ContextMark>,
    target: TargetModel,
    cache: BoundaryCache,
    /// What the line was drawn with; settings may be others since.
    drawn_with: Option<LoadRules>,
    /// Where the line stood last (BND-6).
    line: Option<PairId>,
    /// Grows when visible pairs change their places, those added at the end aside.
    shape: u64,
    changes: refresh::Pending,
    blobs: Blobs,
    file_cache: FileCache,
    /// The files of the message that was looked at last. They are listed in the request that
    /// sends it, and in no other before (FIL-6).
    drafted: Vec<Arc<File>>,
    /// What goes along with a new message, and with which drawing of the line it was chosen.
    selected: Option<(u64, Arc<Selection>)>,
    /// What of a request the last send had as well, for a selection and a model (UI-18).
    sent_before: Option<(Arc<Selection>, String, u64)>,
    given: GivenTarget,
}

impl App {
    /// Opens a view. `events` are heard from now on, so nothing is missed.
    pub async fn workspace_view(
        &self,
        workspace: &Workspace,
        view: View,
    ) -> Result<WorkspaceView, AppError> {
        let events = self.events.subscribe(refresh::Pending::affects_view);
        if let HistoryChoice::Filter(source) = &view.history {
            crate::history::parse_filter(source)?;
        }
        self.open_workspace(workspace).await?;
        let seen = self.store.newest_change(workspace).await?;
        let (topic, topics) = self.topic(workspace, &view).await?;
        let view = settled(view, &topic);
        let within = within(&view, &topic);
        let obeyed = (within, obeys_uses(&view));
        let mut history =
            History::open(&*self.store, workspace, obeyed, &topics, &self.clock).await?;
        history.scope.select_topic(&topic);
        let given = GivenTarget::default();
        let target = TargetModel::of(self, workspace, &view, &topic, &history, &[], given).await?;
        history.scope.selected_model = Some(target.facts.model.id.clone());
        let mut workspace_view = WorkspaceView {
            workspace: workspace.clone(),
            view,
            events,
            seen,
            topics,
            topic,
            history,
            filter: None,
            base: Vec::new(),
            visible: Vec::new(),
            mark: self.context_mark(workspace, within).await?,
            target,
            cache: BoundaryCache::new(0, EMPTY),
            drawn_with: None,
            line: None,
            // Another view of the same place has other numbers.
            shape: self.clock.now().millis().unsigned_abs(),
            changes: refresh::Pending::default(),
            blobs: self.blobs(workspace)?,
            file_cache: FileCache::default(),
            drafted: Vec::new(),
            selected: None,
            sent_before: None,
            given,
        };
        workspace_view.load_weights(self).await?;
        workspace_view.execute_filter(self).await?;
        workspace_view.line = workspace_view.last_line(self).await?;
        Ok(workspace_view)
    }
}

/// What stands there until the first input is known.
const EMPTY: BoundaryInput = BoundaryInput {
    limit: 0,
    allowance: 0,
    raw_prelude: RawTokens::ZERO,
    reply_reserve: 0,
    correction: Correction::NONE,
};

impl WorkspaceView {
    /// Where it is.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Where the context begins, if somebody said so (UI-17).
    pub fn mark(&self) -> Option<ContextMark> {
        self.mark
    }

    /// What is chosen.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The conversation that the view is of; none where everything is looked at.
    pub fn within(&self) -> Option<TopicId> {
        within(&self.view, &self.topic)
    }

    /// The topic that new pairs go to.
    pub fn topic(&self) -> &Topic {
        &self.topic
    }

    /// The model that would answer.
    pub fn model(&self) -> &Model {
        &self.target.facts.model
    }

    /// The model that answered here last, where it lacks something and another would answer.
    pub fn passed_over(&self) -> Option<&PassedOver> {
        self.target.passed_over.as_ref()
    }

    /// URA, the allowance that the line was drawn with.
    pub fn allowance(&self) -> u64 {
        self.cache.input().allowance
    }

    /// What makes tokens of the model of raw ones (EST-6).
    pub fn correction(&self) -> Correction {
        self.cache.input().correction
    }

    /// All topics of the workspace.
    pub fn topics(&self) -> &[Topic] {
        &self.topics
    }

    /// How often the boundary was computed (BND-4).
    pub fn recomputations(&self) -> u64 {
        self.cache.recomputations()
    }

    /// What could stand at a cursor of the filter box (FLT-6).
    pub fn complete(&self, text: &str, cursor: usize) -> Completions {
        let scope = &self.history.scope;
        plimsoll_filter::complete(text, cursor, scope, &scope.saved_names())
    }

    /// Why `:delete` refuses what is visible, if it does (FLT-5).
    pub fn delete_refusal(&self) -> Option<&FilterError> {
        self.filter.as_ref().and_then(Filter::delete_refusal)
    }

    /// The topics that a quoted topic means.
    pub fn topics_meant(&self, pattern: &TopicPattern) -> Vec<&Topic> {
        let found = pattern.resolve(plimsoll_filter::Scope::topics(&self.history.scope));
        found.into_iter().filter_map(|at| self.topics.get(at)).collect()
    }

    /// Looks at something else. A filter that is wrong changes nothing (FLT-4).
    pub async fn choose(&mut self, app: &App, view: View) -> Result<(), AppError> {
        if let HistoryChoice::Filter(source) = &view.history {
            crate::history::parse_filter(source)?;
        }
        self.refresh(app).await?;
        self.changes.everything = true;
        let before = std::mem::replace(&mut self.view, view);
        let done = self.follow_view(app).await;
        if done.is_err() {
            self.view = before;
            // What stood before stands again; if even that fails, the first error tells more.
            self.changes.everything = self.follow_view(app).await.is_err();
        } else {
            self.changes.everything = false;
        }
        done
    }

    async fn follow_view(&mut self, app: &App) -> Result<(), AppError> {
        let before = self.within();
        let (topic, topics) = app.topic(&self.workspace, &self.view).await?;
        self.view = settled(self.view.clone(), &topic);
        (self.topic, self.topics) = (topic, topics);
        if self.within() != before {
            self.mark = app.context_mark(&self.workspace, self.within()).await?;
            return self.reload(app).await;
        }
        self.history.scope.select_topic(&self.topic);
        self.refresh_target(app).await?;
        self.execute_filter(app).await
    }

    /// Plans for a target of which a caller says more than is known.
    pub async fn plan_for(&mut self, app: &App, given: GivenTarget) -> Result<(), AppError> {
        self.given = given;
        self.refresh_target(app).await
    }

    /// Finds out again which model would answer, and what that means for the weights.
    pub(super) async fn refresh_target(&mut self, app: &App) -> Result<(), AppError> {
        let pending = std::mem::replace(&mut self.changes.everything, true);
        let (view, topic, history) = (&self.view, &self.topic, &self.history);
        let target =
            TargetModel::of(app, &self.workspace, view, topic, history, &self.drafted, self.given)
                .await?;
        self.take_target(app, target).await?;
        self.changes.everything = pending;
        Ok(())
    }

    /// Takes another target model, and draws weights and line anew where that changes them.
    pub(super) async fn take_target(
        &mut self,
        app: &App,
        target: TargetModel,
    ) -> Result<(), AppError> {
        let stamp = self.renderer(app).stamp();
        self.target = target;
        self.history.scope.selected_model = Some(self.target.facts.model.id.clone());
        if self.renderer(app).stamp() != stamp {
            self.load_weights(app).await?;
            self.cache.note(Change::AllLoads);
        }
        let input = self.target.input(app, &self.topic);
        self.cache.note(Change::Input(input));
        Ok(())
    }

    async fn load_weights(&mut self, app: &App) -> Result<(), AppError> {
        let renderer = self.target.renderer(app, &self.blobs, &self.workspace);
        self.history.load_estimates(&renderer).await
    }

    /// Who delivers the files of messages.
    pub(super) fn renderer<'a>(&'a self, app: &'a App) -> AttachmentRenderer<'a> {
        self.target.renderer(app, &self.blobs, &self.workspace)
    }

    /// The line is drawn as if it had stood there (BND-6).
    pub(crate) fn with_line_at(mut self, line: Option<PairId>) -> Self {
        self.line = line;
        self
    }

    /// The number of the last change of the workspace that was taken in (TEA-6).
    pub fn seen_change(&self) -> u64 {
        self.seen
    }

    /// A number that changes when visible pairs change their places; those that are only
    /// added at the end leave it alone.
    pub fn shape(&self) -> u64 {
        self.shape
    }

    pub(super) fn rules(&self, app: &App) -> LoadRules {
        LoadRules {
            overhead: self.target.facts.model.message_overhead,
            send_error_pairs: app.settings().send_error_pairs(),
            mark: self.mark.filter(|_| obeys_uses(&self.view)),
        }
    }

    /// The load of a visible pair.
    fn load(&self, at: usize, rules: &LoadRules) -> Load {
        self.history.load(self.visible[at], rules)
    }

    /// BND-6 over several runs of the program: the line of the last send.
    async fn last_line(&self, app: &App) -> Result<Option<PairId>, AppError> {
        if !app.settings().boundary_step() {
            return Ok(None);
        }
        let kept = app.store.value(&line_key(&self.workspace, self.within())).await?;
        Ok(kept.and_then(|id| PairId::parse(&id)))
    }

    /// How many pairs are visible.
    pub fn visible_count(&self) -> usize {
        self.visible.len()
    }

    /// The ids of all visible pairs, in order.
    pub fn visible_ids(&self) -> Vec<PairId> {
        self.visible.iter().map(|row| self.history.pairs[*row as usize].id).collect()
    }

    /// Where a pair stands among the visible ones.
    pub fn position(&self, id: PairId) -> Option<usize> {
        self.visible.iter().position(|row| self.history.pairs[*row as usize].id == id)
    }
}

/// A conversation that begins is the same one from now on.
fn settled(view: View, topic: &Topic) -> View {
    match view.scope {
        HistoryScope::Everything if topic.named => view,
        _ => View { topic: Some(topic.id.to_string()), ..view },
    }
}

/// Whether uses and the mark decide what goes along.
fn obeys_uses(view: &View) -> bool {
    !matches!(view.history, HistoryChoice::Summarised(_))
}

/// The conversation that a view is of; none where everything is looked at.
fn within(view: &View, topic: &Topic) -> Option<TopicId> {
    (view.scope == HistoryScope::Conversation).then_some(topic.id)
}

/// Under which name something of a view is remembered: of a conversation, or of the workspace.
pub(crate) fn key_of(what: &str, workspace: &Workspace, within: Option<TopicId>) -> String {
    match within {
        Some(topic) => format!("{what}:{workspace}:{topic}"),
        None => format!("{what}:{workspace}"),
    }
}

/// Where the line of a view is remembered.
pub(crate) fn line_key(workspace: &Workspace, within: Option<TopicId>) -> String {
    key_of("line", workspace, within)
}
