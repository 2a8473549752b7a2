//! The nineteen tools of memory.

use plimsoll_memory::{
    BuildContext, CapturePassive, Compact, EndSession, Find, GetObservation, Memory, Progress,
    Recall, Relate, Save, SavePrompt, StartSession, SuggestTopicKey, SummariseSession, Timeline,
    Update,
};

use crate::{
    ToolAnswer,
    arguments::Arguments,
    table::{Effect, Kind, MAX_TOKENS, Part, ToolSpec, param, tools},
};

const PROJECT_READ: &str = "default: this project; * reads all";

/// A search, before the moment is known that `since` means.
#[derive(Default)]
pub(crate) struct Search {
    find: Find,
    since: Option<String>,
}

#[derive(Default)]
pub(crate) struct Delete {
    id: u64,
    hard_delete: bool,
}

#[derive(Default)]
pub(crate) struct Stats {
    project: Option<String>,
}

#[derive(Default)]
pub(crate) struct Unrelate {
    id: u64,
}

tools! { MEMORY_TOOLS of Memory;
    mem_session_start, "Start session", Sets in core,
        "Begin a work session, or take one up again. Call it before anything else. An id \
         belongs to one project."
        => StartSession { id, project, directory }
    mem_session_end, "End session", Sets in core,
        "End a session. A summary is added to the one that it has."
        => EndSession { id, summary }
    mem_session_summary, "Summarise session", Sets in core,
        "Save what a session achieved. The next mem_context begins with it, mem_search finds \
         it, and the text before stays as a revision."
        => SummariseSession { id, content = "goal, discoveries, done, next" }
    mem_save, "Save memory", Adds in core,
        "Remember a decision, fix, pattern or discovery, as soon as it is made. The same \
         topic_key updates in place and keeps the earlier text; a repetition within 15 minutes \
         is counted, not saved." => Save {
            title, content = "what, why, where; up to 64 KB",
            kind as "type" = "decision, architecture, bugfix, pattern, config, discovery, learning, …",
            project = "default: the project's folder", scope, topic_key = "such as store/engine",
            namespace, session_id = "default manual-save",
            relate_to = "ids of related observations",
            anchors = "what it is about: src/a.rs, src/a.rs#name, commit:1f3c9a2; flagged when changed",
            supersedes = "ids that it replaces", expires = "2026-12-31 or 30d",
        }
    mem_save_prompt, "Save prompt", Adds,
        "Remember what the user asked."
        => SavePrompt { content, project, namespace, session_id }
    mem_capture_passive, "Capture learnings", Adds,
        "Save each item under a \"Key Learnings\" heading of a text."
        => CapturePassive { content, project, session_id, source }
    mem_search, "Search memory", Reads in core,
        "Find observations, session summaries and prompts by words; all words first, then any. \
         Hits show ids: read one with mem_get_observation." => Search {
            find.query as "query", find.kind as "type", find.project as "project" = PROJECT_READ,
            find.scope as "scope", find.namespace as "namespace", since = "2026-11-01 or 7d",
            find.limit as "limit" = "default 10, up to 50",
            find.reading.detail_level as "detail_level",
            find.reading.max_tokens as "max_tokens" = MAX_TOKENS,
        }
    mem_context, "Recall context", Reads in core,
        "Recent sessions, observations and prompts. Call it when work begins." => Recall {
            project = PROJECT_READ, scope, namespace, limit = "observations, default 20",
            reading.detail_level as "detail_level",
            reading.max_tokens as "max_tokens" = MAX_TOKENS,
        }
    mem_timeline, "Timeline", Reads in core,
        "What happened before and after an observation in its session." => Timeline {
            observation_id, before = "default 5", after = "default 5",
            reading.detail_level as "detail_level",
            reading.max_tokens as "max_tokens" = MAX_TOKENS,
        }
    mem_get_observation, "Get observation", Reads in core,
        "The full text of an observation, or of an earlier revision."
        => GetObservation { id, revision }
    mem_update, "Update observation", Sets,
        "Change an observation; what it said stays as a revision." => Update {
            id, title, content, kind as "type", project, scope, topic_key, restore_revision,
            anchors = "renews them", supersedes, expires, undelete,
        }
    mem_delete, "Delete observation", Destroys,
        "Hide an observation everywhere, or erase it for good."
        => Delete { id, hard_delete = "erase; default false" }
    mem_suggest_topic_key, "Suggest topic key", Reads,
        "A stable topic_key for mem_save."
        => SuggestTopicKey { title, content, kind as "type" }
    mem_stats, "Memory statistics", Reads,
        "How much is remembered, and what this connection has sent, by tool."
        => Stats { project = PROJECT_READ }
    mem_relate, "Relate observations", Sets,
        "Link two observations."
        => Relate { from, to, kind as "type" = "default relates_to", note, bidirectional }
    mem_unrelate, "Remove relation", Destroys,
        "Remove a link by its own id."
        => Unrelate { id }
    mem_build_context, "Related context", Reads,
        "The observations that are linked to one, step by step."
        => BuildContext { id, depth = "default 2, up to 5" }
    mem_progress, "Progress document", Sets in core,
        "Read or replace a project's JSON progress document."
        => Progress { project, content: Json = "JSON; omit to read", namespace }
    mem_compact, "Compact memory", Destroys,
        "List observations older than some days; with a summary, replace up to 200 by it at \
         once." => Compact {
            older_than_days, project = PROJECT_READ, scope, namespace, ids, summary_title,
            summary_content,
        }
}

/// Calls a tool of memory; an error is what to tell the model.
pub(crate) async fn call(
    memory: &Memory,
    name: &str,
    args: &Arguments,
) -> Result<ToolAnswer, String> {
    let reply = match name {
        "mem_session_start" => memory.start_session(mem_session_start(args)?).await,
        "mem_session_end" => memory.end_session(mem_session_end(args)?).await,
        "mem_session_summary" => memory.summarise_session(mem_session_summary(args)?).await,
        "mem_save" => memory.save(mem_save(args)?).await,
        "mem_save_prompt" => memory.save_prompt(mem_save_prompt(args)?).await,
        "mem_capture_passive" => memory.capture_passive(mem_capture_passive(args)?).await,
        "mem_search" => {
            let Search { find, since } = mem_search(args)?;
            let since = since.map(|since| memory.parse_since(&since)).transpose();
            memory.search(Find { since: since.map_err(|error| error.to_string())?, ..find }).await
        }
        "mem_context" => memory.context(mem_context(args)?).await,
        "mem_timeline" => memory.timeline(mem_timeline(args)?).await,
        "mem_get_observation" => memory.get_observation(mem_get_observation(args)?).await,
        "mem_update" => memory.update(mem_update(args)?).await,
        "mem_delete" => {
            let Delete { id, hard_delete } = mem_delete(args)?;
            memory.delete(id, hard_delete).await
        }
        "mem_suggest_topic_key" => memory.suggest_topic_key(mem_suggest_topic_key(args)?).await,
        "mem_stats" => memory.stats(mem_stats(args)?.project).await,
        "mem_relate" => memory.relate(mem_relate(args)?).await,
        "mem_unrelate" => memory.unrelate(mem_unrelate(args)?.id).await,
        "mem_build_context" => memory.build_context(mem_build_context(args)?).await,
        "mem_progress" => memory.progress(mem_progress(args)?).await,
        "mem_compact" => memory.compact(mem_compact(args)?).await,
        other => return Err(format!("{other} is no tool of memory")),
    };
    reply.map(ToolAnswer::from).map_err(|error| error.to_string())
}
