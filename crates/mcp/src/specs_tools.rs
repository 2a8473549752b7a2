//! The fifteen tools of the spec notebook.

use plimsoll_domain::Timestamp;
use plimsoll_specs::{
    Adr, AdvanceChange, BusinessRules, Clarify, ContextCheck, Design, Done, Explore, GetContext,
    InitProject, Notebook, Proposal, Requirements, SpecsError, StartChange, Tasks, Validation,
};

use crate::{
    arguments::Arguments,
    table::{Effect, Kind, MAX_TOKENS, Part, ToolSpec, param, tools},
};

/// What `sdd_change_status` takes.
#[derive(Default)]
pub(crate) struct ChangeStatus {
    pub(crate) change_id: Option<String>,
    pub(crate) drop: bool,
}

tools! { SPECS_TOOLS of Specs;
    sdd_init_project, "Start notebook", Adds,
        "Start a spec notebook in sdd/ of the project."
        => InitProject { name, description, mode = "default guided" }
    sdd_create_proposal, "Write proposal", Adds,
        "Stage propose: checks and saves proposal.md, goes on to specify." => Proposal {
            problem, target_users, solution, success_criteria, out_of_scope, open_questions,
        }
    sdd_generate_requirements, "Write requirements", Adds,
        "Stage specify: checks and saves requirements.md, goes on to business-rules." => Requirements {
            must_have, should_have, could_have, wont_have, non_functional, constraints,
            assumptions, dependencies,
        }
    sdd_create_business_rules, "Write business rules", Adds,
        "Stage business-rules: checks and saves business-rules.md, goes on to clarify."
        => BusinessRules { definitions, facts, constraints, derivations, glossary }
    sdd_clarify, "Clarify", Adds,
        "Stage clarify: without arguments the questions; with answers and scores, saves them \
         and goes on to design when enough is clear."
        => Clarify { answers, dimension_scores: Json = "target_users: 80, … (0-100, all 8)" }
    sdd_create_design, "Write design", Adds,
        "Stage design: checks and saves design.md, goes on to tasks." => Design {
            overview, tech_stack, components, data_model, api_contracts, security, infrastructure,
        }
    sdd_create_tasks, "Write tasks", Adds,
        "Stage tasks: checks and saves tasks.md, goes on to validate."
        => Tasks { tasks, estimated_effort, dependency_graph, acceptance_criteria }
    sdd_validate, "Validate", Adds,
        "Stage validate: saves validation.md. FAIL keeps the stage open." => Validation {
            requirements_coverage, component_coverage, consistency_issues, verdict,
            recommendations,
        }
    sdd_get_context, "Read notebook", Reads,
        "At which stage the project is, what to call next, and what its documents say." => GetContext {
            stage, reading.detail as "detail_level" = "default summary",
            reading.max_tokens as "max_tokens" = MAX_TOKENS,
        }
    sdd_change, "Start change", Adds,
        "Start a change; type and size give its 4 to 7 stages. One at a time."
        => StartChange { kind as "type", size, description }
    sdd_change_advance, "Advance change", Adds,
        "Save the document of the change's stage and go on."
        => AdvanceChange { content, title }
    sdd_change_status, "Change status", Sets,
        "Where the active change stands, or a named one."
        => ChangeStatus { change_id, drop = "drop the active change; its files stay" }
    sdd_adr, "Record decision", Adds,
        "Save a numbered decision record." => Adr {
            title, context, decision, rationale, alternatives_rejected,
            status = "default accepted",
        }
    sdd_context_check, "Check context", Reads,
        "Before a change: artifacts, relevant earlier changes, explorations and convention \
         files." => ContextCheck {
            change_description, project_name, reading.detail as "detail_level",
            reading.max_tokens as "max_tokens" = MAX_TOKENS,
        }
    sdd_explore, "Explore", Sets,
        "Remember thoughts before a change; the same title adds to them."
        => Explore { title, goals, constraints, preferences, unknowns, decisions, project }
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
        "sdd_clarify" => job(Notebook::clarify, sdd_clarify(args)?, now),
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
