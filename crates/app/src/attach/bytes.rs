//! Bytes that go along with a request.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use plimsoll_blobs::{Blobs, as_png};
use plimsoll_domain::{File, FileId, ProviderFileId, Timestamp};
use plimsoll_send::{FilePart, sent_mime};

use crate::{
    App, AppError, Prepared,
    shelf::{blob_name, blocking},
};

/// No file goes along as bytes that is larger.
const LARGEST: u64 = 64 << 20;

/// A copy that ends within this time is made anew: a send may last that long.
const MARGIN_MS: i64 = 10 * 60 * 1000;

/// How long a copy is believed to live when the provider does not say (FIL-4).
const LIFE_MS: i64 = 24 * 60 * 60 * 1000;

/// A file with its bytes, as a part of a message.
pub(crate) async fn load(blobs: &Blobs, file: &Arc<File>) -> Result<FilePart, AppError> {
    let (blobs, name) = (blobs.clone(), blob_name(file)?);
    let mime = sent_mime(file).to_owned();
    let convert = mime != file.mime;
    let damaged = AppError::Damaged(file.name.clone());
    let load = move || -> Result<(Vec<u8>, PathBuf), AppError> {
        let (data, path) = (blobs.read(&name, LARGEST)?, blobs.local_path(&name)?);
        Ok((if convert { as_png(&data).map_err(|_| damaged)? } else { data }, path))
    };
    let (bytes, path) = blocking(load).await??;
    let bytes = bytes.into();
    Ok(FilePart { file: Some(Arc::clone(file)), mime, bytes, path, remote: None })
}

/// The copy of a file at a provider that may still be used.
fn copy_at<'a>(file: &'a File, provider: &str, now: Timestamp) -> Option<&'a ProviderFileId> {
    let lives = |copy: &&ProviderFileId| {
        copy.provider == provider && copy.expires_at.millis() > now.millis() + MARGIN_MS
    };
    file.provider_ids.iter().find(lives)
}

impl App {
    /// FIL-4: copies of the files of a request, at a provider that keeps files. A copy that
    /// cannot be made is done without: the bytes go along instead.
    pub(crate) async fn copies(
        &self,
        prepared: &Prepared,
    ) -> Result<HashMap<FileId, String>, AppError> {
        let mut copies = HashMap::new();
        let Some(files) = prepared.provider.files() else { return Ok(copies) };
        let provider = prepared.provider.base_url();
        for part in prepared.files() {
            let Some(file) = &part.file else { continue };
            if copies.contains_key(&file.id) || !files.takes(&part.mime) {
                continue;
            }
            let now = self.clock.now();
            if let Some(copy) = copy_at(file, provider, now) {
                copies.insert(file.id, copy.id.clone());
                continue;
            }
            let made = files.upload(&file.name, &part.mime, Arc::clone(&part.bytes)).await;
            let Ok(made) = made else { continue };
            let lives = made.lives.and_then(|lives| i64::try_from(lives.as_millis()).ok());
            let expires_at = Timestamp::from_millis(now.millis() + lives.unwrap_or(LIFE_MS));
            let provider = provider.to_owned();
            let copy = ProviderFileId { provider, id: made.id.clone(), expires_at };
            self.store.put_provider_id(file.id, &copy).await?;
            copies.insert(file.id, made.id);
        }
        Ok(copies)
    }
}
