//! Whether all that is kept is whole (REL-10): the store, the contents of files, and what refers
//! to what.

use std::collections::HashMap;

use plimsoll_blobs::{BlobError, BlobName, Blobs};
use plimsoll_domain::{File, plain_name};

use super::{blob_name, blocking};
use crate::{App, AppError};

/// How many bytes of files are read and compared with their hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadData {
    /// As many as are read in a moment; of the rest only the sizes are compared.
    Quick,
    All,
}

impl ReadData {
    fn most(self) -> u64 {
        match self {
            Self::Quick => 64 << 20,
            Self::All => u64::MAX,
        }
    }
}

/// What was looked at, and what is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// A line for each thing that is damaged; none is good news.
    pub damage: Vec<String>,
    /// Contents of files that are there.
    pub blobs: u64,
    /// How many of them were read to their end.
    pub read: u64,
}

impl App {
    /// Looks through the store, its references and indexes, and the contents of files.
    /// Nothing is changed.
    pub async fn verify(&self, read: ReadData) -> Result<Verified, AppError> {
        let mut verified = Verified::default();
        verified.damage.extend(self.store.check().await?.into_iter().map(|found| found.0));
        let mut left = read.most();
        for workspace in self.store.workspaces().await? {
            let files = self.store.files(&workspace).await?;
            let blobs = self.blobs(&workspace)?;
            let name = workspace.as_str().to_owned();
            let looked = move || look(&blobs, &files, &name, left);
            let (found, rest) = blocking(looked).await??;
            left = rest;
            verified.damage.extend(found.damage);
            verified.blobs += found.blobs;
            verified.read += found.read;
        }
        Ok(verified)
    }
}

/// Looks at the files of one workspace; says how many bytes may still be read.
fn look(
    blobs: &Blobs,
    files: &[File],
    workspace: &str,
    mut left: u64,
) -> Result<(Verified, u64), AppError> {
    let mut verified = Verified::default();
    let mut wanted: HashMap<BlobName, &File> = HashMap::new();
    for file in files {
        match blob_name(file) {
            Ok(name) => drop(wanted.insert(name, file)),
            Err(error) => verified.damage.push(format!("{workspace}: {error}")),
        }
    }
    for stored in blobs.list()? {
        verified.blobs += 1;
        let file = wanted.remove(&stored.name);
        let called = file.map_or_else(
            || format!("{workspace}: {}", stored.name),
            |file| format!("{workspace}: '{}' ({})", file.name, stored.name),
        );
        if let Some(file) = file.filter(|file| file.size != stored.size) {
            let (has, had) = (stored.size, file.size);
            verified.damage.push(format!("{called} has {has} bytes and had {had}"));
            continue;
        }
        if stored.size > left {
            continue;
        }
        left -= stored.size;
        verified.read += 1;
        match blobs.check(&stored.name) {
            Ok(_) => {}
            Err(BlobError::Altered(_)) => {
                verified.damage.push(format!("{called} does not hold the bytes of its name"));
            }
            // Who cannot be asked is not damaged.
            Err(error @ BlobError::S3(_)) => return Err(error.into()),
            Err(error) => verified.damage.push(format!("{called}: {error}")),
        }
    }
    let mut missing: Vec<String> = wanted
        .into_iter()
        .map(|(name, file)| {
            format!("{workspace}: the content of '{}' ({name}) is gone", plain_name(&file.name))
        })
        .collect();
    missing.sort();
    verified.damage.extend(missing);
    Ok((verified, left))
}
