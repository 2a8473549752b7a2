//! One call to a provider: what arrives is told, and is on the disk soon after.

use std::time::Duration;

use futures_util::StreamExt;
use plimsoll_domain::Usage;
use plimsoll_provider::{Delta, Encoded, Finish};
use plimsoll_send::{AttemptMachine, Event, Request, ToolCall};
use tokio::time::Instant;

use crate::{App, Cancel, Prepared, Progress, driver::SendState, lease::is_lost};

/// What arrived is on the disk at the latest this long after, also when nothing more
/// arrives (REL-6).
const SAVE_EVERY: Duration = Duration::from_millis(300);

/// No answer is longer: one that is fills the memory, and is stopped like one that was
/// cut by its length.
const LONGEST_ANSWER: usize = 4 << 20;

/// What of an answer is on the disk.
#[derive(Default)]
pub(crate) struct Saved {
    length: usize,
    at: Option<Instant>,
}

impl Saved {
    /// When the answer is to be saved next: at once for its first piece, since from then on
    /// a crash loses little. None while all of it is on the disk.
    fn due(&self, answer: &str) -> Option<Instant> {
        let now = Instant::now();
        (answer.len() > self.length).then(|| self.at.map_or(now, |at| at + SAVE_EVERY))
    }
}

impl App {
    /// Saves what is not on the disk yet. A disk that does not take it is asked again later:
    /// the answer itself goes on, and its end is written with all of it.
    async fn save(&self, state: &mut SendState, cancel: &Cancel) {
        if state.saved.due(&state.answer).is_some() {
            state.saved.at = Some(Instant::now());
            match self.store.save_partial(state.held, &state.answer).await {
                Ok(()) => state.saved.length = state.answer.len(),
                // Nobody wants more of an answer that another process ended (TEA-7).
                Err(error) if is_lost(&error) => cancel.cancel(),
                Err(_) => {}
            }
        }
    }

    /// One call. Gives the event that ended it; text that arrives is told and saved.
    pub(crate) async fn call(
        &self,
        prepared: &Prepared,
        request: (&Request, Encoded),
        machine: &mut AttemptMachine,
        state: &mut SendState,
        cancel: &Cancel,
        tell: &mut (dyn FnMut(Progress) + Send),
    ) -> Called {
        let called = self.receive(prepared, request, machine, state, cancel, tell).await;
        // Tools may work for long on what comes next.
        self.save(state, cancel).await;
        called
    }

    async fn receive(
        &self,
        prepared: &Prepared,
        request: (&Request, Encoded),
        machine: &mut AttemptMachine,
        state: &mut SendState,
        cancel: &Cancel,
        tell: &mut (dyn FnMut(Progress) + Send),
    ) -> Called {
        let pair = state.pair;
        if cancel.is_cancelled() {
            return Called::Ended(Event::Cancelled);
        }
        let earlier = state.usage.unwrap_or_default();
        let mut calls = Vec::new();
        let mut stream = prepared.provider.answer(request.0, request.1);
        let mut cut_by_length = false;
        let mut first = true;
        loop {
            let due = state.saved.due(&state.answer);
            let next = tokio::select! {
                biased;
                () = cancel.cancelled() => return Called::Ended(Event::Cancelled),
                () = tokio::time::sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    self.save(state, cancel).await;
                    continue;
                }
                next = stream.next() => next,
            };
            let delta = match next {
                None if !calls.is_empty() => return Called::Wants(calls),
                None => return Called::Ended(Event::Finished { cut_by_length }),
                Some(Err(failure)) => {
                    let fault = failure.fault();
                    state.failure = Some(failure);
                    return Called::Ended(Event::Failed(fault));
                }
                Some(Ok(delta)) => delta,
            };
            if first && delta != Delta::Loading {
                machine.on(Event::FirstByte);
                first = false;
            }
            match delta {
                Delta::Loading => tell(Progress::Loading(pair)),
                Delta::Reasoning(text) => tell(Progress::Reasoning(pair, text)),
                Delta::Usage(usage) => {
                    if state.rounds.is_empty() {
                        state.first_usage = Some(usage);
                    }
                    state.usage = Some(sum(earlier, usage));
                }
                Delta::Finished(finish) => cut_by_length |= finish == Finish::Length,
                Delta::ToolCall(call) => calls.push(call),
                Delta::Text(text) if text.is_empty() => {}
                Delta::Text(mut text) => {
                    let left = LONGEST_ANSWER.saturating_sub(state.answer.len());
                    let full = text.len() >= left;
                    // What is too much is not kept, not told and not copied (REL-7).
                    text.truncate(text.floor_char_boundary(left));
                    if state.answer.len() == state.round_start {
                        machine.on(Event::TextArrived);
                    }
                    if state.answer.is_empty() {
                        state.first_text = Some(state.started.elapsed());
                    }
                    state.answer.push_str(&text);
                    tell(Progress::Text(pair, text));
                    if full {
                        return Called::Ended(Event::Finished { cut_by_length: true });
                    }
                }
            }
        }
    }
}

pub(crate) enum Called {
    /// With something that the machine decides about.
    Ended(Event),
    /// The model waits for tools.
    Wants(Vec<ToolCall>),
}

/// What several calls of one send used together.
fn sum(one: Usage, two: Usage) -> Usage {
    Usage {
        prompt: one.prompt.saturating_add(two.prompt),
        cached: one.cached.saturating_add(two.cached),
        completion: one.completion.saturating_add(two.completion),
        reasoning: one.reasoning.saturating_add(two.reasoning),
    }
}
