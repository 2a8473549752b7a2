//! `plimsoll memory`: the memory of coding agents, from a terminal (MEM-9).

mod archive;
mod args;
mod meaning;
mod sync;
mod upkeep;

pub(crate) use args::MemoryArgs;

use std::sync::Arc;

use jiff::Timestamp as Instant;
use plimsoll_app::{App, Audited};
use plimsoll_memory::{
    Find, GetObservation, Ledger, Memory, MemoryError, MemoryParts, OwnProject, Reading, Recall,
    Reply, Save, Stats, Timeline, Update, Writer,
};
use plimsoll_store::{Observation, Workspace};
use plimsoll_tokens::Estimator;
use serde::Serialize;
use serde_json::json;

use self::args::{MemoryCommand, ReadingArgs, SaveArgs, SearchArgs};
use crate::{
    args::Location,
    context::Context,
    failure::Failure,
    input, machine,
    output::{Output, neutral},
    whole_file::WholeFile,
};

pub(crate) fn run(
    args: &MemoryArgs,
    location: &Location,
    output: &mut Output,
) -> Result<u8, Failure> {
    if let MemoryCommand::Export(export) = &args.command
        && let Some(path) = &export.file
    {
        WholeFile::check_name(path, export.force)?;
    }
    let context = Context::load()?;
    machine::block_on(async {
        let opened = machine::open(context, location).await?;
        let data_dir = opened.data_dir.clone();
        let app = Arc::new(opened.app);
        app.open_workspace(&location.workspace).await?;
        if let MemoryCommand::Meaning(ask) = &args.command {
            let place = meaning::Place { app: &app, data_dir: &data_dir, location };
            return meaning::run(ask, &place, args.json, output).await;
        }
        let memory = memory(&app, location.workspace.clone())?;
        let reply = match &args.command {
            MemoryCommand::Save(save) => memory.save(note(save)?).await,
            MemoryCommand::Search(search) => {
                let meaning = crate::meaning::open_if_wanted(&app, &data_dir);
                let memory = memory.with_meaning(Arc::new(move || meaning.clone()));
                let found = memory.search(find(&memory, search)?).await;
                return tell(&memory, &found.map_err(failed)?, args.json, output).await;
            }
            MemoryCommand::Context(ask) => {
                let recall = Recall {
                    project: ask.which.project.clone(),
                    scope: ask.which.scope,
                    namespace: ask.which.namespace.clone(),
                    limit: ask.which.limit,
                    reading: reading(&ask.reading),
                };
                memory.context(recall).await
            }
            MemoryCommand::Timeline(ask) => {
                let timeline = Timeline {
                    observation_id: ask.id,
                    before: ask.before,
                    after: ask.after,
                    reading: reading(&ask.reading),
                };
                memory.timeline(timeline).await
            }
            MemoryCommand::Show(ask) => {
                let (id, revision) = (ask.id, ask.revision);
                let ask = GetObservation { id, revision, ..GetObservation::default() };
                memory.get_observation(ask).await
            }
            MemoryCommand::Stats { project } => {
                memory.stats(Stats { project: project.clone(), ..Stats::default() }).await
            }
            // Answered above: it needs no memory.
            MemoryCommand::Meaning(_) => return Ok(0),
            MemoryCommand::Delete { id, hard } => {
                let hard = *hard || app.settings().keep_deleted().is_none();
                return upkeep::delete(&memory, *id, hard, args.json, output).await;
            }
            MemoryCommand::Restore { id } => {
                let ask = Update { id: *id, undelete: true, ..Update::default() };
                memory.update(ask).await
            }
            MemoryCommand::Deleted => return upkeep::deleted(&memory, args.json, output).await,
            MemoryCommand::Pending => return upkeep::pending(&memory, args.json, output).await,
            MemoryCommand::Approve { ids, all } => {
                return upkeep::approve(&memory, ids, *all, args.json, output).await;
            }
            MemoryCommand::Reject { ids } => {
                let hard = app.settings().keep_deleted().is_none();
                return upkeep::reject(&memory, ids, hard, args.json, output).await;
            }
            MemoryCommand::Export(export) => {
                let code = archive::export(&memory, export).await?;
                let subject = format!("the memory of {}", location.workspace);
                app.note_at_terminal(Audited::Exported, &subject).await?;
                return Ok(code);
            }
            MemoryCommand::Import { file } => {
                return archive::import(&memory, file, args.json, output).await;
            }
            MemoryCommand::Sync(ask) => {
                return sync::sync(&memory, ask, args.json, output).await;
            }
        };
        tell(&memory, &reply.map_err(failed)?, args.json, output).await
    })
}

