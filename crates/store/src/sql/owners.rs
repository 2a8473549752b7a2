//! Sends in flight and their owners (SND-2, SND-6).

use plimsoll_domain::{
    HistoryScope, Lifecycle, LifecycleEvent, MessagePair, PairError, PairId, Timestamp, TopicId,
};

use super::{
    answer::{self, Answer},
    pairs, read_pairs, tool_calls, workspaces,
};
use crate::{
    INTERRUPTED, Noun, Outcome, SendInFlight, StoreError, StoreResult, StoredPair, Workspace,
    engine::{Cells, Db, first, id, list},
};

const IN_FLIGHT: &str = "SELECT workspace, pair_id, owner, since FROM sends WHERE workspace = $1
    ORDER BY since, pair_id";
const IN_TOPIC: &str = "SELECT s.workspace, s.pair_id, s.owner, s.since FROM sends s
    JOIN pairs p ON p.id = s.pair_id WHERE s.workspace = $1 AND p.topic_id = $2";
const ALL: &str = "SELECT workspace, pair_id, owner, since FROM sends";
const OF_PAIR: &str = "SELECT workspace, pair_id, owner, since FROM sends WHERE pair_id = $1";
const CLAIM: &str = "INSERT INTO sends (workspace, pair_id, owner, since) VALUES ($1, $2, $3, $4)";
const SAVE: &str = "UPDATE sends SET partial_text = $1 WHERE pair_id = $2";
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
) -> StoreResult<()> {
    if let Some(pair) = pairs.first() {
        must_be_free(db, workspace, pair.topic_id, scope)?;
    }
    for pair in pairs {
        let mut sending = pair.clone();
        sending.apply(LifecycleEvent::Start)?;
        pairs::put(db, workspace, &sending)?;
        db.run(CLAIM, values![workspace, pair.id, owner, at])?;
    }
    Ok(())
}

pub(crate) fn claim(
    db: &mut dyn Db,
    id: PairId,
    model: &str,
    scope: HistoryScope,
    owner: &str,
    at: Timestamp,
) -> StoreResult<()> {
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
    db.run(CLAIM, values![&workspace, id, owner, at]).map(drop)
}

pub(crate) fn in_flight(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<Vec<SendInFlight>> {
    list(db, IN_FLIGHT, values![workspace], read)
}

pub(crate) fn all(db: &mut dyn Db) -> StoreResult<Vec<SendInFlight>> {
    list(db, ALL, values![], read)
}

pub(crate) fn save_partial(db: &mut dyn Db, id: PairId, text: &str) -> StoreResult<()> {
    let text = Some(text).filter(|text| !text.is_empty());
    if db.run(SAVE, values![text, id])? == 0 {
        let found = read_pairs::get(db, id)?.pair.lifecycle;
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
        pairs::set_state(db, send.pair, LifecycleEvent::Fail, &outcome)?;
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
    })
}
