//! What is known of a call before it is made: its weight, its limit, what would be left out.

use std::sync::Arc;

use plimsoll_budget::{BoundaryInput, ClientOverBudget, QuotaLimits, QuotaVerdict};
use plimsoll_domain::{PairId, Protocol, Timestamp};
use plimsoll_gateway::{ClientRequest, Droppable, Dropped, Problem, Refusal, Weight, parts, read};
use plimsoll_send::{AttemptPlan, IncludedPair, TrimStep};
use plimsoll_tokens::{Basis, Correction, RawTokens, commas};
use serde::Serialize;

use super::{CallRefused, ClientCall, Gateway, looking, routes::Route};
use crate::OverQuota;

/// A request that was weighed.
pub(super) struct Planned {
    pub(super) route: Arc<Route>,
    pub(super) policy: ClientOverBudget,
    pub(super) weight: Weight,
    pub(super) droppable: Droppable,
    pub(super) correction: Correction,
    pub(super) basis: Basis,
    /// The whole request, by estimate.
    pub(super) estimate: u64,
    pub(super) room: BoundaryInput,
    /// How many pieces have to go so that it fits; none where that does not help.
    pub(super) to_fit: Option<usize>,
    /// Whether earlier turns are the provider's.
    pub(super) partial: bool,
}

/// What a dry run tells (GWY-1).
#[derive(Debug, Serialize)]
pub struct DryRun {
    pub model: String,
    pub window: u64,
    pub estimate: u64,
    pub basis: &'static str,
    pub partial: bool,
    pub fits: bool,
    /// What would be left out to make it fit; none where nothing has to be, or nothing helps.
    #[serde(rename = "wouldLeaveOut")]
    pub would_leave_out: Option<plimsoll_gateway::LeftOut>,
    pub parts: Vec<plimsoll_gateway::PartRecord>,
}

impl Planned {
    /// By how much it is above the window.
    pub(super) fn over(&self) -> Option<u64> {
        let window = self.route.limit.tokens;
        (self.estimate > window).then(|| self.estimate - window)
    }

    pub(super) fn dropped(&self, pieces: usize) -> Dropped {
        self.droppable.without_first(pieces, &self.weight)
    }

    /// The estimate of what is left.
    pub(super) fn estimate_without(&self, dropped: &Dropped) -> u64 {
        self.correction.request(self.weight.total() - dropped.tokens)
    }

    pub(super) fn overflow(&self) -> Problem {
        let window = self.route.limit.tokens;
        // What is kept for the answer is a part of what does not fit.
        let reserve = if self.estimate > window { 0 } else { self.room.reply_reserve };
        Problem::Overflow { tokens: self.estimate.saturating_add(reserve), window }
    }

    /// What would help against an overflow, in words.
    pub(super) fn suggestions(&self) -> Vec<String> {
        let mut all = Vec::new();
        if let Some(count) = self.to_fit.filter(|count| *count > 0) {
            let dropped = self.dropped(count);
            let tokens = commas(self.correction.apply(dropped.tokens));
            all.push(format!(
                "send `x-plimsoll-over-budget: fit`: {} older exchanges and {} rounds ({tokens} tokens) would be left out",
                dropped.exchanges, dropped.rounds
            ));
        }
        let tools: u64 = self.weight.tools.iter().sum();
        if tools > 0 {
            let tokens = commas(self.correction.apply(tools));
            all.push(format!(
                "offer fewer tools: {} take {tokens} tokens",
                self.weight.tools.len()
            ));
        }
        all.push("ask a model with a larger window".to_owned());
        all
    }

    /// The numbers that the attempts start from. Each piece that may go stands for a pair of a
    /// history.
    pub(super) fn attempts(&self, retries: u32, trims: u32, smart: bool) -> AttemptPlan {
        let id = |number: usize| {
            let mut bytes = [0; 10];
            bytes[..8].copy_from_slice(&(number as u64).to_be_bytes());
            PairId::new(Timestamp::from_millis(0), bytes)
        };
        let pieces = &self.droppable.pieces;
        let tokens = |piece: &plimsoll_gateway::Exchange| -> RawTokens {
            piece.items.iter().map(|at| self.weight.items[*at]).sum()
        };
        let included: Vec<IncludedPair> = (0..)
            .zip(pieces)
            .map(|(number, piece)| IncludedPair {
                id: id(number),
                model: String::new(),
                tokens: tokens(piece),
                pinned: false,
            })
            .collect();
        let history: RawTokens = included.iter().map(|pair| pair.tokens).sum();
        let fits = self.policy == ClientOverBudget::Fit;
        AttemptPlan {
            model: self.route.model.id.clone(),
            limit: self.route.limit.tokens,
            limit_uncertain: !self.route.limit.binds.is_stated(),
            too_large: false,
            allowance: 0,
            message: 0,
            prelude: self.correction.request(self.weight.total() - history),
            reply_reserve: self.room.reply_reserve,
            correction: self.correction,
            chars_per_token: 0.0,
            included,
            fit_drop: self.to_fit.filter(|_| fits).unwrap_or(0),
            max_trim_attempts: trims,
            trim_step: if smart { TrimStep::Smart } else { TrimStep::One },
            max_output: None,
            max_retries: retries,
        }
    }
}

