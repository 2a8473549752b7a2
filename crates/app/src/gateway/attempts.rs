//! Making a client's call: the machine of every send says what to do, this does it.

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::StreamExt;
use plimsoll_budget::ClientOverBudget;
use plimsoll_domain::{ReceiptId, Timestamp};
use plimsoll_fault::{Fault, Label, ProviderFailure};
use plimsoll_gateway::{
    AnswerWriter, Changes, ClientRequest, Dropped, Head, Problem, Refusal, Translated, read,
    translate,
};
use plimsoll_provider::{AnswerWatch, Delta, RelayRequest, Relayed};
use plimsoll_send::{AttemptMachine, Effect, Event, Stage};

use super::{
    CallHead, CallRefused, ClientAnswer, ClientCall, Gateway,
    answers::{CallLog, RelayedAnswer},
    looking,
    plan::{Planned, path},
    translated::Asked,
};

/// A call on its way.
struct Making<'a> {
    call: &'a ClientCall,
    request: &'a ClientRequest<'a>,
    planned: &'a Planned,
    log: CallLog,
    head: CallHead,
    created: Timestamp,
}

impl Gateway {
    /// Makes a client's call.
    pub async fn call(self: &Arc<Self>, call: ClientCall) -> Result<ClientAnswer, CallRefused> {
        let started = Instant::now();
        let request = looking(&call.text, || read(call.protocol, &call.text));
        let request = request.map_err(Problem::Refused)?;
        let streamed = request.stream;
        let made = self.make(&call, &request, started).await;
        made.map_err(|refused| CallRefused { streamed, ..refused })
    }

    async fn make(
        self: &Arc<Self>,
        call: &ClientCall,
        request: &ClientRequest<'_>,
        started: Instant,
    ) -> Result<ClientAnswer, CallRefused> {
        let planned = self.plan(call, request).await?;
        let (running, permit) = self.let_in(call.client.as_deref(), planned.estimate).await?;
        let created = self.app.clock.now();
        let id = ReceiptId::new(created, self.app.chance.bytes());
        let log = CallLog::begin(self, id, call, request, &planned, (running, permit), started);
        let mut head = CallHead {
            receipt: id,
            model: planned.route.model.id.clone(),
            window: planned.route.limit.tokens,
            estimate: planned.estimate,
            basis: planned.basis.name(),
            trimmed_exchanges: 0,
            trimmed_rounds: 0,
            trimmed_tokens: 0,
            attempts: 0,
            over: planned.over(),
            over_quota: None,
            partial: planned.partial,
            passed_over: Vec::new(),
        };
        let refuse = |mut log: CallLog, head: CallHead, refused: CallRefused, stage: Stage| {
            // What was too heavy is told part by part.
            log.weigh_parts(request, &planned);
            log.end(stage, Some(refused.problem.message(call.protocol)));
            Err(CallRefused { head: Some(Box::new(head)), ..refused })
        };
        let too_large = match planned.policy {
            ClientOverBudget::Block => planned.to_fit != Some(0),
            ClientOverBudget::Fit => planned.to_fit.is_none(),
            ClientOverBudget::Pass | ClientOverBudget::Trim => false,
        };
        if too_large {
            let refused = CallRefused {
                suggestions: planned.suggestions(),
                ..CallRefused::from(planned.overflow())
            };
            return refuse(log, head, refused, Stage::PromptTooLarge);
        }
        match self.quota(&planned).await {
            Ok(Some(over)) if planned.policy == ClientOverBudget::Pass => {
                head.over_quota = Some(over.to_string());
            }
            Ok(Some(over)) => {
                let problem = Problem::Rate(over.to_string());
                let refused = CallRefused { retry_after: over.after, ..CallRefused::from(problem) };
                return refuse(log, head, refused, Stage::Error);
            }
            Ok(None) => {}
            Err(problem) => return refuse(log, head, problem.into(), Stage::Error),
        }
        let same = planned.route.takes(call.protocol);
        if let Some(name) = request.stateful.first().filter(|_| !same) {
            let words = format!(
                "'{name}' needs a provider that speaks this protocol itself; '{}' is asked in another one",
                planned.route.model.id
            );
            let problem = Problem::Refused(Refusal::of(*name, words));
            return refuse(log, head, problem.into(), Stage::Error);
        }
        Making { call, request, planned: &planned, log, head, created }.attempts(self, same).await
    }
}

