//! The object store that holds what attached files hold, where the settings name one (TEA-1).

use std::path::Path;

use plimsoll_blobs::{S3Error, S3Store};
use plimsoll_config::Settings;

use crate::failure::{Failure, note};

/// The store that the settings name, by the usual `AWS_…` variables. Nobody is asked yet.
pub(crate) fn connect(settings: &Settings, data_dir: &Path) -> Result<Option<S3Store>, Failure> {
    let Some(address) = settings.blobs() else { return Ok(None) };
    let variables = std::env::vars_os()
        .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(key, _)| key.starts_with("AWS_"));
    let store = S3Store::connect(address, variables, data_dir.join("copies"));
    store.map(Some).map_err(|error| {
        Failure::usage(error.to_string())
            .hint("without the setting blobs, files are kept in the data directory")
    })
}

/// Whoever serves says at once what is wrong with the store. One that does not answer now may
/// answer later, and conversations go on without it; other faults are mistakes.
pub(crate) async fn check(store: Option<&S3Store>) -> Result<(), Failure> {
    let Some(store) = store.cloned() else { return Ok(()) };
    let checked = tokio::task::spawn_blocking(move || store.check()).await;
    match checked.unwrap_or(Err(S3Error::Ended)) {
        Ok(()) => Ok(()),
        Err(error @ (S3Error::Unreachable { .. } | S3Error::Failed { .. } | S3Error::Ended)) => {
            note(&format!("files can be neither attached nor read for now: {error}"));
            Ok(())
        }
        Err(error) => Err(Failure::usage(error.to_string())),
    }
}
