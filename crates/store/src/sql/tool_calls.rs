//! What models read by tools (PRV-5). The calls of an answer that is put aside go with it.

use plimsoll_domain::{FileId, PairId};

use super::{outbox, owners, read_pairs};
use crate::{
    HeldSend, StoreResult, ToolCallRecord, WhatChanged,
    engine::{Db, first, list},
};

const NEXT: &str = "SELECT COUNT(*) FROM tool_calls WHERE pair_id = $1 AND side = 0";
const ADD: &str = "INSERT INTO tool_calls (pair_id, side, place, name, arguments, result, failed,
    tokens, millis, made) VALUES ($1, 0, $2, $3, $4, $5, $6, $7, $8, $9)";
const LIST: &str = "SELECT name, arguments, result, failed, tokens, millis, made FROM tool_calls
    WHERE pair_id = $1 AND side = 0 ORDER BY place";
const MOVE: &str = "UPDATE tool_calls SET side = $1 WHERE pair_id = $2 AND side = $3";
const DROP: &str = "DELETE FROM tool_calls WHERE pair_id = $1 AND side = $2";

/// The calls of the answer that stands, those of the earlier one, and those that wait while
/// the two change places.
const CURRENT: u64 = 0;
const PREVIOUS: u64 = 1;
const BETWEEN: u64 = 2;

pub(crate) fn add(db: &mut dyn Db, send: HeldSend, call: &ToolCallRecord) -> StoreResult<()> {
    owners::must_hold(db, send)?;
    let pair = send.pair;
    read_pairs::get(db, pair)?;
    outbox::put_for(db, &[pair], |_| WhatChanged::Tool(pair))?;
    let place = first(db, NEXT, values![pair], |row| row.count(0))?.unwrap_or(0);
    let ToolCallRecord { name, arguments, result, failed, tokens, millis, made } = call;
    let made: Vec<String> = made.iter().map(ToString::to_string).collect();
    let made = made.join(" ");
    let values = values![pair, place, name, arguments, result, *failed, *tokens, *millis, &made];
    db.run(ADD, values).map(drop)
}

pub(crate) fn list_of(db: &mut dyn Db, pair: PairId) -> StoreResult<Vec<ToolCallRecord>> {
    list(db, LIST, values![pair], |row| {
        Ok(ToolCallRecord {
            name: row.string(0)?,
            arguments: row.string(1)?,
            result: row.string(2)?,
            failed: row.truth(3)?,
            tokens: row.count(4)?,
            millis: row.count(5)?,
            made: row.text(6)?.split(' ').filter_map(FileId::parse).collect(),
        })
    })
}

/// Forgets the calls of an answer that is asked for anew without being put aside.
pub(super) fn forget(db: &mut dyn Db, pair: PairId) -> StoreResult<()> {
    db.run(DROP, values![pair, CURRENT]).map(drop)
}

/// Puts the calls aside with their answer.
pub(super) fn put_aside(db: &mut dyn Db, pair: PairId) -> StoreResult<()> {
    db.run(DROP, values![pair, PREVIOUS])?;
    db.run(MOVE, values![PREVIOUS, pair, CURRENT]).map(drop)
}

/// Exchanges the calls of the two answers.
pub(super) fn swap(db: &mut dyn Db, pair: PairId) -> StoreResult<()> {
    for (to, from) in [(BETWEEN, CURRENT), (CURRENT, PREVIOUS), (PREVIOUS, BETWEEN)] {
        db.run(MOVE, values![to, pair, from])?;
    }
    Ok(())
}
