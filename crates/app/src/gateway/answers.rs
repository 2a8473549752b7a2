//! Answers on their way to a client, and what is noted about them while they pass.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::{StreamExt, stream, stream::BoxStream};
use plimsoll_domain::{Protocol, ReceiptId, Usage};
use plimsoll_fault::Fault;
use plimsoll_gateway::{
    CallReceipt, ClientRequest, Dropped, LeftOut, Problem, UsageHider, mark_left_out, parts,
};
use plimsoll_provider::{AnswerWatch, RelayedBody};
use plimsoll_send::{Stage, Timings, error_percent, silent_truncation};
use plimsoll_tokens::RawTokens;
use tokio::sync::OwnedSemaphorePermit;

use super::{
    ClientCall, Gateway,
    books::Ended,
    clients::Running,
    plan::{Planned, left_out},
    routes::Route,
};

/// No answer takes longer.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// The places that a call takes: among those of its client, and among all.
pub(super) type Places = (Option<Running>, OwnedSemaphorePermit);

/// What is noted of a call while it is made. Whatever becomes of it, a receipt is written: who
/// goes away in the middle leaves one that was cancelled.
pub(super) struct CallLog {
    gateway: Arc<Gateway>,
    route: Arc<Route>,
    started: Instant,
    first_byte: Option<Duration>,
    /// What was weighed, of the last attempt.
    raw: RawTokens,
    items: usize,
    dropped: Dropped,
    stated_limit: Option<u64>,
    /// Whether the answer came to its end, though the connection may go on.
    complete: bool,
    receipt: Option<CallReceipt>,
    places: Option<Places>,
}

impl CallLog {
    pub(super) fn begin(
        gateway: &Arc<Gateway>,
        id: ReceiptId,
        call: &ClientCall,
        request: &ClientRequest<'_>,
        planned: &Planned,
        places: Places,
        started: Instant,
    ) -> Self {
        let route = Arc::clone(&planned.route);
        let receipt = CallReceipt {
            id,
            client: call.client.as_ref().map(|client| client.name.clone()),
            project: call.project.as_deref().map(str::to_owned),
            protocol: call.protocol.name().to_owned(),
            asked_model: request.model.clone().into_owned(),
            model: route.model.id.clone(),
            server: route.base_url().to_owned(),
            same_protocol: route.takes(call.protocol),
            over_budget: planned.policy.name().to_owned(),
            window: route.limit.tokens,
            estimate: planned.estimate,
            basis: planned.basis.name().to_owned(),
            band: planned.basis.band(planned.estimate, 0),
            partial: planned.partial,
            parts: Vec::new(),
            left_out: LeftOut::default(),
            passed_over: Vec::new(),
            attempts: 0,
            failures: Vec::new(),
            stage: Stage::Sent.name().to_owned(),
            error: None,
            streamed: request.stream,
            request_bytes: call.text.len(),
            usage: None,
            cost: None,
            estimate_error_percent: None,
            truncation: None,
            timings: Timings::default(),
        };
        let mut log = Self::of(gateway, route, receipt, places, started);
        log.raw = planned.weight.total();
        log.items = request.items.len();
        log
    }

    pub(super) fn of(
        gateway: &Arc<Gateway>,
        route: Arc<Route>,
        receipt: CallReceipt,
        places: Places,
        started: Instant,
    ) -> Self {
        Self {
            gateway: Arc::clone(gateway),
            route,
            started,
            first_byte: None,
            raw: RawTokens::ZERO,
            items: 0,
            dropped: Dropped::default(),
            stated_limit: None,
            complete: false,
            receipt: Some(receipt),
            places: Some(places),
        }
    }

    pub(super) fn attempt(
        &mut self,
        planned: &Planned,
        dropped: &Dropped,
        number: u32,
        estimate: u64,
    ) {
        self.raw = planned.weight.total() - dropped.tokens;
        self.dropped = dropped.clone();
        if let Some(receipt) = &mut self.receipt {
            receipt.attempts = number;
            receipt.estimate = estimate;
            receipt.band = planned.basis.band(estimate, 0);
            receipt.left_out = left_out(dropped, planned.correction);
        }
    }

    /// Weighs and hashes the parts, once.
    pub(super) fn weigh_parts(&mut self, request: &ClientRequest<'_>, planned: &Planned) {
        if let Some(receipt) = self.receipt.as_mut().filter(|receipt| receipt.parts.is_empty()) {
            receipt.parts = super::looking(request.text, || {
                parts(request, &planned.weight, planned.correction)
            });
        }
    }

    pub(super) fn failed(&mut self, fault: &Fault) {
        if let Some(receipt) = &mut self.receipt {
            receipt.failures.push(format!("{}: {}", fault.label.name(), fault.message));
        }
    }

    pub(super) fn passed_over(&mut self, names: &[String]) {
        if let Some(receipt) = &mut self.receipt {
            receipt.passed_over = names.to_vec();
        }
    }

    pub(super) fn stated_limit(&mut self, limit: u64) {
        self.stated_limit = Some(limit);
    }

    pub(super) fn began(&mut self) {
        self.first_byte.get_or_insert_with(|| self.started.elapsed());
    }

    /// Nothing more of the answer is wanted.
    pub(super) fn completed(&mut self) {
        self.complete = true;
    }

    pub(super) fn used(&mut self, usage: Option<Usage>) {
        if let Some(receipt) = &mut self.receipt {
            receipt.usage = usage.or(receipt.usage);
        }
    }

    /// How much time its answer still has.
    pub(super) fn time_left(&self) -> Duration {
        LONGEST.saturating_sub(self.started.elapsed())
    }

