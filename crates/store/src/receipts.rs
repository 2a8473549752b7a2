//! Receipts of sends (REC-2) and snapshots of failed ones (REC-5).

use plimsoll_domain::{PairId, ReceiptId, Timestamp, TopicId, Usage};
use plimsoll_send::{Receipt, error_percent};

use crate::{
    Workspace,
    sql::{receipts, snapshots, totals},
};

/// A receipt as it is kept: what lists and totals need in columns, and all of it in the body.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceiptRecord {
    pub id: ReceiptId,
    pub workspace: Workspace,
    /// The pair; none once that was deleted.
    pub pair: Option<PairId>,
    /// The topic that the pair had then.
    pub topic: TopicId,
    pub model: String,
    /// When the send ended.
    pub at: Timestamp,
    /// How it ended, in the words of REC-1.
    pub stage: String,
    /// The estimate of the whole request, in tokens.
    pub estimate: u64,
    /// What the provider said it used.
    pub usage: Option<Usage>,
    /// What it said it read in the first call, which is the one that was estimated; a send
    /// that reads by tools makes several.
    pub first_prompt: Option<u64>,
    /// What it cost, in US dollars, where the price is known.
    pub cost: Option<f64>,
    /// T: how many pairs were left out.
    pub trimmed: u64,
    /// The receipt as JSON. None in lists, and none once the pair was deleted.
    pub body: Option<String>,
}

impl ReceiptRecord {
    /// The row of a receipt.
    pub fn of(workspace: &Workspace, topic: TopicId, at: Timestamp, receipt: &Receipt) -> Self {
        // By way of a value, whose names are in order: so they are since the first version.
        let body = serde_json::to_value(receipt).map(|value| value.to_string());
        Self {
            id: receipt.id,
            workspace: workspace.clone(),
            pair: Some(receipt.pair_id),
            topic,
            model: receipt.model.clone(),
            at,
            stage: receipt.stage().name().to_owned(),
            estimate: receipt.estimate(),
            usage: receipt.usage,
            first_prompt: receipt.first_prompt,
            cost: receipt.cost,
            trimmed: receipt.last().map_or(0, |attempt| attempt.trimmed_count as u64),
            body: body.ok(),
        }
    }

    /// The whole receipt; none in lists, and none once the pair was deleted.
    pub fn receipt(&self) -> Option<Receipt> {
        let mut receipt: Receipt = serde_json::from_str(self.body.as_deref()?).ok()?;
        for attempt in &mut receipt.attempts {
            // Receipts of earlier versions do not say it.
            let predicted = attempt.predicted_message_count;
            attempt.sent_count = predicted.saturating_sub(attempt.trimmed_count);
        }
        Some(receipt)
    }

    /// How far the estimate was off, in percent of what the provider read.
    pub fn error_percent(&self) -> Option<f64> {
        error_percent(self.estimate, self.first_prompt)
    }
}

/// Which receipts: at `from` or later, and before `until`. What is `None` does not narrow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceiptFilter {
    pub from: Option<Timestamp>,
    pub until: Option<Timestamp>,
    pub model: Option<String>,
    pub topic: Option<TopicId>,
    pub pair: Option<PairId>,
    /// At most so many, the newest.
    pub limit: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupBy {
    /// The day, at a fixed distance from UTC.
    Day {
        /// Minutes east of Greenwich.
        utc_offset_minutes: i32,
    },
    Model,
    Topic,
}

/// What a line of totals stands for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TotalsKey {
    Day(Timestamp),
    Model(String),
    Topic(TopicId),
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReceiptTotals {
    /// What they have in common.
    pub key: TotalsKey,
    pub sends: u64,
    /// The tokens that were reported.
    pub usage: Usage,
    /// The tokens that were estimated.
    pub estimate: u64,
    /// The cost of those whose price is known.
    pub cost: f64,
    /// How far the estimates were off; none where no provider said what it read.
    pub errors: Option<EstimateErrors>,
}

/// How far estimates were off, each in percent of what the provider read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EstimateErrors {
    /// How many sends could be compared.
    pub sends: u64,
    /// Their mean; too low is below zero.
    pub mean: f64,
    pub lowest: f64,
    pub highest: f64,
}

/// What was sent when a send failed (REC-5). The body of a request is kept nowhere else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorSnapshot {
    pub pair: PairId,
    pub at: Timestamp,
    /// The pairs that the request quoted, in order.
    pub included: Vec<PairId>,
    pub outgoing_user_text: String,
    /// The request; none once a pair that it quoted was deleted.
    pub json_doc: Option<String>,
    /// What came back, if anything did; its body goes like the request, since servers
    /// repeat what they were sent.
    pub answer: Option<FailedAnswer>,
}

/// What came back from a call that failed, as it came (FAU-7).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailedAnswer {
    /// The HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// The body, or as much of it as is kept; none if there was none.
    pub body: Option<String>,
    /// What happened to the connection, from cause to cause, if it failed.
    pub transport: Option<String>,
}

jobs! {
    pub trait Receipts {
        /// Keeps a receipt; one with the same id is replaced.
        write put_receipt(receipt: &ReceiptRecord) -> () = receipts::put;

        /// One receipt, with its body.
        read receipt(id: ReceiptId) -> ReceiptRecord = receipts::get;

        /// Receipts without their bodies, the newest first.
        read receipts(workspace: &Workspace, filter: &ReceiptFilter)
            -> Vec<ReceiptRecord> = receipts::newest;

        /// Totals over the receipts that the filter lets through, in the order of their keys.
        read totals(workspace: &Workspace, filter: &ReceiptFilter, by: GroupBy)
            -> Vec<ReceiptTotals> = totals::totals;

        /// What the sends of a topic cost, as far as prices were known.
        read cost(topic: TopicId) -> Option<f64> = totals::cost;

        /// Keeps the snapshot of a failed send; the one before it of that pair goes.
        write put_snapshot(snapshot: &ErrorSnapshot) -> () = snapshots::put;

        read snapshot(pair: PairId) -> Option<ErrorSnapshot> = snapshots::get;
    }
}
