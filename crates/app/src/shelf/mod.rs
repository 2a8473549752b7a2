//! The files of a workspace: taken in, kept, looked at, let go (FIL-1 to FIL-5).

mod documents;
mod places;
mod port;
mod upkeep;
mod verify;

pub(crate) use documents::{text_again, with_text};
pub use places::FilePlace;
pub(crate) use port::StoredFiles;
pub use upkeep::{BlobUsage, Collected, Garbage};
pub use verify::{ReadData, Verified};

use std::{
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use plimsoll_blobs::{Blob, BlobError, BlobName, Blobs, Facts, HEAD, S3Store, looks_secret};
use plimsoll_domain::{Delivery, File, FileId, FileKind, FileSource, PairId};
use plimsoll_files::DocumentReaders;
use plimsoll_store::{Store, Workspace};
use plimsoll_tokens::Estimator;

use crate::{App, AppError, Cancel, Chance, Clock, Progress, bus::Bus};

/// The largest text that is weighed when it is taken in; a larger one is weighed by its size.
const WEIGHED_WHOLE: u64 = 16 << 20;

/// Words that came with a file are kept up to this many bytes.
const LONGEST_WORDS: usize = 64 << 10;

/// How a file came.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// Its name, as it came; blank for a paste.
    pub name: &'a str,
    /// Who brought it.
    pub source: FileSource,
    /// The words that came with it, if they are known already (FIL-2).
    pub words: Option<&'a str>,
    /// Whether models may be told of it before a message holds it (FIL-6).
    pub listed: bool,
    /// The pair for whose answer a tool made it.
    pub made_for: Option<PairId>,
}

impl<'a> Origin<'a> {
    /// A file that a person brought for a message that is not sent yet.
    pub fn user(name: &'a str) -> Self {
        Self { name, source: FileSource::User, words: None, listed: false, made_for: None }
    }
}

/// What happens to what looks like a secret (INS-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// It is refused, so that somebody can be asked.
    Ask,
    /// It is taken in like anything else.
    Allow,
}

/// No file is larger (SEC-5).
pub const LARGEST_FILE: u64 = 8 << 30;

/// How a file of this machine is taken in.
pub struct TakeIn<'a> {
    /// The words that come with it.
    pub words: Option<&'a str>,
    /// Whether models may be told of it before a message holds it (FIL-6).
    pub listed: bool,
    /// What happens to a secret.
    pub secrets: Secrets,
    /// Hears how many bytes are done, and of how many.
    pub progress: Box<dyn FnMut(u64, Option<u64>) + Send>,
    /// Stops it.
    pub cancel: Cancel,
}

impl TakeIn<'_> {
    /// With nobody watching.
    pub fn quietly(secrets: Secrets) -> Self {
        let progress = Box::new(|_, _| {});
        Self { words: None, listed: false, secrets, progress, cancel: Cancel::default() }
    }
}

/// Somebody waits; when this is dropped, nobody does any more.
struct Waiting(Cancel);

impl Waiting {
    fn new() -> (Self, Cancel) {
        let nobody = Cancel::default();
        (Self(nobody.clone()), nobody)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Refuses what looks like a secret by its name and its beginning.
pub fn refuse_secret(name: &str, beginning: &[u8]) -> Result<(), AppError> {
    match looks_secret(name, beginning) {
        None => Ok(()),
        Some(why) => Err(AppError::LooksSecret { name: name.to_owned(), why }),
    }
}

/// How a file begins. Opening a pipe would wait for a writer, so only files are looked into;
/// what cannot be read is told by the import itself.
fn beginning(path: &Path) -> Vec<u8> {
    let mut beginning = Vec::new();
    let plain = std::fs::metadata(path).is_ok_and(|found| found.is_file());
    if let Some(file) = plain.then(|| std::fs::File::open(path).ok()).flatten() {
        let _ = file.take(HEAD as u64).read_to_end(&mut beginning);
    }
    beginning
}

/// Runs what blocks where that does no harm.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, AppError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| AppError::Ended)
}

/// What is needed to keep a file; cheap to hand around.
#[derive(Clone)]
pub(crate) struct Keeper {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) chance: Arc<dyn Chance>,
    pub(crate) events: Bus,
    pub(crate) conversations: Arc<Path>,
    pub(crate) objects: Option<S3Store>,
    pub(crate) documents: DocumentReaders,
}

impl Keeper {
    pub(crate) fn blobs(&self, workspace: &Workspace) -> Result<Blobs, AppError> {
        let names = [directory_name(workspace.project()), directory_name(workspace.name())];
        Ok(places::open(&self.conversations, self.objects.as_ref(), &names)?)
    }

    /// Where the blobs of all workspaces are.
    pub(crate) fn place(&self) -> String {
        match &self.objects {
            None => self.conversations.display().to_string(),
            Some(objects) => objects.to_string(),
        }
    }

