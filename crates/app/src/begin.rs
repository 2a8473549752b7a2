//! The start of a send: whether it may go, and its pair on the disk.

use std::{pin::Pin, time::Duration};

use plimsoll_budget::{Decision, OverBudget, QuotaKind};
use plimsoll_domain::{
    ColorFlag, FileId, Lifecycle, MessagePair, PairId, PairUse, Star, Timestamp, TopicId,
    words_alone,
};
use plimsoll_send::Comparison;
use plimsoll_store::{StoreError, StoreResult};

use crate::{
    App, AppError, HistoryChoice, Prepared, Progress, Purpose, SendChoices, ending::Carried,
};

/// Asks whoever changes the filter which pairs it shows now. A pair that is given is as if it
/// were not there: the message that waits is not one of the newest pairs of its own history.
pub type HistoryNow = Box<dyn FnOnce(Option<PairId>) -> HistoryAnswer + Send>;

type HistoryAnswer = Pin<Box<dyn Future<Output = Result<HistoryChoice, AppError>> + Send>>;

/// A send whose pair is written down and whose workspace is claimed: the user's text is
/// on the disk, and no call was made yet.
pub struct StartedSend {
    pub(crate) prepared: Prepared,
    pub(crate) wait: Option<(Duration, QuotaKind)>,
    /// What happens above the limit, also after a wait.
    pub(crate) policy: OverBudget,
    /// Tells which pairs may go along when the wait is over; else those that might before.
    pub history_now: Option<HistoryNow>,
    pub pair: PairId,
    /// The topic that its pair stands in.
    pub topic: TopicId,
    /// Keeps the pair on the list of those that are being sent.
    pub(crate) carried: Carried,
}

impl App {
    /// Decides whether a send may go, and writes its pair down (promise 4). Everything
    /// that refuses a send does it here.
    pub async fn begin(
        &self,
        mut prepared: Prepared,
        choices: SendChoices,
    ) -> Result<StartedSend, AppError> {
        // Somebody who sees something else than would be sent decides nothing else yet.
        if choices.seen.as_ref().is_some_and(|seen| !seen.is_of(&prepared.seen)) {
            return Err(AppError::ViewChanged);
        }
        if choices.seen.is_some() {
            prepared.compared = Comparison::Same;
        }
        // LIM-3 names the file and what can be done with it; the limit of the whole does not.
        let too_large = prepared.plan.attached.iter().find_map(|one| one.too_large.clone());
        if let Some(too_large) = too_large {
            return Err(AppError::FileTooLarge(too_large));
        }
        let policy = choices.over_budget.unwrap_or_else(|| self.settings().over_budget());
        prepared.replan(policy);
        let plan = &prepared.plan;
        let (limit, suggestions) = (*plan.limit(), plan.suggestions.clone());
        match plan.decision {
            Decision::Send | Decision::SendWithout(_) => {}
            Decision::Ask | Decision::Block => {
                let excess = plan.validation.excess;
                return Err(AppError::OverBudget { excess, limit, suggestions });
            }
            Decision::PromptTooLarge => {
                return Err(AppError::PromptTooLarge { limit: limit.tokens, suggestions });
            }
        }
        let wait = choices.quota.wait(plan.quota).map_err(AppError::OverQuota)?;
        let (pair, carried) = self.write_down(&prepared).await?;
        self.keep_words(&prepared).await?;
        if let Purpose::ReAsk(old) = prepared.purpose {
            self.events.publish(&prepared.workspace, Progress::Removed(vec![old]));
        }
        self.events.publish(&prepared.workspace, Progress::Started(pair));
        let topic = match prepared.purpose {
            Purpose::Regenerate(id) => self.store.get(id).await?.pair.topic_id,
            Purpose::New | Purpose::ReAsk(_) => prepared.topic.id,
        };
        Ok(StartedSend { prepared, wait, policy, history_now: None, pair, topic, carried })
    }

    /// Persist first (promise 4). A pair that is asked again goes only when the new one
    /// is safe. A send that nobody carries out any more does not stand in the way (REL-6).
    async fn write_down(&self, prepared: &Prepared) -> Result<(PairId, Carried), AppError> {
        let pair = match prepared.purpose {
            Purpose::Regenerate(id) => Err(id),
            Purpose::New | Purpose::ReAsk(_) => {
                Ok(self.new_pair(prepared, after(self.clock.now(), prepared.newest)))
            }
        };
        let id = pair.as_ref().map_or_else(|id| *id, |pair| pair.id);
        let carried = self.under_way.begin(id);
        let begun = self.begin_conversation(prepared).await?;
        let claimed = match self.claim(prepared, &pair).await {
            Err(StoreError::Busy { .. }) if !self.recover().await?.is_empty() => {
                self.claim(prepared, &pair).await
            }
            claimed => claimed,
        };
        if claimed.is_err() && begun {
            // What was refused leaves no empty conversation behind.
            self.store.remove_topic(&prepared.workspace, prepared.topic.id).await?;
        }
        claimed?;
        if let Purpose::ReAsk(old) = prepared.purpose {
            // It can be brought back, as all that is deleted (REC-5).
            self.put_pairs_aside(&prepared.workspace, &[old]).await?;
        }
        Ok((id, carried))
    }

    /// Claims the conversation or the workspace for a new pair, or for one that is there.
    async fn claim(
        &self,
        prepared: &Prepared,
        pair: &Result<MessagePair, PairId>,
    ) -> StoreResult<()> {
        let now = self.clock.now();
        match pair {
            Ok(pair) => {
                let (at, scope) = (&prepared.workspace, prepared.scope);
                self.store.begin(at, pair, scope, &self.owner, now).await
            }
            Err(id) => {
                let model = &prepared.plan.model().id;
                self.store.claim(*id, model, prepared.scope, &self.owner, now).await
            }
        }
    }

    /// FIL-2: the words that came with the files, kept with them.
    async fn keep_words(&self, prepared: &Prepared) -> Result<(), AppError> {
        let files: Vec<FileId> =
            prepared.plan.settled_attachments().iter().filter_map(|a| a.file).collect();
        let words = words_alone(&prepared.text);
        let words = words.trim();
        if !files.is_empty() && !words.is_empty() {
            self.store.set_upload_context(&files, words).await?;
            // What is said about files is another now, and is shown before it is sent again.
            self.events.publish(&prepared.workspace, Progress::Files);
        }
        Ok(())
    }

    fn new_pair(&self, prepared: &Prepared, now: Timestamp) -> MessagePair {
        MessagePair {
            id: PairId::new(now, self.chance.bytes()),
            topic_id: prepared.topic.id,
            model: prepared.plan.model().id.clone(),
            user_text: prepared.text.clone(),
            assistant_text: None,
            star: Star::default(),
            color_flag: ColorFlag::default(),
            pair_use: PairUse::default(),
            lifecycle: Lifecycle::Idle,
            created_at: now,
            error: None,
            usage: None,
            receipt_id: None,
            previous_answer: None,
            attachments: prepared.plan.settled_attachments(),
        }
    }
}

/// A new pair stands after the newest one even when the clock went back a little
/// (HIS-2). A pair from a far future, which only an import can hold, is not followed.
fn after(now: Timestamp, newest: Option<Timestamp>) -> Timestamp {
    const BELIEVABLE: i64 = 24 * 60 * 60 * 1000;
    match newest {
        Some(newest) if newest >= now && newest.millis() - now.millis() < BELIEVABLE => {
            Timestamp::from_millis(newest.millis() + 1)
        }
        _ => now,
    }
}
