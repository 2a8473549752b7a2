//! `plimsoll mcp`: memory, specs and files for coding agents, on standard input and output.

use std::{path::PathBuf, sync::Arc};

use async_trait::async_trait;
use clap::Args;
use plimsoll_app::App;
use plimsoll_config::Settings;
use plimsoll_files::{TOOLS, Toolbox, file_label};
use plimsoll_mcp::{Effect, ExtraTool, ExtraTools, Offer, Server, ServerParts, ToolAnswer};
use plimsoll_memory::PresentMeaning;
use plimsoll_store::Workspace;
use plimsoll_tokens::{Estimator, Tokenizer};
use serde_json::{Map, Value};

use super::mcp_install::{self, McpCommand};
use crate::{
    args::Location, context::Context, failure::Failure, machine, meaning::WhileWanted,
    output::Output, signals,
};

/// Memory and spec tools for coding agents (MCP server on stdio)
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  \
    plimsoll mcp install claude\n  \
    plimsoll mcp install codex --tools core\n  \
    plimsoll mcp --tools memory,files --session-budget 20000\n\n\
    Profiles: core, memory, specs, files, all; names of tools combine with them by commas.\n\
    `plimsoll serve` offers the same at /mcp.",
    args_conflicts_with_subcommands = true
)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    pub(crate) command: Option<McpCommand>,

    /// What is offered: profiles and names of tools, with commas between
    #[arg(long, value_name = "PROFILE", default_value = "memory,specs")]
    pub(crate) tools: String,

    /// The most tokens of one answer; 0 is no limit [default: the setting mcpAnswerLimit]
    #[arg(long, value_name = "N", value_parser = parse_answer_limit)]
    pub(crate) answer_limit: Option<u64>,

    /// What one connection may be sent in all, in tokens; no read takes more than half of what
    /// is left
    #[arg(long, value_name = "N",
        value_parser = clap::value_parser!(u64).range(plimsoll_memory::SMALLEST_SESSION_BUDGET..))]
    pub(crate) session_budget: Option<u64>,

    /// Count tokens exactly with this tokenizer (o200k, cl100k, llama3 …) instead of bytes / 4
    #[arg(long, value_name = "NAME", value_parser = parse_tokenizer)]
    pub(crate) tokenizer: Option<Tokenizer>,

    /// The project's directory, when it is not the working directory
    #[arg(long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,

    /// The project's name in the memory, when it is not that of its folder
    #[arg(long, value_name = "NAME", value_parser = parse_project)]
    pub(crate) project: Option<String>,
}

/// One project; all of them are for reading.
pub(crate) fn parse_project(text: &str) -> Result<String, String> {
    match text.trim() {
        "" | plimsoll_memory::ALL_PROJECTS => Err("name one project".to_owned()),
        name => Ok(name.to_owned()),
    }
}

fn parse_answer_limit(text: &str) -> Result<u64, String> {
    let least = plimsoll_memory::SMALLEST_BUDGET;
    match text.trim().parse::<u64>() {
        Ok(tokens) if tokens == 0 || tokens >= least => Ok(tokens),
        _ => Err(format!("write a whole number from {least}, or 0 for no limit")),
    }
}

fn parse_tokenizer(text: &str) -> Result<Tokenizer, String> {
    Tokenizer::parse(text).ok_or_else(|| format!("tokenizers are {}", Tokenizer::names()))
}

