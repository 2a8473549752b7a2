//! The texts of documents: read once, kept beside their bytes, read again when they are gone.

use plimsoll_blobs::{BlobError, Blobs, Derived, text_like};
use plimsoll_domain::{Extraction, File};
use plimsoll_files::{DocumentReaders, Format, NoText, OLDER_TEXT};
use plimsoll_store::Workspace;

use super::{blob_name, blocking};
use crate::{App, AppError};

/// What is known of a text is small.
const FACTS_BYTES: u64 = 1 << 20;
/// No text is longer.
const TEXT_BYTES: u64 = 16 << 20;

/// The format of a document whose text can be read, by what its bytes are.
fn format_of(file: &File) -> Option<Format> {
    let older = !file.is_text && file.mime == OLDER_TEXT && text_like(&file.name);
    Format::of(file).or(older.then_some(Format::LegacyText))
}

/// The file with what came of reading its text, if it is a document.
pub(crate) async fn with_text(
    blobs: &Blobs,
    readers: &DocumentReaders,
    mut file: File,
) -> Result<File, AppError> {
    let Some(format) = format_of(&file) else { return Ok(file) };
    if let Some(known) = known(blobs, &file).await? {
        file.extraction = Some(known);
        return Ok(file);
    }
    let name = blob_name(&file)?;
    let (source, from) = (blobs.clone(), name.clone());
    let path = match blocking(move || source.local_path(&from)).await? {
        Err(error @ BlobError::S3(_)) => return Err(error.into()),
        // Its bytes are gone; that is told elsewhere.
        Err(_) => return Ok(file),
        Ok(path) => path,
    };
    let extraction = match readers.read(format, path).await {
        Ok(extract) => {
            let (blobs, name) = (blobs.clone(), name.clone());
            let text = extract.text.into_bytes();
            let keep = move || blobs.keep_derived(&name, Derived::Text, &text);
            blocking(keep).await??;
            Extraction::Text(extract.facts)
        }
        Err(NoText::Lasting(why)) => Extraction::Nothing(why),
        Err(NoText::ForNow(why)) => {
            file.extraction = Some(Extraction::Nothing(why));
            return Ok(file);
        }
    };
    // They are written last: where they are, the text is.
    let facts = serde_json::to_vec(&extraction).unwrap_or_default();
    let blobs = blobs.clone();
    blocking(move || blobs.keep_derived(&name, Derived::TextFacts, &facts)).await??;
    file.extraction = Some(extraction);
    Ok(file)
}

/// What came of reading a document before.
async fn known(blobs: &Blobs, file: &File) -> Result<Option<Extraction>, AppError> {
    let (blobs, name) = (blobs.clone(), blob_name(file)?);
    let read = move || -> Result<Option<Extraction>, BlobError> {
        let facts = blobs.read_derived(&name, Derived::TextFacts, FACTS_BYTES)?;
        let known: Option<Extraction> = facts.and_then(|facts| serde_json::from_slice(&facts).ok());
        // Facts without their text are worth nothing: it is read again.
        let whole = match &known {
            Some(Extraction::Text(_)) => blobs.read_derived(&name, Derived::Text, 1)?.is_some(),
            _ => true,
        };
        Ok(known.filter(|_| whole))
    };
    Ok(blocking(read).await??)
}

/// The text of a document that is known to have one, read again where it is gone.
pub(crate) async fn text_again(
    blobs: &Blobs,
    readers: &DocumentReaders,
    file: &File,
) -> Result<Option<String>, AppError> {
    if let Some(text) = text_of(blobs, file, None).await? {
        return Ok(Some(text));
    }
    with_text(blobs, readers, file.clone()).await?;
    text_of(blobs, file, None).await
}

/// The text that was read out of a file; none if there is none any more.
async fn text_of(
    blobs: &Blobs,
    file: &File,
    bytes: Option<u64>,
) -> Result<Option<String>, AppError> {
    let (blobs, name) = (blobs.clone(), blob_name(file)?);
    let most = bytes.unwrap_or(TEXT_BYTES);
    let text = blocking(move || blobs.read_derived(&name, Derived::Text, most)).await??;
    let words = |bytes: Vec<u8>| {
        let text = String::from_utf8_lossy(&bytes);
        text.trim_end_matches(char::REPLACEMENT_CHARACTER).to_owned()
    };
    Ok(text.map(words))
}

impl App {
    /// The file with what came of reading its text, if it is a document. Reading may take
    /// seconds the first time.
    pub async fn with_text(&self, workspace: &Workspace, file: File) -> Result<File, AppError> {
        with_text(&self.blobs(workspace)?, &self.documents, file).await
    }

    /// The same for many that are only listed: what was not read yet is not read for it.
    pub async fn with_known_text(
        &self,
        workspace: &Workspace,
        file: File,
    ) -> Result<File, AppError> {
        let documented = format_of(&file).is_some();
        let blobs = self.blobs(workspace)?;
        let extraction = if documented { known(&blobs, &file).await? } else { None };
        Ok(File { extraction, ..file })
    }

    /// The first bytes of the text of a document; none if there is none.
    pub async fn document_text(
        &self,
        workspace: &Workspace,
        file: &File,
        bytes: u64,
    ) -> Result<Option<String>, AppError> {
        text_of(&self.blobs(workspace)?, file, Some(bytes)).await
    }
}
