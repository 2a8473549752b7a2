//! Taking in what happened since the view was looked at last.

use plimsoll_budget::Change;
use plimsoll_domain::PairId;
use plimsoll_filter::Filter;

use super::{WorkspaceView, obeys_uses};
use crate::{
    App, AppError, AppEvent, Heard, Progress,
    history::{History, Taken},
};

/// Up to so many relabelled pairs are looked up one by one.
const FEW: usize = 64;

/// What happened and is not taken in yet.
///
/// Whoever takes something in marks `everything` for as long as it lasts: a request whose client goes
/// away is dropped wherever it waits, and what it leaves by half is loaded as a whole by the next.
#[derive(Default, PartialEq)]
pub(super) struct Pending {
    /// Pairs that were added or changed.
    pairs: Vec<PairId>,
    /// Pairs went away, or nobody knows what changed.
    pub(super) everything: bool,
    /// Labels of many pairs changed; no text did.
    labels: bool,
    /// Topics or saved filters changed.
    topics: bool,
    /// Settings, models, limits or calibration changed.
    target: bool,
    /// Files came or went.
    files: bool,
    /// The context begins elsewhere.
    mark: bool,
    /// A send began or ended: filters that look at ages mean the present again.
    sent: bool,
}

impl Pending {
    /// Whether there is anything to take in from this: most of what a send tells is not.
    pub(super) fn affects_view(progress: &Progress) -> bool {
        let mut pending = Self::default();
        pending.note(progress);
        pending != Self::default()
    }

    fn note(&mut self, progress: &Progress) {
        match progress {
            Progress::Started(id, _) => {
                self.pairs.push(*id);
                self.sent = true;
            }
            Progress::Ended(id) => {
                self.pairs.push(*id);
                self.sent = true;
                // A send teaches: the limit, the factor.
                self.target = true;
            }
            // Others name no pairs where there are too many.
            Progress::Labelled(ids) if ids.is_empty() || ids.len() > FEW => self.labels = true,
            Progress::Labelled(ids) => self.pairs.extend(ids),
            Progress::Changed(ids) => {
                self.pairs.extend(ids);
                // A text that was edited may hold other files, which are listed (FIL-6).
                self.target = true;
            }
            // Of a send of another process the receipt tells that it has taught.
            Progress::Receipt(..) => self.target = true,
            Progress::Removed(_) | Progress::Imported => self.everything = true,
            Progress::Topics => self.topics = true,
            Progress::ContextFrom => self.mark = true,
            Progress::Settings => self.target = true,
            Progress::Files => self.files = true,
            Progress::Attempt(..)
            | Progress::Loading(_)
            | Progress::Text(..)
            | Progress::Reasoning(..)
            | Progress::RetryIn(..)
            | Progress::QuotaWait(..)
            | Progress::Unsaved(..)
            | Progress::Trimmed(..)
            | Progress::Tool(..)
            | Progress::Memory => {}
        }
    }
}

impl WorkspaceView {
    /// Takes in everything that happened since, by us or by others.
    pub async fn refresh(&mut self, app: &App) -> Result<(), AppError> {
        while let Some(heard) = self.events.waiting() {
            match heard {
                Heard::Event(AppEvent { workspace, progress })
                    if workspace.as_ref().is_none_or(|at| *at == self.workspace) =>
                {
                    self.changes.note(&progress);
                }
                Heard::Event(_) => {}
                Heard::Missed => self.changes.everything = true,
            }
        }
        self.note_changes_by_others(app).await?;
        if self.changes == Pending::default() {
            return Ok(());
        }
        let changes = std::mem::take(&mut self.changes);
        self.changes.everything = true;
        self.take_changes(app, changes).await?;
        self.changes.everything = false;
        Ok(())
    }

    /// What other processes changed; our own changes were heard of as they happened.
    async fn note_changes_by_others(&mut self, app: &App) -> Result<(), AppError> {
        let Some(changes) = app.store.changes_after(&self.workspace, self.seen).await? else {
            self.seen = app.store.newest_change(&self.workspace).await?;
            self.changes.everything = true;
            return Ok(());
        };
        for change in changes {
            self.seen = change.number;
            if let Some(progress) = Progress::of(&change).filter(|_| !change.ours) {
                self.changes.note(&progress);
            }
        }
        Ok(())
    }

