//! A request that is over the limit: what could be done, and doing it (VAL-3).

use plimsoll_app::{ContextFrom, Label, Prepared};
use plimsoll_budget::OverBudget;
use plimsoll_domain::{PairId, PairUse};
use plimsoll_send::Suggestion;
use plimsoll_tokens::commas;

use super::Chat;
use crate::{
    failure::{Failure, note, say},
    output::printable,
    words,
};

/// What is said when a new context begins (UI-17).
pub(super) const NEW_CONTEXT: &str =
    "a new context begins here; earlier pairs are not sent, /clear off brings them back";

/// Something that can be chosen by a key.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Choice {
    Trim,
    Fit,
    Switch(String),
    ClearHistory,
    Forget(String),
    Unpin(Vec<PairId>),
}

/// What can be chosen: a key, what it does in words, and what it does.
fn choices(suggestions: &[Suggestion]) -> Vec<(String, String, Choice)> {
    let mut choices = Vec::new();
    for suggestion in suggestions {
        let said = words::suggestion(suggestion);
        match suggestion {
            Suggestion::TrimAsNeeded => choices.push(("t".to_owned(), said, Choice::Trim)),
            Suggestion::SendAnyway => {
                let said = "send it anyway: the provider decides".to_owned();
                choices.push(("t".to_owned(), said, Choice::Trim));
            }
            Suggestion::ForgetLearned { model } => {
                let said = "forget the learned limit".to_owned();
                choices.push(("l".to_owned(), said, Choice::Forget(model.clone())));
            }
            Suggestion::FitFirst { .. } => choices.push(("f".to_owned(), said, Choice::Fit)),
            Suggestion::Unpin { pairs, .. } => {
                choices.push(("u".to_owned(), said, Choice::Unpin(pairs.clone())));
            }
            Suggestion::SwitchModel { models } => {
                for (number, model) in models.iter().enumerate() {
                    let said = format!("switch to {}", printable(model));
                    choices.push(((number + 1).to_string(), said, Choice::Switch(model.clone())));
                }
            }
            Suggestion::ClearHistory { .. } => {
                choices.push(("h".to_owned(), said, Choice::ClearHistory));
            }
            Suggestion::DetachFile { .. }
            | Suggestion::AttachOnDemand { .. }
            | Suggestion::SetWindow { .. }
            | Suggestion::ShortenMessage { .. } => {}
        }
    }
    choices
}

impl Chat<'_> {
    /// Says what is too much and does what is chosen. False if nothing is to be sent: then
    /// the words are still in the history of lines.
    pub(super) async fn lighten(
        &mut self,
        prepared: &Prepared,
        policy: &mut OverBudget,
    ) -> Result<bool, Failure> {
        let plan = &prepared.plan;
        let excess = commas(plan.validation.excess);
        let alone = plan.weights.alone() > plan.weights.limit;
        let what = if alone { "The message alone is" } else { "The request is" };
        let limit = commas(plan.weights.limit);
        let doubt = plan.limit().doubt().map(|doubt| format!(" ({doubt})")).unwrap_or_default();
        let said = format!("{what} over the limit of {limit} tokens{doubt} by {excess}.");
        let suggestions = self.opened.reachable(plan).await;
        let nobody = self.editor.is_none();
        if nobody || *policy == OverBudget::Block {
            self.failed = true;
            say(&format!("[error: context] {said}"));
            for suggestion in &suggestions {
                note(&words::suggestion(suggestion));
            }
            return Ok(false);
        }
        say(&said);
        let choices = choices(&suggestions);
        for suggestion in
            suggestions.iter().filter(|one| matches!(one, Suggestion::SetWindow { .. }))
        {
            note(&words::suggestion(suggestion));
        }
        for (key, said, _) in &choices {
            say(&format!("  [{key}] {said}"));
        }
        say("  [c] cancel");
        while let Some(answer) = self.question("your choice › ")? {
            if matches!(answer.as_str(), "c" | "cancel") {
                break;
            }
            match choices.iter().find(|(key, ..)| *key == answer) {
                Some((.., choice)) => return self.carry_out(choice, policy).await,
                None => {
                    let keys: Vec<&str> = choices.iter().map(|(key, ..)| key.as_str()).collect();
                    note(&format!("it is one of {}, c", keys.join(", ")));
                }
            }
        }
        note("nothing was sent; the up arrow brings your message back");
        Ok(false)
    }

    async fn carry_out(
        &mut self,
        choice: &Choice,
        policy: &mut OverBudget,
    ) -> Result<bool, Failure> {
        let mut workspace_view = self.workspace_view.lock().await;
        let mut view = workspace_view.view().clone();
        match choice {
            Choice::Trim => *policy = OverBudget::Trim,
            Choice::Fit => *policy = OverBudget::Fit,
            Choice::Switch(model) => view.model = Some(model.clone()),
            Choice::Forget(model) => self.app.forget_learned(model).await?,
            Choice::Unpin(pairs) => {
                let workspace = workspace_view.workspace();
                self.app.label(workspace, pairs, Label::Use(PairUse::Auto)).await?;
            }
            Choice::ClearHistory => {
                let (at, within) = (workspace_view.workspace(), workspace_view.within());
                self.app.set_context_from(at, within, ContextFrom::Now).await?;
                note(NEW_CONTEXT);
            }
        }
        if view != *workspace_view.view() {
            workspace_view.choose(self.app, view).await?;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn val_3_everything_that_can_be_done_here_has_a_key_of_its_own() {
        let suggestions = [
            Suggestion::TrimAsNeeded,
            Suggestion::FitFirst { pairs: 2 },
            Suggestion::SwitchModel { models: vec!["a".to_owned(), "b\x1b".to_owned()] },
            Suggestion::ClearHistory { frees: 9 },
            Suggestion::ShortenMessage { tokens: 5 },
        ];
        let choices = choices(&suggestions);
        let keys: Vec<&str> = choices.iter().map(|(key, ..)| key.as_str()).collect();
        assert_eq!(keys, ["t", "f", "1", "2", "h"]);
        assert_eq!(choices[3].1, "switch to b\u{fffd}");
    }
}