    /// The call is over.
    pub(super) fn end(mut self, stage: Stage, error: Option<String>) {
        self.write(stage, error);
    }

    fn write(&mut self, stage: Stage, error: Option<String>) {
        let Some(mut receipt) = self.receipt.take() else { return };
        let Some((running, permit)) = self.places.take() else { return };
        drop(running);
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        stage.name().clone_into(&mut receipt.stage);
        receipt.error = error;
        receipt.timings = Timings {
            first_text_ms: self.first_byte.map(millis),
            total_ms: millis(self.started.elapsed()),
        };
        mark_left_out(&mut receipt.parts, self.items, &self.dropped);
        let success = stage == Stage::Success;
        if let Some(usage) = receipt.usage {
            receipt.cost = self.route.model.price.map(|price| price.cost(usage));
            receipt.estimate_error_percent =
                error_percent(receipt.estimate, Some(usage.prompt)).filter(|_| !receipt.partial);
            receipt.truncation = silent_truncation(receipt.estimate, usage.prompt, false)
                .filter(|_| success && !receipt.partial);
        }
        // What the provider reads beside our text says nothing about it.
        let telling = success && !receipt.partial && receipt.truncation.is_none();
        let ended = Ended {
            raw: Some(self.raw).filter(|_| telling),
            at: self.gateway.app.clock.now(),
            route: Arc::clone(&self.route),
            stated_limit: self.stated_limit,
            receipt,
            permit,
        };
        self.gateway.books.write(ended);
    }
}

impl Drop for CallLog {
    fn drop(&mut self) {
        // Many clients hang up behind the last event.
        let stage = if self.complete { Stage::Success } else { Stage::Cancelled };
        self.write(stage, None);
    }
}

/// The next bytes of an answer, and what comes behind them; none at the end.
type Step = Option<(Result<Vec<u8>, String>, Option<RelayedAnswer>)>;

/// The bytes of a provider's answer on their way to a client of the same protocol.
pub(super) struct RelayedAnswer {
    protocol: Protocol,
    body: RelayedBody,
    first: Option<Vec<u8>>,
    log: CallLog,
    watch: AnswerWatch,
    hider: Option<UsageHider>,
    /// Whether a failure in the middle is told as an event; else the answer breaks off.
    tells: bool,
    /// Whether what was handed on ends between two events.
    between: bool,
}

impl RelayedAnswer {
    pub(super) fn new(
        protocol: Protocol,
        body: RelayedBody,
        first: Option<Vec<u8>>,
        mut log: CallLog,
        watch: AnswerWatch,
    ) -> Self {
        log.began();
        let mut answer =
            Self { protocol, body, first, log, watch, hider: None, tells: false, between: true };
        answer.note();
        answer
    }

    /// Notes what the answer said so far.
    fn note(&mut self) {
        self.log.used(self.watch.usage());
        if self.watch.is_complete() && self.watch.failure().is_none() {
            self.log.completed();
        }
    }

    pub(super) fn hiding_usage(mut self, hide: bool) -> Self {
        self.hider = hide.then(UsageHider::default);
        self
    }

    pub(super) fn telling_failures(mut self, tells: bool) -> Self {
        self.tells = tells;
        self
    }

    pub(super) fn bytes(self) -> BoxStream<'static, Result<Vec<u8>, String>> {
        stream::unfold(Some(self), |relaying| async move { relaying?.next().await }).boxed()
    }

    async fn next(mut self) -> Step {
        loop {
            let piece = match self.first.take() {
                // It was looked at when it came.
                Some(first) => Some(Ok(first)),
                None => {
                    let left = self.log.time_left();
                    let Ok(piece) = tokio::time::timeout(left, self.body.next()).await else {
                        return self.broken("the answer takes longer than an hour".to_owned());
                    };
                    if let Some(Ok(bytes)) = &piece {
                        self.watch.see(bytes);
                        self.note();
                    }
                    piece
                }
            };
            match piece {
                Some(Ok(bytes)) => {
                    let bytes = match &mut self.hider {
                        Some(hider) => hider.push(&bytes),
                        None => bytes,
                    };
                    if !bytes.is_empty() {
                        self.between = [&b"\n\n"[..], b"\n\r\n", b"\r\r"]
                            .iter()
                            .any(|end| bytes.ends_with(end));
                        return Some((Ok(bytes), Some(self)));
                    }
                }
                Some(Err(failure)) => {
                    let words = failure.fault().message;
                    return self.broken(words);
                }
                None => return self.ended(),
            }
        }
    }

    /// The provider's answer broke off in the middle.
    fn broken(mut self, words: String) -> Step {
        self.watch.end();
        self.log.used(self.watch.usage());
        // Behind its end nothing is missed.
        if self.watch.is_complete() {
            return self.ended();
        }
        // Half an event is held back or was handed on: behind that nothing can be told.
        let tells = self.tells && self.between;
        self.log.end(Stage::Error, Some(words.clone()));
        let told = Problem::Upstream(words.clone()).event(self.protocol, "", 0);
        Some((if tells { Ok(told.into_bytes()) } else { Err(words) }, None))
    }

    fn ended(mut self) -> Step {
        self.watch.end();
        self.log.used(self.watch.usage());
        let rest = self.hider.take().map_or_else(Vec::new, |mut hider| hider.rest());
        let (stage, error) = match self.watch.failure() {
            Some(failure) => (Stage::Error, Some(failure.fault().message)),
            None if self.watch.is_complete() || !self.tells => (Stage::Success, None),
            None => (Stage::Error, Some("the answer has no end".to_owned())),
        };
        self.log.end(stage, error);
        (!rest.is_empty()).then_some((Ok(rest), None))
    }
}
