//! Words for people that more than one command says.

use plimsoll_budget::Suggestion;
use plimsoll_tokens::commas;

use crate::output::printable;

/// A suggestion as a person would say it.
pub(crate) fn suggestion(suggestion: &Suggestion) -> String {
    match suggestion {
        Suggestion::TrimAsNeeded => "send it and trim as needed".to_owned(),
        Suggestion::FitFirst { pairs: 1 } => "fit first: leave the oldest pair ashore".to_owned(),
        Suggestion::FitFirst { pairs } => {
            format!("fit first: leave the {pairs} oldest pairs ashore")
        }
        Suggestion::DetachFile { name, tokens } => {
            format!("detach {} ({} tokens)", printable(name), commas(*tokens))
        }
        Suggestion::AttachOnDemand { name, frees } => {
            format!("attach {} on demand (frees {})", printable(name), commas(*frees))
        }
        Suggestion::SwitchModel { models } => {
            format!("switch to a larger model: {}", printable(&models.join(", ")))
        }
        Suggestion::ClearHistory { frees } => {
            format!("clear the history with a filter (frees {} tokens)", commas(*frees))
        }
        Suggestion::ShortenMessage { tokens } => {
            format!("shorten the message by {} tokens", commas(*tokens))
        }
    }
}
