//! Experience with models: calibration (EST-6), learned limits (CAT-3), usage (VAL-4).

use plimsoll_budget::LearnedLimit;
use plimsoll_domain::Timestamp;

use crate::{
    LearnedLimits, StoreResult, UsageEntry, UsageReport,
    engine::{Cells, Db, first, list},
};

const REPORTS: &str = "SELECT text_tokens, overhead_tokens, reported_tokens FROM usage_reports
    WHERE base_url = $1 AND model = $2 ORDER BY place";
const CLEAR_REPORTS: &str = "DELETE FROM usage_reports WHERE base_url = $1 AND model = $2";
const PUT_REPORT: &str = "INSERT INTO usage_reports
    (base_url, model, place, text_tokens, overhead_tokens, reported_tokens)
    VALUES ($1, $2, $3, $4, $5, $6)";
const LARGEST: &str = "SELECT tokens FROM largest_prompts WHERE base_url = $1 AND model = $2";
const PUT_LARGEST: &str = "INSERT INTO largest_prompts (base_url, model, tokens)
    VALUES ($1, $2, $3) ON CONFLICT (base_url, model) DO UPDATE SET
    tokens = excluded.tokens WHERE excluded.tokens > largest_prompts.tokens";
const HAS_LEARNED: [&str; 2] = [
    "SELECT tokens FROM learned_limits WHERE model = $1 LIMIT 1",
    "SELECT reported_tokens FROM usage_reports WHERE model = $1 LIMIT 1",
];
const FORGET: [&str; 3] = [
    "DELETE FROM usage_reports WHERE model = $1",
    "DELETE FROM largest_prompts WHERE model = $1",
    "DELETE FROM learned_limits WHERE model = $1",
];
const LIMIT: &str = "SELECT tokens, learned_at FROM learned_limits
    WHERE base_url = $1 AND model = $2";
const LIMITS: &str = "SELECT tokens, learned_at, base_url, model FROM learned_limits";
const PUT_LIMIT: &str = "INSERT INTO learned_limits (base_url, model, tokens, learned_at)
    VALUES ($1, $2, $3, $4) ON CONFLICT (base_url, model) DO UPDATE SET
    tokens = excluded.tokens, learned_at = excluded.learned_at";
const CLEAR_LIMIT: &str = "DELETE FROM learned_limits WHERE base_url = $1 AND model = $2";
const LOG: &str = "INSERT INTO usage_log (model, at, tokens) VALUES ($1, $2, $3)";
const SINCE: &str = "SELECT at, tokens FROM usage_log WHERE model = $1 AND at >= $2 ORDER BY at";

pub(crate) fn reports(
    db: &mut dyn Db,
    base_url: &str,
    model: &str,
) -> StoreResult<Vec<UsageReport>> {
    list(db, REPORTS, values![base_url, model], |row| {
        Ok(UsageReport { text: row.count(0)?, overhead: row.count(1)?, reported: row.count(2)? })
    })
}

pub(crate) fn put_reports(
    db: &mut dyn Db,
    base_url: &str,
    model: &str,
    reports: &[UsageReport],
) -> StoreResult<()> {
    db.run(CLEAR_REPORTS, values![base_url, model])?;
    for (place, report) in (0u64..).zip(reports) {
        let UsageReport { text, overhead, reported } = *report;
        db.run(PUT_REPORT, values![base_url, model, place, text, overhead, reported])?;
    }
    Ok(())
}

pub(crate) fn largest_prompt(
    db: &mut dyn Db,
    base_url: &str,
    model: &str,
) -> StoreResult<Option<u64>> {
    first(db, LARGEST, values![base_url, model], |row| row.count(0))
}

pub(crate) fn note_prompt(
    db: &mut dyn Db,
    base_url: &str,
    model: &str,
    tokens: u64,
) -> StoreResult<()> {
    db.run(PUT_LARGEST, values![base_url, model, tokens]).map(drop)
}

pub(crate) fn has_learned(db: &mut dyn Db, model: &str) -> StoreResult<bool> {
    for statement in HAS_LEARNED {
        if first(db, statement, values![model], |row| row.count(0))?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(crate) fn forget_learned(db: &mut dyn Db, model: &str) -> StoreResult<()> {
    for statement in FORGET {
        db.run(statement, values![model])?;
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

pub(crate) fn limits(db: &mut dyn Db) -> StoreResult<LearnedLimits> {
    let row = |row: &dyn Cells| Ok(((row.string(2)?, row.string(3)?), read_limit(row)?));
    Ok(LearnedLimits(list(db, LIMITS, values![], row)?.into_iter().collect()))
}

pub(crate) fn put_limit(
    db: &mut dyn Db,
    base_url: &str,
    model: &str,
    limit: LearnedLimit,
) -> StoreResult<()> {
    db.run(PUT_LIMIT, values![base_url, model, limit.tokens, limit.learned_at]).map(drop)
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

fn read_limit(row: &dyn Cells) -> StoreResult<LearnedLimit> {
    Ok(LearnedLimit { tokens: row.count(0)?, learned_at: row.time(1)? })
}
