//! `plimsoll restore`: a backup in the place of the store.

use plimsoll_store::StoreError;
use plimsoll_store_sql::SqlStore;

use crate::{
    args::{Location, RestoreArgs},
    failure::{Failure, note},
    input::unreadable,
    machine,
};

pub(crate) fn run(args: &RestoreArgs, location: &Location) -> Result<u8, Failure> {
    let file = &args.file;
    let about = std::fs::metadata(file).map_err(|error| unreadable(file, &error))?;
    if !about.is_file() || about.len() == 0 {
        return Err(refused(args, "it is no file with a store in it"));
    }
    let (path, _lock) = machine::lock_alone(location.data_dir())?;
    let now = machine::now();
    let kept = {
        let mut name = path.as_os_str().to_owned();
        let calendar = machine::calendar(now);
        name.push(calendar.strftime(".before-restore-%Y-%m-%dT%H-%M-%S%.3fZ").to_string());
        std::path::PathBuf::from(name)
    };
    machine::block_on(async {
        let restored = SqlStore::restore_sqlite(file, &path, &kept, now).await;
        let was_there = restored.map_err(|error| match error {
            StoreError::Locked => Failure::failed("another program has the store open")
                .hint("end it, then run this again; nothing was changed"),
            StoreError::DiskFull | StoreError::ReadOnly | StoreError::Exists(_) => {
                Failure::failed(format!("{}: {error}", path.display()))
            }
            StoreError::NotAStore(_) => refused(args, "it is not a Plimsoll store"),
            StoreError::Corrupt { .. } => refused(args, "it is damaged"),
            error => refused(args, &error.to_string()),
        })?;
        note(&format!("{} is the store now", file.display()));
        if was_there {
            note(&format!("the store before it is kept as {}", kept.display()));
        }
        Ok(0)
    })
}

fn refused(args: &RestoreArgs, why: &str) -> Failure {
    Failure::failed(format!("{}: {why}", args.file.display()))
        .hint("choose a file that `plimsoll backup` wrote; nothing was changed")
}
