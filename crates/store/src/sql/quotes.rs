//! Which pairs the request of a failed send quoted (REC-5), as runs of their numbers: a list of
//! the whole window for each failed send would grow with the history (REL-9). They are read as
//! rows of the view `snapshot_pairs`.

use plimsoll_domain::PairId;

use crate::{
    StoreResult,
    engine::{Db, Numbers, first},
};

const NUMBER: &str = "SELECT MAX(number) FROM quoted_pairs WHERE pair_id = $1";
const GIVE: &str = "INSERT INTO quoted_pairs (number, pair_id) VALUES ($1, $2)";
const PUT: &str = "INSERT INTO snapshot_runs (pair_id, place, first_number, last_number)
    VALUES ($1, $2, $3, $4)";
/// The number at a place of a request, and its pair; none where that was deleted since.
const AT: &str = "SELECT q.number, q.pair_id FROM snapshot_runs r, quoted_pairs q
    WHERE r.pair_id = $1 AND r.place <= $2 AND q.number = r.first_number + ($2 - r.place)
    AND q.number <= r.last_number";
const TAKE: &str = "UPDATE quoted_pairs SET pair_id = $1 WHERE number = $2";
const FORGET: &str = "UPDATE quoted_pairs SET pair_id = NULL WHERE pair_id = $1";

/// Writes down that a request quoted these pairs at these places, which go up.
pub(super) fn put(db: &mut dyn Db, quoting: &str, pairs: &[(i64, PairId)]) -> StoreResult<()> {
    let mut run: Option<Run> = None;
    for (place, pair) in pairs {
        let number = number(db, *pair)?;
        match &mut run {
            Some(run) if run.goes_on_with(*place, number) => run.last = number,
            _ => {
                let next = Run { place: *place, first: number, last: number };
                if let Some(ended) = run.replace(next) {
                    ended.write(db, quoting)?;
                }
            }
        }
    }
    run.map_or(Ok(()), |run| run.write(db, quoting))
}

/// A pair that came back is quoted again where it was.
pub(super) fn put_back(
    db: &mut dyn Db,
    quoting: &str,
    place: i64,
    pair: PairId,
) -> StoreResult<()> {
    let at = first(db, AT, values![quoting, place], |row| Ok((row.int(0)?, row.opt_string(1)?)))?;
    match at {
        Some((number, None)) => db.run(TAKE, values![pair, number]).map(drop),
        // It came back with another request that quoted it.
        Some((_, Some(_))) => Ok(()),
        // The list was written down without it.
        None => put(db, quoting, &[(place, pair)]),
    }
}

/// No request quotes a pair any more.
pub(super) fn forget(db: &mut dyn Db, pair: PairId) -> StoreResult<()> {
    db.run(FORGET, values![pair]).map(drop)
}

struct Run {
    place: i64,
    first: i64,
    last: i64,
}

impl Run {
    fn goes_on_with(&self, place: i64, number: i64) -> bool {
        number == self.last + 1 && place - self.place == number - self.first
    }

    fn write(&self, db: &mut dyn Db, quoting: &str) -> StoreResult<()> {
        db.run(PUT, values![quoting, self.place, self.first, self.last]).map(drop)
    }
}

/// The number of a pair; one that was never quoted gets the next.
fn number(db: &mut dyn Db, pair: PairId) -> StoreResult<i64> {
    if let Some(number) = first(db, NUMBER, values![pair], |row| row.opt_int(0))?.flatten() {
        return Ok(number);
    }
    let number = i64::try_from(db.next_number(Numbers::QuotedPairs)?).unwrap_or(i64::MAX);
    db.run(GIVE, values![number, pair])?;
    Ok(number)
}
