//! What people are told (FAU-7, FAU-8).

use super::{Fault, Label, Subkind};

/// Something the user can do about a token limit, offered as a working button.
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
}

/// A token limit in words, with what helps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What happened.
    pub text: String,
    /// What helps, the most likely first.
    pub actions: &'static [Action],
}

/// The line in the pair: `[error: <short>] <message>` (FAU-8).
pub fn headline(fault: &Fault) -> String {
    format!("[error: {}] {}", fault.short(), fault.message)
}

/// Explains a token limit. Every other fault has no advice: its own message is shown
/// as it is (FAU-7).
pub fn explain(fault: &Fault) -> Option<Advice> {
    let advice = match (fault.label, fault.subkind) {
        (Label::Overflow, Some(Subkind::Tpm)) => Advice {
            text: sentence(
                "This request is larger than the tokens your account may use in a minute",
                fault,
            ),
            actions: &[Action::ClearHistory, Action::SmallerFile, Action::LargerModel],
        },
        (Label::Overflow, _) => Advice {
            text: sentence("The conversation is too long for this model", fault),
            actions: &[Action::SmallerFile, Action::ClearHistory, Action::LargerModel],
        },
        (Label::OverflowOutput, Some(Subkind::OutputCap)) => Advice {
            text: sentence("The answer you asked for is longer than this model can write", fault),
            actions: &[Action::LowerOutput, Action::LargerModel],
        },
        (Label::OverflowOutput, _) => Advice {
            text: sentence(
                "The conversation and the answer together are too long for this model",
                fault,
            ),
            actions: &[
                Action::LowerOutput,
                Action::SmallerFile,
                Action::ClearHistory,
                Action::LargerModel,
            ],
        },
        _ => return None,
    };
    Some(advice)
}

/// How long the provider asks to wait, in words (FAU-6).
pub fn asks_to_wait(fault: &Fault) -> Option<String> {
    let seconds = fault.retry_after?.as_secs_f64().ceil() as u64;
    let time = match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3600)),
    };
    Some(format!("the provider asks to wait {time}"))
}

/// Adds the numbers that are known.
fn sentence(what: &str, fault: &Fault) -> String {
    match (fault.requested, fault.limit) {
        (Some(requested), Some(limit)) => {
            format!("{what}: {} tokens, and the limit is {}.", grouped(requested), grouped(limit))
        }
        (None, Some(limit)) => format!("{what}: the limit is {} tokens.", grouped(limit)),
        (Some(requested), None) => format!("{what}: {} tokens.", grouped(requested)),
        (None, None) => format!("{what}."),
    }
}

/// Digits in groups of three, as in `131,072`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
#[path = "advice_tests.rs"]
mod tests;
