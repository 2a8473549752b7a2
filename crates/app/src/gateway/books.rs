//! The books of the gateway: what came of each call is written behind the answer, many at a time,
//! and what providers report is learned from.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use plimsoll_budget::{LearnedLimit, QuotaLimits, WindowSource};
use plimsoll_domain::Timestamp;
use plimsoll_gateway::CallReceipt;
use plimsoll_store::{GatewayCall, UsageEntry, UsageReport};
use plimsoll_tokens::{RawTokens, Report};
use tokio::{
    sync::{OwnedSemaphorePermit, mpsc, oneshot},
    time::{Instant, timeout_at},
};

use super::{
    Gateway,
    routes::{Counted, Route},
};
use crate::AppError;

/// So many are written in one step at most; fewer than may be under way.
const AT_ONCE: usize = 128;
/// So long is waited for more of them.
const GATHER: Duration = Duration::from_millis(20);
/// What was learned is kept at the latest after so long.
const KEEP: Duration = Duration::from_secs(1);
/// A store that takes nothing is asked again after this, so often.
const PAUSE: Duration = Duration::from_millis(500);
const TRIES: u32 = 20;

/// A call that has ended.
pub(super) struct Ended {
    pub(super) receipt: CallReceipt,
    pub(super) at: Timestamp,
    pub(super) route: Arc<Route>,
    /// What was weighed, where the report tells something about it.
    pub(super) raw: Option<RawTokens>,
    /// The limit that the provider stated.
    pub(super) stated_limit: Option<u64>,
    /// Its place among those that are under way: given back when it is written.
    pub(super) permit: OwnedSemaphorePermit,
}

enum Entry {
    Ended(Box<Ended>),
    /// Somebody wants to know when all before this are written.
    Settle(oneshot::Sender<()>),
}

pub(super) struct Books {
    send: mpsc::UnboundedSender<Entry>,
    /// Taken by whoever keeps the books.
    receive: Mutex<Option<mpsc::UnboundedReceiver<Entry>>>,
}

impl Default for Books {
    fn default() -> Self {
        // It holds no more than may be under way: each has its permit.
        let (send, receive) = mpsc::unbounded_channel();
        Self { send, receive: Mutex::new(Some(receive)) }
    }
}

impl Books {
    pub(super) fn write(&self, ended: Ended) {
        // Without anybody who keeps the books nothing can be written.
        let _ = self.send.send(Entry::Ended(Box::new(ended)));
    }
}

impl Gateway {
    /// Waits until what has ended is written.
    pub async fn settle(&self) {
        let (done, written) = oneshot::channel();
        if self.books.send.send(Entry::Settle(done)).is_ok() {
            // Nobody keeps the books any more: there is nothing to wait for.
            let _ = written.await;
        }
    }

