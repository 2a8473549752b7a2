//! A door for the fuzz targets of this repository, and for nothing else.

use crate::{BlobName, Facts, facts::tell, picture, sniff::LOOKED_AT, text::Utf8};

/// What these bytes are under this name, whole or by their beginning, and the name of
/// their blob.
pub fn facts(name: &str, bytes: &[u8]) -> (Facts, Option<BlobName>) {
    let mut text = Utf8::default();
    text.push(bytes);
    let head = bytes.get(..bytes.len().min(LOOKED_AT)).unwrap_or_default();
    let (facts, extension) = tell(name, head, text.is_text());
    let hash = plimsoll_domain::ContentHash::from_bytes(blake3::hash(bytes).as_bytes());
    (facts, BlobName::new(hash, &extension).ok())
}

/// Draws a small picture, as for a thumbnail; gives its width and height.
pub fn thumbnail(bytes: &[u8]) -> Option<(u32, u32)> {
    picture::small(bytes).ok().map(|small| (small.width(), small.height()))
}
