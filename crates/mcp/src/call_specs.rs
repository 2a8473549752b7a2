//! Calling the tools of the notebook, with what is done remembered (SDD-5).

use std::sync::Arc;

use plimsoll_budget::{AnswerSpec, MORE, Piece};
use plimsoll_domain::Timestamp;
use plimsoll_memory::{Memory, MemoryError, Save};
use plimsoll_specs::{
    ContextCheck, Explore, MOST_EXPLORATIONS, Notebook, Reading, Recalled, Remember, SpecsError,
};
use plimsoll_store::StoreError;
use plimsoll_tokens::Estimator;

use crate::{
    ToolAnswer,
    arguments::Arguments,
    place::Place,
    specs_tools::{
        ChangeStatus, sdd_change_status, sdd_context_check, sdd_explore, sdd_get_context, write,
    },
};

/// Calls a tool of the notebook; an error is what to tell the model.
pub(crate) async fn call(
    place: Arc<Place>,
    name: &str,
    args: &Arguments,
    counter: Estimator,
    now: Timestamp,
) -> Result<ToolAnswer, String> {
    let notebook = place.notebook.clone().map_err(ToOwned::to_owned)?;
    let ledger = place.memory.ledger();
    match name {
        "sdd_get_context" => {
            let mut ask = sdd_get_context(args)?;
            ask.reading = within_session(&place.memory, ask.reading, counter)?;
            let read = blocking(move || notebook.get_context(&ask)).await?;
            ledger.record(name, read.answer.estimated_tokens);
            Ok(read.into())
        }
        "sdd_context_check" => {
            let mut ask = sdd_context_check(args)?;
            ask.reading = within_session(&place.memory, ask.reading, counter)?;
            let recalled = explorations(&place, &ask).await;
            let read = blocking(move || notebook.context_check(&ask, &recalled)).await?;
            ledger.record(name, read.answer.estimated_tokens);
            Ok(read.into())
        }
        "sdd_change_status" => {
            let ChangeStatus { change_id: id, drop } = sdd_change_status(args)?;
            let room = ledger.cap(None).map_err(|error| error.to_string())?;
            let text = blocking(move || match drop {
                true => notebook.drop_change(id.as_deref(), now),
                false => notebook.change_status(id.as_deref()),
            })
            .await?;
            let text = match room {
                Some(room) => within(&text, room, counter),
                None => text,
            };
            Ok(told(&place.memory, name, text, None, counter))
        }
        "sdd_explore" => {
            let (text, id) = explore(&place, &notebook, sdd_explore(args)?).await?;
            Ok(told(&place.memory, name, text, Some(id), counter))
        }
        _ => {
            let job = write(name, args, now)?;
            let done = blocking(move || job(&notebook)).await?;
            let (mut text, mut id) = (done.text, None);
            if let Some(mut remember) = done.remember {
                remember.project = place.memory.default_project().to_owned();
                match keep(&place.aside, remember, None).await {
                    Ok(kept) => {
                        id = Some(kept);
                        text.push_str(&remembered(&place.aside, kept));
                    }
                    // The file is written; a memory that fails does not undo it.
                    Err(error) => text.push_str(&format!("\nIt was not remembered: {error}")),
                }
            }
            Ok(told(&place.memory, name, text, id, counter))
        }
    }
}

/// The notebook waits for disks, so it does that where nobody else waits with it.
async fn blocking<T: Send + 'static>(
    job: impl FnOnce() -> Result<T, SpecsError> + Send + 'static,
) -> Result<T, String> {
    match tokio::task::spawn_blocking(job).await {
        Ok(done) => done.map_err(|error| error.to_string()),
        Err(_) => Err("the notebook failed unexpectedly; look at the server's log".to_owned()),
    }
}

