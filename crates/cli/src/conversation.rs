//! Which conversation a command is about, and what it looks at (HIS-9c).

use clap::Args;
use plimsoll_app::{
    App, AppError, HistoryChoice, NewTopic, SaidForNow, TopicChange, View, find_topic,
};
use plimsoll_domain::{FilesScope, HistoryScope, TopicId};
use plimsoll_store::Workspace;

use crate::failure::Failure;

/// What is said about it on the command line.
#[derive(Args, Debug)]
pub(crate) struct ConversationArgs {
    /// Go on with the last conversation; else a new one begins
    #[arg(short = 'c', long = "continue", conflicts_with = "topic")]
    go_on: bool,

    /// Go on with the conversation of a topic, a path /A/B or an id
    #[arg(long)]
    topic: Option<String>,

    /// Begin a conversation with this name, or with a path /A/B
    #[arg(long, value_name = "NAME", conflicts_with_all = ["go_on", "topic"])]
    new: Option<String>,

    /// The system message of a conversation that begins; of one that goes on, for now
    #[arg(short, long)]
    system: Option<String>,

    /// The sampling temperature, in the same way
    #[arg(long, value_name = "0-2", value_parser = parse_temperature)]
    temperature: Option<f32>,

    /// Send the pairs along that a filter shows: of everything, or of the conversation that is
    /// named besides
    #[arg(long)]
    filter: Option<String>,

    /// What is looked at: conversation or everything
    #[arg(long, value_parser = parse_scope)]
    scope: Option<HistoryScope>,

    /// Whose files a model that calls tools is told of and may read: conversation, pinned, all
    /// or none; else by the setting filesScope
    #[arg(long, value_parser = parse_files_scope)]
    files_scope: Option<FilesScope>,
}

impl ConversationArgs {
    /// What is looked at: a filter alone looks at everything, all else at a conversation, which is
    /// a new one where none is named.
    pub(crate) async fn view(
        &self,
        app: &App,
        workspace: &Workspace,
        model: Option<&str>,
    ) -> Result<View, Failure> {
        let named = self.go_on || self.topic.is_some() || self.new.is_some();
        let scope = self.scope.unwrap_or(match self.filter {
            Some(_) if !named => HistoryScope::Everything,
            _ => HistoryScope::Conversation,
        });
        let topic = match (&self.topic, &self.new) {
            (Some(path), _) => Some(known(app, workspace, path).await?),
            (None, Some(name)) => Some(begin(app, workspace, name, self.said()).await?),
            (None, None) if self.go_on => last(app, workspace).await?,
            (None, None) => None,
        };
        Ok(View {
            history: HistoryChoice::Filter(self.filter.clone().unwrap_or_default()),
            scope,
            topic: topic.map(|id| id.to_string()),
            model: model.map(ToOwned::to_owned),
            files: self.files_scope,
            said: self.said(),
            person: None,
        })
    }

    fn said(&self) -> SaidForNow {
        SaidForNow { system_message: self.system.clone(), temperature: self.temperature }
    }
}

/// The conversation in which something was sent last: what was imported is nobody's last word.
async fn last(app: &App, workspace: &Workspace) -> Result<Option<TopicId>, Failure> {
    app.open_workspace(workspace).await?;
    Ok(app.store().last_sent_in(workspace).await?)
}

pub(crate) async fn known(
    app: &App,
    workspace: &Workspace,
    path: &str,
) -> Result<TopicId, Failure> {
    app.open_workspace(workspace).await?;
    let topics = app.store().topics(workspace).await?;
    let topic = find_topic(&topics, path);
    let unknown = || plimsoll_app::AppError::UnknownTopic(path.to_owned());
    Ok(topic.ok_or_else(unknown)?.id)
}

/// Begins a conversation that has a name from the start.
pub(crate) async fn begin(
    app: &App,
    workspace: &Workspace,
    name: &str,
    said: SaidForNow,
) -> Result<TopicId, Failure> {
    app.open_workspace(workspace).await?;
    let topics = app.store().topics(workspace).await?;
    if find_topic(&topics, name).is_some_and(|topic| topic.named) {
        return Err(Failure::failed(format!("there is a conversation '{name}' already"))
            .hint("--topic goes on with it; in chat it is /topic"));
    }
    let new = NewTopic { path: name.to_owned(), ..NewTopic::default() };
    app.add_topic(workspace, &new).await?;
    let topics = app.store().topics(workspace).await?;
    let unknown = || AppError::UnknownTopic(name.to_owned());
    let id = find_topic(&topics, name).ok_or_else(unknown)?.id;
    let change = TopicChange {
        system_message: said.system_message.map(Some),
        temperature: said.temperature.map(Some),
        ..TopicChange::default()
    };
    app.change_topic(workspace, id, change).await?;
    Ok(id)
}

fn parse_temperature(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number| (0.0..=2.0).contains(number));
    number.ok_or_else(|| "a temperature is a number from 0 to 2".to_owned())
}

pub(crate) fn parse_scope(text: &str) -> Result<HistoryScope, String> {
    HistoryScope::parse(text).ok_or_else(|| {
        let known: Vec<&str> = HistoryScope::ALL.iter().map(|scope| scope.name()).collect();
        format!("one of {} is expected", known.join(", "))
    })
}

fn parse_files_scope(text: &str) -> Result<FilesScope, String> {
    FilesScope::parse(text).ok_or_else(|| {
        let known: Vec<&str> = FilesScope::ALL.iter().map(|scope| scope.name()).collect();
        format!("one of {} is expected", known.join(", "))
    })
}
