//! `plimsoll settings`: every setting, its value and where it comes from; and changing one.

use std::borrow::Cow;

use clap::Subcommand;
use plimsoll_config::{
    Kind, SERVER_SETTINGS, SETTING_GROUPS, SettingSpec, Source, edit_settings, without_password,
};
use serde::Serialize;

use crate::{
    args::SettingsArgs,
    context::{Context, change_config, config_dir},
    failure::{Failure, note},
    output::{Output, columns, printable},
};

#[derive(Subcommand, Debug)]
pub(crate) enum SettingsCommand {
    /// Write a setting into config.toml; comments and order stay
    Set {
        /// Such as warnAt
        key: String,
        /// The value
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Take a setting out of config.toml, so that its default counts
    Unset {
        /// Such as warnAt
        key: String,
    },
}

#[derive(Serialize)]
struct Row<'a> {
    key: &'a str,
    title: &'static str,
    group: &'static str,
    value: Cow<'a, str>,
    default: &'a str,
    source: &'static str,
}

pub(crate) fn run(args: &SettingsArgs, output: &mut Output) -> Result<u8, Failure> {
    match &args.command {
        Some(SettingsCommand::Set { key, value }) => return change(key, Some(value)),
        Some(SettingsCommand::Unset { key }) => return change(key, None),
        None => {}
    }
    let context = Context::load()?;
    let listed = SETTING_GROUPS
        .iter()
        .chain([&SERVER_SETTINGS])
        .flat_map(|group| group.settings().map(|(spec, title)| (group.name, spec, title)));
    let rows: Vec<Row<'_>> = listed
        .filter_map(|(group, spec, title)| {
            let (value, source) = context.settings.get(spec.key)?;
            let source = match source {
                Source::Default => "default",
                Source::File => "config.toml",
                Source::Environment => "environment",
                Source::Flag => "flag",
            };
            let value = match spec.kind {
                Kind::Address => without_password(value),
                _ => Cow::Borrowed(value),
            };
            Some(Row { key: spec.key, title, group, value, default: spec.default, source })
        })
        .collect();
    if args.json {
        output.json(&serde_json::json!({ "settings": rows }))?;
        return Ok(0);
    }
    let narrow = columns().filter(|columns| *columns < NARROW);
    for (n, group) in rows.chunk_by(|a, b| a.group == b.group).enumerate() {
        let gap = if n > 0 { "\n" } else { "" };
        output.text(&format!("{gap}{}\n", group[0].group))?;
        for row in group {
            output.text(&line(row, narrow))?;
        }
    }
    Ok(0)
}

/// A terminal with fewer columns gets two lines a setting, or three where the value is long.
const NARROW: usize = 60;

fn line(row: &Row<'_>, narrow: Option<usize>) -> String {
    let (value, source) = (printable(&row.value), row.source);
    let line = match narrow {
        Some(_) if value.is_empty() => format!("{}\n  ({source})", row.key),
        Some(columns) if value.chars().count() + source.len() + 6 > columns => {
            format!("{}\n  {value}\n  ({source})", row.key)
        }
        Some(_) => format!("{}\n  {value}  ({source})", row.key),
        None => format!("{:<24} {value:<12} {source}", row.key),
    };
    format!("{}\n", line.trim_end())
}

/// Changes one setting in the file. The file is read without the rest of the settings, so
/// that a bad value can be mended.
pub(crate) fn change(key: &str, value: Option<&str>) -> Result<u8, Failure> {
    let dir = config_dir().ok_or_else(|| {
        Failure::failed("there is no configuration directory").hint("set PLIMSOLL_CONFIG_DIR")
    })?;
    let path = dir.join("config.toml");
    let failed = |error| Failure::failed(format!("cannot change {}: {error}", path.display()));
    let changed = change_config(&path, failed, |before| {
        edit_settings(before, key, value).map_err(|error| {
            Failure::usage(error.to_string())
                .hint("`plimsoll settings` lists them; nothing was changed")
        })
    })?;
    match changed {
        true => note(&format!("{} was written", path.display())),
        false => note(&format!("{} already says so", path.display())),
    }
    let variable = SettingSpec::find(key).map(SettingSpec::env_var).unwrap_or_default();
    if let Some(shadow) = std::env::var_os(&variable) {
        let shadow = shadow.to_string_lossy();
        note(&format!("{variable} is set to '{shadow}', and wins over the file"));
    }
    Ok(0)
}
