//! The file of keys, which only its owner can read.

use std::{
    collections::BTreeMap,
    io::Write,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use crate::{context::config_dir, failure::Failure, input::unreadable};

/// Where the file says that a key is.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Written")]
pub(super) enum Kept {
    /// The key itself.
    Here(String),
    /// In the keyring of the machine.
    InKeyring,
}

/// A key as the file has it: `openai = "sk-…"` or `openai = { keyring = true }`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Key(String),
    Elsewhere {
        #[serde(rename = "keyring")]
        _keyring: bool,
    },
}

impl From<Written> for Kept {
    fn from(written: Written) -> Self {
        match written {
            Written::Key(key) => Self::Here(key),
            Written::Elsewhere { .. } => Self::InKeyring,
        }
    }
}

fn path() -> Result<PathBuf, Failure> {
    config_dir().map(|dir| dir.join("keys.toml")).ok_or_else(|| {
        Failure::failed("there is no configuration directory for keys")
            .hint("set PLIMSOLL_CONFIG_DIR, or put the key into its environment variable")
    })
}

pub(super) fn read() -> Result<BTreeMap<String, Kept>, Failure> {
    let path = path()?;
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(unreadable(&path, &error)),
    };
    check_permissions(&path)?;
    // What the parser says could quote a key, so it is not repeated.
    toml::from_str(&text)
        .map_err(|_| Failure::failed(format!("{} is not a file of keys", path.display())))
}

#[cfg(unix)]
fn check_permissions(path: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?.permissions();
    if mode.mode() & 0o077 == 0 {
        return Ok(());
    }
    let shown = path.display();
    Err(Failure::failed(format!("{shown} can be read by others"))
        .hint(format!("chmod 600 {shown}")))
}

#[cfg(not(unix))]
fn check_permissions(_: &Path) -> Result<(), Failure> {
    Ok(())
}

/// Writes beside the file and renames, so that a crash leaves the old keys or the new.
pub(super) fn write(keys: &BTreeMap<String, Kept>) -> Result<(), Failure> {
    let path = path()?;
    let failed = |error: std::io::Error| {
        Failure::failed(format!("cannot write {}: {error}", path.display()))
    };
    let dir = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir).map_err(failed)?;
    let mut text = String::new();
    for (provider, key) in keys {
        let value = match key {
            Kept::Here(key) => quoted(key),
            Kept::InKeyring => "{ keyring = true }".to_owned(),
        };
        text.push_str(&format!("{} = {value}\n", quoted(provider)));
    }
    // A temporary file is made for its owner alone.
    let mut file = tempfile::NamedTempFile::new_in(dir).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(&path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// A TOML string is a JSON string as far as keys and names go.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
