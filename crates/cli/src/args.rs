//! What can be typed. Help texts and examples live here.

mod exchange;
mod send;
mod serve;
mod upkeep;
mod weigh;

pub(crate) use exchange::{ExportArgs, ImportArgs, MoveArgs, RestoreArgs};
pub(crate) use send::{SendArgs, parse_over_budget, parse_quota};
pub(crate) use serve::ServeArgs;
pub(crate) use upkeep::{
    BackupArgs, DoctorArgs, KeysArgs, KeysCommand, ReceiptsArgs, SettingsArgs, VerifyArgs,
};
pub(crate) use weigh::{PlanArgs, TokensArgs};

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};
use plimsoll_config::Settings;
use plimsoll_store::Workspace;

/// Shows what is sent to a language model, and what it weighs in tokens.
#[derive(Parser, Debug)]
#[command(
    name = "plimsoll",
    version,
    after_help = "Examples:\n  \
        plimsoll                                the workbench, in your browser\n  \
        plimsoll send 'What is a load line?'    ask, and read the receipt\n  \
        plimsoll chat                           a conversation in this terminal\n  \
        plimsoll tokens README.md               what a file weighs\n  \
        plimsoll plan --pairs history.jsonl     what would be sent, and what stays ashore\n  \
        plimsoll classify --status 400 < body   what a provider's error means\n  \
        plimsoll models gpt-4o                  a model's window and limit\n\n\
        `plimsoll COMMAND --help` has more of them."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) location: Location,
}

/// Where a command works.
#[derive(Args, Debug)]
pub(crate) struct Location {
    /// The project and workspace to work in.
    #[arg(
        long,
        global = true,
        value_name = "PROJECT/WORKSPACE",
        default_value = "default/main",
        value_parser = parse_workspace
    )]
    pub(crate) workspace: Workspace,

    /// Where everything is kept
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,

    /// The database of the store, such as postgres://USER@HOST/DATABASE; a file by default
    #[arg(long, global = true, value_name = "ADDRESS")]
    store: Option<String>,

    /// An object store for what attached files hold, instead of the data directory; its
    /// endpoint, region and keys are in the AWS_… variables
    #[arg(long, global = true, value_name = "s3://BUCKET/PREFIX")]
    pub(crate) blobs: Option<String>,
}

impl Location {
    /// The directory that was named, if one was.
    pub(crate) fn data_dir(&self) -> Option<&Path> {
        self.data_dir.as_deref()
    }

    /// Where the store is: the flag, else the settings, else a file of the data directory.
    pub(crate) fn store<'a>(&'a self, settings: &'a Settings) -> Option<&'a str> {
        self.store.as_deref().or_else(|| settings.store())
    }
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Serve(ServeArgs),
    Tokens(TokensArgs),
    Plan(PlanArgs),
    Classify(ClassifyArgs),
    Segments(SegmentsArgs),
    Models(ModelsArgs),
    Send(SendArgs),
    Chat(crate::commands::chat::ChatArgs),
    Files(crate::commands::files::FilesArgs),
    Mcp(crate::commands::mcp::McpArgs),
    Memory(crate::commands::memory::MemoryArgs),
    Topics(TopicsArgs),
    Snippets(crate::commands::snippets::SnippetsArgs),
    Gateway(crate::commands::gateway::GatewayArgs),
    Team(crate::commands::team::TeamArgs),
    Undo(crate::commands::undo::UndoArgs),
    Receipts(ReceiptsArgs),
    Settings(SettingsArgs),
    Keys(KeysArgs),
    Import(ImportArgs),
    Export(ExportArgs),
    Backup(BackupArgs),
    Restore(RestoreArgs),
    Move(MoveArgs),
    Gc(crate::commands::files::GcArgs),
    Verify(VerifyArgs),
    Doctor(DoctorArgs),
    Completions(crate::commands::generate::CompletionsArgs),
    Man(crate::commands::generate::ManArgs),
}

