//! What people are told (FAU-7, FAU-8).

use std::time::Duration;

use plimsoll_domain::plain_name;
use plimsoll_tokens::commas;

use crate::{Fault, Label, Subkind};

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

/// Explains a token limit: what happened, with the numbers that are known. Every other fault
/// has no explanation: its own message is shown as it is (FAU-7).
pub fn explain(fault: &Fault, held: Held<'_>) -> Option<String> {
    // What was not sent is not to blame.
    let sent = match held {
        Held { pairs: 1.., .. } => "The conversation".to_owned(),
        Held { file: Some(name), .. } => format!("The message with {}", plain_name(name)),
        Held { file: None, .. } => "The message".to_owned(),
    };
    let what = match (fault.label, fault.subkind) {
        (Label::Overflow, Some(Subkind::Tpm)) => {
            "This request is larger than the tokens your account may use in a minute".to_owned()
        }
        (Label::Overflow, _) => format!("{sent} is too long for this model"),
        (Label::OverflowOutput, Some(Subkind::OutputCap)) => {
            "The answer you asked for is longer than this model can write".to_owned()
        }
        (Label::OverflowOutput, _) => {
            format!("{sent} and the answer together are too long for this model")
        }
        _ => return None,
    };
    Some(match (fault.requested.map(commas), fault.limit.map(commas)) {
        (Some(requested), Some(limit)) => {
            format!("{what}: {requested} tokens, and the limit is {limit}.")
        }
        (None, Some(limit)) => format!("{what}: the limit is {limit} tokens."),
        (Some(requested), None) => format!("{what}: {requested} tokens."),
        (None, None) => format!("{what}."),
    })
}

/// How long the provider asks to wait, in words (FAU-6).
pub fn asks_to_wait(fault: &Fault) -> Option<String> {
    Some(format!("the provider asks to wait {}", wait_words(fault.retry_after?)))
}

/// A time to wait as people say it: `12 s`, `3 min`, `24 h`.
pub fn wait_words(time: Duration) -> String {
    let seconds = time.as_secs_f64().ceil() as u64;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3600)),
    }
}

#[cfg(test)]
#[path = "advice_tests.rs"]
mod tests;
