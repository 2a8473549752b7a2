//! The provider of identities that a team signs in by (TEA-9), from settings and environment.

use std::{sync::Arc, time::Duration};

use plimsoll_config::{OpenIdClaim, Settings};
use plimsoll_openid::{Answering, Ask, NameClaim, NotAnswered, OpenId, Request, Rules, Setup};
use plimsoll_provider::{PlainCalls, Timeouts};

use crate::failure::Failure;

/// Whoever signs in waits for it.
const PATIENCE: Duration = Duration::from_secs(10);

struct Calls(PlainCalls);

impl Ask for Calls {
    fn ask(&self, request: Request) -> Answering {
        let calls = self.0.clone();
        Box::pin(async move { calls.ask(request).await.map_err(NotAnswered) })
    }
}

/// The provider of the settings, if there is one. It is not asked for anything yet.
pub(crate) fn provider(settings: &Settings) -> Result<Option<OpenId>, Failure> {
    let read = settings.openid().map_err(|error| {
        Failure::usage(error.to_string()).hint("docs/team.md tells how a provider is set up")
    })?;
    let Some(read) = read else { return Ok(None) };
    let allowed = read.allowed.iter().map(|one| one.parse()).collect::<Result<_, _>>();
    let allowed = allowed.map_err(|error: plimsoll_openid::BadAllowed| {
        Failure::usage(format!("openidAllow: {error}"))
            .hint("write @example.org, ann@example.org, group:crew or *, with commas between")
    })?;
    let claim = match read.claim {
        OpenIdClaim::Email => NameClaim::Email,
        OpenIdClaim::PreferredUsername => NameClaim::Username,
        OpenIdClaim::Subject => NameClaim::Subject,
    };
    let timeouts =
        Timeouts { connect: PATIENCE, first_byte: PATIENCE, idle: PATIENCE, ..Timeouts::default() };
    let failed = |error: &dyn std::fmt::Display| Failure::usage(format!("openidIssuer: {error}"));
    let calls = PlainCalls::new(&read.issuer, timeouts).map_err(|error| failed(&error))?;
    let setup = Setup {
        issuer: read.issuer,
        client: read.client,
        secret: secret(&read.secret_variable),
        scopes: read.scopes,
        shown_name: read.name,
        rules: Rules { claim, allowed },
        adds_people: read.creates,
    };
    OpenId::new(setup, Arc::new(Calls(calls))).map(Some).map_err(|error| failed(&error))
}

/// What the variable holds; it never goes into settings, which are shown.
fn secret(variable: &str) -> Option<String> {
    let value = std::env::var(variable).ok()?;
    Some(value.trim().to_owned()).filter(|secret| !secret.is_empty())
}
