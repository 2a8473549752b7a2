//! What came of a client's call (GWY-9): weights by part and hashes, and none of its texts.

use plimsoll_domain::{ReceiptId, Usage};
use plimsoll_send::{Timings, TruncationSeen};
use plimsoll_tokens::{Band, Correction, RawTokens};
use serde::{Deserialize, Serialize};

use crate::{
    fit::Dropped,
    reading::{ClientRequest, Kind},
    weigh::Weight,
};

/// One part of a request: what it is, what it weighs, and a hash by which it is known again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartRecord {
    /// `instructions`, `tool`, `user`, `assistant`, `reasoning` or `result`.
    pub kind: String,
    /// The name of a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub tokens: u64,
    /// BLAKE3 of the part as the client wrote it, the first half.
    pub hash: String,
    /// Whether it was left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left_out: bool,
}

/// What was left out of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub exchanges: usize,
    /// Rounds of the newest exchange.
    pub rounds: usize,
    pub tokens: u64,
}

/// What came of a client's call, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallReceipt {
    pub id: ReceiptId,
    /// The name of the client's key; none for the account that the server runs as.
    pub client: Option<String>,
    /// The project that it is counted in, where a team uses the server (TEA-10).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The protocol that the client spoke.
    pub protocol: String,
    /// The model as the client named it, and the one that was asked.
    pub asked_model: String,
    pub model: String,
    /// Where that is.
    pub server: String,
    /// Whether the client's own text went there.
    pub same_protocol: bool,
    /// What was to happen to it if it was too large.
    pub over_budget: String,
    pub window: u64,
    /// The weight of what was sent last, by estimate.
    pub estimate: u64,
    pub basis: String,
    pub band: Band,
    /// Whether earlier turns are known to the provider alone, and not weighed here.
    pub partial: bool,
    pub parts: Vec<PartRecord>,
    pub left_out: LeftOut,
    /// Parameters that have no counterpart at the provider and were passed over.
    pub passed_over: Vec<String>,
    pub attempts: u32,
    /// What each attempt that failed failed with.
    pub failures: Vec<String>,
    /// How it ended, in the words of REC-1.
    pub stage: String,
    pub error: Option<String>,
    pub streamed: bool,
    /// The bytes that the client sent.
    pub request_bytes: usize,
    pub usage: Option<Usage>,
    pub cost: Option<f64>,
    pub estimate_error_percent: Option<f64>,
    /// Whether the server read far less than was sent (REC-2b).
    pub truncation: Option<TruncationSeen>,
    pub timings: Timings,
}

/// The parts of a request, each weighed.
pub fn parts(
    request: &ClientRequest<'_>,
    weight: &Weight,
    correction: Correction,
) -> Vec<PartRecord> {
    let part = |kind: &str, tokens: RawTokens, text: &str| PartRecord {
        kind: kind.to_owned(),
        name: None,
        tokens: correction.apply(tokens),
        hash: hash(text),
        left_out: false,
    };
    let mut parts = Vec::with_capacity(1 + request.tools.len() + request.items.len());
    if weight.instructions.total() > 0 {
        let said: String = request.instructions.iter().map(|content| content.text()).collect();
        parts.push(part("instructions", weight.instructions, &said));
    }
    for (tool, tokens) in request.tools.iter().zip(&weight.tools) {
        let name = Some(tool.name.clone().into_owned());
        parts.push(PartRecord { name, ..part("tool", (*tokens).into(), tool.json) });
    }
    for (item, tokens) in request.items.iter().zip(&weight.items) {
        let text = request.text.get(item.at.clone()).unwrap_or_default();
        parts.push(part(kind_name(item.kind), *tokens, text));
    }
    parts
}

/// Marks the items that were left out.
pub fn mark_left_out(parts: &mut [PartRecord], items: usize, dropped: &Dropped) {
    let first = parts.len().saturating_sub(items);
    for at in &dropped.items {
        if let Some(part) = parts.get_mut(first + at) {
            part.left_out = true;
        }
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Instructions => "instructions",
        Kind::User => "user",
        Kind::Assistant => "assistant",
        Kind::Reasoning => "reasoning",
        Kind::Result => "result",
    }
}

fn hash(text: &str) -> String {
    let mut hex = blake3::hash(text.as_bytes()).to_hex().to_string();
    hex.truncate(32);
    hex
}

/// What is kept of a client's key.
pub fn hash_of_key(key: &str) -> String {
    blake3::hash(key.as_bytes()).to_hex().to_string()
}
