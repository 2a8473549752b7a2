//! `plimsoll settings`: every setting, its value and where it comes from.

use plimsoll_config::{SETTINGS, Source};
use serde::Serialize;

use crate::{args::SettingsArgs, context::Context, failure::Failure, output::Output};

#[derive(Serialize)]
struct Row<'a> {
    key: &'a str,
    value: &'a str,
    default: &'a str,
    source: &'static str,
}

pub(crate) fn run(args: &SettingsArgs, output: &mut Output) -> Result<u8, Failure> {
    let context = Context::load()?;
    let rows: Vec<Row<'_>> = SETTINGS
        .iter()
        .filter_map(|spec| {
            let (value, source) = context.settings.get(spec.key)?;
            let source = match source {
                Source::Default => "default",
                Source::File => "config.toml",
                Source::Environment => "environment",
                Source::Flag => "flag",
            };
            Some(Row { key: spec.key, value, default: spec.default, source })
        })
        .collect();
    if args.json {
        output.json(&serde_json::json!({ "settings": rows }))?;
        return Ok(0);
    }
    for row in rows {
        let line = format!("{:<24} {:<12} {}", row.key, row.value, row.source);
        output.text(&format!("{}\n", line.trim_end()))?;
    }
    Ok(0)
}