fn told(
    memory: &Memory,
    name: &str,
    text: String,
    id: Option<u64>,
    counter: Estimator,
) -> ToolAnswer {
    let estimated_tokens = counter.count(&text);
    memory.ledger().record(name, estimated_tokens);
    let ids = id.into_iter().map(Into::into).collect();
    ToolAnswer { text, ids, shown: 1, total: 1, estimated_tokens, ..ToolAnswer::default() }
}

/// As many lines as a session's budget has room for.
fn within(text: &str, room: u64, counter: Estimator) -> String {
    let piece = |(place, line): (usize, &str)| Piece {
        text: line.to_owned(),
        place,
        heading: None,
        full_text: "the files in sdd/changes/".to_owned(),
    };
    let pieces: Vec<Piece> = text.lines().enumerate().map(piece).collect();
    let spec = AnswerSpec {
        head: "",
        intro: "",
        pieces: &pieces,
        total: pieces.len(),
        noun: "lines",
        summary_hint: None,
        next_call: None,
        more: MORE,
        max_tokens: Some(room),
        counter,
    };
    spec.build().text
}

/// How a read is told, within what is left of the session's budget.
fn within_session(memory: &Memory, asked: Reading, counter: Estimator) -> Result<Reading, String> {
    let max_tokens = memory.ledger().cap(asked.max_tokens).map_err(|error| error.to_string())?;
    Ok(Reading { max_tokens, counter, ..asked })
}

/// What was explored before; a memory that fails has nothing to say.
async fn explorations(place: &Place, ask: &ContextCheck) -> Vec<Recalled> {
    let given = ask.project_name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let about = &ask.change_description;
    match place.memory.find_observations(given, Some("explore"), about, MOST_EXPLORATIONS).await {
        Ok(found) => found
            .into_iter()
            .map(|one| Recalled { id: one.id, title: one.title, content: one.content })
            .collect(),
        Err(error) => {
            tracing::warn!(%error, "explorations could not be looked up");
            Vec::new()
        }
    }
}

/// Adds to what was explored under a title before. Another agent may do so at the same time;
/// who comes second looks again, so that neither loses a word.
async fn explore(
    place: &Place,
    notebook: &Notebook,
    asked: Explore,
) -> Result<(String, u64), String> {
    const TRIES: usize = 20;
    let given = asked.project.clone().filter(|name| !name.trim().is_empty());
    let project = given.unwrap_or_else(|| place.memory.default_project().to_owned());
    let ask = Explore { project: Some(project.clone()), ..asked };
    let words = |error: MemoryError| error.to_string();
    for _ in 0..TRIES {
        let key = ask.topic_key();
        let earlier = place.aside.noted_under(Some(&project), &key).await.map_err(words)?;
        let text = earlier.as_ref().map(|(text, _)| text.as_str());
        let done = notebook.explore(&ask, text).map_err(|error| error.to_string())?;
        let Some(remember) = done.remember else { break };
        let seen = earlier.map_or(Some(0), |(_, revision)| revision);
        match keep(&place.aside, remember, seen).await {
            Ok(id) => return Ok((format!("{}{}", done.text, remembered(&place.aside, id)), id)),
            Err(MemoryError::Store(StoreError::Revised { .. })) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Err("others write to this exploration all the time; try again".to_owned())
}

fn remembered(memory: &Memory, id: u64) -> String {
    match memory.is_reviewed() {
        true => format!("\nIts note waits for review as #{id}."),
        false => format!("\nRemembered as #{id}."),
    }
}

async fn keep(
    memory: &Memory,
    remember: Remember,
    seen_revision: Option<u64>,
) -> Result<u64, MemoryError> {
    let save = Save {
        title: remember.title,
        content: remember.content,
        kind: Some(remember.kind.to_owned()),
        project: Some(remember.project),
        topic_key: Some(remember.topic_key),
        seen_revision,
        ..Save::default()
    };
    let reply = memory.save(save).await?;
    Ok(reply.ids.first().copied().unwrap_or_default())
}
