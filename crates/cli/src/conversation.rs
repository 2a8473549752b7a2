//! Which conversation a command is about, and what it looks at (HIS-9c).

use clap::Args;
use plimsoll_app::{App, HistoryChoice, View, find_topic};
use plimsoll_domain::{HistoryScope, TopicId};
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

    /// Send the pairs along that a filter shows: of everything, or of the conversation that is
    /// named besides
    #[arg(long)]
    filter: Option<String>,

    /// What is looked at: conversation or everything
    #[arg(long, value_parser = parse_scope)]
    scope: Option<HistoryScope>,
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
        let named = self.go_on || self.topic.is_some();
        let scope = self.scope.unwrap_or(match self.filter {
            Some(_) if !named => HistoryScope::Everything,
            _ => HistoryScope::Conversation,
        });
        let topic = match &self.topic {
            Some(path) => Some(known(app, workspace, path).await?.to_string()),
            None if self.go_on => last(app, workspace).await?.map(|id| id.to_string()),
            None => None,
        };
        Ok(View {
            history: HistoryChoice::Filter(self.filter.clone().unwrap_or_default()),
            scope,
            topic,
            model: model.map(ToOwned::to_owned),
        })
    }
}

/// The conversation in which something was sent last: what was imported is nobody's last word.
async fn last(app: &App, workspace: &Workspace) -> Result<Option<TopicId>, Failure> {
    let conversations = app.conversations(workspace).await?;
    let sent = conversations.iter().filter(|one| one.last_sent.is_some());
    Ok(sent.max_by_key(|one| one.last_sent).map(|one| one.topic.id))
}

async fn known(app: &App, workspace: &Workspace, path: &str) -> Result<TopicId, Failure> {
    app.open_workspace(workspace).await?;
    let topics = app.store().topics(workspace).await?;
    let topic = find_topic(&topics, path);
    let unknown = || plimsoll_app::AppError::UnknownTopic(path.to_owned());
    Ok(topic.ok_or_else(unknown)?.id)
}

fn parse_scope(text: &str) -> Result<HistoryScope, String> {
    HistoryScope::parse(text).ok_or_else(|| {
        let known: Vec<&str> = HistoryScope::ALL.iter().map(|scope| scope.name()).collect();
        format!("one of {} is expected", known.join(", "))
    })
}
