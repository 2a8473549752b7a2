//! Sending a message and showing what comes of it.

use plimsoll_app::{Cancel, Draft, OverQuota, Prepared, Progress, Purpose, SendChoices, Sent};
use plimsoll_budget::{Decision, OverBudget};
use plimsoll_domain::MessagePair;
use plimsoll_send::{Outcome, Stage, plan};

use super::{Chat, Next, waiting::Waiting};
use crate::{
    commands::send::tell_receipt,
    failure::{Failure, note, say},
    markdown::AnswerText,
    output::{Output, neutral},
    words,
};

impl Chat<'_> {
    /// Weighs a message, asks what to do if it is too much, and sends it.
    pub(super) async fn ask(&mut self, draft: Draft) -> Result<Next, Failure> {
        let by_settings = || self.app.settings().over_budget();
        let mut policy = self.over_budget.unwrap_or_else(by_settings);
        loop {
            let waiting = Waiting::up("weighing");
            let prepared = self.workspace_view.lock().await.prepare(self.app, &draft).await;
            drop(waiting);
            let prepared = match prepared {
                Ok(prepared) => prepared,
                Err(error) => {
                    self.tell_error(error);
                    return Ok(Next::GoOn);
                }
            };
            match plan(&prepared.plan.snapshot, policy).decision {
                Decision::Send | Decision::SendWithout(_) => {
                    return self.send(prepared, policy).await;
                }
                Decision::Ask | Decision::Block | Decision::PromptTooLarge => {
                    if !self.lighten(&prepared, &mut policy).await? {
                        return Ok(Next::GoOn);
                    }
                }
            }
        }
    }

    async fn send(&mut self, prepared: Prepared, policy: OverBudget) -> Result<Next, Failure> {
        for one in &prepared.plan.attached {
            note(&words::attached(one));
        }
        let choices = SendChoices { over_budget: Some(policy), quota: self.quota, seen: None };
        let cancel = Cancel::default();
        self.stop.sending(&cancel);
        let answer = AnswerText::new(self.markdown);
        let model = prepared.plan.model().id.clone();
        let mut show = Show::new(self.output, cancel.clone(), model, answer);
        let mut watch = |progress: &Progress| show.progress(progress);
        let sent = self.app.send(prepared, choices, &cancel, &mut watch).await;
        let told = show.end();
        self.stop.working();
        told?;
        match sent {
            Ok(sent) => {
                self.conclude(&sent).await;
                self.last_request = Some(sent.request);
            }
            Err(error) => self.tell_error(error),
        }
        // A script that was stopped does not go on with its next line.
        let stopped = cancel.is_cancelled() && self.editor.is_none() || self.stop.told_to_end();
        Ok(if stopped { Next::Leave } else { Next::GoOn })
    }

    pub(super) async fn conclude(&mut self, sent: &Sent) {
        tell_receipt(sent, self.opened).await;
        match &sent.outcome {
            Outcome::Complete { cut_by_length: false } => {}
            Outcome::Complete { cut_by_length: true } => {
                note(&words::cut(&sent.answer));
            }
            Outcome::Cancelled => {
                self.failed = true;
                note("stopped; what had arrived is kept (/reask brings your message back)");
            }
            Outcome::Error(_) => {
                self.failed = true;
                let (headline, advice) = words::trouble(sent).unwrap_or_default();
                say(&headline);
                if let Some(advice) = advice {
                    note(&advice);
                }
                note("your message is kept; /reask brings it back, /delete drops it");
            }
        }
    }

    /// SND-7: the words of the newest failed pair come back to the input, and the
    /// selectors to where they were. Without a terminal they are sent at once.
    pub(super) async fn ask_again(&mut self) -> Result<Next, Failure> {
        match self.again_draft().await {
            Ok(draft) if self.editor.is_none() => self.ask(draft).await,
            Ok(draft) => {
                self.again = Some(draft);
                Ok(Next::GoOn)
            }
            Err(failure) => {
                self.tell(&failure);
                Ok(Next::GoOn)
            }
        }
    }

    async fn again_draft(&mut self) -> Result<Draft, Failure> {
        let mut workspace_view = self.workspace_view.lock().await;
        let newest =
            self.app.newest_failed(workspace_view.workspace(), workspace_view.within()).await?;
        let id =
            newest.ok_or_else(|| Failure::failed("there is no pair that failed or was stopped"))?;
        let stored = self.app.store().get(id).await?;
        let mut view = workspace_view.view().clone();
        view.model = Some(stored.pair.model.clone());
        view.topic = Some(stored.pair.topic_id.to_string());
        workspace_view.choose(self.app, view).await?;
        Ok(again(stored.pair, Purpose::ReAsk(id)))
    }

    /// SND-8: another answer to the newest complete pair; the selectors stay.
    pub(super) async fn regenerate(&mut self, model: Option<String>) -> Result<Next, Failure> {
        let before = self.workspace_view.lock().await.view().clone();
        let draft = match self.regenerate_draft(model).await {
            Ok(draft) => draft,
            Err(failure) => {
                self.tell(&failure);
                return Ok(Next::GoOn);
            }
        };
        let next = self.ask(draft).await?;
        let restored = self.workspace_view.lock().await.choose(self.app, before).await;
        if let Err(error) = restored {
            self.tell_error(error);
        }
        Ok(next)
    }

    async fn regenerate_draft(&mut self, model: Option<String>) -> Result<Draft, Failure> {
        let mut workspace_view = self.workspace_view.lock().await;
        let newest =
            self.app.newest_complete(workspace_view.workspace(), workspace_view.within()).await?;
        let id = newest.ok_or_else(|| Failure::failed("there is no pair that was answered"))?;
        let stored = self.app.store().get(id).await?;
        let mut view = workspace_view.view().clone();
        view.model = Some(model.unwrap_or_else(|| stored.pair.model.clone()));
        view.topic = Some(stored.pair.topic_id.to_string());
        workspace_view.choose(self.app, view).await?;
        Ok(again(stored.pair, Purpose::Regenerate(id)))
    }
}

