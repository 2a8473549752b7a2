//! `plimsoll gc` (BLB-4): a dry run first, always.

use std::time::Duration;

use plimsoll_app::{App, Collected};
use plimsoll_files::size_words;
use plimsoll_tokens::counted;

use super::GcArgs;
use crate::{
    args::Location,
    context::Context,
    failure::{Failure, note},
    machine,
    output::Output,
};

pub(crate) fn run(args: &GcArgs, location: &Location, output: &mut Output) -> Result<u8, Failure> {
    let context = Context::load()?;
    machine::block_on(async {
        let opened = machine::open(context, location).await?;
        let app = &opened.app;
        if opened.made {
            return Err(Failure::failed(
                "there was no store, so that nothing is known of what is needed",
            )
            .hint("`plimsoll restore FILE` puts a backup in its place; nothing was removed"));
        }
        app.open_workspace(&location.workspace).await?;
        let grace = Duration::from_secs(args.older_than.saturating_mul(3600));
        let garbage = app.garbage(&location.workspace, grace).await?;
        let (count, bytes) =
            garbage.found.iter().fold((0u64, 0u64), |(n, sum), one| (n + 1, sum + one.size));
        let young = match garbage.waiting {
            Collected { blobs: 0, .. } => String::new(),
            Collected { blobs, bytes } => format!(
                "; {} in {} wait until they are {} h old (--older-than 0 takes them now)",
                size_words(bytes),
                counted(blobs, "blob"),
                args.older_than
            ),
        };
        if let Collected { blobs: 1.., bytes } = garbage.unjudged {
            let (count, size) = (counted(garbage.unjudged.blobs, "blob"), size_words(bytes));
            note(&format!(
                "{count}, {size}, are older than this store, which cannot know who needs them: they stay"
            ));
        }
        if count == 0 {
            shrink(app, args.yes).await?;
            note(&format!("nothing to remove{young}"));
            return Ok(0);
        }
        if !args.yes {
            for one in &garbage.found {
                output.text(&format!("{:>10}  {}\n", size_words(one.size), one.name))?;
            }
            let (count, size) = (counted(count, "blob"), size_words(bytes));
            note(&format!("{count}, {size}; `plimsoll gc --yes` removes them{young}"));
            return Ok(0);
        }
        let findings = app.store().check().await?;
        if let Some(finding) = findings.first() {
            return Err(Failure::failed(format!("the store is damaged: {}", finding.0))
                .hint("`plimsoll verify` tells more; nothing was removed"));
        }
        shrink(app, args.yes).await?;
        let gone = app.collect(garbage).await?;
        let (count, size) = (counted(gone.blobs, "blob"), size_words(gone.bytes));
        note(&format!("removed {count}, {size}{young}"));
        Ok(0)
    })
}

/// Receipts of earlier versions are written anew, which take less room so (REL-9).
async fn shrink(app: &App, yes: bool) -> Result<(), Failure> {
    while yes && app.store().shrink().await? {}
    Ok(())
}
