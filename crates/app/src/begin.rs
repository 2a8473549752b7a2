//! The start of a send: whether it may go, and its pair on the disk.

use std::{pin::Pin, time::Duration};

use plimsoll_budget::{Decision, OverBudget, QuotaKind};
use plimsoll_domain::{
    ColorFlag, FileId, Lifecycle, MessagePair, PairId, PairKind, PairUse, Star, Timestamp, TopicId,
    words_alone,
};
use plimsoll_send::Comparison;
use plimsoll_store::{HeldSend, StoreError, StoreResult};

use crate::{
    App, AppError, HistoryChoice, Prepared, Progress, Purpose, SendChoices, ending::Carried,
    summaries,
};

/// Asks whoever changes the filter which pairs it shows now. A pair that is given is as if it
/// were not there: the message that waits is not one of the newest pairs of its own history.
pub type HistoryNow = Box<dyn FnOnce(Option<PairId>) -> HistoryAnswer + Send>;

type HistoryAnswer = Pin<Box<dyn Future<Output = Result<HistoryChoice, AppError>> + Send>>;

/// A send whose pair is written down and whose workspace is claimed: the user's text is
/// on the disk, and no call was made yet.
pub struct StartedSend {
    pub(crate) prepared: Prepared,
    pub(crate) wait: Wait,
    /// What happens above the limit, also after a wait.
    pub(crate) policy: OverBudget,
    /// Tells which pairs may go along when the wait is over; else those that might before.
    pub history_now: Option<HistoryNow>,
    pub pair: PairId,
    /// The same, as it is held.
    pub(crate) held: HeldSend,
    /// The topic that its pair stands in.
    pub topic: TopicId,
    /// Keeps the pair on the list of those that are being sent.
    pub(crate) carried: Carried,
}

impl StartedSend {
    /// Whether it goes with what is visible when its turn comes. What is summarised or compared
    /// goes with the pairs that were shown.
    pub fn follows_the_view(&self) -> bool {
        self.prepared.purpose != Purpose::Summarise && self.prepared.group.is_none()
    }
}

/// How long a send has to wait for the account's windows, and for which.
type Wait = Option<(Duration, QuotaKind)>;

impl App {
    /// Decides whether a send may go, and writes its pair down (promise 4). Everything
    /// that refuses a send does it here.
    pub async fn begin(
        &self,
        prepared: Prepared,
        choices: SendChoices,
    ) -> Result<StartedSend, AppError> {
        let mut begun = self.begin_all(vec![prepared], choices).await?;
        begun.pop().ok_or(AppError::Ended)
    }

    /// The same for the sides of a comparison: all are begun, or none (HIS-12).
    pub async fn begin_all(
        &self,
        mut sides: Vec<Prepared>,
        choices: SendChoices,
    ) -> Result<Vec<StartedSend>, AppError> {
        let mut admitted = Vec::with_capacity(sides.len());
        for prepared in &mut sides {
            admitted.push(self.admit(prepared, &choices)?);
        }
        let written = self.write_down(&mut sides).await?;
        let mut begun = Vec::with_capacity(sides.len());
        for (((wait, policy), prepared), (held, carried)) in
            admitted.into_iter().zip(sides).zip(written)
        {
            let pair = held.pair;
            self.keep_words(&prepared).await?;
            match prepared.purpose {
                Purpose::ReAsk(old) => {
                    self.events.publish(&prepared.workspace, Progress::Removed(vec![old]));
                }
                Purpose::SendAgain(old) => {
                    self.events.publish(&prepared.workspace, Progress::Labelled(vec![old]));
                }
                Purpose::New | Purpose::Regenerate(_) | Purpose::Summarise => {}
            }
            self.events.publish(&prepared.workspace, Progress::Started(pair, held.epoch));
            let topic = match prepared.purpose {
                Purpose::Regenerate(_) | Purpose::Summarise => {
                    self.store.get(pair).await?.pair.topic_id
                }
                Purpose::New | Purpose::ReAsk(_) | Purpose::SendAgain(_) => prepared.topic.id,
            };
            let history_now = None;
            begun.push(StartedSend {
                prepared,
                wait,
                policy,
                history_now,
                pair,
                held,
                topic,
                carried,
            });
        }
        Ok(begun)
    }

