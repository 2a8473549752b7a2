//! `plimsoll undo`: what was deleted comes back (REC-5).

use clap::Args;
use plimsoll_app::{App, AppError, restored_words};
use plimsoll_domain::DeletionId;
use plimsoll_store::{Deletion, Noun, StoreError, Workspace};
use plimsoll_tokens::commas;
use serde_json::{Value, json};

use crate::{
    args::Location,
    context::Context,
    failure::Failure,
    machine,
    output::{Output, printable},
};

/// Bring back what was deleted last, or list what can be brought back
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll undo                     what was deleted last is back\n  \
    plimsoll undo --list              what can be brought back, newest first\n  \
    plimsoll undo 019a…               what that deletion took is back\n  \
    plimsoll undo 019a… --for-good    it cannot be brought back any more\n\n\
    Deleted things are kept for the hours of the setting keepDeleted.")]
pub(crate) struct UndoArgs {
    /// A deletion of the list; else the newest
    pub(crate) id: Option<String>,

    /// List what can be brought back
    #[arg(long, conflicts_with = "id")]
    pub(crate) list: bool,

    /// Delete for good what this deletion took
    #[arg(long, requires = "id")]
    pub(crate) for_good: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(
    args: &UndoArgs,
    location: &Location,
    output: &mut Output,
) -> Result<u8, Failure> {
    let context = Context::load()?;
    machine::block_on(async {
        let opened = machine::open(context, location).await?;
        let app = &opened.app;
        if args.list {
            list(app, &location.workspace, args.json, output).await?;
            return Ok(0);
        }
        let id =
            args.id.as_deref().map(|text| DeletionId::parse(text).ok_or_else(none)).transpose()?;
        if let (Some(id), true) = (id, args.for_good) {
            let purged = app.purge_deletion(&location.workspace, id).await;
            if !purged? {
                return Err(none());
            }
            match args.json {
                true => output.json(&json!({ "purged": id.to_string() }))?,
                false => output.text("It is deleted for good.\n")?,
            }
            return Ok(0);
        }
        let restored = app.undo(&location.workspace, id).await.map_err(|error| match error {
            AppError::Store(StoreError::NotFound(Noun::Deletion)) => none(),
            error => error.into(),
        })?;
        match args.json {
            true => output.json(&row(&restored.deletion))?,
            false => {
                output.text(&format!("{}\n", printable(&restored_words(&restored.deletion))))?
            }
        }
        Ok(0)
    })
}

fn none() -> Failure {
    Failure::failed("there is nothing to bring back")
        .hint("`plimsoll undo --list` says what there is; older things are gone for good")
}

fn row(deletion: &Deletion) -> Value {
    json!({
        "id": deletion.id.to_string(),
        "at": deletion.at.millis(),
        "kind": deletion.kind.name(),
        "count": deletion.count,
        "words": deletion.words,
    })
}

async fn list(
    app: &App,
    workspace: &Workspace,
    json: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    let all = app.deletions(workspace).await?;
    if json {
        let rows: Vec<Value> = all.iter().map(row).collect();
        return output.json(&json!({ "deletions": rows }));
    }
    if all.is_empty() {
        return output.text("Nothing was deleted lately.\n");
    }
    for deletion in &all {
        let (id, kind) = (deletion.id, deletion.kind.name());
        let count = commas(deletion.count);
        output.text(&format!("{id}  {count} {kind}  {}\n", printable(&deletion.words)))?;
    }
    Ok(())
}
