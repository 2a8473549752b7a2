//! The gateway's calls, keys and counters (GWY-9, GWY-15).

use plimsoll_domain::{ReceiptId, Timestamp};

use super::{answer, people::team_use};
use crate::{
    ClientKey, ClientUse, GatewayCall, PersonUse, StoreResult,
    engine::{Cells, Db, first, id, list},
};

const PUT: &str = "INSERT INTO gateway_calls (id, at, client, protocol, model, stage, estimate,
    prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost, left_out, body)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    ON CONFLICT (id) DO NOTHING";
const COUNT: &str = "INSERT INTO gateway_use (client, day, calls, tokens, cost)
    VALUES ($1, $2, 1, $3, $4) ON CONFLICT (client, day) DO UPDATE SET
    calls = gateway_use.calls + 1, tokens = gateway_use.tokens + excluded.tokens,
    cost = gateway_use.cost + excluded.cost";
const GET: &str = "SELECT id, at, client, protocol, model, stage, estimate, prompt_tokens,
    cached_tokens, completion_tokens, reasoning_tokens, cost, left_out, body
    FROM gateway_calls WHERE id = $1";
const NEWEST: &str = "SELECT id, at, client, protocol, model, stage, estimate, prompt_tokens,
    cached_tokens, completion_tokens, reasoning_tokens, cost, left_out, ''
    FROM gateway_calls ORDER BY at DESC, id DESC LIMIT $1";
const NEWEST_OF: &str = "SELECT id, at, client, protocol, model, stage, estimate, prompt_tokens,
    cached_tokens, completion_tokens, reasoning_tokens, cost, left_out, ''
    FROM gateway_calls WHERE client = $1 ORDER BY at DESC, id DESC LIMIT $2";
const ADD_KEY: &str = "INSERT INTO gateway_keys (name, hash, created_at, models, tokens_per_day,
    cost_per_month, requests_per_minute, concurrent, over_budget)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (name) DO NOTHING";
const REMOVE_KEY: &str = "DELETE FROM gateway_keys WHERE name = $1";
const KEYS: &str = "SELECT name, hash, created_at, models, tokens_per_day, cost_per_month,
    requests_per_minute, concurrent, over_budget FROM gateway_keys";
const TODAY: &str = "SELECT calls, tokens FROM gateway_use WHERE client = $1 AND day = $2";
const MONTH: &str = "SELECT COALESCE(SUM(cost), 0.0) FROM gateway_use
    WHERE client = $1 AND day > $2 AND day <= $3";

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const MONTH_DAYS: i64 = 30;

fn day(at: Timestamp) -> i64 {
    at.millis().div_euclid(DAY_MS)
}

pub(crate) fn put_calls(db: &mut dyn Db, calls: &[GatewayCall]) -> StoreResult<()> {
    for call in calls {
        let usage = call.usage;
        let written = db.run(
            PUT,
            values![
                call.id,
                call.at,
                call.client.as_deref(),
                &call.protocol,
                &call.model,
                &call.stage,
                call.estimate,
                usage.map(|usage| usage.prompt),
                usage.map(|usage| usage.cached),
                usage.map(|usage| usage.completion),
                usage.map(|usage| usage.reasoning),
                call.cost,
                call.left_out,
                &call.body,
            ],
        )?;
        // A call that was written before was counted before.
        if let Some(client) = call.client.as_deref().filter(|_| written > 0) {
            let reported = usage.map(|usage| usage.prompt.saturating_add(usage.completion));
            // What was read and not reported, such as an answer that was broken off, counts too.
            let read = matches!(call.stage.as_str(), "success" | "cancelled");
            let tokens = reported.unwrap_or(if read { call.estimate } else { 0 });
            let cost = call.cost.unwrap_or(0.0);
            db.run(COUNT, values![client, day(call.at), tokens, cost])?;
            if let Some(project) = &call.project {
                let (person, project) = (client.to_owned(), project.clone());
                team_use::count(db, &[PersonUse { person, project, at: call.at, tokens, cost }])?;
            }
        }
    }
    Ok(())
}

pub(crate) fn call(db: &mut dyn Db, id: ReceiptId) -> StoreResult<Option<GatewayCall>> {
    first(db, GET, values![id], read_call)
}

pub(crate) fn calls(db: &mut dyn Db, limit: u64) -> StoreResult<Vec<GatewayCall>> {
    list(db, NEWEST, values![limit], read_call)
}

pub(crate) fn calls_of(db: &mut dyn Db, client: &str, limit: u64) -> StoreResult<Vec<GatewayCall>> {
    list(db, NEWEST_OF, values![client, limit], read_call)
}

fn read_call(row: &dyn Cells) -> StoreResult<GatewayCall> {
    Ok(GatewayCall {
        id: id(row, 0)?,
        at: row.time(1)?,
        client: row.opt_string(2)?,
        project: None,
        protocol: row.string(3)?,
        model: row.string(4)?,
        stage: row.string(5)?,
        estimate: row.count(6)?,
        usage: answer::usage(row, 7)?,
        cost: row.opt_real(11)?,
        left_out: row.count(12)?,
        body: row.string(13)?,
    })
}

pub(crate) fn add_key(db: &mut dyn Db, key: &ClientKey) -> StoreResult<bool> {
    let models = key.models.join("\n");
    let added = db.run(
        ADD_KEY,
        values![
            &key.name,
            &key.hash,
            key.created_at,
            &models,
            key.tokens_per_day,
            key.cost_per_month,
            key.requests_per_minute,
            key.concurrent,
            key.over_budget.as_deref(),
        ],
    )?;
    Ok(added > 0)
}

pub(crate) fn remove_key(db: &mut dyn Db, name: &str) -> StoreResult<bool> {
    Ok(db.run(REMOVE_KEY, values![name])? > 0)
}

pub(crate) fn keys(db: &mut dyn Db) -> StoreResult<Vec<ClientKey>> {
    list(db, &format!("{KEYS} ORDER BY name"), values![], read_key)
}

pub(crate) fn key_by_hash(db: &mut dyn Db, hash: &str) -> StoreResult<Option<ClientKey>> {
    first(db, &format!("{KEYS} WHERE hash = $1"), values![hash], read_key)
}

fn read_key(row: &dyn Cells) -> StoreResult<ClientKey> {
    let models = row.text(3)?.lines().map(str::to_owned).collect();
    Ok(ClientKey {
        name: row.string(0)?,
        hash: row.string(1)?,
        created_at: row.time(2)?,
        models,
        tokens_per_day: row.opt_count(4)?,
        cost_per_month: row.opt_real(5)?,
        requests_per_minute: row.opt_count(6)?,
        concurrent: row.opt_count(7)?,
        over_budget: row.opt_string(8)?,
    })
}

pub(crate) fn used(db: &mut dyn Db, name: &str, now: Timestamp) -> StoreResult<ClientUse> {
    let today = day(now);
    let counted = |row: &dyn Cells| Ok((row.count(0)?, row.count(1)?));
    let (calls_today, tokens_today) =
        first(db, TODAY, values![name, today], counted)?.unwrap_or_default();
    let cost = first(db, MONTH, values![name, today - MONTH_DAYS, today], |row| row.real(0))?;
    Ok(ClientUse { calls_today, tokens_today, cost_of_month: cost.unwrap_or(0.0) })
}
