//! A receipt refers to what was sent, it does not list it again (REL-9), and so does the request
//! of a failed send. The lines of their long lists (pairs, messages) stand once in a table, and
//! the text has their numbers.

mod lists;

use std::collections::{HashMap, HashSet};

use self::lists::{MARK, Piece, pieces};
use crate::{
    StoreResult,
    engine::{Db, Numbers, first, list, unreadable},
};

/// A table of lines, and who refers to them.
pub struct Table {
    find: &'static str,
    following: &'static str,
    newest: &'static str,
    numbers: Numbers,
    put: &'static str,
    between: &'static str,
    all: &'static str,
    drop: &'static str,
    /// Each text that refers to lines, with the id of what it belongs to.
    texts: &'static str,
    /// What can still be brought back (REC-5), as rows of these cells.
    aside: &'static str,
    cell: &'static str,
    /// The next texts behind an id, and how one is replaced.
    next: &'static str,
    replace: &'static str,
    /// How far texts of an earlier form have been written anew.
    place: &'static str,
}

macro_rules! table {
    ($lines:literal, $numbers:expr, $texts:literal, $id:literal, $text:literal, $aside:literal, $place:literal) => {
        Table {
            find: concat!("SELECT id FROM ", $lines, " WHERE digest = $1"),
            following: concat!(
                "SELECT id, digest FROM ",
                $lines,
                " WHERE id > $1 ORDER BY id LIMIT $2"
            ),
            newest: concat!("SELECT COALESCE(MAX(id), 0) FROM ", $lines),
            numbers: $numbers,
            put: concat!(
                "INSERT INTO ",
                $lines,
                " (id, digest, body) VALUES ($1, $2, $3)
                ON CONFLICT (digest) DO NOTHING"
            ),
            between: concat!("SELECT id, body FROM ", $lines, " WHERE id BETWEEN $1 AND $2"),
            all: concat!("SELECT id FROM ", $lines, " ORDER BY id"),
            drop: concat!("DELETE FROM ", $lines, " WHERE id = $1"),
            texts: concat!(
                "SELECT ",
                $id,
                ", ",
                $text,
                " FROM ",
                $texts,
                " WHERE ",
                $text,
                " IS NOT NULL"
            ),
            aside: concat!("SELECT cells FROM deleted_rows WHERE part IN (", $aside, ")"),
            cell: $text,
            next: concat!(
                "SELECT ",
                $id,
                ", ",
                $text,
                " FROM ",
                $texts,
                " WHERE ",
                $id,
                " > $1 AND ",
                $text,
                " IS NOT NULL ORDER BY ",
                $id,
                " LIMIT $2"
            ),
            replace: concat!("UPDATE ", $texts, " SET ", $text, " = $1 WHERE ", $id, " = $2"),
            place: $place,
        }
    };
}

/// What receipts list: pairs, and messages by their hashes.
pub const RECEIPTS: Table = table!(
    "receipt_parts",
    Numbers::ReceiptParts,
    "receipt_bodies",
    "receipt_id",
    "body",
    "'receipt_bodies'",
    "receipts-written-anew"
);

/// The messages of requests that failed. They are texts of people: what nobody refers to any more
/// is removed in the same transaction as what referred to it for good.
pub const REQUESTS: Table = table!(
    "request_parts",
    Numbers::RequestParts,
    "snapshots",
    "pair_id",
    "json_doc",
    "'requests', 'snapshots'",
    "requests-written-anew"
);

const GET_PLACE: &str = "SELECT text FROM single_values WHERE name = $1";
const SET_PLACE: &str = "INSERT INTO single_values (name, text) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET text = excluded.text";

/// So many lines after one that is known are looked at together: lists mostly go on alike.
const LINES_AHEAD: u64 = 256;
/// The most lines of one text.
const MOST_LINES: usize = 10_000_000;
/// Numbers that are this close are read together.
const CLOSE_NUMBERS: i64 = 16;
/// Behind the last id, as ids sort.
const BEHIND_THE_LAST_ID: &str = "~";

impl Table {
    /// The text as it is kept: its long lists as numbers.
    pub(super) fn keep(&self, db: &mut dyn Db, body: &str) -> StoreResult<String> {
        if body.contains(MARK) && !matches!(numbers_in(body), Ok(lists) if !lists.is_empty()) {
            return Err(unreadable("it is no JSON"));
        }
        let mut keeper = Keeper { db, table: self, known: HashMap::new() };
        let mut kept = String::new();
        for piece in pieces(body) {
            match piece {
                Piece::Text(text) => kept.push_str(text),
                Piece::List(lines) => {
                    let mut numbers = Vec::with_capacity(lines.len());
                    for line in lines {
                        numbers.push(keeper.number(line)?);
                    }
                    kept.push(MARK);
                    kept.push_str(&lists::write(&numbers));
                    kept.push(MARK);
                }
            }
        }
        Ok(kept)
    }

    /// The text as it was handed over. One of an earlier form, or without long lists, is that.
    pub(super) fn restore(&self, db: &mut dyn Db, kept: String) -> StoreResult<String> {
        if !kept.contains(MARK) {
            return Ok(kept);
        }
        let numbers = numbers_in(&kept)?;
        let mut wanted: Vec<i64> = numbers.iter().flatten().copied().collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut lines: HashMap<i64, String> = HashMap::with_capacity(wanted.len());
        for run in wanted.chunk_by(|one, next| next - one <= CLOSE_NUMBERS) {
            let (from, to) = (run[0], run[run.len() - 1]);
            db.each(self.between, values![from, to], &mut |row| {
                lines.insert(row.int(0)?, row.string(1)?);
                Ok(())
            })?;
        }
        let mut body = String::new();
        let mut lists = numbers.iter();
        for (place, part) in kept.split(MARK).enumerate() {
            if place % 2 == 0 {
                body.push_str(part);
                continue;
            }
            for (place, number) in lists.next().into_iter().flatten().enumerate() {
                if place > 0 {
                    body.push(',');
                }
                let line = lines.get(number);
                body.push_str(line.ok_or_else(|| unreadable("a line of it is gone"))?);
            }
        }
        Ok(body)
    }

