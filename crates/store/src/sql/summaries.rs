//! Summaries and the pairs that they stand for (HIS-11).

use plimsoll_domain::{PairId, Summarised};

use super::read_pairs;
use crate::{
    StoreResult,
    engine::{Db, first, id, list},
};

const PUT: &str =
    "INSERT INTO summary_pairs (summary_id, place, summarised_id, revision, use_before)
    VALUES ($1, $2, $3, $4, $5)";
const OF: &str = "SELECT summarised_id, revision, use_before FROM summary_pairs
    WHERE summary_id = $1 ORDER BY place";
const CHANGED: &str = "SELECT s.summarised_id FROM summary_pairs s
    LEFT JOIN pairs p ON p.id = s.summarised_id
    WHERE s.summary_id = $1 AND (p.id IS NULL OR p.revision <> s.revision) LIMIT 1";
const ABOUT: &str = "SELECT DISTINCT summary_id FROM summary_pairs WHERE summarised_id = $1";
const STANDING_FOR: &str = "SELECT s.summary_id FROM summary_pairs s
    JOIN pairs p ON p.id = s.summary_id
    WHERE s.summarised_id = $1 AND p.lifecycle = 'complete' ORDER BY p.id DESC LIMIT 1";
const REMEMBER_USES: &str = "UPDATE summary_pairs SET use_before =
    (SELECT pair_use FROM pairs WHERE id = summarised_id)
    WHERE summary_id = $1 AND summarised_id IN (SELECT id FROM pairs)";
const LEAVE_OUT: &str = "UPDATE pairs SET pair_use = 'out'
    WHERE id IN (SELECT summarised_id FROM summary_pairs WHERE summary_id = $1)";
const GIVE_BACK: &str = "UPDATE pairs SET pair_use =
    (SELECT use_before FROM summary_pairs WHERE summary_id = $1 AND summarised_id = pairs.id)
    WHERE pair_use = 'out'
    AND id IN (SELECT summarised_id FROM summary_pairs WHERE summary_id = $1)";

pub(super) fn put(db: &mut dyn Db, summary: PairId, pairs: &[Summarised]) -> StoreResult<()> {
    for (place, one) in (0u64..).zip(pairs) {
        let Summarised { pair, revision, use_before } = *one;
        db.run(PUT, values![summary, place, pair, revision, use_before.name()])?;
    }
    Ok(())
}

pub(super) fn of(db: &mut dyn Db, summary: PairId) -> StoreResult<Vec<Summarised>> {
    list(db, OF, values![summary], |row| {
        Ok(Summarised {
            pair: id(row, 0)?,
            revision: row.count(1)?,
            use_before: read_pairs::pair_use(row, 2)?,
        })
    })
}

/// Whether a pair that it stands for was edited or deleted since.
pub(super) fn is_outdated(db: &mut dyn Db, summary: PairId) -> StoreResult<bool> {
    Ok(!list(db, CHANGED, values![summary], |_| Ok(()))?.is_empty())
}

/// The newest summary that stands for a pair.
pub(super) fn standing_for(db: &mut dyn Db, pair: PairId) -> StoreResult<Option<PairId>> {
    first(db, STANDING_FOR, values![pair], |row| id(row, 0))
}

/// The summaries that stand for a pair.
pub(crate) fn about(db: &mut dyn Db, pairs: &[PairId]) -> StoreResult<Vec<PairId>> {
    let mut found = Vec::new();
    for pair in pairs {
        found.extend(list(db, ABOUT, values![*pair], |row| id::<PairId>(row, 0))?);
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// The summary is there: the pairs that it stands for are left out.
pub(super) fn begins_to_stand(db: &mut dyn Db, summary: PairId) -> StoreResult<()> {
    db.run(REMEMBER_USES, values![summary])?;
    leave_out(db, summary)
}

pub(super) fn leave_out(db: &mut dyn Db, summary: PairId) -> StoreResult<()> {
    db.run(LEAVE_OUT, values![summary]).map(drop)
}

/// The summary goes: the pairs that are still left out are used as they were before.
pub(super) fn give_back(db: &mut dyn Db, summary: PairId) -> StoreResult<()> {
    db.run(GIVE_BACK, values![summary]).map(drop)
}
