//! Carrying a send out: the machine says what to do, this does it.

use std::{collections::HashMap, time::Duration};

use plimsoll_budget::Weights;
use plimsoll_domain::{FileId, PairError, PairId, Usage};
use plimsoll_provider::ProviderFailure;
use plimsoll_send::{
    AttemptMachine, AttemptRecord, Effect, Event, LeftOutBecause, MAX_TOOL_ROUNDS, Message,
    MessageRecord, Outcome, Receipt, SendError, Suggestion, ToolCall, overflow_suggestions,
};
use plimsoll_store::HeldSend;
use tokio::time::Instant;

use crate::{
    App, AppError, Attempt, Cancel, Prepared, Progress, SendChoices, StartedSend,
    calling::{Called, Saved},
    ending::Patience,
};

/// How long somebody before a terminal waits for a disk that takes nothing.
const SOMEBODY_WAITS: Duration = Duration::from_secs(30);

/// How a send ended.
pub struct Sent {
    /// The pair, as it is kept now.
    pub pair: PairId,
    /// The answer, whole or as far as it came.
    pub answer: String,
    /// What came of it.
    pub receipt: Receipt,
    /// The last request as it left (PAY-5).
    pub request: String,
    /// How it ended.
    pub outcome: Outcome,
    /// The pairs that were left out on the way, oldest first, each by its opening words.
    pub left_out: Vec<(PairId, String)>,
    /// Why they were.
    pub left_out_because: LeftOutBecause,
    /// How many pairs were deleted during the send and went along no longer (PAY-1).
    pub deleted: usize,
    /// What would help, after an overflow that trimming could not mend (OVF-3).
    pub suggestions: Vec<Suggestion>,
    /// The error as the pair keeps it, if it ended with one.
    pub error: Option<PairError>,
}

impl Sent {
    /// REC-4: what was left out and why, in words.
    pub fn trim_notice(&self) -> Option<String> {
        let names: Vec<&str> = self.left_out.iter().map(|(_, opening)| opening.as_str()).collect();
        plimsoll_send::trim_notice(&names, self.left_out_because)
    }
}

/// What one send gathers on its way.
pub(crate) struct SendState {
    pub(crate) pair: PairId,
    /// What is written names it, so that nothing is written for another's send (TEA-7).
    pub(crate) held: HeldSend,
    pub(crate) answer: String,
    pub(crate) saved: Saved,
    pub(crate) records: Vec<AttemptRecord>,
    /// Calls to the provider so far.
    pub(crate) calls: u32,
    /// Waits after a transient fault so far, and whether the call under way follows one.
    pub(crate) waits: u32,
    pub(crate) waited: bool,
    /// What came back from the last call that failed, as it came (FAU-7).
    pub(crate) failure: Option<ProviderFailure>,
    pub(crate) usage: Option<Usage>,
    pub(crate) first_text: Option<Duration>,
    pub(crate) started: Instant,
    pub(crate) history_hash: String,
    pub(crate) last_body: String,
    /// The bytes of the last request as it left, those of files included.
    pub(crate) request_bytes: usize,
    /// Files that were taken away during the send (PAY-1).
    pub(crate) detached: Vec<FileId>,
    pub(crate) learned_limit: Option<u64>,
    /// The limit in the last overflow; the inner one is none where none was stated.
    pub(crate) overflowed: Option<Option<u64>>,
    /// The messages of the last call, without what was said with tools.
    pub(crate) messages: Vec<Message>,
    /// What was said with tools so far: the model's calls, then what they gave.
    pub(crate) rounds: Vec<Message>,
    /// Where in the answer the round that is under way began.
    pub(crate) round_start: usize,
    /// Calls of tools so far.
    pub(crate) tool_calls: usize,
    /// What the first call used: the request as it was planned.
    pub(crate) first_usage: Option<Usage>,
}

