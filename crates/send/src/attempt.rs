//! The attempt machine (OVF-1 to OVF-6, FAU-6): events in, effects out.
//!
//! ```text
//! start ─► Call ─┬─ Finished ──────────────► Done(success)
//!                ├─ ToolsAnswered ────────► Call, with what the tools said
//!                ├─ overflow, may trim ────► Call without the oldest
//!                ├─ overflow, may not ─────► Done(context_overflow_after_trimming)
//!                ├─ rate, server, network ─► Wait ─► WaitOver ─► Call, the same again
//!                ├─ any other fault ───────► Done(error)
//!                └─ Cancelled ─────────────► Done(cancelled)
//! ```
//!
//! Invariant: only an overflow, or somebody who deletes a pair, changes the working set, and
//! it only shrinks.

use std::{collections::HashSet, time::Duration};

use plimsoll_domain::PairId;
use plimsoll_fault::{Fault, Label, Subkind};
use plimsoll_tokens::RawTokens;

use crate::{
    AttemptBudget, AttemptPlan, AttemptRecord, IncludedPair, Stage, TrimStep,
    attempt_plan::signed_difference,
};

/// What happened to the call that is under way.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The first byte of the answer arrived; no text yet.
    FirstByte,
    /// The first text of the answer arrived.
    TextArrived,
    /// The answer ended.
    Finished {
        /// Whether it was cut by its length (SND-4c).
        cut_by_length: bool,
    },
    /// The model used tools instead of ending its answer, and they have answered (PRV-5).
    ToolsAnswered {
        /// What the calls and their results weigh.
        tokens: u64,
    },
    /// The model asked for tools again after the last round that it may have (PRV-5).
    OutOfRounds,
    Failed(Fault),
    /// The user stopped the send.
    Cancelled,
    /// The wait that was asked for is over.
    WaitOver,
}

/// What the driver has to do next, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Call the provider with the pairs that the record selects.
    Call {
        /// The largest answer to ask for.
        max_output: Option<u64>,
        /// The record of the attempt that starts.
        record: Box<AttemptRecord>,
    },
    /// Wait for a time between the two, chosen at random, then send
    /// [`Event::WaitOver`].
    Wait {
        /// Not shorter.
        at_least: Duration,
        /// Not longer.
        at_most: Duration,
    },
    /// The provider stated its limit: remember it (CAT-3).
    LearnLimit(u64),
    /// An attempt is over: write its record down.
    Record(Box<AttemptRecord>),
    /// The send is over.
    Done(Outcome),
}

/// How a send ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// With an answer.
    Complete {
        /// Whether the answer was cut by its length.
        cut_by_length: bool,
    },
    /// With an error; the pair keeps its text.
    Error(SendError),
    /// By the user.
    Cancelled,
}

/// Why a send failed, as decisions that a surface makes.
#[derive(Clone, Debug, PartialEq)]
pub enum SendError {
    /// VAL-1: the message alone is larger than the window. No call was made.
    PromptTooLarge,
    /// OVF-3: still too large when nothing more could be dropped.
    OverflowAfterTrimming(Fault),
    /// The answer ended without any text (SND-4b).
    EmptyAnswer,
    /// The model used up its rounds of tools and said nothing (PRV-5).
    OutOfRounds,
    /// Anything else, as the provider told it.
    Provider(Fault),
}

impl SendError {
    /// The stable code that is stored with the pair.
    pub fn code(&self) -> &'static str {
        match self {
            Self::PromptTooLarge => "user_prompt_too_large",
            Self::OverflowAfterTrimming(_) => "context_overflow_after_trimming",
            Self::EmptyAnswer => "empty_answer",
            Self::OutOfRounds => "tool_rounds",
            Self::Provider(fault) => fault.label.name(),
        }
    }
}

/// The short label of an error by its [code](SendError::code), as it stands in the pair
/// (FAU-8). Codes of our own are told by what they are about.
pub fn short_label(code: &str) -> &'static str {
    match code {
        "user_prompt_too_large" | "context_overflow_after_trimming" => "context",
        "empty_answer" => "server",
        "tool_rounds" => "tools",
        "interrupted" => "interrupted",
        _ => Label::ALL
            .into_iter()
            .find(|label| label.name() == code)
            .map_or("unknown", Label::short),
    }
}

/// A Retry-After beyond this ends the send; people should not watch a countdown for
/// longer (FAU-6).
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(60);

/// The first wait; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// A requested output is lowered at most this often, then history is trimmed.
const MAX_LOWERINGS: u32 = 2;

