//! The text of documents: what stands in a PDF, a Word document, a workbook, a presentation,
//! a book, a web page or a text of an older encoding, as plain text with marks for its parts.
//!
//! Each reader streams its document within `bounds.rs`, on a thread of its own, and none of
//! them follows a reference out of the document: no entity, no link, no file.

mod archive;
mod book;
mod bounds;
mod html;
mod legacy;
mod odf;
mod out;
mod paragraphs;
mod pdf;
mod presentation;
mod word;
mod workbook;
mod xml;

#[cfg(test)]
mod made;
#[cfg(test)]
mod tests;

use std::{
    fs::File as OpenFile,
    io::{Read, Seek},
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::Arc,
    thread,
};

use plimsoll_domain::{ExtractedText, File};
use thiserror::Error;
use tokio::sync::{Semaphore, oneshot};

use bounds::{Bounds, FILE_BYTES, TIME};
use out::Out;

/// Enough for the deepest nesting that a reader allows.
const STACK: usize = 32 << 20;

/// What bytes are called that nobody knows; a text of an older encoding is among them.
pub const OLDER_TEXT: &str = "application/octet-stream";

/// A format of documents whose text can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Pdf,
    Word,
    Workbook,
    Presentation,
    /// A text, a sheet or a presentation of OpenDocument.
    OpenDocument,
    Book,
    Html,
    /// A text that is not UTF-8: Latin-1 and Windows-1252.
    LegacyText,
}

impl Format {
    /// What a file is by its content type; none if it holds no text that could be read so.
    pub fn of(file: &File) -> Option<Self> {
        const OFFICE: &str = "application/vnd.openxmlformats-officedocument.";
        const OPEN: &str = "application/vnd.oasis.opendocument.";
        let mime = file.mime.as_str();
        Some(match mime {
            "application/pdf" => Self::Pdf,
            "application/epub+zip" => Self::Book,
            "text/html" | "application/xhtml+xml" => Self::Html,
            _ => match (mime.strip_prefix(OFFICE), mime.strip_prefix(OPEN)) {
                (Some("wordprocessingml.document"), _) => Self::Word,
                (Some("spreadsheetml.sheet"), _) => Self::Workbook,
                (Some("presentationml.presentation"), _) => Self::Presentation,
                (_, Some("text" | "spreadsheet" | "presentation")) => Self::OpenDocument,
                _ => return None,
            },
        })
    }

    /// What of it is not in its text.
    fn lost(self) -> &'static str {
        match self {
            Self::Pdf | Self::Word | Self::OpenDocument | Self::Presentation | Self::Book => {
                "pictures and layout"
            }
            Self::Workbook => "formulas, charts and layout",
            Self::Html => "pictures, layout and scripts",
            Self::LegacyText => "",
        }
    }
}

/// Why there is no text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoText {
    /// It will be the same the next time: words for people, with what would help.
    #[error("{0}")]
    Lasting(String),
    /// Another time may be better.
    #[error("{0}")]
    ForNow(String),
}

fn lasting(words: &str) -> NoText {
    NoText::Lasting(words.to_owned())
}

/// The text of a document, and what is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extract {
    pub text: String,
    pub facts: ExtractedText,
}

/// The few threads that may read documents at once.
#[derive(Clone, Debug)]
pub struct DocumentReaders {
    places: Arc<Semaphore>,
}

impl Default for DocumentReaders {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(2)) }
    }
}

impl DocumentReaders {
    /// The text of the document at this path.
    pub async fn read(&self, format: Format, path: PathBuf) -> Result<Extract, NoText> {
        let busy = || NoText::ForNow("the reader of documents is busy; try again later".to_owned());
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(|_| busy())?;
        let (tell, told) = oneshot::channel();
        let work = move || {
            let _place = place;
            let read = OpenFile::open(path)
                .map_err(|error| NoText::ForNow(format!("it could not be opened ({error})")))
                .and_then(|file| extract(format, file));
            // Who asked may have gone away.
            let _ = tell.send(read);
        };
        let reader = thread::Builder::new().name("document".to_owned()).stack_size(STACK);
        let started = reader.spawn(work);
        started.map_err(|error| NoText::ForNow(format!("no reader could be started ({error})")))?;
        // The reader looks at the clock itself, so this waits for one that does not.
        match tokio::time::timeout(TIME * 2, told).await {
            Ok(Ok(read)) => read,
            Ok(Err(_)) => Err(lasting("it is damaged; its reader gave up on it")),
            Err(_) => Err(NoText::ForNow("reading it took too long".to_owned())),
        }
    }
}

/// The text of a document. A reader that panics was given a damaged one.
fn extract(format: Format, file: impl Read + Seek) -> Result<Extract, NoText> {
    let read = catch_unwind(AssertUnwindSafe(|| unguarded(format, file)));
    read.unwrap_or_else(|_| Err(lasting("it is damaged; its reader gave up on it")))
}

/// The same, for those who look for panics.
pub(crate) fn unguarded(format: Format, mut file: impl Read + Seek) -> Result<Extract, NoText> {
    read(format, &mut file)?.finish(format.lost())
}

fn read(format: Format, file: &mut (impl Read + Seek)) -> Result<Out, NoText> {
    let bounds = Bounds::new();
    match format {
        Format::Pdf => pdf::read(&whole(file)?, &bounds),
        Format::Html => html::read(&whole(file)?, &bounds),
        Format::LegacyText => legacy::read(&whole(file)?),
        Format::Word => word::read(archive::Archive::open(file, &bounds)?),
        Format::Workbook => workbook::read(archive::Archive::open(file, &bounds)?),
        Format::Presentation => presentation::read(archive::Archive::open(file, &bounds)?),
        Format::OpenDocument => odf::read(archive::Archive::open(file, &bounds)?),
        Format::Book => book::read(archive::Archive::open(file, &bounds)?),
    }
}

fn whole(file: &mut (impl Read + Seek)) -> Result<Vec<u8>, NoText> {
    let mut bytes = Vec::new();
    let read = file.take(FILE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| NoText::ForNow(format!("it could not be read ({error})")))?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(too_large());
    }
    Ok(bytes)
}

fn too_large() -> NoText {
    lasting("it is larger than 64 MB; attach a part of it")
}