    /// Whether a message may go: how long it has to wait, and what happens above the limit.
    fn admit(
        &self,
        prepared: &mut Prepared,
        choices: &SendChoices,
    ) -> Result<(Wait, OverBudget), AppError> {
        // Somebody who sees something else than would be sent decides nothing else yet.
        if choices.seen.as_ref().is_some_and(|seen| !seen.is_of(&prepared.seen)) {
            return Err(AppError::ViewChanged);
        }
        if choices.seen.is_some() && prepared.shown_as_sent {
            prepared.compared = Comparison::Same;
        }
        // LIM-3 names the file and what can be done with it; the limit of the whole does not.
        let too_large = prepared.plan.attached.iter().find_map(|one| one.too_large.clone());
        if let Some(too_large) = too_large {
            return Err(AppError::FileTooLarge(too_large));
        }
        let policy = match prepared.purpose {
            // A summary of less than what it stands for would be a false one.
            Purpose::Summarise => OverBudget::Block,
            _ => choices.over_budget.unwrap_or_else(|| self.settings().over_budget()),
        };
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
        Ok((wait, policy))
    }

    /// Persist first (promise 4). A pair that is asked again goes only when the new one
    /// is safe. A send that nobody carries out any more does not stand in the way (REL-6).
    async fn write_down(
        &self,
        sides: &mut [Prepared],
    ) -> Result<Vec<(HeldSend, Carried)>, AppError> {
        let pairs = self.new_pairs(sides);
        let ids: Vec<PairId> = match sides.first().map(|first| first.purpose) {
            Some(Purpose::Regenerate(id)) => vec![id],
            _ => pairs.iter().map(|pair| pair.id).collect(),
        };
        let carried: Vec<Carried> = ids.iter().map(|id| self.under_way.begin(*id)).collect();
        let Some(prepared) = sides.first() else { return Ok(Vec::new()) };
        let begun = self.begin_conversation(prepared).await?;
        let claimed = match self.claim(prepared, &pairs).await {
            Err(StoreError::Busy { .. }) if !self.recover().await?.is_empty() => {
                self.claim(prepared, &pairs).await
            }
            claimed => claimed,
        };
        if claimed.is_err() && begun {
            // What was refused leaves no empty conversation behind.
            self.store.remove_topic(&prepared.workspace, prepared.topic.id).await?;
        }
        let held = claimed?;
        match prepared.purpose {
            // It can be brought back, as all that is deleted (REC-5).
            Purpose::ReAsk(old) => drop(self.put_pairs_aside(&prepared.workspace, &[old]).await?),
            Purpose::SendAgain(old) => drop(self.store.set_use(&[old], PairUse::Out).await?),
            Purpose::New | Purpose::Regenerate(_) | Purpose::Summarise => {}
        }
        Ok(held.into_iter().zip(carried).collect())
    }

    /// Claims the conversation or the workspace for new pairs, or for one that is there.
    async fn claim(
        &self,
        prepared: &Prepared,
        pairs: &[MessagePair],
    ) -> StoreResult<Vec<HeldSend>> {
        let (now, scope) = (self.lease_time().await?, prepared.scope);
        let lease = self.settings().lease();
        match prepared.purpose {
            Purpose::Regenerate(id) => {
                let model = &prepared.plan.model().id;
                Ok(vec![self.store.claim(id, model, scope, &self.owner, now, lease).await?])
            }
            _ => {
                let workspace = &prepared.workspace;
                self.store.begin(workspace, pairs, scope, &self.owner, now, lease).await
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

    /// The pairs of messages that are sent together; those of a comparison name the first of them.
    fn new_pairs(&self, sides: &mut [Prepared]) -> Vec<MessagePair> {
        let several = sides.len() > 1;
        let mut pairs: Vec<MessagePair> = Vec::with_capacity(sides.len());
        for prepared in sides {
            let newest = pairs.last().map(|pair| pair.created_at).or(prepared.newest);
            let mut pair = self.new_pair(prepared, after(self.clock.now(), newest));
            if several {
                let first = pairs.first().map_or(pair.id, |first| first.id);
                pair.group = Some(first);
                // One answer goes on by itself; the others are there to be compared.
                pair.pair_use = if pairs.is_empty() { PairUse::Auto } else { PairUse::Out };
                prepared.group = pair.group;
            }
            pairs.push(pair);
        }
        pairs
    }

    fn new_pair(&self, prepared: &Prepared, now: Timestamp) -> MessagePair {
        let pair = MessagePair {
            id: PairId::new(now, self.chance.bytes()),
            topic_id: prepared.topic.id,
            model: prepared.plan.model().id.clone(),
            user_text: prepared.text.clone(),
            assistant_text: None,
            star: Star::default(),
            color_flag: ColorFlag::default(),
            pair_use: PairUse::default(),
            kind: PairKind::default(),
            summarises: Vec::new(),
            group: None,
            lifecycle: Lifecycle::Idle,
            created_at: now,
            error: None,
            usage: None,
            receipt_id: None,
            previous_answer: None,
            attachments: prepared.plan.settled_attachments(),
        };
        match prepared.purpose {
            Purpose::Summarise => summaries::summary_of(pair, &prepared.included),
            _ => pair,
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
