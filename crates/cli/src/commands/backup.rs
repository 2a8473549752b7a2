//! `plimsoll backup`: a whole copy of the store.

use crate::{
    args::BackupArgs,
    context::Context,
    failure::{Failure, note},
    machine,
};

pub(crate) fn run(args: &BackupArgs) -> Result<u8, Failure> {
    let context = Context::load()?;
    machine::block_on(async {
        let opened = machine::open(context, args.data_dir.as_deref()).await?;
        let done = opened.app.store().backup_to(&args.file).await;
        done.map_err(|error| Failure::failed(format!("{}: {error}", args.file.display())))?;
        note(&format!("the store was copied to {}", args.file.display()));
        Ok(0)
    })
}
