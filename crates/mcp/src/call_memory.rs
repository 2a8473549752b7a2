//! The tools of memory: arguments to asks.

use plimsoll_budget::DetailLevel;
use plimsoll_memory::{
    BuildContext, CapturePassive, Compact, EndSession, Find, GetObservation, Memory, Progress,
    Reading, Recall, Relate, Save, SavePrompt, StartSession, SuggestTopicKey, SummariseSession,
    Timeline, Update,
};
use plimsoll_store::Scope;

use crate::{ToolAnswer, arguments::Arguments};

/// Calls a tool of memory; an error is what to tell the model.
pub(crate) async fn call(
    memory: &Memory,
    name: &str,
    args: &Arguments,
) -> Result<ToolAnswer, String> {
    let reply = match name {
        "mem_session_start" => {
            let (id, project) = (args.text("id"), args.text("project"));
            let directory = args.given("directory");
            memory.start_session(StartSession { id, project, directory }).await
        }
        "mem_session_end" => {
            let (id, summary) = (args.text("id"), args.given("summary"));
            memory.end_session(EndSession { id, summary }).await
        }
        "mem_session_summary" => {
            let (id, content) = (args.text("id"), args.text("content"));
            memory.summarise_session(SummariseSession { id, content }).await
        }
        "mem_save" => memory.save(save(args)?).await,
        "mem_save_prompt" => {
            let ask = SavePrompt {
                content: args.text("content"),
                project: args.given("project"),
                namespace: args.given("namespace"),
                session_id: args.given("session_id"),
            };
            memory.save_prompt(ask).await
        }
        "mem_capture_passive" => {
            let ask = CapturePassive {
                content: args.text("content"),
                project: args.given("project"),
                session_id: args.given("session_id"),
                source: args.given("source"),
            };
            memory.capture_passive(ask).await
        }
        "mem_search" => memory.search(find(memory, args)?).await,
        "mem_context" => {
            let ask = Recall {
                project: args.given("project"),
                scope: scope(args)?,
                namespace: args.given("namespace"),
                limit: args.size("limit"),
                reading: reading(args)?,
            };
            memory.context(ask).await
        }
        "mem_timeline" => {
            let ask = Timeline {
                observation_id: args.number("observation_id").unwrap_or_default(),
                before: args.size("before"),
                after: args.size("after"),
                reading: reading(args)?,
            };
            memory.timeline(ask).await
        }
        "mem_get_observation" => {
            let revision = args.number("revision");
            memory.get_observation(GetObservation { id: id(args), revision }).await
        }
        "mem_update" => memory.update(update(args)?).await,
        "mem_delete" => memory.delete(id(args), args.flag("hard_delete")).await,
        "mem_suggest_topic_key" => {
            let (title, content) = (args.text("title"), args.given("content"));
            memory
                .suggest_topic_key(SuggestTopicKey { title, content, kind: args.given("type") })
                .await
        }
        "mem_stats" => memory.stats(args.given("project")).await,
        "mem_relate" => {
            let ask = Relate {
                from: args.number("from").unwrap_or_default(),
                to: args.number("to").unwrap_or_default(),
                kind: args.given("type"),
                note: args.given("note"),
                bidirectional: args.flag("bidirectional"),
            };
            memory.relate(ask).await
        }
        "mem_unrelate" => memory.unrelate(id(args)).await,
        "mem_build_context" => {
            let depth = args.number("depth").map(|depth| u32::try_from(depth).unwrap_or(u32::MAX));
            memory.build_context(BuildContext { id: id(args), depth }).await
        }
        "mem_progress" => {
            let (project, content) = (args.text("project"), args.given("content"));
            let namespace = args.given("namespace");
            memory.progress(Progress { project, content, namespace }).await
        }
        "mem_compact" => {
            let ask = Compact {
                older_than_days: args.number("older_than_days").unwrap_or_default(),
                project: args.given("project"),
                scope: scope(args)?,
                namespace: args.given("namespace"),
                ids: args.ids("ids"),
                summary_title: args.given("summary_title"),
                summary_content: args.given("summary_content"),
            };
            memory.compact(ask).await
        }
        other => return Err(format!("{other} is no tool of memory")),
    };
    reply.map(ToolAnswer::from).map_err(|error| error.to_string())
}

fn save(args: &Arguments) -> Result<Save, String> {
    Ok(Save {
        title: args.text("title"),
        content: args.text("content"),
        kind: args.given("type"),
        project: args.given("project"),
        scope: scope(args)?.unwrap_or_default(),
        topic_key: args.given("topic_key"),
        namespace: args.given("namespace"),
        session_id: args.given("session_id"),
        tool_name: None,
        relate_to: args.ids("relate_to"),
        seen_revision: None,
    })
}

fn find(memory: &Memory, args: &Arguments) -> Result<Find, String> {
    let since = args.given("since").map(|since| memory.parse_since(&since)).transpose();
    Ok(Find {
        query: args.text("query"),
        kind: args.given("type"),
        project: args.given("project"),
        scope: scope(args)?,
        namespace: args.given("namespace"),
        since: since.map_err(|error| error.to_string())?,
        limit: args.size("limit"),
        reading: reading(args)?,
    })
}

fn update(args: &Arguments) -> Result<Update, String> {
    Ok(Update {
        id: id(args),
        title: args.given("title"),
        content: args.given("content"),
        kind: args.given("type"),
        project: args.given("project"),
        scope: scope(args)?,
        topic_key: args.given("topic_key"),
        restore_revision: args.number("restore_revision"),
        seen_revision: None,
    })
}

fn id(args: &Arguments) -> u64 {
    args.number("id").unwrap_or_default()
}

fn scope(args: &Arguments) -> Result<Option<Scope>, String> {
    let given = args.given("scope");
    given.map(|scope| scope.parse::<Scope>().map_err(|error| error.to_string())).transpose()
}

fn reading(args: &Arguments) -> Result<Reading, String> {
    let level = match args.given("detail_level") {
        Some(level) => level.parse::<DetailLevel>().map_err(|error| error.to_string())?,
        None => DetailLevel::default(),
    };
    Ok(Reading { detail_level: level, max_tokens: args.number("max_tokens") })
}
