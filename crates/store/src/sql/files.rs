//! The registry of files (FIL-1) and what stands for them in messages (TOK-5).

use std::collections::{HashMap, HashSet};

use plimsoll_domain::{
    Attachment, ContentHash, Delivery, File, FileId, FileKind, FileSource, PairId, ProviderFileId,
    Timestamp,
};

use super::{deletions, outbox, owners, pairs, parts, workspaces};
use crate::{
    ListedIn, Noun, StoreError, StoreResult, WhatChanged, Workspace,
    engine::{Cells, Db, first, id, list, opt_id, unreadable},
};

const WORKSPACE_OF: &str = "SELECT workspace FROM files WHERE id = $1";
const INSERT: &str = "INSERT INTO files (id, workspace, name, mime, kind, size, hash, extension,
    source, upload_context, created_at, expires_at, tokens, width, height, is_text, listed,
    made_for)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
    ON CONFLICT (id) DO NOTHING";
macro_rules! select {
    ($($rest:literal),+) => {
        concat!(
            "SELECT id, name, mime, kind, size, hash, extension, source, upload_context,
            created_at, expires_at, tokens, width, height, is_text, listed, made_for FROM files ",
            $($rest),+
        )
    };
}
/// FIL-6. A pair that was deleted holds nothing any more.
macro_rules! select_listed {
    ($rest:literal) => {
        select!(
            "WHERE workspace = $1 AND (listed <> 0
            OR EXISTS (SELECT 1 FROM pair_attachments a JOIN pairs p ON p.id = a.pair_id
                WHERE a.file_id = files.id
                AND ((CAST($2 AS TEXT) IS NULL OR p.topic_id = $2) AND ($3 = 0 OR p.pair_use = 'pinned')
                    OR p.id = $4))
            OR EXISTS (SELECT 1 FROM pairs p WHERE p.id = files.made_for
                AND ((CAST($2 AS TEXT) IS NULL OR p.topic_id = $2) AND ($3 = 0 OR p.pair_use = 'pinned')
                    OR p.id = $4))) ",
            $rest
        )
    };
}
const ONE: &str = select!("WHERE workspace = $1 AND id = $2");
const ALL: &str = select!("WHERE workspace = $1 ORDER BY created_at DESC, id DESC");
const LISTED: &str = select_listed!("ORDER BY created_at DESC, id DESC");
const LISTED_ONE: &str = select_listed!("AND id = $5");
const SET_LISTED: &str = "UPDATE files SET listed = $1 WHERE workspace = $2 AND id = $3";
const KEEP_MADE: &str =
    "UPDATE files SET source = 'assistant' WHERE made_for = $1 AND source = 'pending'";
const DROP_MADE: &str = "DELETE FROM files WHERE made_for = $1 AND source = 'pending'";
const BY_HASH: &str =
    select!("WHERE workspace = $1 AND hash = $2 ORDER BY created_at DESC, id DESC LIMIT 1");
const COPIES: &str = "SELECT provider, remote_id, expires_at FROM provider_files
    WHERE file_id = $1 ORDER BY provider";
const ALL_COPIES: &str = "SELECT file_id, provider, remote_id, expires_at FROM provider_files
    WHERE file_id IN (SELECT id FROM files WHERE workspace = $1) ORDER BY provider";
const PUT_COPY: &str = "INSERT INTO provider_files (file_id, provider, remote_id, expires_at)
    VALUES ($1, $2, $3, $4) ON CONFLICT (file_id, provider) DO UPDATE SET
    remote_id = excluded.remote_id, expires_at = excluded.expires_at";
const SET_CONTEXT: &str =
    "UPDATE files SET upload_context = $1 WHERE id = $2 AND upload_context IS NULL";
const DELETE: &str = "DELETE FROM files WHERE workspace = $1 AND id = $2";
const USED_BY: &str = "SELECT DISTINCT p.id, p.created_at FROM pair_attachments a
    JOIN pairs p ON p.id = a.pair_id WHERE a.file_id = $1 ORDER BY p.created_at, p.id";
/// Bytes of files that were deleted and can be brought back are still needed (REC-5).
const HASHES: &str = "SELECT hash FROM files WHERE workspace = $1
    UNION SELECT r.mentions FROM deleted_rows r JOIN deletions d ON d.id = r.deletion_id
    WHERE r.part = 'files' AND d.workspace = $1";
const ATTACHMENTS: &str =
    "SELECT file_id, delivery FROM pair_attachments WHERE pair_id = $1 ORDER BY place";
const CLEAR_ATTACHMENTS: &str = "DELETE FROM pair_attachments WHERE pair_id = $1";
const ATTACH: &str = "INSERT INTO pair_attachments (pair_id, place, file_id, delivery)
    VALUES ($1, $2, $3, $4)";
