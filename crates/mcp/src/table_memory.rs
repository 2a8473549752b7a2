//! The nineteen tools of memory.

use crate::table::{
    BUDGET, DETAIL_LEVEL, Effect, Param, Part, ToolSpec, choice, flag, ids, integer, json, text,
};

const SCOPES: &[&str] = &["project", "personal"];

/// The project that is read.
const PROJECT_READ: Param = text("project").about("default: this project; * reads all");

const fn memory(
    name: &'static str,
    title: &'static str,
    about: &'static str,
    effect: Effect,
    params: &'static [Param],
) -> ToolSpec {
    ToolSpec { name, title, about, part: Part::Memory, core: false, effect, params }
}

const fn core(spec: ToolSpec) -> ToolSpec {
    ToolSpec { core: true, ..spec }
}

/// The tools, in the order in which they are listed.
pub const MEMORY_TOOLS: [ToolSpec; 19] = [
    core(memory(
        "mem_session_start",
        "Start session",
        "Begin a work session, or take one up again. Call it before anything else. An id belongs to one \
         project.",
        Effect::Sets,
        &[text("id").must(), text("project").must(), text("directory")],
    )),
    core(memory(
        "mem_session_end",
        "End session",
        "End a session. A summary is added to the one that it has.",
        Effect::Sets,
        &[text("id").must(), text("summary")],
    )),
    core(memory(
        "mem_session_summary",
        "Summarise session",
        "Save what a session achieved. The next mem_context begins with it, mem_search finds it, and the \
         text before stays as a revision.",
        Effect::Sets,
        &[text("id").must(), text("content").must().about("goal, discoveries, done, next")],
    )),
    core(memory(
        "mem_save",
        "Save memory",
        "Remember a decision, fix, pattern or discovery, as soon as it is made. The same topic_key \
         updates in place and keeps the earlier text; a repetition within 15 minutes is counted, not \
         saved.",
        Effect::Adds,
        &[
            text("title").must(),
            text("content").must().about("what, why, where; up to 64 KB"),
            text("type")
                .about("decision, architecture, bugfix, pattern, config, discovery, learning, …"),
            text("project").about("default: the project's folder"),
            choice("scope", SCOPES),
            text("topic_key").about("such as store/engine"),
            text("namespace"),
            text("session_id").about("default manual-save"),
            ids("relate_to").about("ids of related observations"),
        ],
    )),
    memory(
        "mem_save_prompt",
        "Save prompt",
        "Remember what the user asked.",
        Effect::Adds,
        &[text("content").must(), text("project"), text("namespace"), text("session_id")],
    ),
    memory(
        "mem_capture_passive",
        "Capture learnings",
        "Save each item under a \"Key Learnings\" heading of a text.",
        Effect::Adds,
        &[text("content").must(), text("project"), text("session_id"), text("source")],
    ),
    core(memory(
        "mem_search",
        "Search memory",
        "Find observations, session summaries and prompts by words; all words first, then any. Hits show ids: read one \
         with mem_get_observation.",
        Effect::Reads,
        &[
            text("query").must(),
            text("type"),
            PROJECT_READ,
            choice("scope", SCOPES),
            text("namespace"),
            text("since").about("2026-11-01 or 7d"),
            integer("limit").about("default 10, up to 50"),
            DETAIL_LEVEL,
            BUDGET,
        ],
    )),
    core(memory(
        "mem_context",
        "Recall context",
        "Recent sessions, observations and prompts. Call it when work begins.",
        Effect::Reads,
        &[
            PROJECT_READ,
            choice("scope", SCOPES),
            text("namespace"),
            integer("limit").about("observations, default 20"),
            DETAIL_LEVEL,
            BUDGET,
        ],
    )),
    core(memory(
        "mem_timeline",
        "Timeline",
        "What happened before and after an observation in its session.",
        Effect::Reads,
        &[
            integer("observation_id").must(),
            integer("before").about("default 5"),
            integer("after").about("default 5"),
            DETAIL_LEVEL,
            BUDGET,
        ],
    )),
    core(memory(
        "mem_get_observation",
        "Get observation",
        "The full text of an observation, or of an earlier revision.",
        Effect::Reads,
        &[integer("id").must(), integer("revision")],
    )),
    memory(
        "mem_update",
        "Update observation",
        "Change an observation; what it said stays as a revision.",
        Effect::Sets,
        &[
            integer("id").must(),
            text("title"),
            text("content"),
            text("type"),
            text("project"),
            choice("scope", SCOPES),
            text("topic_key"),
            integer("restore_revision"),
        ],
    ),
    memory(
        "mem_delete",
        "Delete observation",
        "Hide an observation everywhere, or erase it for good.",
        Effect::Destroys,
        &[integer("id").must(), flag("hard_delete").about("erase; default false")],
    ),
    memory(
        "mem_suggest_topic_key",
        "Suggest topic key",
        "A stable topic_key for mem_save.",
        Effect::Reads,
        &[text("title").must(), text("content"), text("type")],
    ),
    memory(
        "mem_stats",
        "Memory statistics",
        "How much is remembered, and what this connection has sent, by tool.",
        Effect::Reads,
        &[PROJECT_READ],
    ),
    memory(
        "mem_relate",
        "Relate observations",
        "Link two observations.",
        Effect::Sets,
        &[
            integer("from").must(),
            integer("to").must(),
            text("type").about("default relates_to"),
            text("note"),
            flag("bidirectional"),
        ],
    ),
    memory(
        "mem_unrelate",
        "Remove relation",
        "Remove a link by its own id.",
        Effect::Destroys,
        &[integer("id").must()],
    ),
    memory(
        "mem_build_context",
        "Related context",
        "The observations that are linked to one, step by step.",
        Effect::Reads,
        &[integer("id").must(), integer("depth").about("default 2, up to 5")],
    ),
    core(memory(
        "mem_progress",
        "Progress document",
        "Read or replace a project's JSON progress document.",
        Effect::Sets,
        &[text("project").must(), json("content").about("JSON; omit to read"), text("namespace")],
    )),
    memory(
        "mem_compact",
        "Compact memory",
        "List observations older than some days; with a summary, replace up to 200 by it at once.",
        Effect::Destroys,
        &[
            integer("older_than_days").must(),
            PROJECT_READ,
            choice("scope", SCOPES),
            text("namespace"),
            ids("ids"),
            text("summary_title"),
            text("summary_content"),
        ],
    ),
];
