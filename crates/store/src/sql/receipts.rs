//! Receipts (REC-2).

use plimsoll_domain::ReceiptId;

use super::{answer, outbox, parts, read_pairs, workspaces};
use crate::{
    Noun, ReceiptFilter, ReceiptRecord, StoreError, StoreResult, WhatChanged, Workspace,
    engine::{Cells, Db, Value, first, id, list, opt_id},
};

const PUT: &str = "INSERT INTO receipts (id, workspace, pair_id, topic_id, model, at, stage,
    estimate, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost, trimmed,
    first_prompt)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
    ON CONFLICT (id) DO UPDATE SET pair_id = excluded.pair_id, topic_id = excluded.topic_id,
    model = excluded.model, at = excluded.at, stage = excluded.stage,
    estimate = excluded.estimate, prompt_tokens = excluded.prompt_tokens,
    cached_tokens = excluded.cached_tokens, completion_tokens = excluded.completion_tokens,
    reasoning_tokens = excluded.reasoning_tokens, cost = excluded.cost,
    trimmed = excluded.trimmed, first_prompt = excluded.first_prompt";
const PUT_BODY: &str = "INSERT INTO receipt_bodies (receipt_id, body) VALUES ($1, $2)
    ON CONFLICT (receipt_id) DO UPDATE SET body = excluded.body";
const DROP_BODY: &str = "DELETE FROM receipt_bodies WHERE receipt_id = $1";
const GET: &str = "SELECT r.id, r.workspace, r.pair_id, r.topic_id, r.model, r.at, r.stage,
    r.estimate, r.prompt_tokens, r.cached_tokens, r.completion_tokens, r.reasoning_tokens,
    r.cost, r.trimmed, r.first_prompt, b.body
    FROM receipts r LEFT JOIN receipt_bodies b ON b.receipt_id = r.id WHERE r.id = $1";
const LIST: &str = "SELECT id, workspace, pair_id, topic_id, model, at, stage, estimate,
    prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost, trimmed, first_prompt,
    NULL FROM receipts WHERE workspace = $1";
const NEWEST_FIRST: &str = " ORDER BY at DESC, id DESC";

pub(crate) fn put(db: &mut dyn Db, receipt: &ReceiptRecord) -> StoreResult<()> {
    workspaces::must_exist(db, &receipt.workspace)?;
    let usage = receipt.usage;
    // A pair that was deleted during its send leaves the numbers, not the body.
    let pair = match receipt.pair {
        Some(pair) if read_pairs::exists(db, pair)? => Some(pair),
        _ => None,
    };
    if let Some(pair) = pair {
        outbox::put(db, &receipt.workspace, &WhatChanged::Receipt(pair, receipt.id))?;
    }
    db.run(
        PUT,
        values![
            receipt.id,
            &receipt.workspace,
            pair,
            receipt.topic,
            &receipt.model,
            receipt.at,
            &receipt.stage,
            receipt.estimate,
            usage.map(|usage| usage.prompt),
            usage.map(|usage| usage.cached),
            usage.map(|usage| usage.completion),
            usage.map(|usage| usage.reasoning),
            receipt.cost,
            receipt.trimmed,
            receipt.first_prompt,
        ],
    )?;
    match &receipt.body {
        Some(body) if pair.is_some() => {
            let kept = parts::RECEIPTS.keep(db, body)?;
            db.run(PUT_BODY, values![receipt.id, &kept]).map(drop)
        }
        _ => db.run(DROP_BODY, values![receipt.id]).map(drop),
    }
}

pub(crate) fn get(db: &mut dyn Db, id: ReceiptId) -> StoreResult<ReceiptRecord> {
    let found = first(db, GET, values![id], read)?.ok_or(StoreError::NotFound(Noun::Receipt))?;
    let body = found.body.map(|kept| parts::RECEIPTS.restore(db, kept)).transpose()?;
    Ok(ReceiptRecord { body, ..found })
}

pub(crate) fn newest(
    db: &mut dyn Db,
    workspace: &Workspace,
    filter: &ReceiptFilter,
) -> StoreResult<Vec<ReceiptRecord>> {
    let mut values = vec![Value::from(workspace)];
    let mut sql = LIST.to_owned();
    narrow(&mut sql, &mut values, filter);
    sql.push_str(NEWEST_FIRST);
    if let Some(limit) = filter.limit {
        values.push(Value::from(limit));
        sql.push_str(&format!(" LIMIT ${}", values.len()));
    }
    list(db, &sql, &values, read)
}

/// Adds the conditions of a filter; values never become part of the statement.
pub(super) fn narrow<'a>(sql: &mut String, values: &mut Vec<Value<'a>>, filter: &'a ReceiptFilter) {
    let conditions = [
        ("at >=", filter.from.map(Value::from)),
        ("at <", filter.until.map(Value::from)),
        ("model =", filter.model.as_ref().map(Value::from)),
        ("topic_id =", filter.topic.map(Value::from)),
        ("pair_id =", filter.pair.map(Value::from)),
    ];
    for (condition, value) in conditions {
        if let Some(value) = value {
            values.push(value);
            sql.push_str(&format!(" AND {condition} ${}", values.len()));
        }
    }
}

fn read(row: &dyn Cells) -> StoreResult<ReceiptRecord> {
    Ok(ReceiptRecord {
        id: id(row, 0)?,
        workspace: workspaces::read(row, 1)?,
        pair: opt_id(row, 2)?,
        topic: id(row, 3)?,
        model: row.string(4)?,
        at: row.time(5)?,
        stage: row.string(6)?,
        estimate: row.count(7)?,
        usage: answer::usage(row, 8)?,
        cost: row.opt_real(12)?,
        trimmed: row.count(13)?,
        first_prompt: row.opt_count(14)?,
        body: row.opt_string(15)?,
    })
}
