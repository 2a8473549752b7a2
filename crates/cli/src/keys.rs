//! Keys of providers (PRV-3): from the environment, else from a file that only its owner
//! can read. They are never printed, logged or stored anywhere else.

use std::{
    collections::BTreeMap,
    io::Write,
    path::{Path, PathBuf},
};

use plimsoll_provider::Secret;

use crate::{context::config_dir, failure::Failure, input::unreadable};

/// Providers that want a key.
pub(crate) const PROVIDERS: [&str; 10] = [
    "openai",
    "anthropic",
    "google",
    "xai",
    "mistral",
    "deepseek",
    "groq",
    "openrouter",
    "moonshot",
    "zai",
];

/// Where a key was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeySource {
    Environment,
    File,
}

/// The variable that usually holds a provider's key.
pub(crate) fn usual_variable(provider: &str) -> String {
    match provider {
        "google" => "GEMINI_API_KEY".to_owned(),
        other => format!("{}_API_KEY", other.to_ascii_uppercase().replace('-', "_")),
    }
}

/// A provider's key, and where it is from.
pub(crate) fn find(
    provider: &str,
    variable: Option<&str>,
) -> Result<Option<(Secret, KeySource)>, Failure> {
    let usual = usual_variable(provider);
    let from_env = std::env::var(variable.unwrap_or(&usual)).ok();
    if let Some(key) = from_env.filter(|key| !key.trim().is_empty()) {
        return Ok(Some((Secret::new(key), KeySource::Environment)));
    }
    Ok(read()?.remove(provider).map(|key| (Secret::new(key), KeySource::File)))
}

/// The providers that have a key in the file.
pub(crate) fn stored() -> Result<Vec<String>, Failure> {
    Ok(read()?.into_keys().collect())
}

/// Keeps a key, or forgets it.
pub(crate) fn put(provider: &str, key: Option<&str>) -> Result<bool, Failure> {
    let mut keys = read()?;
    let had = match key {
        Some(key) => keys.insert(provider.to_owned(), key.to_owned()).is_some(),
        None => keys.remove(provider).is_some(),
    };
    write(&keys)?;
    Ok(had)
}

fn path() -> Result<PathBuf, Failure> {
    config_dir().map(|dir| dir.join("keys.toml")).ok_or_else(|| {
        Failure::failed("there is no configuration directory for keys")
            .hint("set PLIMSOLL_CONFIG_DIR, or put the key into its environment variable")
    })
}

fn read() -> Result<BTreeMap<String, String>, Failure> {
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
fn write(keys: &BTreeMap<String, String>) -> Result<(), Failure> {
    let path = path()?;
    let failed = |error: std::io::Error| {
        Failure::failed(format!("cannot write {}: {error}", path.display()))
    };
    let dir = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir).map_err(failed)?;
    let mut text = String::new();
    for (provider, key) in keys {
        let quote = |text: &str| toml::Value::String(text.to_owned());
        text.push_str(&format!("{} = {}\n", quoted(&quote(provider)), quoted(&quote(key))));
    }
    // A temporary file is made for its owner alone.
    let mut file = tempfile::NamedTempFile::new_in(dir).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(&path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// A TOML string is a JSON string as far as keys and names go.
fn quoted(value: &toml::Value) -> String {
    serde_json::to_string(value.as_str().unwrap_or_default()).unwrap_or_default()
}
