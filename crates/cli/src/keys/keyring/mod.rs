//! The keyring of the machine: that of the system on a Mac and on Windows, elsewhere that of the
//! desktop, through its tool.

#[cfg(any(windows, target_os = "macos"))]
mod native;
#[cfg(not(any(windows, target_os = "macos")))]
mod tool;

#[cfg(any(windows, target_os = "macos"))]
use native as system;
#[cfg(not(any(windows, target_os = "macos")))]
use tool as system;

use std::time::Duration;

use thiserror::Error;

/// Long enough for somebody to answer a dialog that unlocks the keyring.
const PATIENCE: Duration = Duration::from_secs(20);

/// Another time for tests, in milliseconds.
const PATIENCE_VARIABLE: &str = "PLIMSOLL_KEYRING_PATIENCE_MS";

/// Under which the keys are filed.
const SERVICE: &str = "plimsoll";

/// Why the keyring was of no use.
#[derive(Debug, Error, PartialEq, Eq)]
pub(super) enum KeyringError {
    /// There is nothing to ask.
    #[error("there is no {0} on this machine")]
    Missing(&'static str),
    /// It did not answer.
    #[error("it did not answer within {} s", .0.as_secs_f64())]
    Silent(Duration),
    /// It said no.
    #[error("{0}")]
    Refused(String),
}

/// How long a keyring is waited for.
fn patience() -> Duration {
    let own = std::env::var(PATIENCE_VARIABLE).ok().and_then(|text| text.parse().ok());
    own.map_or(PATIENCE, Duration::from_millis)
}

/// The key of a provider, if the keyring has one.
pub(super) fn get(provider: &str) -> Result<Option<String>, KeyringError> {
    let found = system::get(provider)?;
    Ok(found.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty()))
}

/// Keeps a key, and makes sure that it is there.
pub(super) fn put(provider: &str, key: &str) -> Result<(), KeyringError> {
    check_name(provider)?;
    system::put(provider, key)?;
    match get(provider)? {
        Some(kept) if kept == key => Ok(()),
        _ => Err(KeyringError::Refused("it took the key and does not have it".to_owned())),
    }
}

/// Forgets a key, if there is one.
pub(super) fn remove(provider: &str) -> Result<(), KeyringError> {
    system::remove(provider)
}

/// Names go into commands.
fn check_name(provider: &str) -> Result<(), KeyringError> {
    if super::is_name(provider) {
        return Ok(());
    }
    Err(KeyringError::Refused(format!("'{provider}' is no name for a keyring")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_become_commands() {
        assert_eq!(check_name("my-server.2"), Ok(()));
        for bad in ["", "-w", "a b", "a\nb", "a;b", "ä"] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }
}
