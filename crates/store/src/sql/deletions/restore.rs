//! Undoing: rows come back to where they stood.

use std::collections::HashSet;

use plimsoll_domain::{DeletionId, PairId, TopicId, TopicTree};
use serde_json::Value as Json;

use super::{
    DROP,
    aside::TABLES_OF_A_PAIR,
    errors, get, notes,
    rows::{self, Keeper, Kept, Row, insert, text},
};
use crate::{
    DeletedKind, Noun, Restored, StoreError, StoreResult, WhatChanged, Workspace,
    engine::{Db, first, id, unreadable},
    sql::{notebook, outbox, owners, pairs, quotes, read_pairs, summaries, topics},
};

const TOPIC_ASIDE: &str = "SELECT deletion_id, cells FROM deleted_rows
    WHERE part = 'topics' AND owner = $1";
const DROP_ROW: &str = "DELETE FROM deleted_rows WHERE part = $1 AND owner = $2";
const ROWS_LEFT: &str = "SELECT COUNT(*) FROM deleted_rows WHERE deletion_id = $1";
const HAS_FILE: &str = "SELECT id FROM files WHERE id = $1";
const FILE_ASIDE: &str = "SELECT deletion_id FROM deleted_rows WHERE part = 'files' AND owner = $1";
const LINK: &str = "UPDATE pair_attachments SET file_id = $1
    WHERE pair_id = $2 AND place = $3 AND file_id IS NULL";
const EDITED: &str = "SELECT edited_at FROM pairs WHERE id = $1";
const RECEIPT: &str = "UPDATE receipts SET pair_id = $1 WHERE id = $2 AND pair_id IS NULL";
const OF_RECEIPT: &str = "SELECT pair_id FROM receipts WHERE id = $1";
const SNAPSHOT_AT: &str = "SELECT at FROM snapshots WHERE pair_id = $1";
const QUOTES_LEFT: &str = "SELECT COUNT(*) FROM deleted_rows WHERE part = 'quotes' AND owner = $1";
const REQUEST: &str = "UPDATE snapshots SET json_doc = $1, answer_body = $2
    WHERE pair_id = $3 AND json_doc IS NULL AND answer_body IS NULL";

/// One undo at work.
struct Undo<'w> {
    workspace: &'w Workspace,
    kept: Vec<Kept>,
    /// The pairs that came back, and their ids as texts; what belongs to others is left.
    back: Vec<PairId>,
    owners: HashSet<String>,
    changed: Vec<PairId>,
    /// Failed sends whose request quoted something that is not there: it does not come back.
    incomplete: HashSet<String>,
    /// The topics that are there, read when one comes back: not once for each that does.
    tree: Option<TopicTree>,
}

pub(crate) fn restore(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: DeletionId,
) -> StoreResult<Restored> {
    let deletion = get(db, workspace, id)?;
    let kept = rows::of(db, id)?;
    db.run(DROP, values![id])?;
    let mut undo = Undo {
        workspace,
        kept,
        back: Vec::new(),
        owners: HashSet::new(),
        changed: Vec::new(),
        incomplete: HashSet::new(),
        tree: None,
    };
    undo.topics(db)?;
    undo.beginnings(db)?;
    undo.filters(db)?;
    undo.snippets(db)?;
    undo.files(db)?;
    undo.pairs(db)?;
    undo.parts_of_pairs(db)?;
    undo.receipts(db)?;
    undo.quotes(db)?;
    undo.requests(db)?;
    for kept in undo.take("errors") {
        errors::bring_back(db, &kept)?;
    }
    undo.links(db)?;
    for note in undo.of("notes") {
        notes::bring_back(db, workspace, &note.owner)?;
    }
    for what in told(deletion.kind, &undo.changed) {
        outbox::put(db, workspace, &what)?;
    }
    Ok(Restored { deletion, pairs: undo.back, changed: undo.changed })
}

