//! Labels of pairs (HIS-4) and their use (HIS-10): stars, flags, topics, in bulk.

use plimsoll_domain::{ColorFlag, PairId, PairUse, Star, TopicId};

use super::{outbox, owners, read_pairs, topics};
use crate::{
    Noun, StoreError, StoreResult, WhatChanged,
    engine::{Db, Value},
};

const SET_STAR: &str = "UPDATE pairs SET star = $1 WHERE id = $2";
const SET_FLAG: &str = "UPDATE pairs SET flag = $1 WHERE id = $2";
const SET_USE: &str = "UPDATE pairs SET pair_use = $1 WHERE id = $2";
const SET_TOPIC: &str = "UPDATE pairs SET topic_id = $1 WHERE id = $2 AND workspace = $3";

pub(crate) fn set_star(db: &mut dyn Db, ids: &[PairId], star: Star) -> StoreResult<u64> {
    outbox::put_for(db, ids, WhatChanged::Labels)?;
    let star = Value::from(u64::from(star.count()));
    ids.iter().try_fold(0, |sum, id| Ok(sum + db.run(SET_STAR, values![star.clone(), *id])?))
}

pub(crate) fn set_flag(db: &mut dyn Db, ids: &[PairId], flag: ColorFlag) -> StoreResult<u64> {
    outbox::put_for(db, ids, WhatChanged::Labels)?;
    ids.iter().try_fold(0, |sum, id| Ok(sum + db.run(SET_FLAG, values![flag.name(), *id])?))
}

pub(crate) fn set_use(db: &mut dyn Db, ids: &[PairId], pair_use: PairUse) -> StoreResult<u64> {
    outbox::put_for(db, ids, WhatChanged::Labels)?;
    ids.iter().try_fold(0, |sum, id| Ok(sum + db.run(SET_USE, values![pair_use.name(), *id])?))
}

pub(crate) fn set_uses(db: &mut dyn Db, uses: &[(PairId, PairUse)]) -> StoreResult<u64> {
    let ids: Vec<PairId> = uses.iter().map(|(id, _)| *id).collect();
    outbox::put_for(db, &ids, WhatChanged::Labels)?;
    uses.iter().try_fold(0, |sum, (id, pair_use)| {
        Ok(sum + db.run(SET_USE, values![pair_use.name(), *id])?)
    })
}

pub(crate) fn set_topic(db: &mut dyn Db, ids: &[PairId], topic: TopicId) -> StoreResult<u64> {
    let unknown = StoreError::NotFound(Noun::Topic);
    let workspace = topics::workspace_of(db, topic)?.ok_or_else(|| unknown.clone())?;
    outbox::put(db, &workspace, &WhatChanged::Labels(ids.to_vec()))?;
    let mut moved = 0;
    for id in ids {
        // Its answer goes to those who look at its conversation.
        owners::must_be_at_rest(db, *id)?;
        let touched = db.run(SET_TOPIC, values![topic, *id, &workspace])?;
        if touched == 0 && read_pairs::exists(db, *id)? {
            return Err(unknown);
        }
        moved += touched;
    }
    Ok(moved)
}

pub(crate) fn set_topics(db: &mut dyn Db, moves: &[(PairId, TopicId)]) -> StoreResult<u64> {
    let mut moves = moves.to_vec();
    // What goes to the same place goes together.
    moves.sort_by_key(|(_, topic)| *topic);
    let mut moved = 0;
    for same in moves.chunk_by(|one, next| one.1 == next.1) {
        let ids: Vec<PairId> = same.iter().map(|(id, _)| *id).collect();
        moved += set_topic(db, &ids, same[0].1)?;
    }
    Ok(moved)
}