    /// Writes what comes of calls, until it is dropped.
    pub async fn keep_books(&self) {
        let receive = self.books.receive.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut receive) = receive else { return };
        let mut entries = Vec::with_capacity(AT_ONCE);
        let mut taught = Taught::default();
        loop {
            // What was learned is known at once, and kept a little later.
            let wait = taught.due();
            let received = tokio::time::timeout(wait, receive.recv_many(&mut entries, AT_ONCE));
            match received.await {
                Ok(0) => return,
                Ok(_) => gather(&mut receive, &mut entries).await,
                Err(_) => {
                    self.keep_reports(&mut taught).await;
                    continue;
                }
            }
            let (mut ended, mut waiting) = (Vec::new(), Vec::new());
            for entry in entries.drain(..) {
                match entry {
                    Entry::Ended(one) => ended.push(*one),
                    Entry::Settle(done) => waiting.push(done),
                }
            }
            self.write_down(&ended, &mut taught).await;
            // Only now others may come instead: what is not written takes memory.
            ended.into_iter().for_each(|one| drop(one.permit));
            if !waiting.is_empty() {
                self.keep_reports(&mut taught).await;
            }
            for done in waiting {
                let _ = done.send(());
            }
        }
    }

    async fn write_down(&self, ended: &[Ended], taught: &mut Taught) {
        if ended.is_empty() {
            return;
        }
        let rows: Vec<GatewayCall> = ended.iter().map(row).collect();
        for tries in 1.. {
            let Err(error) = self.app.store.put_gateway_calls(&rows).await else { break };
            tracing::warn!(%error, calls = rows.len(), tries, "calls cannot be written down");
            if tries == TRIES {
                return;
            }
            tokio::time::sleep(PAUSE).await;
        }
        // What these calls could not teach, the next ones do.
        if let Err(error) = self.learn(ended, taught).await {
            tracing::warn!(%error, "nothing was learned from calls");
        }
    }

    /// Learned limits (CAT-3), the usage log (VAL-4), and calibration (EST-6) for the calls that
    /// come next.
    async fn learn(&self, ended: &[Ended], taught: &mut Taught) -> Result<(), AppError> {
        let mut told: Vec<(&Arc<Route>, Vec<Counted>)> = Vec::new();
        for one in ended {
            let (route, usage) = (&one.route, one.receipt.usage);
            if let (Some(raw), Some(usage)) = (one.raw, usage) {
                match told.iter_mut().find(|(known, _)| Arc::ptr_eq(known, route)) {
                    Some((_, reports)) => reports.push((raw, usage.prompt)),
                    None => told.push((route, vec![(raw, usage.prompt)])),
                }
            }
            if let Some(tokens) = one.stated_limit {
                self.learn_limit(route, tokens).await?;
            }
            if QuotaLimits::of(&route.model) != QuotaLimits::default() {
                let used = usage.map(|usage| usage.prompt.saturating_add(usage.completion));
                let entry = UsageEntry { at: one.at, tokens: used.unwrap_or(one.receipt.estimate) };
                self.app.store.log_usage(&route.model.id, entry).await?;
            }
        }
        for (route, reports) in told {
            route.learn(&reports);
            let largest = reports.iter().map(|(_, prompt)| *prompt).max().unwrap_or(0);
            taught.add(route, largest);
        }
        Ok(())
    }

    async fn keep_reports(&self, taught: &mut Taught) {
        for (route, largest) in taught.take() {
            let reports: Vec<UsageReport> = route.reports().reports().iter().map(report).collect();
            let (base_url, name) = (route.base_url(), route.reports_name());
            let kept = async {
                self.app.store.put_usage_reports(base_url, &name, &reports).await?;
                self.app.store.note_prompt(base_url, &route.model.id, largest).await
            };
            if let Err(error) = kept.await {
                tracing::warn!(%error, "what was learned from calls cannot be kept");
            }
        }
    }

    async fn learn_limit(&self, route: &Route, tokens: u64) -> Result<(), AppError> {
        let model = &route.model;
        let users_own = model.window_source == WindowSource::User && model.context_window.is_some();
        let largest = self.app.store.largest_prompt(route.base_url(), &model.id).await?;
        if users_own || largest.is_some_and(|largest| tokens < largest) {
            return Ok(());
        }
        let learned = LearnedLimit { tokens, learned_at: self.app.clock.now() };
        self.app.store.put_learned_limit(route.base_url(), &model.id, learned).await?;
        self.app.reconsider();
        Ok(())
    }
}

/// Waits a moment for others that end now: many are written as fast as one.
async fn gather(receive: &mut mpsc::UnboundedReceiver<Entry>, entries: &mut Vec<Entry>) {
    let until = Instant::now() + GATHER;
    let waits = |entries: &[Entry]| entries.iter().any(|one| matches!(one, Entry::Settle(_)));
    while entries.len() < AT_ONCE && !waits(entries) {
        let room = AT_ONCE - entries.len();
        match timeout_at(until, receive.recv_many(entries, room)).await {
            Ok(1..) => {}
            Ok(0) | Err(_) => return,
        }
    }
}

/// Models that taught something which is not kept yet, each with its largest prompt.
#[derive(Default)]
struct Taught {
    routes: HashMap<String, (Arc<Route>, u64)>,
    since: Option<Instant>,
}

impl Taught {
    fn add(&mut self, route: &Arc<Route>, largest: u64) {
        self.since.get_or_insert_with(Instant::now);
        let name = format!("{} {}", route.base_url(), route.model.id);
        let known = self.routes.entry(name).or_insert_with(|| (Arc::clone(route), 0));
        *known = (Arc::clone(route), known.1.max(largest));
    }

    /// How long there is time to keep it.
    fn due(&self) -> Duration {
        let never = Duration::from_secs(24 * 60 * 60);
        self.since.map_or(never, |since| KEEP.saturating_sub(since.elapsed()))
    }

    fn take(&mut self) -> Vec<(Arc<Route>, u64)> {
        self.since = None;
        std::mem::take(&mut self.routes).into_values().collect()
    }
}

fn report(report: &Report) -> UsageReport {
    let Report { raw: RawTokens { text, overhead }, reported } = *report;
    UsageReport { text, overhead, reported }
}

fn row(ended: &Ended) -> GatewayCall {
    let receipt = &ended.receipt;
    GatewayCall {
        id: receipt.id,
        at: ended.at,
        client: receipt.client.clone(),
        project: receipt.project.clone(),
        protocol: receipt.protocol.clone(),
        model: receipt.model.clone(),
        stage: receipt.stage.clone(),
        estimate: receipt.estimate,
        usage: receipt.usage,
        cost: receipt.cost,
        left_out: (receipt.left_out.exchanges + receipt.left_out.rounds) as u64,
        body: serde_json::to_string(receipt).unwrap_or_default(),
    }
}
