//! What can be typed to bring conversations in and out, and to restore the store.

use std::path::PathBuf;

use clap::Args;
use plimsoll_app::{ExportFormat, ExportOrder};
use plimsoll_domain::HistoryScope;

use crate::conversation::parse_scope;

/// Import conversations from ChatGPT, Claude, JSONL or an export of Plimsoll
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll import chatgpt-export.zip\n  \
    plimsoll import conversations.json --topic /Old\n  \
    plimsoll import everything.zip\n  \
    zcat messages.jsonl.gz | plimsoll import - --json\n\n\
    What a file is shows in its content: ChatGPT's and Claude's exports (the zip, or the\n\
    conversations.json in it), OpenAI-style messages with one object a line, and what\n\
    `plimsoll export` wrote. What is there already is not imported twice, so it can be run\n\
    again. A file with a mistake changes nothing, unless --skip-bad is given.")]
pub(crate) struct ImportArgs {
    /// The file; `-` is standard input
    pub(crate) file: PathBuf,

    /// Put everything below this topic, as a path /A/B
    #[arg(long, value_name = "PATH")]
    pub(crate) topic: Option<String>,

    /// Leave out what cannot be read, and take the rest
    #[arg(long)]
    pub(crate) skip_bad: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Export what a filter shows
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll export -o everything.zip\n  \
    plimsoll export --filter \"t'Sea'... & s>=2\" --format md --order topic -o sea.md\n  \
    plimsoll export --topic /Sea --scope conversation -o sea.json\n  \
    plimsoll export --format txt | less\n  \
    plimsoll export --user ann -o ann.zip\n\n\
    json and zip lose nothing and can be imported again. Attached files are in the zip; the\n\
    json names them and leaves their bytes where they are. md and txt are for people.")]
pub(crate) struct ExportArgs {
    /// Which pairs, in the filter language; else all
    #[arg(long, default_value = "")]
    pub(crate) filter: String,

    /// How it is written: json, zip, md or txt [default: zip if the file's name ends so, else json]
    #[arg(long, value_parser = parse_format)]
    pub(crate) format: Option<ExportFormat>,

    /// In which order: time or topic
    #[arg(long, default_value = "time", value_parser = parse_order)]
    pub(crate) order: ExportOrder,

    /// The topic that a bare `t` means, as a path /A/B or an id; with --scope conversation the one
    /// that is exported
    #[arg(long, value_name = "PATH")]
    pub(crate) topic: Option<String>,

    /// What is looked at: conversation, which --topic names, or everything
    #[arg(long, default_value = "everything", value_parser = parse_scope)]
    pub(crate) scope: HistoryScope,

    /// The model that a bare `m` means, and whose window `o` asks of
    #[arg(short, long)]
    pub(crate) model: Option<String>,

    /// The file to write; else standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Replace the file if it is there
    #[arg(long, requires = "output")]
    pub(crate) force: bool,

    /// All that is somebody's of a team, as an archive: every workspace of their own project with
    /// files and memory, what they used, and what the log says of them
    #[arg(long, value_name = "NAME", requires = "output",
        conflicts_with_all = ["filter", "format", "order", "topic", "scope", "model"])]
    pub(crate) user: Option<String>,
}

/// Replace the store with a backup; the present store is kept beside it
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  plimsoll restore plimsoll-2026-11-15.db\n\n\
    The backup is checked before anything is touched. No other plimsoll may be running.")]
pub(crate) struct RestoreArgs {
    /// What `plimsoll backup` wrote
    pub(crate) file: PathBuf,
}

/// Move everything into another place: PostgreSQL for a team, or a directory of one's own
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll move --to postgres://plimsoll@db.example/plimsoll\n  \
    plimsoll move --to postgres://db.example/plimsoll --to-blobs s3://bucket/plimsoll\n  \
    plimsoll --store postgres://plimsoll@db.example/plimsoll move --to ~/plimsoll\n\n\
    Everything stays where it is as well. The database or directory must be empty; a move that was\n\
    stopped goes on when it is run again. At the end both are compared. The contents of attached\n\
    files go into the directory, or into the bucket of --to-blobs; without it they stay where they\n\
    are. No other plimsoll may be running on either.")]
pub(crate) struct MoveArgs {
    /// The address of a database, or a directory
    #[arg(long, value_name = "PLACE")]
    pub(crate) to: String,

    /// An object store for the contents of attached files
    #[arg(long, value_name = "s3://BUCKET/PREFIX")]
    pub(crate) to_blobs: Option<String>,
}

fn parse_format(text: &str) -> Result<ExportFormat, String> {
    match text {
        "json" => Ok(ExportFormat::Json),
        "zip" => Ok(ExportFormat::Zip),
        "md" => Ok(ExportFormat::Markdown),
        "txt" => Ok(ExportFormat::Text),
        _ => Err("it is one of json, zip, md, txt".to_owned()),
    }
}

fn parse_order(text: &str) -> Result<ExportOrder, String> {
    match text {
        "time" => Ok(ExportOrder::Time),
        "topic" => Ok(ExportOrder::Topic),
        _ => Err("it is one of time, topic".to_owned()),
    }
}
