//! `plimsoll export`: what a filter shows, to a file or to standard output.

use std::{
    io::{BufWriter, IsTerminal, Write},
    path::Path,
};

use indicatif::ProgressBar;
use plimsoll_app::{App, Audited, ExportAsk, ExportFormat, Exported};
use plimsoll_domain::HistoryScope;
use plimsoll_tokens::counted;

use super::export_person;
use crate::{
    args::{ExportArgs, Location},
    context::Context,
    failure::{Failure, note},
    machine,
    output::Neutral,
    whole_file::WholeFile,
};

pub(crate) fn run(args: &ExportArgs, location: &Location) -> Result<u8, Failure> {
    if let Some(path) = &args.output {
        WholeFile::check_name(path, args.force)?;
    }
    if args.scope == HistoryScope::Conversation && args.topic.is_none() {
        return Err(Failure::usage("--scope conversation goes with --topic, which names it")
            .hint("`plimsoll topics` lists them"));
    }
    let context = Context::load()?;
    machine::block_on(async {
        let opened = machine::open(context, location).await?;
        if let (Some(name), Some(path)) = (&args.user, &args.output) {
            return export_person::run(opened.app, name, path, args.force).await;
        }
        let ask = ExportAsk {
            scope: args.scope,
            workspace: location.workspace.clone(),
            filter: args.filter.clone(),
            topic: args.topic.clone(),
            model: args.model.clone(),
            format: args.format.unwrap_or_else(|| format_of(args.output.as_deref())),
            order: args.order,
        };
        let workspace = ask.workspace.clone();
        match &args.output {
            None => {
                let out = BufWriter::with_capacity(64 * 1024, std::io::stdout());
                let exported = match std::io::stdout().is_terminal() {
                    true if ask.format == ExportFormat::Zip => {
                        return Err(Failure::usage("an archive is nothing for a terminal")
                            .hint("name a file with -o FILE"));
                    }
                    // What models and strangers wrote must not steer it.
                    true => export(&opened.app, &ask, &mut Neutral::new(out)).await?,
                    false => export(&opened.app, &ask, &mut { out }).await?,
                };
                tell_left_out(&exported);
            }
            Some(path) => {
                let mut file = WholeFile::create(path, args.force)?;
                let exported = export(&opened.app, &ask, &mut file).await?;
                file.finish()?;
                let (pairs, files) = (counted(exported.pairs, "pair"), exported.files);
                let with = match (ask.format, exported.files) {
                    (ExportFormat::Zip, 1..) => format!(" with {}", counted(files, "file")),
                    _ => String::new(),
                };
                note(&format!("wrote {pairs}{with} to {}", path.display()));
                if ask.format == ExportFormat::Json && exported.files > 0 {
                    note(&format!(
                        "it is without the bytes of {}; --format zip takes them along",
                        counted(files, "attached file")
                    ));
                }
                tell_left_out(&exported);
            }
        }
        opened.app.note_at_terminal(Audited::Exported, workspace.as_str()).await?;
        Ok(0)
    })
}

/// The format that a file's name asks for.
fn format_of(path: Option<&Path>) -> ExportFormat {
    let ending = path.and_then(Path::extension);
    match ending.is_some_and(|ending| ending.eq_ignore_ascii_case("zip")) {
        true => ExportFormat::Zip,
        false => ExportFormat::Json,
    }
}

pub(super) fn tell_left_out(exported: &Exported) {
    for one in &exported.left_out {
        note(&format!("left out the bytes of {one}"));
    }
}

pub(super) async fn export(
    app: &App,
    ask: &ExportAsk,
    to: &mut (dyn Write + Send),
) -> Result<Exported, Failure> {
    let bar = ProgressBar::new(0);
    let mut watch = |done: u64, total: u64| {
        bar.set_length(total);
        bar.set_position(done);
    };
    let exported = app.export(ask, to, &mut watch).await;
    bar.finish_and_clear();
    Ok(exported?)
}