/// What an undo changes.
fn told(kind: DeletedKind, changed: &[PairId]) -> Vec<WhatChanged> {
    match kind {
        // A topic that was deleted after its pairs comes back with them.
        DeletedKind::Pairs | DeletedKind::Conversation => {
            vec![WhatChanged::Topics, WhatChanged::Imported]
        }
        DeletedKind::File if changed.is_empty() => vec![WhatChanged::Files],
        DeletedKind::File => vec![WhatChanged::Files, WhatChanged::Texts(changed.to_vec())],
        DeletedKind::Topic | DeletedKind::Filter | DeletedKind::Snippet => {
            vec![WhatChanged::Topics]
        }
        DeletedKind::Notes => vec![WhatChanged::Memory],
    }
}

impl Undo<'_> {
    fn of<'s>(&'s self, part: &'s str) -> impl Iterator<Item = &'s Kept> {
        self.kept.iter().filter(move |kept| kept.part == part)
    }

    fn take(&mut self, part: &str) -> Vec<Kept> {
        self.kept.extract_if(.., |kept| kept.part == part).collect()
    }

    fn is_back(&self, owner: &str) -> bool {
        self.owners.contains(owner)
    }

    fn topics(&mut self, db: &mut dyn Db) -> StoreResult<()> {
        for kept in self.take("topics") {
            put_topic(db, self.workspace, &mut self.tree, &kept.row)?;
        }
        Ok(())
    }

    /// What was being written in a conversation, and how it was looked at; what somebody wrote
    /// there since stays.
    fn beginnings(&mut self, db: &mut dyn Db) -> StoreResult<()> {
        let drafts = self.take("drafts");
        let mut written_since = HashSet::new();
        for kept in drafts {
            match notebook::has_draft(db, self.workspace, &kept.owner)? {
                true => drop(written_since.insert(kept.owner)),
                false => insert(db, "drafts", &kept.row)?,
            }
        }
        for kept in self.take("draft_attachments") {
            if !written_since.contains(&kept.owner) {
                insert(db, "draft_attachments", &kept.row)?;
            }
        }
        for kept in self.take("single_values") {
            let name = text(&kept.row, "name").unwrap_or_default();
            if notebook::value(db, name)?.is_none() {
                insert(db, "single_values", &kept.row)?;
            }
        }
        Ok(())
    }

    fn filters(&mut self, db: &mut dyn Db) -> StoreResult<()> {
        for kept in self.take("saved_filters") {
            let taken = notebook::filters(db, self.workspace)?;
            if taken.iter().any(|filter| filter.name == kept.owner) {
                return Err(StoreError::Exists(Noun::Filter));
            }
            insert(db, "saved_filters", &kept.row)?;
        }
        Ok(())
    }

    fn snippets(&mut self, db: &mut dyn Db) -> StoreResult<()> {
        for kept in self.take("snippets") {
            let taken = notebook::snippets(db, self.workspace)?;
            if taken.iter().any(|snippet| snippet.name == kept.owner) {
                return Err(StoreError::Exists(Noun::Snippet));
            }
            insert(db, "snippets", &kept.row)?;
        }
        Ok(())
    }

    fn files(&mut self, db: &mut dyn Db) -> StoreResult<()> {
        for kept in self.take("files") {
            if !has_file(db, &kept.owner)? {
                insert(db, "files", &kept.row)?;
                for copy in self.of("provider_files") {
                    insert(db, "provider_files", &copy.row)?;
                }
            }
        }
        Ok(())
    }

    fn pairs(&mut self, db: &mut dyn Db) -> StoreResult<()> {
        for kept in self.take("pairs") {
            let id = pair_id(&kept.owner)?;
            // An import may have brought it meanwhile.
            if read_pairs::exists(db, id)? {
                continue;
            }
            let topic = text(&kept.row, "topic_id").and_then(TopicId::parse);
            let topic = topic.ok_or_else(|| unreadable("a topic is none"))?;
            ensure_topic(db, self.workspace, &mut self.tree, topic)?;
            insert(db, "pairs", &kept.row)?;
            self.back.push(id);
            self.owners.insert(kept.owner);
        }
        Ok(())
    }

    fn parts_of_pairs(&mut self, db: &mut dyn Db) -> StoreResult<()> {
        let others = |table: &&str| !["pairs", "snapshot_pairs"].contains(table);
        for table in TABLES_OF_A_PAIR.iter().map(|(table, _)| *table).filter(others) {
            for mut kept in self.take(table) {
                if !self.is_back(&kept.owner) {
                    continue;
                }
                if table == "pair_attachments" {
                    attachment(db, &mut kept)?;
                }
                insert(db, table, &kept.row)?;
            }
        }
        for id in &self.back {
            summaries::leave_out(db, *id)?;
        }
        self.own_quotes(db)
    }

    /// Which pairs the requests of these pairs quoted; what is deleted by now is not said.
    fn own_quotes(&mut self, db: &mut dyn Db) -> StoreResult<()> {
        let kept = self.take("snapshot_pairs");
        for of_one in kept.chunk_by(|one, next| one.owner == next.owner) {
            let owner = &of_one[0].owner;
            if !self.is_back(owner) {
                continue;
            }
            let mut pairs = Vec::with_capacity(of_one.len());
            for kept in of_one {
                match quoted(db, &kept.row)? {
                    Some(pair) => pairs.push((place(&kept.row), pair)),
                    None => {
                        self.incomplete.insert(owner.clone());
                    }
                }
            }
            pairs.sort_unstable_by_key(|(place, _)| *place);
            quotes::put(db, owner, &pairs)?;
        }
        Ok(())
    }

    fn receipts(&mut self, db: &mut dyn Db) -> StoreResult<()> {
        for kept in self.take("receipts") {
            if self.is_back(&kept.owner) {
                let receipt = text(&kept.row, "id").unwrap_or_default();
                db.run(RECEIPT, values![&kept.owner, receipt])?;
            }
        }
        for kept in self.take("receipt_bodies") {
            let receipt = text(&kept.row, "receipt_id").unwrap_or_default();
            let of = first(db, OF_RECEIPT, values![receipt], |row| row.opt_string(0))?.flatten();
            if self.is_back(&kept.owner) && of.as_ref() == Some(&kept.owner) {
                insert(db, "receipt_bodies", &kept.row)?;
            }
        }
        Ok(())
    }

    /// Requests of other pairs quote these pairs again, if they are still the same requests.
    fn quotes(&mut self, db: &mut dyn Db) -> StoreResult<()> {
        for mut kept in self.take("quotes") {
            let at = kept.row.remove("at");
            match quoted(db, &kept.row)? {
                Some(pair) if same_snapshot(db, &kept.owner, at.as_ref())? => {
                    quotes::put_back(db, &kept.owner, place(&kept.row), pair)?;
                }
                _ => {
                    self.incomplete.insert(kept.owner);
                }
            }
        }
        Ok(())
    }

    /// A request comes back only when all that it quotes is there.
    fn requests(&mut self, db: &mut dyn Db) -> StoreResult<()> {
        for kept in self.take("requests") {
            let left = first(db, QUOTES_LEFT, values![&kept.owner], |row| row.count(0))?;
            if !self.incomplete.contains(&kept.owner)
                && left == Some(0)
                && same_snapshot(db, &kept.owner, kept.row.get("at"))?
            {
                let texts = (text(&kept.row, "json_doc"), text(&kept.row, "answer_body"));
                db.run(REQUEST, values![texts.0, texts.1, &kept.owner])?;
            }
        }
        Ok(())
    }

    /// Tokens stand for the file again where the message was not edited since.
    fn links(&mut self, db: &mut dyn Db) -> StoreResult<()> {
        for kept in self.take("links") {
            let pair = pair_id(&kept.owner)?;
            let edited = first(db, EDITED, values![pair], |row| row.opt_int(0))?;
            if edited != Some(kept.row.get("edited_at").and_then(Json::as_i64)) {
                continue;
            }
            owners::must_be_at_rest(db, pair)?;
            let file = text(&kept.row, "file_id").unwrap_or_default();
            if has_file(db, file)? && db.run(LINK, values![file, pair, place(&kept.row)])? > 0 {
                pairs::texts_changed(db, pair)?;
                self.changed.push(pair);
            }
        }
        self.changed.dedup();
        Ok(())
    }
}

