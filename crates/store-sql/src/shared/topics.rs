//! Topics (HIS-3). The rules of the tree are the domain's; here they are only asked.

use std::collections::HashSet;

use plimsoll_domain::{Topic, TopicId, TopicTree, TopicTreeError};
use plimsoll_store::{Noun, StoreError, StoreResult, Workspace};

use super::workspaces;
use crate::db::{Cells, Db, first, id, list, opt_id, unreadable, values};

const LIST: &str = "SELECT id, parent_id, name, system_message, default_model, temperature,
    max_output FROM topics WHERE workspace = $1 ORDER BY name, id";
const WORKSPACE_OF: &str = "SELECT workspace FROM topics WHERE id = $1";
const PUT: &str = "INSERT INTO topics (id, workspace, parent_id, name, system_message,
    default_model, temperature, max_output) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (id) DO UPDATE SET parent_id = excluded.parent_id, name = excluded.name,
    system_message = excluded.system_message, default_model = excluded.default_model,
    temperature = excluded.temperature, max_output = excluded.max_output";
const COUNT_PAIRS: &str = "SELECT COUNT(*) FROM pairs WHERE topic_id = $1";
const REMOVE: &str = "DELETE FROM topics WHERE id = $1";

pub(crate) fn all(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<Vec<Topic>> {
    parents_first(list(db, LIST, values![workspace], read)?)
}

pub(crate) fn put(db: &mut dyn Db, workspace: &Workspace, topic: &Topic) -> StoreResult<()> {
    workspaces::must_exist(db, workspace)?;
    let elsewhere = workspace_of(db, topic.id)?.is_some_and(|found| found != *workspace);
    if elsewhere {
        return Err(StoreError::Exists(Noun::Topic));
    }
    check(all(db, workspace)?, topic)?;
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
    db.run(REMOVE, values![id]).map(drop)
}

/// The workspace that a topic belongs to.
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
            other.name = other.id.to_string();
        }
        tree.add(other)?;
    }
    if known {
        tree.reparent(topic.id, topic.parent)?;
        tree.rename(topic.id, &topic.name)
    } else {
        tree.add(topic.clone())
    }
}

/// The order in which a tree can be built.
fn parents_first(mut topics: Vec<Topic>) -> StoreResult<Vec<Topic>> {
    let mut placed: HashSet<TopicId> = HashSet::new();
    let mut ordered = Vec::with_capacity(topics.len());
    while !topics.is_empty() {
        let (ready, waiting): (Vec<_>, Vec<_>) = topics
            .into_iter()
            .partition(|topic| topic.parent.is_none_or(|parent| placed.contains(&parent)));
        if ready.is_empty() {
            return Err(unreadable("topics form a circle"));
        }
        placed.extend(ready.iter().map(|topic| topic.id));
        ordered.extend(ready);
        topics = waiting;
    }
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
    })
}
