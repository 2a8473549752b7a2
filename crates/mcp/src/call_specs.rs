//! The tools of the notebook: arguments to asks, and what is done remembered (SDD-5).

use std::sync::Arc;

use plimsoll_budget::{AnswerSpec, DetailLevel, MORE, Piece};
use plimsoll_domain::Timestamp;
use plimsoll_memory::{Memory, MemoryError, Save};
use plimsoll_specs::{
    Adr, AdrStatus, AdvanceChange, BusinessRules, ChangeSize, ChangeType, Clarify, ContextCheck,
    Design, Done, Explore, GetContext, InitProject, MOST_EXPLORATIONS, Mode, Notebook, Proposal,
    Reading, Recalled, Remember, Requirements, SpecsError, Stage, StartChange, Tasks, Validation,
    Verdict,
};
use plimsoll_store::StoreError;
use plimsoll_tokens::Estimator;

use crate::{ToolAnswer, arguments::Arguments, place::Place};

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
            let reading = reading(&place.memory, args, counter)?;
            let stage = args.given("stage").map(|stage| Stage::parse(&stage)).transpose();
            let ask = GetContext { stage: stage.map_err(|error| error.to_string())?, reading };
            let read = blocking(move || notebook.get_context(&ask)).await?;
            ledger.record(name, read.answer.estimated_tokens);
            Ok(read.into())
        }
        "sdd_context_check" => {
            let reading = reading(&place.memory, args, counter)?;
            let ask = ContextCheck {
                change_description: args.text("change_description"),
                project_name: args.given("project_name"),
                reading,
            };
            let recalled = explorations(&place, &ask).await;
            let read = blocking(move || notebook.context_check(&ask, &recalled)).await?;
            ledger.record(name, read.answer.estimated_tokens);
            Ok(read.into())
        }
        "sdd_change_status" => {
            let id = args.given("change_id");
            let room = ledger.cap(None).map_err(|error| error.to_string())?;
            let text = blocking(move || notebook.change_status(id.as_deref())).await?;
            let text = match room {
                Some(room) => within(&text, room, counter),
                None => text,
            };
            Ok(told(&place.memory, name, text, None, counter))
        }
        "sdd_explore" => {
            let (text, id) = explore(&place, &notebook, args).await?;
            Ok(told(&place.memory, name, text, Some(id), counter))
        }
        _ => {
            let job = write(name, args, now).map_err(|error| error.to_string())?;
            let done = blocking(move || job(&notebook)).await?;
            let (mut text, mut id) = (done.text, None);
            if let Some(mut remember) = done.remember {
                remember.project = place.memory.default_project().to_owned();
                match keep(&place.aside, remember, None).await {
                    Ok(kept) => {
                        id = Some(kept);
                        text.push_str(&format!("\nRemembered as #{kept}."));
                    }
                    // The file is written; a memory that fails does not undo it.
                    Err(error) => text.push_str(&format!("\nIt was not remembered: {error}")),
                }
            }
            Ok(told(&place.memory, name, text, id, counter))
        }
    }
}

type Job = Box<dyn FnOnce(&Notebook) -> Result<Done, SpecsError> + Send>;