    pub(crate) async fn keep_file(
        &self,
        workspace: &Workspace,
        blob: &Blob,
        origin: Origin<'_>,
    ) -> Result<File, AppError> {
        let blobs = self.blobs(workspace)?;
        let now = self.clock.now();
        self.store.create_workspace(workspace, now).await?;
        let words = origin.words.map(str::trim).filter(|words| !words.is_empty());
        let mut file = File {
            id: FileId::new(now, self.chance.bytes()),
            name: plain_name(origin.name, blob),
            mime: blob.facts.mime.clone(),
            kind: blob.facts.kind,
            size: blob.size,
            hash: blob.hash.clone(),
            extension: blob.extension.clone(),
            source: origin.source,
            upload_context: words.map(|words| cut(words).to_owned()),
            created_at: now,
            expires_at: None,
            provider_ids: Vec::new(),
            tokens: None,
            pixels: blob.facts.pixels,
            is_text: blob.facts.is_text,
            listed: origin.listed,
            made_for: origin.made_for,
            extraction: None,
        };
        if origin.source != FileSource::User {
            file.kind = FileKind::Generated;
        }
        let (name, size, is_text) = (blob.name.clone(), blob.size, blob.facts.is_text);
        file.tokens = blocking(move || weight(&blobs, &name, size, is_text)).await?;
        self.store.put_file(workspace, &file).await?;
        self.events.publish(workspace, Progress::Files);
        Ok(file)
    }
}

impl App {
    pub(crate) fn keeper(&self) -> Keeper {
        Keeper {
            store: Arc::clone(&self.store),
            clock: Arc::clone(&self.clock),
            chance: Arc::clone(&self.chance),
            events: self.events.clone(),
            conversations: Arc::clone(&self.conversations),
            objects: self.objects.clone(),
            documents: self.documents.clone(),
        }
    }

    pub fn blobs(&self, workspace: &Workspace) -> Result<Blobs, AppError> {
        self.keeper().blobs(workspace)
    }

    /// Makes a file of a blob that was taken in (FIL-5).
    pub async fn keep_file(
        &self,
        workspace: &Workspace,
        blob: &Blob,
        origin: Origin<'_>,
    ) -> Result<File, AppError> {
        self.keeper().keep_file(workspace, blob, origin).await
    }

    /// Takes in a file of this machine; gives what was noticed beside it. The path is the
    /// caller's to allow. Whoever drops this stops it, and nothing is left of it.
    pub async fn take_in_path(
        &self,
        workspace: &Workspace,
        path: &Path,
        how: TakeIn<'_>,
    ) -> Result<(File, Option<String>), AppError> {
        let TakeIn { words, listed, secrets, mut progress, cancel } = how;
        let blobs = self.blobs(workspace)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (from, called) = (path.to_owned(), name.clone());
        let (_waiting, nobody_waits) = Waiting::new();
        let import = move || -> Result<Blob, AppError> {
            if secrets == Secrets::Ask {
                refuse_secret(&called, &beginning(&from))?;
            }
            let stop = || cancel.is_cancelled() || nobody_waits.is_cancelled();
            Ok(blobs.import_file(&from, Some(LARGEST_FILE), &mut *progress, &stop)?)
        };
        let blob = blocking(import).await??;
        let origin = Origin { words, listed, ..Origin::user(&name) };
        let file = self.keep_file(workspace, &blob, origin).await?;
        let Facts { mismatch, broken_image, .. } = blob.facts;
        Ok((file, mismatch.or(broken_image)))
    }

    /// Says whether models may be told of a file that no message holds (FIL-6).
    pub async fn list_file(
        &self,
        workspace: &Workspace,
        id: FileId,
        listed: bool,
    ) -> Result<(), AppError> {
        self.store.set_listed(workspace, id, listed).await?;
        self.events.publish(workspace, Progress::Files);
        Ok(())
    }

    /// Deletes a file so that it can be brought back (REC-5).
    pub async fn delete_file(
        &self,
        workspace: &Workspace,
        id: FileId,
    ) -> Result<crate::Deleted, AppError> {
        let name = self.store.file(workspace, id).await?.name;
        let what = plimsoll_store::Deletable::File(id);
        let (deleted, pairs) = self.put_aside(workspace, what, name).await?;
        self.tell_files(workspace, pairs);
        Ok(deleted)
    }

    /// Tells that files came or went, and whose tokens stand for something else by it.
    pub(crate) fn tell_files(&self, workspace: &Workspace, pairs: Vec<PairId>) {
        self.events.publish(workspace, Progress::Files);
        if !pairs.is_empty() {
            self.events.publish(workspace, Progress::Changed(pairs));
        }
    }

