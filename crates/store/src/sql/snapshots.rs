//! What was sent when a send failed (REC-5).

use plimsoll_domain::PairId;

use super::{parts, quotes, read_pairs};
use crate::{
    ErrorSnapshot, FailedAnswer, Noun, StoreError, StoreResult,
    engine::{Db, first, id, list},
};

const DROP: &str = "DELETE FROM snapshots WHERE pair_id = $1";
const PUT: &str = "INSERT INTO snapshots (pair_id, at, outgoing_user_text, json_doc,
    answer_status, answer_body, answer_transport) VALUES ($1, $2, $3, $4, $5, $6, $7)";
const GET: &str = "SELECT at, outgoing_user_text, json_doc, answer_status, answer_body,
    answer_transport FROM snapshots WHERE pair_id = $1";
const INCLUDED: &str = "SELECT included_id FROM snapshot_pairs WHERE pair_id = $1 ORDER BY place";

pub(crate) fn put(db: &mut dyn Db, snapshot: &ErrorSnapshot) -> StoreResult<()> {
    if !read_pairs::exists(db, snapshot.pair)? {
        return Err(StoreError::NotFound(Noun::Pair));
    }
    db.run(DROP, values![snapshot.pair])?;
    // A pair that was quoted and deleted during the send must not come back through the
    // request that quoted it.
    let mut included = Vec::with_capacity(snapshot.included.len());
    for id in &snapshot.included {
        if read_pairs::exists(db, *id)? {
            included.push(*id);
        }
    }
    let whole = included.len() == snapshot.included.len();
    let json_doc = snapshot.json_doc.as_ref().filter(|_| whole);
    let json_doc = json_doc.map(|document| parts::REQUESTS.keep(db, document)).transpose()?;
    let outgoing = &snapshot.outgoing_user_text;
    let answer = snapshot.answer.as_ref();
    let status = answer.and_then(|answer| answer.status).map(u64::from);
    let body = answer.and_then(|answer| answer.body.as_ref()).filter(|_| whole);
    let transport = answer.and_then(|answer| answer.transport.as_ref());
    let put =
        values![snapshot.pair, snapshot.at, outgoing, json_doc.as_ref(), status, body, transport];
    db.run(PUT, put)?;
    let included: Vec<(i64, PairId)> = (0..).zip(included).collect();
    quotes::put(db, &snapshot.pair.to_string(), &included)
}

pub(crate) fn get(db: &mut dyn Db, pair: PairId) -> StoreResult<Option<ErrorSnapshot>> {
    let included = list(db, INCLUDED, values![pair], |row| id(row, 0))?;
    let found = first(db, GET, values![pair], |row| {
        let answer = FailedAnswer {
            status: row.opt_count(3)?.and_then(|status| u16::try_from(status).ok()),
            body: row.opt_string(4)?,
            transport: row.opt_string(5)?,
        };
        Ok(ErrorSnapshot {
            pair,
            at: row.time(0)?,
            included: included.clone(),
            outgoing_user_text: row.string(1)?,
            json_doc: row.opt_string(2)?,
            answer: (answer != FailedAnswer::default()).then_some(answer),
        })
    })?;
    let Some(found) = found else { return Ok(None) };
    let json_doc = found.json_doc.map(|kept| parts::REQUESTS.restore(db, kept)).transpose()?;
    Ok(Some(ErrorSnapshot { json_doc, ..found }))
}
