//! What `plimsoll chat` is started with.

use clap::Args;

use crate::{
    args::{parse_over_budget, parse_quota},
    conversation::ConversationArgs,
};

/// Talk in the terminal; every prompt shows the load line
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll chat\n  \
    plimsoll chat -c\n  \
    plimsoll chat -m gpt-4o --topic /Sea/Ships\n  \
    plimsoll chat --new Ships -s 'Answer in one sentence.' --temperature 0.2\n  \
    plimsoll chat --filter 's>=2 | r5'\n  \
    printf 'What is a load line?\\nWho fought for it?\\n' | plimsoll chat\n\n\
    Enter sends; Alt+Enter or a backslash at the end of a line goes on in the next one.\n\
    Ctrl+C stops a send, Ctrl+D leaves, Tab completes, and /help lists the commands.\n\
    Without a terminal each line is one message, and the exit code is 1 if one failed.")]
pub(crate) struct ChatArgs {
    /// The model; else the topic's, the newest pair's, or the settings'
    #[arg(short, long)]
    pub(crate) model: Option<String>,

    #[command(flatten)]
    pub(crate) conversation: ConversationArgs,

    /// What to do with a request that is over the limit: ask, trim, fit or block
    #[arg(long, value_parser = parse_over_budget)]
    pub(crate) over_budget: Option<plimsoll_budget::OverBudget>,

    /// Whether Markdown is rendered; auto does it on a terminal
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) markdown: crate::markdown::MarkdownWhen,

    /// Wait at most so many seconds for the account's limits, or `go` at once
    #[arg(long, value_name = "SECONDS|go", default_value = "60", value_parser = parse_quota)]
    pub(crate) quota: plimsoll_app::QuotaChoice,
}
