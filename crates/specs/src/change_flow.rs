//! Which stages a change goes through: by what it is and how large it is (SDD-3).

use crate::{SpecsError, stage::choose};

/// What a change is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChangeType {
    /// Something new.
    #[default]
    Feature,
    /// Something wrong made right.
    Fix,
    /// The same, built otherwise.
    Refactor,
    /// Something there made better.
    Enhancement,
}

impl ChangeType {
    /// The types.
    pub const ALL: [Self; 4] = [Self::Feature, Self::Fix, Self::Refactor, Self::Enhancement];

    pub fn name(self) -> &'static str {
        match self {
            Self::Feature => "feature",
            Self::Fix => "fix",
            Self::Refactor => "refactor",
            Self::Enhancement => "enhancement",
        }
    }

    /// The type with this name.
    pub fn parse(name: &str) -> Result<Self, SpecsError> {
        choose("type", name, Self::ALL, Self::name)
    }
}

/// How large a change is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChangeSize {
    /// Hours.
    #[default]
    Small,
    /// Days.
    Medium,
    /// Weeks.
    Large,
}

impl ChangeSize {
    /// The sizes.
    pub const ALL: [Self; 3] = [Self::Small, Self::Medium, Self::Large];

    pub fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
        }
    }

    /// The size with this name.
    pub fn parse(name: &str) -> Result<Self, SpecsError> {
        choose("size", name, Self::ALL, Self::name)
    }
}

/// The stages of a change. The first says what and why, the second looks at what is
/// there, the last sees that it holds.
pub fn flow(kind: ChangeType, size: ChangeSize) -> &'static [&'static str] {
    use {ChangeSize::*, ChangeType::*};
    match (kind, size) {
        (Feature, Small) => &["propose", "context-check", "spec", "tasks", "verify"],
        (Feature, Medium) => &["propose", "context-check", "spec", "design", "tasks", "verify"],
        (Feature | Enhancement, Large) => {
            &["propose", "context-check", "spec", "clarify", "design", "tasks", "verify"]
        }
        (Enhancement, Medium) => &["propose", "context-check", "spec", "tasks", "verify"],
        (Fix | Enhancement, Small) => &["describe", "context-check", "tasks", "verify"],
        (Fix, Medium) => &["describe", "context-check", "spec", "tasks", "verify"],
        (Fix, Large) => &["describe", "context-check", "spec", "design", "tasks", "verify"],
        (Refactor, Small) => &["scope", "context-check", "tasks", "verify"],
        (Refactor, Medium) => &["scope", "context-check", "design", "tasks", "verify"],
        (Refactor, Large) => &["scope", "context-check", "spec", "design", "tasks", "verify"],
    }
}

/// What is expected at a stage of a change.
pub(crate) fn expects(stage: &str) -> &'static str {
    match stage {
        "propose" => "what it is for, for whom, and how one sees that it works",
        "describe" => "what happens, what should happen, and how to see it",
        "scope" => "what is rebuilt, why, and what must stay as it is",
        "context-check" => "what sdd_context_check found, and what it means for this change",
        "spec" => "what must hold afterwards, point by point",
        "clarify" => "the open questions with their answers",
        "design" => "how it is built, and what was decided against",
        "tasks" => "the steps in order, each with how to see that it is done",
        "verify" => "what was run and seen, against each point, with numbers",
        _ => "what belongs to this stage",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sdd_3_every_flow_has_four_to_seven_stages_and_ends_with_verify() {
        for kind in ChangeType::ALL {
            for size in ChangeSize::ALL {
                let flow = flow(kind, size);
                let at = |stage| flow.iter().position(|one| *one == stage);
                assert!((4..=7).contains(&flow.len()), "{kind:?} {size:?}");
                assert_eq!(flow.last(), Some(&"verify"));
                let check = at("context-check").unwrap();
                for work in ["spec", "clarify", "design", "tasks", "verify"] {
                    assert!(at(work).is_none_or(|at| at > check), "{kind:?} {size:?}: {work}");
                }
                let mut once = flow.to_vec();
                once.sort_unstable();
                once.dedup();
                assert_eq!(once.len(), flow.len(), "one file for each stage");
            }
            let lengths = ChangeSize::ALL.map(|size| flow(kind, size).len());
            assert!(lengths.is_sorted(), "a larger change has no fewer stages");
        }
    }
}
