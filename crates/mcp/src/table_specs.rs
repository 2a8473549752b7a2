//! The fifteen tools of the spec notebook.

use crate::table::{BUDGET, DETAIL_LEVEL, Effect, Param, Part, ToolSpec, choice, json, text};

const STAGES: &[&str] =
    &["init", "propose", "specify", "business-rules", "clarify", "design", "tasks", "validate"];

const fn specs(
    name: &'static str,
    title: &'static str,
    about: &'static str,
    effect: Effect,
    params: &'static [Param],
) -> ToolSpec {
    ToolSpec { name, title, about, part: Part::Specs, core: false, effect, params }
}

/// The tools, in the order in which they are listed.
pub const SPECS_TOOLS: [ToolSpec; 15] = [
    specs(
        "sdd_init_project",
        "Start notebook",
        "Start a spec notebook in sdd/ of the project.",
        Effect::Adds,
        &[
            text("name").must(),
            text("description").must(),
            choice("mode", &["guided", "expert"]).about("default guided"),
        ],
    ),
    specs(
        "sdd_create_proposal",
        "Write proposal",
        "Stage propose: checks and saves proposal.md, goes on to specify.",
        Effect::Adds,
        &[
            text("problem").must(),
            text("target_users").must(),
            text("solution").must(),
            text("success_criteria").must(),
            text("out_of_scope"),
            text("open_questions"),
        ],
    ),
    specs(
        "sdd_generate_requirements",
        "Write requirements",
        "Stage specify: checks and saves requirements.md, goes on to business-rules.",
        Effect::Adds,
        &[
            text("must_have").must(),
            text("should_have"),
            text("could_have"),
            text("wont_have"),
            text("non_functional").must(),
            text("constraints"),
            text("assumptions"),
            text("dependencies"),
        ],
    ),
    specs(
        "sdd_create_business_rules",
        "Write business rules",
        "Stage business-rules: checks and saves business-rules.md, goes on to clarify.",
        Effect::Adds,
        &[
            text("definitions").must(),
            text("facts").must(),
            text("constraints").must(),
            text("derivations"),
            text("glossary"),
        ],
    ),
    specs(
        "sdd_clarify",
        "Clarify",
        "Stage clarify: without arguments the questions; with answers and scores, saves them and \
         goes on to design when enough is clear.",
        Effect::Adds,
        &[text("answers"), json("dimension_scores").about("target_users: 80, … (0-100, all 8)")],
    ),
    specs(
        "sdd_create_design",
        "Write design",
        "Stage design: checks and saves design.md, goes on to tasks.",
        Effect::Adds,
        &[
            text("overview").must(),
            text("tech_stack").must(),
            text("components").must(),
            text("data_model").must(),
            text("api_contracts"),
            text("security"),
            text("infrastructure"),
        ],
    ),
    specs(
        "sdd_create_tasks",
        "Write tasks",
        "Stage tasks: checks and saves tasks.md, goes on to validate.",
        Effect::Adds,
        &[
            text("tasks").must(),
            text("estimated_effort"),
            text("dependency_graph"),
            text("acceptance_criteria"),
        ],
    ),
    specs(
        "sdd_validate",
        "Validate",
        "Stage validate: saves validation.md. FAIL keeps the stage open.",
        Effect::Adds,
        &[
            text("requirements_coverage").must(),
            text("component_coverage").must(),
            text("consistency_issues").must(),
            choice("verdict", &["PASS", "PASS_WITH_WARNINGS", "FAIL"]).must(),
            text("recommendations"),
        ],
    ),
    specs(
        "sdd_get_context",
        "Read notebook",
        "At which stage the project is, what to call next, and what its documents say.",
        Effect::Reads,
        &[choice("stage", STAGES), DETAIL_LEVEL.about("default summary"), BUDGET],
    ),
    specs(
        "sdd_change",
        "Start change",
        "Start a change; type and size give its 4 to 7 stages. One at a time.",
        Effect::Adds,
        &[
            choice("type", &["feature", "fix", "refactor", "enhancement"]).must(),
            choice("size", &["small", "medium", "large"]).must(),
            text("description").must(),
        ],
    ),
    specs(
        "sdd_change_advance",
        "Advance change",
        "Save the document of the change's stage and go on.",
        Effect::Adds,
        &[text("content").must(), text("title")],
    ),
    specs(
        "sdd_change_status",
        "Change status",
        "Where the active change stands, or a named one.",
        Effect::Reads,
        &[text("change_id")],
    ),
    specs(
        "sdd_adr",
        "Record decision",
        "Save a numbered decision record.",
        Effect::Adds,
        &[
            text("title").must(),
            text("context").must(),
            text("decision").must(),
            text("rationale").must(),
            text("alternatives_rejected"),
            choice("status", &["proposed", "accepted", "rejected", "deprecated", "superseded"])
                .about("default accepted"),
        ],
    ),
    specs(
        "sdd_context_check",
        "Check context",
        "Before a change: artifacts, relevant earlier changes, explorations and convention files.",
        Effect::Reads,
        &[text("change_description").must(), text("project_name"), DETAIL_LEVEL, BUDGET],
    ),
    specs(
        "sdd_explore",
        "Explore",
        "Remember thoughts before a change; the same title adds to them.",
        Effect::Sets,
        &[
            text("title").must(),
            text("goals"),
            text("constraints"),
            text("preferences"),
            text("unknowns"),
            text("decisions"),
            text("project"),
        ],
    ),
];
