//! `plimsoll move` (TEA-4): everything into another place.

use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};
use plimsoll_app::FilePlace;
use plimsoll_store::{StoreError, engine::Engine};
use plimsoll_store_sql::{OpenOptions, SqlStore, transfer, workspaces};
use plimsoll_tokens::counted;

use crate::{
    args::{Location, MoveArgs},
    context::Context,
    failure::{Failure, note},
    machine, objects,
    stores::{self, StorePlace},
};

pub(crate) fn run(args: &MoveArgs, location: &Location) -> Result<u8, Failure> {
    let mut context = Context::load()?;
    let (path, _lock) = machine::lock_alone(location.data_dir())?;
    let from = match location.store(&context.settings) {
        Some(address) => StorePlace::Server(address.to_owned()),
        None => StorePlace::File(path),
    };
    let to = target(&args.to)?;
    if from == to {
        return Err(Failure::usage(format!("the store is at {to} already")));
    }
    let files = file_places(args, location, &mut context, &to)?;
    machine::block_on(async {
        let Moved { rows, files } = move_all(&from, &to, files.as_ref()).await?;
        note(&format!("{} were moved from {from} to {to}, and compared", counted(rows, "row")));
        match files {
            Some(files) => {
                note(&format!("the contents of {} were copied as well", counted(files, "file")));
            }
            None => {
                note("the contents of attached files stay where they are; --to-blobs moves them");
            }
        }
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

/// Where the contents of files are, and where they go; none if they stay.
fn file_places(
    args: &MoveArgs,
    location: &Location,
    context: &mut Context,
    to: &StorePlace,
) -> Result<Option<(FilePlace, FilePlace)>, Failure> {
    let usage = |error: plimsoll_config::SettingsError| Failure::usage(error.to_string());
    let directory = machine::data_path(location.data_dir()).unwrap_or_default();
    if let Some(address) = &location.blobs {
        context.settings.set_flag("blobs", address.clone()).map_err(usage)?;
    }
    let here = FilePlace {
        conversations: directory.join("conversations"),
        objects: objects::connect(&context.settings, &directory)?,
    };
    let there = match (&args.to_blobs, to) {
        (Some(address), _) => {
            context.settings.set_flag("blobs", address.clone()).map_err(usage)?;
            let objects = objects::connect(&context.settings, &directory)?;
            FilePlace { conversations: directory.join("conversations"), objects }
        }
        (None, StorePlace::File(path)) => {
            let directory = path.parent().unwrap_or(path);
            FilePlace { conversations: directory.join("conversations"), objects: None }
        }
        (None, StorePlace::Server(_)) => return Ok(None),
    };
    Ok(Some((here, there)))
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

async fn move_all(
    from: &StorePlace,
    to: &StorePlace,
    files: Option<&(FilePlace, FilePlace)>,
) -> Result<Moved, Failure> {
    let now = machine::now();
    let file = |path: PathBuf, place: StorePlace| async move {
        let store = SqlStore::open_sqlite(&path, OpenOptions::default(), now).await;
        store.map_err(|error| Failure::failed(format!("{place}: {error}")))
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
            both((&here, &there), files, &mut told).await
        }
        (StorePlace::File(here), StorePlace::Server(there)) => {
            let there = stores::open_server(there, OpenOptions::default(), now).await?;
            let here = file(here.clone(), from.clone()).await?;
            both((&here, &there), files, &mut told).await
        }
        (StorePlace::Server(here), StorePlace::File(there)) => {
            let here = stores::open_server(here, OpenOptions::default(), now).await?;
            let there = file(there.clone(), to.clone()).await?;
            both((&here, &there), files, &mut told).await
        }
        (StorePlace::Server(here), StorePlace::Server(there)) => {
            let here = stores::open_server(here, OpenOptions::default(), now).await?;
            let there = stores::open_server(there, OpenOptions::default(), now).await?;
            both((&here, &there), files, &mut told).await
        }
    };
    bar.finish_and_clear();
    moved
}

/// What a move brought.
struct Moved {
    rows: u64,
    /// Contents of files; none if they stay.
    files: Option<u64>,
}

/// The files go first: rows are moved once, into an empty store, and contents of files as often as
/// it is run.
async fn both<S: Engine, T: Engine>(
    (here, there): (&S, &T),
    files: Option<&(FilePlace, FilePlace)>,
    told: &mut (dyn FnMut(u64, u64) + Send),
) -> Result<Moved, Failure> {
    let failed = |error: StoreError| match error {
        StoreError::Exists(_) => Failure::failed("there is something in it already")
            .hint("choose an empty database, or a directory without a store; nothing was changed"),
        error => Failure::failed(error.to_string()),
    };
    let mut copied = None;
    if let Some((from, to)) = files.cloned() {
        let all = workspaces(here).await.map_err(failed)?;
        let copying = move || all.iter().map(|one| from.copy_to(&to, one)).sum::<Result<u64, _>>();
        let done = tokio::task::spawn_blocking(copying).await;
        let done = done.map_err(|error| Failure::failed(error.to_string()))?;
        copied = Some(done.map_err(|error| {
            Failure::failed(format!("the contents of files: {error}"))
                .hint("run it again, it goes on where it was stopped")
        })?);
    }
    let rows = transfer(here, there, told).await.map_err(failed)?;
    Ok(Moved { rows, files: copied })
}
