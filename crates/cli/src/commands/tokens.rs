//! `plimsoll tokens`: what files weigh.

use plimsoll_tokens::{commas, count_chars};
use serde::Serialize;

use crate::{
    args::TokensArgs,
    context::Context,
    failure::{Failure, note, report},
    input,
    output::{Output, printable},
    words::misspelt_model,
};

#[derive(Serialize)]
struct Report {
    items: Vec<Item>,
    total: u64,
}

#[derive(Serialize)]
struct Item {
    path: String,
    bytes: u64,
    chars: u64,
    tokens: u64,
    method: &'static str,
}

pub(crate) fn run(args: &TokensArgs, output: &mut Output) -> Result<u8, Failure> {
    let context = Context::load()?;
    let model = args.model.as_deref().map(|name| context.catalog.model(name));
    let wrong = args.model.as_deref().and_then(|name| misspelt_model(&context.catalog, name));
    if let Some(words) = wrong {
        note(&words);
    }
    let estimator = context.estimator(model.as_ref(), args.method, args.cpt)?;
    let mut exit = 0;
    let mut items = Vec::new();
    let stdin = [std::path::PathBuf::from("-")];
    let paths = if args.files.is_empty() { &stdin[..] } else { &args.files };
    for path in paths {
        match input::file(path) {
            Ok(read) => items.push(Item {
                path: read.path.display().to_string(),
                bytes: read.bytes,
                chars: count_chars(&read.text),
                tokens: estimator.count(&read.text),
                method: estimator.method().name(),
            }),
            // The others are still counted, like wc does.
            Err(failure) => {
                report(&failure);
                exit = exit.max(failure.exit_code());
            }
        }
    }
    let total = items.iter().map(|item: &Item| item.tokens).fold(0, u64::saturating_add);
    let report = Report { items, total };
    if args.json {
        output.json(&report)?
    } else {
        print(&report, estimator.is_exact(), output)?
    }
    Ok(exit)
}

/// Tokens, bytes and name, with a sum below several.
fn print(report: &Report, exact: bool, output: &mut Output) -> Result<(), Failure> {
    let mark = if exact { "" } else { "~" };
    let bytes = report.items.iter().map(|item| item.bytes).sum();
    let tokens_width = commas(report.total).len() + mark.len();
    let bytes_width = commas(bytes).len();
    let mut row = |tokens: u64, bytes: u64, name: &str| {
        let tokens = format!("{mark}{}", commas(tokens));
        let bytes = commas(bytes);
        output.text(&format!(
            "{tokens:>tokens_width$} tokens  {bytes:>bytes_width$} bytes  {}\n",
            printable(name)
        ))
    };
    for item in &report.items {
        let name = if item.path == "-" { "standard input" } else { &item.path };
        row(item.tokens, item.bytes, name)?;
    }
    if report.items.len() > 1 {
        row(report.total, bytes, "total")?;
    }
    Ok(())
}