fn pair_id(text: &str) -> StoreResult<PairId> {
    PairId::parse(text).ok_or_else(|| unreadable("an id is no id"))
}

fn has_file(db: &mut dyn Db, file: &str) -> StoreResult<bool> {
    Ok(first(db, HAS_FILE, values![file], |_| Ok(()))?.is_some())
}

/// The pair that was quoted, if it is there.
fn quoted(db: &mut dyn Db, row: &Row) -> StoreResult<Option<PairId>> {
    let Some(id) = text(row, "included_id").and_then(PairId::parse) else { return Ok(None) };
    Ok(read_pairs::exists(db, id)?.then_some(id))
}

fn place(row: &Row) -> i64 {
    row.get("place").and_then(Json::as_i64).unwrap_or(0)
}

/// Whether the snapshot of a pair is the one that was there: a later failure replaces it.
fn same_snapshot(db: &mut dyn Db, pair: &str, at: Option<&Json>) -> StoreResult<bool> {
    let now = first(db, SNAPSHOT_AT, values![pair], |row| row.int(0))?;
    Ok(now.is_some() && now == at.and_then(Json::as_i64))
}

/// A file that was deleted after its pair: the token is broken, until that is undone too.
fn attachment(db: &mut dyn Db, kept: &mut Kept) -> StoreResult<()> {
    let Some(file) = text(&kept.row, "file_id").map(ToOwned::to_owned) else { return Ok(()) };
    if has_file(db, &file)? {
        return Ok(());
    }
    let deletion = first(db, FILE_ASIDE, values![&file], |row| id::<DeletionId>(row, 0))?;
    if let Some(deletion) = deletion {
        let pair = pair_id(&kept.owner)?;
        let edited = first(db, EDITED, values![pair], |row| row.opt_int(0))?.flatten();
        let mut link = kept.row.clone();
        link.insert("edited_at".to_owned(), edited.map_or(Json::Null, Json::from));
        Keeper::of(db, deletion)?.keep(db, "links", &kept.owner, Some(&file), link)?;
    }
    kept.row.insert("file_id".to_owned(), Json::Null);
    Ok(())
}

