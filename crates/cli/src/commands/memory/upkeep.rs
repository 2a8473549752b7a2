//! Notes that are deleted, brought back, and looked at before they count.

use plimsoll_memory::Memory;
use plimsoll_store::{Anchor, PendingNote, Proposal, Scope};
use plimsoll_tokens::commas;
use serde_json::{Value, json};

use super::{failed, iso};
use crate::{
    failure::{Failure, note},
    output::{Output, neutral},
};

/// The most that is listed.
const MOST: usize = 1000;

pub(super) async fn delete(
    memory: &Memory,
    id: u64,
    hard: bool,
    as_json: bool,
    output: &mut Output,
) -> Result<u8, Failure> {
    memory.delete(id, hard).await.map_err(failed)?;
    if as_json {
        output.json(&json!({ "deleted": id, "hard": hard }))?;
        return Ok(0);
    }
    note(&match hard {
        true => format!("note #{id} was deleted for good"),
        false => format!("note #{id} was deleted; `plimsoll memory restore {id}` brings it back"),
    });
    Ok(0)
}

pub(super) async fn deleted(
    memory: &Memory,
    as_json: bool,
    output: &mut Output,
) -> Result<u8, Failure> {
    let (deleted, total) = memory.deleted(MOST).await.map_err(failed)?;
    if as_json {
        let row = |one: plimsoll_store::DeletedObservation| {
            json!({ "id": one.observation.id, "type": one.observation.kind,
                "title": one.observation.title, "project": one.observation.project,
                "deletedAt": iso(one.deleted_at) })
        };
        let notes: Vec<Value> = deleted.into_iter().map(row).collect();
        output.json(&json!({ "total": total, "notes": notes }))?;
        return Ok(0);
    }
    for one in &deleted {
        let kept = &one.observation;
        let line = format!("#{} [{}] {}", kept.id, kept.kind, kept.title);
        output.text(&format!("{} (deleted {})\n", neutral(&line), iso(one.deleted_at)))?;
    }
    if deleted.is_empty() {
        note("no deleted note can be brought back");
    }
    Ok(0)
}

pub(super) async fn pending(
    memory: &Memory,
    as_json: bool,
    output: &mut Output,
) -> Result<u8, Failure> {
    let (waiting, total) = memory.pending().await.map_err(failed)?;
    if as_json {
        let rows: Vec<Value> = waiting.iter().map(pending_row).collect();
        output.json(&json!({ "total": total, "pending": rows }))?;
        return Ok(0);
    }
    for one in &waiting {
        let row = pending_row(one);
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let what = match row["changes"].as_u64() {
            Some(of) => format!("change of #{of}: {}", text("title")),
            None => format!("[{}] {}", text("type"), text("title")),
        };
        let by = row["author"].as_str().map_or_else(String::new, |by| format!("by {by}, "));
        let head = format!("#{} {what} ({by}{})", one.id, iso(one.saved_at));
        output.text(&format!("{}\n", neutral(&head)))?;
        let besides = besides(&row);
        if !besides.is_empty() {
            output.text(&format!("  ({})\n", neutral(&besides)))?;
        }
        for line in text("content").lines() {
            output.text(&format!("  {}\n", neutral(line)))?;
        }
    }
    if waiting.is_empty() {
        note("nothing waits for review");
    }
    Ok(0)
}

fn pending_row(one: &PendingNote) -> Value {
    let (id, at) = (one.id, iso(one.saved_at));
    match &one.proposal {
        Proposal::New(note) => {
            json!({ "id": id, "savedAt": at, "author": note.author, "type": note.kind,
            "title": note.title, "content": note.content, "project": note.project,
            "scope": note.scope.name(), "namespace": note.namespace, "topicKey": note.topic_key,
            "expires": note.expires_at.map(iso), "supersedes": note.supersedes,
            "anchors": names(&note.anchors) })
        }
        Proposal::Change { of, change } => {
            json!({ "id": id, "savedAt": at, "author": change.author, "changes": of,
            "type": change.kind, "title": change.title, "content": change.content,
            "project": change.project, "scope": change.scope.map(Scope::name),
            "topicKey": change.topic_key, "expires": change.expires_at.map(iso),
            "supersedes": change.supersedes,
            "anchors": change.anchors.as_deref().map(names) })
        }
    }
}

fn names(anchors: &[Anchor]) -> Vec<&str> {
    anchors.iter().map(|anchor| anchor.target.as_str()).collect()
}

/// What an approval does besides the text, for whoever decides about it.
fn besides(row: &Value) -> String {
    let fields = ["project", "scope", "namespace", "topicKey", "expires", "supersedes", "anchors"];
    let told = fields.iter().filter_map(|name| match &row[*name] {
        Value::Null => None,
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(format!("{name} {text}")),
        Value::Array(list) if list.is_empty() => None,
        other => Some(format!("{name} {other}")),
    });
    told.collect::<Vec<_>>().join(", ")
}

pub(super) async fn approve(
    memory: &Memory,
    ids: &[u64],
    all: bool,
    as_json: bool,
    output: &mut Output,
) -> Result<u8, Failure> {
    let ids: Vec<u64> = match all {
        true => memory.pending().await.map_err(failed)?.0.iter().map(|one| one.id).collect(),
        false => ids.to_vec(),
    };
    let notes = memory.approve(&ids).await.map_err(failed)?;
    if as_json {
        output.json(&json!({ "approved": notes }))?;
        return Ok(0);
    }
    let told: Vec<String> = notes.iter().map(|id| format!("#{id}")).collect();
    note(&match notes.len() {
        0 => "nothing waits for review".to_owned(),
        count => {
            let count = u64::try_from(count).unwrap_or(u64::MAX);
            format!("{} approved: {}", commas(count), told.join(", "))
        }
    });
    Ok(0)
}

pub(super) async fn reject(
    memory: &Memory,
    ids: &[u64],
    hard: bool,
    as_json: bool,
    output: &mut Output,
) -> Result<u8, Failure> {
    let ids = memory.reject_all(ids, hard).await.map_err(failed)?;
    if as_json {
        output.json(&json!({ "rejected": ids, "hard": hard }))?;
        return Ok(0);
    }
    let told: Vec<String> = ids.iter().map(|id| format!("#{id}")).collect();
    let count = commas(u64::try_from(ids.len()).unwrap_or(u64::MAX));
    let back = if hard { "" } else { "; `plimsoll memory restore ID` brings a new note back" };
    note(&format!("{count} rejected: {}{back}", told.join(", ")));
    Ok(0)
}
