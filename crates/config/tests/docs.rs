//! `docs/settings.md` is written from the schema; `cargo xtask docs` writes it again.

use plimsoll_config::{Kind, SETTING_GROUPS, SettingSpec};

fn page() -> String {
    let mut page = String::from(
        "# Settings\n\n\
         <!-- Written from the code by `cargo xtask docs`. -->\n\n\
         Settings stand in `config.toml` in the configuration directory (on Linux\n\
         `~/.config/plimsoll`, or the directory that `PLIMSOLL_CONFIG_DIR` names). An\n\
         environment variable wins over the file, a flag over both. `plimsoll settings set KEY VALUE`\n\
         changes the file and leaves your comments alone.\n",
    );
    for group in SETTING_GROUPS {
        page.push_str(&format!(
            "\n## {}\n\n| | key | variable | takes | default | what it does |\n|---|---|---|---|---|---|\n",
            group.name
        ));
        for (spec, title) in group.settings() {
            page.push_str(&row(spec, title));
        }
    }
    page
}

fn row(spec: &SettingSpec, title: &str) -> String {
    let takes = match spec.kind {
        Kind::Ratio => "a number above 0".to_owned(),
        Kind::Whole { min, max: u64::MAX } => format!("a whole number from {min}"),
        Kind::Whole { min, max } => format!("a whole number from {min} to {max}"),
        Kind::WholeOrAuto { min, max: u64::MAX } => {
            format!("a whole number from {min}, or `auto`")
        }
        Kind::WholeOrAuto { min, max } => {
            format!("a whole number from {min} to {max}, or `auto`")
        }
        Kind::WholeOrNone { min } => format!("a whole number from {min}, or `0` for none"),
        Kind::Zone => "the name of a time zone, such as `Europe/Lisbon`".to_owned(),
        Kind::Bytes => "a size; KB = 1024 bytes".to_owned(),
        Kind::Switch => "`on` or `off`".to_owned(),
        Kind::Choice(words) => format!("`{}`", words.join("`, `")),
        Kind::Servers => "addresses of servers".to_owned(),
        Kind::Aliases => "names of models, `name=model`".to_owned(),
        Kind::Names => "names".to_owned(),
        Kind::Paths => "a list of absolute paths".to_owned(),
        Kind::ObjectStore => "an address, `s3://bucket/prefix`".to_owned(),
        Kind::Text => "text".to_owned(),
        Kind::Address => "an address".to_owned(),
    };
    let default = match spec.default {
        "" => "–".to_owned(),
        default => format!("`{default}`"),
    };
    let (key, variable, help) = (spec.key, spec.env_var(), spec.help);
    format!("| {title} | `{key}` | `{variable}` | {takes} | {default} | {help} |\n")
}

#[test]
fn settings_page_is_true() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/settings.md");
    let page = page();
    if std::env::var_os("PLIMSOLL_UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(written, page, "run `cargo xtask docs`");
}
