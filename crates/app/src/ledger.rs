//! The books after a send: the pair's end, its receipt, and what was learned from it.

use plimsoll_budget::{LearnedLimit, WindowSource};
use plimsoll_domain::{LifecycleEvent, PairError, PairId, ReceiptId, Usage};
use plimsoll_provider::ProviderFailure;
use plimsoll_send::{Counter, Outcome, Receipt, Timings, error_percent, silent_truncation};
use plimsoll_store::{
    ErrorSnapshot, FailedAnswer, INTERRUPTED, ReceiptRecord, UsageEntry, UsageReport,
};
use plimsoll_tokens::{RawTokens, Report};

use crate::{
    App, AppError, Prepared, Progress, Purpose, driver::SendState, ending::Patience,
    workspace_view::line_key,
};

impl App {
    /// Ends the pair and writes the books.
    pub(crate) async fn finish(
        &self,
        prepared: &Prepared,
        state: &SendState,
        outcome: &Outcome,
        patience: &Patience<'_>,
        tell: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Receipt, AppError> {
        let now = self.clock.now();
        let last = state.records.last();
        let trimmed = last.map_or(0, |record| record.trimmed_count);
        let sent: Vec<PairId> = last
            .map(|record| record.selection.iter().map(|pair| pair.id).collect())
            .unwrap_or_default();
        let (plan, target) = (&prepared.plan, prepared.plan.target());
        let estimate = last.map_or(0, |record| record.attempt_total_tokens);
        let first_prompt = state.first_usage.map(|usage| usage.prompt);
        let millis =
            |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let receipt = Receipt {
            id: ReceiptId::new(now, self.chance.bytes()),
            pair_id: state.pair,
            model: target.model.id.clone(),
            attempts: state.records.clone(),
            usage: state.usage,
            first_prompt,
            tool_calls: state.tool_calls,
            tool_tokens: last.map_or(0, |record| record.tool_tokens),
            cost: target.model.price.zip(state.usage).map(|(price, usage)| price.cost(usage)),
            timings: Timings {
                first_text_ms: state.first_text.map(millis),
                total_ms: millis(state.started.elapsed()),
            },
            estimator: target.estimator.0.to_owned(),
            basis: target.basis.name().to_owned(),
            basis_text: target.basis.words(),
            band: plan.band_of(estimate),
            estimate_error_percent: error_percent(estimate, first_prompt),
            history_hash: state.history_hash.clone(),
            request_bytes: Some(state.request_bytes),
            detached_files: state.detached.clone(),
            seen: prepared.compared,
            truncation: silent_truncation(estimate, first_prompt.unwrap_or(0), target.estimator.1),
            counter: Counter { trimmed, ..plan.counter() },
            stated_limit: state.overflowed.flatten(),
        };
        // The pair's end comes first: whatever fails after it, no pair stays in flight.
        let (event, kept) = pair_end(prepared, state, outcome, receipt.id, self.handed_back());
        self.until_kept(patience, tell, || self.end_pair(state.held, event, &kept)).await?;
        if state.tool_calls > 0 {
            // What tools made is no longer pending: it is kept, or gone with what was stopped.
            self.events.publish(&prepared.workspace, Progress::Files);
        }
        let (at, topic) = (&prepared.workspace, prepared.topic.id);
        let record = ReceiptRecord::of(at, topic, now, &receipt);
        self.until_kept(patience, tell, || self.store.put_receipt(&record)).await?;
        if prepared.purpose == Purpose::Summarise {
            self.end_summary(prepared, state, outcome, patience, tell).await?;
        } else if let Outcome::Error(_) = outcome {
            let snapshot = ErrorSnapshot {
                pair: state.pair,
                at: now,
                included: sent.clone(),
                outgoing_user_text: prepared.text.clone(),
                json_doc: Some(state.last_body.clone()),
                answer: state.failure.as_ref().map(kept_answer),
            };
            self.until_kept(patience, tell, || self.store.put_snapshot(&snapshot)).await?;
        }
        // What this send could not teach, the next one does; the answer is kept.
        let _ = self.learn(prepared, state, outcome, &receipt).await;
        // Who hears of it finds everything that the send left behind.
        self.events.publish(&prepared.workspace, Progress::Receipt(state.pair, receipt.id));
        Ok(receipt)
    }

    /// A summary that is complete stands for its pairs, which the store left out with it. One that
    /// failed changes nothing (HIS-11): its receipt stays, its pair goes.
    async fn end_summary(
        &self,
        prepared: &Prepared,
        state: &SendState,
        outcome: &Outcome,
        patience: &Patience<'_>,
        tell: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<(), AppError> {
        if let Outcome::Complete { .. } = outcome {
            tell(Progress::Labelled(prepared.included_ids()));
            return Ok(());
        }
        self.remove_summary(state.pair, patience, tell).await
    }

    async fn remove_summary(
        &self,
        pair: PairId,
        patience: &Patience<'_>,
        tell: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<(), AppError> {
        let pair = [pair];
        self.until_kept(patience, tell, || self.store.delete(&pair)).await?;
        tell(Progress::Removed(pair.to_vec()));
        Ok(())
    }

    /// Ends the pair of a send that the store stopped, with what had arrived.
    pub(crate) async fn interrupt(
        &self,
        prepared: &Prepared,
        state: &SendState,
        error: &AppError,
        patience: &Patience<'_>,
        tell: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<(), AppError> {
        let why = PairError { code: INTERRUPTED.to_owned(), message: error.to_string() };
        let kept = plimsoll_store::Outcome {
            assistant_text: Some(state.answer.clone()).filter(|text| !text.is_empty()),
            error: Some(why),
            usage: state.usage,
            ..Default::default()
        };
        let write = || self.end_pair(state.held, LifecycleEvent::Fail, &kept);
        self.until_kept(patience, tell, write).await?;
        match prepared.purpose {
            Purpose::Summarise => self.remove_summary(state.pair, patience, tell).await,
            _ => Ok(()),
        }
    }

    /// Learned limits (CAT-3), calibration (EST-6) and the usage log (VAL-4).
    async fn learn(
        &self,
        prepared: &Prepared,
        state: &SendState,
        outcome: &Outcome,
        receipt: &Receipt,
    ) -> Result<(), AppError> {
        let now = self.clock.now();
        self.learn_limit(prepared, state, outcome, receipt).await?;
        if self.settings().boundary_step() {
            let line = prepared.included.first().map(|stored| stored.pair.id.to_string());
            self.store
                .put_value(&line_key(&prepared.workspace, prepared.within()), line.as_deref())
                .await?;
        }
        // Who reports nothing counts requests all the same (VAL-4); its tokens are estimated.
        let estimate = receipt.estimate();
        let sum = |usage: Usage| usage.prompt.saturating_add(usage.completion);
        let taken = matches!(outcome, Outcome::Complete { .. }).then_some(estimate);
        let tokens = state.usage.map_or(taken.unwrap_or(0), sum);
        if state.calls > 0 {
            let entry = UsageEntry { at: now, tokens };
            self.store.log_usage(&prepared.plan.model().id, entry).await?;
        }
        let Some(usage) = state.usage else { return Ok(()) };
        // What somebody adds unseen is counted by the provider, and says nothing of our
        // texts.
        let seen = prepared.provider.hidden_prompt_notice().is_none();
        let success = matches!(outcome, Outcome::Complete { .. });
        if success && seen && !prepared.plan.target().estimator.1 && receipt.truncation.is_none() {
            let all: RawTokens = prepared.attempts.included.iter().map(|pair| pair.tokens).sum();
            let sent = receipt.last().map_or(&[][..], |last| &last.selection);
            let sent: RawTokens = sent.iter().map(|pair| pair.tokens).sum();
            let raw = prepared.raw_prompt_tokens - (all - sent);
            let (base_url, model) = (prepared.provider.base_url(), &prepared.plan.model().id);
            let mut calibration = self.calibration_at(base_url, model).await?;
            calibration.observe(raw, state.first_usage.unwrap_or(usage).prompt);
            let report = |report: &Report| UsageReport {
                text: report.raw.text,
                overhead: report.raw.overhead,
                reported: report.reported,
            };
            let reports: Vec<UsageReport> = calibration.reports().iter().map(report).collect();
            self.store.put_usage_reports(base_url, model, &reports).await?;
        }
        Ok(())
    }

    /// CAT-3: a limit that an overflow stated is kept, but never below what the server took,
    /// and what was kept goes when the server takes more. What the user states stands above
    /// both, so nothing is learned there.
    async fn learn_limit(
        &self,
        prepared: &Prepared,
        state: &SendState,
        outcome: &Outcome,
        receipt: &Receipt,
    ) -> Result<(), AppError> {
        let (base_url, model) = (prepared.provider.base_url(), prepared.plan.model());
        if matches!(outcome, Outcome::Complete { .. }) {
            let estimate = receipt.estimate();
            // Without a report the least that it can have been.
            let least = || prepared.plan.band_of(estimate).low;
            let taken = state.first_usage.map_or_else(least, |usage| usage.prompt);
            if taken > 0 {
                self.store.note_prompt(base_url, &model.id, taken).await?;
            }
            let kept = self.store.learned_limit(base_url, &model.id).await?;
            if kept.is_some_and(|kept| kept.tokens < taken) {
                self.store.clear_learned_limit(base_url, &model.id).await?;
            }
        }
        let users_own = model.window_source == WindowSource::User && model.context_window.is_some();
        let Some(tokens) = state.learned_limit.filter(|_| !users_own) else { return Ok(()) };
        let largest = self.store.largest_prompt(base_url, &model.id).await?;
        if largest.is_some_and(|largest| tokens < largest) {
            return Ok(());
        }
        let learned = LearnedLimit { tokens, learned_at: self.clock.now() };
        Ok(self.store.put_learned_limit(base_url, &model.id, learned).await?)
    }
}

/// How a pair ends, and what is kept of its answer.
fn pair_end(
    prepared: &Prepared,
    state: &SendState,
    outcome: &Outcome,
    receipt: ReceiptId,
    handed_back: Option<PairError>,
) -> (LifecycleEvent, plimsoll_store::Outcome) {
    let (event, error, cut) = match outcome {
        Outcome::Complete { cut_by_length } => (LifecycleEvent::Finish, None, *cut_by_length),
        Outcome::Error(error) => {
            let told = prepared.error(error, state.records.last());
            (LifecycleEvent::Fail, Some(told), false)
        }
        Outcome::Cancelled => match handed_back {
            Some(error) => (LifecycleEvent::Fail, Some(error), false),
            None => (LifecycleEvent::Cancel, None, false),
        },
    };
    let kept = plimsoll_store::Outcome {
        assistant_text: Some(state.answer.clone()).filter(|text| !text.is_empty()),
        error,
        usage: state.usage,
        receipt_id: Some(receipt),
        cut,
    };
    (event, kept)
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
