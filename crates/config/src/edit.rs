//! One setting of `config.toml` is changed; everything else stays as its owner wrote it.

use toml_edit::{Array, DocumentMut, Value};

use crate::{
    Kind, SettingSpec, Settings, SettingsError, Sources,
    openid::split_names,
    settings::{check, nearest, split_paths, split_servers},
};

/// The content of `config.toml` with a setting set, or taken out. Comments and the order
/// of the keys stay. What comes out is checked as a whole.
pub fn edit_settings(file: &str, key: &str, value: Option<&str>) -> Result<String, SettingsError> {
    let spec = SettingSpec::find(key)
        .ok_or_else(|| SettingsError::UnknownKey { key: key.to_owned(), nearest: nearest(key) })?;
    let mut document: DocumentMut = file.parse().map_err(|error: toml_edit::TomlError| {
        SettingsError::Syntax(error.message().replace('\n', " "))
    })?;
    match value {
        Some(value) => {
            check(spec.kind, value).map_err(|expected| SettingsError::BadValue {
                origin: "the command line".to_owned(),
                key: spec.key,
                value: value.to_owned(),
                expected,
            })?;
            set(&mut document, spec, value);
        }
        None => unset(&mut document, spec.key),
    }
    let text = document.to_string();
    Settings::resolve(&Sources { file: Some(text.clone()), environment: Vec::new() })?;
    Ok(text)
}

fn set(document: &mut DocumentMut, spec: &SettingSpec, value: &str) {
    let mut new = written(spec.kind, value);
    match document.get_mut(spec.key).and_then(|item| item.as_value_mut()) {
        Some(old) => {
            // A comment behind the old value belongs to the line, not to the value.
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        None => {
            document.insert(spec.key, toml_edit::Item::Value(new));
        }
    }
}

/// A value in the type that a person would write it in.
fn written(kind: Kind, value: &str) -> Value {
    let whole = value.parse::<i64>().ok();
    match kind {
        Kind::Whole { .. } | Kind::WholeOrAuto { .. } | Kind::WholeOrNone { .. } => {
            whole.map_or_else(|| value.into(), Value::from)
        }
        Kind::Ratio => match (whole, value.parse::<f64>()) {
            (Some(whole), _) => whole.into(),
            (None, Ok(ratio)) => ratio.into(),
            (None, Err(_)) => value.into(),
        },
        Kind::Switch => (value == "on").into(),
        Kind::Paths => Value::Array(split_paths(value).collect::<Array>()),
        Kind::Servers | Kind::Aliases => Value::Array(split_servers(value).collect::<Array>()),
        Kind::Names => Value::Array(split_names(value).collect::<Array>()),
        Kind::Bytes
        | Kind::Choice(_)
        | Kind::Zone
        | Kind::ObjectStore
        | Kind::Text
        | Kind::Address => value.into(),
    }
}

/// Takes a key out. Comments above it stay: they may be about more than this line.
fn unset(document: &mut DocumentMut, key: &str) {
    let next =
        document.iter().map(|(name, _)| name.to_owned()).skip_while(|name| name != key).nth(1);
    let Some((removed, _)) = document.remove_entry(key) else { return };
    let above = removed.leaf_decor().prefix().and_then(|prefix| prefix.as_str());
    let Some(above) = above.filter(|text| text.contains('#')).map(ToOwned::to_owned) else {
        return;
    };
    let below = next.as_deref().and_then(|next| document.key_mut(next));
    match below {
        Some(mut key) => {
            let decor = key.leaf_decor_mut();
            let own = decor.prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
            let both = format!("{above}{own}");
            decor.set_prefix(both);
        }
        None => {
            let own = document.trailing().as_str().unwrap_or_default();
            let both = format!("{above}{own}");
            document.set_trailing(both);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# My settings.\n\nwarnAt = 70  # early\n\n# For the slow server:\n\
                        timeoutFirst=300\nretries = 1\n# The end.\n";

    #[track_caller]
    fn edited(key: &str, value: Option<&str>, expected: &str) {
        assert_eq!(edit_settings(FILE, key, value).unwrap(), expected);
    }

    #[test]
    fn a_set_value_keeps_comments_order_and_spaces() {
        edited("warnAt", Some("90"), &FILE.replace("70", "90"));
        edited("timeoutFirst", Some("60"), &FILE.replace("300", "60"));
        let added = edit_settings(FILE, "overBudget", Some("fit")).unwrap();
        assert!(added.starts_with("# My settings.\n\nwarnAt = 70  # early\n"), "{added}");
        assert!(added.contains("retries = 1\noverBudget = \"fit\"\n# The end.\n"), "{added}");
    }

    #[test]
    fn an_unset_key_leaves_the_comments_above_it() {
        edited("timeoutFirst", None, &FILE.replace("timeoutFirst=300\n", ""));
        edited("retries", None, &FILE.replace("retries = 1\n", ""));
        edited("trimStep", None, FILE);
        let first = edit_settings(FILE, "warnAt", None).unwrap();
        assert!(first.starts_with("# My settings.\n\n"), "{first}");
    }

    #[test]
    fn values_are_written_in_their_own_type_and_read_back() {
        for (key, value, line) in [
            ("charsPerToken", "3.25", "charsPerToken = 3.25\n"),
            ("charsPerToken", "4", "charsPerToken = 4\n"),
            ("replyReserve", "auto", "replyReserve = \"auto\"\n"),
            ("replyReserve", "500", "replyReserve = 500\n"),
            ("sendErrorPairs", "on", "sendErrorPairs = true\n"),
            ("fileLimitText", "100 KB", "fileLimitText = \"100 KB\"\n"),
            ("defaultModel", "a \"b\"", "defaultModel = 'a \"b\"'\n"),
            #[cfg(unix)]
            ("allowedRoots", "/a:/b", "allowedRoots = [\"/a\", \"/b\"]\n"),
        ] {
            let text = edit_settings("", key, Some(value)).unwrap();
            assert_eq!(text, line);
            let sources = Sources { file: Some(text), environment: Vec::new() };
            assert_eq!(Settings::resolve(&sources).unwrap().get(key).unwrap().0, value);
        }
        let huge = edit_settings("", "userRequestAllowance", Some(&u64::MAX.to_string())).unwrap();
        assert!(huge.contains(&format!("\"{}\"", u64::MAX)), "{huge}");
    }

    #[test]
    fn what_is_wrong_changes_nothing() {
        let said = |file, key, value| edit_settings(file, key, value).unwrap_err().to_string();
        assert!(said("", "warnAt", Some("101")).contains("from 1 to 100"));
        assert!(said("", "warnat", Some("1")).contains("did you mean 'warnAt'?"));
        assert!(said("= 4", "warnAt", Some("1")).starts_with("config.toml: "));
        assert!(said("retries = 99", "warnAt", Some("1")).contains("retries"));
        // A bad value can be mended by setting it.
        assert_eq!(edit_settings("retries = 99\n", "retries", Some("2")).unwrap(), "retries = 2\n");
    }
}
