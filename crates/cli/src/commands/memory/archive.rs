//! All of the memory to a file, and from one.

use std::{
    fs::File,
    io::{BufReader, BufWriter},
    path::Path,
};

use plimsoll_memory::{ArchiveError, Memory};
use plimsoll_tokens::commas;
use serde_json::json;

use super::args::ExportArgs;
use crate::{
    failure::{Failure, note},
    input::unreadable,
    output::Output,
    whole_file::WholeFile,
};

pub(super) async fn export(memory: &Memory, args: &ExportArgs) -> Result<u8, Failure> {
    let Some(path) = &args.file else {
        let mut out = BufWriter::with_capacity(64 * 1024, std::io::stdout());
        memory.export(&mut out).await.map_err(|error| writing(&error))?;
        return Ok(0);
    };
    let mut file = WholeFile::create(path, args.force)?;
    let records = memory.export(&mut file).await.map_err(|error| writing(&error))?;
    file.finish()?;
    note(&format!("{} records were written to {}", commas(records), path.display()));
    Ok(0)
}

pub(super) async fn import(
    memory: &Memory,
    path: &Path,
    as_json: bool,
    output: &mut Output,
) -> Result<u8, Failure> {
    let imported = if path == Path::new("-") {
        memory.import(&mut BufReader::new(std::io::stdin())).await
    } else {
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        memory.import(&mut BufReader::new(file)).await
    };
    let imported = imported.map_err(|error| Failure::failed(error.to_string()))?;
    if as_json {
        output.json(&json!({
            "added": imported.added, "known": imported.known, "renumbered": imported.renumbered,
        }))?;
        return Ok(0);
    }
    let mut said = format!("{} records came in", commas(imported.added));
    if imported.known > 0 {
        said.push_str(&format!(", {} were there already", commas(imported.known)));
    }
    if imported.renumbered > 0 {
        said.push_str(&format!("; {} have another number here", commas(imported.renumbered)));
    }
    note(&said);
    Ok(0)
}

fn writing(error: &ArchiveError) -> Failure {
    match error {
        ArchiveError::Io(error) => Failure::writing(error),
        _ => Failure::failed(error.to_string()),
    }
}
