//! The receipt of a send (REC-2): its attempts, what it used, cost and took.

use plimsoll_budget::Model;
use plimsoll_domain::{FileId, PairId, ReceiptId, Usage};
use plimsoll_send::{AttemptRecord, Counter, Stage, TruncationSeen};
use plimsoll_tokens::{Band, Basis};
use serde_json::{Value, json};

/// What a receipt says of the first request of a send and of what the sender saw (PAY-6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Comparison {
    /// The sender did not say what it saw.
    #[default]
    NotCompared,
    /// It was compared, and it was the same.
    Same,
    /// It was the same when it was sent; then it waited for its turn, and went with what was
    /// visible when that came (PAY-1).
    ChangedWhileWaiting,
}

impl Comparison {
    const ALL: [Self; 3] = [Self::NotCompared, Self::Same, Self::ChangedWhileWaiting];

    /// As receipts keep it.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotCompared => "not compared",
            Self::Same => "compared",
            Self::ChangedWhileWaiting => "changed while it waited",
        }
    }

    /// What a kept receipt says; one from before it was kept says nothing.
    pub fn of_receipt(body: &Value) -> Self {
        let kept = body["seen"].as_str();
        Self::ALL.into_iter().find(|one| Some(one.name()) == kept).unwrap_or_default()
    }
}

/// What came of a send.
#[derive(Clone, Debug)]
pub struct Receipt {
    pub id: ReceiptId,
    /// The pair that was sent.
    pub pair: PairId,
    /// The model that it went to.
    pub model: String,
    /// Every attempt, in order.
    pub attempts: Vec<AttemptRecord>,
    /// What the provider said it used, all calls together.
    pub usage: Option<Usage>,
    /// The prompt of the first call: what was estimated before the send.
    pub first_prompt: Option<u64>,
    /// How often a tool was called (PRV-5).
    pub tool_calls: usize,
    /// What it cost in US dollars, where the price is known.
    pub cost: Option<f64>,
    /// Milliseconds to the first text.
    pub first_text_ms: Option<u64>,
    /// Milliseconds in all.
    pub total_ms: u64,
    pub estimator: &'static str,
    /// What the estimate rests on (EST-9).
    pub basis: Basis,
    /// What of it estimates misjudge by far.
    pub odd_tokens: u64,
    /// BLAKE3 over the history that was sent last (PAY-5).
    pub history_hash: String,
    /// The bytes of the last request.
    pub request_bytes: usize,
    /// Files that were taken away during the send and went along no longer (PAY-1).
    pub detached: Vec<FileId>,
    /// How what was sent first compares with what the sender saw (PAY-6).
    pub compared: Comparison,
    /// Whether the server read far less than was sent (REC-2b).
    pub truncation: Option<TruncationSeen>,
    /// `X / Y`, or `[X-T]/Y` after a trim (REC-3).
    pub counter: Counter,
    /// The limit that the last overflow stated.
    pub stated_limit: Option<u64>,
}

impl Receipt {
    /// The last attempt; there always is one.
    pub fn last(&self) -> Option<&AttemptRecord> {
        self.attempts.last()
    }

    /// Between which two ends the estimate expected the prompt.
    pub fn band(&self) -> Band {
        let estimated = self.last().map_or(0, |attempt| attempt.attempt_total_tokens);
        self.basis.band(estimated, self.odd_tokens)
    }

    /// How far the estimate was off, in percent of what was reported.
    pub fn error_percent(&self) -> Option<f64> {
        let reported = self.first_prompt.filter(|prompt| *prompt > 0)?;
        let estimated = self.last()?.attempt_total_tokens;
        Some((estimated as f64 / reported as f64 - 1.0) * 100.0)
    }

    /// What a send at this price costs.
    pub(crate) fn cost_of(model: &Model, usage: Option<Usage>) -> Option<f64> {
        let (price, usage) = (model.price?, usage?);
        let cached = price.cached_input.unwrap_or(price.input);
        let fresh = usage.prompt.saturating_sub(usage.cached);
        let sum = fresh as f64 * price.input
            + usage.cached as f64 * cached
            + usage.completion as f64 * price.output;
        Some(sum / 1e6)
    }

