//! `plimsoll plan`: what would be sent from a history, and what is left out. The history is that
//! of the store, or that of a file; either way it is the plan that a send would follow.

mod from_file;
mod report;

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use plimsoll_app::{App, Draft, GivenTarget, HistoryChoice, View, WorkspaceView};
use plimsoll_budget::Binds;
use plimsoll_domain::PairId;
use plimsoll_filter::{Atom, Expr, parse};
use plimsoll_send::Plan;
use plimsoll_store::Workspace;

use crate::{
    args::{Location, PlanArgs},
    context::Context,
    failure::{Failure, note},
    machine,
    output::Output,
    words::misspelt_model,
};
use from_file::FromFile;

/// How long each step took.
#[derive(Clone, Copy, Debug, Default)]
struct Timings {
    filter: Duration,
    weigh: Duration,
    boundary: Duration,
}

/// A plan, and what a report needs besides.
struct Planned {
    plan: Plan,
    /// The ids of pairs that came from a file, as the file has them.
    names: HashMap<PairId, Box<str>>,
    timings: Timings,
}

impl Planned {
    fn name(&self, id: PairId) -> String {
        self.names.get(&id).map_or_else(|| id.to_string(), |name| name.to_string())
    }
}

pub(crate) fn run(
    args: &PlanArgs,
    location: &Location,
    output: &mut Output,
) -> Result<u8, Failure> {
    let mut context = Context::load()?;
    override_settings(args, &mut context)?;
    check_filter(args)?;
    let wrong = args.model.as_deref().and_then(|name| misspelt_model(&context.catalog, name));
    let planned = machine::block_on(of_history(args, location, context))?;
    // A server may have told of a model that the catalog does not know.
    if let Some(words) = wrong.filter(|_| planned.plan.limit().binds == Binds::Assumed) {
        note(&words);
    }
    if args.json {
        output.json(&report::json(&planned))?;
    } else {
        output.text(&report::text(&planned))?;
    }
    Ok(0)
}

/// What is wrong with a filter is said before anything is read.
fn check_filter(args: &PlanArgs) -> Result<(), Failure> {
    let query = parse(&args.filter).map_err(|error| Failure::filter(&args.filter, &error))?;
    if query.command.is_some() {
        return Err(Failure::usage("a plan changes nothing, so it takes no command after ':'")
            .hint("give only the filter that stands before it"));
    }
    let needs_topic = args.pairs.is_some() && args.topic.is_none();
    if needs_topic && query.expr.as_ref().is_some_and(names_selected_topic) {
        return Err(Failure::usage("the filter has 't', and nothing is selected")
            .hint("--topic /A/B says which topic it means"));
    }
    Ok(())
}

/// Whether a filter means the selected topic.
fn names_selected_topic(expr: &Expr) -> bool {
    match expr {
        Expr::And(all) | Expr::Or(all) => all.iter().any(names_selected_topic),
        Expr::Not(one) => names_selected_topic(one),
        Expr::Atom(atom, _) => {
            matches!(atom, Atom::SelectedTopic { .. } | Atom::SelectedTopicNewest(_))
        }
    }
}

async fn of_history(
    args: &PlanArgs,
    location: &Location,
    context: Context,
) -> Result<Planned, Failure> {
    let Some(path) = &args.pairs else {
        if args.prelude > 0 {
            return Err(Failure::usage("--prelude goes with --pairs: the store knows its prelude")
                .hint("a topic's system message is the prelude; see `plimsoll topics --help`"));
        }
        let opened = machine::open(context, location).await?;
        let from_store = FromFile { names: HashMap::new(), topic: args.topic.clone(), model: None };
        return planned(args, &location.workspace, &opened.app, from_store).await;
    };
    let dir = tempfile::tempdir().map_err(|error| {
        Failure::failed(format!("cannot make a temporary directory: {error}"))
            .hint("the pairs of the file are kept there meanwhile; set TMPDIR to a place with room")
    })?;
    let opened = machine::open_scratch(context, dir.path()).await?;
    let topic = args.topic.as_deref();
    let from_file = from_file::bring_in(&opened.app, &location.workspace, path, topic).await?;
    planned(args, &location.workspace, &opened.app, from_file).await
}

async fn planned(
    args: &PlanArgs,
    workspace: &Workspace,
    app: &App,
    history: FromFile,
) -> Result<Planned, Failure> {
    let view = View {
        history: HistoryChoice::Filter(args.filter.clone()),
        topic: history.topic,
        model: args.model.clone().or(history.model),
        ..View::default()
    };
    let mut workspace_view = app.workspace_view(workspace, view).await?;
    let given = GivenTarget {
        limit: args.limit,
        message_overhead: args.message_overhead,
        prelude: args.prelude,
    };
    workspace_view.plan_for(app, given).await?;
    let started = Instant::now();
    workspace_view.boundary(app).await?;
    let weigh = started.elapsed();
    let draft = Draft { text: args.draft.clone(), ..Draft::default() };
    let plan = workspace_view.plan(app, &draft).await?;
    let timings = Timings { weigh, ..timed(&workspace_view, app) };
    Ok(Planned { plan, names: history.names, timings })
}

/// How long the steps take over counts that are all there: what a workbench does again and again.
fn timed(workspace_view: &WorkspaceView, app: &App) -> Timings {
    let started = Instant::now();
    workspace_view.filtered();
    let filter = workspace_view.text_search() + started.elapsed();
    Timings { filter, boundary: workspace_view.time_to_draw(app), ..Timings::default() }
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