pub(crate) fn run(args: &McpArgs, location: &Location, output: &mut Output) -> Result<u8, Failure> {
    if let Some(command) = &args.command {
        return mcp_install::run(command, location, output);
    }
    let context = Context::load()?;
    machine::block_on(async {
        let opened = machine::open(context, location).await?;
        let app = Arc::new(opened.app);
        let directory = match &args.directory {
            Some(directory) => directory.clone(),
            None => std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
        };
        let settings = app.settings();
        let limits = Limits::of(&settings);
        let options = Options {
            tools: &args.tools,
            limits: Limits {
                answer: match args.answer_limit {
                    Some(0) => None,
                    given => given.or(limits.answer),
                },
                session: args.session_budget.or(limits.session),
                counter: args.tokenizer.map_or(limits.counter, Estimator::Exact),
            },
            directory,
            project: args.project.clone(),
            clients_are_elsewhere: false,
        };
        let asked_to_end = signals::asked_to_end();
        let meaning = WhileWanted::start(&app, &location.workspace, &opened.data_dir);
        let server = server(&app, &location.workspace, options, meaning.asked()).await?;
        let served = tokio::select! {
            served = plimsoll_mcp::serve_stdio(&server) => served,
            _ = asked_to_end => Ok(()),
        };
        meaning.end();
        served.map(|()| 0).map_err(|error| Failure::failed(error.to_string()))
    })
}

/// What answers may weigh, and how they are weighed.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    answer: Option<u64>,
    session: Option<u64>,
    counter: Estimator,
}

impl Limits {
    /// As the settings say.
    pub(crate) fn of(settings: &Settings) -> Self {
        Self {
            answer: settings.mcp_answer_limit(),
            session: settings.mcp_session_budget(),
            counter: settings.mcp_counter(),
        }
    }
}

/// How a server is to be.
pub(crate) struct Options<'a> {
    pub(crate) tools: &'a str,
    pub(crate) limits: Limits,
    pub(crate) directory: PathBuf,
    pub(crate) project: Option<String>,
    /// Whether clients work on other machines, as those of a team do.
    pub(crate) clients_are_elsewhere: bool,
}

/// A server over the app's own store and files.
pub(crate) async fn server(
    app: &Arc<App>,
    workspace: &Workspace,
    options: Options<'_>,
    meaning: PresentMeaning,
) -> Result<Server, Failure> {
    app.open_workspace(workspace).await?;
    let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
    let offer =
        Offer::parse(options.tools, &names).map_err(|error| Failure::usage(error.to_string()))?;
    // What the machine has for the file tools is looked for only where they are offered: a
    // sandbox is tried out, and that takes its time.
    let extra: Option<Arc<dyn ExtraTools>> = match names.iter().any(|name| offer.has_extra(name)) {
        true => Some(Arc::new(FileTools(app.toolbox(workspace).await))),
        false => None,
    };
    let clock = Arc::clone(app);
    let settings = Arc::clone(app);
    let (told, at) = (Arc::clone(app), workspace.clone());
    Ok(Server::new(ServerParts {
        store: Arc::clone(app.store()),
        clock: Arc::new(move || clock.clock().now()),
        workspace: workspace.clone(),
        directory: options.directory,
        clients_are_elsewhere: options.clients_are_elsewhere,
        home: std::env::home_dir(),
        project: options.project,
        offer,
        session_budget: options.limits.session,
        answer_limit: options.limits.answer,
        counter: options.limits.counter,
        extra,
        review: Arc::new(move || settings.settings().memory_review()),
        meaning,
        wrote: Arc::new(move || told.memory_changed(&at)),
    }))
}

/// The file tools as MCP has them.
struct FileTools(Toolbox);

#[async_trait]
impl ExtraTools for FileTools {
    fn tools(&self) -> Vec<ExtraTool> {
        let tool = |tool: &plimsoll_files::ToolSpec| ExtraTool {
            name: tool.name.to_owned(),
            title: tool.title.to_owned(),
            about: tool.description.to_owned(),
            schema: serde_json::from_str(tool.parameters).unwrap_or_default(),
            effect: if tool.read_only { Effect::Reads } else { Effect::Adds },
        };
        self.0.offered().map(tool).collect()
    }

    async fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        room: Option<u64>,
    ) -> ToolAnswer {
        let answer = self.0.call(name, &Value::Object(arguments), room).await;
        ToolAnswer {
            text: answer.text,
            ids: answer.generated.into_iter().map(|id| Value::from(file_label(id))).collect(),
            shown: answer.shown,
            total: answer.total,
            estimated_tokens: answer.estimated_tokens,
            cut: answer.cut,
            is_error: answer.is_error,
        }
    }
}