impl SendState {
    fn new(held: HeldSend) -> Self {
        Self {
            pair: held.pair,
            held,
            answer: String::new(),
            saved: Saved::default(),
            records: Vec::new(),
            calls: 0,
            waits: 0,
            waited: false,
            failure: None,
            usage: None,
            first_text: None,
            started: Instant::now(),
            history_hash: String::new(),
            last_body: String::new(),
            request_bytes: 0,
            detached: Vec::new(),
            learned_limit: None,
            overflowed: None,
            messages: Vec::new(),
            rounds: Vec::new(),
            round_start: 0,
            tool_calls: 0,
            first_usage: None,
        }
    }
}

impl App {
    /// Sends what was prepared. `watch` sees every step as it happens. Whoever waits for
    /// this does not wait for a full disk for ever.
    pub async fn send(
        &self,
        prepared: Prepared,
        choices: SendChoices,
        cancel: &Cancel,
        watch: &mut (dyn FnMut(&Progress) + Send),
    ) -> Result<Sent, AppError> {
        let started = self.begin(prepared, choices).await?;
        self.carry_out_within(started, cancel, watch, Some(SOMEBODY_WAITS)).await
    }

    /// Makes the calls of a send that was started. Its end is written as soon as the store
    /// takes it (REL-6).
    pub async fn carry_out(
        &self,
        started: StartedSend,
        cancel: &Cancel,
        watch: &mut (dyn FnMut(&Progress) + Send),
    ) -> Result<Sent, AppError> {
        self.carry_out_within(started, cancel, watch, None).await
    }

    async fn carry_out_within(
        &self,
        mut started: StartedSend,
        cancel: &Cancel,
        watch: &mut (dyn FnMut(&Progress) + Send),
        at_most: Option<Duration>,
    ) -> Result<Sent, AppError> {
        watch(&Progress::Started(started.pair, started.held.epoch));
        let (pair, workspace) = (started.pair, started.prepared.workspace.clone());
        let mut tell = |progress: Progress| {
            watch(&progress);
            self.events.publish(&workspace, progress);
        };
        let asked = started.carried.cancel.clone();
        let held = started.held;
        let patience = Patience { pair, at_most, cancel };
        let sent = {
            let stopped = async {
                self.asked_to_stop(pair, &asked).await;
                cancel.cancel();
                std::future::pending().await
            };
            let lost = async {
                self.keep_lease(held, cancel).await;
                std::future::pending().await
            };
            tokio::select! {
                sent = self.make_calls(&mut started, &patience, &mut tell) => sent,
                never = stopped => never,
                never = lost => never,
            }
        };
        // Nobody may hear of the end of a send that is still on the list.
        drop(started);
        tell(Progress::Ended(pair));
        sent
    }