/// The message of a pair, attachments and all.
fn again(pair: MessagePair, purpose: Purpose) -> Draft {
    let MessagePair { user_text: text, attachments, .. } = pair;
    Draft { text, attachments, purpose }
}

/// Shows a send as it happens.
struct Show<'a> {
    output: &'a mut Output,
    cancel: Cancel,
    model: String,
    waiting: Option<Waiting>,
    answer: AnswerText,
    /// Whether a call was made.
    called: bool,
    written: Result<(), Failure>,
}

impl<'a> Show<'a> {
    fn new(output: &'a mut Output, cancel: Cancel, model: String, answer: AnswerText) -> Self {
        Self { output, cancel, model, waiting: None, answer, called: false, written: Ok(()) }
    }

    fn progress(&mut self, progress: &Progress) {
        match progress {
            Progress::Text(_, text) => {
                self.waiting = None;
                let shown = self.answer.push(text);
                return self.write(&shown);
            }
            Progress::Loading(_)
            | Progress::RetryIn(..)
            | Progress::QuotaWait(..)
            | Progress::Unsaved(..)
            | Progress::Trimmed(..)
            | Progress::Tool(..) => {
                // What is told beside the answer begins on a line of its own.
                let ended = self.answer.end();
                self.write(&ended);
            }
            _ => {}
        }
        match progress {
            Progress::Text(..) => {}
            Progress::Started(..) => self.wait_for_answer(),
            Progress::Attempt(_, attempt) if attempt.record.stage == Stage::Sent => {
                self.called = true;
                self.wait_for_answer();
            }
            Progress::Loading(_) => {
                self.waiting = None;
                self.waiting = Waiting::up("the model is being loaded");
            }
            Progress::Reasoning(..) => {
                if self.waiting.is_none() {
                    self.waiting = Waiting::up("the model thinks");
                }
            }
            Progress::RetryIn(_, wait, why) => {
                self.waiting = None;
                self.waiting = Waiting::down(&format!("{why}; trying again"), *wait);
            }
            Progress::QuotaWait(_, wait, kind) => {
                self.waiting = None;
                let full = OverQuota { after: Some(*wait), kind: *kind };
                self.waiting = Waiting::down(&format!("{full}; waiting"), *wait);
            }
            Progress::Unsaved(_, why) => {
                self.waiting = None;
                self.waiting = Waiting::up(&format!("the answer is not saved yet: {why}"));
            }
            Progress::Trimmed(_, pairs) => {
                self.waiting = None;
                let left = match pairs {
                    1 => "the oldest pair".to_owned(),
                    many => format!("the {many} oldest pairs"),
                };
                // Fit first leaves pairs out before anybody said that it is too much.
                match self.called {
                    true => note(&format!("the request was too large; going on without {left}")),
                    false => note(&format!("going without {left}, so that it fits")),
                }
            }
            Progress::Tool(_, step) => {
                self.waiting = None;
                match &step.said {
                    None => self.waiting = Waiting::up(&format!("{} reads", neutral(&step.name))),
                    Some(said) => note(&format!(
                        "{}: {} tokens",
                        neutral(&step.name),
                        plimsoll_tokens::commas(said.tokens)
                    )),
                }
            }
            Progress::Files
            | Progress::Attempt(..)
            | Progress::Receipt(..)
            | Progress::Ended(_)
            | Progress::Changed(_)
            | Progress::Labelled(_)
            | Progress::Removed(_)
            | Progress::Imported
            | Progress::ContextFrom
            | Progress::Topics
            | Progress::Memory
            | Progress::Settings => {}
        }
    }

    fn wait_for_answer(&mut self) {
        // The old line goes before a new one comes.
        self.waiting = None;
        self.waiting = Waiting::up(&format!("waiting for {}", self.model));
    }

    fn write(&mut self, shown: &str) {
        if shown.is_empty() || self.written.is_err() {
            return;
        }
        self.written = self.output.text(shown).and_then(|()| self.output.flush());
        if self.written.is_err() {
            // Whoever reads us has gone away: there is nobody to answer.
            self.cancel.cancel();
        }
    }

    /// Ends the line of the answer.
    fn end(mut self) -> Result<(), Failure> {
        self.waiting = None;
        let ended = self.answer.end();
        self.write(&ended);
        self.written
    }
}