    /// The whole receipt as JSON, in the names of the spec.
    pub fn to_json(&self) -> Value {
        json!({
            "id": self.id.to_string(),
            "pairId": self.pair.to_string(),
            "model": self.model,
            "attempts": self.attempts.iter().map(attempt_json).collect::<Vec<_>>(),
            "usage": self.usage.map(|usage| json!({
                "prompt": usage.prompt, "cached": usage.cached,
                "completion": usage.completion, "reasoning": usage.reasoning,
            })),
            "firstPrompt": self.first_prompt,
            "toolCalls": self.tool_calls,
            "toolTokens": self.last().map_or(0, |attempt| attempt.tool_tokens),
            "cost": self.cost,
            "timings": {"firstTextMs": self.first_text_ms, "totalMs": self.total_ms},
            "estimator": self.estimator,
            "basis": self.basis.name(),
            "basisText": self.basis.words(),
            "band": {"low": self.band().low, "high": self.band().high},
            "estimateErrorPercent": self.error_percent(),
            "historyHash": self.history_hash,
            "requestBytes": self.request_bytes,
            "detachedFiles": self.detached.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "seen": self.compared.name(),
            "truncation": self.truncation.map(|seen| json!({"read": seen.read, "sent": seen.sent})),
            "counter": self.counter.to_string(),
            "statedLimit": self.stated_limit,
        })
    }

    /// One line: estimate, usage, the error in percent, the time, the counter.
    pub fn line(&self) -> String {
        use plimsoll_tokens::commas;
        let estimate = self.last().map_or(0, |attempt| attempt.attempt_total_tokens);
        let doubt = self.basis.plus_minus(estimate, self.odd_tokens);
        let mut parts = vec![format!("{} · estimate {}{doubt}", self.model, commas(estimate))];
        if let Some(usage) = self.usage {
            parts.push(format!("used {} + {}", commas(usage.prompt), commas(usage.completion)));
        }
        if let Some(percent) = self.error_percent() {
            parts.push(format!("error {percent:+.1} %"));
        }
        if self.tool_calls > 0 {
            let tokens = self.last().map_or(0, |attempt| attempt.tool_tokens);
            let calls = if self.tool_calls == 1 { "call" } else { "calls" };
            parts.push(format!("{} tool {calls}, {} tokens", self.tool_calls, commas(tokens)));
        }
        parts.push(format!("{:.1} s", self.total_ms as f64 / 1000.0));
        if let Some(cost) = self.cost.filter(|cost| *cost > 0.0) {
            parts.push(format!("${cost:.4}"));
        }
        parts.push(self.counter.to_string());
        parts.join(" · ")
    }
}

/// REC-1, name by name.
fn attempt_json(record: &AttemptRecord) -> Value {
    let mut json = attempt_numbers(record);
    json["selection"] = record
        .selection
        .iter()
        .map(|pair| json!({"id": pair.id.to_string(), "model": pair.model, "tokens": pair.tokens.total()}))
        .collect();
    json["messages"] = record
        .messages
        .iter()
        .map(|message| {
            json!({
                "role": message.role.name(),
                "pairId": message.pair_id.map(|id| id.to_string()),
                "tokens": message.tokens,
                "hash": message.hash,
            })
        })
        .collect();
    json
}

/// The record of an attempt without its lists of pairs and messages, which may be long.
pub fn attempt_numbers(record: &AttemptRecord) -> Value {
    let mut json = json!({
        "model": record.model,
        "budget": {"maxContext": record.max_context, "maxUsableRaw": record.max_usable_raw},
        "predictedMessageCount": record.predicted_message_count,
        "predictedHistoryTokens": record.predicted_history_tokens,
        "predictedTotalTokens": record.predicted_total_tokens,
        "attemptHistoryTokens": record.attempt_history_tokens,
        "attemptTotalTokens": record.attempt_total_tokens,
        "AUT": record.aut,
        "toolTokens": record.tool_tokens,
        "trimmedCount": record.trimmed_count,
        "trimmingRemovedTokens":
            record.predicted_history_tokens.saturating_sub(record.attempt_history_tokens),
        "sentCount": record.sent_count(),
        "attemptsUsed": record.attempts_used,
        "charsPerToken": record.chars_per_token,
        "remainingReserve": record.remaining_reserve,
        "stage": record.stage.name(),
    });
    let ids = |pairs: &[PairId]| pairs.iter().map(ToString::to_string).collect::<Vec<_>>();
    json["leftOut"] = json!(ids(&record.left_out));
    if !record.deleted.is_empty() {
        json["deleted"] = json!(ids(&record.deleted));
    }
    if let Some(message) = &record.last_error_message {
        json["lastErrorMessage"] = json!(message);
    }
    if let Some(matched) = &record.overflow_matched {
        json["overflowMatched"] = json!(matched);
    }
    json
}

/// The stage that a receipt is filed under.
pub(crate) fn final_stage(attempts: &[AttemptRecord]) -> Stage {
    attempts.last().map_or(Stage::Error, |attempt| attempt.stage)
}
