//! `plimsoll files` and `plimsoll gc`: the files of a workspace, and what nothing refers to
//! any more.

mod args;
mod collect;

pub(crate) use args::{FilesArgs, FilesCommand, GcArgs};
pub(crate) use collect::run as run_gc;

use std::{
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use indicatif::{ProgressBar, ProgressStyle};
use plimsoll_app::{App, AppError, Cancel, Secrets, TakeIn, blob_name};
use plimsoll_domain::{Extraction, File, FileId};
use plimsoll_files::{age_words, file_label, parse_file_id, size_words};
use plimsoll_store::Workspace;
use plimsoll_tokens::{commas, counted};
use serde::Serialize;

use crate::{
    args::Location,
    context::Context,
    failure::{Failure, note},
    machine,
    output::{Output, printable},
    signals,
};

/// Smaller files are taken in before a bar could be read.
const WORTH_A_BAR: u64 = 32 << 20;

pub(crate) fn run(
    args: &FilesArgs,
    location: &Location,
    output: &mut Output,
) -> Result<u8, Failure> {
    let context = Context::load()?;
    machine::block_on(async {
        let opened = machine::open(context, location).await?;
        let app = &opened.app;
        app.open_workspace(&location.workspace).await?;
        match &args.command {
            Some(FilesCommand::Add { paths, words, secrets }) => {
                let mut files = Vec::new();
                for path in paths {
                    let how = Adding { words: words.as_deref(), listed: true, secrets: *secrets };
                    files.push(add(app, &location.workspace, path, how).await?);
                }
                list(app, &files, args.json, output)?;
            }
            Some(FilesCommand::Show { id, lines }) => {
                let file = find(app, &location.workspace, id).await?;
                match args.json {
                    true => output.json(&row(&file))?,
                    false => show(app, &location.workspace, &file, *lines, output).await?,
                }
            }
            Some(FilesCommand::Rm { ids }) => {
                for id in ids {
                    let file = find(app, &location.workspace, id).await?;
                    let deleted = app.delete_file(&location.workspace, file.id).await?;
                    let next = match deleted.undo {
                        Some(_) => "`plimsoll undo` brings it back",
                        None => "`plimsoll gc` frees its bytes",
                    };
                    note(&format!("'{}' is deleted; {next}", printable(&file.name)));
                }
            }
            None | Some(FilesCommand::List) => {
                let files = app.store().files(&location.workspace).await?;
                list(app, &files, args.json, output)?;
            }
        }
        Ok(0)
    })
}

/// How a file is taken in.
#[derive(Clone, Copy, Default)]
pub(crate) struct Adding<'a> {
    /// The words that come with it.
    pub(crate) words: Option<&'a str>,
    /// Whether models are told of it before a message holds it (FIL-6).
    pub(crate) listed: bool,
    /// Whether it may look like a secret.
    pub(crate) secrets: bool,
}

