//! The files that an export takes along, and their bytes (HIS-8).

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    io::{Read, Write},
};

use plimsoll_blobs::{BlobError, BlobName, Blobs};
use plimsoll_domain::{
    Attachment, ContentHash, File, FileId, MessagePair, PairId, SegmentBody, segments,
};
use plimsoll_exchange::ArchiveWriter;
use plimsoll_store::{PairRow, Workspace};

use crate::{
    App, AppError,
    shelf::{blob_name, blocking},
};

/// Pairs whose texts are in memory at once.
const CHUNK: usize = 256;

/// How much of a blob is in memory at a time, in bytes.
const PART: u64 = 1 << 20;

impl App {
    /// The files of a workspace that the messages of these rows stand for, newest first.
    pub(crate) async fn files_of(
        &self,
        workspace: &Workspace,
        rows: &[PairRow],
    ) -> Result<Vec<File>, AppError> {
        let mut files = self.store.files(workspace).await?;
        let by_id: HashMap<FileId, &File> = files.iter().map(|file| (file.id, file)).collect();
        // The newest comes first and goes in last, so that it is the one that stays (TOK-5).
        let newest: HashMap<&ContentHash, FileId> =
            files.iter().rev().map(|file| (&file.hash, file.id)).collect();
        let mut used: HashSet<FileId> = HashSet::new();
        let with: Vec<PairId> =
            rows.iter().filter(|row| row.has_attachment).map(|row| row.id).collect();
        for ids in with.chunks(CHUNK) {
            for stored in self.store.get_many(ids).await? {
                for (attachment, path) in tokens(&stored.pair) {
                    let told = attachment.file.filter(|id| by_id.contains_key(id));
                    let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
                    let by_hash = || newest.get(BlobName::parse(last).ok()?.hash()).copied();
                    used.extend(told.or_else(by_hash));
                }
            }
        }
        files.retain(|file| used.contains(&file.id));
        Ok(files)
    }

    /// Writes the bytes of these files, each once; gives those that are missing or altered,
    /// in words. `done` is called after each.
    pub(crate) async fn export_blobs<W: Write>(
        &self,
        workspace: &Workspace,
        files: &[File],
        archive: &mut ArchiveWriter<W>,
        done: &mut (dyn FnMut() + Send),
    ) -> Result<Vec<String>, AppError> {
        let blobs = self.blobs(workspace)?;
        let mut left_out = Vec::new();
        let mut names: BTreeMap<BlobName, &str> = BTreeMap::new();
        for file in files {
            match blob_name(file) {
                Ok(name) => drop(names.insert(name, &file.name)),
                Err(damaged) => left_out.push(damaged.to_string()),
            }
        }
        for (name, called) in names {
            let (checking, of) = (blobs.clone(), name.clone());
            // What is written cannot be taken back, so it is looked at before.
            match blocking(move || checking.check(&of)).await? {
                Ok(size) => {
                    archive.blob(name.hash(), name.extension(), size)?;
                    copy(&blobs, name, size, archive).await?;
                }
                // It is there, and cannot be had now: an archive without it would be half of one.
                Err(error @ BlobError::S3(_)) => return Err(error.into()),
                Err(why) => left_out.push(format!("'{called}': {why}")),
            }
            done();
        }
        Ok(left_out)
    }
}

/// Copies a blob, reading where blocking does no harm.
async fn copy(
    blobs: &Blobs,
    name: BlobName,
    size: u64,
    to: &mut impl Write,
) -> Result<(), AppError> {
    let (from, of) = (blobs.clone(), name.clone());
    let mut file = blocking(move || from.open_blob(&of)).await??;
    let mut left = size;
    while left > 0 {
        let (read, same) = blocking(move || {
            let mut part = Vec::new();
            let read = (&file).take(PART.min(left)).read_to_end(&mut part);
            (read.map(|_| part), file)
        })
        .await?;
        file = same;
        let part = read?;
        if part.is_empty() {
            return Err(BlobError::Altered(name).into());
        }
        left -= part.len() as u64;
        to.write_all(&part)?;
    }
    Ok(())
}

/// The tokens of a message: what each stands for, and its path.
fn tokens(pair: &MessagePair) -> Vec<(Attachment, String)> {
    let path = |body: SegmentBody<'_>| match body {
        SegmentBody::Token(token) => Some(token.path.into_owned()),
        SegmentBody::Text(_) => None,
    };
    let paths = segments(&pair.user_text).into_iter().filter_map(|segment| path(segment.body));
    let known = pair.attachments.iter().copied().chain(std::iter::repeat(Attachment::BARE));
    known.zip(paths).collect()
}
