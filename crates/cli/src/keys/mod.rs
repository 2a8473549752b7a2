//! Keys of providers (PRV-3, TEA-10): sealed in the store of a team, from the environment, the machine's keyring, or a file that
//! only its owner can read. They are never printed, logged or stored anywhere else.
//!
//! The file also says which keys are in the keyring, so that a keyring is asked for those
//! alone: without one nothing is slower, and no dialog to unlock it comes unasked.

mod file;
mod keyring;
pub(crate) mod of_team;
pub(crate) mod sealing;

use plimsoll_provider::Secret;
use plimsoll_store::KeyHolder;

use crate::failure::{Failure, note};
use file::Kept;

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

/// No key is longer, in bytes.
const LONGEST_KEY: usize = 4096;

/// Where a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeySource {
    Environment,
    Keyring,
    File,
    /// Sealed in the store of a team, for one person, a project or everybody (TEA-10).
    Person,
    Project,
    Team,
}

/// Where a key is to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The keyring if one answers, else the file.
    Best,
    Keyring,
    File,
}

impl KeySource {
    /// A name that never changes.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Environment => "environment",
            Self::Keyring => "keyring",
            Self::File => "file",
            Self::Person => "person",
            Self::Project => "project",
            Self::Team => "team",
        }
    }

    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Environment => "the environment",
            Self::Keyring => "the keyring of this machine",
            Self::File => "a file that only you can read",
            Self::Person => "the store, sealed, for you alone",
            Self::Project => "the store, sealed, for the project",
            Self::Team => "the store, sealed, for everybody in the team",
        }
    }

    /// Where the key of a holder is.
    pub(crate) fn of(holder: &KeyHolder) -> Self {
        match holder {
            KeyHolder::Person(_) => Self::Person,
            KeyHolder::Project(_) => Self::Project,
            KeyHolder::Team => Self::Team,
        }
    }
}

/// The variable that usually holds a provider's key.
pub(crate) fn usual_variable(provider: &str) -> String {
    match provider {
        "google" => "GEMINI_API_KEY".to_owned(),
        other => format!("{}_API_KEY", other.to_ascii_uppercase().replace('-', "_")),
    }
}

/// A key, where it is from, and the servers that it was given for. None is that nobody said:
/// a key of the environment goes where models.toml says.
pub(crate) struct Found {
    pub(crate) key: Secret,
    pub(crate) servers: Option<Vec<String>>,
    /// Whose it is, of the keys in the store of a team.
    pub(crate) holder: Option<KeyHolder>,
}

/// Where a key is, and the servers that it was given for, without the key.
pub(crate) struct Known {
    pub(crate) source: KeySource,
    pub(crate) servers: Option<Vec<String>>,
}

/// What is known of a provider's key without asking the keyring for it.
pub(crate) fn known(provider: &str, variable: Option<&str>) -> Result<Option<Known>, Failure> {
    if from_environment(provider, variable).is_some() {
        return Ok(Some(Known { source: KeySource::Environment, servers: None }));
    }
    Ok(file::read()?.remove(provider).map(|kept| {
        let source = if kept.key.is_some() { KeySource::File } else { KeySource::Keyring };
        Known { source, servers: kept.servers }
    }))
}

/// Whether a text can be a key, and the text without what stands around it.
pub(crate) fn checked(text: &str) -> Option<&str> {
    let key = text.trim();
    let good = |c: char| c.is_ascii_graphic();
    (!key.is_empty() && key.len() <= LONGEST_KEY && key.chars().all(good)).then_some(key)
}

/// Whether a provider may have this name: it goes into commands and files.
pub(crate) fn is_name(provider: &str) -> bool {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let starts = provider.starts_with(|c: char| c.is_ascii_alphanumeric());
    starts && provider.len() <= 64 && provider.chars().all(good)
}

/// A provider's key. A keyring that does not answer in time is an error that says so.
pub(crate) fn find(provider: &str, variable: Option<&str>) -> Result<Option<Found>, Failure> {
    if let Some(key) = from_environment(provider, variable) {
        return Ok(Some(Found { key: Secret::new(key), servers: None, holder: None }));
    }
    let Some(kept) = file::read()?.remove(provider) else { return Ok(None) };
    let key = match kept.key {
        Some(key) => Some(key),
        None => {
            let variable = variable.map_or_else(|| usual_variable(provider), ToOwned::to_owned);
            keyring::get(provider).map_err(|error| {
                Failure::failed(format!("the key of {provider} is in the keyring: {error}"))
                    .hint(format!("unlock it, or set {variable}"))
            })?
        }
    };
    let found = |key| Found { key: Secret::new(key), servers: kept.servers, holder: None };
    Ok(key.map(found))
}

fn from_environment(provider: &str, variable: Option<&str>) -> Option<String> {
    let usual = usual_variable(provider);
    let found = std::env::var(variable.unwrap_or(&usual)).ok();
    found.filter(|key| !key.trim().is_empty())
}

/// Takes away what somebody left behind who was killed while changing the file.
pub(crate) fn tidy() {
    // Where nothing can be written, nothing was left behind.
    drop(file::change());
}

/// The providers whose key is stored.
pub(crate) fn stored() -> Result<Vec<String>, Failure> {
    Ok(file::read()?.into_keys().collect())
}

/// Keeps a key for some servers, and says where.
pub(crate) fn put(
    provider: &str,
    key: &str,
    servers: Vec<String>,
    place: Place,
) -> Result<KeySource, Failure> {
    let changing = file::change()?;
    let mut keys = file::read()?;
    let in_keyring = match place {
        Place::File => false,
        Place::Keyring => {
            keyring::put(provider, key).map_err(|error| {
                Failure::failed(format!("the keyring did not take the key: {error}"))
                    .hint("--file keeps it in a file that only you can read")
            })?;
            true
        }
        Place::Best => match keyring::put(provider, key) {
            Ok(()) => true,
            // Most machines without a desktop have no keyring: nothing to worry about.
            Err(keyring::KeyringError::Missing(_)) => false,
            Err(error) => {
                note(&format!("the keyring did not take the key: {error}"));
                false
            }
        },
    };
    let kept = (!in_keyring).then(|| key.to_owned());
    let before = keys.insert(provider.to_owned(), Kept { key: kept, servers: Some(servers) });
    changing.write(&keys)?;
    if !in_keyring && before.is_some_and(|before| before.key.is_none()) {
        // The old key is of no use any more; if it cannot be reached it does no harm.
        let _ = keyring::remove(provider);
    }
    Ok(if in_keyring { KeySource::Keyring } else { KeySource::File })
}

/// Forgets a key. Says where it was, if it was anywhere.
pub(crate) fn remove(provider: &str) -> Result<Option<KeySource>, Failure> {
    let changing = file::change()?;
    let mut keys = file::read()?;
    let Some(kept) = keys.remove(provider) else { return Ok(None) };
    let place = match kept.key {
        Some(_) => KeySource::File,
        None => {
            keyring::remove(provider).map_err(|error| {
                Failure::failed(format!("the key of {provider} is still in the keyring: {error}"))
                    .hint("unlock it and try again")
            })?;
            KeySource::Keyring
        }
    };
    changing.write(&keys)?;
    Ok(Some(place))
}
