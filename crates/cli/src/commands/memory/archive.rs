//! All of the memory to a file, and from one.

use std::{
    fs::File,
    io::{BufReader, BufWriter, Write},
    path::Path,
};

use plimsoll_memory::{ArchiveError, Memory};
use plimsoll_tokens::commas;
use serde_json::json;

use super::args::ExportArgs;
use crate::{
    failure::{Failure, note},
    input::unreadable,
    machine::sync_name,
    output::Output,
};

/// A name that is taken is told before the work, and again by the file system if somebody
/// is faster.
pub(super) fn check(args: &ExportArgs) -> Result<(), Failure> {
    match &args.file {
        Some(path) if !args.force && path.symlink_metadata().is_ok() => Err(exists(path)),
        _ => Ok(()),
    }
}

pub(super) async fn export(memory: &Memory, args: &ExportArgs) -> Result<u8, Failure> {
    let Some(path) = &args.file else {
        let mut out = BufWriter::with_capacity(64 * 1024, std::io::stdout());
        memory.export(&mut out).await.map_err(|error| writing(&error))?;
        return Ok(0);
    };
    let failed = |error: std::io::Error| {
        Failure::failed(format!("cannot write {}: {error}", path.display()))
            .hint("check that the directory is there and can be written to")
    };
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    // The file has its name only when it is whole and on the disk.
    let mut file =
        tempfile::NamedTempFile::new_in(directory.unwrap_or(Path::new("."))).map_err(failed)?;
    let mut out = BufWriter::with_capacity(64 * 1024, file.as_file_mut());
    let records = memory.export(&mut out).await.map_err(|error| writing(&error))?;
    out.flush().map_err(failed)?;
    drop(out);
    file.as_file().sync_all().map_err(failed)?;
    if args.force {
        file.persist(path).map_err(|error| failed(error.error))?;
    } else {
        file.persist_noclobber(path).map_err(|error| match error.error.kind() {
            std::io::ErrorKind::AlreadyExists => exists(path),
            _ => failed(error.error),
        })?;
    }
    sync_name(path).map_err(failed)?;
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

fn exists(path: &Path) -> Failure {
    Failure::failed(format!("{} is there already", path.display()))
        .hint("choose another name, or use --force to replace it")
}
