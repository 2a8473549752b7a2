//! Topics (HIS-3). The rules of the tree are the domain's; here they are only asked.

use std::collections::HashMap;

use plimsoll_domain::{Topic, TopicId, TopicTree, TopicTreeError};

use super::{outbox, workspaces};
use crate::{
    Noun, StoreError, StoreResult, WhatChanged, Workspace,
    engine::{Cells, Db, first, id, list, opt_id, unreadable},
};

const LIST: &str = "SELECT id, parent_id, name, system_message, default_model, temperature,
    max_output, named FROM topics WHERE workspace = $1 ORDER BY name, id";
const ONE: &str = "SELECT id, parent_id, name, system_message, default_model, temperature,
    max_output, named FROM topics WHERE id = $1";
const WORKSPACE_OF: &str = "SELECT workspace FROM topics WHERE id = $1";
const PUT: &str = "INSERT INTO topics (id, workspace, parent_id, name, system_message,
    default_model, temperature, max_output, named) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (id) DO UPDATE SET parent_id = excluded.parent_id, name = excluded.name,
    system_message = excluded.system_message, default_model = excluded.default_model,
    temperature = excluded.temperature, max_output = excluded.max_output,
    named = excluded.named";
const COUNT_PAIRS: &str = "SELECT COUNT(*) FROM pairs WHERE topic_id = $1";
const REMOVE: &str = "DELETE FROM topics WHERE id = $1";