/// The loop of one send. Drive it with [`AttemptMachine::on`] until [`Effect::Done`].
#[derive(Clone, Debug)]
pub struct AttemptMachine {
    plan: AttemptPlan,
    /// Before this position of the predicted set nothing is sent any more but pins.
    dropped: usize,
    /// Pairs of the predicted set that were deleted during the send.
    deleted: Vec<PairId>,
    /// The same, to be asked for each pair of a long history (REL-9).
    gone: HashSet<PairId>,
    trim_steps: u32,
    attempts: u32,
    retries: u32,
    lowerings: u32,
    max_output: Option<u64>,
    bytes_arrived: bool,
    /// Whether text arrived in the call that is under way.
    text_arrived: bool,
    /// Whether text arrived in any call.
    answered: bool,
    /// What the tools have added to the request.
    tool_tokens: u64,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Calling,
    Waiting,
    Done,
}

impl AttemptMachine {
    /// Starts a send: the first effects are a call, or the end of it when the
    /// message alone is too large (VAL-1).
    pub fn start(plan: AttemptPlan) -> (Self, Vec<Effect>) {
        let mut machine = Self {
            dropped: 0,
            deleted: Vec::new(),
            gone: HashSet::new(),
            trim_steps: 0,
            attempts: 0,
            retries: 0,
            lowerings: 0,
            max_output: plan.max_output,
            bytes_arrived: false,
            text_arrived: false,
            answered: false,
            tool_tokens: 0,
            state: State::Calling,
            plan,
        };
        machine.drop_oldest(machine.plan.fit_drop);
        if machine.plan.too_large {
            let record = machine.record(Stage::PromptTooLarge, None);
            let effects = machine.finish(record, Outcome::Error(SendError::PromptTooLarge));
            return (machine, effects);
        }
        let call = machine.next_attempt();
        (machine, vec![call])
    }

    /// What to do after an event. An event that does not belong to the state, such as
    /// one that arrives after the end, changes nothing.
    pub fn on(&mut self, event: Event) -> Vec<Effect> {
        match (self.state, event) {
            (State::Calling, Event::FirstByte) => {
                self.bytes_arrived = true;
                Vec::new()
            }
            (State::Calling, Event::TextArrived) => {
                self.text_arrived = true;
                self.answered = true;
                Vec::new()
            }
            (State::Calling, Event::ToolsAnswered { tokens }) => {
                let record = self.record(Stage::Success, None);
                self.tool_tokens = self.tool_tokens.saturating_add(tokens);
                // What the reader has seen stays; the next call can fail and be mended
                // on its own.
                self.text_arrived = false;
                vec![Effect::Record(Box::new(record)), self.call()]
            }
            (State::Calling, Event::Finished { cut_by_length }) if self.answered => {
                let record = self.record(Stage::Success, None);
                self.finish(record, Outcome::Complete { cut_by_length })
            }
            (State::Calling, Event::Finished { .. }) => {
                let record = self.record(Stage::Error, None);
                self.finish(record, Outcome::Error(SendError::EmptyAnswer))
            }
            (State::Calling, Event::OutOfRounds) if self.answered => {
                let record = self.record(Stage::Success, None);
                self.finish(record, Outcome::Complete { cut_by_length: false })
            }
            (State::Calling, Event::OutOfRounds) => {
                let record = self.record(Stage::Error, None);
                self.finish(record, Outcome::Error(SendError::OutOfRounds))
            }
            (State::Calling, Event::Failed(fault)) => self.failed(fault),
            (State::Calling | State::Waiting, Event::Cancelled) => {
                let record = self.record(Stage::Cancelled, None);
                self.finish(record, Outcome::Cancelled)
            }
            (State::Waiting, Event::WaitOver) => {
                self.state = State::Calling;
                vec![self.call()]
            }
            // An event that belongs to another state, such as one that comes too late.
            (State::Done | State::Waiting | State::Calling, _) => Vec::new(),
        }
    }

    /// T: how many pairs of the predicted set are not sent.
    pub fn trimmed(&self) -> usize {
        self.plan.included.len() - self.sent().count()
    }

    /// PAY-1: pairs that were deleted go along with no further call. Gives the call that
    /// takes the place of one that was about to be made, if that would have sent any.
    pub fn delete(&mut self, pairs: &[PairId]) -> Option<Effect> {
        let pairs: HashSet<PairId> = pairs.iter().copied().collect();
        let gone: Vec<PairId> =
            self.sent().map(|pair| pair.id).filter(|id| pairs.contains(id)).collect();
        if self.state != State::Calling || gone.is_empty() {
            return None;
        }
        self.gone.extend(&gone);
        self.deleted.extend(gone);
        Some(self.call())
    }

