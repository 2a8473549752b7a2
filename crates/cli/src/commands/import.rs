//! `plimsoll import`: conversations from elsewhere, and our own exports.

use std::{
    fs::File,
    io::{Seek, SeekFrom},
    path::Path,
};

use indicatif::{ProgressBar, ProgressStyle};
use plimsoll_app::{Cancel, ImportAsk, ImportProgress, ImportSource, Imported};
use plimsoll_tokens::commas;
use serde_json::json;

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
    let source = open(&args.file)?;
    machine::block_on(async {
        let opened = machine::open(context, location.data_dir()).await?;
        let workspace = location.workspace.clone();
        let ask = ImportAsk { workspace, topic: args.topic.clone(), skip_bad: args.skip_bad };
        let cancel = Cancel::default();
        let stop = cancel.clone();
        tokio::spawn(async move {
            signals::asked_to_end().await;
            stop.cancel();
        });
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
        let imported = opened.app.import(&ask, source, &cancel, &mut watch).await;
        bar.finish_and_clear();
        let imported = imported?;
        tell(&imported);
        if args.json {
            output.json(&as_json(&imported))?;
        } else {
            output.text(&format!("{}\n", line(&imported)))?;
        }
        if imported.cancelled {
            let kept = commas(imported.new_pairs);
            return Err(Failure::failed(format!("stopped; {kept} new pairs were kept"))
                .hint("run it again to go on"));
        }
        Ok(0)
    })
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

fn line(imported: &Imported) -> String {
    let mut parts = vec![format!("{} new pairs", commas(imported.new_pairs))];
    if imported.known_pairs > 0 {
        parts.push(format!("{} already there", commas(imported.known_pairs)));
    }
    parts.push(format!("{} new topics", commas(imported.new_topics)));
    if imported.new_files > 0 {
        parts.push(format!("{} new files", commas(imported.new_files)));
    }
    if imported.new_filters > 0 {
        parts.push(format!("{} saved filters", commas(imported.new_filters)));
    }
    if imported.new_snippets > 0 {
        parts.push(format!("{} snippets", commas(imported.new_snippets)));
    }
    if imported.new_drafts > 0 {
        parts.push(format!("{} drafts", commas(imported.new_drafts)));
    }
    let from = imported.format.map(|format| format!("{}: ", format.name()));
    format!("{}{}", from.unwrap_or_default(), parts.join(", "))
}

/// What was not taken, or not as it stood.
fn tell(imported: &Imported) {
    let left = imported.left_out;
    let counts = [
        (left.branches, "messages on other branches"),
        (left.tool, "tool calls and thoughts"),
        (left.system, "system messages"),
        (left.attachments, "pictures and files"),
    ];
    let said: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", commas(*count)))
        .collect();
    if imported.new_pairs > 0 {
        // HIS-9: nobody sends a hundred old chats along by accident.
        note("nothing of it is sent before you open a conversation of it");
    }
    if !said.is_empty() {
        note(&format!("left out: {}", said.join(", ")));
    }
    if imported.undated > 0 {
        let count = commas(imported.undated);
        note(&format!("{count} pairs have no date in the file and got that of today"));
    }
    if imported.replaced > 0 {
        let count = commas(imported.replaced);
        note(&format!("the file is not UTF-8 in {count} places; they were read as U+FFFD"));
    }
    for bad in &imported.bad {
        note(&format!("left out {bad}"));
    }
    let more = imported.skipped.saturating_sub(imported.bad.len() as u64);
    if more > 0 {
        note(&format!("and {} more that could not be read", commas(more)));
    }
    if let Some(broken) = &imported.broken {
        note(&format!("{broken}; what stands before it was taken"));
    }
}

fn as_json(imported: &Imported) -> serde_json::Value {
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
