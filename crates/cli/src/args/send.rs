//! What can be typed to send a message.

use std::path::PathBuf;

use clap::Args;

use crate::conversation::ConversationArgs;

/// Send one message; the answer is streamed to standard output
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll send \"What is a load line?\"\n  \
    plimsoll send -c \"And who fought for it?\"\n  \
    plimsoll send -s \"Answer in one sentence.\" --temperature 0 \"What is a load line?\"\n  \
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

    #[command(flatten)]
    pub(crate) conversation: ConversationArgs,

    /// Make the message of a snippet; the prompt, if there is one, is its input
    #[arg(short = 't', long, value_name = "SNIPPET", conflicts_with_all = ["reask", "regenerate"])]
    pub(crate) template: Option<String>,

    /// Fill in a place of the snippet; may be given more than once
    #[arg(short, long = "param", value_name = "PLACE=WORDS", requires = "template",
        value_parser = crate::commands::snippets::parse_filling)]
    pub(crate) params: Vec<(String, String)>,

    /// Attach a file; may be given more than once
    #[arg(short, long = "file", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// How the model gets the files: inline, text (read out of a document) or on-demand;
    /// else by size and model
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

    /// Whether Markdown is rendered; auto does it on a terminal
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) markdown: crate::markdown::MarkdownWhen,

    /// Wait at most so many seconds for the account's limits, or `go` at once
    #[arg(long, value_name = "SECONDS|go", default_value = "60", value_parser = parse_quota)]
    pub(crate) quota: plimsoll_app::QuotaChoice,

    /// Show what would be sent, and send nothing; a pipe gets the exact request
    #[arg(long, conflicts_with = "new")]
    pub(crate) dry_run: bool,

    /// Print the exact request of --dry-run on a terminal too
    #[arg(long, requires = "dry_run")]
    pub(crate) json: bool,
}

pub(crate) fn parse_quota(text: &str) -> Result<plimsoll_app::QuotaChoice, String> {
    use plimsoll_app::QuotaChoice;
    match text {
        "go" => Ok(QuotaChoice::Go),
        seconds => seconds
            .parse()
            .map(|seconds| QuotaChoice::WaitUpTo(std::time::Duration::from_secs(seconds)))
            .map_err(|_| "give a number of seconds, or go".to_owned()),
    }
}

fn parse_delivery(text: &str) -> Result<plimsoll_domain::Delivery, String> {
    use plimsoll_domain::Delivery;
    Delivery::parse(text)
        .filter(|delivery| *delivery != Delivery::Path)
        .ok_or_else(|| "files are delivered inline, as text or on-demand".to_owned())
}

pub(crate) fn parse_over_budget(text: &str) -> Result<plimsoll_budget::OverBudget, String> {
    use plimsoll_budget::OverBudget;
    OverBudget::parse(text).ok_or_else(|| {
        let names: Vec<&str> = OverBudget::ALL.iter().map(|policy| policy.name()).collect();
        format!("it is one of {}", names.join(", "))
    })
}