    /// The pairs that a call sends now, oldest first.
    fn sent(&self) -> impl Iterator<Item = &IncludedPair> {
        let kept = self.plan.included.iter().enumerate();
        let kept = kept.filter(|(at, pair)| *at >= self.dropped || pair.pinned);
        kept.map(|(_, pair)| pair).filter(|pair| !self.gone.contains(&pair.id))
    }

    /// Those of them that may be left out to make room (BND-8).
    fn droppable(&self) -> impl Iterator<Item = &IncludedPair> {
        self.sent().filter(|pair| !pair.pinned)
    }

    fn history_tokens(&self) -> u64 {
        let tokens: RawTokens = self.sent().map(|pair| pair.tokens).sum();
        self.plan.correction.apply(tokens)
    }

    fn total_tokens(&self) -> u64 {
        self.plan.prelude.saturating_add(self.history_tokens()).saturating_add(self.plan.message)
    }

    /// How many tokens of the window are free for what tools may still say.
    pub fn tool_room(&self) -> u64 {
        let taken = self.total_tokens().saturating_add(self.tool_tokens);
        self.plan.limit.saturating_sub(taken.saturating_add(self.plan.reply_reserve))
    }

    /// The plan, as it was frozen.
    pub fn plan(&self) -> &AttemptPlan {
        &self.plan
    }

    fn failed(&mut self, fault: Fault) -> Vec<Effect> {
        // Once answer text has arrived nothing is retried or trimmed: the reader has
        // seen it.
        let effects = if self.text_arrived {
            self.end_with(fault)
        } else if fault.shrink_helps() {
            self.overflow(fault)
        } else if fault.retryable() && !(fault.label == Label::Network && self.bytes_arrived) {
            self.retry(fault)
        } else {
            self.end_with(fault)
        };
        debug_assert!(!effects.is_empty());
        effects
    }

    fn overflow(&mut self, fault: Fault) -> Vec<Effect> {
        let mut effects = Vec::new();
        let is_news =
            |limit: &u64| *limit > 0 && (*limit < self.plan.limit || self.plan.limit_uncertain);
        if let Some(limit) = fault.limit.filter(is_news) {
            effects.push(Effect::LearnLimit(limit));
        }
        let is_sum = fault.subkind == Some(Subkind::Sum);
        if is_sum && let Some(lower) = self.lower_output(&fault) {
            effects.push(self.overflow_record(&fault));
            self.max_output = Some(lower);
            self.lowerings += 1;
            // The same history again: like a retry, this is the same attempt.
            effects.push(self.call());
            return effects;
        }
        let left = self.droppable().count();
        if left == 0 || self.trim_steps >= self.plan.max_trim_attempts {
            let record = self.record(Stage::OverflowExhausted, Some(&fault));
            let error = SendError::OverflowAfterTrimming(fault);
            effects.extend(self.finish(record, Outcome::Error(error)));
            return effects;
        }
        effects.push(self.overflow_record(&fault));
        self.drop_oldest(self.trim_size(&fault).clamp(1, left));
        self.trim_steps += 1;
        effects.push(self.next_attempt());
        effects
    }

    /// Leaves out so many of the oldest pairs that are still sent, pins aside.
    fn drop_oldest(&mut self, pairs: usize) {
        let mut left = pairs;
        while left > 0 && self.dropped < self.plan.included.len() {
            let pair = &self.plan.included[self.dropped];
            left -= usize::from(!pair.pinned && !self.gone.contains(&pair.id));
            self.dropped += 1;
        }
    }

    fn overflow_record(&self, fault: &Fault) -> Effect {
        let stage = if self.attempts == 1 { Stage::OverflowInitial } else { Stage::OverflowRetry };
        Effect::Record(Box::new(self.record(stage, Some(fault))))
    }

    /// A smaller output that fits beside the prompt, if there is one that leaves the
    /// reply its reserve (OVF-2).
    fn lower_output(&self, fault: &Fault) -> Option<u64> {
        if self.lowerings >= MAX_LOWERINGS {
            return None;
        }
        let asked = self.max_output;
        let room = match (fault.limit, fault.requested, asked) {
            // The provider counted the prompt for us.
            (Some(limit), Some(requested), Some(asked)) => {
                limit.checked_sub(requested.checked_sub(asked)?)?
            }
            (limit, _, _) => {
                let limit = limit.map_or(self.plan.limit, |limit| limit.min(self.plan.limit));
                limit.checked_sub(self.total_tokens())?.checked_sub(self.tool_tokens)?
            }
        };
        let smaller = asked.is_none_or(|asked| room < asked);
        (smaller && room >= self.plan.reply_reserve.max(1)).then_some(room)
    }

