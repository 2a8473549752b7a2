//! Words for people that more than one command says.

use plimsoll_app::Sent;
use plimsoll_budget::Catalog;
use plimsoll_domain::{Delivery, ends_in_a_circle};
use plimsoll_fault as fault;
use plimsoll_send::{AttachedFile, MAX_TOOL_ROUNDS, Outcome, Plan, SendError, Suggestion};
use plimsoll_tokens::{commas, dollars, dollars_at_most};

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

/// Why an answer was cut: what repeats itself is not cut by its length.
pub(crate) fn cut(answer: &str) -> String {
    match ends_in_a_circle(answer) {
        true => "the answer repeats itself and was stopped; a larger model, or a shorter message, \
                 may do better (`/out` in chat leaves it out of the next message)"
            .to_owned(),
        false => "the answer was cut by its length; say \"go on\" for the rest".to_owned(),
    }
}

/// The name of an attached file.
pub(crate) fn attached_name(one: &AttachedFile) -> String {
    match &one.file {
        Ok(file) => printable(&file.name),
        Err(broken) => format!("broken: {broken}"),
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
        Delivery::Text => "its text",
    });
    let length = file.extracted().filter(|_| one.delivery == Delivery::Text);
    let length = length.and_then(|text| text.length.as_ref());
    let length = length.map_or_else(String::new, |length| format!(" ({length})"));
    let note = one.note.as_ref().map_or_else(String::new, |note| format!("; {note}"));
    format!("{}: {how}{length}, {} tokens{note}", printable(&file.name), commas(one.tokens))
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

/// What the prompt of a plan costs, where its price is known (UI-18).
pub(crate) fn cost(plan: &Plan) -> Option<String> {
    let cost = plan.cost()?;
    if plan.model().price.is_some_and(|price| price.is_free()) {
        return Some("free".to_owned());
    }
    let cached = cost.cached.map_or_else(String::new, |cached| {
        format!(", {} if the last beginning is still cached", dollars(cached))
    });
    Some(format!("{}{cached}; the answer is not counted", dollars_at_most(cost.most)))
}

/// Models whose names are much like one that nobody knows, the likeliest first. A known name has
/// none.
pub(crate) fn similar_models(catalog: &Catalog, wrong: &str) -> Vec<String> {
    /// As many are offered.
    const MOST: usize = 3;
    if catalog.find(wrong).is_some() {
        return Vec::new();
    }
    // `gpt4o` means `gpt-4o`: how a name is written in pieces is what people forget.
    let plain = |name: &str| -> String {
        let letters = name.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let wanted = plain(wrong);
    let mut close: Vec<(f64, &str)> = (catalog.models().iter())
        .filter(|model| model.enabled)
        .map(|model| (strsim::jaro_winkler(&plain(&model.id), &wanted), model.id.as_str()))
        .filter(|(likeness, _)| *likeness > 0.87)
        .collect();
    close.sort_by(|a, b| b.0.total_cmp(&a.0));
    close.into_iter().take(MOST).map(|(_, id)| id.to_owned()).collect()
}

/// What to say where a name that nobody knows was probably mistyped; nothing for one that may well
/// be a model of its own. A name with other digits is another version, not a mistake.
pub(crate) fn misspelt_model(catalog: &Catalog, name: &str) -> Option<String> {
    let digits = |name: &str| -> String { name.chars().filter(char::is_ascii_digit).collect() };
    let meant = similar_models(catalog, name).into_iter().find(|id| digits(id) == digits(name))?;
    Some(format!("no model is known as '{name}'; did you mean '{meant}'?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_model_has_suggestions() {
        let catalog = plimsoll_config::shipped_catalog().unwrap();
        let first = |wrong: &str| similar_models(&catalog, wrong).into_iter().next();
        assert_eq!(first("gpt4o").as_deref(), Some("gpt-4o"));
        assert_eq!(first("GPT_4o-mini").as_deref(), Some("gpt-4o-mini"));
        assert_eq!(first("phi3-mini-4k").as_deref(), Some("phi-3-mini-4k"));
        assert_eq!(first("gpt-4o"), None, "it is known");
        assert_eq!(first("my-own-thing"), None);
    }

    #[test]
    fn a_name_that_may_be_another_model_is_no_mistake() {
        let catalog = plimsoll_config::shipped_catalog().unwrap();
        for wrong in ["gpt4o", "GPT_4o-mini", "claude-sonet-5", "phi3-mini-4k"] {
            assert!(misspelt_model(&catalog, wrong).is_some(), "{wrong}");
        }
        for plausible in ["gpt-4o", "gpt-9", "my-own-thing", "llama-9.1-1b", "acme-large", ""] {
            assert_eq!(misspelt_model(&catalog, plausible), None);
        }
    }

    #[test]
    fn a_wrong_word_finds_the_one_that_was_meant() {
        let known = ["filter", "flag", "model", "quit"];
        assert_eq!(nearest("fliter", known), Some("filter"));
        assert_eq!(nearest("modle", known), Some("model"));
        assert_eq!(nearest("xyz", known), None);
        assert_eq!(nearest("", known), None);
    }
}
