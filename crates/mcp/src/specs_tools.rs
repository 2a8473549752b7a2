//! The fifteen tools of the spec notebook.

use plimsoll_domain::Timestamp;
use plimsoll_specs::{
    Adr, AdvanceChange, BusinessRules, Clarify, ContextCheck, Design, Done, Explore, GetContext,
    InitProject, Notebook, Proposal, Requirements, SpecsError, StartChange, Tasks, Validation,
};

use crate::{
    arguments::Arguments,
    table::{ANSWER_BUDGET, DETAIL, Effect, Kind, MAX_TOKENS, Part, ToolSpec, param, tools},
};

/// What `sdd_change_status` takes.
#[derive(Default)]
pub(crate) struct ChangeStatus {
    pub(crate) change_id: Option<String>,
    pub(crate) drop: bool,
    pub(crate) max_tokens: Option<u64>,
}

/// `sdd_clarify`, and what its answer may weigh.
#[derive(Default)]
pub(crate) struct Clarifying {
    pub(crate) clarify: Clarify,
    pub(crate) max_tokens: Option<u64>,
}

/// `sdd_explore`, and what its answer may weigh.
#[derive(Default)]
pub(crate) struct Exploring {
    pub(crate) explore: Explore,
    pub(crate) max_tokens: Option<u64>,
}

tools! { SPECS_TOOLS of Specs;
    sdd_init_project, "Start notebook", Adds,
        "Start a spec notebook in sdd/ of the project."
        => InitProject {
            name = "of the project", description = "what it is, in a sentence",
            mode = "default guided: asks for more clarity",
        }
    sdd_create_proposal, "Write proposal", Adds,
        "Stage propose: checks and saves proposal.md, goes on to specify." => Proposal {
            problem or "problem_statement" = "what hurts, and whom",
            target_users = "who they are and need",
            solution or "proposed_solution" = "what it does for them, not how",
            success_criteria = "how one measures it", out_of_scope = "what it will not do",
            open_questions = "what is undecided",
        }
    sdd_generate_requirements, "Write requirements", Adds,
        "Stage specify: checks and saves requirements.md, goes on to business-rules." => Requirements {
            must_have = "numbered FR-001, …", should_have = "important, not vital",
            could_have = "if there is time", wont_have = "not this time",
            non_functional = "speed, security, …: NFR-001, …", constraints = "what is fixed",
            assumptions = "what is taken for granted", dependencies = "on others",
        }
    sdd_create_business_rules, "Write business rules", Adds,
        "Stage business-rules: checks and saves business-rules.md, goes on to clarify."
        => BusinessRules {
            definitions = "what terms mean", facts = "how they relate",
            constraints = "what must or must not be", derivations = "what follows from what",
            glossary = "further words",
        }
    sdd_clarify, "Clarify", Adds,
        "Stage clarify: without arguments the questions; with answers and scores, saves them \
         and goes on to design when enough is clear."
        => Clarifying {
            clarify.answers as "answers" = "to the questions",
            clarify.dimension_scores as "dimension_scores": Json = "target_users: 80, … (0-100, all 8)",
            max_tokens = ANSWER_BUDGET,
        }
    sdd_create_design, "Write design", Adds,
        "Stage design: checks and saves design.md, goes on to tasks." => Design {
            overview or "architecture_overview" = "the architecture in short",
            tech_stack = "what it is built with, and why",
            components = "each with its job and the FRs it covers",
            data_model = "what is kept, and how it relates",
            api_contracts = "calls, answers, errors", security = "who may do what",
            infrastructure = "where it runs, how it gets there",
        } + { design_decisions, quality_analysis }
    sdd_create_tasks, "Write tasks", Adds,
        "Stage tasks: checks and saves tasks.md, goes on to validate."
        => Tasks {
            tasks = "in order, each with what it covers and how one sees it done",
            estimated_effort = "for all of it", dependency_graph = "which waits for which",
            acceptance_criteria = "for all tasks",
        }
        + { total_tasks, wave_assignments }
    sdd_validate, "Validate", Adds,
        "Stage validate: saves validation.md. FAIL keeps the stage open." => Validation {
            requirements_coverage = "which task covers each", component_coverage = "which task builds each",
            consistency_issues = "what contradicts, or none", verdict,
            recommendations = "what to do next",
        } + { risk_assessment, design_quality }
    sdd_get_context, "Read notebook", Reads,
        "At which stage the project is, what to call next, and what its documents say." => GetContext {
            stage = "only this one", reading.detail as "detail_level" = "default summary: headings; standard: beginnings; full: all",
            reading.max_tokens as "max_tokens" = MAX_TOKENS,
        }
    sdd_change, "Start change", Adds,
        "Start a change; type and size give its 4 to 7 stages. One at a time."
        => StartChange {
            kind as "type", size = "hours, days or weeks of work",
            description = "what should change, and why",
        }
    sdd_change_advance, "Advance change", Adds,
        "Save the document of the change's stage and go on."
        => AdvanceChange { content = "the document", title = "default: the stage" }
    sdd_change_status, "Change status", Sets,
        "Where the active change stands, or a named one."
        => ChangeStatus {
            change_id = "default: the active one", drop = "drop the active change; its files stay",
            max_tokens = ANSWER_BUDGET,
        }
    sdd_adr, "Record decision", Adds,
        "Save a numbered decision record." => Adr {
            title = "the decision in short", context = "what led to it",
            decision = "what was decided", rationale = "why",
            alternatives_rejected = "and why not",
            status = "default accepted",
        }
    sdd_context_check, "Check context", Reads,
        "Before a change: artifacts, relevant earlier changes, explorations and convention \
         files." => ContextCheck {
            change_description = "what is about to change",
            project_name = "in memory, default: the folder", reading.detail as "detail_level" = DETAIL,
            reading.max_tokens as "max_tokens" = MAX_TOKENS,
        }
    sdd_explore, "Explore", Sets,
        "Remember thoughts before a change; the same title adds to them."
        => Exploring {
            explore.title as "title" = "the subject", explore.goals as "goals" = "what for",
            explore.constraints as "constraints" = "what is fixed",
            explore.preferences as "preferences" = "what would be nice",
            explore.unknowns as "unknowns" = "open questions",
            explore.decisions as "decisions" = "what is settled",
            explore.project as "project" = "in memory, default: the folder", max_tokens = ANSWER_BUDGET,
        }
}

