//! Estimates under a stamp (EST-7).

use std::collections::HashMap;

use plimsoll_domain::PairId;

use crate::{
    Estimate, StoreResult, Workspace,
    engine::{Db, id},
};

/// The pair itself says its workspace and whether the revision is still the newest.
const PUT: &str = "INSERT INTO estimates (pair_id, stamp, workspace, revision, user_tokens,
    assistant_tokens)
    SELECT id, $1, workspace, revision, $2, $3 FROM pairs WHERE id = $4 AND revision = $5
    ON CONFLICT (pair_id, stamp) DO UPDATE SET revision = excluded.revision,
    user_tokens = excluded.user_tokens, assistant_tokens = excluded.assistant_tokens";
const LOAD: &str = "SELECT pair_id, revision, user_tokens, assistant_tokens FROM estimates
    WHERE workspace = $1 AND stamp = $2";

pub(crate) fn put(
    db: &mut dyn Db,
    estimates: &[(PairId, Estimate)],
    stamp: &str,
) -> StoreResult<()> {
    let all = estimates.iter().map(|(id, estimate)| {
        let Estimate { revision, user_tokens, assistant_tokens } = *estimate;
        values![stamp, user_tokens, assistant_tokens, *id, revision].to_vec()
    });
    db.run_all(PUT, &all.collect::<Vec<_>>()).map(drop)
}

pub(crate) fn load(
    db: &mut dyn Db,
    workspace: &Workspace,
    stamp: &str,
) -> StoreResult<HashMap<PairId, Estimate>> {
    let mut found = HashMap::new();
    db.each(LOAD, values![workspace, stamp], &mut |row| {
        let estimate = Estimate {
            revision: row.count(1)?,
            user_tokens: row.count(2)?,
            assistant_tokens: row.count(3)?,
        };
        found.insert(id(row, 0)?, estimate);
        Ok(())
    })?;
    Ok(found)
}
