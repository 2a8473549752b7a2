//! Which conversation a command is about, and what it looks at (HIS-9c).

use plimsoll_app::{App, HistoryChoice, View, find_topic};
use plimsoll_domain::{HistoryScope, TopicId};
use plimsoll_store::Workspace;

use crate::failure::Failure;

/// What was said about it on the command line.
pub(crate) struct Chosen<'a> {
    pub(crate) scope: Option<HistoryScope>,
    /// Whether to go on with the last conversation.
    pub(crate) go_on: bool,
    /// A topic by its path or its id.
    pub(crate) topic: Option<&'a str>,
    pub(crate) filter: Option<&'a str>,
    pub(crate) model: Option<&'a str>,
}

impl Chosen<'_> {
    /// What is looked at: a filter alone looks at everything, all else at a conversation, which is
    /// a new one where none is named.
    pub(crate) async fn view(self, app: &App, workspace: &Workspace) -> Result<View, Failure> {
        let named = self.go_on || self.topic.is_some();
        let scope = self.scope.unwrap_or(match self.filter {
            Some(_) if !named => HistoryScope::Everything,
            _ => HistoryScope::Conversation,
        });
        let topic = match self.topic {
            Some(path) => Some(known(app, workspace, path).await?.to_string()),
            None if self.go_on => last(app, workspace).await?.map(|id| id.to_string()),
            None => None,
        };
        Ok(View {
            history: HistoryChoice::Filter(self.filter.unwrap_or_default().to_owned()),
            scope,
            topic,
            model: self.model.map(ToOwned::to_owned),
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

pub(crate) fn parse_scope(text: &str) -> Result<HistoryScope, String> {
    HistoryScope::parse(text).ok_or_else(|| {
        let known: Vec<&str> = HistoryScope::ALL.iter().map(|scope| scope.name()).collect();
        format!("one of {} is expected", known.join(", "))
    })
}