/// Takes in one file, with a bar where it lasts.
pub(crate) async fn add(
    app: &App,
    workspace: &Workspace,
    path: &Path,
    adding: Adding<'_>,
) -> Result<File, Failure> {
    let size = std::fs::metadata(path).map(|about| about.len()).unwrap_or(0);
    let bar = if size >= WORTH_A_BAR { ProgressBar::new(size) } else { ProgressBar::hidden() };
    let style = ProgressStyle::with_template("{wide_bar} {bytes}/{total_bytes} {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let moving = bar.clone();
    let cancel = Cancel::default();
    let heard = cancel.clone();
    let listening = tokio::spawn(async move {
        signals::asked_to_end().await;
        heard.cancel();
    });
    let how = TakeIn {
        words: adding.words,
        listed: adding.listed,
        secrets: if adding.secrets { Secrets::Allow } else { Secrets::Ask },
        progress: Box::new(move |done, _| moving.set_position(done)),
        cancel,
    };
    let taken = app.take_in_path(workspace, path, how).await;
    listening.abort();
    bar.finish_and_clear();
    let (file, said) = taken?;
    if let Some(said) = said {
        note(&said);
    }
    Ok(file)
}

async fn find(app: &App, workspace: &Workspace, text: &str) -> Result<File, Failure> {
    let unknown = || {
        Failure::failed(format!("there is no file '{}'", printable(text)))
            .hint("`plimsoll files` lists them")
    };
    let files = app.store().files(workspace).await?;
    let id: Option<FileId> = parse_file_id(text);
    let by_id = files.iter().find(|file| Some(file.id) == id);
    by_id.or_else(|| files.iter().find(|file| file.name == text)).cloned().ok_or_else(unknown)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    id: String,
    name: &'a str,
    kind: &'static str,
    mime: &'a str,
    size: u64,
    tokens: Option<u64>,
    source: &'static str,
    upload_context: Option<&'a str>,
    blake3: &'a str,
}

fn row(file: &File) -> serde_json::Value {
    serde_json::json!(Row {
        id: file_label(file.id),
        name: &file.name,
        kind: file.kind.name(),
        mime: &file.mime,
        size: file.size,
        tokens: file.tokens,
        source: file.source.name(),
        upload_context: file.upload_context.as_deref(),
        blake3: file.hash.as_str(),
    })
}

fn list(app: &App, files: &[File], json: bool, output: &mut Output) -> Result<(), Failure> {
    if json {
        let rows: Vec<serde_json::Value> = files.iter().map(row).collect();
        return output.json(&serde_json::json!({ "files": rows }));
    }
    let now = app.clock().now();
    for file in files {
        let tokens = file.tokens.map_or_else(String::new, |t| format!("~{} tokens", commas(t)));
        let line = format!(
            "{}  {:<9} {:>9}  {:<13} {:<14} {}",
            file_label(file.id),
            file.kind.name(),
            size_words(file.size),
            age_words(file.created_at, now),
            tokens,
            printable(&file.name),
        );
        output.text(line.trim_end())?;
        output.text("\n")?;
    }
    Ok(())
}

async fn show(
    app: &App,
    workspace: &Workspace,
    file: &File,
    lines: usize,
    output: &mut Output,
) -> Result<(), Failure> {
    let file = &app.with_text(workspace, file.clone()).await?;
    let path: PathBuf = app.file_path(workspace, file)?;
    let used = app.store().used_by(file.id).await?;
    let mut facts = vec![
        ("name", printable(&file.name).to_string()),
        ("id", file_label(file.id)),
        ("kind", format!("{}, {}", file.kind.name(), file.mime)),
        ("size", size_words(file.size)),
        ("content", path.display().to_string()),
        ("used by", counted(used.len() as u64, "message")),
    ];
    facts.extend(file.tokens.map(|tokens| ("tokens", format!("~{}", commas(tokens)))));
    facts.extend(file.pixels.map(|(width, height)| ("pixels", format!("{width}×{height}"))));
    facts.extend(text_facts(file));
    let words = file.upload_context.as_deref();
    facts.extend(words.map(|words| ("came with", printable(words).to_string())));
    for (name, value) in facts {
        output.text(&format!("{name:<10} {value}\n"))?;
    }
    if file.is_text && lines > 0 {
        output.text("\n")?;
        for line in beginning(app, workspace, file, lines)? {
            output.text(&format!("{}\n", printable(&line)))?;
        }
    }
    Ok(())
}

/// What was read out of a document, or why nothing was.
fn text_facts(file: &File) -> Option<(&'static str, String)> {
    match file.extraction.as_ref()? {
        Extraction::Nothing(why) => Some(("no text", why.clone())),
        Extraction::Text(text) => {
            let tokens = Some(format!("~{} tokens", commas(text.tokens)));
            let words: Vec<String> =
                [text.length.clone(), tokens, text.remark()].into_iter().flatten().collect();
            Some(("its text", words.join(", ")))
        }
    }
}

/// No line is shown further than this.
const WIDEST: u64 = 4096;

/// The first lines of a file, however large it is.
fn beginning(
    app: &App,
    workspace: &Workspace,
    file: &File,
    lines: usize,
) -> Result<Vec<String>, Failure> {
    let blobs = app.blobs(workspace)?;
    let name = blob_name(file)?;
    let unreadable = |error| Failure::failed(format!("cannot read its content: {error}"));
    let opened = blobs.open_blob(&name).map_err(AppError::Blob)?;
    let mut reader = BufReader::new(opened);
    let mut shown = Vec::new();
    for _ in 0..lines {
        let mut line = Vec::new();
        let read = reader.by_ref().take(WIDEST).read_until(b'\n', &mut line);
        if read.map_err(unreadable)? == 0 {
            break;
        }
        let whole = line.ends_with(b"\n") || line.len() < WIDEST as usize;
        if !whole {
            reader.skip_until(b'\n').map_err(unreadable)?;
        }
        let text = String::from_utf8_lossy(&line);
        shown.push(format!(
            "{}{}",
            text.trim_end_matches(['\n', '\r']),
            if whole { "" } else { "…" }
        ));
    }
    Ok(shown)
}
