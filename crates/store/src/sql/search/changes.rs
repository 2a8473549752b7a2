//! Keeping the searched words true. Triggers of the schema only note which text changed; before a
//! transaction ends, its words are cut anew, and the counts of words follow.

use std::collections::{BTreeMap, HashSet};

use super::{Area, MemoryText, vocabulary};
use crate::{
    StoreResult,
    engine::{Db, Numbers, first, list},
    words::cut,
};

/// So many texts are gone through at once.
const AT_ONCE: u64 = 500;

const CHANGED: &str = "SELECT kind, text_key FROM search_changes ORDER BY kind, text_key LIMIT $1";
const DONE: &str = "DELETE FROM search_changes WHERE kind = $1 AND text_key = $2";
const NOTE: &str = "SELECT workspace, title, content, tags, updated_at FROM memory_observations
    WHERE id = $1 AND deleted_at IS NULL";
const PROMPT: &str = "SELECT workspace, '', content, tags, created_at FROM memory_prompts
    WHERE id = $1";
const PAIR: &str = "SELECT p.workspace, t.user_text, COALESCE(t.assistant_text, ''), '',
    p.created_at FROM pairs p JOIN pair_texts t ON t.pair_id = p.id WHERE p.id = $1";
const PAIR_DOC: &str = "SELECT doc FROM search_docs WHERE pair_id = $1";
const NEW_DOC: &str = "INSERT INTO search_docs (doc, pair_id) VALUES ($1, $2)";
const NO_DOC: &str = "DELETE FROM search_docs WHERE doc = $1";

/// A text as it is searched.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Words {
    place: u64,
    title: String,
    body: String,
    tags: String,
    at: i64,
}

/// What changes in a place: the number of texts that have each word, and the sums.
#[derive(Default)]
pub(super) struct Deltas {
    pub(super) words: BTreeMap<String, i64>,
    pub(super) texts: i64,
    pub(super) title_words: i64,
    pub(super) body_words: i64,
}

/// Brings the words up to date with the texts that changed.
pub fn settle(db: &mut dyn Db) -> StoreResult<()> {
    loop {
        let changed =
            list(db, CHANGED, values![AT_ONCE], |row| Ok((row.string(0)?, row.string(1)?)))?;
        if changed.is_empty() {
            return Ok(());
        }
        let mut deltas: BTreeMap<u64, Deltas> = BTreeMap::new();
        for (kind, key) in &changed {
            follow(db, kind, key, &mut deltas)?;
        }
        let done: Vec<_> = changed.iter().map(|(kind, key)| values![kind, key].to_vec()).collect();
        db.run_all(DONE, &done)?;
        for (place, deltas) in deltas {
            vocabulary::apply(db, place, &deltas)?;
        }
        if (changed.len() as u64) < AT_ONCE {
            return Ok(());
        }
    }
}

fn follow(
    db: &mut dyn Db,
    kind: &str,
    key: &str,
    deltas: &mut BTreeMap<u64, Deltas>,
) -> StoreResult<()> {
    let id: u64 = key.parse().unwrap_or_default();
    let (area, known_doc, now) = match kind {
        "note" => (Area::Memory, Some(MemoryText::Note(id).doc()), read(db, NOTE, values![id])?),
        "prompt" => {
            (Area::Memory, Some(MemoryText::Prompt(id).doc()), read(db, PROMPT, values![id])?)
        }
        _ => {
            let doc = first(db, PAIR_DOC, values![key], |row| row.count(0))?;
            (Area::History, doc, read(db, PAIR, values![key])?)
        }
    };
    let before = match known_doc {
        Some(doc) => words_of(db, area, doc)?,
        None => None,
    };
    let now = match now {
        Some(text) => Some(text.words(db, area)?),
        None => None,
    };
    if before == now {
        return Ok(());
    }
    if let Some(before) = &before {
        deltas.entry(before.place).or_default().count(before, -1);
    }
    if let Some(now) = &now {
        deltas.entry(now.place).or_default().count(now, 1);
    }
    write(db, area, known_doc, key, before.is_some(), now.as_ref())
}

impl Deltas {
    fn count(&mut self, words: &Words, by: i64) {
        let length = |line: &str| i64::try_from(line.split_whitespace().count()).unwrap_or(0);
        self.texts += by;
        self.title_words += by * length(&words.title);
        self.body_words += by * length(&words.body);
        let all = words.title.split_whitespace().chain(words.body.split_whitespace());
        for word in all.collect::<HashSet<&str>>() {
            match self.words.get_mut(word) {
                Some(count) => *count += by,
                None => drop(self.words.insert(word.to_owned(), by)),
            }
        }
    }
}

/// A text as it is kept.
struct Text {
    workspace: String,
    title: String,
    content: String,
    tags: String,
    at: i64,
}

impl Text {
    fn words(self, db: &mut dyn Db, area: Area) -> StoreResult<Words> {
        let place = vocabulary::place_for(db, area, &self.workspace)?;
        let (title, body) = (cut::line(&self.title), cut::line(&self.content));
        // Texts of several places are told apart by a tag, and so are words of a title.
        let mut tags = format!("{} {}", vocabulary::place_tag(place), self.tags);
        if area == Area::Memory {
            for word in title.split_whitespace() {
                tags.push(' ');
                tags.push_str(&vocabulary::title_tag(word));
            }
        }
        Ok(Words { place, title, body, tags, at: self.at })
    }
}

fn read(db: &mut dyn Db, sql: &str, key: &[crate::engine::Value<'_>]) -> StoreResult<Option<Text>> {
    first(db, sql, key, |row| {
        Ok(Text {
            workspace: row.string(0)?,
            title: row.string(1)?,
            content: row.string(2)?,
            tags: row.string(3)?,
            at: row.int(4)?,
        })
    })
}

fn words_of(db: &mut dyn Db, area: Area, doc: u64) -> StoreResult<Option<Words>> {
    let sql = format!("SELECT place, title, body, tags, at FROM {} WHERE doc = $1", area.texts());
    first(db, &sql, values![doc], |row| {
        Ok(Words {
            place: row.count(0)?,
            title: row.string(1)?,
            body: row.string(2)?,
            tags: row.string(3)?,
            at: row.int(4)?,
        })
    })
}

fn write(
    db: &mut dyn Db,
    area: Area,
    doc: Option<u64>,
    key: &str,
    known: bool,
    now: Option<&Words>,
) -> StoreResult<()> {
    let table = area.texts();
    let Some(now) = now else {
        let Some(doc) = doc else { return Ok(()) };
        db.run(&format!("DELETE FROM {table} WHERE doc = $1"), values![doc])?;
        if area == Area::History {
            db.run(NO_DOC, values![doc])?;
        }
        return Ok(());
    };
    let doc = match doc {
        Some(doc) => doc,
        None => {
            let doc = db.next_number(Numbers::SearchedPairs)?;
            db.run(NEW_DOC, values![doc, key])?;
            doc
        }
    };
    let Words { place, title, body, tags, at } = now;
    let sql = match known {
        true => format!(
            "UPDATE {table} SET place = $1, title = $2, body = $3, tags = $4, at = $5 WHERE doc = $6"
        ),
        false => format!(
            "INSERT INTO {table} (place, title, body, tags, at, doc) VALUES ($1, $2, $3, $4, $5, $6)"
        ),
    };
    db.run(&sql, values![*place, title, body, tags, *at, doc]).map(drop)
}
