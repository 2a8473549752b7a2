//! What can be typed about the books, the settings and the keys.

use std::path::PathBuf;

use clap::{Args, Subcommand};

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
    plimsoll keys set openai            asks for it, and does not show it\n  \
    plimsoll keys set openai < key.txt\n  \
    plimsoll keys test openai\n  \
    plimsoll keys set openai --file < key.txt\n  \
    plimsoll keys rm openai")]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    pub(crate) command: KeysCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum KeysCommand {
    /// Keep a key: in the keyring if one answers, else in a file. It is asked for, or piped in
    Set {
        /// Such as openai or anthropic
        provider: String,
        /// In the keyring of this machine; those of Windows and of a Mac are untested
        #[arg(long, conflicts_with = "file")]
        keyring: bool,
        /// In a file that only you can read
        #[arg(long)]
        file: bool,
        /// The server that the key is for, if it is another than the provider's own and those
        /// of your models.toml; may be given more than once
        #[arg(long = "for", value_name = "URL")]
        servers: Vec<String>,
    },
    /// Ask the provider whether it takes the key
    Test {
        /// Such as openai or anthropic
        provider: String,
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
}

/// Check store, keys, models and servers, and say what is missing
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  plimsoll doctor\n  plimsoll doctor --json | jq .healthy")]
pub(crate) struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Check that the store and the contents of files are whole, and say what is damaged
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll verify              pages, references, indexes, sizes of files\n  \
    plimsoll verify --read-data  every byte of every file too\n  \
    plimsoll verify --set-aside  move a damaged store out of the way\n\n\
    The exit status is 1 where something is damaged.")]
pub(crate) struct VerifyArgs {
    /// Read all files and compare them with their hashes
    #[arg(long)]
    pub(crate) read_data: bool,

    /// Move a damaged store, or a file in its place that is none, to another name beside it
    #[arg(long, conflicts_with_all = ["read_data", "json"])]
    pub(crate) set_aside: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
