//! Who may do what on a server that several people use (TEA-9). Without a team none of this is
//! reached.
//!
//! A request passes once: [`who`] finds out who asks, [`routes`] what the address is about,
//! [`subject`] which project that is, and [`decide`] says yes or why not.

mod decide;
mod keys;
mod openid;
mod refusals;
mod roles;
mod routes;
mod sign_in;
mod subject;
mod who;

use std::sync::Arc;

use axum::{
    Router,
    extract::{FromRequestParts, MatchedPath, Request},
    http::{StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Redirect, Response},
};
use plimsoll_app::{Audited, Doer, Payer};
use plimsoll_gateway::Problem as ClientProblem;
use plimsoll_openid::OpenId;
use plimsoll_store::{KnownPerson, own_project};

pub(crate) use decide::Action;
use decide::{Denied, decide};
pub(crate) use sign_in::is_private;
pub(crate) use subject::CallProject;

use crate::{
    Web,
    gateway::{self, is_gateway},
    problem::Problem,
    security::{Tries, wants_page},
};

/// What a server needs that several people use.
pub struct Team {
    /// Wrong tokens by the address that they came from.
    by_address: Tries,
    /// Wrong tokens by the name that they say they belong to.
    by_name: Tries,
    /// The provider of identities, where people sign in by one.
    openid: Option<OpenId>,
    /// Those who were sent to it, by the address that they came from.
    sent_away: Tries,
    /// Those who came back and were not let in. They are counted apart: where many share an
    /// address, their mistakes at the provider keep no token out.
    turned_away: Tries,
}

/// As many wrong tokens are taken in a minute.
const WRONG_TOKENS: u32 = 10;

/// As many people are sent to the provider of identities from one address in a minute: a whole
/// house may stand behind it.
const SENT_AWAY: u32 = 100;

impl Team {
    /// A team whose people sign in by tokens, and by this provider of identities if there is one.
    pub fn new(openid: Option<OpenId>) -> Self {
        Self {
            by_address: Tries::at_most(WRONG_TOKENS),
            by_name: Tries::at_most(WRONG_TOKENS),
            openid,
            sent_away: Tries::at_most(SENT_AWAY),
            turned_away: Tries::at_most(WRONG_TOKENS),
        }
    }
}

/// Somebody who signed in, for handlers that show only what is theirs.
#[derive(Clone, Debug)]
pub(crate) struct Signed {
    pub(crate) person: Arc<KnownPerson>,
    /// Where the request comes from.
    pub(crate) origin: Arc<str>,
}

impl Signed {
    pub(crate) fn name(&self) -> &str {
        &self.person.person.name
    }

    pub(crate) fn doer(&self) -> Doer<'_> {
        Doer { person: Some(self.name()), origin: &self.origin }
    }

    /// Whether they may do something in a project; else what they are told.
    pub(crate) fn may(&self, project: Option<&str>, action: Action) -> Result<(), Problem> {
        decide(&self.person, project, action).map_err(|denied| match denied {
            Denied::Hidden => Problem::not_found("workspace"),
            Denied::Lacking(words) => Problem::new(StatusCode::FORBIDDEN, "not_allowed", words),
        })
    }
}

/// Who signed in; nobody where there is no team.
pub(crate) struct By(pub(crate) Option<Signed>);

impl By {
    /// The name, where there is one.
    pub(crate) fn name(&self) -> Option<&str> {
        self.0.as_ref().map(Signed::name)
    }

    /// Whose keys go along with what is asked outside of any project: theirs, as at home.
    pub(crate) fn payer(&self) -> Option<Payer> {
        let name = self.name()?;
        Some(Payer { person: name.into(), project: own_project(name).into() })
    }

    /// Notes in the audit log what they did.
    pub(crate) async fn note(
        &self,
        web: &Web,
        what: Audited,
        subject: &str,
    ) -> Result<(), Problem> {
        match &self.0 {
            Some(signed) => Ok(web.app.note_audit(signed.doer(), what, subject).await?),
            None => Ok(()),
        }
    }

    /// Refuses where they, or a project, have used all that may be used in a month (TEA-10).
    pub(crate) async fn within_limits(&self, web: &Web, project: &str) -> Result<(), Problem> {
        let Some(signed) = &self.0 else { return Ok(()) };
        match web.app.team_limit(&signed.person.person, project).await? {
            None => Ok(()),
            Some(words) => Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "limit_reached", words)),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for By {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self(parts.extensions.get::<Signed>().cloned()))
    }
}

/// What only a team's server serves.
pub(crate) fn router() -> Router<Arc<Web>> {
    sign_in::router().merge(openid::router()).merge(roles::router()).merge(keys::router())
}

/// It stands before every request of a team's server.
pub(crate) async fn pass(web: &Arc<Web>, request: Request, next: Next) -> Response {
    let from_elsewhere = match web.access.check_origin(&request) {
        Ok(from_elsewhere) => from_elsewhere,
        Err(refused) => return refused.response(&request),
    };
    let matched = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let rule = matched.as_deref().and_then(|path| routes::find(request.method(), path));
    if rule.is_some_and(|rule| rule.subject == routes::Subject::Anybody) {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let signed = match who::asks(web, &parts).await {
        Ok(Some(signed)) => signed,
        Ok(None) => return nobody(&parts, from_elsewhere),
        Err(refused) => return refused.response(&parts),
    };
    let Some(rule) = rule else {
        // The router says that there is nothing, or not in this way.
        let known = matched.as_deref().is_some_and(routes::is_known);
        return match matched.is_none() || known {
            true => next.run(Request::from_parts(parts, body)).await,
            false => Problem::not_found("page").into_response(),
        };
    };
    let noted = match subject::allowed(web, &signed, rule, &mut parts, from_elsewhere).await {
        Ok(noted) => noted,
        Err(problem) => return told(&parts, problem),
    };
    parts.extensions.insert(signed.clone());
    let response = next.run(Request::from_parts(parts, body)).await;
    if let Some(what) = rule.audited.filter(|_| response.status().is_success()) {
        // What was done is done; a log that cannot be written says so in the other log.
        if let Err(error) = web.app.note_audit(signed.doer(), what, &noted).await {
            tracing::error!(%error, "the audit log was not written");
        }
    }
    response
}

/// Who is not signed in is asked to do so, in the words of what they are.
fn nobody(request: &Parts, from_elsewhere: bool) -> Response {
    let path = request.uri.path();
    if is_gateway(path) {
        let words = "a token of a user is needed here; make one with: plimsoll team token add NAME";
        let problem = ClientProblem::NoKey(words.to_owned());
        return gateway::problem(path, &request.headers, &problem);
    }
    if wants_page(&request.method, &request.headers) {
        let to = request.uri.path_and_query().map_or("/", |whole| whole.as_str());
        // A browser sends no cookie along with a link of another page; with one of ours it does.
        return match from_elsewhere {
            true => sign_in::go_on(to),
            false => Redirect::to(&sign_in::address(to)).into_response(),
        };
    }
    let problem = Problem::new(StatusCode::UNAUTHORIZED, "sign_in_needed", "sign in first")
        .hint("open /sign-in, or send a token of `plimsoll team token add` as a bearer token");
    ([(header::WWW_AUTHENTICATE, "Bearer")], problem).into_response()
}

/// A refusal, in the protocol of a client's program where one asks.
fn told(request: &Parts, problem: Problem) -> Response {
    let path = request.uri.path();
    if is_gateway(path) {
        let problem = ClientProblem::Forbidden(problem.detail.into());
        return gateway::problem(path, &request.headers, &problem);
    }
    problem.into_response()
}

#[cfg(test)]
mod tests;
