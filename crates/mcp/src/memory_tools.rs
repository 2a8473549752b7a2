//! The nineteen tools of memory.

use plimsoll_memory::{
    BuildContext, CapturePassive, Compact, EndSession, Find, GetObservation, Memory, Progress,
    Recall, Relate, Save, SavePrompt, StartSession, Stats, SuggestTopicKey, SummariseSession,
    Timeline, Update,
};

use crate::{
    ToolAnswer,
    arguments::Arguments,
    table::{ANSWER_BUDGET, DETAIL, Effect, Kind, MAX_TOKENS, Part, ToolSpec, param, tools},
};

const PROJECT_READ: &str = "default: this project; * reads all";
const PROJECT: &str = "default: the project's folder";
const SESSION: &str = "default manual-save";
const NAMESPACE: &str = "a part of the project, kept apart";
const ONE_NAMESPACE: &str = "only this one";
const TYPES: &str = "decision, architecture, bugfix, pattern, config, discovery, learning, …";

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
pub(crate) struct Unrelate {
    id: u64,
}

tools! { MEMORY_TOOLS of Memory;
    mem_session_start, "Start session", Sets in core,
        "Begin a work session, or take one up again. Call it before anything else. An id \
         belongs to one project."
        => StartSession {
            id = "a name of your choice", project = "its name", directory = "where you work",
        }
    mem_session_end, "End session", Sets in core,
        "End a session. A summary is added to the one that it has."
        => EndSession { id = "of the session", summary = "a few words" }
    mem_session_summary, "Summarise session", Sets in core,
        "Save what a session achieved. The next mem_context begins with it, mem_search finds \
         it, and the text before stays as a revision."
        => SummariseSession { id or "session_id" = "of the session", content = "goal, discoveries, done, next" }
        + { project }
    mem_save, "Save memory", Adds in core,
        "Remember a decision, fix, pattern or discovery, as soon as it is made. The same \
         topic_key updates in place and keeps the earlier text; a repetition within 15 minutes \
         is counted, not saved." => Save {
            title = "short and telling", content = "what, why, where; up to 64 KB",
            kind as "type" = TYPES, project = PROJECT, scope = "personal is read in every project",
            topic_key = "such as store/engine", namespace = NAMESPACE, session_id = SESSION,
            relate_to = "ids of related observations",
            anchors = "what it is about: src/a.rs, src/a.rs#name, commit:1f3c9a2; flagged when changed",
            supersedes = "ids that it replaces", expires = "2026-12-31 or 30d",
        }
    mem_save_prompt, "Save prompt", Adds,
        "Remember what the user asked."
        => SavePrompt {
            content = "the user's words", project = PROJECT, namespace = NAMESPACE,
            session_id = SESSION,
        }
    mem_capture_passive, "Capture learnings", Adds,
        "Save each item under a \"Key Learnings\" heading of a text."
        => CapturePassive {
            content = "a text with such a heading", project = PROJECT, session_id = SESSION,
            source = "where the text is from",
        }
    mem_search, "Search memory", Reads in core,
        "Find observations, session summaries and prompts by words; all words first, then any. \
         Hits show ids: read one with mem_get_observation." => Search {
            find.query as "query" = "words to look for", find.kind as "type" = "only this one",
            find.project as "project" = PROJECT_READ, find.scope as "scope" = "only this one",
            find.namespace as "namespace" = ONE_NAMESPACE, since = "2026-11-01 or 7d",
            find.limit as "limit" = "default 10, up to 50",
            find.reading.detail_level as "detail_level" = DETAIL,
            find.reading.max_tokens as "max_tokens" = MAX_TOKENS,
        }
    mem_context, "Recall context", Reads in core,
        "Recent sessions, observations and prompts. Call it when work begins." => Recall {
            project = PROJECT_READ, scope = "only this one", namespace = ONE_NAMESPACE,
            limit = "observations, default 20",
            reading.detail_level as "detail_level" = DETAIL,
            reading.max_tokens as "max_tokens" = MAX_TOKENS,
        }
    mem_timeline, "Timeline", Reads in core,
        "What happened before and after an observation in its session." => Timeline {
            observation_id = "the one in the middle", before = "how many, default 5",
            after = "how many, default 5",
            reading.detail_level as "detail_level" = DETAIL,
            reading.max_tokens as "max_tokens" = MAX_TOKENS,
        }
    mem_get_observation, "Get observation", Reads in core,
        "The full text of an observation or of an earlier revision, or some of its lines."
        => GetObservation {
            id = "of the observation", revision = "an earlier text; 1 is the first", from = "first line, default 1", lines = "how many lines",
            max_tokens = ANSWER_BUDGET,
        }
    mem_update, "Update observation", Sets,
        "Change an observation; what it said stays as a revision." => Update {
            id = "of the observation", title = "new title", content = "new text",
            kind as "type" = "new type", project = "move it there", scope = "new scope",
            topic_key = "new key", restore_revision = "take this earlier text back",
            anchors = "renews them", supersedes = "ids that it replaces",
            expires = "2026-12-31 or 30d", undelete = "bring it back",
        }
    mem_delete, "Delete observation", Destroys,
        "Hide an observation everywhere, or erase it for good."
        => Delete { id = "of the observation", hard_delete = "erase; default false" }
    mem_suggest_topic_key, "Suggest topic key", Reads,
        "A stable topic_key for mem_save."
        => SuggestTopicKey {
            title = "of the note", content = "its text", kind as "type" = "its type",
        }
    mem_stats, "Memory statistics", Reads,
        "How much is remembered, and what this connection has sent, by tool."
        => Stats { project = PROJECT_READ, max_tokens = ANSWER_BUDGET }
    mem_relate, "Relate observations", Sets,
        "Link two observations."
        => Relate {
            from or "from_id" = "id of one", to or "to_id" = "id of the other",
            kind as "type" or "relation_type" = "relates_to (default), depends_on, causes, …",
            note = "why", bidirectional = "both ways; default false",
        }
    mem_unrelate, "Remove relation", Destroys,
        "Remove a link by its own id."
        => Unrelate { id = "of the relation" }
    mem_build_context, "Related context", Reads,
        "The observations that are linked to one, step by step."
        => BuildContext {
            id or "observation_id" = "where to begin", depth = "steps, default 2, up to 5", max_tokens = ANSWER_BUDGET }
    mem_progress, "Progress document", Sets in core,
        "Read or replace a project's JSON progress document."
        => Progress {
            project = "its name", content: Json = "JSON; omit to read", namespace = NAMESPACE, max_tokens = ANSWER_BUDGET,
        }
    mem_compact, "Compact memory", Destroys,
        "List observations older than some days; with a summary, replace up to 200 by it at \
         once." => Compact {
            older_than_days = "unchanged for so many", project = PROJECT_READ,
            scope = "only this one", namespace = ONE_NAMESPACE,
            ids or "compact_ids" = "which, up to 200; default the oldest", summary_title = "of the new note",
            summary_content = "its text",
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
        "mem_stats" => memory.stats(mem_stats(args)?).await,
        "mem_relate" => memory.relate(mem_relate(args)?).await,
        "mem_unrelate" => memory.unrelate(mem_unrelate(args)?.id).await,
        "mem_build_context" => memory.build_context(mem_build_context(args)?).await,
        "mem_progress" => memory.progress(mem_progress(args)?).await,
        "mem_compact" => memory.compact(mem_compact(args)?).await,
        other => return Err(format!("{other} is no tool of memory")),
    };
    reply.map(ToolAnswer::from).map_err(|error| error.to_string())
}
