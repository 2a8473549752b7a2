//! All of the memory to a file, and from one.

use std::{
    fs::File,
    io::{BufReader, BufWriter},
    ops::ControlFlow,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use indicatif::{ProgressBar, ProgressStyle};
use plimsoll_memory::{ArchiveError, ImportStep, Imported, Memory};
use plimsoll_tokens::commas;
use serde_json::json;

use super::args::ExportArgs;
use crate::{
    failure::{Failure, note},
    input::unreadable,
    output::Output,
    signals,
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
        // Whoever types may be waited for without end, so Ctrl+C ends the process here; what
        // came in until then is whole all the same.
        memory.import(&mut BufReader::new(std::io::stdin())).await
    } else {
        from_file(memory, path).await?
    };
    let imported = imported.map_err(|error| Failure::failed(error.to_string()))?;
    if as_json {
        output.json(&json!({
            "added": imported.added, "known": imported.known, "renumbered": imported.renumbered,
            "stopped": imported.stopped,
        }))?;
    } else {
        say(&imported);
    }
    if imported.stopped {
        return Err(Failure::failed("stopped before the end").hint("run it again to go on"));
    }
    Ok(0)
}

/// Shows how far it is on a terminal, and stops between two batches when it is asked to end.
async fn from_file(
    memory: &Memory,
    path: &Path,
) -> Result<Result<Imported, ArchiveError>, Failure> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let size = file.metadata().map_or(0, |about| about.len());
    let style = ProgressStyle::with_template("importing {wide_bar} {bytes} of {total_bytes}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(size).with_style(style);
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    let ending = signals::asked_to_end();
    tokio::spawn(async move {
        ending.await;
        asked.store(true, Ordering::Relaxed);
    });
    let mut watch = |step: ImportStep| {
        bar.set_position(step.bytes);
        if stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let imported = memory.import_watched(&mut BufReader::new(file), &mut watch).await;
    bar.finish_and_clear();
    Ok(imported)
}

fn say(imported: &Imported) {
    let mut said = format!("{} records came in", commas(imported.added));
    if imported.known > 0 {
        said.push_str(&format!(", {} were there already", commas(imported.known)));
    }
    if imported.renumbered > 0 {
        said.push_str(&format!("; {} have another number here", commas(imported.renumbered)));
    }
    note(&said);
}

fn writing(error: &ArchiveError) -> Failure {
    match error {
        ArchiveError::Io(error) => Failure::writing(error),
        _ => Failure::failed(error.to_string()),
    }
}
