//! What a token's path stands for (TOK-4). Nothing is opened here, and nothing outside
//! `context/` is even looked at.

use std::{
    borrow::Cow,
    fs,
    path::{Component, Path},
};

use plimsoll_domain::{ContextKind, ContextToken};

use crate::{BlobName, Blobs, Broken, name::last_part};

impl Blobs {
    /// The blob that a token's path stands for: the file itself, if the path leads into this
    /// workspace's `blobs/` when all links are followed; else the blob of that name, so that
    /// data may move to another machine; else none.
    pub fn resolve(&self, token_path: &str) -> Result<BlobName, Broken> {
        let token = ContextToken { kind: ContextKind::File, path: Cow::Borrowed(token_path) };
        if !token.is_absolute() {
            return Err(Broken::NotAbsolute);
        }
        let inside = self.leads_inside(token_path);
        if inside && let Some(name) = self.canonical(Path::new(token_path)) {
            return self.is_plain(&name).map(|()| name);
        }
        match BlobName::parse(last_part(token_path)) {
            Ok(name) => match self.is_plain(&name) {
                Ok(()) => Ok(name),
                Err(Broken::Missing) if !inside => Err(Broken::Outside),
                Err(broken) => Err(broken),
            },
            Err(_) if inside => Err(Broken::Missing),
            Err(_) => Err(Broken::Outside),
        }
    }

    /// Whether a path is below `context/` as it is written, without a step upwards.
    fn leads_inside(&self, path: &str) -> bool {
        let path = Path::new(path);
        path.starts_with(&self.shared.context)
            && !path.components().any(|part| part == Component::ParentDir)
    }

    /// The blob that a path names when all links are followed.
    fn canonical(&self, path: &Path) -> Option<BlobName> {
        let real = fs::canonicalize(path).ok()?;
        let home = fs::canonicalize(&self.shared.blobs).ok()?;
        let name = real.strip_prefix(home).ok()?.to_str()?;
        BlobName::parse(name).ok()
    }

    fn is_plain(&self, name: &BlobName) -> Result<(), Broken> {
        match fs::symlink_metadata(self.path(name)) {
            Ok(found) if found.is_file() => Ok(()),
            Ok(_) => Err(Broken::NotAFile),
            Err(_) => Err(Broken::Missing),
        }
    }
}