const DELIVER: &str = "UPDATE pair_attachments SET delivery = $1 WHERE pair_id = $2 AND place = $3";

pub(crate) fn put(db: &mut dyn Db, workspace: &Workspace, file: &File) -> StoreResult<()> {
    workspaces::must_exist(db, workspace)?;
    outbox::put(db, workspace, &WhatChanged::Files)?;
    let written = db.run(
        INSERT,
        values![
            file.id,
            workspace,
            &file.name,
            &file.mime,
            file.kind.name(),
            file.size,
            file.hash.as_str(),
            &file.extension,
            file.source.name(),
            file.upload_context.as_ref(),
            file.created_at,
            file.expires_at,
            file.tokens,
            file.pixels.map(|(width, _)| u64::from(width)),
            file.pixels.map(|(_, height)| u64::from(height)),
            file.is_text,
            file.listed,
            file.made_for,
        ],
    )?;
    if written == 0 {
        return Err(StoreError::Exists(Noun::File));
    }
    file.provider_ids.iter().try_for_each(|copy| put_copy(db, file.id, copy))
}

pub(crate) fn get(db: &mut dyn Db, workspace: &Workspace, id: FileId) -> StoreResult<File> {
    let file = first(db, ONE, values![workspace, id], read)?;
    with_copies(db, file.ok_or(StoreError::NotFound(Noun::File))?)
}

pub(crate) fn by_hash(
    db: &mut dyn Db,
    workspace: &Workspace,
    hash: &ContentHash,
) -> StoreResult<Option<File>> {
    let file = first(db, BY_HASH, values![workspace, hash.as_str()], read)?;
    file.map(|file| with_copies(db, file)).transpose()
}

