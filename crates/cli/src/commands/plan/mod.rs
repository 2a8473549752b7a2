//! `plimsoll plan`: what would be sent from a history, and what stays ashore.
//!
//! The way of the data: read (`history`) → filter (`scope`) → weigh → boundary →
//! verdict → report. Without a file it is the history of the store, through the app.

mod history;
mod report;
mod scope;
mod source;
mod stored;
mod weigh;

use std::{
    path::Path,
    time::{Duration, Instant},
};

use plimsoll_budget::{
    Boundary, BoundaryInput, ExcludedBecause, IncludedTokens, Judged, LoadSums, Model, ModelLimit,
    ReplyReserve, Validation, Weights, message_tokens, suggestions, validate,
};
use plimsoll_filter::{Filter, compile, parse};
use plimsoll_tokens::{Basis, Correction, Estimator, RawTokens};

use crate::{
    args::PlanArgs,
    context::Context,
    failure::{Failure, note},
    output::Output,
};
use history::History;
use report::Facts;
use scope::PlanScope;
use weigh::Weigher;

/// How long each step took.
#[derive(Clone, Copy, Debug, Default)]
struct Timings {
    filter: Duration,
    weigh: Duration,
    boundary: Duration,
}

/// Everything that a report needs.
struct Plan {
    model: Model,
    limit: ModelLimit,
    estimator: Estimator,
    input: BoundaryInput,
    boundary: Boundary,
    weights: Weights,
    validation: Validation,
    /// Positions in the history, oldest first.
    visible: Vec<u32>,
    timings: Timings,
}

pub(crate) fn run(args: &PlanArgs, workspace: &str, output: &mut Output) -> Result<u8, Failure> {
    let context = Context::load()?;
    let facts = match &args.pairs {
        Some(path) => of_file(args, path, &context)?,
        None => stored::plan(args, workspace, context)?,
    };
    if args.json {
        output.json(&report::json(&facts))?;
    } else {
        output.text(&report::text(&facts))?;
    }
    Ok(0)
}

/// The plan over a history in a file.
fn of_file(args: &PlanArgs, path: &Path, context: &Context) -> Result<Facts, Failure> {
    let query = parse(&args.filter).map_err(|error| Failure::filter(&args.filter, &error))?;
    if query.command.is_some() {
        return Err(Failure::usage("a plan changes nothing, so it takes no command after ':'")
            .hint("give only the filter that stands before it"));
    }
    let mut scope = PlanScope::new(args, context)?;
    let expr = query.expr.as_ref();
    let compiled = |scope: &PlanScope| {
        compile(expr, scope).map_err(|error| Failure::filter(&args.filter, &error))
    };
    // Compiled twice: before the file is read, for the texts to look for on the way,
    // and after, when its topics and models are known.
    let before = compiled(&scope)?;
    let send_error_pairs = context.settings.send_error_pairs();
    let history = History::read(path, &before, send_error_pairs, &mut scope)?;
    if let Some(topic) = args.topic.as_deref().filter(|_| !history.uses_selected_topic(&scope)) {
        note(&format!("no pair of this history stands in or below the topic '{topic}'"));
    }

    let started = Instant::now();
    let filter = compiled(&scope)?;
    let timings = Timings { filter: history.text_search + started.elapsed(), ..Timings::default() };

    let model = plan_model(args, context, &history, &scope);
    let limit = args.limit.map_or_else(|| context.limit(&model), ModelLimit::given);
    let weigher = Weigher {
        estimator: context.estimator(Some(&model), args.method, args.cpt)?,
        overhead: args.message_overhead.unwrap_or(model.message_overhead),
        send_error_pairs,
    };
    let inputs = Inputs { history, filter, weigher, model, limit, timings };
    let (history, plan) = predict(args, context, inputs)?;
    Ok(plan.facts(&history, context))
}

