//! Totals over receipts by day, model or topic (REC-2).

use plimsoll_domain::{Timestamp, TopicId, Usage};

use super::receipts::narrow;
use crate::{
    EstimateErrors, GroupBy, ReceiptFilter, ReceiptTotals, StoreResult, TotalsKey, Workspace,
    engine::{Cells, Db, Value, first, id, list},
};

const COST: &str = "SELECT SUM(cost) FROM receipts WHERE topic_id = $1 AND cost > 0";

const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;
const MINUTE_MILLIS: i64 = 60 * 1000;

const SUMS: &str = "COUNT(*), CAST(COALESCE(SUM(prompt_tokens), 0) AS BIGINT),
    CAST(COALESCE(SUM(cached_tokens), 0) AS BIGINT),
    CAST(COALESCE(SUM(completion_tokens), 0) AS BIGINT),
    CAST(COALESCE(SUM(reasoning_tokens), 0) AS BIGINT), CAST(SUM(estimate) AS BIGINT),
    COALESCE(SUM(cost), 0.0), COUNT(NULLIF(first_prompt, 0)),
    AVG(CAST(100 AS DOUBLE PRECISION) * estimate / NULLIF(first_prompt, 0) - 100),
    MIN(CAST(100 AS DOUBLE PRECISION) * estimate / NULLIF(first_prompt, 0) - 100),
    MAX(CAST(100 AS DOUBLE PRECISION) * estimate / NULLIF(first_prompt, 0) - 100) FROM receipts";

/// What the sends of a topic cost.
pub(crate) fn cost(db: &mut dyn Db, topic: TopicId) -> StoreResult<Option<f64>> {
    Ok(first(db, COST, values![topic], |row| row.opt_real(0))?.flatten())
}

pub(crate) fn totals(
    db: &mut dyn Db,
    workspace: &Workspace,
    filter: &ReceiptFilter,
    by: GroupBy,
) -> StoreResult<Vec<ReceiptTotals>> {
    let mut values: Vec<Value<'_>> = Vec::new();
    let key = match by {
        GroupBy::Day { utc_offset_minutes } => {
            values.push(Value::from(i64::from(utc_offset_minutes) * MINUTE_MILLIS));
            format!("(at + $1) / {DAY_MILLIS}")
        }
        GroupBy::Model => "model".to_owned(),
        GroupBy::Topic => "topic_id".to_owned(),
    };
    values.push(Value::from(workspace));
    let mut sql = format!("SELECT {key}, {SUMS} WHERE workspace = ${}", values.len());
    narrow(&mut sql, &mut values, filter);
    sql.push_str(" GROUP BY 1 ORDER BY 1");
    list(db, &sql, &values, |row| {
        Ok(ReceiptTotals {
            key: read_key(row, by)?,
            sends: row.count(1)?,
            usage: Usage {
                prompt: row.count(2)?,
                cached: row.count(3)?,
                completion: row.count(4)?,
                reasoning: row.count(5)?,
            },
            estimate: row.count(6)?,
            cost: row.real(7)?,
            errors: match row.count(8)? {
                0 => None,
                sends => Some(EstimateErrors {
                    sends,
                    mean: row.real(9)?,
                    lowest: row.real(10)?,
                    highest: row.real(11)?,
                }),
            },
        })
    })
}

fn read_key(row: &dyn Cells, by: GroupBy) -> StoreResult<TotalsKey> {
    Ok(match by {
        GroupBy::Day { utc_offset_minutes } => {
            let start = row.int(0)? * DAY_MILLIS - i64::from(utc_offset_minutes) * MINUTE_MILLIS;
            TotalsKey::Day(Timestamp::from_millis(start))
        }
        GroupBy::Model => TotalsKey::Model(row.string(0)?),
        GroupBy::Topic => TotalsKey::Topic(id(row, 0)?),
    })
}
