//! `plimsoll import` of what `plimsoll export --user` wrote: each workspace with its memory, below
//! the project that was named.

use std::{
    io::{BufReader, Seek, SeekFrom},
    sync::Arc,
};

use plimsoll_app::{App, Cancel, ImportAsk, ImportSource, PersonArchive};
use plimsoll_store::Workspace;
use plimsoll_tokens::commas;
use serde_json::json;

use super::{import, memory::memory};
use crate::{
    args::{ImportArgs, Location},
    failure::{Failure, note},
    output::Output,
};

/// What to do with such an archive, where a file is one.
pub(super) fn of(
    source: &mut Box<dyn ImportSource>,
) -> Result<Option<PersonArchive<&mut Box<dyn ImportSource>>>, Failure> {
    PersonArchive::open(source).map_err(|error| Failure::failed(error.to_string()))
}

pub(super) async fn run(
    app: App,
    mut archive: PersonArchive<&mut Box<dyn ImportSource>>,
    args: &ImportArgs,
    location: &Location,
    cancel: &Cancel,
    output: &mut Output,
) -> Result<u8, Failure> {
    let (app, project) = (Arc::new(app), location.workspace.project());
    let failed = |error: std::io::Error| Failure::failed(format!("cannot keep a copy: {error}"));
    let mut all = Vec::new();
    for entry in archive.workspaces() {
        let at = Workspace::parse(&format!("{project}/{}", entry.name));
        let at = at.map_err(|error| Failure::failed(error.to_string()))?;
        let mut unpack = |name: &str| {
            let mut file = tempfile::tempfile().map_err(failed)?;
            let copied = archive.copy(name, &mut file);
            copied.map_err(|error| Failure::failed(error.to_string()))?;
            file.seek(SeekFrom::Start(0)).map_err(failed)?;
            Ok::<_, Failure>(file)
        };
        let (export, lines) = (unpack(&entry.export)?, unpack(&entry.memory)?);
        let (topic, skip_bad) = (args.topic.clone(), args.skip_bad);
        let ask = ImportAsk { workspace: at.clone(), topic, skip_bad };
        let imported = import::import(&app, &ask, Box::new(export), cancel).await?;
        imported.notes().iter().for_each(|told| note(told));
        import::must_be_whole(&imported)?;
        let remembered = memory(&app, at.clone())?.import(&mut BufReader::new(lines)).await;
        let remembered = remembered.map_err(|error| Failure::failed(error.to_string()))?;
        let (new, known) = (remembered.added, remembered.known);
        if args.json {
            all.push(json!({
                "workspace": at.as_str(),
                "imported": import::as_json(&imported),
                "memory": {"added": new, "known": known},
            }));
        } else {
            let told = imported.summary();
            output.text(&format!("{at}: {told}; {} records of the memory\n", commas(new)))?;
        }
    }
    if args.json {
        output.json(&json!({ "workspaces": all }))?;
    }
    Ok(0)
}