    async fn take_changes(&mut self, app: &App, changes: Pending) -> Result<(), AppError> {
        self.selected = None;
        if changes.everything || changes.files {
            self.file_cache.forget();
        }
        if changes.everything || changes.mark {
            self.mark = app.context_mark(&self.workspace, self.within()).await?;
            self.cache.note(Change::AllLoads);
        }
        if changes.everything || changes.topics {
            return self.reload(app).await;
        }
        // Files of pinned messages may be listed, and of those that came into the conversation.
        let relabelled = changes.labels || !changes.pairs.is_empty();
        let tells_files = relabelled && self.target.facts.capabilities.tools;
        if changes.labels {
            self.relabel(app).await?;
        }
        if !changes.pairs.is_empty() {
            self.take_in(app, changes.pairs).await?;
        }
        if changes.target || changes.files || tells_files {
            self.refresh_target(app).await?;
        }
        if changes.sent && self.filter.as_ref().is_some_and(Filter::has_ages) {
            self.execute_filter(app).await?;
        }
        Ok(())
    }

    /// Loads everything again, and draws the line anew: nobody knows what changed.
    pub(super) async fn reload(&mut self, app: &App) -> Result<(), AppError> {
        let (topic, topics) = match app.topic(&self.workspace, &self.view).await {
            // The topic that was selected is gone: the first one is as good.
            Err(AppError::UnknownTopic(_)) => {
                self.view.topic = None;
                app.topic(&self.workspace, &self.view).await?
            }
            found => found?,
        };
        (self.topic, self.topics) = (topic, topics);
        let (at, obeyed) = (&self.workspace, (self.within(), obeys_uses(&self.view)));
        let opened = History::open(&*app.store, at, obeyed, &self.topics, &app.clock).await?;
        // Rows are other rows now, whatever their numbers are: no place among the old ones is kept.
        let pending = std::mem::replace(&mut self.changes.everything, true);
        self.shape += 1;
        self.selected = None;
        self.base.clear();
        self.show(Vec::new());
        let before = std::mem::replace(&mut self.history, opened);
        self.history.scope.select_topic(&self.topic);
        self.history.scope.selected_model = before.scope.selected_model;
        self.load_weights(app).await?;
        self.execute_filter(app).await?;
        self.refresh_target(app).await?;
        self.changes.everything = pending;
        Ok(())
    }

    /// Many labels changed: rows are read again, weights stay.
    async fn relabel(&mut self, app: &App) -> Result<(), AppError> {
        let Some(used_otherwise) = self.history.relabel(&*app.store, &self.workspace).await? else {
            return self.reload(app).await;
        };
        if used_otherwise {
            self.cache.note(Change::AllLoads);
        }
        let base = self.evaluate(app).await?;
        if base == self.base {
            self.cache.note(Change::UnseenLabel);
        } else {
            self.show(base.clone());
            self.base = base;
        }
        Ok(())
    }

    /// Takes in some pairs. Labels that leave the visible set alone move nothing.
    async fn take_in(&mut self, app: &App, mut ids: Vec<PairId>) -> Result<(), AppError> {
        ids.sort_unstable();
        ids.dedup();
        let rules = self.rules(app);
        let before = self.history.loads(&ids, &rules);
        let filter = self.filter.as_ref();
        let Taken::InPlace { changed, added } =
            self.history.take_in(&*app.store, &ids, filter).await?
        else {
            return self.reload(app).await;
        };
        let base = self.evaluate(app).await?;
        let grown = base.strip_prefix(self.base.as_slice()).map(<[u32]>::len);
        let has_boundary_terms = self.filter.as_ref().is_some_and(|f| f.has_boundary_terms());
        let after = self.history.loads(&ids, &rules);
        match grown {
            // `o` looks at weights and places; where neither moved, it shows the same.
            Some(0) if has_boundary_terms && before == after => {
                self.cache.note(Change::UnseenLabel);
            }
            Some(new) if !has_boundary_terms => {
                self.visible.extend_from_slice(&base[base.len() - new..]);
                (0..new).for_each(|_| self.cache.note(Change::PairAdded));
                // A weight that was never known is beyond what the boundary reaches.
                for row in changed {
                    let id = self.history.pairs[row as usize].id;
                    match self.visible.binary_search(&row) {
                        Ok(at) if before.get(&id) != after.get(&id) => {
                            self.cache.note(Change::PairLoad(at));
                        }
                        _ => self.cache.note(Change::UnseenLabel),
                    }
                }
            }
            _ => self.show(base.clone()),
        }
        self.base = base;
        // The newest pair's model may be the one that counts now (CAT-5).
        if self.history.pairs.len() > added && self.view.model.is_none() {
            self.refresh_target(app).await?;
        }
        Ok(())
    }
}
