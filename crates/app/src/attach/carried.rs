//! Bytes that go along with a request.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use plimsoll_blobs::{Blobs, as_png};
use plimsoll_domain::{File, FileId, ProviderFileId, Timestamp};
use plimsoll_provider::Enclosed;
use plimsoll_send::{Enclosure, sent_mime};

use crate::{
    App, AppError, Prepared,
    shelf::{blob_name, blocking},
};

/// No enclosure is larger.
const LARGEST: u64 = 64 << 20;

/// A copy that ends within this time is made anew: a send may last that long.
const MARGIN_MS: i64 = 10 * 60 * 1000;

/// How long a copy is believed to live when the provider does not say (FIL-4).
const LIFE_MS: i64 = 24 * 60 * 60 * 1000;

/// A file with its bytes.
#[derive(Clone, Debug)]
pub(crate) struct Carried {
    pub(crate) file: Arc<File>,
    /// What the data is, which may be made of what the file is.
    pub(crate) mime: String,
    pub(crate) data: Arc<[u8]>,
    pub(crate) path: PathBuf,
}

impl Carried {
    pub(crate) async fn load(blobs: &Blobs, file: &Arc<File>) -> Result<Self, AppError> {
        let (blobs, name) = (blobs.clone(), blob_name(file)?);
        let path = blobs.path(&name);
        let mime = sent_mime(file).to_owned();
        let convert = mime != file.mime;
        let damaged = AppError::Damaged(file.name.clone());
        let load = move || -> Result<Vec<u8>, AppError> {
            let data = blobs.read(&name, LARGEST)?;
            if convert { as_png(&data).map_err(|_| damaged) } else { Ok(data) }
        };
        let data = blocking(load).await??;
        Ok(Self { file: Arc::clone(file), mime, data: data.into(), path })
    }

    /// As a provider gets it.
    pub(crate) fn enclosed(&self, at: usize, remote: Option<&String>) -> Enclosed {
        Enclosed {
            at,
            mime: self.mime.clone(),
            data: plimsoll_provider::Carried::Bytes(Arc::clone(&self.data)),
            path: self.path.clone(),
            remote: remote.cloned(),
        }
    }

    /// The copy at a provider that may still be used.
    fn copy_at(&self, provider: &str, now: Timestamp) -> Option<&ProviderFileId> {
        let lives = |copy: &&ProviderFileId| {
            copy.provider == provider && copy.expires_at.millis() > now.millis() + MARGIN_MS
        };
        self.file.provider_ids.iter().find(lives)
    }
}

impl Prepared {
    /// The enclosures of a message with their bytes.
    pub(crate) fn carry(
        &self,
        enclosures: &[Enclosure],
        copies: &HashMap<FileId, String>,
    ) -> Vec<Enclosed> {
        let one = |one: &Enclosure| {
            let carried = self.enclosed.get(&one.file)?;
            Some(carried.enclosed(one.at, copies.get(&one.file)))
        };
        enclosures.iter().filter_map(one).collect()
    }
}

impl App {
    /// FIL-4: copies of what is enclosed, at a provider that keeps files. A copy that
    /// cannot be made is done without: the bytes go along instead.
    pub(crate) async fn copies(
        &self,
        prepared: &Prepared,
    ) -> Result<HashMap<FileId, String>, AppError> {
        let mut copies = HashMap::new();
        let Some(files) = prepared.provider.files() else { return Ok(copies) };
        let provider = prepared.provider.base_url();
        for (id, carried) in &prepared.enclosed {
            let file = &carried.file;
            if !files.takes(&carried.mime) {
                continue;
            }
            let now = self.clock.now();
            if let Some(copy) = carried.copy_at(provider, now) {
                copies.insert(*id, copy.id.clone());
                continue;
            }
            let made = files.upload(&file.name, &carried.mime, Arc::clone(&carried.data)).await;
            let Ok(made) = made else { continue };
            let lives = made.lives.and_then(|lives| i64::try_from(lives.as_millis()).ok());
            let expires_at = Timestamp::from_millis(now.millis() + lives.unwrap_or(LIFE_MS));
            let provider = provider.to_owned();
            let copy = ProviderFileId { provider, id: made.id.clone(), expires_at };
            self.store.put_provider_id(*id, &copy).await?;
            copies.insert(*id, made.id);
        }
        Ok(copies)
    }
}
