//! `plimsoll verify` (REL-10): whether the store and the contents of files are whole.

use std::path::Path;

use plimsoll_app::{ReadData, Verified};
use plimsoll_store::StoreError;
use plimsoll_store_sql::SqlStore;
use plimsoll_tokens::commas;

use crate::{
    args::{Location, VerifyArgs},
    context::Context,
    failure::{Failure, note},
    machine,
    output::{Output, printable},
};

/// So many damaged things are named; the rest is counted.
const NAMED: usize = 100;

pub(crate) fn run(
    args: &VerifyArgs,
    location: &Location,
    output: &mut Output,
) -> Result<u8, Failure> {
    if args.set_aside {
        return set_aside(location);
    }
    let path = machine::data_path(location.data_dir()).unwrap_or_default().join("plimsoll.db");
    machine::block_on(async {
        let verified = look(args, location, &path).await?;
        tell(&verified, args, output)?;
        Ok(u8::from(!verified.damage.is_empty()))
    })
}

/// The store is only read until it is known to be sound: what opening it does besides, such as
/// ending what was interrupted, is done to sound stores.
async fn look(args: &VerifyArgs, location: &Location, path: &Path) -> Result<Verified, Failure> {
    let failed = |error: StoreError| Failure::failed(format!("{}: {error}", path.display()));
    let log = path.with_file_name("plimsoll.db-wal");
    if path.symlink_metadata().is_err() && log.symlink_metadata().is_err() {
        return Err(Failure::failed(format!("{}: there is no store", path.display()))
            .hint("--data-dir DIR or PLIMSOLL_DATA_DIR names another place"));
    }
    let findings = SqlStore::look_through_sqlite(path).await.map_err(failed)?;
    if !findings.is_empty() {
        let damage = findings.into_iter().map(|finding| finding.0).collect();
        return Ok(Verified { damage, ..Verified::default() });
    }
    let opened = machine::open(Context::load()?, location).await?;
    let read = if args.read_data { ReadData::All } else { ReadData::Quick };
    Ok(opened.app.verify(read).await?)
}

fn tell(verified: &Verified, args: &VerifyArgs, output: &mut Output) -> Result<(), Failure> {
    let Verified { damage, blobs, read } = verified;
    if args.json {
        let told = serde_json::json!({
            "sound": damage.is_empty(), "damage": damage, "files": blobs, "filesRead": read,
        });
        return output.json(&told);
    }
    for line in damage.iter().take(NAMED) {
        output.text(&format!("{}\n", printable(line)))?;
    }
    if damage.len() > NAMED {
        output.text(&format!("and {} more\n", commas((damage.len() - NAMED) as u64)))?;
    }
    let files = format!("{} of {} contents of files were read", commas(*read), commas(*blobs));
    match damage.len() {
        0 => {
            output.text(&format!("The store is sound; {files}.\n"))?;
            if read < blobs {
                note("`plimsoll verify --read-data` reads the rest too");
            }
        }
        _ => note(
            "it is damaged; `plimsoll restore FILE` puts a backup of the store in its place, \
             `plimsoll verify --set-aside` moves a damaged store out of the way; a file that is \
             attached again is whole again",
        ),
    }
    Ok(())
}

/// Nobody else may have it open, and what is sound stays.
fn set_aside(location: &Location) -> Result<u8, Failure> {
    let (path, _lock) = machine::lock_alone(location.data_dir())?;
    machine::block_on(async {
        let moved = SqlStore::set_aside_sqlite(&path).await;
        match moved.map_err(|error| Failure::failed(format!("{}: {error}", path.display())))? {
            Some(aside) => {
                note(&format!("the damaged store is kept as {}", aside.display()));
                note(
                    "the next command makes a new one; `plimsoll restore FILE` puts a backup here",
                );
                Ok(0)
            }
            None => Err(Failure::failed(format!("{}: the store is sound", path.display()))
                .hint("only a damaged one is set aside; nothing was changed")),
        }
    })
}
