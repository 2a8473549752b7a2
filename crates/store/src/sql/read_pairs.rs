//! Reading pairs.

use std::{collections::HashMap, sync::Arc};

use plimsoll_domain::{ColorFlag, MessagePair, PairId, PairKind, PairUse, Star, TopicId};

use super::{answer, files, summaries, workspaces};
use crate::{
    Noun, PairRow, StoreError, StoreResult, StoredPair, Workspace,
    engine::{Cells, Db, ReadId, Value, first, id, list, opt_id, unreadable},
};

const GET: &str = "SELECT p.id, p.workspace, p.created_at, p.topic_id, p.model, p.star, p.flag,
    p.lifecycle, p.cut, p.revision, p.edited_at, p.prompt_tokens, p.cached_tokens,
    p.completion_tokens, p.reasoning_tokens, p.receipt_id, p.error_code, p.error_message,
    t.user_text, COALESCE(s.partial_text, t.assistant_text), a.assistant_text, p.pair_use,
    p.kind, p.compared_with
    FROM pairs p
    JOIN pair_texts t ON t.pair_id = p.id
    LEFT JOIN sends s ON s.pair_id = p.id
    LEFT JOIN previous_answers a ON a.pair_id = p.id
    WHERE p.id = $1";

/// One walk along the index `pairs_in_order`, which holds all of these columns.
const ROWS: &str = "SELECT id, created_at, topic_id, model, star, flag, lifecycle, has_image,
    has_attachment, pair_use, kind FROM pairs WHERE workspace = $1 ORDER BY created_at, id";

const ROWS_OF: &str = "SELECT id, created_at, topic_id, model, star, flag, lifecycle, has_image,
    has_attachment, pair_use, kind FROM pairs WHERE workspace = $1 AND topic_id = $2
    ORDER BY created_at, id";

const NEWEST_MODEL: &str = "SELECT model FROM pairs WHERE workspace = $1 AND model <> ''
    AND (receipt_id IS NOT NULL OR lifecycle = 'sending')
    AND (pair_use <> 'out' OR compared_with IS NULL)
    ORDER BY created_at DESC, id DESC LIMIT 1";

/// They were begun in one conversation, which has an index; one that was moved elsewhere since is
/// on its own.
const COMPARED_WITH: &str = "SELECT other.id FROM pairs one JOIN pairs other
    ON other.topic_id = one.topic_id AND other.compared_with = one.compared_with
    WHERE one.id = $1 ORDER BY other.created_at, other.id";

const COUNT: &str = "SELECT COUNT(*) FROM pairs WHERE workspace = $1";

const EXISTS: &str = "SELECT 1 FROM pairs WHERE id = $1";

pub(crate) fn find(db: &mut dyn Db, id: PairId) -> StoreResult<Option<StoredPair>> {
    let Some(mut stored) = first(db, GET, values![id], read)? else { return Ok(None) };
    // Most messages hold no token, and need no second look.
    if stored.pair.user_text.contains("<<") {
        stored.pair.attachments = files::attachments(db, id)?;
    }
    if stored.pair.kind == PairKind::Summary {
        stored.pair.summarises = summaries::of(db, id)?;
        stored.outdated = summaries::is_outdated(db, id)?;
    }
    if stored.pair.pair_use == PairUse::Out {
        stored.summarised_by = summaries::standing_for(db, id)?;
    }
    Ok(Some(stored))
}

pub(crate) fn get(db: &mut dyn Db, id: PairId) -> StoreResult<StoredPair> {
    find(db, id)?.ok_or(StoreError::NotFound(Noun::Pair))
}

pub(crate) fn get_many(db: &mut dyn Db, ids: &[PairId]) -> StoreResult<Vec<StoredPair>> {
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.extend(find(db, *id)?);
    }
    found.sort_by_key(|stored: &StoredPair| stored.pair.order_key());
    found.dedup_by_key(|stored| stored.pair.id);
    Ok(found)
}

