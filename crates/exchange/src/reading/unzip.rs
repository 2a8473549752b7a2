//! Exports that come as an archive.

use std::io::{Read, Seek};

use zip::ZipArchive;

use super::{Sink, Summary, bytes::Meter, json};
use crate::ReadError;

/// No export unpacks to more.
const MOST_UNPACKED: u64 = 8 << 30;

/// Texts are packed to a tenth or so; what is packed a hundred times tighter than that is
/// made to fill a disk. Small archives may do as they like.
const TIGHTEST: u64 = 250;
const ALWAYS_ALLOWED: u64 = 64 << 20;

pub(super) fn read(
    source: impl Read + Seek,
    length: u64,
    sink: &mut dyn Sink,
) -> Result<Summary, ReadError> {
    let bad = |error: zip::result::ZipError| ReadError::Zip(error.to_string());
    let mut archive = ZipArchive::new(source).map_err(bad)?;
    let mut names: Vec<String> = archive
        .file_names()
        .flatten()
        .filter(|name| holds(name))
        .map(|name| name.into_owned())
        .collect();
    names.sort();
    if names.is_empty() {
        return Err(ReadError::NoConversations);
    }
    let mut total: u64 = 0;
    for name in &names {
        let entry = archive.by_name(name).map_err(bad)?;
        total = total.saturating_add(entry.size());
    }
    let allowed = length.saturating_mul(TIGHTEST).clamp(ALWAYS_ALLOWED, MOST_UNPACKED);
    if total > allowed {
        return Err(ReadError::TooLarge(allowed));
    }
    let meter = Meter::new(total, allowed);
    let mut reading = json::Reading { sink, meter: &meter, summary: Summary::default() };
    for name in &names {
        let mut entry = archive.by_name(name).map_err(bad)?;
        json::read(&mut entry, &mut reading)?;
    }
    Ok(reading.summary)
}

/// `conversations.json`, and the pieces into which a large one is split.
fn holds(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    name.starts_with("conversations") && name.ends_with(".json")
}
