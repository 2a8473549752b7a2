//! Changes of what is kept, told to everybody who looks (UI-12, BND-4).

use plimsoll_domain::{ColorFlag, Lifecycle, PairId, PairUse, Star, TopicId};
use plimsoll_store::{Edit, SavedFilter, Workspace};

use crate::{App, AppError, Progress, history::rows_within};

/// A label, or a use, that many pairs get at once (FLT-5, HIS-10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    Star(Star),
    Flag(ColorFlag),
    Use(PairUse),
    Topic(TopicId),
}

impl App {
    /// Labels the pairs that exist; says how many.
    pub async fn label(
        &self,
        workspace: &Workspace,
        ids: &[PairId],
        label: Label,
    ) -> Result<u64, AppError> {
        let count = match label {
            Label::Star(star) => self.store.set_star(ids, star).await?,
            Label::Flag(flag) => self.store.set_flag(ids, flag).await?,
            Label::Use(pair_use) => self.store.set_use(ids, pair_use).await?,
            Label::Topic(topic) => self.store.set_topic(ids, topic).await?,
        };
        self.events.publish(workspace, Progress::Labelled(ids.to_vec()));
        Ok(count)
    }

    /// Goes on with one answer of a comparison, and leaves the others out (HIS-12). Gives the uses
    /// that changed, as they were.
    pub async fn prefer(
        &self,
        workspace: &Workspace,
        id: PairId,
    ) -> Result<Vec<(PairId, PairUse)>, AppError> {
        let compared = self.store.get_many(&self.store.compared_with(id).await?).await?;
        let wanted = |pair: PairId| if pair == id { PairUse::Auto } else { PairUse::Out };
        let changed = compared.iter().map(|stored| (stored.pair.id, stored.pair.pair_use));
        let before: Vec<_> = changed.filter(|(pair, now)| wanted(*pair) != *now).collect();
        let uses: Vec<_> = before.iter().map(|(pair, _)| (*pair, wanted(*pair))).collect();
        self.store.set_uses(&uses).await?;
        let ids = uses.into_iter().map(|(pair, _)| pair).collect();
        self.events.publish(workspace, Progress::Labelled(ids));
        Ok(before)
    }

    /// Puts pairs back into the topics that they came from, in one step, however many topics
    /// those are (REL-9).
    pub async fn put_back(
        &self,
        workspace: &Workspace,
        moves: &[(PairId, TopicId)],
    ) -> Result<(), AppError> {
        self.store.set_topics(moves).await?;
        let ids = moves.iter().map(|(id, _)| *id).collect();
        self.events.publish(workspace, Progress::Labelled(ids));
        Ok(())
    }

    /// Changes the texts of a pair; what stood before is kept (HIS-5).
    pub async fn edit(
        &self,
        workspace: &Workspace,
        id: PairId,
        edit: &Edit,
    ) -> Result<(), AppError> {
        self.store.edit(id, edit, self.clock.now()).await?;
        self.tell_changed(workspace, id).await
    }

    /// Exchanges an answer with the one before its last regeneration (SND-8).
    pub async fn swap_answer(&self, workspace: &Workspace, id: PairId) -> Result<(), AppError> {
        self.store.swap_answer(id).await?;
        self.tell_changed(workspace, id).await
    }

    /// The texts of a pair changed; summaries that stand for it are out of date by that (HIS-11).
    async fn tell_changed(&self, workspace: &Workspace, id: PairId) -> Result<(), AppError> {
        let mut changed = self.store.summaries_of(&[id]).await?;
        changed.insert(0, id);
        self.events.publish(workspace, Progress::Changed(changed));
        Ok(())
    }

    /// Saves a filter under a name, or takes back that it was saved.
    pub async fn save_filter(
        &self,
        workspace: &Workspace,
        name: &str,
        text: Option<&str>,
    ) -> Result<(), AppError> {
        match text {
            Some(text) => {
                crate::history::parse_filter(text)?;
                let filter = SavedFilter { name: name.to_owned(), text: text.to_owned() };
                self.store.save_filter(workspace, &filter).await?;
            }
            None => {
                self.store.drop_filter(workspace, name).await?;
            }
        }
        self.events.publish(workspace, Progress::Topics);
        Ok(())
    }

    /// Forgets what was learned about a model, wherever it is served.
    pub async fn forget_learned(&self, model: &str) -> Result<(), AppError> {
        self.store.forget_learned(model).await?;
        self.events.publish_everywhere(Progress::Settings);
        Ok(())
    }

    /// Whether anything was learned about a model that could be forgotten.
    pub async fn learned(&self, model: &str) -> Result<bool, AppError> {
        Ok(self.store.has_learned(model).await?)
    }

    /// The newest pair that failed or was stopped: what a re-ask without a name means.
    pub async fn newest_failed(
        &self,
        workspace: &Workspace,
        within: Option<TopicId>,
    ) -> Result<Option<PairId>, AppError> {
        let failed = |state| matches!(state, Lifecycle::Error | Lifecycle::Cancelled);
        self.newest_in(workspace, within, failed).await
    }

    /// The newest complete pair: what can be regenerated.
    pub async fn newest_complete(
        &self,
        workspace: &Workspace,
        within: Option<TopicId>,
    ) -> Result<Option<PairId>, AppError> {
        self.newest_in(workspace, within, |state| state == Lifecycle::Complete).await
    }

    async fn newest_in(
        &self,
        workspace: &Workspace,
        within: Option<TopicId>,
        wanted: impl Fn(Lifecycle) -> bool,
    ) -> Result<Option<PairId>, AppError> {
        let rows = rows_within(&*self.store, workspace, within).await?;
        Ok(rows.iter().rev().find(|row| wanted(row.lifecycle)).map(|row| row.id))
    }
}
