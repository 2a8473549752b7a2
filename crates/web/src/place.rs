//! Where somebody looks: a workspace, and of it a conversation or everything (HIS-9b).

use std::sync::Arc;

use axum::{
    extract::{FromRequestParts, Query},
    http::request::Parts,
};
use plimsoll_app::Payer;
use plimsoll_domain::{HistoryScope, TopicId};
use plimsoll_store::Workspace;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{Web, access::By, problem::Problem};

/// A place that pages look at; those at the same place agree with each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Place {
    pub(crate) workspace: Workspace,
    /// The conversation that is open; new messages go there.
    pub(crate) conversation: Option<TopicId>,
    pub(crate) scope: HistoryScope,
    /// Who looks, where people sign in: each has a filter and a model of their own.
    pub(crate) person: Option<Arc<str>>,
}

impl Place {
    /// The place that an address or a query names: a conversation is looked at alone unless the
    /// scope says otherwise.
    pub(crate) fn at(
        workspace: Workspace,
        conversation: Option<TopicId>,
        scope: Option<HistoryScope>,
    ) -> Self {
        let named = match conversation {
            Some(_) => HistoryScope::Conversation,
            None => HistoryScope::Everything,
        };
        Self { workspace, conversation, scope: scope.unwrap_or(named), person: None }
    }

    /// The same place as somebody sees it who signed in.
    pub(crate) fn seen_by(self, by: &By) -> Self {
        Self { person: by.name().map(Arc::from), ..self }
    }

    /// Whose keys go along with what is sent from here.
    pub(crate) fn payer(&self) -> Option<Payer> {
        let person = self.person.clone()?;
        Some(Payer { person, project: self.workspace.project().into() })
    }

    /// The conversation that is looked at alone.
    pub(crate) fn within(&self) -> Option<TopicId> {
        self.conversation.filter(|_| self.scope == HistoryScope::Conversation)
    }

    /// Whether the pairs of a topic can be seen here.
    pub(crate) fn shows(&self, topic: TopicId) -> bool {
        self.within().is_none_or(|within| within == topic)
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PlaceQuery {
    /// `project/workspace`; else `default/main`.
    #[param(value_type = Option<String>, example = "default/main")]
    workspace: Option<String>,
    /// The id of the conversation that is open: its topic. An id that no topic has is a
    /// conversation that begins with its first message.
    conversation: Option<String>,
    /// `conversation` looks at the open conversation alone, and at a new one where none is open;
    /// `everything` at all pairs. Without it a conversation that is named is looked at alone.
    scope: Option<HistoryScope>,
}

/// The workspace that a name means; the default one without a name.
pub(crate) fn workspace_of(name: Option<&str>) -> Result<Workspace, Problem> {
    match name {
        None => Ok(Workspace::default()),
        Some(name) => {
            Workspace::parse(name).map_err(|error| Problem::bad_request(error.to_string()))
        }
    }
}

/// The place of a request.
pub(crate) struct Here(pub(crate) Place);

impl FromRequestParts<Arc<Web>> for Here {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, web: &Arc<Web>) -> Result<Self, Problem> {
        let query = Query::<PlaceQuery>::try_from_uri(&parts.uri);
        let Query(query) = query.map_err(|error| Problem::bad_request(error.body_text()))?;
        let workspace = workspace_of(query.workspace.as_deref())?;
        let wrong = || Problem::bad_request("conversation is the id of a topic");
        let conversation = match query.conversation.as_deref() {
            None => None,
            Some(id) => Some(TopicId::parse(id).ok_or_else(wrong)?),
        };
        let mut place = Place::at(workspace, conversation, query.scope);
        if place.scope == HistoryScope::Conversation {
            place.conversation.get_or_insert_with(|| web.app.new_conversation());
        }
        let Ok(by) = By::from_request_parts(parts, web).await;
        Ok(Self(place.seen_by(&by)))
    }
}
