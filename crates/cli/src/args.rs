//! What can be typed. Help texts and examples live here.

mod exchange;
mod parsers;
mod serve;

pub(crate) use exchange::{ExportArgs, ImportArgs, RestoreArgs};
pub(crate) use parsers::{parse_over_budget, parse_quota};
pub(crate) use serve::ServeArgs;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use parsers::{parse_delivery, parse_header, parse_method, parse_ratio, parse_workspace};

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

    /// The project and workspace to work in.
    #[arg(
        long,
        global = true,
        value_name = "PROJECT/WORKSPACE",
        default_value = "default/main",
        value_parser = parse_workspace
    )]
    pub(crate) workspace: String,
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
    Topics(TopicsArgs),
    Receipts(ReceiptsArgs),
    Settings(SettingsArgs),
    Keys(KeysArgs),
    Import(ImportArgs),
    Export(ExportArgs),
    Backup(BackupArgs),
    Restore(RestoreArgs),
    Gc(crate::commands::files::GcArgs),
    Doctor(DoctorArgs),
    Completions(crate::commands::generate::CompletionsArgs),
    Man(crate::commands::generate::ManArgs),
}

/// Count the tokens of files or of standard input, like `wc`
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll tokens src/*.rs\n  \
    git diff | plimsoll tokens -m gpt-4o\n  \
    plimsoll tokens --method fast --json notes.md | jq .total\n\n\
    Methods: auto is exact where the model's tokenizer is known, else fast.")]
pub(crate) struct TokensArgs {
    /// Files to weigh; `-` or none is standard input
    pub(crate) files: Vec<PathBuf>,

    /// The model that the texts are for
    #[arg(short, long)]
    pub(crate) model: Option<String>,

    /// How to count: auto, fast, heuristic, bytes4 or exact
    #[arg(long, value_parser = parse_method)]
    pub(crate) method: Option<plimsoll_tokens::Method>,

    /// Characters to a token, for the heuristic
    #[arg(long, value_name = "N", value_parser = parse_ratio)]
    pub(crate) cpt: Option<f64>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Predict what would be sent from a history, and what stays ashore
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll plan --pairs history.jsonl -m phi-3-mini-4k --draft 'And today?'\n  \
    plimsoll plan --pairs history.jsonl --filter \"t'Ships' & s>=2\" --limit 8192\n  \
    plimsoll plan --pairs history.jsonl --filter 'd<7d & !e' --json\n\n\
    A history is one JSON object a line: id, userText and createdAt are required;\n\
    assistantText, star, colorFlag, model, topic and lifecycleState may be there.")]
pub(crate) struct PlanArgs {
    /// The history, one pair a line; `-` is standard input
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) pairs: Option<PathBuf>,

    /// Which pairs are visible, in the filter language
    #[arg(long, short, default_value = "")]
    pub(crate) filter: String,

    /// The model to plan for; else the newest pair's
    #[arg(short, long)]
    pub(crate) model: Option<String>,

    /// The topic that a bare `t` means, as a path /A/B
    #[arg(long)]
    pub(crate) topic: Option<String>,

    /// The message that would be sent
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) draft: String,

    /// The model limit ML, whatever the model says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: Option<u64>,

    /// The user request allowance URA
    #[arg(long, value_name = "N")]
    pub(crate) ura: Option<u64>,

    /// Characters to a token, for the heuristic
    #[arg(long, value_name = "N", value_parser = parse_ratio)]
    pub(crate) cpt: Option<f64>,

    /// Tokens of the prelude
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) prelude: u64,

    /// Tokens kept for the answer; else by the settings
    #[arg(long, value_name = "N")]
    pub(crate) reply_reserve: Option<u64>,

    /// Tokens that each message costs beyond its text
    #[arg(long, value_name = "N")]
    pub(crate) message_overhead: Option<u64>,

    /// How to count: auto, fast, heuristic, bytes4 or exact
    #[arg(long, value_parser = parse_method)]
    pub(crate) method: Option<plimsoll_tokens::Method>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
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
    plimsoll models --json | jq -r '.models[] | select(.vision) | .id'\n\n\
    Your own models go into models.toml in the configuration directory.")]
pub(crate) struct ModelsArgs {
    /// Names to look up; none lists all
    pub(crate) names: Vec<String>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Send one message; the answer is streamed to standard output
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll send \"What is a load line?\"\n  \
    plimsoll send -c \"And who fought for it?\"\n  \
    git diff | plimsoll send -m gpt-4o \"Review this change\"\n  \
    plimsoll send --filter \"t'Sea'... & s>=2\" --dry-run \"Sum it up\"\n  \
    plimsoll send --reask                   ask the newest failed pair again\n  \
    plimsoll send -c --regenerate -m gpt-4o another answer to the newest pair\n\n\
    It starts with no history unless -c or --filter is given. The receipt goes to standard\n\
    error. Ctrl+C stops the send; what had arrived is kept.")]
pub(crate) struct SendArgs {
    /// The message; what is piped in follows it as a block
    pub(crate) prompt: Option<String>,

    /// The model; else the topic's, the newest pair's, or the settings'
    #[arg(short, long)]
    pub(crate) model: Option<String>,

    /// Send the whole history along
    #[arg(short = 'c', long = "continue", conflicts_with = "filter")]
    pub(crate) continue_history: bool,

    /// Send the pairs along that a filter shows
    #[arg(long)]
    pub(crate) filter: Option<String>,

    /// The topic, as a path /A/B
    #[arg(long)]
    pub(crate) topic: Option<String>,

    /// Attach a file; may be given more than once
    #[arg(short, long = "file", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// How the model gets the files: inline or on-demand; else by size and model
    #[arg(long, value_name = "WAY", value_parser = parse_delivery)]
    pub(crate) deliver: Option<plimsoll_domain::Delivery>,

    /// Attach only the first so many KB of each text
    #[arg(long, value_name = "KB", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) first: Option<u64>,

    /// Attach what looks like a secret too
    #[arg(long)]
    pub(crate) secrets: bool,

    /// What to do with a request that is over the limit: ask, trim, fit or block
    #[arg(long, value_parser = parse_over_budget)]
    pub(crate) over_budget: Option<plimsoll_budget::OverBudget>,

    /// Ask a pair again that failed or was stopped: its id, or the newest one
    #[arg(long, value_name = "PAIR", num_args = 0..=1, default_missing_value = "newest",
        conflicts_with_all = ["prompt", "regenerate"])]
    pub(crate) reask: Option<String>,

    /// Answer the newest complete pair anew; the answer it has is kept beside the new one
    #[arg(long, conflicts_with = "prompt")]
    pub(crate) regenerate: bool,

    /// Wait at most so many seconds for the account's limits, or `go` at once
    #[arg(long, value_name = "SECONDS|go", default_value = "60", value_parser = parse_quota)]
    pub(crate) quota: plimsoll_app::QuotaChoice,

    /// Print the exact request and send nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Where everything is kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
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

    /// Where everything is kept
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
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
    /// Remove a topic that holds nothing
    Rm {
        /// The path, /A/B
        path: String,
    },
}

/// List what was sent, what it used and cost
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll receipts\n  \
    plimsoll receipts --json | jq -s 'map(.prompt) | add'\n  \
    plimsoll receipts 019a…   the whole receipt as JSON")]
pub(crate) struct ReceiptsArgs {
    /// A receipt to print in full
    pub(crate) id: Option<String>,

    /// The newest N
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: u64,

    /// Print JSON, one receipt a line
    #[arg(long)]
    pub(crate) json: bool,

    /// Where everything is kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

/// List settings, their values and where they come from, or change one
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll settings\n  \
    plimsoll settings set overBudget fit\n  \
    plimsoll settings unset overBudget\n  \
    PLIMSOLL_WARN_AT=70 plimsoll settings --json")]
pub(crate) struct SettingsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<crate::commands::settings::SettingsCommand>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Set, list and remove keys of providers; they are never printed
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll keys list\n  \
    plimsoll keys set openai < key.txt\n  \
    plimsoll keys set openai --file < key.txt\n  \
    plimsoll keys rm openai")]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    pub(crate) command: KeysCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum KeysCommand {
    /// Keep the key on standard input: in the keyring if one answers, else in a file
    Set {
        /// Such as openai or anthropic
        provider: String,
        /// In the keyring of this machine (secret-tool, or security on a Mac)
        #[arg(long, conflicts_with = "file")]
        keyring: bool,
        /// In a file that only you can read
        #[arg(long)]
        file: bool,
    },
    /// Which providers have a key, and from where
    List,
    /// Forget a stored key
    Rm {
        /// Such as openai or anthropic
        provider: String,
    },
}

/// Copy the whole store to a file
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  plimsoll backup plimsoll-2026-11-15.db")]
pub(crate) struct BackupArgs {
    /// The file to write; it must not exist yet
    pub(crate) file: PathBuf,

    /// Where everything is kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

/// Check store, keys, models and servers, and say what is missing
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  plimsoll doctor\n  plimsoll doctor --json | jq .healthy")]
pub(crate) struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Where everything is kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
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
