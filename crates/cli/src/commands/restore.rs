//! `plimsoll restore`: a backup in the place of the store.

use std::path::Path;

use plimsoll_config::without_password;
use plimsoll_store::StoreError;
use plimsoll_store_sql::{OpenOptions, SqlStore, transfer};

use crate::{
    args::{Location, RestoreArgs},
    context::Context,
    failure::{Failure, note},
    input::unreadable,
    machine, stores,
};

pub(crate) fn run(args: &RestoreArgs, location: &Location) -> Result<u8, Failure> {
    let file = &args.file;
    let about = std::fs::metadata(file).map_err(|error| unreadable(file, &error))?;
    if !about.is_file() || about.len() == 0 {
        return Err(refused(args, "it is no file with a store in it"));
    }
    let (path, _lock) = machine::lock_alone(location.data_dir())?;
    let now = machine::now();
    let context = Context::load()?;
    let address = location.store(&context.settings);
    let kept = {
        let mut name = path.as_os_str().to_owned();
        let calendar = machine::calendar(now);
        name.push(calendar.strftime(".before-restore-%Y-%m-%dT%H-%M-%S%.3fZ").to_string());
        std::path::PathBuf::from(name)
    };
    if let Some(address) = address {
        return machine::block_on(into_server(args, address, &kept));
    }
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

/// The store that is there is kept in a file first. One that was stopped in the midst is refused by
/// every command until this is run again.
async fn into_server(args: &RestoreArgs, address: &str, kept: &Path) -> Result<u8, Failure> {
    let now = machine::now();
    let failed = |error: StoreError| match error {
        StoreError::NotAStore(_) => refused(args, "it is not a Plimsoll store"),
        StoreError::Corrupt { .. } => refused(args, "it is damaged"),
        error => Failure::failed(format!("{}: {error}", without_password(address))),
    };
    let findings = SqlStore::look_through_sqlite(&args.file).await.map_err(failed)?;
    if !findings.is_empty() {
        return Err(refused(args, "it is damaged"));
    }
    // A backup of an earlier version is brought up to date in a copy: it is only read itself.
    let scratch = tempfile::tempdir()
        .map_err(|error| Failure::failed(format!("no room for a copy: {error}")))?;
    let copy = scratch.path().join("plimsoll.db");
    std::fs::copy(&args.file, &copy).map_err(|error| unreadable(&args.file, &error))?;
    let backup = SqlStore::open_sqlite(&copy, OpenOptions::default(), now).await.map_err(failed)?;
    let store = stores::open_server(address, OpenOptions::default(), now).await?;
    let was_there = store.empty_into(kept).await.map_err(|error| match error {
        StoreError::Locked => Failure::failed("another plimsoll has the store open")
            .hint("end it, then run this again; nothing was changed"),
        error => failed(error),
    })?;
    transfer(&backup, &store, &mut |_, _| {}).await.map_err(failed)?;
    note(&format!("{} is the store now", args.file.display()));
    if was_there {
        note(&format!("the store before it is kept as {}", kept.display()));
    }
    Ok(0)
}

fn refused(args: &RestoreArgs, why: &str) -> Failure {
    Failure::failed(format!("{}: {why}", args.file.display()))
        .hint("choose a file that `plimsoll backup` wrote; nothing was changed")
}
