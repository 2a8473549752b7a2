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
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

use super::{Gateway, routes::Route};
use crate::AppError;

/// So many are written in one step at most.
const AT_ONCE: usize = 256;
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
        while receive.recv_many(&mut entries, AT_ONCE).await > 0 {
            let (mut ended, mut waiting) = (Vec::new(), Vec::new());
            for entry in entries.drain(..) {
                match entry {
                    Entry::Ended(one) => ended.push(*one),
                    Entry::Settle(done) => waiting.push(done),
                }
            }
            self.write_down(&ended).await;
            // Only now others may come instead: what is not written takes memory.
            ended.into_iter().for_each(|one| drop(one.permit));
            for done in waiting {
                let _ = done.send(());
            }
        }
    }

    async fn write_down(&self, ended: &[Ended]) {
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
        if let Err(error) = self.learn(ended).await {
            tracing::warn!(%error, "nothing was learned from calls");
        }
    }

    /// Calibration (EST-6), learned limits (CAT-3) and the usage log (VAL-4).
    async fn learn(&self, ended: &[Ended]) -> Result<(), AppError> {
        let mut routes: HashMap<String, Arc<Route>> = HashMap::new();
        let mut largest: HashMap<String, u64> = HashMap::new();
        for one in ended {
            let (route, usage) = (&one.route, one.receipt.usage);
            let model = &route.model.id;
            if let (Some(raw), Some(usage)) = (one.raw, usage) {
                let mut learned = route.learned.lock().unwrap_or_else(PoisonError::into_inner);
                learned.observe(raw, usage.prompt);
                routes.insert(model.clone(), Arc::clone(route));
                let most = largest.entry(model.clone()).or_default();
                *most = usage.prompt.max(*most);
            }
            if let Some(tokens) = one.stated_limit {
                self.learn_limit(route, tokens).await?;
            }
            if QuotaLimits::of(&route.model) != QuotaLimits::default() {
                let used = usage.map(|usage| usage.prompt.saturating_add(usage.completion));
                let tokens = used.unwrap_or(one.receipt.estimate);
                self.app.store.log_usage(model, UsageEntry { at: one.at, tokens }).await?;
            }
        }
        for (model, route) in routes {
            let reports: Vec<UsageReport> = route.learned().reports().iter().map(report).collect();
            let base_url = route.base_url();
            let name = route.reports_name();
            self.app.store.put_usage_reports(base_url, &name, &reports).await?;
            let most = largest.get(&model).copied().unwrap_or(0);
            self.app.store.note_prompt(base_url, &model, most).await?;
        }
        Ok(())
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
