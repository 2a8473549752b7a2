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

/// A stage's document of texts: the struct that a tool fills, and its fields with their headings
/// in reading order.
macro_rules! documents {
    ($($(#[$doc:meta])* $name:ident of $stage:ident, $title:literal {
        $($need:ident $field:ident: $heading:literal,)*
    })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default)]
        #[allow(missing_docs)]
        pub struct $name {
            $(pub $field: documents!(@$need),)*
        }

        impl StageDocument for $name {
            const STAGE: Stage = Stage::$stage;
            const TITLE: &'static str = $title;

            fn fields(&self) -> Vec<Field<'_>> {
                vec![$($need(stringify!($field), $heading, &self.$field)),*]
            }
        }
    )*};
    (@required) => { String };
    (@optional) => { Option<String> };
}

documents! {
    /// What `sdd_create_proposal` takes.
    Proposal of Propose, "Proposal" {
        required problem: "Problem",
        required target_users: "Target users",
        required solution: "Solution",
        required success_criteria: "Success criteria",
        optional out_of_scope: "Out of scope",
        optional open_questions: "Open questions",
    }
    /// What `sdd_generate_requirements` takes.
    Requirements of Specify, "Requirements" {
        required must_have: "Must have",
        optional should_have: "Should have",
        optional could_have: "Could have",
        optional wont_have: "Will not have",
        required non_functional: "Non-functional",
        optional constraints: "Constraints",
        optional assumptions: "Assumptions",
        optional dependencies: "Dependencies",
    }
    /// What `sdd_create_business_rules` takes.
    BusinessRules of BusinessRules, "Business rules" {
        required definitions: "Definitions",
        required facts: "Facts",
        required constraints: "Constraints",
        optional derivations: "Derivations",
        optional glossary: "Glossary",
    }
    /// What `sdd_create_design` takes.
    Design of Design, "Design" {
        required overview: "Overview",
        required tech_stack: "Tech stack",
        required components: "Components",
        required data_model: "Data model",
        optional api_contracts: "API contracts",
        optional security: "Security",
        optional infrastructure: "Infrastructure",
        optional design_decisions: "Design decisions",
        optional quality_analysis: "Quality analysis",
    }
    /// What `sdd_create_tasks` takes.
    Tasks of Tasks, "Tasks" {
        required tasks: "Tasks",
        optional total_tasks: "Total tasks",
        optional estimated_effort: "Estimated effort",
        optional dependency_graph: "Dependency graph",
        optional wave_assignments: "Wave assignments",
        optional acceptance_criteria: "Acceptance criteria",
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
    pub risk_assessment: Option<String>,
    pub design_quality: Option<String>,
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
            optional("risk_assessment", "Risk assessment", &self.risk_assessment),
            optional("design_quality", "Design quality", &self.design_quality),
            optional("recommendations", "Recommendations", &self.recommendations),
        ]
    }
}
