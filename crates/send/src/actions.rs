//! What a person can do about a send that failed at a token limit (FAU-7).

use plimsoll_fault::Label;

use crate::short_label;

/// Something that helps against a token limit, offered as a working button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Attach less.
    SmallerFile,
    /// Send fewer of the earlier pairs.
    ClearHistory,
    /// Ask a model with a larger window.
    LargerModel,
    /// Ask for a shorter answer.
    LowerOutput,
}

impl Action {
    /// The words on the button.
    pub fn label(self) -> &'static str {
        match self {
            Self::SmallerFile => "Try a smaller file",
            Self::ClearHistory => "Clear conversation history",
            Self::LargerModel => "Switch to a larger context model",
            Self::LowerOutput => "Ask for a shorter answer",
        }
    }

    /// The name by which the page binds the button.
    pub fn name(self) -> &'static str {
        match self {
            Self::SmallerFile => "smaller-file",
            Self::ClearHistory => "clear",
            Self::LargerModel => "larger-model",
            Self::LowerOutput => "shorter-answer",
        }
    }
}

/// What helps a pair that ended with this code, the most likely first. `history` says whether
/// earlier pairs were meant to go along; without any, or without a file, the actions about
/// them do not apply.
pub fn actions(code: &str, file: bool, history: bool) -> Vec<Action> {
    if code == Label::OverflowOutput.name() {
        // A sum of input and output is trimmed first; this is an answer that is too long.
        return vec![Action::LowerOutput, Action::LargerModel];
    }
    if short_label(code) != Label::Overflow.short() {
        return Vec::new();
    }
    let all =
        [(file, Action::SmallerFile), (history, Action::ClearHistory), (true, Action::LargerModel)];
    all.into_iter().filter(|(applies, _)| *applies).map(|(_, action)| action).collect()
}

#[cfg(test)]
mod tests {
    use super::{
        Action::{ClearHistory, LargerModel, LowerOutput, SmallerFile},
        *,
    };

    #[test]
    fn fau_7_other_faults_get_no_actions() {
        let codes =
            ["rate", "quota", "auth", "model", "network", "server", "invalid", "interrupted"];
        for code in codes {
            assert_eq!(actions(code, true, true), [], "{code}");
        }
    }

    /// The three suggestions, the file first, each where it applies.
    #[test]
    fn fau_7_each_action_is_offered_where_it_applies() {
        for code in ["overflow", "context_overflow_after_trimming", "user_prompt_too_large"] {
            assert_eq!(
                actions(code, true, true),
                [SmallerFile, ClearHistory, LargerModel],
                "{code}"
            );
            assert_eq!(actions(code, true, false), [SmallerFile, LargerModel], "{code}");
            assert_eq!(actions(code, false, true), [ClearHistory, LargerModel], "{code}");
            assert_eq!(actions(code, false, false), [LargerModel], "{code}");
        }
        assert_eq!(actions("overflow_output", true, true), [LowerOutput, LargerModel]);
    }

    #[test]
    fn fau_7_the_actions_are_those_of_the_spec() {
        assert_eq!(
            [SmallerFile, ClearHistory, LargerModel].map(Action::label),
            [
                "Try a smaller file",
                "Clear conversation history",
                "Switch to a larger context model"
            ]
        );
    }
}