impl Gateway {
    /// Weighs a request, and finds out who answers it.
    pub(super) async fn plan(
        &self,
        call: &ClientCall,
        request: &ClientRequest<'_>,
    ) -> Result<Planned, Problem> {
        if let Some(client) = &call.client {
            let model = self.model_of(&request.model);
            super::clients::may_ask(client, &request.model, &model.id)?;
        }
        let route = self.route(&request.model, call.payer().as_ref()).await?;
        let settings = self.app.settings();
        let of_key = call.client.as_ref().and_then(|client| client.over_budget.as_deref());
        let policy = call
            .over_budget
            .or(of_key.and_then(ClientOverBudget::parse))
            .or(route.model.client_over_budget)
            .unwrap_or_else(|| settings.gateway_over_budget());
        let partial = !request.stateful.is_empty();
        if let (Some(name), ClientOverBudget::Trim | ClientOverBudget::Fit) =
            (request.stateful.first(), policy)
        {
            let words = format!(
                "'{name}' names turns that only the provider knows, so that nothing can be left out; send `x-plimsoll-over-budget: pass`"
            );
            return Err(Problem::Refused(Refusal::of(*name, words)));
        }
        let weight = looking(&call.text, || route.scale.weigh(request));
        let (correction, basis) = route.learned();
        let limit = route.limit.tokens;
        let asked = request.max_output;
        let reserve = settings.reply_reserve();
        let room = BoundaryInput {
            limit,
            allowance: 0,
            raw_prelude: RawTokens::ZERO,
            reply_reserve: reserve.resolve(limit, asked, route.model.shared_window).min(limit / 2),
            correction,
        };
        let (droppable, to_fit) = looking(&call.text, || {
            let droppable = Droppable::of(request);
            let to_fit = droppable.to_fit(&weight, &room);
            (droppable, to_fit)
        });
        Ok(Planned {
            estimate: correction.request(weight.total()),
            basis,
            route,
            policy,
            weight,
            droppable,
            correction,
            room,
            to_fit,
            partial,
        })
    }

    /// What a request weighs and what would become of it; nothing is sent.
    pub async fn dry_run(&self, call: &ClientCall) -> Result<DryRun, CallRefused> {
        let request = looking(&call.text, || read(call.protocol, &call.text));
        let request = request.map_err(Problem::Refused)?;
        let planned = self.plan(call, &request).await?;
        let _place = self.let_in(call.client.as_deref(), 0).await?;
        let left_out = planned.to_fit.filter(|count| *count > 0).map(|count| {
            let dropped = planned.dropped(count);
            left_out(&dropped, planned.correction)
        });
        Ok(DryRun {
            model: planned.route.model.id.clone(),
            window: planned.route.limit.tokens,
            estimate: planned.estimate,
            basis: planned.basis.name(),
            partial: planned.partial,
            fits: planned.to_fit == Some(0),
            would_leave_out: left_out,
            parts: looking(&call.text, || parts(&request, &planned.weight, planned.correction)),
        })
    }

    /// VAL-4: whether the account's windows have room. `pass` only tells.
    pub(super) async fn quota(&self, planned: &Planned) -> Result<Option<OverQuota>, Problem> {
        let failed = |error: crate::AppError| Problem::Upstream(error.to_string());
        let model = &planned.route.model;
        let used = self.app.used_lately(model).await.map_err(failed)?;
        let limits = QuotaLimits::of(model);
        Ok(match used.check(self.app.clock.now(), planned.estimate, &limits) {
            QuotaVerdict::Fits => None,
            QuotaVerdict::Wait { after, kind } => Some(OverQuota { after: Some(after), kind }),
            QuotaVerdict::Never(kind) => Some(OverQuota { after: None, kind }),
        })
    }
}

pub(super) fn left_out(dropped: &Dropped, correction: Correction) -> plimsoll_gateway::LeftOut {
    plimsoll_gateway::LeftOut {
        exchanges: dropped.exchanges,
        rounds: dropped.rounds,
        tokens: correction.apply(dropped.tokens),
    }
}

/// Where a provider takes requests of a protocol, below its base URL.
pub(super) fn path(protocol: Protocol) -> Vec<String> {
    let path: &[&str] = match protocol {
        Protocol::Chat => &["chat", "completions"],
        Protocol::Responses => &["responses"],
        Protocol::Messages => &["messages"],
    };
    path.iter().map(|part| (*part).to_owned()).collect()
}
