//! Sends in flight and their owners (SND-2, SND-6).

use std::time::Duration;

use plimsoll_domain::{
    HistoryScope, Lifecycle, LifecycleEvent, MessagePair, PairError, PairId, Timestamp, TopicId,
};

use super::{
    answer::{self, Answer},
    outbox, pairs, read_pairs, tool_calls, workspaces,
};
use crate::{
    HeldSend, INTERRUPTED, Noun, Outcome, SendInFlight, StoreError, StoreResult, StoredPair,
    WhatChanged, Workspace,
    engine::{Cells, Db, first, id, list},
};

const IN_FLIGHT: &str =
    "SELECT workspace, pair_id, owner, since, epoch, expires_at FROM sends WHERE workspace = $1
    ORDER BY since, pair_id";
const IN_TOPIC: &str = "SELECT s.workspace, s.pair_id, s.owner, s.since, s.epoch, s.expires_at
    FROM sends s
    JOIN pairs p ON p.id = s.pair_id WHERE s.workspace = $1 AND p.topic_id = $2";
const ALL: &str = "SELECT workspace, pair_id, owner, since, epoch, expires_at FROM sends";
const OF_PAIR: &str =
    "SELECT workspace, pair_id, owner, since, epoch, expires_at FROM sends WHERE pair_id = $1";
const CLAIM: &str = "INSERT INTO sends (workspace, pair_id, owner, since, epoch, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6)";
const RENEW: &str = "UPDATE sends SET expires_at = $1 WHERE pair_id = $2 AND epoch = $3";
const SAVE: &str = "UPDATE sends SET partial_text = $1 WHERE pair_id = $2 AND epoch = $3";
const SAVED: &str = "SELECT partial_text FROM sends WHERE pair_id = $1";
const RELEASE: &str = "DELETE FROM sends WHERE pair_id = $1";

/// What people read on a pair that was found interrupted.
const INTERRUPTED_MESSAGE: &str =
    "The program ended while this was being sent. What had arrived is kept; ask again.";

pub(crate) fn begin(
    db: &mut dyn Db,
    workspace: &Workspace,
    pairs: &[MessagePair],
    scope: HistoryScope,
    owner: &str,
    at: Timestamp,
    lease: Duration,
) -> StoreResult<Vec<HeldSend>> {
    if let Some(pair) = pairs.first() {
        must_be_free(db, workspace, pair.topic_id, scope)?;
    }
    let mut held = Vec::with_capacity(pairs.len());
    for pair in pairs {
        let mut sending = pair.clone();
        sending.apply(LifecycleEvent::Start)?;
        pairs::put(db, workspace, &sending)?;
        held.push(hold(db, workspace, pair.id, (owner, at, lease))?);
    }
    Ok(held)
}

pub(crate) fn claim(
    db: &mut dyn Db,
    id: PairId,
    model: &str,
    scope: HistoryScope,
    owner: &str,
    at: Timestamp,
    lease: Duration,
) -> StoreResult<HeldSend> {
    let StoredPair { workspace, pair, .. } = read_pairs::get(db, id)?;
    must_be_free(db, &workspace, pair.topic_id, scope)?;
    let before = answer::current(db, id)?.ok_or(StoreError::NotFound(Noun::Pair))?;
    let again = before.lifecycle == Lifecycle::Complete;
    let event = if again { LifecycleEvent::Regenerate } else { LifecycleEvent::Start };
    let sending = Answer {
        model: model.to_owned(),
        text: None,
        lifecycle: before.lifecycle.after(event)?,
        cut: false,
        usage: None,
        receipt_id: None,
        error: None,
    };
    if again {
        answer::put_previous(db, id, &before)?;
        tool_calls::put_aside(db, id)?;
    } else {
        tool_calls::forget(db, id)?;
    }
    answer::put_current(db, id, &sending)?;
    pairs::texts_changed(db, id)?;
    hold(db, &workspace, id, (owner, at, lease))
}

/// Writes down who sends a pair. The number of the change is that of no other send of the
/// workspace, so that it tells this one from all that the pair had or will have.
fn hold(
    db: &mut dyn Db,
    workspace: &Workspace,
    pair: PairId,
    (owner, at, lease): (&str, Timestamp, Duration),
) -> StoreResult<HeldSend> {
    let epoch = outbox::put(db, workspace, &WhatChanged::Started(pair))?;
    let lease = i64::try_from(lease.as_millis()).unwrap_or(i64::MAX);
    let expires_at = Timestamp::from_millis(at.millis().saturating_add(lease));
    db.run(CLAIM, values![workspace, pair, owner, at, epoch, expires_at])?;
    Ok(HeldSend { pair, epoch })
}

