//! Summaries (HIS-11), several models for one message (HIS-12), and a message that is sent again
//! (HIS-13).

use plimsoll_app::{AppError, Cancel, Draft, Progress, Purpose, SeenDigest, SendChoices, View};
use plimsoll_domain::{MessagePair, PairId};
use plimsoll_send::Outcome;
use plimsoll_tokens::commas;

use super::{Chat, look::name_of};
use crate::{
    failure::{Failure, note, say},
    words,
};

impl Chat<'_> {
    /// Summarises what there is no room for, or all up to one of the newest visible pairs. What goes
    /// is shown first, where somebody is there to be asked.
    pub(super) async fn summarise(&mut self, nth: Option<usize>) -> Result<(), Failure> {
        let pairs = match nth {
            Some(nth) => {
                let last = self.nth_visible(nth).await?;
                self.workspace_view.lock().await.up_to(self.app, last).await?
            }
            None => self.workspace_view.lock().await.without_room(self.app).await?,
        };
        if pairs.is_empty() {
            return Err(AppError::NothingToSummarise.into());
        }
        let (workspace, view) = self.chosen().await;
        let parts = self.app.plan_summary(&workspace, &view, &pairs).await?;
        let tokens: u64 = parts.iter().map(|part| part.plan.weights.total()).sum();
        let model = view.model.clone().unwrap_or_default();
        let requests = match parts.len() {
            1 => String::new(),
            many => format!(" in {many} requests"),
        };
        say(&format!("{} pairs go to {model}{requests}: {} tokens", pairs.len(), commas(tokens)));
        for stored in self.app.store().get_many(&pairs).await? {
            say(&format!("  {}", name_of(&stored.pair.user_text)));
        }
        if self.editor.is_some() && self.question("y or n › ")?.as_deref() != Some("y") {
            note("nothing was summarised");
            return Ok(());
        }
        self.summaries.clear();
        for part in parts {
            let prepared = self.app.prepare_summary(&workspace, &view, &part.pairs).await?;
            let seen = Some(SeenDigest(part.seen.digest().to_string()));
            let choices = SendChoices { seen, quota: self.quota, ..SendChoices::default() };
            let cancel = Cancel::default();
            self.stop.sending(&cancel);
            let sent = self.app.send(prepared, choices, &cancel, &mut |_: &Progress| {}).await;
            self.stop.working();
            let sent = sent?;
            match sent.outcome {
                Outcome::Complete { .. } => {
                    self.summaries.push(sent.pair);
                    self.output.text(&format!("{}\n", sent.answer.trim_end()))?;
                    self.output.flush()?;
                }
                Outcome::Cancelled => {
                    return Err(Failure::failed("stopped; nothing was summarised"));
                }
                Outcome::Error(_) => {
                    let (headline, _) = words::trouble(&sent).unwrap_or_default();
                    return Err(Failure::failed(headline).hint("nothing has changed"));
                }
            }
        }
        note("the summary is sent in their place; /undo takes it back");
        Ok(())
    }

    /// Takes back the summaries that were made last; says whether there were any.
    pub(super) async fn undo_summaries(&mut self) -> Result<bool, Failure> {
        let made = std::mem::take(&mut self.summaries);
        if made.is_empty() {
            return Ok(false);
        }
        let workspace = self.workspace_view.lock().await.workspace().clone();
        self.app.delete(&workspace, &made).await?;
        say("the summary is gone; its messages are used as before");
        Ok(true)
    }

    /// One message to the selected model and to others, one answer after the other.
    pub(super) async fn compare(&mut self, others: &[String], text: String) -> Result<(), Failure> {
        let (workspace, view) = self.chosen().await;
        let first = view.model.clone().unwrap_or_default();
        let models: Vec<String> = std::iter::once(first).chain(others.iter().cloned()).collect();
        let draft = Draft { text, ..Draft::default() };
        let sides = self.app.prepare_compared(&workspace, &view, &models, &draft).await?;
        let over_budget =
            Some(self.over_budget.unwrap_or_else(|| self.app.settings().over_budget()));
        let choices = SendChoices { over_budget, quota: self.quota, seen: None };
        let begun = self.app.begin_all(sides, choices).await?;
        // Those who were only asked too are the newest; who was chosen stays chosen.
        self.workspace_view.lock().await.choose(self.app, view).await?;
        let cancel = Cancel::default();
        self.stop.sending(&cancel);
        let carried = begun.into_iter().map(|side| {
            let (app, cancel) = (self.app, &cancel);
            async move { app.carry_out(side, cancel, &mut |_: &Progress| {}).await }
        });
        // Each waits for its own model; what they say is shown in the order of their names.
        let ended = futures_util::future::join_all(carried).await;
        self.stop.working();
        for (model, sent) in models.iter().zip(ended) {
            let sent = sent?;
            self.output.text(&format!("── {model}\n{}\n", sent.answer.trim_end()))?;
            self.output.flush()?;
            self.conclude(&sent).await;
        }
        note("the first answer goes on; /prefer N goes on with another");
        Ok(())
    }

    /// Goes on with one of several answers.
    pub(super) async fn prefer(&mut self, nth: usize) -> Result<(), Failure> {
        let id = self.nth_visible(nth).await?;
        let stored = self.app.store().get(id).await?;
        if stored.pair.group.is_none() {
            return Err(Failure::failed("that answer was not compared with others"));
        }
        let workspace = self.workspace_view.lock().await.workspace().clone();
        self.app.prefer(&workspace, id).await?;
        say(&format!("going on with the answer of {}", stored.pair.model));
        Ok(())
    }

    /// The words of a pair come back to the input; what is sent then is a new message, and the old
    /// one is left out. Without a terminal nobody could change them.
    pub(super) async fn send_again(&mut self, nth: usize) -> Result<(), Failure> {
        let id: PairId = self.nth_visible(nth).await?;
        if self.editor.is_none() {
            return Err(Failure::failed("there is nobody to change the message")
                .hint("type the new message, and /out for the old one"));
        }
        let MessagePair { user_text: text, attachments, .. } = self.app.store().get(id).await?.pair;
        self.again = Some(Draft { text, attachments, purpose: Purpose::SendAgain(id) });
        note("the old one is left out when this is sent; what came after it stays");
        Ok(())
    }

    /// Where the chat is, and what it looks at with which model.
    async fn chosen(&self) -> (plimsoll_store::Workspace, View) {
        let workspace_view = self.workspace_view.lock().await;
        let model = Some(workspace_view.model().id.clone());
        let topic = Some(workspace_view.topic().id.to_string());
        let view = View { model, topic, ..workspace_view.view().clone() };
        (workspace_view.workspace().clone(), view)
    }
}
