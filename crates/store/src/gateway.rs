//! Calls of other people's programs through the gateway, and the keys of those programs (GWY-9,
//! GWY-15).

use plimsoll_domain::{ReceiptId, Timestamp, Usage};

use crate::sql::gateway;

/// A call as it is kept: what lists and limits need in columns, and all of it in the body.
#[derive(Clone, Debug, PartialEq)]
pub struct GatewayCall {
    pub id: ReceiptId,
    /// When it ended.
    pub at: Timestamp,
    /// The name of the client's key; none for the account that the server runs as.
    pub client: Option<String>,
    /// The project that it is counted in, where the client is somebody of a team; not read back.
    pub project: Option<String>,
    pub protocol: String,
    pub model: String,
    /// How it ended, in the words of REC-1.
    pub stage: String,
    /// Its weight by estimate, in tokens.
    pub estimate: u64,
    /// What the provider said it used.
    pub usage: Option<Usage>,
    /// What it cost, in US dollars, where the price is known.
    pub cost: Option<f64>,
    /// How many exchanges and rounds were left out.
    pub left_out: u64,
    /// The receipt as JSON; empty in lists.
    pub body: String,
}

/// A key for a client's program, with what it may do.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientKey {
    pub name: String,
    /// The key itself is not kept.
    pub hash: String,
    pub created_at: Timestamp,
    /// The models that it may ask; all, if none is named.
    pub models: Vec<String>,
    pub tokens_per_day: Option<u64>,
    /// In US dollars, over the last thirty days.
    pub cost_per_month: Option<f64>,
    pub requests_per_minute: Option<u64>,
    /// Calls at the same time.
    pub concurrent: Option<u64>,
    /// What happens to requests that are too large (GWY-7), where that is settled for it.
    pub over_budget: Option<String>,
}

/// What a client used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClientUse {
    pub calls_today: u64,
    pub tokens_today: u64,
    /// In US dollars, of the last thirty days.
    pub cost_of_month: f64,
}

jobs! {
    pub trait Gateway {
        /// Keeps calls, and counts what their clients used, in one step.
        write_lazily put_gateway_calls(calls: &[GatewayCall]) -> () = gateway::put_calls;

        /// One call, with its body.
        read gateway_call(id: ReceiptId) -> Option<GatewayCall> = gateway::call;

        /// The newest calls without their bodies, newest first.
        read gateway_calls(limit: u64) -> Vec<GatewayCall> = gateway::calls;

        /// The newest calls of one client without their bodies, newest first.
        read gateway_calls_of(client: &str, limit: u64) -> Vec<GatewayCall> = gateway::calls_of;

        /// Keeps a key; says whether its name was free.
        write add_client_key(key: &ClientKey) -> bool = gateway::add_key;

        /// Takes a key back; says whether there was one. What it used is still known.
        write remove_client_key(name: &str) -> bool = gateway::remove_key;

        /// All keys, by name.
        read client_keys() -> Vec<ClientKey> = gateway::keys;

        read client_key_by_hash(hash: &str) -> Option<ClientKey> = gateway::key_by_hash;

        /// What a client used, at this time.
        read client_use(name: &str, now: Timestamp) -> ClientUse = gateway::used;
    }
}