    /// Lets a file go for good. Its tokens in old messages are broken from now on; the bytes
    /// stay until the garbage is collected.
    pub async fn forget_file(&self, workspace: &Workspace, id: FileId) -> Result<(), AppError> {
        let pairs = self.store.delete_file(workspace, id).await?;
        self.tell_files(workspace, pairs);
        Ok(())
    }

    /// The first bytes of a text, or of the text of a document, as a file of its own, cut at a line, with a note that
    /// states both sizes (LIM-3).
    pub async fn head_of(
        &self,
        workspace: &Workspace,
        id: FileId,
        bytes: u64,
    ) -> Result<File, AppError> {
        let file = self.store.file(workspace, id).await?;
        let text = self.first_text(workspace, &file, bytes).await?;
        let file = if file.is_text { file } else { self.with_text(workspace, file).await? };
        let whole = file.extracted().map_or(file.size, |text| text.bytes);
        let blobs = self.blobs(workspace)?;
        let name = format!("{} (first {} KB)", file.name, (bytes / 1024).max(1));
        // The part of a document is a text, not a document.
        let kept_as = if file.is_text { file.name.clone() } else { format!("{}.txt", file.name) };
        let blob = blocking(move || upkeep::head(&blobs, &kept_as, &text, whole)).await??;
        let origin = Origin { words: file.upload_context.as_deref(), ..Origin::user(&name) };
        self.keep_file(workspace, &blob, origin).await
    }

    /// The first bytes of a text, whole characters.
    pub(crate) async fn first_text(
        &self,
        workspace: &Workspace,
        file: &File,
        bytes: u64,
    ) -> Result<String, AppError> {
        if !file.is_text {
            let file = self.with_text(workspace, file.clone()).await?;
            let text = match file.extracted() {
                Some(_) => self.document_text(workspace, &file, bytes).await?,
                None => None,
            };
            return text.ok_or(AppError::NotText(file.name));
        }
        let (blobs, source) = (self.blobs(workspace)?, file.clone());
        blocking(move || upkeep::first_text(&blobs, &source, bytes)).await?
    }

    /// Changes how an attachment of a sent message is delivered from now on (BND-4).
    pub async fn deliver_otherwise(
        &self,
        workspace: &Workspace,
        pair: PairId,
        place: usize,
        delivery: Delivery,
    ) -> Result<(), AppError> {
        self.store.set_delivery(pair, place, delivery).await?;
        self.events.publish(workspace, Progress::Changed(vec![pair]));
        Ok(())
    }

    /// What tokens say of a file; without an object store its bytes are there.
    pub fn file_path(&self, workspace: &Workspace, file: &File) -> Result<PathBuf, AppError> {
        Ok(self.blobs(workspace)?.path(&blob_name(file)?))
    }
}

pub fn blob_name(file: &File) -> Result<BlobName, AppError> {
    BlobName::new(file.hash.clone(), &file.extension)
        .map_err(|_| AppError::Damaged(file.name.clone()))
}

/// A raw estimate of what a text weighs, whatever the model.
fn weight(blobs: &Blobs, name: &BlobName, size: u64, is_text: bool) -> Option<u64> {
    if !is_text {
        return None;
    }
    if size > WEIGHED_WHOLE {
        return Some(size / 4);
    }
    let bytes = blobs.read(name, WEIGHED_WHOLE).ok()?;
    Some(Estimator::Fast.count(&String::from_utf8_lossy(&bytes)))
}

/// A name to call a file by: the last part of what it came with, or what a paste is called.
fn plain_name(name: &str, blob: &Blob) -> String {
    const LONGEST: usize = 255;
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    if last.is_empty() {
        return format!("pasted.{}", blob.extension);
    }
    last.chars().take(LONGEST).collect()
}

fn cut(words: &str) -> &str {
    &words[..words.floor_char_boundary(LONGEST_WORDS)]
}

/// A part of a workspace's name as the name of a directory: letters, digits, `-`, `_`, and a
/// dot inside; everything else by its number, so that no name leads anywhere else.
fn directory_name(part: &str) -> String {
    let mut out = String::new();
    for (at, byte) in part.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => out.push(char::from(byte)),
            b'.' if at > 0 => out.push('.'),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

impl From<BlobError> for AppError {
    fn from(error: BlobError) -> Self {
        match error {
            BlobError::DiskFull => Self::Store(plimsoll_store::StoreError::DiskFull),
            other => Self::Blob(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::directory_name;

    #[test]
    fn sec_3_no_name_of_a_workspace_leads_elsewhere() {
        for (name, expected) in [
            ("main", "main"),
            ("..", "%2E."),
            (".", "%2E"),
            ("a.b", "a.b"),
            ("a b\\c", "a%20b%5Cc"),
            ("C:", "C%3A"),
            ("ä", "%C3%A4"),
        ] {
            assert_eq!(directory_name(name), expected);
        }
    }
}