/// The memory of the workspace. A terminal has no connection whose tokens would be counted.
/// The memory of a workspace, as a person sees it.
pub(super) fn memory(app: &Arc<App>, workspace: Workspace) -> Result<Memory, Failure> {
    let directory = std::env::current_dir().unwrap_or_default();
    let project = machine::project_of(&directory).map_err(|error| {
        Failure::failed(format!("cannot look at {}: {error}", directory.display()))
    })?;
    let clock = Arc::clone(app);
    Ok(Memory::new(MemoryParts {
        store: Arc::clone(app.store()),
        clock: Arc::new(move || clock.clock().now()),
        workspace,
        own_project: OwnProject::ReadsAll(project),
        counter: Estimator::Bytes4,
        ledger: Arc::new(Ledger::new(None)),
        started: Arc::default(),
        root: machine::root_of(&directory).unwrap_or_default(),
        writer: Writer::person("cli"),
    }))
}

fn note(args: &SaveArgs) -> Result<Save, Failure> {
    let content = match &args.content {
        Some(content) => content.clone(),
        None => input::standard_input()?.text,
    };
    Ok(Save {
        title: args.title.clone(),
        content,
        kind: args.kind.clone(),
        project: args.project.clone(),
        scope: args.scope,
        topic_key: args.topic_key.clone(),
        namespace: args.namespace.clone(),
        session_id: args.session.clone(),
        tool_name: None,
        relate_to: args.relate_to.clone(),
        seen_revision: None,
        anchors: args.anchor.clone(),
        supersedes: args.supersedes.clone(),
        expires: args.expires.clone(),
    })
}

fn find(memory: &Memory, args: &SearchArgs) -> Result<Find, Failure> {
    let since = args.since.as_deref().map(|since| memory.parse_since(since)).transpose();
    Ok(Find {
        query: args.query.join(" "),
        kind: args.kind.clone(),
        project: args.which.project.clone(),
        scope: args.which.scope,
        namespace: args.which.namespace.clone(),
        since: since.map_err(failed)?,
        limit: args.which.limit,
        reading: reading(&args.reading),
    })
}

fn reading(args: &ReadingArgs) -> Reading {
    Reading { detail_level: args.detail, max_tokens: args.max_tokens }
}

/// A time as machines write it.
fn iso(at: plimsoll_domain::Timestamp) -> String {
    Instant::from_millisecond(at.millis()).map(|at| at.to_string()).unwrap_or_default()
}

/// A note as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NoteRow {
    id: u64,
    #[serde(rename = "type")]
    kind: String,
    title: String,
    content: String,
    project: String,
    scope: &'static str,
    session: String,
    topic_key: Option<String>,
    namespace: Option<String>,
    revision: u64,
    duplicates: u64,
    created_at: String,
    updated_at: String,
    author: Option<String>,
    expires_at: Option<String>,
    superseded_by: Option<u64>,
    anchors: Vec<String>,
}

impl From<Observation> for NoteRow {
    fn from(note: Observation) -> Self {
        let time = iso;
        Self {
            id: note.id,
            kind: note.kind,
            title: note.title,
            content: note.content,
            project: note.project,
            scope: note.scope.name(),
            session: note.session,
            topic_key: note.topic_key,
            namespace: note.namespace,
            revision: note.revision_count,
            duplicates: note.duplicate_count,
            created_at: time(note.created_at),
            updated_at: time(note.updated_at),
            author: note.author,
            expires_at: note.expires_at.map(time),
            superseded_by: note.superseded_by,
            anchors: note.anchors.into_iter().map(|anchor| anchor.target).collect(),
        }
    }
}

/// What an agent would be told; with `--json` also the notes that it speaks of.
async fn tell(
    memory: &Memory,
    reply: &Reply,
    as_json: bool,
    output: &mut Output,
) -> Result<u8, Failure> {
    if !as_json {
        output.text(&neutral(&reply.text))?;
        output.text("\n")?;
        return Ok(0);
    }
    let mut notes = Vec::with_capacity(reply.ids.len());
    for id in &reply.ids {
        notes.push(NoteRow::from(memory.observation(*id).await.map_err(failed)?));
    }
    output.json(&json!({
        "text": reply.text,
        "ids": reply.ids,
        "shown": reply.shown,
        "total": reply.total,
        "estimatedTokens": reply.estimated_tokens,
        "cut": reply.cut,
        "notes": notes,
    }))?;
    Ok(0)
}

/// What went wrong, with a way on that can be typed here; the words of the memory name tools.
fn failed(error: MemoryError) -> Failure {
    match error {
        MemoryError::NoObservation(id) => Failure::failed(format!("there is no note #{id}"))
            .hint("`plimsoll memory search WORDS` finds notes and their ids"),
        MemoryError::OfAnotherProject { session, project, .. } => {
            Failure::failed(format!("session {session} belongs to project {project}"))
                .hint(format!("add --project {project}, or choose another --session"))
        }
        MemoryError::NotWaiting(id) => {
            Failure::failed(format!("nothing waits for review as #{id}"))
                .hint("`plimsoll memory pending` lists what does")
        }
        MemoryError::NoOneProject
        | MemoryError::BadAnchor { .. }
        | MemoryError::Blank(_)
        | MemoryError::TooLong { .. }
        | MemoryError::OutOfRange { .. }
        | MemoryError::BadTime(_) => Failure::usage(error.to_string()),
        _ => Failure::failed(error.to_string()),
    }
}
