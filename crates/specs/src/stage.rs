//! The stages of a project's spec, in order (SDD-1).

use crate::SpecsError;

/// One stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// The notebook is made.
    Init,
    /// What for and for whom.
    Propose,
    /// What it must do.
    Specify,
    /// What holds in the business.
    BusinessRules,
    /// What is still unclear.
    Clarify,
    /// How it is built.
    Design,
    /// In which steps.
    Tasks,
    /// Whether it all fits together.
    Validate,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Self; 8] = [
        Self::Init,
        Self::Propose,
        Self::Specify,
        Self::BusinessRules,
        Self::Clarify,
        Self::Design,
        Self::Tasks,
        Self::Validate,
    ];

    /// Its name in `sdd.json` and in arguments.
    pub fn name(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Propose => "propose",
            Self::Specify => "specify",
            Self::BusinessRules => "business-rules",
            Self::Clarify => "clarify",
            Self::Design => "design",
            Self::Tasks => "tasks",
            Self::Validate => "validate",
        }
    }

    /// The tool that works at this stage.
    pub fn tool(self) -> &'static str {
        match self {
            Self::Init => "sdd_init_project",
            Self::Propose => "sdd_create_proposal",
            Self::Specify => "sdd_generate_requirements",
            Self::BusinessRules => "sdd_create_business_rules",
            Self::Clarify => "sdd_clarify",
            Self::Design => "sdd_create_design",
            Self::Tasks => "sdd_create_tasks",
            Self::Validate => "sdd_validate",
        }
    }

    /// The file that it leaves behind, except the first stage, which leaves `sdd.json`.
    pub fn file(self) -> &'static str {
        match self {
            Self::Init => "sdd.json",
            Self::Propose => "proposal.md",
            Self::Specify => "requirements.md",
            Self::BusinessRules => "business-rules.md",
            Self::Clarify => "clarifications.md",
            Self::Design => "design.md",
            Self::Tasks => "tasks.md",
            Self::Validate => "validation.md",
        }
    }

    /// The one after it.
    pub fn next(self) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| *stage > self)
    }

    /// The stage with this name.
    pub fn parse(name: &str) -> Result<Self, SpecsError> {
        choose("stage", name, Self::ALL, Self::name)
    }
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The choice with this name, in any case; else an error that lists the names.
pub(crate) fn choose<T: Copy, const N: usize>(
    field: &'static str,
    given: &str,
    all: [T; N],
    name: impl Fn(T) -> &'static str,
) -> Result<T, SpecsError> {
    let wanted = given.trim();
    all.into_iter().find(|one| name(*one).eq_ignore_ascii_case(wanted)).ok_or_else(|| {
        SpecsError::NotAChoice {
            field,
            given: wanted.chars().take(60).collect(),
            choices: all.map(name).join(", "),
        }
    })
}