    /// Removes the lines that nothing refers to any more, also nothing that can be brought back.
    pub fn sweep(&self, db: &mut dyn Db) -> StoreResult<u64> {
        let newest = first(db, self.newest, values![], |row| row.int(0))?.unwrap_or(0);
        if newest == 0 {
            return Ok(0);
        }
        let mut used = vec![false; usize::try_from(newest).unwrap_or(0) + 1];
        let mut mark = |kept: &str| -> StoreResult<()> {
            for number in numbers_in(kept)?.into_iter().flatten() {
                if let Some(used) = usize::try_from(number).ok().and_then(|at| used.get_mut(at)) {
                    *used = true;
                }
            }
            Ok(())
        };
        db.each(self.texts, values![], &mut |row| mark(row.text(1)?))?;
        db.each(self.aside, values![], &mut |row| {
            let cells: serde_json::Value = serde_json::from_str(row.text(0)?)
                .map_err(|_| unreadable("what was put aside is no row"))?;
            mark(cells[self.cell].as_str().unwrap_or_default())
        })?;
        let is_used = |id: i64| {
            usize::try_from(id).ok().and_then(|at| used.get(at)).copied().unwrap_or(false)
        };
        let all = list(db, self.all, values![], |row| row.int(0))?;
        let gone: Vec<i64> = all.into_iter().filter(|id| !is_used(*id)).collect();
        let all: Vec<_> = gone.iter().map(|id| values![*id].to_vec()).collect();
        db.run_all(self.drop, &all)?;
        Ok(gone.len() as u64)
    }

    /// The first thing that is wrong with what is referred to, if there is any.
    pub fn check(&self, db: &mut dyn Db) -> StoreResult<Option<String>> {
        let there: HashSet<i64> =
            list(db, self.all, values![], |row| row.int(0))?.into_iter().collect();
        let mut wrong = None;
        db.each(self.texts, values![], &mut |row| {
            let whole = match numbers_in(row.text(1)?) {
                Ok(lists) => lists.iter().flatten().all(|number| there.contains(number)),
                Err(_) => false,
            };
            if !whole && wrong.is_none() {
                wrong = Some(format!("lines of {} of {} are gone", self.cell, row.text(0)?));
            }
            Ok(())
        })?;
        Ok(wrong)
    }

    /// Whether texts of an earlier form may still list what was sent.
    pub fn is_behind(&self, db: &mut dyn Db) -> StoreResult<bool> {
        let place = first(db, GET_PLACE, values![self.place], |row| row.string(0))?;
        Ok(place.as_deref() != Some(BEHIND_THE_LAST_ID))
    }

    /// Writes the next texts anew, at most so many, and remembers how far it came in the same
    /// transaction.
    pub fn write_anew(&self, db: &mut dyn Db, most: u64) -> StoreResult<()> {
        let place = first(db, GET_PLACE, values![self.place], |row| row.string(0))?;
        let place = place.unwrap_or_default();
        if place == BEHIND_THE_LAST_ID {
            return Ok(());
        }
        let read = |row: &dyn crate::engine::Cells| Ok((row.string(0)?, row.string(1)?));
        let texts = list(db, self.next, values![&place, most], read)?;
        let last = texts.last().map_or_else(|| BEHIND_THE_LAST_ID.to_owned(), |(id, _)| id.clone());
        for (id, text) in texts {
            // One that is kept so already holds no long list any more.
            let kept = self.keep(db, &text)?;
            if kept != text {
                db.run(self.replace, values![&kept, &id])?;
            }
        }
        db.run(SET_PLACE, values![self.place, &last]).map(drop)
    }
}

struct Keeper<'d> {
    db: &'d mut dyn Db,
    table: &'d Table,
    /// Numbers by digest, as far as they were looked at.
    known: HashMap<String, i64>,
}

impl Keeper<'_> {
    fn number(&mut self, line: &str) -> StoreResult<i64> {
        let digest = blake3::hash(line.as_bytes()).to_hex()[..32].to_owned();
        if let Some(number) = self.known.get(&digest) {
            return Ok(*number);
        }
        let found = first(self.db, self.table.find, values![&digest], |row| row.int(0))?;
        if let Some(number) = found {
            let row = |row: &dyn crate::engine::Cells| Ok((row.string(1)?, row.int(0)?));
            let ahead = list(self.db, self.table.following, values![number, LINES_AHEAD], row)?;
            self.known.extend(ahead);
            self.known.insert(digest, number);
            return Ok(number);
        }
        let number = self.db.next_number(self.table.numbers)?;
        let mut number = i64::try_from(number).unwrap_or(i64::MAX);
        if self.db.run(self.table.put, values![number, &digest, line])? == 0 {
            // Somebody else has just put the same line.
            let found = first(self.db, self.table.find, values![&digest], |row| row.int(0))?;
            number = found.ok_or_else(|| unreadable("a line of it is gone"))?;
        }
        self.known.insert(digest, number);
        Ok(number)
    }
}

fn numbers_in(kept: &str) -> StoreResult<Vec<Vec<i64>>> {
    let lists = kept.split(MARK).skip(1).step_by(2);
    let read = |text| lists::read(text, MOST_LINES).ok_or_else(|| unreadable("a list is none"));
    lists.map(read).collect()
}
