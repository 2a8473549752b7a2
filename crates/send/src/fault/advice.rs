//! What people are told (FAU-7, FAU-8).

use plimsoll_domain::plain_name;

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

    /// The name of the action for a surface that binds it to a key or a button.
    pub fn name(self) -> &'static str {
        match self {
            Self::SmallerFile => "smaller-file",
            Self::ClearHistory => "clear",
            Self::LargerModel => "larger-model",
            Self::LowerOutput => "shorter-answer",
        }
    }
}

/// What a request held that can be made smaller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held<'a> {
    /// The name of its largest file.
    pub file: Option<&'a str>,
    /// How many earlier pairs the last call sent along.
    pub pairs: usize,
}

/// The line in the pair: `[error: <short>] <message>` (FAU-8).
pub fn headline(fault: &Fault) -> String {
    format!("[error: {}] {}", fault.short(), fault.message)
}

/// Explains a token limit: what happened, with the numbers. Every other fault has no
/// explanation: its own message is shown as it is (FAU-7).
pub fn explain(fault: &Fault, held: Held<'_>) -> Option<String> {
    // What was not sent is not to blame.
    let what = match held {
        Held { pairs: 1.., .. } => "The conversation".to_owned(),
        Held { file: Some(name), .. } => {
            format!("The message with {}", plain_name(name))
        }
        Held { file: None, .. } => "The message".to_owned(),
    };
    let text = match (fault.label, fault.subkind) {
        (Label::Overflow, Some(Subkind::Tpm)) => {
            "This request is larger than the tokens your account may use in a minute".to_owned()
        }
        (Label::Overflow, _) => format!("{what} is too long for this model"),
        (Label::OverflowOutput, Some(Subkind::OutputCap)) => {
            "The answer you asked for is longer than this model can write".to_owned()
        }
        (Label::OverflowOutput, _) => {
            format!("{what} and the answer together are too long for this model")
        }
        _ => return None,
    };
    Some(sentence(&text, fault))
}

/// What helps a pair that ended with this code, as buttons, the most likely first (FAU-7).
/// `history` says whether earlier pairs were meant to go along; without any, or without a
/// file, the actions about them do not apply.
pub fn actions(code: &str, file: bool, history: bool) -> Vec<Action> {
    if code == Label::OverflowOutput.name() {
        // A sum of input and output is trimmed first; this is an answer that is too long.
        return vec![Action::LowerOutput, Action::LargerModel];
    }
    if crate::short_label(code) != Label::Overflow.short() {
        return Vec::new();
    }
    let all =
        [(file, Action::SmallerFile), (history, Action::ClearHistory), (true, Action::LargerModel)];
    all.into_iter().filter(|(applies, _)| *applies).map(|(_, action)| action).collect()
}

/// How long the provider asks to wait, in words (FAU-6).
pub fn asks_to_wait(fault: &Fault) -> Option<String> {
    Some(format!("the provider asks to wait {}", wait_words(fault.retry_after?)))
}

/// A time to wait as people say it: `12 s`, `3 min`, `24 h`.
pub fn wait_words(time: std::time::Duration) -> String {
    let seconds = time.as_secs_f64().ceil() as u64;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3600)),
    }
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
