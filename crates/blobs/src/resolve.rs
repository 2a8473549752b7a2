//! What a token's path stands for (TOK-4). Nothing is opened here, and nothing outside
//! `context/` is even looked at.

use std::{
    borrow::Cow,
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
        let place = &self.shared.place;
        if inside && let Some(name) = place.canonical(Path::new(token_path)) {
            return place.is_there(&name).map(|()| name);
        }
        match BlobName::parse(last_part(token_path)) {
            Ok(name) => match place.is_there(&name) {
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
}
