//! What the tools of the stages take. All texts come from a model; blank is missing.

use crate::{
    Mode, SpecsError, Stage,
    document::{Field, optional, required},
    stage::choose,
};

/// A stage's document, as its arguments describe it.
pub(crate) trait StageDocument {
    /// The stage.
    const STAGE: Stage;
    /// The first words of its title.
    const TITLE: &'static str;
    /// Its fields in reading order.
    fn fields(&self) -> Vec<Field<'_>>;
}

/// What `sdd_init_project` takes.
#[derive(Clone, Debug, Default)]
pub struct InitProject {
    /// The project's name.
    pub name: String,
    pub description: String,
    /// How strict clarifying is.
    pub mode: Mode,
}

/// What `sdd_create_proposal` takes.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Proposal {
    pub problem: String,
    pub target_users: String,
    pub solution: String,
    pub success_criteria: String,
    pub out_of_scope: Option<String>,
    pub open_questions: Option<String>,
}

impl StageDocument for Proposal {
    const STAGE: Stage = Stage::Propose;
    const TITLE: &'static str = "Proposal";

    fn fields(&self) -> Vec<Field<'_>> {
        vec![
            required("problem", "Problem", &self.problem),
            required("target_users", "Target users", &self.target_users),
            required("solution", "Solution", &self.solution),
            required("success_criteria", "Success criteria", &self.success_criteria),
            optional("out_of_scope", "Out of scope", &self.out_of_scope),
            optional("open_questions", "Open questions", &self.open_questions),
        ]
    }
}

/// What `sdd_generate_requirements` takes.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Requirements {
    pub must_have: String,
    pub should_have: Option<String>,
    pub could_have: Option<String>,
    pub wont_have: Option<String>,
    pub non_functional: String,
    pub constraints: Option<String>,
    pub assumptions: Option<String>,
    pub dependencies: Option<String>,
}

impl StageDocument for Requirements {
    const STAGE: Stage = Stage::Specify;
    const TITLE: &'static str = "Requirements";

    fn fields(&self) -> Vec<Field<'_>> {
        vec![
            required("must_have", "Must have", &self.must_have),
            optional("should_have", "Should have", &self.should_have),
            optional("could_have", "Could have", &self.could_have),
            optional("wont_have", "Will not have", &self.wont_have),
            required("non_functional", "Non-functional", &self.non_functional),
            optional("constraints", "Constraints", &self.constraints),
            optional("assumptions", "Assumptions", &self.assumptions),
            optional("dependencies", "Dependencies", &self.dependencies),
        ]
    }
}

/// What `sdd_create_business_rules` takes.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct BusinessRules {
    pub definitions: String,
    pub facts: String,
    pub constraints: String,
    pub derivations: Option<String>,
    pub glossary: Option<String>,
}

impl StageDocument for BusinessRules {
    const STAGE: Stage = Stage::BusinessRules;
    const TITLE: &'static str = "Business rules";

    fn fields(&self) -> Vec<Field<'_>> {
        vec![
            required("definitions", "Definitions", &self.definitions),
            required("facts", "Facts", &self.facts),
            required("constraints", "Constraints", &self.constraints),
            optional("derivations", "Derivations", &self.derivations),
            optional("glossary", "Glossary", &self.glossary),
        ]
    }
}

/// What `sdd_create_design` takes.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Design {
    pub overview: String,
    pub tech_stack: String,
    pub components: String,
    pub data_model: String,
    pub api_contracts: Option<String>,
    pub security: Option<String>,
    pub infrastructure: Option<String>,
}

impl StageDocument for Design {
    const STAGE: Stage = Stage::Design;
    const TITLE: &'static str = "Design";

    fn fields(&self) -> Vec<Field<'_>> {
        vec![
            required("overview", "Overview", &self.overview),
            required("tech_stack", "Tech stack", &self.tech_stack),
            required("components", "Components", &self.components),
            required("data_model", "Data model", &self.data_model),
            optional("api_contracts", "API contracts", &self.api_contracts),
            optional("security", "Security", &self.security),
            optional("infrastructure", "Infrastructure", &self.infrastructure),
        ]
    }
}

/// What `sdd_create_tasks` takes.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Tasks {
    pub tasks: String,
    pub estimated_effort: Option<String>,
    pub dependency_graph: Option<String>,
    pub acceptance_criteria: Option<String>,
}

impl StageDocument for Tasks {
    const STAGE: Stage = Stage::Tasks;
    const TITLE: &'static str = "Tasks";

    fn fields(&self) -> Vec<Field<'_>> {
        vec![
            required("tasks", "Tasks", &self.tasks),
            optional("estimated_effort", "Estimated effort", &self.estimated_effort),
            optional("dependency_graph", "Dependency graph", &self.dependency_graph),
            optional("acceptance_criteria", "Acceptance criteria", &self.acceptance_criteria),
        ]
    }
}

/// Whether the spec holds together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Verdict {
    /// It does.
    Pass,
    /// It does, with something to watch.
    PassWithWarnings,
    /// It does not; the stage stays open.
    #[default]
    Fail,
}

impl Verdict {
    /// The verdicts.
    pub const ALL: [Self; 3] = [Self::Pass, Self::PassWithWarnings, Self::Fail];

    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::PassWithWarnings => "PASS_WITH_WARNINGS",
            Self::Fail => "FAIL",
        }
    }

    /// The verdict with this name.
    pub fn parse(name: &str) -> Result<Self, SpecsError> {
        choose("verdict", name, Self::ALL, Self::name)
    }
}

/// What `sdd_validate` takes.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Validation {
    pub requirements_coverage: String,
    pub component_coverage: String,
    pub consistency_issues: String,
    pub verdict: Verdict,
    pub recommendations: Option<String>,
}

impl StageDocument for Validation {
    const STAGE: Stage = Stage::Validate;
    const TITLE: &'static str = "Validation";

    fn fields(&self) -> Vec<Field<'_>> {
        vec![
            required("verdict", "Verdict", self.verdict.name()),
            required("requirements_coverage", "Requirements coverage", &self.requirements_coverage),
            required("component_coverage", "Component coverage", &self.component_coverage),
            required("consistency_issues", "Consistency issues", &self.consistency_issues),
            optional("recommendations", "Recommendations", &self.recommendations),
        ]
    }
}
