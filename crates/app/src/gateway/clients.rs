//! Who asks, and how much they may (GWY-15).

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use plimsoll_gateway::Problem;
use plimsoll_store::ClientKey;
use plimsoll_tokens::{commas, dollars};

use super::{CallRefused, Gateway};
use crate::AppError;

/// What the keys of clients begin with, so that they are told from keys of providers.
pub const KEY_PREFIX: &str = "plimsoll-";

const MINUTE: Duration = Duration::from_secs(60);
/// The longest that a call waits for its turn where too many are under way.
const TURN: Duration = Duration::from_secs(30);

/// What is kept of a key. Keys are long and random, so that no slow hash is needed.
pub fn key_hash(key: &str) -> String {
    plimsoll_gateway::hash_of_key(key)
}

/// What clients are doing now.
#[derive(Default)]
pub(super) struct Clients(Arc<Mutex<HashMap<String, Doing>>>);

#[derive(Default)]
struct Doing {
    running: u64,
    /// What the calls that are under way weigh.
    tokens: u64,
    /// When the calls of the last minute began.
    begun: VecDeque<Instant>,
}

/// A call of a client that is under way.
pub(super) struct Running {
    all: Arc<Mutex<HashMap<String, Doing>>>,
    name: String,
    tokens: u64,
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(doing) = all.get_mut(&self.name) {
            doing.running = doing.running.saturating_sub(1);
            doing.tokens = doing.tokens.saturating_sub(self.tokens);
        }
    }
}

impl Clients {
    /// What the calls of a client weigh that are under way.
    fn tokens(&self, name: &str) -> u64 {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(name).map_or(0, |doing| doing.tokens)
    }

    /// Counts a call that begins, if it may.
    fn begin(&self, key: &ClientKey, tokens: u64) -> Result<Running, CallRefused> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let doing = all.entry(key.name.clone()).or_default();
        let now = Instant::now();
        while doing.begun.front().is_some_and(|at| now.duration_since(*at) >= MINUTE) {
            doing.begun.pop_front();
        }
        if let Some(most) = key.concurrent.filter(|most| doing.running >= *most) {
            let words = format!("this key may make {most} requests at the same time");
            return Err(too_much(words, Some(Duration::from_secs(1))));
        }
        if let Some(most) = key.requests_per_minute
            && doing.begun.len() as u64 >= most
        {
            let oldest = doing.begun.front().map_or(MINUTE, |at| MINUTE - now.duration_since(*at));
            let words = format!("this key may make {most} requests a minute");
            return Err(too_much(words, Some(oldest)));
        }
        // Only what is counted by the minute is remembered.
        if key.requests_per_minute.is_some() {
            doing.begun.push_back(now);
        }
        doing.running += 1;
        doing.tokens = doing.tokens.saturating_add(tokens);
        Ok(Running { all: Arc::clone(&self.0), name: key.name.clone(), tokens })
    }
}

fn too_much(words: String, retry_after: Option<Duration>) -> CallRefused {
    CallRefused { retry_after, ..CallRefused::from(Problem::Rate(words)) }
}

/// Whether a key may ask a model, by the name that was asked for or by its own.
pub(super) fn may_ask(key: &ClientKey, asked: &str, model: &str) -> Result<(), Problem> {
    if key.models.is_empty() || key.models.iter().any(|known| known == asked || known == model) {
        return Ok(());
    }
    let words = format!("this key may not ask '{model}'; it may ask {}", key.models.join(", "));
    Err(Problem::Forbidden(words))
}

impl Gateway {
    /// The client whose key this is.
    pub async fn client(&self, key: &str) -> Result<Option<Arc<ClientKey>>, AppError> {
        Ok(self.app.store.client_key_by_hash(&key_hash(key)).await?.map(Arc::new))
    }

    /// Lets a call in: within the limits of its key, and of all.
    pub(super) async fn let_in(
        &self,
        client: Option<&ClientKey>,
        estimate: u64,
    ) -> Result<(Option<Running>, tokio::sync::OwnedSemaphorePermit), CallRefused> {
        let running = match client {
            Some(key) => {
                // It counts while it is looked at, so that two do not both find room.
                let running = self.clients.begin(key, estimate)?;
                self.within_budget(key).await?;
                Some(running)
            }
            None => None,
        };
        let turn = Arc::clone(&self.room).acquire_owned();
        match tokio::time::timeout(TURN, turn).await {
            Ok(Ok(permit)) => Ok((running, permit)),
            _ => {
                let words = "too many requests of other programs are under way".to_owned();
                Err(too_much(words, Some(Duration::from_secs(5))))
            }
        }
    }

    /// Counters are read from the store, and those of the newest calls are waited for.
    async fn within_budget(&self, key: &ClientKey) -> Result<(), CallRefused> {
        if key.tokens_per_day.is_none() && key.cost_per_month.is_none() {
            return Ok(());
        }
        self.settle().await;
        let used = self.app.store.client_use(&key.name, self.app.clock.now()).await;
        let used = used.map_err(|error| Problem::Upstream(error.to_string()))?;
        let under_way = self.clients.tokens(&key.name);
        if let Some(most) = key.tokens_per_day
            && used.tokens_today.saturating_add(under_way) > most
        {
            let words = format!(
                "this key may use {} tokens a day; {} are used, and what it asks now has about {}",
                commas(most),
                commas(used.tokens_today),
                commas(under_way)
            );
            return Err(CallRefused::from(Problem::Quota(words)));
        }
        if let Some(most) = key.cost_per_month.filter(|most| used.cost_of_month >= *most) {
            let words = format!(
                "this key may cost {} in thirty days, and has cost {}",
                dollars(most),
                dollars(used.cost_of_month)
            );
            return Err(CallRefused::from(Problem::Quota(words)));
        }
        Ok(())
    }
}
