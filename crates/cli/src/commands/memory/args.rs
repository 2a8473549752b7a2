//! What can be typed after `memory`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use plimsoll_memory::DetailLevel;
use plimsoll_store::Scope;

use super::{meaning::MeaningArgs, sync::SyncArgs};

/// The memory that coding agents share: save, search, look around, take it along
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll memory save 'Ports start at 7411' 'Below are taken on CI.' --type decision\n  \
    git log -1 --format=%B | plimsoll memory save 'Why the last change'\n  \
    plimsoll memory search 'ports ci' --since 7d --max-tokens 500\n  \
    plimsoll memory context --project plimsoll --detail summary\n  \
    plimsoll memory timeline 42 --before 3 --after 3\n  \
    plimsoll memory save 'Sessions renew at 3/4' 'Half was too late.' --anchor src/auth.rs#renew\n  \
    plimsoll memory delete 42 && plimsoll memory restore 42\n  \
    plimsoll memory export memory.jsonl\n  \
    plimsoll memory sync notes --project plimsoll\n  \
    plimsoll memory stats --json | jq .total\n\n\
    It prints what an agent would be told, footers included: `plimsoll mcp` serves the same\n\
    memory. A note without --project is of the project whose folder this is.")]
pub(crate) struct MemoryArgs {
    #[command(subcommand)]
    pub(crate) command: MemoryCommand,

    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Subcommand, Debug)]
pub(crate) enum MemoryCommand {
    /// Keep a note
    Save(SaveArgs),
    /// Find notes and prompts by their words
    Search(SearchArgs),
    /// What was worked on lately: sessions, prompts, notes
    Context(ContextArgs),
    /// A note among those of its session
    Timeline(TimelineArgs),
    /// The whole of a note, or an earlier text of it
    Show(ShowArgs),
    /// Delete a note; `restore` brings it back until it is purged
    Delete {
        /// The note
        id: u64,

        /// Leave nothing of it
        #[arg(long)]
        hard: bool,
    },
    /// Bring back a note that was deleted
    Restore {
        /// The note
        id: u64,
    },
    /// The notes that were deleted and can be brought back
    Deleted,
    /// What agents saved and a person has not looked at yet (the setting memoryReview)
    Pending,
    /// Let what waits for review count
    Approve {
        /// The numbers that `pending` shows
        #[arg(required_unless_present = "all")]
        ids: Vec<u64>,

        /// All of it
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
    /// Delete what waits for review; `restore` brings a new note back
    Reject {
        /// The numbers that `pending` shows
        #[arg(required = true)]
        ids: Vec<u64>,
    },
    /// Write all of it to a file, one record a line
    Export(ExportArgs),
    /// Bring in what `export` wrote; what is there already stays
    Import {
        /// The file; `-` is standard input
        file: PathBuf,
    },
    /// Search by meaning too, with a small model in this program
    Meaning(MeaningArgs),
    /// Keep notes as Markdown files that git can merge, and read back what was changed there
    Sync(SyncArgs),
    /// What it holds
    Stats {
        /// Only this project
        #[arg(long)]
        project: Option<String>,
    },
}

#[derive(Args, Debug)]
pub(crate) struct SaveArgs {
    /// One line
    pub(crate) title: String,

    /// The text; else standard input
    pub(crate) content: Option<String>,

    /// decision, architecture, bugfix, pattern, config, discovery, learning, or your own word
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,

    /// The project; else the one whose folder this is
    #[arg(long)]
    pub(crate) project: Option<String>,

    /// For everybody on the project, or for one person: project or personal
    #[arg(long, default_value = "project", value_parser = parse_scope)]
    pub(crate) scope: Scope,

    /// The note that has this key already gets the new text, and keeps the old as a revision
    #[arg(long, value_name = "KEY")]
    pub(crate) topic_key: Option<String>,

    /// A room of its own
    #[arg(long)]
    pub(crate) namespace: Option<String>,

    /// The session that it belongs to
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,

    /// A note that it relates to; may be given more than once
    #[arg(long, value_name = "ID")]
    pub(crate) relate_to: Vec<u64>,

    /// What it is about, from the project's root: src/auth.rs, src/auth.rs#Session::renew or
    /// commit:1f3c9a2; may be given more than once
    #[arg(long, value_name = "NAME")]
    pub(crate) anchor: Vec<String>,

    /// A note whose place it takes; may be given more than once
    #[arg(long, value_name = "ID")]
    pub(crate) supersedes: Vec<u64>,

    /// When it does not count any more: a day as 2026-12-31, a time, or an age as 30d
    #[arg(long, value_name = "TIME")]
    pub(crate) expires: Option<String>,
}

/// How a read is told.
#[derive(Args, Debug)]
pub(crate) struct ReadingArgs {
    /// How much of each: summary, standard or full
    #[arg(long, value_name = "LEVEL", default_value = "standard", value_parser = parse_detail)]
    pub(crate) detail: DetailLevel,

    /// What the answer may weigh in tokens
    #[arg(long, value_name = "N", value_parser = parse_max_tokens)]
    pub(crate) max_tokens: Option<u64>,
}

/// Which of the memory.
#[derive(Args, Debug)]
pub(crate) struct WhichArgs {
    /// Only this project
    #[arg(long)]
    pub(crate) project: Option<String>,

    /// Only project or personal notes
    #[arg(long, value_parser = parse_scope)]
    pub(crate) scope: Option<Scope>,

    /// Only this namespace
    #[arg(long)]
    pub(crate) namespace: Option<String>,

    /// How many at most
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// Any words; those in double quotes stand together
    #[arg(required = true)]
    pub(crate) query: Vec<String>,

    /// Only this type
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,

    /// Only what was written since: a day as 2026-11-01, a time, or an age as 7d
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,

    #[command(flatten)]
    pub(crate) which: WhichArgs,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ContextArgs {
    #[command(flatten)]
    pub(crate) which: WhichArgs,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Args, Debug)]
pub(crate) struct TimelineArgs {
    /// The note
    pub(crate) id: u64,

    /// How many before it; 5 if not given
    #[arg(long, value_name = "N")]
    pub(crate) before: Option<usize>,

    /// How many after it; 5 if not given
    #[arg(long, value_name = "N")]
    pub(crate) after: Option<usize>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// The note
    pub(crate) id: u64,

    /// An earlier text of it; 1 is the first
    #[arg(long, value_name = "N")]
    pub(crate) revision: Option<u64>,
}

#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// The file; else standard output
    pub(crate) file: Option<PathBuf>,

    /// Replace the file that is there
    #[arg(long)]
    pub(crate) force: bool,
}

fn parse_scope(text: &str) -> Result<Scope, String> {
    text.parse().map_err(|error: plimsoll_store::BadScope| error.to_string())
}

fn parse_detail(text: &str) -> Result<DetailLevel, String> {
    text.parse().map_err(|error: plimsoll_memory::BadDetailLevel| error.to_string())
}

fn parse_max_tokens(text: &str) -> Result<u64, String> {
    plimsoll_budget::parse_max_tokens(text).map_err(|error| error.to_string())
}
