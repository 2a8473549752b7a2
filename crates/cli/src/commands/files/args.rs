//! What can be typed after `files` and `gc`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// The files of the workspace: add, list, show, let go
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll files add report.pdf photo.jpg --words 'for the meeting'\n  \
    plimsoll files\n  \
    plimsoll files show report.pdf\n  \
    plimsoll files rm file-0198c7d2-…")]
pub(crate) struct FilesArgs {
    #[command(subcommand)]
    pub(crate) command: Option<FilesCommand>,

    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Subcommand, Debug)]
pub(crate) enum FilesCommand {
    /// Take files in
    Add {
        /// The files
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// The words that come with them; models read these
        #[arg(long)]
        words: Option<String>,
        /// Take in what looks like a secret too
        #[arg(long)]
        secrets: bool,
    },
    /// List them, newest first
    List,
    /// What is known of a file, and how it begins
    Show {
        /// Its id or name
        id: String,
        /// So many lines of a text
        #[arg(long, default_value_t = 10)]
        lines: usize,
    },
    /// Remove files; old messages will show a broken attachment
    Rm {
        /// Ids or names
        #[arg(required = true)]
        ids: Vec<String>,
    },
}

/// Remove the bytes of files that nothing refers to any more
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll gc                 what would go\n  \
    plimsoll gc --yes           let it go\n  \
    plimsoll gc --older-than 0  also what came a moment ago")]
pub(crate) struct GcArgs {
    /// Remove it; else it is only listed
    #[arg(long)]
    pub(crate) yes: bool,

    /// Keep what came within so many hours
    #[arg(long, value_name = "HOURS", default_value_t = 24)]
    pub(crate) older_than: u64,
}
