//! The keychain of a Mac and the credentials of Windows, through their own libraries. Nobody has
//! run this on either yet: it is compiled for both, and untested.

use std::{
    sync::{Arc, LazyLock, mpsc},
    thread,
};

#[cfg(target_os = "macos")]
use apple_native_keyring_store::keychain::Store;
use keyring_core::{Entry, Error, api::CredentialStoreApi};
#[cfg(windows)]
use windows_native_keyring_store::Store;

use super::{KeyringError, SERVICE, patience};

static STORE: LazyLock<Option<Arc<Store>>> = LazyLock::new(|| Store::new().ok());

pub(super) fn get(name: &str) -> Result<Option<String>, KeyringError> {
    ask(name, |entry| match entry.get_password() {
        Err(Error::NoEntry) => Ok(None),
        found => found.map(Some),
    })
}

pub(super) fn put(name: &str, key: &str) -> Result<(), KeyringError> {
    let key = zeroize::Zeroizing::new(key.to_owned());
    ask(name, move |entry| entry.set_password(&key))
}

pub(super) fn remove(name: &str) -> Result<(), KeyringError> {
    ask(name, |entry| match entry.delete_credential() {
        Err(Error::NoEntry) => Ok(()),
        done => done,
    })
}

/// Asks on a thread of its own, since the system may show a dialog that nobody answers.
fn ask<T: Send + 'static>(
    name: &str,
    question: impl FnOnce(Entry) -> Result<T, Error> + Send + 'static,
) -> Result<T, KeyringError> {
    let store = STORE.clone().ok_or(KeyringError::Missing("keyring"))?;
    let (name, patience) = (name.to_owned(), patience());
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let answer = store.build(SERVICE, &name, None).and_then(question);
        // Whoever asked may have given up. An error may quote what was kept, so that only its
        // kind is told.
        let _ = sender.send(answer.map_err(|error| match error {
            Error::NoStorageAccess(_) => "it could not be opened",
            Error::PlatformFailure(_) => "the system refused",
            _ => "it cannot keep or give this key",
        }));
    });
    let answer = receiver.recv_timeout(patience).map_err(|_| KeyringError::Silent(patience))?;
    answer.map_err(|words| KeyringError::Refused(words.to_owned()))
}
