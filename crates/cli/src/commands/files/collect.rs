//! `plimsoll gc` (BLB-4): a dry run first, always.

use std::time::Duration;

use plimsoll_app::Collected;
use plimsoll_files::size_words;
use plimsoll_store::Workspace;
use plimsoll_tokens::commas;

use super::GcArgs;
use crate::{
    context::Context,
    failure::{Failure, note},
    machine,
    output::Output,
};

pub(crate) fn run(args: &GcArgs, workspace: &str, output: &mut Output) -> Result<u8, Failure> {
    let workspace =
        Workspace::parse(workspace).map_err(|error| Failure::usage(error.to_string()))?;
    let context = Context::load()?;
    machine::block_on(async {
        let opened = machine::open(context, args.data_dir.as_deref()).await?;
        let app = &opened.app;
        app.open_workspace(&workspace).await.map_err(|error| Failure::app(&error))?;
        let grace = Duration::from_secs(args.older_than.saturating_mul(3600));
        let garbage = app.garbage(&workspace, grace).await.map_err(|error| Failure::app(&error))?;
        let (count, bytes) =
            garbage.found.iter().fold((0u64, 0u64), |(n, sum), one| (n + 1, sum + one.size));
        let young = match garbage.waiting {
            Collected { blobs: 0, .. } => String::new(),
            Collected { blobs, bytes } => format!(
                "; {} in {} wait until they are {} h old (--older-than 0 takes them now)",
                size_words(bytes),
                counted(blobs),
                args.older_than
            ),
        };
        if count == 0 {
            note(&format!("nothing to remove{young}"));
            return Ok(0);
        }
        if !args.yes {
            for one in &garbage.found {
                output.text(&format!("{:>10}  {}\n", size_words(one.size), one.name))?;
            }
            let (count, size) = (counted(count), size_words(bytes));
            note(&format!("{count}, {size}; `plimsoll gc --yes` removes them{young}"));
            return Ok(0);
        }
        let gone = app.collect(garbage).await.map_err(|error| Failure::app(&error))?;
        let (count, size) = (counted(gone.blobs), size_words(gone.bytes));
        note(&format!("removed {count}, {size}{young}"));
        Ok(0)
    })
}

fn counted(blobs: u64) -> String {
    format!("{} {}", commas(blobs), if blobs == 1 { "blob" } else { "blobs" })
}
