//! Words for people that more than one command says.

use plimsoll_app::Sent;
use plimsoll_domain::Delivery;
use plimsoll_fault as fault;
use plimsoll_send::{AttachedFile, MAX_TOOL_ROUNDS, Outcome, SendError, Suggestion};
use plimsoll_tokens::commas;

use crate::output::printable;

/// A suggestion as a person would say it.
pub(crate) fn suggestion(suggestion: &Suggestion) -> String {
    match suggestion {
        Suggestion::TrimAsNeeded => "send it and trim as needed".to_owned(),
        Suggestion::SendAnyway => {
            "send it anyway: the provider decides (--over-budget trim)".to_owned()
        }
        Suggestion::SetWindow { model, .. } => {
            format!(
                "say how large its window is: plimsoll models {} --window TOKENS",
                printable(model)
            )
        }
        Suggestion::ForgetLearned { model } => {
            format!("forget the learned limit: plimsoll models {} --forget", printable(model))
        }
        Suggestion::FitFirst { pairs: 1 } => "fit first: leave the oldest pair ashore".to_owned(),
        Suggestion::FitFirst { pairs } => {
            format!("fit first: leave the {pairs} oldest pairs ashore")
        }
        Suggestion::Unpin { pairs, frees } => {
            let what = if pairs.len() == 1 { "the pinned pair" } else { "the pinned pairs" };
            format!("unpin {what} (frees {} tokens)", commas(*frees))
        }
        Suggestion::DetachFile { name, tokens } => {
            format!("try a smaller file than {} ({} tokens)", printable(name), commas(*tokens))
        }
        Suggestion::AttachOnDemand { name, frees } => {
            format!("attach {} on demand (frees {})", printable(name), commas(*frees))
        }
        Suggestion::SwitchModel { models } => {
            format!("switch to a larger model: {}", printable(&models.join(", ")))
        }
        Suggestion::ClearHistory { frees } => {
            format!("clear the history (frees {} tokens)", commas(*frees))
        }
        Suggestion::ShortenMessage { tokens } => {
            format!("shorten the message by {} tokens", commas(*tokens))
        }
    }
}

/// How a file goes along, and what its model makes of it (DLV-2): the page says it on the
/// chip, a terminal before the send.
pub(crate) fn attached(one: &AttachedFile) -> String {
    let file = match &one.file {
        Ok(file) => file,
        Err(broken) => return format!("an attachment is broken: {broken}"),
    };
    let how = one.instead.unwrap_or(match one.delivery {
        Delivery::Inline => "inline",
        Delivery::OnDemand => "on demand",
        Delivery::Path => "by its path",
    });
    let note = one.note.as_ref().map_or_else(String::new, |note| format!("; {note}"));
    format!("{}: {how}, {} tokens{note}", printable(&file.name), commas(one.tokens))
}

/// What went wrong with a send, in the form of FAU-8, and what to do about it where
/// there is something to say; none if nothing did.
pub(crate) fn trouble(sent: &Sent) -> Option<(String, Option<String>)> {
    let Outcome::Error(error) = &sent.outcome else { return None };
    Some(match error {
        SendError::Provider(fault) | SendError::OverflowAfterTrimming(fault) => {
            let explained = sent.error.as_ref().filter(|_| fault.short() == "context");
            let explained = explained.map(|error| error.message.clone());
            (fault::headline(fault), explained.or_else(|| fault::asks_to_wait(fault)))
        }
        SendError::EmptyAnswer => (
            "[error: server] the answer ended without any text".to_owned(),
            Some("some servers do that when the request is too large".to_owned()),
        ),
        SendError::OutOfRounds => (
            format!(
                "[error: tools] the model used tools in {MAX_TOOL_ROUNDS} rounds, which is the \
                 most, and did not answer"
            ),
            Some("ask again more narrowly, or for an answer from what it has read".to_owned()),
        ),
        SendError::PromptTooLarge => {
            ("[error: context] the message is larger than the model's window".to_owned(), None)
        }
    })
}

/// The word of a list that a wrong one was probably meant to be.
pub(crate) fn nearest<'a>(
    wrong: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let close = |word: &&str| strsim::jaro_winkler(wrong, word);
    known.into_iter().filter(|word| close(word) > 0.7).max_by(|a, b| close(a).total_cmp(&close(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_word_finds_the_one_that_was_meant() {
        let known = ["filter", "flag", "model", "quit"];
        assert_eq!(nearest("fliter", known), Some("filter"));
        assert_eq!(nearest("modle", known), Some("model"));
        assert_eq!(nearest("xyz", known), None);
        assert_eq!(nearest("", known), None);
    }
}
