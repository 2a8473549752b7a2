//! `plimsoll import`: conversations from elsewhere, and our own exports.

use std::{
    fs::File,
    io::{Seek, SeekFrom},
    path::Path,
};

use indicatif::{ProgressBar, ProgressStyle};
use plimsoll_app::{App, Cancel, ImportAsk, ImportProgress, ImportSource, Imported};
use plimsoll_tokens::commas;
use serde_json::json;

use super::import_person;
use crate::{
    args::{ImportArgs, Location},
    context::Context,
    failure::{Failure, note},
    input::unreadable,
    machine,
    output::Output,
    signals,
};

pub(crate) fn run(
    args: &ImportArgs,
    location: &Location,
    output: &mut Output,
) -> Result<u8, Failure> {
    let context = Context::load()?;
    let mut source = open(&args.file)?;
    machine::block_on(async {
        let opened = machine::open(context, location).await?;
        let workspace = location.workspace.clone();
        let ask = ImportAsk { workspace, topic: args.topic.clone(), skip_bad: args.skip_bad };
        let cancel = Cancel::default();
        let stop = cancel.clone();
        tokio::spawn(async move {
            signals::asked_to_end().await;
            stop.cancel();
        });
        if let Some(archive) = import_person::of(&mut source)? {
            return import_person::run(opened.app, archive, args, location, &cancel, output).await;
        }
        source.rewind().map_err(|error| unreadable(&args.file, &error))?;
        let imported = import(&opened.app, &ask, source, &cancel).await?;
        imported.notes().iter().for_each(|told| note(told));
        if args.json {
            output.json(&as_json(&imported))?;
        } else {
            output.text(&format!("{}\n", imported.summary()))?;
        }
        must_be_whole(&imported)?;
        Ok(0)
    })
}

/// Takes a file in, and shows how far it is.
pub(super) async fn import(
    app: &App,
    ask: &ImportAsk,
    source: Box<dyn ImportSource>,
    cancel: &Cancel,
) -> Result<Imported, Failure> {
    // The bar draws itself on a terminal alone.
    let style = ProgressStyle::with_template("{msg} {wide_bar} {bytes} of {total_bytes}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(0).with_style(style);
    let mut watch = |progress: ImportProgress| {
        let (word, done, total) = match progress {
            ImportProgress::Checking(done, total) => ("checking", done, total),
            ImportProgress::Writing(done, total) => ("importing", done, total),
        };
        bar.set_message(word);
        bar.set_length(total);
        bar.set_position(done);
    };
    let imported = app.import(ask, source, cancel, &mut watch).await;
    bar.finish_and_clear();
    Ok(imported?)
}

/// Says where somebody stopped it.
pub(super) fn must_be_whole(imported: &Imported) -> Result<(), Failure> {
    if !imported.cancelled {
        return Ok(());
    }
    let kept = commas(imported.new_pairs);
    Err(Failure::failed(format!("stopped; {kept} new pairs were kept"))
        .hint("run it again to go on"))
}

/// A file that can be read twice. Standard input is kept in one without a name first.
fn open(path: &Path) -> Result<Box<dyn ImportSource>, Failure> {
    if path == Path::new("-") {
        let failed = |error| Failure::failed(format!("cannot read standard input: {error}"));
        let mut file = tempfile::tempfile().map_err(failed)?;
        std::io::copy(&mut std::io::stdin().lock(), &mut file).map_err(failed)?;
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        return Ok(Box::new(file));
    }
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let about = file.metadata().map_err(|error| unreadable(path, &error))?;
    if about.is_dir() {
        let kind = std::io::ErrorKind::IsADirectory;
        return Err(unreadable(path, &kind.into()));
    }
    if !about.is_file() {
        return Err(Failure::failed(format!("{} is no file", path.display()))
            .hint("pipe it in: plimsoll import - < …"));
    }
    Ok(Box::new(file))
}

pub(super) fn as_json(imported: &Imported) -> serde_json::Value {
    let left = imported.left_out;
    let bad: Vec<_> = imported
        .bad
        .iter()
        .map(|bad| json!({ "place": bad.place.to_string(), "problem": bad.problem }))
        .collect();
    json!({
        "format": imported.format.map(|format| format.name()),
        "newPairs": imported.new_pairs,
        "knownPairs": imported.known_pairs,
        "newTopics": imported.new_topics,
        "newFiles": imported.new_files,
        "knownFiles": imported.known_files,
        "newFilters": imported.new_filters,
        "newSnippets": imported.new_snippets,
        "newDrafts": imported.new_drafts,
        "undated": imported.undated,
        "leftOut": {
            "branches": left.branches,
            "tool": left.tool,
            "system": left.system,
            "attachments": left.attachments,
        },
        "replaced": imported.replaced,
        "skipped": imported.skipped,
        "bad": bad,
        "broken": imported.broken,
        "cancelled": imported.cancelled,
    })
}