/// Tell what a provider's error means, and whether dropping history would help
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll classify --status 400 < error.json\n  \
    curl -s … | plimsoll classify --status 429 --header 'Retry-After: 7' --json")]
pub(crate) struct ClassifyArgs {
    /// The HTTP status
    #[arg(long, value_name = "N")]
    pub(crate) status: Option<u16>,

    /// The error code, if the client library gave one apart from the body
    #[arg(long, value_name = "C")]
    pub(crate) code: Option<String>,

    /// A response header; may be given more than once
    #[arg(long = "header", value_name = "K: V", value_parser = parse_header)]
    pub(crate) headers: Vec<(String, String)>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Split a message on standard input into text and context tokens
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    echo 'see <<context:image:/tmp/a.png>>>' | plimsoll segments\n  \
    plimsoll segments --json < message.txt")]
pub(crate) struct SegmentsArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// List the models that Plimsoll knows, with their limits
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll models\n  \
    plimsoll models phi-3-mini-4k-instruct-generic-cpu:1\n  \
    plimsoll models claude                              all that are called so\n  \
    plimsoll models --add http://192.168.1.5:8080       the models of a server\n  \
    plimsoll models my-model --window 32768\n  \
    plimsoll models my-model --forget\n  \
    plimsoll models --json | jq -r '.models[] | select(.vision) | .id'\n\n\
    Your own models go into models.toml in the configuration directory.")]
pub(crate) struct ModelsArgs {
    /// Names to look up, or parts of names; none lists all
    pub(crate) names: Vec<String>,

    /// Ask a server for its models, and keep those that are named, or all, in your models.toml
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["json", "forget", "window"])]
    pub(crate) add: Option<String>,

    /// What the added server is called; else the name of its host
    #[arg(long, value_name = "NAME", requires = "add")]
    pub(crate) provider: Option<String>,

    /// In which form the added server is asked: openai, anthropic or gemini
    #[arg(long, requires = "add")]
    pub(crate) api: Option<String>,

    /// Say how large the window of one model is; it is kept in your models.toml
    #[arg(long, value_name = "TOKENS", conflicts_with_all = ["json", "forget"],
        value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) window: Option<u64>,

    /// Forget what was learned of the named models: their limit, and how they count
    #[arg(long, conflicts_with = "json")]
    pub(crate) forget: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// List topics, add one, or remove an empty one
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll topics\n  \
    plimsoll topics add /Sea/Ships --system 'Answer in one sentence.'\n  \
    plimsoll topics rm /Sea/Ships")]
pub(crate) struct TopicsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<TopicsCommand>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Subcommand, Debug)]
pub(crate) enum TopicsCommand {
    /// Make a topic, or change what is given of it
    Add {
        /// The path, /A/B
        path: String,
        /// What is sent before the history
        #[arg(long)]
        system: Option<String>,
        /// The model that new messages start with
        #[arg(long)]
        model: Option<String>,
    },
    /// Remove a topic that holds nothing, or a conversation with its pairs
    Rm {
        /// The path, /A/B, or an id
        path: String,

        /// Delete its pairs with it; `plimsoll undo` brings all of it back
        #[arg(long)]
        with_pairs: bool,
    },
}

fn parse_header(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("a header is written 'Name: value'".to_owned()),
    }
}

fn parse_workspace(text: &str) -> Result<Workspace, String> {
    let is_name = |name: &str| {
        // The project of one person of a team begins with ~.
        let name = name.strip_prefix('~').unwrap_or(name);
        !name.is_empty()
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
            && !name.starts_with('.')
    };
    match text.split_once('/') {
        Some((project, workspace)) if is_name(project) && is_name(workspace) => {
            Workspace::parse(text).map_err(|error| error.to_string())
        }
        _ => Err("it is written PROJECT/WORKSPACE, such as default/main".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_examples() {
        use clap::CommandFactory;
        let cli = Cli::command();
        for command in std::iter::once(&cli).chain(cli.get_subcommands()) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Examples:\n"), "{}", command.get_name());
        }
    }
}
