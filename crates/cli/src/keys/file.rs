//! The file of keys, which only its owner can read.

use std::{
    collections::BTreeMap,
    fs::File,
    io::Write,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use crate::{
    context::config_dir, failure::Failure, input::unreadable, machine::sync_name,
    token::only_the_owner_reads,
};

/// What the file says of a key.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Written")]
pub(super) struct Kept {
    /// The key itself; else it is in the keyring of the machine.
    pub(super) key: Option<String>,
    /// The servers that it was given for, such as `https://api.openai.com`. Files of earlier
    /// versions do not say.
    pub(super) servers: Option<Vec<String>>,
}

/// A key as the file has it: `openai = { key = "sk-…", for = ["https://api.openai.com"] }` or
/// `openai = { keyring = true, for = […] }`; formerly also `openai = "sk-…"`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Key(String),
    Told {
        key: Option<String>,
        #[serde(rename = "keyring")]
        _keyring: Option<bool>,
        #[serde(rename = "for")]
        servers: Option<Vec<String>>,
    },
}

impl From<Written> for Kept {
    fn from(written: Written) -> Self {
        match written {
            Written::Key(key) => Self { key: Some(key), servers: None },
            Written::Told { key, servers, .. } => Self { key, servers },
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
    only_the_owner_reads(&path)?;
    // What the parser says could quote a key, so it is not repeated.
    toml::from_str(&text)
        .map_err(|_| Failure::failed(format!("{} is not a file of keys", path.display())))
}

/// The right to change the file; it is free again when this is dropped. Whoever was killed
/// before it was done left a file behind, which goes.
pub(super) struct Changing {
    path: PathBuf,
    beside: PathBuf,
    _lock: File,
}

pub(super) fn change() -> Result<Changing, Failure> {
    let path = path()?;
    let failed = |error: std::io::Error| {
        Failure::failed(format!("cannot write {}: {error}", path.display()))
    };
    let dir = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir).map_err(failed)?;
    let lock = File::create(dir.join("keys.lock")).map_err(failed)?;
    lock.lock().map_err(failed)?;
    let beside = dir.join("keys.toml.new");
    remove(&beside).map_err(failed)?;
    Ok(Changing { path, beside, _lock: lock })
}

fn remove(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

impl Changing {
    /// Writes beside the file and renames, so that a crash leaves the old keys or the new.
    pub(super) fn write(&self, keys: &BTreeMap<String, Kept>) -> Result<(), Failure> {
        let failed = |error: std::io::Error| {
            Failure::failed(format!("cannot write {}: {error}", self.path.display()))
        };
        let text: String = keys.iter().map(|(provider, kept)| line(provider, kept)).collect();
        let mut file = private().open(&self.beside).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        std::fs::rename(&self.beside, &self.path).map_err(failed)?;
        sync_name(&self.path).map_err(failed)
    }
}

impl Drop for Changing {
    fn drop(&mut self) {
        // After a rename it is gone already.
        let _ = remove(&self.beside);
    }
}

/// How a file is made for its owner alone.
fn private() -> std::fs::OpenOptions {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn line(provider: &str, kept: &Kept) -> String {
    let place = match &kept.key {
        Some(key) => format!("key = {}", quoted(key)),
        None => "keyring = true".to_owned(),
    };
    let servers = kept.servers.as_ref().map_or_else(String::new, |servers| {
        let servers: Vec<String> = servers.iter().map(|server| quoted(server)).collect();
        format!(", for = [{}]", servers.join(", "))
    });
    format!("{} = {{ {place}{servers} }}\n", quoted(provider))
}

/// A TOML string is a JSON string as far as keys and names go.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
