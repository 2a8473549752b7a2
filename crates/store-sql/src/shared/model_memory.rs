//! Experience with models: calibration (EST-6), learned limits (CAT-3), usage (VAL-4).

use plimsoll_domain::Timestamp;
use plimsoll_store::{LearnedLimit, StoreResult, UsageEntry};

use crate::db::{Cells, Db, first, list, values};

const CALIBRATION: &str = "SELECT log_ratio FROM calibrations WHERE model = $1 ORDER BY place";
const FORGET_CALIBRATION: &str = "DELETE FROM calibrations WHERE model = $1";
const PUT_CALIBRATION: &str =
    "INSERT INTO calibrations (model, place, log_ratio) VALUES ($1, $2, $3)";
const LIMIT: &str = "SELECT base_url, model, tokens, learned_at FROM learned_limits
    WHERE base_url = $1 AND model = $2";
const LIMITS: &str = "SELECT base_url, model, tokens, learned_at FROM learned_limits
    ORDER BY base_url, model";
const PUT_LIMIT: &str = "INSERT INTO learned_limits (base_url, model, tokens, learned_at)
    VALUES ($1, $2, $3, $4) ON CONFLICT (base_url, model) DO UPDATE SET
    tokens = excluded.tokens, learned_at = excluded.learned_at";
const CLEAR_LIMIT: &str = "DELETE FROM learned_limits WHERE base_url = $1 AND model = $2";
const LOG: &str = "INSERT INTO usage_log (model, at, tokens) VALUES ($1, $2, $3)";
const SINCE: &str = "SELECT at, tokens FROM usage_log WHERE model = $1 AND at >= $2 ORDER BY at";
const FORGET_USAGE: &str = "DELETE FROM usage_log WHERE at < $1";

pub(crate) fn calibration(db: &mut dyn Db, model: &str) -> StoreResult<Vec<f64>> {
    list(db, CALIBRATION, values![model], |row| row.real(0))
}

pub(crate) fn put_calibration(db: &mut dyn Db, model: &str, ratios: &[f64]) -> StoreResult<()> {
    db.run(FORGET_CALIBRATION, values![model])?;
    // What is no number teaches nothing, and not every database keeps it.
    let finite = ratios.iter().filter(|ratio| ratio.is_finite());
    for (place, ratio) in (0u64..).zip(finite) {
        db.run(PUT_CALIBRATION, values![model, place, *ratio])?;
    }
    Ok(())
}

pub(crate) fn limit(
    db: &mut dyn Db,
    base_url: &str,
    model: &str,
) -> StoreResult<Option<LearnedLimit>> {
    first(db, LIMIT, values![base_url, model], read_limit)
}

pub(crate) fn limits(db: &mut dyn Db) -> StoreResult<Vec<LearnedLimit>> {
    list(db, LIMITS, values![], read_limit)
}

pub(crate) fn put_limit(db: &mut dyn Db, limit: &LearnedLimit) -> StoreResult<()> {
    db.run(PUT_LIMIT, values![&limit.base_url, &limit.model, limit.tokens, limit.learned_at])
        .map(drop)
}

pub(crate) fn clear_limit(db: &mut dyn Db, base_url: &str, model: &str) -> StoreResult<bool> {
    Ok(db.run(CLEAR_LIMIT, values![base_url, model])? > 0)
}

pub(crate) fn log_usage(db: &mut dyn Db, model: &str, entry: UsageEntry) -> StoreResult<()> {
    db.run(LOG, values![model, entry.at, entry.tokens]).map(drop)
}

pub(crate) fn usage_since(
    db: &mut dyn Db,
    model: &str,
    from: Timestamp,
) -> StoreResult<Vec<UsageEntry>> {
    list(db, SINCE, values![model, from], |row| {
        Ok(UsageEntry { at: row.time(0)?, tokens: row.count(1)? })
    })
}

pub(crate) fn forget_usage(db: &mut dyn Db, until: Timestamp) -> StoreResult<()> {
    db.run(FORGET_USAGE, values![until]).map(drop)
}

fn read_limit(row: &dyn Cells) -> StoreResult<LearnedLimit> {
    Ok(LearnedLimit {
        base_url: row.string(0)?,
        model: row.string(1)?,
        tokens: row.count(2)?,
        learned_at: row.time(3)?,
    })
}
