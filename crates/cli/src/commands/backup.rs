//! `plimsoll backup`: a whole copy of the store.

use plimsoll_app::Audited;
use plimsoll_files::size_words;
use plimsoll_tokens::counted;

use crate::{
    args::{BackupArgs, Location},
    context::Context,
    failure::{Failure, note},
    machine,
};

pub(crate) fn run(args: &BackupArgs, location: &Location) -> Result<u8, Failure> {
    let context = Context::load()?;
    machine::block_on(async {
        let opened = machine::open(context, location).await?;
        let done = opened.app.store().backup_to(&args.file).await;
        done.map_err(|error| Failure::failed(format!("{}: {error}", args.file.display())))?;
        opened.app.note_at_terminal(Audited::Exported, "the whole store, as a backup").await?;
        note(&format!("the store was copied to {}", args.file.display()));
        let beside = opened.app.beside_the_store().await?;
        if beside.blobs > 0 {
            let (blobs, bytes) = (counted(beside.blobs, "file"), size_words(beside.bytes));
            let place = beside.place;
            note(&format!(
                "the contents of attached files are not in it: {blobs}, {bytes}, in \
                 {place}; `plimsoll export --format zip` takes a workspace along with them"
            ));
        }
        Ok(0)
    })
}
