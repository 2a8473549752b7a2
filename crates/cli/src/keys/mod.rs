//! Keys of providers (PRV-3): from the environment, the machine's keyring, or a file that
//! only its owner can read. They are never printed, logged or stored anywhere else.
//!
//! The file also says which keys are in the keyring, so that a keyring is asked for those
//! alone: without one nothing is slower, and no dialog to unlock it comes unasked.

mod file;
mod keyring;

use plimsoll_provider::Secret;

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

/// Where a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeySource {
    Environment,
    Keyring,
    File,
}

/// Where a key is to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The keyring if one answers, else the file.
    Best,
    Keyring,
    File,
}

/// The variable that usually holds a provider's key.
pub(crate) fn usual_variable(provider: &str) -> String {
    match provider {
        "google" => "GEMINI_API_KEY".to_owned(),
        other => format!("{}_API_KEY", other.to_ascii_uppercase().replace('-', "_")),
    }
}

/// Where a provider's key is, without asking the keyring for it.
pub(crate) fn place(provider: &str, variable: Option<&str>) -> Result<Option<KeySource>, Failure> {
    if from_environment(provider, variable).is_some() {
        return Ok(Some(KeySource::Environment));
    }
    Ok(file::read()?.remove(provider).map(|kept| match kept {
        Kept::Here(_) => KeySource::File,
        Kept::InKeyring => KeySource::Keyring,
    }))
}

/// A provider's key, and where it is from. A keyring that does not answer in time is an
/// error that says so.
pub(crate) fn find(
    provider: &str,
    variable: Option<&str>,
) -> Result<Option<(Secret, KeySource)>, Failure> {
    if let Some(key) = from_environment(provider, variable) {
        return Ok(Some((Secret::new(key), KeySource::Environment)));
    }
    match file::read()?.remove(provider) {
        None => Ok(None),
        Some(Kept::Here(key)) => Ok(Some((Secret::new(key), KeySource::File))),
        Some(Kept::InKeyring) => {
            let variable = variable.map_or_else(|| usual_variable(provider), ToOwned::to_owned);
            let asked = keyring::get(provider).map_err(|error| {
                Failure::failed(format!("the key of {provider} is in the keyring: {error}"))
                    .hint(format!("unlock it, or set {variable}"))
            })?;
            Ok(asked.map(|key| (Secret::new(key), KeySource::Keyring)))
        }
    }
}

fn from_environment(provider: &str, variable: Option<&str>) -> Option<String> {
    let usual = usual_variable(provider);
    let found = std::env::var(variable.unwrap_or(&usual)).ok();
    found.filter(|key| !key.trim().is_empty())
}

/// The providers whose key is stored.
pub(crate) fn stored() -> Result<Vec<String>, Failure> {
    Ok(file::read()?.into_keys().collect())
}

/// Keeps a key, and says where.
pub(crate) fn put(provider: &str, key: &str, place: Place) -> Result<KeySource, Failure> {
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
    let kept = if in_keyring { Kept::InKeyring } else { Kept::Here(key.to_owned()) };
    let before = keys.insert(provider.to_owned(), kept);
    file::write(&keys)?;
    if !in_keyring && before == Some(Kept::InKeyring) {
        // The old key is of no use any more; if it cannot be reached it does no harm.
        let _ = keyring::remove(provider);
    }
    Ok(if in_keyring { KeySource::Keyring } else { KeySource::File })
}

/// Forgets a key. Says where it was, if it was anywhere.
pub(crate) fn remove(provider: &str) -> Result<Option<KeySource>, Failure> {
    let mut keys = file::read()?;
    let Some(kept) = keys.remove(provider) else { return Ok(None) };
    let place = match kept {
        Kept::Here(_) => KeySource::File,
        Kept::InKeyring => {
            keyring::remove(provider).map_err(|error| {
                Failure::failed(format!("the key of {provider} is still in the keyring: {error}"))
                    .hint("unlock it and try again")
            })?;
            KeySource::Keyring
        }
    };
    file::write(&keys)?;
    Ok(Some(place))
}
