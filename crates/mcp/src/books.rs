//! What is kept about a client from call to call.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use plimsoll_domain::Timestamp;
use plimsoll_memory::{Ledger, StartedSessions};

use crate::Server;

/// After so many milliseconds without a request a client that has no connection begins anew:
/// as long as a session over HTTP may be silent.
const SILENCE: i64 = 4 * 60 * 60 * 1000;

/// So many clients without a connection are told apart.
const MOST_CLIENTS: usize = 256;

/// What a connection keeps from call to call.
#[derive(Clone, Default)]
pub(crate) struct Books {
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) started: Arc<StartedSessions>,
}

/// The books of clients that have no connection, by what they call themselves. Without that a
/// session budget would be one for all of them, for ever.
#[derive(Default)]
pub(crate) struct Stateless {
    started: Arc<StartedSessions>,
    clients: Mutex<HashMap<String, Client>>,
}

struct Client {
    ledger: Arc<Ledger>,
    last_seen: Timestamp,
}

impl Stateless {
    /// The books of a client, begun anew after a long silence.
    pub(crate) fn books(&self, server: &Server, name: &str, now: Timestamp) -> Books {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|_, client| now.millis() - client.last_seen.millis() < SILENCE);
        if clients.len() >= MOST_CLIENTS && !clients.contains_key(name) {
            let oldest = clients.iter().min_by_key(|(_, client)| client.last_seen);
            let oldest = oldest.map(|(name, _)| name.clone()).unwrap_or_default();
            clients.remove(&oldest);
        }
        let client = clients
            .entry(name.to_owned())
            .or_insert_with(|| Client { ledger: Arc::new(server.ledger()), last_seen: now });
        client.last_seen = now;
        Books { ledger: Arc::clone(&client.ledger), started: Arc::clone(&self.started) }
    }
}