    /// How many pairs this overflow drops.
    fn trim_size(&self, fault: &Fault) -> usize {
        let (TrimStep::Smart, Some(limit), Some(requested)) =
            (self.plan.trim_step, fault.limit, fault.requested)
        else {
            return 1;
        };
        let ours = self.total_tokens().max(1);
        // The provider's tokens are not ours: its excess is scaled to our weights.
        let excess = requested.saturating_sub(limit) as f64 * ours as f64 / requested.max(1) as f64;
        let mut freed = 0.0;
        let mut pairs = 0;
        for pair in self.droppable() {
            if pairs > 0 && freed >= excess {
                break;
            }
            freed += self.plan.correction.apply(pair.tokens) as f64;
            pairs += 1;
        }
        pairs
    }

    fn retry(&mut self, fault: Fault) -> Vec<Effect> {
        let too_long = fault.retry_after.is_some_and(|after| after > LONGEST_RETRY_AFTER);
        if self.retries >= self.plan.max_retries || too_long {
            return self.end_with(fault);
        }
        let record = self.record(Stage::Error, Some(&fault));
        let backoff = FIRST_WAIT * 2u32.saturating_pow(self.retries.min(5));
        let at_least = fault.retry_after.unwrap_or(backoff);
        self.retries += 1;
        self.state = State::Waiting;
        vec![
            Effect::Record(Box::new(record)),
            Effect::Wait { at_least, at_most: at_least + backoff / 2 },
        ]
    }

    fn end_with(&mut self, fault: Fault) -> Vec<Effect> {
        let record = self.record(Stage::Error, Some(&fault));
        self.finish(record, Outcome::Error(SendError::Provider(fault)))
    }

    fn finish(&mut self, record: AttemptRecord, outcome: Outcome) -> Vec<Effect> {
        self.state = State::Done;
        vec![Effect::Record(Box::new(record)), Effect::Done(outcome)]
    }

    fn next_attempt(&mut self) -> Effect {
        self.attempts += 1;
        self.call()
    }

    fn call(&mut self) -> Effect {
        self.bytes_arrived = false;
        Effect::Call {
            max_output: self.max_output,
            record: Box::new(self.record(Stage::Sent, None)),
        }
    }

    fn record(&self, stage: Stage, fault: Option<&Fault>) -> AttemptRecord {
        let plan = &self.plan;
        let (total, history, trimmed) =
            (self.total_tokens(), self.history_tokens(), self.trimmed());
        let dropped = plan.included.iter().take(self.dropped).filter(|pair| !pair.pinned);
        let left_out = dropped.map(|pair| pair.id).filter(|id| !self.gone.contains(id)).collect();
        let overflow =
            fault.filter(|fault| matches!(fault.label, Label::Overflow | Label::OverflowOutput));
        AttemptRecord {
            model: plan.model.clone(),
            budget: AttemptBudget {
                max_context: plan.limit,
                max_usable_raw: plan.max_usable_raw(),
            },
            selection: self.sent().cloned().collect(),
            left_out,
            deleted: self.deleted.clone(),
            predicted_message_count: plan.included.len(),
            predicted_history_tokens: plan.predicted_history_tokens(),
            predicted_total_tokens: plan.predicted_total_tokens(),
            attempt_history_tokens: history,
            attempt_total_tokens: total,
            message_tokens: plan.message,
            trimmed_count: trimmed,
            trimming_removed_tokens: plan.predicted_history_tokens().saturating_sub(history),
            sent_count: plan.included.len() - trimmed,
            attempts_used: self.attempts,
            chars_per_token: plan.chars_per_token,
            tool_tokens: self.tool_tokens,
            remaining_reserve: signed_difference(
                plan.limit,
                total.saturating_add(self.tool_tokens),
            ),
            stage,
            last_error_message: fault.map(|fault| fault.message.clone()),
            overflow_matched: overflow.and_then(|fault| fault.matched.clone()),
            messages: Vec::new(),
        }
    }
}

#[cfg(test)]
#[path = "attempt_tests.rs"]
mod tests;
