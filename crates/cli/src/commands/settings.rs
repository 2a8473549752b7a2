//! `plimsoll settings`: every setting, its value and where it comes from; and changing one.

use clap::Subcommand;
use plimsoll_config::{SETTINGS, SettingSpec, Source, edit_settings};
use serde::Serialize;

use crate::{
    args::SettingsArgs,
    context::{Context, change_config, config_dir},
    failure::{Failure, note},
    output::Output,
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
    value: &'a str,
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

/// Changes one setting in the file. The file is read without the rest of the settings, so
/// that a bad value can be mended.
fn change(key: &str, value: Option<&str>) -> Result<u8, Failure> {
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
