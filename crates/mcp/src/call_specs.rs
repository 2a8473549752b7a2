//! Calling the tools of the notebook, with what is done remembered (SDD-5).

use std::sync::Arc;

use plimsoll_budget::{Allowance, Answer, AnswerSpec, Piece};
use plimsoll_domain::Timestamp;
use plimsoll_memory::{Ledger, Memory, MemoryError, Save};
use plimsoll_specs::{
    ContextCheck, ContextRead, Done, Explore, GetContext, MOST_EXPLORATIONS, Notebook, Reading,
    Recalled, Remember, SpecsError,
};
use plimsoll_store::StoreError;
use plimsoll_tokens::Estimator;

use crate::{
    ToolAnswer,
    arguments::Arguments,
    place::Place,
    specs_tools::{
        ChangeStatus, Clarifying, Exploring, sdd_change_status, sdd_clarify, sdd_context_check,
        sdd_explore, sdd_get_context, write,
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
    let ledger = Arc::clone(place.memory.ledger());
    let ledger = ledger.as_ref();
    match name {
        "sdd_get_context" => {
            let ask = sdd_get_context(args)?;
            read(ledger, name, ask.reading, counter, |reading| {
                let (notebook, ask) = (notebook.clone(), GetContext { reading, ..ask.clone() });
                move || notebook.get_context(&ask)
            })
            .await
        }
        "sdd_context_check" => {
            let ask = sdd_context_check(args)?;
            let recalled = explorations(&place, &ask).await;
            read(ledger, name, ask.reading, counter, |reading| {
                let (notebook, recalled) = (notebook.clone(), recalled.clone());
                let ask = ContextCheck { reading, ..ask.clone() };
                move || notebook.context_check(&ask, &recalled)
            })
            .await
        }
        "sdd_change_status" => {
            let ChangeStatus { change_id: id, drop, max_tokens } = sdd_change_status(args)?;
            ledger.allow(max_tokens).map_err(|error| error.to_string())?;
            let text = blocking(move || match drop {
                true => notebook.drop_change(id.as_deref(), now),
                false => notebook.change_status(id.as_deref()),
            })
            .await?;
            plain(ledger, name, &text, max_tokens, "the files in sdd/changes/ say all; ", counter)
        }
        "sdd_explore" => {
            let Exploring { explore: ask, max_tokens } = sdd_explore(args)?;
            let (text, id) = explore(&place, &notebook, ask).await?;
            let rest = format!("mem_get_observation id={id} has what was explored; ");
            Ok(told_within(ledger, name, &text, Some(id), max_tokens, &rest, counter))
        }
        "sdd_clarify" => {
            let Clarifying { clarify, max_tokens } = sdd_clarify(args)?;
            let asks = clarify.only_asks();
            if asks {
                ledger.allow(max_tokens).map_err(|error| error.to_string())?;
            }
            let done = blocking(move || notebook.clarify(&clarify, now)).await?;
            if asks {
                return plain(ledger, name, &done.text, max_tokens, "", counter);
            }
            let (text, id) = remembered(&place, done).await;
            let rest = "sdd/clarifications.md says all; ";
            Ok(told_within(ledger, name, &text, id, max_tokens, rest, counter))
        }
        _ => {
            let job = write(name, args, now)?;
            let done = blocking(move || job(&notebook)).await?;
            let (text, id) = remembered(&place, done).await;
            Ok(told(ledger, name, text, id, counter))
        }
    }
}

/// What a tool says and what it made, once that is remembered.
async fn remembered(place: &Place, done: Done) -> (String, Option<u64>) {
    let mut text = done.text;
    let Some(mut remember) = done.remember else { return (text, None) };
    remember.project = place.memory.default_project().to_owned();
    match keep(&place.aside, remember, None).await {
        Ok(kept) => {
            text.push_str(&remembered_as(&place.aside, kept));
            (text, Some(kept))
        }
        // The file is written; a memory that fails does not undo it.
        Err(error) => {
            text.push_str(&format!("\nIt was not remembered: {error}"));
            (text, None)
        }
    }
}

/// A budgeted read of the notebook, within what it may weigh.
async fn read<J>(
    ledger: &Ledger,
    name: &str,
    asked: Reading,
    counter: Estimator,
    job: impl Fn(Reading) -> J,
) -> Result<ToolAnswer, String>
where
    J: FnOnce() -> Result<ContextRead, SpecsError> + Send + 'static,
{
    loop {
        let allowance = ledger.allow(asked.max_tokens).map_err(|error| error.to_string())?;
        let read = blocking(job(Reading { allowance: Some(allowance), counter, ..asked })).await?;
        if ledger.record_read(name, read.answer.estimated_tokens, allowance) {
            return Ok(read.into());
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
    ledger: &Ledger,
    name: &str,
    text: String,
    id: Option<u64>,
    counter: Estimator,
) -> ToolAnswer {
    let estimated_tokens = counter.count(&text);
    ledger.record(name, estimated_tokens);
    let ids = id.into_iter().map(Into::into).collect();
    ToolAnswer { text, ids, shown: 1, total: 1, estimated_tokens, ..ToolAnswer::default() }
}

/// A read without footers, line by line within what it may weigh (MBG-9).
fn plain(
    ledger: &Ledger,
    name: &str,
    text: &str,
    max_tokens: Option<u64>,
    rest: &str,
    counter: Estimator,
) -> Result<ToolAnswer, String> {
    loop {
        let allowance = ledger.allow(max_tokens).map_err(|error| error.to_string())?;
        let answer = lines_within(text, allowance, rest, counter);
        if ledger.record_read(name, answer.estimated_tokens, allowance) {
            return Ok(ToolAnswer::of(answer, None));
        }
    }
}

/// The same of a call that did something, which is told however little is left.
fn told_within(
    ledger: &Ledger,
    name: &str,
    text: &str,
    id: Option<u64>,
    max_tokens: Option<u64>,
    rest: &str,
    counter: Estimator,
) -> ToolAnswer {
    let answer = lines_within(text, ledger.allow_told(max_tokens), rest, counter);
    ledger.record(name, answer.estimated_tokens);
    ToolAnswer::of(answer, id)
}

/// As many lines as there is room for, and a mark where some are missing.
fn lines_within(text: &str, allowance: Allowance, rest: &str, counter: Estimator) -> Answer {
    let piece = |(place, line): (usize, &str)| Piece {
        text: line.to_owned(),
        place,
        heading: None,
        full_text: allowance.remedy(),
        lines_from: None,
    };
    let pieces: Vec<Piece> = text.lines().enumerate().map(piece).collect();
    let spec = AnswerSpec {
        head: "",
        intro: "",
        pieces: &pieces,
        total: pieces.len(),
        uncounted: false,
        noun: "lines",
        others: "",
        footers: false,
        summary_hint: None,
        next_call: None,
        shortened: false,
        more: &format!("{rest}{}", allowance.remedy()),
        max_tokens: allowance.max_tokens(),
        counter,
    };
    spec.build()
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
            Ok(id) => return Ok((format!("{}{}", done.text, remembered_as(&place.aside, id)), id)),
            Err(MemoryError::Store(StoreError::Revised { .. })) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Err("others write to this exploration all the time; try again".to_owned())
}

fn remembered_as(memory: &Memory, id: u64) -> String {
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