/// Makes sure that a topic is there, from its own deletion where it was deleted since.
fn ensure_topic(
    db: &mut dyn Db,
    workspace: &Workspace,
    tree: &mut Option<TopicTree>,
    topic: TopicId,
) -> StoreResult<()> {
    if topics::workspace_of(db, topic)?.is_some() {
        return Ok(());
    }
    let aside = first(db, TOPIC_ASIDE, values![topic], |row| {
        Ok((id::<DeletionId>(row, 0)?, rows::read(row.text(1)?)?))
    })?;
    let (deletion, row) = aside.ok_or(StoreError::NotFound(Noun::Topic))?;
    db.run(DROP_ROW, values!["topics", topic])?;
    if first(db, ROWS_LEFT, values![deletion], |row| row.count(0))? == Some(0) {
        db.run(DROP, values![deletion])?;
    }
    put_topic(db, workspace, tree, &row)
}

/// Refused where the tree does not take it any more: a sibling has its name.
fn put_topic(
    db: &mut dyn Db,
    workspace: &Workspace,
    tree: &mut Option<TopicTree>,
    row: &Row,
) -> StoreResult<()> {
    // Somebody went on in a conversation that was deleted: it is there, and its pairs come back to it.
    let of = text(row, "id").and_then(TopicId::parse);
    let topic = of.ok_or_else(|| unreadable("a topic is none"))?;
    if topics::workspace_of(db, topic)?.as_ref() == Some(workspace) {
        return Ok(());
    }
    if let Some(parent) = text(row, "parent_id").and_then(TopicId::parse) {
        ensure_topic(db, workspace, tree, parent)?;
    }
    if tree.is_none() {
        let mut known = TopicTree::default();
        for topic in topics::all(db, workspace)? {
            known.add(topic)?;
        }
        *tree = Some(known);
    }
    insert(db, "topics", row)?;
    let topic = topics::one(db, topic)?.ok_or(StoreError::NotFound(Noun::Topic))?;
    if let Some(tree) = tree {
        tree.add(topic)?;
    }
    Ok(())
}
