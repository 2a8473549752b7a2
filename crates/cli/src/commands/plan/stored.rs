//! A plan over the history of the store: the app's own, so that it is what a send does.

use std::{path::PathBuf, time::Instant};

use plimsoll_app::{Draft, HistoryChoice, Inclusion, View};
use plimsoll_budget::{Model, WindowSource};
use plimsoll_store::Workspace;

use super::{Timings, report::Facts};
use crate::{args::PlanArgs, context::Context, failure::Failure, machine};

pub(super) fn plan(
    args: &PlanArgs,
    workspace: &str,
    mut context: Context,
) -> Result<Facts, Failure> {
    if args.prelude > 0 {
        return Err(Failure::usage("--prelude goes with --pairs: the store knows its prelude")
            .hint("a topic's system message is the prelude; see `plimsoll topics --help`"));
    }
    let workspace =
        Workspace::parse(workspace).map_err(|error| Failure::usage(error.to_string()))?;
    override_settings(args, &mut context)?;
    machine::block_on(async {
        let opened = machine::open(context, None::<PathBuf>.as_deref()).await?;
        let app = &opened.app;
        let failed = |error| Failure::app(&error);
        let view = View {
            history: HistoryChoice::Filter(args.filter.clone()),
            topic: args.topic.clone(),
            model: args.model.clone(),
        };
        let started = Instant::now();
        let mut board = app.board(&workspace, view).await.map_err(failed)?;
        if args.limit.is_some() || args.message_overhead.is_some() {
            let name = board.model().id.clone();
            app.configure((*app.settings()).clone(), overridden(args, &app.catalog(), &name));
        }
        let filter = started.elapsed();
        let started = Instant::now();
        board.boundary(app).await.map_err(failed)?;
        let weigh = started.elapsed();
        let draft = Draft { text: args.draft.clone(), ..Draft::default() };
        let preview = board.preview(app, &draft).await.map_err(failed)?;
        let shown = board.shown(app, 0..usize::MAX).await.map_err(failed)?;
        let (mut included, mut excluded) = (Vec::new(), Vec::new());
        for pair in shown {
            match pair.place {
                Inclusion::Included => included.push(pair.id.to_string()),
                Inclusion::Excluded(why) => excluded.push((pair.id.to_string(), why)),
            }
        }
        Ok(Facts {
            model: preview.model.id.clone(),
            limit: preview.limit,
            estimator: preview.estimator,
            ura: app.settings().user_request_allowance(),
            reply_reserve: preview.reply_reserve,
            boundary: preview.boundary,
            weights: preview.weights,
            validation: preview.validation,
            included,
            excluded,
            suggestions: preview.suggestions,
            timings: Timings { filter, weigh, ..Timings::default() },
        })
    })
}

/// Flags win over everything else.
fn override_settings(args: &PlanArgs, context: &mut Context) -> Result<(), Failure> {
    let flags = [
        ("userRequestAllowance", args.ura.map(|ura| ura.to_string())),
        ("replyReserve", args.reply_reserve.map(|tokens| tokens.to_string())),
        ("charsPerToken", args.cpt.map(|cpt| cpt.to_string())),
        ("estimator", args.method.map(|method| method.name().to_owned())),
    ];
    for (key, value) in flags {
        if let Some(value) = value {
            let set = context.settings.set_flag(key, value);
            set.map_err(|error| Failure::usage(error.to_string()))?;
        }
    }
    Ok(())
}

/// The models, with the one in question as the flags say.
fn overridden(
    args: &PlanArgs,
    catalog: &plimsoll_budget::Catalog,
    name: &str,
) -> plimsoll_budget::Catalog {
    let known = catalog.find(name).map(|(model, _)| model.clone());
    let mut model = known.unwrap_or_else(|| Model::unknown(name));
    if let Some(limit) = args.limit {
        (model.context_window, model.tpm) = (Some(limit), None);
        model.window_source = WindowSource::User;
    }
    if let Some(overhead) = args.message_overhead {
        model.message_overhead = overhead;
    }
    let mut catalog = catalog.clone();
    catalog.put(model);
    catalog
}