pub(crate) fn rows(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<Vec<PairRow>> {
    read_rows(db, ROWS, values![workspace])
}

pub(crate) fn rows_of(
    db: &mut dyn Db,
    workspace: &Workspace,
    topic: TopicId,
) -> StoreResult<Vec<PairRow>> {
    read_rows(db, ROWS_OF, values![workspace, topic])
}

fn read_rows(db: &mut dyn Db, sql: &str, values: &[Value<'_>]) -> StoreResult<Vec<PairRow>> {
    let mut rows = Vec::new();
    let mut models = Models::default();
    let mut topic = (String::new(), None);
    db.each(sql, values, &mut |row| {
        rows.push(PairRow {
            id: id(row, 0)?,
            created_at: row.time(1)?,
            topic_id: same_topic(row.text(2)?, &mut topic)?,
            model: models.shared(row.text(3)?),
            star: star(row, 4)?,
            flag: flag(row, 5)?,
            pair_use: pair_use(row, 9)?,
            kind: kind(row, 10)?,
            lifecycle: answer::lifecycle(row, 6)?,
            has_image: row.truth(7)?,
            has_attachment: row.truth(8)?,
        });
        Ok(())
    })?;
    Ok(rows)
}

pub(crate) fn newest_model(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<Option<String>> {
    first(db, NEWEST_MODEL, values![workspace], |row| row.string(0))
}

pub(crate) fn count(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<u64> {
    Ok(first(db, COUNT, values![workspace], |row| row.count(0))?.unwrap_or(0))
}

pub(crate) fn compared_with(db: &mut dyn Db, of: PairId) -> StoreResult<Vec<PairId>> {
    list(db, COMPARED_WITH, values![of], |row| id(row, 0))
}

pub(crate) fn exists(db: &mut dyn Db, id: PairId) -> StoreResult<bool> {
    Ok(first(db, EXISTS, values![id], |_| Ok(()))?.is_some())
}

fn read(row: &dyn Cells) -> StoreResult<StoredPair> {
    Ok(StoredPair {
        workspace: workspaces::read(row, 1)?,
        cut: row.truth(8)?,
        outdated: false,
        summarised_by: None,
        revision: row.count(9)?,
        edited_at: row.opt_int(10)?.map(plimsoll_domain::Timestamp::from_millis),
        pair: MessagePair {
            id: id(row, 0)?,
            created_at: row.time(2)?,
            topic_id: id(row, 3)?,
            model: row.string(4)?,
            star: star(row, 5)?,
            color_flag: flag(row, 6)?,
            pair_use: pair_use(row, 21)?,
            kind: kind(row, 22)?,
            group: opt_id(row, 23)?,
            summarises: Vec::new(),
            lifecycle: answer::lifecycle(row, 7)?,
            usage: answer::usage(row, 11)?,
            receipt_id: opt_id(row, 15)?,
            error: answer::error(row, 16)?,
            user_text: row.string(18)?,
            assistant_text: row.opt_string(19)?,
            previous_answer: row.opt_string(20)?,
            attachments: Vec::new(),
        },
    })
}

fn star(row: &dyn Cells, place: usize) -> StoreResult<Star> {
    Star::new(row.count(place)?).map_err(|_| unreadable("a star count is out of range"))
}

fn flag(row: &dyn Cells, place: usize) -> StoreResult<ColorFlag> {
    ColorFlag::parse(row.text(place)?).ok_or_else(|| unreadable("a flag is unknown"))
}

pub(super) fn pair_use(row: &dyn Cells, place: usize) -> StoreResult<PairUse> {
    PairUse::parse(row.text(place)?).ok_or_else(|| unreadable("the use of a pair is unknown"))
}

fn kind(row: &dyn Cells, place: usize) -> StoreResult<PairKind> {
    PairKind::parse(row.text(place)?).ok_or_else(|| unreadable("the kind of a pair is unknown"))
}

/// Pairs of one topic stand together, so the last one read is mostly the next one too.
fn same_topic(text: &str, last: &mut (String, Option<TopicId>)) -> StoreResult<TopicId> {
    match last.1 {
        Some(topic) if last.0 == text => Ok(topic),
        _ => {
            let topic = TopicId::read(text).ok_or_else(|| unreadable("an id is no id"))?;
            *last = (text.to_owned(), Some(topic));
            Ok(topic)
        }
    }
}

/// The names of models, each kept once.
#[derive(Default)]
struct Models(HashMap<String, Arc<str>>);

impl Models {
    fn shared(&mut self, name: &str) -> Arc<str> {
        if let Some(shared) = self.0.get(name) {
            return Arc::clone(shared);
        }
        let shared: Arc<str> = name.into();
        self.0.insert(name.to_owned(), Arc::clone(&shared));
        shared
    }
}
