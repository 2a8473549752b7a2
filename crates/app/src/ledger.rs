//! The books after a send: the pair's end, its receipt, and what was learned from it.

use plimsoll_domain::{LifecycleEvent, PairId, ReceiptId};
use plimsoll_provider::ProviderFailure;
use plimsoll_send::{Counter, Outcome, silent_truncation};
use plimsoll_store::{ErrorSnapshot, FailedAnswer, LearnedLimit, ReceiptRecord, UsageEntry};
use plimsoll_tokens::Calibration;

use crate::{
    App, AppError, Prepared, Progress, Receipt,
    board::line_key,
    driver::{Journey, pair_error},
    receipt::final_stage,
};

impl App {
    /// Ends the pair and writes the books.
    pub(crate) async fn finish(
        &self,
        prepared: &Prepared,
        journey: &Journey,
        outcome: &Outcome,
    ) -> Result<Receipt, AppError> {
        let now = self.clock.now();
        let last = journey.records.last();
        let trimmed = last.map_or(0, |record| record.trimmed_count);
        let sent: Vec<PairId> = last
            .map(|record| record.selection.iter().map(|pair| pair.id).collect())
            .unwrap_or_default();
        let counter = Counter { trimmed, ..prepared.outlook.counter() };
        let last_total = journey.records.last().map_or(0, |record| record.attempt_total_tokens);
        let reported = journey.first_usage.map_or(0, |usage| usage.prompt);
        let truncation = silent_truncation(last_total, reported, prepared.outlook.estimator.1);
        let millis =
            |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let receipt = Receipt {
            id: ReceiptId::new(now, self.chance.bytes()),
            pair: journey.pair,
            model: prepared.outlook.model.id.clone(),
            attempts: journey.records.clone(),
            usage: journey.usage,
            first_prompt: journey.first_usage.map(|usage| usage.prompt),
            tool_calls: journey.tool_calls,
            cost: Receipt::cost_of(&prepared.outlook.model, journey.usage),
            first_text_ms: journey.first_text.map(millis),
            total_ms: millis(journey.started.elapsed()),
            estimator: prepared.outlook.estimator.0,
            history_hash: journey.history_hash.clone(),
            request_bytes: journey.request_bytes,
            detached: journey.detached.clone(),
            truncation,
            counter,
            stated_limit: journey.overflowed.flatten(),
        };
        // The pair's end comes first: whatever fails after it, no pair stays in flight.
        self.end_pair(prepared, journey, outcome, receipt.id).await?;
        self.store
            .put_receipt(&ReceiptRecord {
                id: receipt.id,
                workspace: prepared.workspace.clone(),
                pair: Some(journey.pair),
                topic: prepared.topic.id,
                model: prepared.outlook.model.id.clone(),
                at: now,
                stage: final_stage(&journey.records).name().to_owned(),
                estimate: last_total,
                usage: journey.usage,
                first_prompt: receipt.first_prompt,
                cost: receipt.cost,
                trimmed: trimmed as u64,
                body: Some(receipt.to_json().to_string()),
            })
            .await?;
        self.events.publish(&prepared.workspace, Progress::Receipt(journey.pair, receipt.id));
        if let Outcome::Error(_) = outcome {
            self.store
                .put_snapshot(&ErrorSnapshot {
                    pair: journey.pair,
                    at: now,
                    included: sent.clone(),
                    outgoing_user_text: prepared.text.clone(),
                    json_doc: Some(journey.last_body.clone()),
                    answer: journey.failure.as_ref().map(kept_answer),
                })
                .await?;
        }
        self.learn(prepared, journey, outcome, &receipt).await?;
        Ok(receipt)
    }

    async fn end_pair(
        &self,
        prepared: &Prepared,
        journey: &Journey,
        outcome: &Outcome,
        receipt: ReceiptId,
    ) -> Result<(), AppError> {
        let (event, error, cut) = match outcome {
            Outcome::Complete { cut_by_length } => (LifecycleEvent::Finish, None, *cut_by_length),
            Outcome::Error(error) => {
                let held = prepared.held(journey.records.last());
                (LifecycleEvent::Fail, Some(pair_error(error, held)), false)
            }
            Outcome::Cancelled => (LifecycleEvent::Cancel, None, false),
        };
        let kept = plimsoll_store::Outcome {
            assistant_text: Some(journey.answer.clone()).filter(|text| !text.is_empty()),
            error,
            usage: journey.usage,
            receipt_id: Some(receipt),
            cut,
        };
        Ok(self.store.set_state(journey.pair, event, &kept).await?)
    }

    /// Learned limits (CAT-3), calibration (EST-6) and the usage log (VAL-4).
    async fn learn(
        &self,
        prepared: &Prepared,
        journey: &Journey,
        outcome: &Outcome,
        receipt: &Receipt,
    ) -> Result<(), AppError> {
        let now = self.clock.now();
        if let Some(tokens) = journey.learned_limit {
            self.store
                .put_learned_limit(&LearnedLimit {
                    base_url: prepared.provider.base_url().to_owned(),
                    model: prepared.outlook.model.id.clone(),
                    tokens,
                    learned_at: now,
                })
                .await?;
        }
        if self.settings().boundary_step() {
            let line = prepared.included.first().map(|stored| stored.pair.id.to_string());
            self.store.put_value(&line_key(&prepared.workspace), line.as_deref()).await?;
        }
        let Some(usage) = journey.usage else { return Ok(()) };
        let tokens = usage.prompt.saturating_add(usage.completion);
        self.store.log_usage(&prepared.outlook.model.id, UsageEntry { at: now, tokens }).await?;
        // What somebody adds unseen is counted by the provider, and says nothing of our
        // texts.
        let seen = prepared.provider.adds().is_none();
        let success = matches!(outcome, Outcome::Complete { .. });
        if success && seen && !prepared.outlook.estimator.1 && receipt.truncation.is_none() {
            let all = prepared.plan.included.iter().map(|pair| pair.tokens);
            let sent = receipt.last().map_or(&[][..], |last| &last.selection);
            let sent = sent.iter().map(|pair| pair.tokens).fold(0, u64::saturating_add);
            let left_out = all.fold(0, u64::saturating_add).saturating_sub(sent);
            let raw = prepared.raw_prompt_tokens.saturating_sub(left_out);
            let ratios = self.store.calibration(&prepared.outlook.model.id).await?;
            let mut calibration = Calibration::from_log_ratios(ratios);
            let reported = journey.first_usage.unwrap_or(usage).prompt;
            calibration.observe(raw, reported);
            self.store
                .put_calibration(&prepared.outlook.model.id, calibration.log_ratios())
                .await?;
        }
        Ok(())
    }
}

/// As many bytes of a failing answer are kept; what matters of an error stands at its head.
const KEPT_ANSWER: usize = 64 * 1024;

/// A failing answer for the details of the pair (FAU-7). The provider has taken its key out.
fn kept_answer(failure: &ProviderFailure) -> FailedAnswer {
    let body = &failure.body[..failure.body.floor_char_boundary(KEPT_ANSWER)];
    FailedAnswer {
        status: failure.status,
        body: (!body.is_empty()).then(|| body.to_owned()),
        transport: failure.chain.as_deref().or(failure.transport.as_deref()).map(str::to_owned),
    }
}
