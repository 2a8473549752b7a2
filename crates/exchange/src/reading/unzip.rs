//! Exports that come as an archive. No name in it becomes a path, and what it says about
//! sizes is not believed.

use std::{
    io::{Read, Seek},
    ops::ControlFlow,
};

use plimsoll_domain::ContentHash;
use zip::{ZipArchive, result::ZipError};

use super::{
    BlobEntry, BlobPart, Sink, Summary,
    bytes::{Meter, Metered},
    json::{self, Reading},
};
use crate::{
    BadRecord, Place, ReadError,
    own_file::is_extension,
    write_zip::{BLOBS, DOCUMENT},
};

/// No export unpacks to more.
const MOST_UNPACKED: u64 = 8 << 30;

/// Texts are packed to a tenth or so; what is packed a hundred times tighter than that is
/// made to fill a disk. Small archives may do as they like.
const TIGHTEST: u64 = 250;
const ALWAYS_ALLOWED: u64 = 64 << 20;

/// How much of a blob is in memory at a time, in bytes.
const PIECE: usize = 256 << 10;

pub(super) fn read(
    source: impl Read + Seek,
    length: u64,
    sink: &mut dyn Sink,
) -> Result<Summary, ReadError> {
    let mut archive = ZipArchive::new(source).map_err(bad)?;
    if archive.has_duplicate_names() {
        return Err(ReadError::Zip("two of its entries have the same name".to_owned()));
    }
    let allowed = length.saturating_mul(TIGHTEST).clamp(ALWAYS_ALLOWED, MOST_UNPACKED);
    let mut names: Vec<String> =
        archive.file_names().flatten().map(|name| name.into_owned()).collect();
    names.sort();
    if names.iter().any(|name| name == DOCUMENT) {
        names.retain(|name| name.starts_with(BLOBS) && !name.ends_with('/'));
        // Blobs are not packed, so that there may be as much of them as there is archive.
        return read_ours(&mut archive, &names, length.saturating_add(allowed), sink);
    }
    names.retain(|name| holds(name));
    if names.is_empty() {
        return Err(ReadError::NoConversations);
    }
    let meter = Meter::new(claimed(&mut archive, &names, allowed)?, allowed);
    let mut reading = Reading { sink, meter: &meter, summary: Summary::default() };
    for name in &names {
        let mut entry = archive.by_name(name).map_err(bad)?;
        json::read(&mut entry, &mut reading)?;
    }
    Ok(reading.summary)
}

fn bad(error: ZipError) -> ReadError {
    ReadError::Zip(error.to_string())
}

/// `conversations.json`, and the pieces into which a large one is split.
fn holds(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    name.starts_with("conversations") && name.ends_with(".json")
}

/// What these entries say that they unpack to.
fn claimed<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    names: &[String],
    allowed: u64,
) -> Result<u64, ReadError> {
    let mut total: u64 = 0;
    for name in names {
        total = total.saturating_add(archive.by_name(name).map_err(bad)?.size());
    }
    if total > allowed { Err(ReadError::TooLarge(allowed)) } else { Ok(total) }
}

/// An archive of ours: first all blobs, so that a file is known only where its bytes are,
/// then the document. In which order they stand in the archive does not matter.
fn read_ours<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    blobs: &[String],
    allowed: u64,
    sink: &mut dyn Sink,
) -> Result<Summary, ReadError> {
    let entries: Vec<String> = blobs.iter().cloned().chain([DOCUMENT.to_owned()]).collect();
    let meter = Meter::new(claimed(archive, &entries, allowed)?, allowed);
    let mut reading = Reading { sink, meter: &meter, summary: Summary::default() };
    for (number, name) in (1..).zip(blobs) {
        let problem = match entry_of(name) {
            None => Some("it is not named by 64 hexadecimal digits, a dot and an extension".into()),
            Some(blob) => {
                let mut entry = archive.by_name(name).map_err(bad)?;
                let problem = read_blob(&blob, &mut entry, &mut reading)?;
                let end = if problem.is_none() { BlobPart::Whole } else { BlobPart::Bad };
                go_on(reading.sink.blob(end))?;
                problem
            }
        };
        if let Some(problem) = problem {
            let problem = format!("{}: {problem}", shown(name));
            go_on(reading.sink.bad(BadRecord { place: Place::Blob(number), problem }))?;
        }
    }
    let mut document = archive.by_name(DOCUMENT).map_err(bad)?;
    json::read(&mut document, &mut reading)?;
    Ok(reading.summary)
}

/// Hands over the bytes of a blob; gives what is wrong with them.
fn read_blob(
    blob: &BlobEntry,
    bytes: &mut dyn Read,
    reading: &mut Reading<'_>,
) -> Result<Option<String>, ReadError> {
    go_on(reading.sink.blob(BlobPart::Begin(blob)))?;
    let mut bytes = Metered { inner: bytes, meter: reading.meter };
    let mut hasher = blake3::Hasher::new();
    let mut piece = vec![0; PIECE];
    loop {
        let length = match bytes.read(&mut piece) {
            Err(_) if reading.meter.stopped().is_some() => {
                return Err(ReadError::TooLarge(reading.meter.file_until()));
            }
            Err(error) => return Ok(Some(format!("it cannot be unpacked: {error}"))),
            Ok(0) => break,
            Ok(length) => length,
        };
        let piece = piece.get(..length).unwrap_or_default();
        hasher.update(piece);
        go_on(reading.sink.blob(BlobPart::Bytes(piece)))?;
        go_on(reading.progress())?;
    }
    let same = ContentHash::from_bytes(hasher.finalize().as_bytes()) == blob.hash;
    Ok((!same).then(|| "its bytes do not give the hash that it is named by".to_owned()))
}

/// The blob that an entry is named after, if it is.
fn entry_of(name: &str) -> Option<BlobEntry> {
    let (hash, extension) = name.strip_prefix(BLOBS)?.split_once('.')?;
    let hash = ContentHash::parse(hash).ok()?;
    is_extension(extension).then(|| BlobEntry { hash, extension: extension.to_owned() })
}

/// A name that is told: short, and on one line.
fn shown(name: &str) -> String {
    let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    name.chars().map(plain).take(100).collect()
}

fn go_on(flow: ControlFlow<()>) -> Result<(), ReadError> {
    if flow.is_break() { Err(ReadError::Stopped) } else { Ok(()) }
}
