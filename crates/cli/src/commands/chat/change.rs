//! Commands that change something: what is chosen, labels, saved filters, the newest pair.

use plimsoll_app::{AppError, ContextFrom, HistoryChoice, Label, TopicPaths, View, restored_words};
use plimsoll_domain::{Lifecycle, PairId, PairUse};
use plimsoll_store::{Edit, Noun, StoreError};

use super::{Chat, look::name_of, over_budget::NEW_CONTEXT};
use crate::{
    conversation,
    failure::{Failure, note, say},
    markdown::AnswerText,
    output::printable,
    words::nearest,
};

impl Chat<'_> {
    /// FLT-4: a filter that is wrong is shown with a caret, and the last good one stays.
    pub(super) async fn choose_filter(&mut self, filter: String) -> Result<(), Failure> {
        let mut workspace_view = self.workspace_view.lock().await;
        let view = View { history: HistoryChoice::Filter(filter), ..workspace_view.view().clone() };
        let chosen = workspace_view.choose(self.app, view).await;
        if let Err(error) = chosen {
            let stays = match &workspace_view.view().history {
                HistoryChoice::Filter(filter) if filter.is_empty() => {
                    "everything stays visible".to_owned()
                }
                HistoryChoice::Filter(filter) => format!("the filter stays {filter}"),
                HistoryChoice::Nothing | HistoryChoice::These(_) | HistoryChoice::Summarised(_) => {
                    "nothing stays visible".to_owned()
                }
            };
            drop(workspace_view);
            self.tell_error(error);
            note(&stays);
        }
        Ok(())
    }

    /// Begins a conversation; what was said so far stays in its own (HIS-9c).
    pub(super) async fn new_conversation(&mut self, name: Option<String>) -> Result<(), Failure> {
        let mut workspace_view = self.workspace_view.lock().await;
        let View { model, said, files, .. } = workspace_view.view().clone();
        let id = match name {
            Some(name) => {
                let at = workspace_view.workspace();
                conversation::begin(self.app, at, &name, said.clone()).await?
            }
            None => self.app.new_conversation(),
        };
        let view = View { model, said, files, ..View::of_conversation(id) };
        workspace_view.choose(self.app, view).await?;
        Ok(())
    }

    /// Begins a new context behind the newest pair, or lets the prediction decide (UI-17).
    pub(super) async fn clear(&mut self, on: bool) -> Result<(), Failure> {
        let from = if on { ContextFrom::Now } else { ContextFrom::Prediction };
        let workspace_view = self.workspace_view.lock().await;
        let (at, within) = (workspace_view.workspace(), workspace_view.within());
        self.app.set_context_from(at, within, from).await?;
        note(if on { NEW_CONTEXT } else { "the prediction decides what is sent" });
        Ok(())
    }

    /// Chooses the model, or lists those that there are.
    pub(super) async fn choose_model(&mut self, model: Option<String>) -> Result<(), Failure> {
        let catalog = self.app.catalog();
        let Some(model) = model else {
            let chosen = self.workspace_view.lock().await.model().id.clone();
            for model in catalog.models().iter().filter(|model| model.enabled) {
                let mark = if model.id == chosen { '›' } else { ' ' };
                let line =
                    format!("{mark} {}  {}\n", printable(&model.id), printable(&model.provider));
                self.output.text(&line)?;
            }
            return Ok(());
        };
        let mut workspace_view = self.workspace_view.lock().await;
        let view = View { model: Some(model.clone()), ..workspace_view.view().clone() };
        workspace_view.choose(self.app, view).await?;
        drop(workspace_view);
        if catalog.find(&model).is_none() {
            let known = catalog.models().iter().map(|model| model.id.as_str());
            let meant = nearest(&model, known).map(|id| format!("; did you mean {id}?"));
            note(&format!(
                "nothing is known of {model}: its window is assumed{}",
                meant.unwrap_or_default()
            ));
        }
        Ok(())
    }

    /// Chooses the topic, or lists those that there are.
    pub(super) async fn choose_topic(&mut self, topic: Option<String>) -> Result<(), Failure> {
        let mut workspace_view = self.workspace_view.lock().await;
        let Some(topic) = topic else {
            let (topics, chosen) = (workspace_view.topics(), workspace_view.topic().id);
            let paths = TopicPaths::of(topics);
            let line = |id| {
                let mark = if id == chosen { '›' } else { ' ' };
                format!("{mark} {}\n", printable(&paths.path(id)))
            };
            let text: String = topics.iter().map(|topic| line(topic.id)).collect();
            drop(workspace_view);
            return self.output.text(&text);
        };
        let view = View { topic: Some(topic.clone()), ..workspace_view.view().clone() };
        workspace_view.choose(self.app, view).await.map_err(|error| match error {
            plimsoll_app::AppError::UnknownTopic(_) => {
                Failure::failed(format!("there is no topic '{topic}'"))
                    .hint(format!("/topic lists them; /new {topic} begins it"))
            }
            other => other.into(),
        })
    }

    /// The newest pair that is visible.
    async fn newest_visible(&mut self) -> Result<PairId, Failure> {
        self.nth_visible(1).await
    }

    /// One of the newest pairs that are visible, counted from 1.
    pub(super) async fn nth_visible(&mut self, nth: usize) -> Result<PairId, Failure> {
        let mut workspace_view = self.workspace_view.lock().await;
        workspace_view.refresh(self.app).await?;
        let visible = workspace_view.visible_ids();
        let pair = visible.len().checked_sub(nth).and_then(|at| visible.get(at)).copied();
        pair.ok_or_else(|| match visible.len() {
            0 => Failure::failed("no pair is visible").hint("/filter shows all"),
            1 => Failure::failed("only one pair is visible").hint("/filter shows all"),
            few => Failure::failed(format!("only {few} pairs are visible")).hint("count from 1"),
        })
    }

    /// Pins a pair, leaves it out, or neither if it is that already (HIS-10).
    pub(super) async fn set_use(&mut self, wanted: PairUse, nth: usize) -> Result<(), Failure> {
        let id = self.nth_visible(nth).await?;
        let now = self.app.store().get(id).await?.pair.pair_use;
        let next = if now == wanted { PairUse::Auto } else { wanted };
        self.label_pair(id, Label::Use(next)).await
    }

    /// Begins the context at one of the newest visible pairs (UI-17).
    pub(super) async fn begin_at(&mut self, nth: usize) -> Result<(), Failure> {
        let id = self.nth_visible(nth).await?;
        let workspace_view = self.workspace_view.lock().await;
        let (at, within) = (workspace_view.workspace(), workspace_view.within());
        self.app.set_context_from(at, within, ContextFrom::With(id)).await?;
        let stored = self.app.store().get(id).await?;
        say(&format!("the context begins here: {}", name_of(&stored.pair.user_text)));
        Ok(())
    }

    /// Writes the question of the newest visible pair anew (HIS-5).
    pub(super) async fn edit(&mut self, text: String) -> Result<(), Failure> {
        let id = self.newest_visible().await?;
        let workspace = self.workspace_view.lock().await.workspace().clone();
        let edit = Edit { user_text: Some(text), ..Edit::default() };
        self.app.edit(&workspace, id, &edit).await?;
        note("edited; what was there before is kept in its revisions");
        Ok(())
    }

    /// Moves the newest visible pair to another conversation.
    pub(super) async fn move_to(&mut self, path: &str) -> Result<(), Failure> {
        let workspace = self.workspace_view.lock().await.workspace().clone();
        let topic = conversation::known(self.app, &workspace, path).await?;
        self.label(Label::Topic(topic)).await
    }

    pub(super) async fn label(&mut self, label: Label) -> Result<(), Failure> {
        let id = self.newest_visible().await?;
        self.label_pair(id, label).await
    }

    async fn label_pair(&mut self, id: PairId, label: Label) -> Result<(), Failure> {
        let workspace = self.workspace_view.lock().await.workspace().clone();
        self.app.label(&workspace, &[id], label).await?;
        let stored = self.app.store().get(id).await?;
        let what = match label {
            Label::Star(star) => format!("{} of 3 stars", star.count()),
            Label::Flag(flag) => format!("flagged {}", flag.name()),
            Label::Use(pair_use) => pair_use.words().to_owned(),
            Label::Topic(_) => "moved".to_owned(),
        };
        say(&format!("{what}: {}", name_of(&stored.pair.user_text)));
        Ok(())
    }

    /// Deletes the newest visible pair. A pair in error goes without a question (SND-7).
    pub(super) async fn delete(&mut self) -> Result<(), Failure> {
        let id = self.newest_visible().await?;
        let stored = self.app.store().get(id).await?;
        let name = name_of(&stored.pair.user_text);
        if stored.pair.lifecycle != Lifecycle::Error && self.editor.is_some() {
            say(&format!("Delete \"{name}\" and its answer?"));
            if self.question("y or n › ")?.as_deref() != Some("y") {
                note("nothing was deleted");
                return Ok(());
            }
        }
        let workspace = self.workspace_view.lock().await.workspace().clone();
        let deleted = self.app.delete(&workspace, &[id]).await?;
        if let Some(editor) = &mut self.editor {
            editor.forget(&stored.pair.user_text);
        }
        let back = if deleted.undo.is_some() { " (/undo brings it back)" } else { "" };
        say(&format!("deleted: {name}{back}"));
        Ok(())
    }

    /// Brings back what was deleted last (REC-5).
    pub(super) async fn undo(&mut self) -> Result<(), Failure> {
        if self.undo_summaries().await? {
            return Ok(());
        }
        let workspace = self.workspace_view.lock().await.workspace().clone();
        let restored = self.app.undo(&workspace, None).await.map_err(|error| match error {
            AppError::Store(StoreError::NotFound(Noun::Deletion)) => {
                Failure::failed("there is nothing to bring back")
            }
            error => error.into(),
        })?;
        say(&printable(&restored_words(&restored.deletion)));
        Ok(())
    }

    /// Back to the answer before the last regeneration.
    pub(super) async fn swap(&mut self) -> Result<(), Failure> {
        let workspace_view = self.workspace_view.lock().await;
        let (workspace, within) = (workspace_view.workspace().clone(), workspace_view.within());
        drop(workspace_view);
        let newest = self.app.newest_complete(&workspace, within).await?;
        let id = newest.ok_or_else(|| Failure::failed("there is no pair that was answered"))?;
        self.app.swap_answer(&workspace, id).await?;
        let stored = self.app.store().get(id).await?;
        let answer = stored.pair.assistant_text.unwrap_or_default();
        self.output.text(&AnswerText::whole(self.markdown, &answer))
    }

    pub(super) async fn save_filter(&mut self, name: &str) -> Result<(), Failure> {
        let workspace_view = self.workspace_view.lock().await;
        let workspace = workspace_view.workspace().clone();
        let filter = match &workspace_view.view().history {
            HistoryChoice::Filter(filter) if !filter.is_empty() => filter.clone(),
            _ => {
                return Err(Failure::failed("there is no filter to save")
                    .hint("choose one first, as in: /filter s>=2"));
            }
        };
        drop(workspace_view);
        self.app.save_filter(&workspace, name, Some(&filter)).await?;
        say(&format!("@{name} stands for {filter}"));
        Ok(())
    }

    pub(super) async fn unsave_filter(&mut self, name: &str) -> Result<(), Failure> {
        let workspace = self.workspace_view.lock().await.workspace().clone();
        self.app.delete_filter(&workspace, name).await?;
        say(&format!("@{name} is forgotten"));
        Ok(())
    }
}
