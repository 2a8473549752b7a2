//! An answer with all that belongs to it: what a regeneration puts aside and a swap
//! exchanges (SND-8).

use plimsoll_domain::{Lifecycle, PairError, PairId, Usage};

use crate::{
    PreviousAnswer, StoreResult,
    engine::{Cells, Db, first, opt_id, unreadable},
};

/// The state of a pair as far as it came with the answer.
pub(crate) type Answer = PreviousAnswer;

const CURRENT: &str = "SELECT p.model, t.assistant_text, p.lifecycle, p.cut, p.prompt_tokens,
    p.cached_tokens, p.completion_tokens, p.reasoning_tokens, p.receipt_id, p.error_code,
    p.error_message
    FROM pairs p JOIN pair_texts t ON t.pair_id = p.id WHERE p.id = $1";

const PREVIOUS: &str = "SELECT model, assistant_text, lifecycle, cut, prompt_tokens,
    cached_tokens, completion_tokens, reasoning_tokens, receipt_id, error_code, error_message
    FROM previous_answers WHERE pair_id = $1";

const PUT_CURRENT: &str = "UPDATE pairs SET model = $1, lifecycle = $2, cut = $3,
    prompt_tokens = $4, cached_tokens = $5, completion_tokens = $6, reasoning_tokens = $7,
    receipt_id = $8, error_code = $9, error_message = $10 WHERE id = $11";

const PUT_TEXT: &str = "UPDATE pair_texts SET assistant_text = $1 WHERE pair_id = $2";

const PUT_PREVIOUS: &str = "INSERT INTO previous_answers (pair_id, model, assistant_text,
    lifecycle, cut, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens,
    receipt_id, error_code, error_message)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    ON CONFLICT (pair_id) DO UPDATE SET model = excluded.model,
    assistant_text = excluded.assistant_text, lifecycle = excluded.lifecycle,
    cut = excluded.cut, prompt_tokens = excluded.prompt_tokens,
    cached_tokens = excluded.cached_tokens, completion_tokens = excluded.completion_tokens,
    reasoning_tokens = excluded.reasoning_tokens, receipt_id = excluded.receipt_id,
    error_code = excluded.error_code, error_message = excluded.error_message";

/// The answer that the pair shows; what a send in flight has saved is not part of it.
pub(crate) fn current(db: &mut dyn Db, id: PairId) -> StoreResult<Option<Answer>> {
    first(db, CURRENT, values![id], read)
}

/// The answer beside it.
pub(crate) fn previous(db: &mut dyn Db, id: PairId) -> StoreResult<Option<Answer>> {
    first(db, PREVIOUS, values![id], read)
}

pub(crate) fn put_current(db: &mut dyn Db, id: PairId, answer: &Answer) -> StoreResult<()> {
    let usage = answer.usage;
    let error = answer.error.as_ref();
    db.run(
        PUT_CURRENT,
        values![
            &answer.model,
            answer.lifecycle.name(),
            answer.cut,
            usage.map(|usage| usage.prompt),
            usage.map(|usage| usage.cached),
            usage.map(|usage| usage.completion),
            usage.map(|usage| usage.reasoning),
            answer.receipt_id,
            error.map(|error| &error.code),
            error.map(|error| &error.message),
            id
        ],
    )?;
    db.run(PUT_TEXT, values![answer.text.as_ref(), id]).map(drop)
}

pub(crate) fn put_previous(db: &mut dyn Db, id: PairId, answer: &Answer) -> StoreResult<()> {
    let usage = answer.usage;
    let error = answer.error.as_ref();
    db.run(
        PUT_PREVIOUS,
        values![
            id,
            &answer.model,
            answer.text.as_ref(),
            answer.lifecycle.name(),
            answer.cut,
            usage.map(|usage| usage.prompt),
            usage.map(|usage| usage.cached),
            usage.map(|usage| usage.completion),
            usage.map(|usage| usage.reasoning),
            answer.receipt_id,
            error.map(|error| &error.code),
            error.map(|error| &error.message),
        ],
    )
    .map(drop)
}

fn read(row: &dyn Cells) -> StoreResult<Answer> {
    Ok(Answer {
        model: row.string(0)?,
        text: row.opt_string(1)?,
        lifecycle: lifecycle(row, 2)?,
        cut: row.truth(3)?,
        usage: usage(row, 4)?,
        receipt_id: opt_id(row, 8)?,
        error: error(row, 9)?,
    })
}

pub(crate) fn lifecycle(row: &dyn Cells, place: usize) -> StoreResult<Lifecycle> {
    Lifecycle::parse(row.text(place)?).ok_or_else(|| unreadable("a state is unknown"))
}

/// The usage in four cells; without a prompt there was no report.
pub(crate) fn usage(row: &dyn Cells, place: usize) -> StoreResult<Option<Usage>> {
    let Some(prompt) = row.opt_count(place)? else { return Ok(None) };
    Ok(Some(Usage {
        prompt,
        cached: row.opt_count(place + 1)?.unwrap_or(0),
        completion: row.opt_count(place + 2)?.unwrap_or(0),
        reasoning: row.opt_count(place + 3)?.unwrap_or(0),
    }))
}

pub(crate) fn error(row: &dyn Cells, place: usize) -> StoreResult<Option<PairError>> {
    let Some(code) = row.opt_string(place)? else { return Ok(None) };
    Ok(Some(PairError { code, message: row.opt_string(place + 1)?.unwrap_or_default() }))
}