    async fn make_calls(
        &self,
        started: &mut StartedSend,
        patience: &Patience<'_>,
        tell: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Sent, AppError> {
        let mut state = SendState::new(started.held);
        match self.wait_and_drive(started, &mut state, patience.cancel, tell).await {
            Ok(outcome) => self.sent(&started.prepared, state, outcome, patience, tell).await,
            Err(error) => {
                self.interrupt(&started.prepared, &state, &error, patience, tell).await?;
                Err(error)
            }
        }
    }

    async fn wait_and_drive(
        &self,
        started: &mut StartedSend,
        state: &mut SendState,
        cancel: &Cancel,
        tell: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Outcome, AppError> {
        if let Some((wait, kind)) = started.wait {
            tell(Progress::QuotaWait(started.pair, wait, kind));
            tokio::select! {
                () = tokio::time::sleep(wait) => self.capture_again(started).await?,
                // The machine hears of it instead of the first call.
                () = cancel.cancelled() => {}
            }
        }
        self.drive(&mut started.prepared, state, cancel, tell).await
    }

    /// Writes the end of a send down, and says what came of it.
    async fn sent(
        &self,
        prepared: &Prepared,
        state: SendState,
        outcome: Outcome,
        patience: &Patience<'_>,
        tell: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Sent, AppError> {
        let receipt = self.finish(prepared, &state, &outcome, patience, tell).await?;
        tracing::info!(
            pair = %state.pair, receipt = %receipt.id, stage = receipt.stage().name(),
            ms = receipt.timings.total_ms, calls = state.calls, "send ended"
        );
        let last = receipt.last();
        let named = |ids: &[PairId]| {
            let pairs = prepared.included.iter().filter(|stored| ids.contains(&stored.pair.id));
            pairs.map(|stored| (stored.pair.id, opening(&stored.pair.user_text))).collect()
        };
        let left_out = last.map_or_else(Vec::new, |last| named(&last.left_out));
        let deleted = last.map_or(0, |last| last.deleted.len());
        let plan = &prepared.plan;
        let limit = plan.limit().tokens;
        let left_out_because = match state.overflowed {
            Some(Some(stated)) => LeftOutBecause::Stated(stated),
            Some(None) => LeftOutBecause::Refused,
            None => LeftOutBecause::Fitted(limit),
        };
        let suggestions = match &outcome {
            Outcome::Error(SendError::OverflowAfterTrimming(fault)) => {
                let limit = state.overflowed.flatten().map_or(limit, |stated| stated.min(limit));
                let weights = Weights { limit, ..plan.weights };
                overflow_suggestions(&weights, fault.requested, &plan.snapshot)
            }
            _ => Vec::new(),
        };
        let error = match &outcome {
            Outcome::Error(error) => Some(prepared.error(error, state.records.last())),
            Outcome::Complete { .. } | Outcome::Cancelled => None,
        };
        Ok(Sent {
            pair: state.pair,
            answer: state.answer,
            request: state.last_body,
            receipt,
            outcome,
            left_out,
            left_out_because,
            deleted,
            suggestions,
            error,
        })
    }

    /// Runs the machine to its end.
    async fn drive(
        &self,
        prepared: &mut Prepared,
        state: &mut SendState,
        cancel: &Cancel,
        tell: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Outcome, AppError> {
        let copies = self.copies(prepared).await?;
        let (mut machine, effects) = AttemptMachine::start(prepared.attempts.clone());
        let mut effects = std::collections::VecDeque::from(effects);
        while let Some(effect) = effects.pop_front() {
            match effect {
                Effect::Call { mut max_output, mut record } => {
                    // What is sent was captured before the first call; only what was taken
                    // away since then changes the calls that follow.
                    if state.calls > 0 {
                        self.take_out_files(prepared, &mut state.detached).await?;
                        let gone = self.deleted_since(prepared).await?;
                        if let Some(Effect::Call { max_output: less, record: without }) =
                            machine.delete(&gone)
                        {
                            (max_output, record) = (less, without);
                        }
                    }
                    if !record.left_out.is_empty() {
                        tell(Progress::Trimmed(state.pair, record.left_out.len()));
                    }
                    state.calls += 1;
                    tracing::info!(
                        pair = %state.pair, call = state.calls, model = record.model,
                        tokens = record.attempt_total_tokens, pairs = record.sent_count,
                        left_out = record.left_out.len(), "calls the model"
                    );
                    tell(attempt(prepared, state, &record));
                    let sent: Vec<PairId> = record.selection.iter().map(|pair| pair.id).collect();
                    let request = prepared.request(&sent, max_output, &state.rounds, &copies);
                    let encoded = prepared.provider.encode(&request);
                    encoded.shown().clone_into(&mut state.last_body);
                    state.request_bytes = encoded.size();
                    state.history_hash.clone_from(&request.history_hash);
                    state.round_start = state.answer.len();
                    let asked = (&request, encoded);
                    let called =
                        self.call(prepared, asked, &mut machine, state, cancel, tell).await;
                    state.messages = request.messages;
                    state.messages.truncate(state.messages.len() - state.rounds.len());
                    let event = match called {
                        Called::Ended(event) => event,
                        Called::Wants(calls) => {
                            self.round(prepared, &machine, state, calls, cancel, tell).await?
                        }
                    };
                    if let Event::Failed(fault) = &event
                        && fault.short() == "context"
                    {
                        state.overflowed = Some(fault.limit);
                    }
                    state.waited = false;
                    effects.extend(machine.on(event));
                }
                Effect::Wait { at_least, at_most } => {
                    (state.waits, state.waited) = (state.waits + 1, true);
                    let wait = at_least + (at_most - at_least).mul_f64(self.chance.fraction());
                    let said = state.records.last().and_then(|r| r.last_error_message.clone());
                    tell(Progress::RetryIn(state.pair, wait, said.unwrap_or_default()));
                    let event = tokio::select! {
                        () = tokio::time::sleep(wait) => Event::WaitOver,
                        () = cancel.cancelled() => Event::Cancelled,
                    };
                    effects.extend(machine.on(event));
                }
                Effect::LearnLimit(tokens) => state.learned_limit = Some(tokens),
                Effect::Record(record) => {
                    tell(attempt(prepared, state, &record));
                    let mut record = *record;
                    record.messages = message_records(prepared, state, &record);
                    state.records.push(record);
                }
                Effect::Done(outcome) => return Ok(outcome),
            }
        }
        // The machine always ends with Done; a machine that did not is a defect, and
        // the pair must not stay in flight because of it.
        let body = "the send ended without an outcome".to_owned();
        let failure = ProviderFailure { body, ..ProviderFailure::default() };
        Ok(Outcome::Error(SendError::Provider(failure.fault())))
    }

    /// A round of tools: what they say goes along with the next call. A model that goes on
    /// calling when it was told to answer is taken at what it said.
    async fn round(
        &self,
        prepared: &Prepared,
        machine: &AttemptMachine,
        state: &mut SendState,
        calls: Vec<ToolCall>,
        cancel: &Cancel,
        tell: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Event, AppError> {
        if state.rounds.len() / 2 >= MAX_TOOL_ROUNDS {
            return Ok(Event::OutOfRounds);
        }
        let room = machine.tool_room();
        let answered = self.answer_calls(prepared, state, calls, room, cancel, tell).await?;
        let Some((round, tokens)) = answered else { return Ok(Event::Cancelled) };
        state.rounds.extend(round);
        // What comes next is a paragraph of its own.
        if !state.answer.is_empty() && !state.answer.ends_with('\n') {
            state.answer.push_str("\n\n");
            tell(Progress::Text(state.pair, "\n\n".to_owned()));
        }
        Ok(Event::ToolsAnswered { tokens })
    }
}

/// A call as those who watch hear of it.
fn attempt(prepared: &Prepared, state: &SendState, record: &AttemptRecord) -> Progress {
    let plan = &prepared.attempts;
    let attempt = Attempt {
        call: state.calls,
        record: record.clone(),
        again: state.waited.then_some((state.waits, plan.max_retries)),
        most_attempts: plan.max_trim_attempts.saturating_add(1),
    };
    Progress::Attempt(state.pair, Box::new(attempt))
}

/// The first words of a text, for people to know it by.
pub(crate) fn opening(text: &str) -> String {
    const LONGEST: usize = 40;
    let line = text.trim().lines().next().unwrap_or_default();
    let mut opening: String = line.chars().take(LONGEST).collect();
    if opening.len() < text.trim().len() {
        opening.push('…');
    }
    opening
}

/// What was sent, message by message; where there was no call, what would have been.
fn message_records(
    prepared: &Prepared,
    state: &mut SendState,
    record: &AttemptRecord,
) -> Vec<MessageRecord> {
    let mut messages = std::mem::take(&mut state.messages);
    if messages.is_empty() {
        let sent: Vec<PairId> = record.selection.iter().map(|pair| pair.id).collect();
        messages = prepared.request(&sent, None, &[], &HashMap::new()).messages;
    }
    let overhead = prepared.plan.model().message_overhead;
    let record = |message: &Message| {
        let tokens = prepared.weigh_message(message).saturating_add(overhead);
        MessageRecord::of(message, tokens)
    };
    messages.iter().map(record).collect()
}
