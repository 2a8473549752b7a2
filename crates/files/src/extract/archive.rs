//! A document that is an archive of parts: Office, OpenDocument, EPUB.

use std::{
    io::{BufReader, Read, Seek, SeekFrom},
    ops::ControlFlow,
};

use zip::{ZipArchive, result::ZipError};

use super::{
    NoText,
    bounds::{Bounds, FILE_BYTES, Metered},
    lasting, too_large,
    xml::{Piece, walk},
};

/// An archive with more parts is not opened.
const ENTRIES: u16 = 20_000;
/// Nor is one whose list of parts is larger, in bytes.
const LIST: u32 = 8 << 20;
/// The end of an archive that is looked at for its list.
const TAIL: u64 = 66 << 10;

const LOCKED: &str = "it is protected by a password; save it without one and attach it again";

pub(super) struct Archive<R> {
    zip: ZipArchive<R>,
    pub(super) bounds: Bounds,
}

impl<R: Read + Seek> Archive<R> {
    pub(super) fn open(mut file: R, bounds: &Bounds) -> Result<Self, NoText> {
        let unread =
            |error: std::io::Error| NoText::ForNow(format!("it could not be read ({error})"));
        let size = file.seek(SeekFrom::End(0)).map_err(unread)?;
        if size > FILE_BYTES {
            return Err(too_large());
        }
        file.seek(SeekFrom::Start(size.saturating_sub(TAIL))).map_err(unread)?;
        let mut tail = Vec::new();
        file.by_ref().take(TAIL).read_to_end(&mut tail).map_err(unread)?;
        // An Office document with a password is no archive but an older kind of container.
        file.seek(SeekFrom::Start(0)).map_err(unread)?;
        let mut head = [0; 8];
        if file.read_exact(&mut head).is_ok() && head == *b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" {
            return Err(lasting(LOCKED));
        }
        if !is_bounded(&tail) {
            return Err(lasting("it is damaged, or has more parts than a document has"));
        }
        file.seek(SeekFrom::Start(0)).map_err(unread)?;
        let zip =
            ZipArchive::new(file).map_err(|_| lasting("it is damaged: its parts are not found"))?;
        Ok(Self { zip, bounds: bounds.clone() })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(name).is_some()
    }

    /// Goes through an XML part; says whether it is there.
    pub(super) fn walk(
        &mut self,
        name: &str,
        each: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    ) -> Result<bool, NoText> {
        let bounds = self.bounds.clone();
        let entry = match self.zip.by_name(name) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Ok(false),
            Err(error) => return Err(problem(&error)),
        };
        walk(BufReader::new(entry), &bounds, each)?;
        Ok(true)
    }

    /// All bytes of a part, up to so many; none if it is not there.
    pub(super) fn bytes(&mut self, name: &str, most: u64) -> Result<Option<Vec<u8>>, NoText> {
        let entry = match self.zip.by_name(name) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(problem(&error)),
        };
        let (mut metered, piece) = Metered::new(BufReader::new(entry), &self.bounds);
        let mut bytes = Vec::new();
        let mut part = vec![0; 64 << 10];
        loop {
            piece.set(0);
            let read =
                metered.read(&mut part).map_err(|error| NoText::Lasting(error.to_string()))?;
            bytes.extend_from_slice(part.get(..read).unwrap_or_default());
            if read == 0 || bytes.len() as u64 >= most {
                return Ok(Some(bytes));
            }
        }
    }

    /// Where the targets of a part's relations are, by their ids.
    pub(super) fn relations(&mut self, part: &str) -> Result<Vec<Relation>, NoText> {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let mut found = Vec::new();
        self.walk(&joined(folder, &format!("_rels/{name}.rels")), &mut |piece| {
            if let Piece::Start { name: "Relationship", marks } = piece {
                let external = marks.get("TargetMode").is_some_and(|mode| mode == "External");
                if let (false, Some(id), Some(target)) =
                    (external, marks.get("Id"), marks.get("Target"))
                {
                    let kind = marks.get("Type").unwrap_or_default();
                    let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                    found.push(Relation { id, kind, target: joined(folder, &target) });
                }
            }
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }
}

/// What a part refers to.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) target: String,
}

/// A path of the archive, from a part's folder.
pub(super) fn joined(folder: &str, target: &str) -> String {
    let mut path: Vec<&str> = match target.starts_with('/') {
        true => Vec::new(),
        false => folder.split('/').filter(|part| !part.is_empty()).collect(),
    };
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                path.pop();
            }
            part => path.push(part),
        }
    }
    path.join("/")
}

fn problem(error: &ZipError) -> NoText {
    match error {
        ZipError::UnsupportedArchive(why) if why.to_lowercase().contains("password") => {
            lasting(LOCKED)
        }
        error => NoText::Lasting(format!("it is damaged ({error})")),
    }
}

pub(super) fn locked() -> NoText {
    lasting(LOCKED)
}

/// Whether the list of parts is one that a document has; read before it is unpacked, since
/// each entry takes many times its bytes in memory.
fn is_bounded(tail: &[u8]) -> bool {
    let Some(at) = tail.windows(4).rposition(|window| window == b"PK\x05\x06") else {
        return false;
    };
    let number = |from: usize, bytes: usize| {
        let bytes = tail.get(at + from..at + from + bytes)?;
        Some(bytes.iter().rev().fold(0u32, |sum, byte| sum << 8 | u32::from(*byte)))
    };
    number(10, 2).is_some_and(|entries| entries <= u32::from(ENTRIES))
        && number(12, 4).is_some_and(|bytes| bytes <= LIST)
}