pub(crate) type Job = Box<dyn FnOnce(&Notebook) -> Result<Done, SpecsError> + Send>;

/// What a writing tool does, with its arguments read.
pub(crate) fn write(name: &str, args: &Arguments, now: Timestamp) -> Result<Job, String> {
    Ok(match name {
        "sdd_init_project" => job(Notebook::init_project, sdd_init_project(args)?, now),
        "sdd_create_proposal" => job(Notebook::create_proposal, sdd_create_proposal(args)?, now),
        "sdd_generate_requirements" => {
            job(Notebook::generate_requirements, sdd_generate_requirements(args)?, now)
        }
        "sdd_create_business_rules" => {
            job(Notebook::create_business_rules, sdd_create_business_rules(args)?, now)
        }
        "sdd_create_design" => job(Notebook::create_design, sdd_create_design(args)?, now),
        "sdd_create_tasks" => job(Notebook::create_tasks, sdd_create_tasks(args)?, now),
        "sdd_validate" => job(Notebook::validate, sdd_validate(args)?, now),
        "sdd_change" => job(Notebook::start_change, sdd_change(args)?, now),
        "sdd_change_advance" => job(Notebook::advance_change, sdd_change_advance(args)?, now),
        "sdd_adr" => job(Notebook::adr, sdd_adr(args)?, now),
        other => return Err(format!("{other} is no tool of the notebook")),
    })
}

fn job<A: Send + 'static>(
    method: fn(&Notebook, &A, Timestamp) -> Result<Done, SpecsError>,
    ask: A,
    now: Timestamp,
) -> Job {
    Box::new(move |notebook| method(notebook, &ask, now))
}