impl Plan {
    fn facts(self, history: &History, context: &Context) -> Facts {
        let (mut included, mut excluded) = (Vec::new(), Vec::new());
        let mut raw: Vec<RawTokens> = Vec::new();
        for (position, row) in self.visible.iter().enumerate() {
            let (entry, load) = (&history.entries[*row as usize], history.load(*row));
            if self.boundary.includes(position, load.sendable) {
                included.push(entry.id.to_string());
                raw.push(load.tokens);
            } else {
                let why = entry.not_sendable.unwrap_or(ExcludedBecause::Budget);
                excluded.push((entry.id.to_string(), why));
            }
        }
        let tokens = IncludedTokens { raw: &raw, correction: self.input.correction };
        let judged = Judged {
            weights: &self.weights,
            validation: &self.validation,
            limit: self.limit,
            attached: &[],
            history: &tokens,
            catalog: &context.catalog,
            model: &self.model.id,
        };
        Facts {
            suggestions: suggestions(&judged),
            model: self.model.id,
            limit: self.limit,
            estimator: (self.estimator.method().name(), self.estimator.is_exact()),
            ura: self.input.ura,
            reply_reserve: self.input.reply_reserve,
            boundary: self.boundary,
            weights: self.weights,
            validation: self.validation,
            included,
            excluded,
            timings: self.timings,
        }
    }
}

struct Inputs {
    history: History,
    filter: Filter,
    weigher: Weigher,
    model: Model,
    limit: ModelLimit,
    timings: Timings,
}

/// CAT-5: the model that was chosen, else the newest pair's, else the settings'.
fn plan_model(args: &PlanArgs, context: &Context, history: &History, scope: &PlanScope) -> Model {
    let name = args.model.as_deref().or_else(|| history.newest_model(scope));
    context.model(name.unwrap_or_else(|| context.settings.default_model()))
}

fn predict(args: &PlanArgs, context: &Context, inputs: Inputs) -> Result<(History, Plan), Failure> {
    let Inputs { mut history, filter, weigher, model, limit, mut timings } = inputs;
    let settings = &context.settings;
    let reserve = args.reply_reserve.map_or_else(|| settings.reply_reserve(), ReplyReserve::Tokens);
    let input = BoundaryInput {
        ml: limit.tokens,
        ura: args.ura.unwrap_or_else(|| settings.user_request_allowance()),
        raw_prelude: args.prelude.into(),
        reply_reserve: reserve.resolve(limit.tokens, None, model.shared_window),
        correction: Correction::NONE,
    };
    if filter.needs_tokens() {
        let started = Instant::now();
        weigher.weigh_all(&mut history)?;
        timings.weigh += started.elapsed();
    }

    let started = Instant::now();
    let mut visible = filter.visible(&history);
    timings.filter += started.elapsed();

    // An `o` term asks for the boundary of what the other terms show; what it leaves is
    // the visible set, over which the boundary is drawn like over any other (BND-1).
    if filter.has_boundary_terms() {
        let mut sums = weigher.weigh_aboard(&mut history, &visible, &input, &mut timings)?;
        let asked = boundary(&mut sums, &history, &visible, &input, &mut timings);
        let started = Instant::now();
        visible = filter.apply_boundary(&visible, |position| {
            asked.includes(position, history.load(visible[position]).sendable)
        });
        timings.filter += started.elapsed();
    }
    let mut sums = weigher.weigh_aboard(&mut history, &visible, &input, &mut timings)?;
    let boundary = boundary(&mut sums, &history, &visible, &input, &mut timings);

    let weights = Weights {
        ml: limit.tokens,
        prelude: args.prelude,
        history: boundary.predicted_history_tokens,
        aut: message_tokens(&args.draft, &weigher.estimator, weigher.overhead),
    };
    let exact = weigher.estimator.is_exact();
    let basis = if exact { Basis::Tokenizer } else { Basis::Approx };
    let least_alone = limit.binds.is_stated().then(|| basis.band(weights.alone(), 0).low);
    let validation = validate(&weights, settings.warn_at(), least_alone);
    let estimator = weigher.estimator;
    let plan =
        Plan { model, limit, estimator, input, boundary, weights, validation, visible, timings };
    Ok((history, plan))
}

/// The boundary over counts that are all there: what a workbench does again and again.
fn boundary(
    sums: &mut LoadSums,
    history: &History,
    visible: &[u32],
    input: &BoundaryInput,
    timings: &mut Timings,
) -> Boundary {
    let started = Instant::now();
    let load = |position: usize| history.load(visible[position]);
    let boundary = Boundary::compute(sums, load, input);
    timings.boundary += started.elapsed();
    boundary
}
