//! `plimsoll move` (TEA-4): everything into another place.

use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};
use plimsoll_store::StoreError;
use plimsoll_store_sql::{OpenOptions, SqlStore, transfer};
use plimsoll_tokens::counted;

use crate::{
    args::{Location, MoveArgs},
    context::Context,
    failure::{Failure, note},
    machine,
    stores::{self, StorePlace},
};

pub(crate) fn run(args: &MoveArgs, location: &Location) -> Result<u8, Failure> {
    let context = Context::load()?;
    let (path, _lock) = machine::lock_alone(location.data_dir())?;
    let from = match location.store(&context.settings) {
        Some(address) => StorePlace::Server(address.to_owned()),
        None => StorePlace::File(path),
    };
    let to = target(&args.to)?;
    if from == to {
        return Err(Failure::usage(format!("the store is at {to} already")));
    }
    machine::block_on(async {
        let moved = move_all(&from, &to).await?;
        note(&format!("{} were moved from {from} to {to}, and compared", counted(moved, "row")));
        note(&format!("{from} is left as it was"));
        match &to {
            StorePlace::Server(_) => note(
                "`plimsoll settings set store ADDRESS`, PLIMSOLL_STORE or --store makes it the store",
            ),
            StorePlace::File(path) => {
                let directory = path.parent().unwrap_or(path).display();
                note(&format!("--data-dir {directory} makes it the store"));
            }
        }
        Ok(0)
    })
}

fn target(to: &str) -> Result<StorePlace, Failure> {
    if to.contains("://") {
        return Ok(StorePlace::Server(to.to_owned()));
    }
    let directory = std::path::absolute(PathBuf::from(to))
        .map_err(|error| Failure::usage(format!("{to}: {error}")))?;
    std::fs::create_dir_all(&directory).map_err(|error| {
        Failure::failed(format!("cannot make the directory {}: {error}", directory.display()))
    })?;
    Ok(StorePlace::File(directory.join("plimsoll.db")))
}

async fn move_all(from: &StorePlace, to: &StorePlace) -> Result<u64, Failure> {
    let now = machine::now();
    let failed = |place: &StorePlace, error: StoreError| match error {
        StoreError::Exists(_) => Failure::failed(format!("{to}: there is something in it already"))
            .hint("choose an empty database, or a directory without a store; nothing was changed"),
        error => Failure::failed(format!("{place}: {error}")),
    };
    let file = |path: PathBuf, place: StorePlace| async move {
        let store = SqlStore::open_sqlite(&path, OpenOptions::default(), now).await;
        store.map_err(|error| failed(&place, error))
    };
    // One that is not there would be made, and moved as nothing.
    if let StorePlace::File(path) = from
        && !path.exists()
    {
        return Err(Failure::failed(format!("{from}: there is no store"))
            .hint("--data-dir DIR or --store ADDRESS names another"));
    }
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} rows");
    let bar = ProgressBar::new(0);
    let bar = match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    };
    let mut told = |done: u64, of: u64| {
        bar.set_length(of);
        bar.set_position(done);
    };
    let moved = match (from, to) {
        (StorePlace::File(here), StorePlace::File(there)) => {
            let (here, there) =
                (file(here.clone(), from.clone()).await?, file(there.clone(), to.clone()).await?);
            transfer(&here, &there, &mut told).await
        }
        (StorePlace::File(here), StorePlace::Server(there)) => {
            let there = stores::open_server(there, now).await?;
            let here = file(here.clone(), from.clone()).await?;
            transfer(&here, &there, &mut told).await
        }
        (StorePlace::Server(here), StorePlace::File(there)) => {
            let here = stores::open_server(here, now).await?;
            let there = file(there.clone(), to.clone()).await?;
            transfer(&here, &there, &mut told).await
        }
        (StorePlace::Server(here), StorePlace::Server(there)) => {
            let here = stores::open_server(here, now).await?;
            let there = stores::open_server(there, now).await?;
            transfer(&here, &there, &mut told).await
        }
    };
    bar.finish_and_clear();
    moved.map_err(|error| failed(to, error))
}
