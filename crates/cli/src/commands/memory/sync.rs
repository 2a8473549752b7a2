//! Notes as Markdown files that git can merge (MEM-17).

use clap::Args;
use plimsoll_memory::{Memory, SyncAsk, SyncError, Synced};
use plimsoll_tokens::commas;
use serde_json::json;
use std::path::PathBuf;

use crate::{
    failure::{Failure, note},
    machine,
    output::{Output, printable},
};

#[derive(Args, Debug)]
pub(crate) struct SyncArgs {
    /// The folder; it is made if it is not there
    pub(crate) folder: PathBuf,

    /// Only notes of this project
    #[arg(long)]
    pub(crate) project: Option<String>,

    /// Personal notes too
    #[arg(long)]
    pub(crate) personal: bool,

    /// Delete notes even where most files are gone
    #[arg(long)]
    pub(crate) delete_many: bool,

    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
}

pub(super) async fn sync(
    memory: &Memory,
    args: &SyncArgs,
    as_json: bool,
    output: &mut Output,
) -> Result<u8, Failure> {
    let ask = SyncAsk {
        folder: args.folder.clone(),
        project: args.project.clone(),
        personal: args.personal,
        delete_many: args.delete_many,
        dry_run: args.dry_run,
        fresh_id: machine::random_name(),
    };
    let synced = memory.sync(&ask).await.map_err(|error| match error {
        SyncError::Ask(error) => Failure::usage(error.to_string()),
        other => Failure::failed(other.to_string()),
    })?;
    if as_json {
        output.json(&json!({
            "written": synced.written,
            "read": synced.read,
            "removed": synced.removed,
            "deleted": synced.deleted,
            "bothChanged": synced.both_changed,
            "lines": synced.lines,
            "would": synced.would,
        }))?;
        return Ok(0);
    }
    for line in &synced.lines {
        note(&printable(line));
    }
    for line in &synced.would {
        output.text(&format!("{}\n", printable(line)))?;
    }
    output.text(&format!("{}\n", told(&synced, args.dry_run)))?;
    Ok(0)
}

fn told(synced: &Synced, dry_run: bool) -> String {
    let counts = [
        (synced.written, "written to files"),
        (synced.read, "read from files"),
        (synced.deleted, "deleted, as their files were"),
        (synced.removed, "files removed, as their notes were"),
    ];
    let parts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", commas(*count)))
        .collect();
    match (parts.is_empty(), dry_run) {
        (true, _) => "Both sides are the same.".to_owned(),
        (false, false) => format!("Notes: {}.", parts.join(", ")),
        (false, true) => format!("Nothing was done. Notes that would be: {}.", parts.join(", ")),
    }
}