pub(crate) fn all(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<Vec<Topic>> {
    parents_first(list(db, LIST, values![workspace], read)?)
}

/// One topic, wherever it stands.
pub(super) fn one(db: &mut dyn Db, id: TopicId) -> StoreResult<Option<Topic>> {
    first(db, ONE, values![id], read)
}

pub(crate) fn of_workspace(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: TopicId,
) -> StoreResult<Option<Topic>> {
    match workspace_of(db, id)? {
        Some(found) if found == *workspace => one(db, id),
        _ => Ok(None),
    }
}

pub(crate) fn put(db: &mut dyn Db, workspace: &Workspace, topic: &Topic) -> StoreResult<()> {
    workspaces::must_exist(db, workspace)?;
    let elsewhere = workspace_of(db, topic.id)?.is_some_and(|found| found != *workspace);
    if elsewhere {
        return Err(StoreError::Exists(Noun::Topic));
    }
    check(all(db, workspace)?, topic)?;
    outbox::put(db, workspace, &WhatChanged::Topics)?;
    write(db, workspace, topic)
}

/// Makes those of the topics whose id is free, and says how many; parents come first.
pub(super) fn add_missing(
    db: &mut dyn Db,
    workspace: &Workspace,
    topics: &[Topic],
) -> StoreResult<u64> {
    let mut added = 0;
    if topics.is_empty() {
        return Ok(added);
    }
    let mut tree = TopicTree::default();
    for topic in all(db, workspace)? {
        tree.add(topic)?;
    }
    for topic in topics {
        if workspace_of(db, topic.id)?.is_none() {
            tree.add(topic.clone())?;
            write(db, workspace, topic)?;
            added += 1;
        }
    }
    Ok(added)
}

fn write(db: &mut dyn Db, workspace: &Workspace, topic: &Topic) -> StoreResult<()> {
    db.run(
        PUT,
        values![
            topic.id,
            workspace,
            topic.parent,
            &topic.name,
            topic.system_message.as_ref(),
            topic.default_model.as_ref(),
            topic.temperature.map(f64::from),
            topic.max_output,
            topic.named,
        ],
    )
    .map(drop)
}

pub(crate) fn remove(db: &mut dyn Db, workspace: &Workspace, id: TopicId) -> StoreResult<()> {
    let mut tree = TopicTree::default();
    for topic in all(db, workspace)? {
        tree.add(topic)?;
    }
    if tree.get(id).is_none() {
        return Err(StoreError::NotFound(Noun::Topic));
    }
    let pairs = first(db, COUNT_PAIRS, values![id], |row| row.count(0))?.unwrap_or(0);
    tree.remove(id, usize::try_from(pairs).unwrap_or(usize::MAX))?;
    outbox::put(db, workspace, &WhatChanged::Topics)?;
    db.run(REMOVE, values![id]).map(drop)
}

pub(super) fn workspace_of(db: &mut dyn Db, id: TopicId) -> StoreResult<Option<Workspace>> {
    first(db, WORKSPACE_OF, values![id], |row| workspaces::read(row, 0))
}

/// Whether the tree takes the topic as it is now. A known one is taken out of the way
/// under a name that nobody else has, so that moving and renaming at once is one step.
fn check(topics: Vec<Topic>, topic: &Topic) -> Result<(), TopicTreeError> {
    let mut tree = TopicTree::default();
    let mut known = false;
    for mut other in topics {
        if other.id == topic.id {
            known = true;
            (other.name, other.named) = (other.id.to_string(), true);
        }
        tree.add(other)?;
    }
    if known {
        tree.reparent(topic.id, topic.parent)?;
        tree.rename(topic.id, &topic.name, topic.named)
    } else {
        tree.add(topic.clone())
    }
}

/// The order in which a tree can be built: level by level, each in the order it came in. Each
/// topic is walked to its root once, however deep it stands (REL-9).
fn parents_first(topics: Vec<Topic>) -> StoreResult<Vec<Topic>> {
    let parents: HashMap<TopicId, Option<TopicId>> =
        topics.iter().map(|topic| (topic.id, topic.parent)).collect();
    let mut depths: HashMap<TopicId, usize> = HashMap::with_capacity(topics.len());
    let mut walk = Vec::new();
    for topic in &topics {
        let mut at = Some(topic.id);
        while let Some(id) = at.filter(|id| !depths.contains_key(id)) {
            if walk.len() > topics.len() {
                return Err(unreadable("topics form a circle"));
            }
            walk.push(id);
            at = *parents.get(&id).ok_or_else(|| unreadable("a topic above another is gone"))?;
        }
        let first = at.and_then(|id| depths.get(&id)).map_or(0, |above| above + 1);
        depths.extend(walk.drain(..).rev().zip(first..));
    }
    let mut ordered = topics;
    ordered.sort_by_key(|topic| depths.get(&topic.id).copied().unwrap_or(0));
    Ok(ordered)
}

fn read(row: &dyn Cells) -> StoreResult<Topic> {
    Ok(Topic {
        id: id(row, 0)?,
        parent: opt_id(row, 1)?,
        name: row.string(2)?,
        system_message: row.opt_string(3)?,
        default_model: row.opt_string(4)?,
        temperature: row.opt_real(5)?.map(|value| value as f32),
        max_output: row.opt_count(6)?,
        named: row.truth(7)?,
    })
}

#[cfg(test)]
mod tests {
    use plimsoll_domain::Timestamp;

    use super::*;

    fn topic(n: u64, parent: Option<u64>) -> Topic {
        let id = |n: u64| {
            let mut random = [0; 10];
            random[2..].copy_from_slice(&n.to_be_bytes());
            TopicId::new(Timestamp::from_millis(0), random)
        };
        Topic {
            id: id(n),
            parent: parent.map(id),
            name: n.to_string(),
            named: true,
            system_message: None,
            default_model: None,
            temperature: None,
            max_output: None,
        }
    }

    /// REL-9: a chain is walked once, not once for each of its links; 200,000 of them took
    /// hours when each level was a pass over all that were left.
    #[test]
    fn rel_9_topics_are_put_in_order_in_one_walk() {
        let count = 200_000;
        let chain: Vec<Topic> = (0..count).rev().map(|n| topic(n, n.checked_sub(1))).collect();
        let ordered = parents_first(chain).unwrap();
        assert!(ordered.iter().zip(0u64..).all(|(topic, n)| topic.name == n.to_string()));
    }

    #[test]
    fn levels_keep_their_order_and_circles_are_told() {
        let topics = vec![topic(3, Some(1)), topic(2, None), topic(1, None), topic(4, Some(2))];
        let names: Vec<String> =
            parents_first(topics).unwrap().into_iter().map(|topic| topic.name).collect();
        assert_eq!(names, ["2", "1", "3", "4"]);
        assert!(parents_first(vec![topic(1, Some(2)), topic(2, Some(1))]).is_err());
        assert!(parents_first(vec![topic(1, Some(2))]).is_err());
    }
}