pub(crate) fn all(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<Vec<File>> {
    let files = list(db, ALL, values![workspace], read)?;
    with_all_copies(db, workspace, files)
}

pub(crate) fn listed(
    db: &mut dyn Db,
    workspace: &Workspace,
    of: ListedIn,
) -> StoreResult<Vec<File>> {
    let ListedIn { conversation, pinned, also } = of;
    let files = list(db, LISTED, values![workspace, conversation, pinned, also], read)?;
    with_all_copies(db, workspace, files)
}

pub(crate) fn listed_one(
    db: &mut dyn Db,
    workspace: &Workspace,
    of: ListedIn,
    id: FileId,
) -> StoreResult<File> {
    let ListedIn { conversation, pinned, also } = of;
    let file = first(db, LISTED_ONE, values![workspace, conversation, pinned, also, id], read)?;
    with_copies(db, file.ok_or(StoreError::NotFound(Noun::File))?)
}

pub(crate) fn set_listed(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: FileId,
    listed: bool,
) -> StoreResult<()> {
    outbox::put(db, workspace, &WhatChanged::Files)?;
    match db.run(SET_LISTED, values![listed, workspace, id])? {
        0 => Err(StoreError::NotFound(Noun::File)),
        _ => Ok(()),
    }
}

/// The send that tools made files in has ended (FIL-6); says how many files that concerns.
pub(super) fn send_ended(db: &mut dyn Db, pair: PairId, cancelled: bool) -> StoreResult<u64> {
    db.run(if cancelled { DROP_MADE } else { KEEP_MADE }, values![pair])
}

fn with_all_copies(
    db: &mut dyn Db,
    workspace: &Workspace,
    mut files: Vec<File>,
) -> StoreResult<Vec<File>> {
    let copies: Vec<(FileId, ProviderFileId)> =
        list(db, ALL_COPIES, values![workspace], |row| Ok((id(row, 0)?, copy(row, 1)?)))?;
    if copies.is_empty() {
        return Ok(files);
    }
    let places: HashMap<FileId, usize> =
        files.iter().enumerate().map(|(place, file)| (file.id, place)).collect();
    for (file, copy) in copies {
        if let Some(file) = places.get(&file).and_then(|place| files.get_mut(*place)) {
            file.provider_ids.push(copy);
        }
    }
    Ok(files)
}

pub(crate) fn put_copy(db: &mut dyn Db, file: FileId, copy: &ProviderFileId) -> StoreResult<()> {
    db.run(PUT_COPY, values![file, &copy.provider, &copy.id, copy.expires_at]).map(drop)
}

pub(crate) fn set_context(db: &mut dyn Db, ids: &[FileId], words: &str) -> StoreResult<u64> {
    for id in ids {
        if let Some(workspace) =
            first(db, WORKSPACE_OF, values![*id], |row| workspaces::read(row, 0))?
        {
            outbox::put(db, &workspace, &WhatChanged::Files)?;
            // They are all of one message.
            break;
        }
    }
    ids.iter().try_fold(0, |sum, id| Ok(sum + db.run(SET_CONTEXT, values![words, *id])?))
}

pub(crate) fn delete(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: FileId,
) -> StoreResult<Vec<PairId>> {
    for pair in used_by(db, id)? {
        // Requests of failed sends quoted the file with the message that holds it.
        deletions::purge_requests_about(db, pair)?;
    }
    parts::REQUESTS.sweep(db)?;
    take_out(db, workspace, id)
}

/// Takes a file out of the registry; gives the pairs whose tokens are broken by it.
pub(super) fn take_out(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: FileId,
) -> StoreResult<Vec<PairId>> {
    let pairs = used_by(db, id)?;
    for pair in &pairs {
        owners::must_be_at_rest(db, *pair)?;
    }
    if db.run(DELETE, values![workspace, id])? == 0 {
        return Err(StoreError::NotFound(Noun::File));
    }
    outbox::put(db, workspace, &WhatChanged::Files)?;
    if !pairs.is_empty() {
        outbox::put(db, workspace, &WhatChanged::Texts(pairs.clone()))?;
    }
    pairs.iter().try_for_each(|pair| pairs::texts_changed(db, *pair))?;
    Ok(pairs)
}

pub(crate) fn used_by(db: &mut dyn Db, file: FileId) -> StoreResult<Vec<PairId>> {
    list(db, USED_BY, values![file], |row| id(row, 0))
}

pub(crate) fn hashes(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<HashSet<ContentHash>> {
    let hashes = list(db, HASHES, values![workspace], |row| hash(row, 0))?;
    Ok(hashes.into_iter().collect())
}

pub(crate) fn attachments(db: &mut dyn Db, pair: PairId) -> StoreResult<Vec<Attachment>> {
    list(db, ATTACHMENTS, values![pair], attachment)
}

/// Puts these in the place of those that a pair has.
pub(crate) fn attach(db: &mut dyn Db, pair: PairId, attachments: &[Attachment]) -> StoreResult<()> {
    db.run(CLEAR_ATTACHMENTS, values![pair])?;
    for (place, one) in attachments.iter().enumerate() {
        db.run(ATTACH, values![pair, place as u64, one.file, one.delivery.map(Delivery::name)])?;
    }
    Ok(())
}

pub(crate) fn set_delivery(
    db: &mut dyn Db,
    pair: PairId,
    place: usize,
    delivery: Delivery,
) -> StoreResult<()> {
    owners::must_be_at_rest(db, pair)?;
    if db.run(DELIVER, values![delivery.name(), pair, place as u64])? == 0 {
        return Err(StoreError::NotFound(Noun::File));
    }
    outbox::put_for(db, &[pair], WhatChanged::Texts)?;
    pairs::texts_changed(db, pair)
}

pub(crate) fn attachment(row: &dyn Cells) -> StoreResult<Attachment> {
    let known =
        |name: &str| Delivery::parse(name).ok_or_else(|| unreadable("a delivery is unknown"));
    Ok(Attachment { file: opt_id(row, 0)?, delivery: row.opt_text(1)?.map(known).transpose()? })
}

fn with_copies(db: &mut dyn Db, mut file: File) -> StoreResult<File> {
    file.provider_ids = list(db, COPIES, values![file.id], |row| copy(row, 0))?;
    Ok(file)
}

fn copy(row: &dyn Cells, place: usize) -> StoreResult<ProviderFileId> {
    Ok(ProviderFileId {
        provider: row.string(place)?,
        id: row.string(place + 1)?,
        expires_at: row.time(place + 2)?,
    })
}

fn hash(row: &dyn Cells, place: usize) -> StoreResult<ContentHash> {
    ContentHash::parse(row.text(place)?).map_err(|_| unreadable("a hash is no hash"))
}

fn read(row: &dyn Cells) -> StoreResult<File> {
    let pixels = (row.opt_count(12)?, row.opt_count(13)?);
    let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    Ok(File {
        id: id(row, 0)?,
        name: row.string(1)?,
        mime: row.string(2)?,
        kind: FileKind::parse(row.text(3)?).ok_or_else(|| unreadable("a kind is unknown"))?,
        size: row.count(4)?,
        hash: hash(row, 5)?,
        extension: row.string(6)?,
        source: FileSource::parse(row.text(7)?).ok_or_else(|| unreadable("a source is unknown"))?,
        upload_context: row.opt_string(8)?,
        created_at: row.time(9)?,
        expires_at: row.opt_int(10)?.map(Timestamp::from_millis),
        provider_ids: Vec::new(),
        tokens: row.opt_count(11)?,
        pixels: pixels.0.zip(pixels.1).map(|(width, height)| (small(width), small(height))),
        is_text: row.truth(14)?,
        listed: row.truth(15)?,
        made_for: opt_id(row, 16)?,
        extraction: None,
    })
}