/// What a writing tool does, with its arguments read.
fn write(name: &str, args: &Arguments, now: Timestamp) -> Result<Job, SpecsError> {
    Ok(match name {
        "sdd_init_project" => {
            let mode = args.given("mode").map(|mode| Mode::parse(&mode)).transpose()?;
            let (name, description) = (args.text("name"), args.text("description"));
            let ask = InitProject { name, description, mode: mode.unwrap_or_default() };
            Box::new(move |notebook| notebook.init_project(&ask, now))
        }
        "sdd_create_proposal" => {
            let ask = Proposal {
                problem: args.text("problem"),
                target_users: args.text("target_users"),
                solution: args.text("solution"),
                success_criteria: args.text("success_criteria"),
                out_of_scope: args.given("out_of_scope"),
                open_questions: args.given("open_questions"),
            };
            Box::new(move |notebook| notebook.create_proposal(&ask, now))
        }
        "sdd_generate_requirements" => {
            let ask = Requirements {
                must_have: args.text("must_have"),
                should_have: args.given("should_have"),
                could_have: args.given("could_have"),
                wont_have: args.given("wont_have"),
                non_functional: args.text("non_functional"),
                constraints: args.given("constraints"),
                assumptions: args.given("assumptions"),
                dependencies: args.given("dependencies"),
            };
            Box::new(move |notebook| notebook.generate_requirements(&ask, now))
        }
        "sdd_create_business_rules" => {
            let ask = BusinessRules {
                definitions: args.text("definitions"),
                facts: args.text("facts"),
                constraints: args.text("constraints"),
                derivations: args.given("derivations"),
                glossary: args.given("glossary"),
            };
            Box::new(move |notebook| notebook.create_business_rules(&ask, now))
        }
        "sdd_clarify" => {
            let (answers, scores) = (args.given("answers"), args.given("dimension_scores"));
            let ask = Clarify { answers, dimension_scores: scores };
            Box::new(move |notebook| notebook.clarify(&ask, now))
        }
        "sdd_create_design" => {
            let ask = Design {
                overview: args.text("overview"),
                tech_stack: args.text("tech_stack"),
                components: args.text("components"),
                data_model: args.text("data_model"),
                api_contracts: args.given("api_contracts"),
                security: args.given("security"),
                infrastructure: args.given("infrastructure"),
            };
            Box::new(move |notebook| notebook.create_design(&ask, now))
        }
        "sdd_create_tasks" => {
            let ask = Tasks {
                tasks: args.text("tasks"),
                estimated_effort: args.given("estimated_effort"),
                dependency_graph: args.given("dependency_graph"),
                acceptance_criteria: args.given("acceptance_criteria"),
            };
            Box::new(move |notebook| notebook.create_tasks(&ask, now))
        }
        "sdd_validate" => {
            let ask = Validation {
                requirements_coverage: args.text("requirements_coverage"),
                component_coverage: args.text("component_coverage"),
                consistency_issues: args.text("consistency_issues"),
                verdict: Verdict::parse(&args.text("verdict"))?,
                recommendations: args.given("recommendations"),
            };
            Box::new(move |notebook| notebook.validate(&ask, now))
        }
        "sdd_change" => {
            let ask = StartChange {
                kind: ChangeType::parse(&args.text("type"))?,
                size: ChangeSize::parse(&args.text("size"))?,
                description: args.text("description"),
            };
            Box::new(move |notebook| notebook.start_change(&ask, now))
        }
        "sdd_change_advance" => {
            let ask = AdvanceChange { content: args.text("content"), title: args.given("title") };
            Box::new(move |notebook| notebook.advance_change(&ask, now))
        }
        _ => {
            let status =
                args.given("status").map(|status| AdrStatus::parse(&status)).transpose()?;
            let ask = Adr {
                title: args.text("title"),
                context: args.text("context"),
                decision: args.text("decision"),
                rationale: args.text("rationale"),
                alternatives_rejected: args.given("alternatives_rejected"),
                status: status.unwrap_or_default(),
            };
            Box::new(move |notebook| notebook.adr(&ask, now))
        }
    })
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

/// How a read wants its answer, within what is left of the session's budget.
fn reading(memory: &Memory, args: &Arguments, counter: Estimator) -> Result<Reading, String> {
    let detail = args.given("detail_level").map(|level| level.parse::<DetailLevel>()).transpose();
    let max_tokens = memory.ledger().cap(args.number("max_tokens"));
    Ok(Reading {
        detail: detail.map_err(|error| error.to_string())?,
        max_tokens: max_tokens.map_err(|error| error.to_string())?,
        counter,
    })
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
    args: &Arguments,
) -> Result<(String, u64), String> {
    const TRIES: usize = 20;
    let given = args.given("project").filter(|name| !name.trim().is_empty());
    let project = given.unwrap_or_else(|| place.memory.default_project().to_owned());
    let ask = Explore {
        title: args.text("title"),
        goals: args.given("goals"),
        constraints: args.given("constraints"),
        preferences: args.given("preferences"),
        unknowns: args.given("unknowns"),
        decisions: args.given("decisions"),
        project: Some(project.clone()),
    };
    let words = |error: MemoryError| error.to_string();
    for _ in 0..TRIES {
        let key = ask.topic_key();
        let earlier = place.aside.noted_under(Some(&project), &key).await.map_err(words)?;
        let text = earlier.as_ref().map(|note| note.content.as_str());
        let done = notebook.explore(&ask, text).map_err(|error| error.to_string())?;
        let Some(remember) = done.remember else { break };
        let seen = earlier.map_or(0, |note| note.revision_count);
        match keep(&place.aside, remember, Some(seen)).await {
            Ok(id) => return Ok((format!("{}\nRemembered as #{id}.", done.text), id)),
            Err(MemoryError::Store(StoreError::Revised { .. })) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Err("others write to this exploration all the time; try again".to_owned())
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