impl Making<'_> {
    /// Runs the machine until an answer has begun, or it is over.
    async fn attempts(
        mut self,
        gateway: &Arc<Gateway>,
        same: bool,
    ) -> Result<ClientAnswer, CallRefused> {
        let settings = gateway.app.settings();
        let bound = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let plan = self.planned.attempts(
            bound(settings.retries()),
            bound(settings.max_trim_attempts()),
            settings.smart_trim(),
        );
        let (mut machine, effects) = AttemptMachine::start(plan);
        let mut effects = VecDeque::from(effects);
        let mut last: Option<(Fault, ProviderFailure)> = None;
        while let Some(effect) = effects.pop_front() {
            match effect {
                Effect::Call { record, .. } => {
                    let dropped = self.planned.dropped(record.trimmed_count);
                    self.count(&dropped);
                    let begun = match same {
                        true => self.relay(&dropped).await,
                        false => match self.translate(&dropped) {
                            Ok(translated) => self.ask(translated).await,
                            Err(problem) => return Err(self.refused(problem.into(), Stage::Error)),
                        },
                    };
                    let failure = match begun {
                        Ok(begun) => return self.answer(begun).await,
                        Err(failure) => failure,
                    };
                    let fault = failure.fault();
                    self.log.failed(&fault);
                    // Nothing of a request is ever touched unless somebody wants that.
                    let touches = matches!(
                        self.planned.policy,
                        ClientOverBudget::Trim | ClientOverBudget::Fit
                    );
                    // Who waited so long for nothing does not wait as long again.
                    if failure.is_late() {
                        return Err(self.failed(fault, &failure, Stage::Error));
                    }
                    if fault.shrink_helps() && !touches {
                        self.learn_limit(&fault);
                        return Err(self.failed(fault, &failure, Stage::Error));
                    }
                    // How long an answer may be is the client's to say.
                    let label = if fault.shrink_helps() { Label::Overflow } else { fault.label };
                    let event = Fault { label, subkind: None, ..fault.clone() };
                    last = Some((fault, failure));
                    effects.extend(machine.on(Event::Failed(event)));
                }
                Effect::Wait { at_least, at_most } => {
                    let more = (at_most - at_least).mul_f64(gateway.app.chance.fraction());
                    tokio::time::sleep(at_least + more).await;
                    effects.extend(machine.on(Event::WaitOver));
                }
                Effect::LearnLimit(limit) => self.log.stated_limit(limit),
                Effect::Record(_) => {}
                Effect::Done(_) => break,
            }
        }
        let (fault, failure) = last.unwrap_or_else(|| {
            let failure = ProviderFailure::default();
            (failure.fault(), failure)
        });
        let stage = match fault.label {
            Label::Overflow | Label::OverflowOutput => Stage::OverflowExhausted,
            _ => Stage::Error,
        };
        Err(self.failed(fault, &failure, stage))
    }

    /// What the machine would learn from an overflow (CAT-3), where it is not asked.
    fn learn_limit(&mut self, fault: &Fault) {
        let known = &self.planned.route.limit;
        let is_news = |limit: &u64| *limit < known.tokens || !known.binds.is_stated();
        if let Some(limit) = fault.limit.filter(|limit| *limit > 0).filter(is_news) {
            self.log.stated_limit(limit);
        }
    }

    /// One more attempt, without what was left out of it.
    fn count(&mut self, dropped: &Dropped) {
        self.head.attempts += 1;
        self.head.trimmed_exchanges = dropped.exchanges;
        self.head.trimmed_rounds = dropped.rounds;
        self.head.trimmed_tokens = self.planned.correction.apply(dropped.tokens);
        self.head.estimate = self.planned.estimate_without(dropped);
        self.log.attempt(self.planned, dropped, self.head.attempts, self.head.estimate);
    }

    /// Hands the client's own text on (GWY-3).
    async fn relay(&mut self, dropped: &Dropped) -> Result<Begun, ProviderFailure> {
        let (request, route) = (self.request, &self.planned.route);
        let mut changes = Changes::default();
        if route.renamed {
            changes.model(request, &route.connection.model);
        }
        changes.without(request, &dropped.items);
        let wants_usage = changes.ask_for_usage(request);
        let body = changes.apply(request.text).into_bytes();
        let relay = RelayRequest {
            path: path(self.call.protocol),
            model: route.connection.model.clone(),
            headers: self.call.headers.clone(),
            kind: "application/json".to_owned(),
            streamed: request.stream,
            body,
            // A key goes where its owner wanted to ask, and not where another name leads.
            key: self.call.key.clone().filter(|_| !route.renamed),
        };
        let Some(relaying) = route.connection.provider.relay(relay) else {
            let body = format!("{} takes no requests as they are", route.model.provider);
            return Err(ProviderFailure { body, ..ProviderFailure::default() });
        };
        // The hashes of the receipt are made while the provider is at work.
        let parts = async { self.log.weigh_parts(request, self.planned) };
        let (relayed, ()) = tokio::join!(relaying, parts);
        let mut relayed = relayed?;
        let mut watch = AnswerWatch::new(self.call.protocol);
        let first = relayed.body.next().await.transpose()?;
        if let Some(bytes) = &first {
            watch.see(bytes);
        }
        // A provider may begin well and say at once that it failed.
        if let Some(failure) = watch.failure() {
            return Err(failure.clone());
        }
        Ok(Begun::Relayed { relayed, first, watch, hide_usage: !wants_usage })
    }

    /// The request in the words of a provider that speaks another protocol (GWY-4).
    fn translate(&mut self, dropped: &Dropped) -> Result<Translated, Problem> {
        self.log.weigh_parts(self.request, self.planned);
        let (route, lossy) = (&self.planned.route, self.call.lossy);
        let provider = &*route.connection.provider;
        let translated = looking(self.request.text, || {
            translate(self.request, &dropped.items, &route.connection.model, lossy)
        });
        let translated = translated.and_then(|translated| translated.told_to(provider, lossy));
        let mut translated = translated.map_err(Problem::Refused)?;
        // Where the provider wants a limit and the client set none, the model's own is one.
        if let (None, Some(usual)) = (translated.request.max_output, provider.required_max_output())
        {
            translated.request.max_output = Some(route.model.max_output.unwrap_or(usual));
        }
        self.log.passed_over(&translated.passed_over);
        self.head.passed_over.clone_from(&translated.passed_over);
        Ok(translated)
    }

    async fn ask(&mut self, translated: Translated) -> Result<Begun, ProviderFailure> {
        let provider = &self.planned.route.connection.provider;
        let request = translated.request;
        let mut stream = provider.answer(&request, provider.encode(&request));
        let first = loop {
            match stream.next().await {
                // A model is being loaded, and will answer.
                Some(Ok(Delta::Loading)) => {}
                Some(Ok(delta)) => break Some(delta),
                Some(Err(failure)) => return Err(failure),
                None => break None,
            }
        };
        let seconds = u64::try_from(self.created.millis() / 1000).unwrap_or(0);
        let id = self.head.receipt.to_string();
        let head = Head::of(self.request, &id, seconds, self.head.estimate);
        let writer = AnswerWriter::new(self.call.protocol, head);
        let (protocol, streamed) = (self.call.protocol, self.request.stream);
        Ok(Begun::Asked(Asked { protocol, stream, first, writer, streamed }))
    }

    async fn answer(self, begun: Begun) -> Result<ClientAnswer, CallRefused> {
        let Making { log, head, call, request, .. } = self;
        match begun {
            Begun::Relayed { relayed, first, watch, hide_usage } => {
                let Relayed { status, headers, body } = relayed;
                let streamed = request.stream;
                let relaying = RelayedAnswer::new(call.protocol, body, first, log, watch)
                    .hiding_usage(hide_usage && streamed)
                    .telling_failures(streamed);
                let bytes = relaying.bytes();
                Ok(ClientAnswer {
                    head,
                    body: super::AnswerBody::Relayed { status, headers, bytes },
                })
            }
            Begun::Asked(asked) => asked.answer(log, head).await,
        }
    }

    fn refused(self, refused: CallRefused, stage: Stage) -> CallRefused {
        self.log.end(stage, Some(refused.problem.message(self.call.protocol)));
        CallRefused { head: Some(Box::new(self.head)), ..refused }
    }

    /// The provider failed for good.
    fn failed(self, fault: Fault, failure: &ProviderFailure, stage: Stage) -> CallRefused {
        let planned = self.planned;
        let problem = Problem::of(&fault, self.head.estimate, planned.route.limit.tokens);
        let overflow = matches!(problem, Problem::Overflow { .. });
        let same = planned.route.takes(self.call.protocol);
        // What a provider of the same protocol says is said in its own words, but for an overflow,
        // of which each has words of its own.
        let told = failure.status.filter(|_| same && !overflow && is_error(&failure.body));
        let refused = CallRefused {
            verbatim: told.map(|status| Box::new((status, failure.body.clone()))),
            retry_after: fault.retry_after.or_else(|| retry_after(failure)),
            suggestions: if overflow { planned.suggestions() } else { Vec::new() },
            ..CallRefused::from(problem)
        };
        self.refused(refused, stage)
    }
}

pub(super) fn is_error(body: &str) -> bool {
    plimsoll_domain::json_is_bounded(body.as_bytes())
        && serde_json::from_str::<serde_json::Value>(body)
            .is_ok_and(|value| value.get("error").is_some_and(|error| !error.is_null()))
}

fn retry_after(failure: &ProviderFailure) -> Option<Duration> {
    let found = failure.headers.iter().find(|(name, _)| name == "retry-after");
    found.and_then(|(_, value)| value.parse().ok()).map(Duration::from_secs)
}

/// An answer that has begun.
pub(super) enum Begun {
    Relayed {
        relayed: Relayed,
        first: Option<Vec<u8>>,
        watch: AnswerWatch,
        /// Whether the client did not ask for the usage.
        hide_usage: bool,
    },
    Asked(Asked),
}