pub(crate) fn renew(db: &mut dyn Db, send: HeldSend, until: Timestamp) -> StoreResult<()> {
    match db.run(RENEW, values![until, send.pair, send.epoch])? {
        0 => Err(StoreError::LeaseLost { pair: send.pair }),
        _ => Ok(()),
    }
}

/// Refuses what comes too late from who held a send that another holds by now.
pub(super) fn must_not_be_anothers(db: &mut dyn Db, send: HeldSend) -> StoreResult<()> {
    match first(db, OF_PAIR, values![send.pair], read)? {
        Some(found) if found.epoch != send.epoch => Err(StoreError::LeaseLost { pair: send.pair }),
        _ => Ok(()),
    }
}

/// Refuses the same also when nobody sends the pair any more.
pub(super) fn must_hold(db: &mut dyn Db, send: HeldSend) -> StoreResult<()> {
    match first(db, OF_PAIR, values![send.pair], read)? {
        Some(found) if found.epoch == send.epoch => Ok(()),
        None if send.epoch == HeldSend::of_no_send(send.pair).epoch => Ok(()),
        _ => Err(StoreError::LeaseLost { pair: send.pair }),
    }
}

pub(crate) fn in_flight(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<Vec<SendInFlight>> {
    list(db, IN_FLIGHT, values![workspace], read)
}

pub(crate) fn all(db: &mut dyn Db) -> StoreResult<Vec<SendInFlight>> {
    list(db, ALL, values![], read)
}

pub(crate) fn save_partial(db: &mut dyn Db, send: HeldSend, text: &str) -> StoreResult<()> {
    let text = Some(text).filter(|text| !text.is_empty());
    if db.run(SAVE, values![text, send.pair, send.epoch])? == 0 {
        must_not_be_anothers(db, send)?;
        let found = read_pairs::get(db, send.pair)?.pair.lifecycle;
        return Err(StoreError::Conflict { found });
    }
    Ok(())
}

/// Ends these sends as interrupted. One that ended or changed hands since it was looked
/// at is left alone.
pub(crate) fn interrupt(db: &mut dyn Db, dead: &[SendInFlight]) -> StoreResult<Vec<StoredPair>> {
    let mut ended = Vec::new();
    for send in dead {
        if first(db, OF_PAIR, values![send.pair], read)?.as_ref() != Some(send) {
            continue;
        }
        let outcome = Outcome {
            error: Some(PairError {
                code: INTERRUPTED.to_owned(),
                message: INTERRUPTED_MESSAGE.to_owned(),
            }),
            ..Outcome::default()
        };
        pairs::end(db, send.pair, LifecycleEvent::Fail, &outcome)?;
        ended.push(read_pairs::get(db, send.pair)?);
    }
    Ok(ended)
}

/// Frees the workspace; hands over what had arrived.
pub(super) fn release(db: &mut dyn Db, id: PairId) -> StoreResult<Option<String>> {
    let saved = first(db, SAVED, values![id], |row| row.opt_string(0))?.flatten();
    db.run(RELEASE, values![id])?;
    Ok(saved)
}

/// Refuses a pair that is being sent.
pub(super) fn must_be_at_rest(db: &mut dyn Db, id: PairId) -> StoreResult<()> {
    first(db, OF_PAIR, values![id], read)?.map_or(Ok(()), |send| Err(busy(&send)))
}

/// SND-2: one send in flight for each conversation; whoever sends with everything in sight waits
/// for all of them.
fn must_be_free(
    db: &mut dyn Db,
    workspace: &Workspace,
    topic: TopicId,
    scope: HistoryScope,
) -> StoreResult<()> {
    let found = match scope {
        HistoryScope::Conversation => first(db, IN_TOPIC, values![workspace, topic], read)?,
        HistoryScope::Everything => first(db, IN_FLIGHT, values![workspace], read)?,
    };
    found.map_or(Ok(()), |send| Err(busy(&send)))
}

fn busy(send: &SendInFlight) -> StoreError {
    StoreError::Busy { since: send.since, pair: send.pair }
}

fn read(row: &dyn Cells) -> StoreResult<SendInFlight> {
    Ok(SendInFlight {
        workspace: workspaces::read(row, 0)?,
        pair: id(row, 1)?,
        owner: row.string(2)?,
        since: row.time(3)?,
        epoch: row.count(4)?,
        expires_at: row.time(5)?,
    })
}
