//! All that is somebody's in one archive (TEA-10): what is known of them, and of each of their
//! workspaces an export of ours and its memory.

use std::io::{self, Read, Seek, Write};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use zip::{
    CompressionMethod, ZipArchive, ZipWriter,
    write::{SimpleFileOptions, StreamWriter},
};

use crate::ReadError;

/// What is known of somebody, and where the rest stands.
const DOCUMENT: &str = "person.json";
const FORMAT: &str = "plimsoll-person";
const VERSION: u32 = 1;
/// Larger ones are not ours.
const LARGEST_DOCUMENT: u64 = 256 << 20;
/// No entry unpacks to more.
const LARGEST_ENTRY: u64 = 1 << 40;

/// A workspace in the archive: its name behind the slash, and the entries that hold it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonWorkspace {
    pub name: String,
    /// An archive as `plimsoll import` reads it.
    pub export: String,
    /// Lines as `plimsoll memory import` reads them.
    pub memory: String,
}

impl PersonWorkspace {
    /// The entries of the workspace with this number. Its name may be no name for a file.
    pub fn numbered(number: usize, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            export: format!("workspaces/{number}.zip"),
            memory: format!("workspaces/{number}.memory.jsonl"),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Document {
    format: String,
    version: u32,
    workspaces: Vec<PersonWorkspace>,
    #[serde(flatten)]
    about: Map<String, Value>,
}

/// Writes such an archive, entry by entry. What is written to it goes into the entry that was
/// begun last.
pub struct PersonWriter<W: Write> {
    zip: ZipWriter<StreamWriter<W>>,
}

impl<W: Write> PersonWriter<W> {
    /// Begins with what is known of somebody.
    pub fn start(
        to: W,
        about: Map<String, Value>,
        workspaces: &[PersonWorkspace],
    ) -> io::Result<Self> {
        let mut zip = ZipWriter::new_stream(to);
        let (format, workspaces) = (FORMAT.to_owned(), workspaces.to_vec());
        let document = Document { format, version: VERSION, workspaces, about };
        zip.start_file(DOCUMENT, options(CompressionMethod::Deflated))?;
        serde_json::to_writer_pretty(&mut zip, &document)?;
        Ok(Self { zip })
    }

    /// Goes on with an archive, which is packed already.
    pub fn archive(&mut self, name: &str) -> io::Result<()> {
        Ok(self.zip.start_file(name, options(CompressionMethod::Stored))?)
    }

    /// Goes on with lines of text.
    pub fn lines(&mut self, name: &str) -> io::Result<()> {
        Ok(self.zip.start_file(name, options(CompressionMethod::Deflated))?)
    }

    pub fn finish(self) -> io::Result<W> {
        Ok(self.zip.finish()?.into_inner())
    }
}

impl<W: Write> Write for PersonWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.zip.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.zip.flush()
    }
}

/// How large an entry will be is not known.
fn options(method: CompressionMethod) -> SimpleFileOptions {
    SimpleFileOptions::DEFAULT.compression_method(method).large_file(true)
}

/// Such an archive, as it is read.
pub struct PersonArchive<R> {
    zip: ZipArchive<R>,
    workspaces: Vec<PersonWorkspace>,
}

impl<R: Read + Seek> PersonArchive<R> {
    /// None for a file that is something else.
    pub fn open(source: R) -> Result<Option<Self>, ReadError> {
        let Ok(mut zip) = ZipArchive::new(source) else { return Ok(None) };
        let Ok(entry) = zip.by_name(DOCUMENT) else { return Ok(None) };
        let document: Document = serde_json::from_reader(entry.take(LARGEST_DOCUMENT))
            .map_err(|error| ReadError::Zip(format!("{DOCUMENT}: {error}")))?;
        if document.format != FORMAT || document.version > VERSION {
            let words = format!("{DOCUMENT} was written by a newer version, or is not ours");
            return Err(ReadError::Zip(words));
        }
        Ok(Some(Self { zip, workspaces: document.workspaces }))
    }

    pub fn workspaces(&self) -> Vec<PersonWorkspace> {
        self.workspaces.clone()
    }

    /// Copies an entry out.
    pub fn copy(&mut self, name: &str, to: &mut impl Write) -> Result<u64, ReadError> {
        let bad = |why: String| ReadError::Zip(format!("{name}: {why}"));
        let entry = self.zip.by_name(name).map_err(|error| bad(error.to_string()))?;
        io::copy(&mut entry.take(LARGEST_ENTRY), to).map_err(|error| bad(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn tea_10_what_is_somebodys_comes_out_of_the_archive_as_it_went_in() {
        let workspaces =
            [PersonWorkspace::numbered(1, "main"), PersonWorkspace::numbered(2, "../x")];
        let about = Map::from_iter([("name".to_owned(), Value::from("ann"))]);
        let mut writer = PersonWriter::start(Vec::new(), about, &workspaces).unwrap();
        for (at, workspace) in workspaces.iter().enumerate() {
            writer.archive(&workspace.export).unwrap();
            writer.write_all(format!("export {at}").as_bytes()).unwrap();
            writer.lines(&workspace.memory).unwrap();
            writer.write_all(format!("memory {at}").as_bytes()).unwrap();
        }
        let bytes = writer.finish().unwrap();
        let mut archive = PersonArchive::open(Cursor::new(&bytes)).unwrap().unwrap();
        assert_eq!(archive.workspaces(), workspaces);
        let mut out = Vec::new();
        archive.copy(&workspaces[1].memory, &mut out).unwrap();
        assert_eq!(out, b"memory 1");
        assert!(archive.copy("workspaces/9.zip", &mut out).is_err());
        assert!(PersonArchive::open(Cursor::new(b"{}")).unwrap().is_none());
        assert!(!workspaces[1].export.contains(".."), "no name of a workspace becomes a path");
    }
}
