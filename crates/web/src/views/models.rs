//! Models and keys (UI-19): who can be asked, what the others lack, and where the keys are.

use std::sync::Arc;

use maud::{Markup, html};
use plimsoll_tokens::commas;

use crate::{
    Web,
    access::{Action, By},
    api::{LackDto, ModelDto, ModelList, ProviderDto, ProviderList},
    place::Place,
    problem::Problem,
};

pub(super) async fn panel(
    web: &Arc<Web>,
    by: &By,
    place: &Place,
    current: &str,
) -> Result<Markup, Problem> {
    let list = ModelList::of(web, place, current).await;
    let providers = ProviderList::of(web, place.payer().as_ref()).await?.providers;
    let keys = Keys::of(by);
    let (with, without): (Vec<&ProviderDto>, Vec<&ProviderDto>) =
        providers.iter().partition(|provider| provider.key.is_some());
    let (usable, others): (Vec<&ModelDto>, Vec<&ModelDto>) =
        list.models.iter().partition(|model| model.available);
    Ok(html! {
        h2 { "Models and keys" }
        section.keys aria-label="Keys" {
            h3 { "Keys" }
            @if with.is_empty() { p.muted { "No provider has a key yet." } }
            ul.plain { @for provider in &with { (keys.row(provider)) } }
            details open[with.is_empty()] {
                summary { "Add a key" }
                ul.plain { @for provider in &without { (keys.row(provider)) } }
            }
        }
        section.servers aria-label="Servers" {
            h3 { "Servers" }
            p.muted { "Ollama, LM Studio, llama.cpp, vLLM and Foundry Local are found by themselves where \
                they usually are on this machine. Any other server is added by its address." }
            div.acts {
                button.btn type="button" data-act="add-server" { "Add a server…" }
                button.btn type="button" data-call="POST /api/models/look" data-then="panel:models" {
                    "Look again" }
            }
        }
        h3 { "Ready to use" }
        @if usable.is_empty() { p.muted { "No model can be asked now. Add a key or a server." } }
        ul.models { @for model in &usable { (row(model)) } }
        @if !others.is_empty() {
            h3 { "Not ready" }
            ul.models { @for model in &others { (row(model)) } }
        }
        @if matches!(keys, Keys::OfServer) {
            p.muted { "Your own values go into " code { "models.toml" } " in " (web.configurator.place()) "." }
        }
    })
}

/// Whose keys somebody may give and take away here.
#[derive(Clone, Copy)]
pub(super) enum Keys {
    /// Those of whoever runs this server.
    OfServer,
    /// Their own.
    Own,
    /// Their own, and those for everybody in the team.
    OwnAndTeam,
}

impl Keys {
    pub(super) fn of(by: &By) -> Self {
        match &by.0 {
            None => Self::OfServer,
            Some(signed) if signed.may(None, Action::ManageTeam).is_ok() => Self::OwnAndTeam,
            Some(_) => Self::Own,
        }
    }

    /// The same in the words of `/api/team/keys/…`, for the page; none where there is no team.
    pub(super) fn holders(self) -> Option<&'static str> {
        match self {
            Self::OfServer => None,
            Self::Own => Some("mine"),
            Self::OwnAndTeam => Some("mine team"),
        }
    }

    fn row(self, provider: &ProviderDto) -> Markup {
        match self {
            Self::OfServer => key_row(provider),
            Self::Own => team_row(provider, false),
            Self::OwnAndTeam => team_row(provider, true),
        }
    }
}

/// The same on a team's server, where keys are kept sealed in the store.
fn team_row(provider: &ProviderDto, for_team: bool) -> Markup {
    let servers = provider.servers.join(" and ");
    let holders = [
        ("person", "mine", "my key", "My key…"),
        ("team", "team", "the team's key", "Key of the team…"),
    ];
    html! {
        li.key-row data-provider=(provider.name) {
            div {
                b { (provider.name) }
                span.muted {
                    @match provider.key {
                        Some("person") => " your own key",
                        Some("project") => " the key of this project",
                        Some("team") => " the key of the team",
                        Some(_) => " the key of this server",
                        None => " no key",
                    }
                    @if !servers.is_empty() { " · goes to " (servers) }
                }
            }
            div.acts {
                @for (kind, holder, whose, words) in holders.iter().filter(|(kind, ..)| *kind == "person" || for_team) {
                    button.btn type="button" data-act="add-key" data-provider=(provider.name)
                        data-server=[provider.servers.first()] data-holder=(holder)
                        aria-label=(format!("Set {whose} of {}", provider.name)) { (words) }
                    @if provider.kept.contains(kind) {
                        button.btn type="button"
                            data-call={ "DELETE /api/team/keys/" (holder) "/" (provider.name) }
                            data-confirm={ "Remove " (whose) " of " (provider.name) "? It cannot be brought back." }
                            data-ok="Remove the key" data-then="panel:models"
                            aria-label=(format!("Remove {whose} of {}", provider.name)) { "Remove" }
                    }
                }
            }
        }
    }
}

fn key_row(provider: &ProviderDto) -> Markup {
    let servers = provider.servers.join(" and ");
    html! {
        li.key-row data-provider=(provider.name) {
            div {
                b { (provider.name) }
                span.muted {
                    @match provider.key {
                        Some("environment") => { " from " code { (provider.variable) } },
                        Some("keyring") => " in the keyring of this machine",
                        Some(_) => " in a file that only you can read",
                        None => " no key",
                    }
                    @if !servers.is_empty() { " · goes to " (servers) }
                }
            }
            @if provider.key != Some("environment") {
                div.acts {
                    button.btn type="button" data-act="add-key" data-provider=(provider.name)
                        data-server=[provider.servers.first()]
                        aria-label=(format!("{} of {}", add_words(provider), provider.name)) {
                        (add_words(provider))
                    }
                    @if provider.key.is_some() {
                        button.btn type="button" data-call={ "DELETE /api/providers/" (provider.name) "/key" }
                            data-confirm={ "Remove the key of " (provider.name) "? It cannot be brought back, and its models cannot be asked without it." }
                            data-ok="Remove the key" data-then="panel:models"
                            aria-label=(format!("Remove the key of {}", provider.name)) { "Remove" }
                    }
                }
            }
        }
    }
}

fn add_words(provider: &ProviderDto) -> &'static str {
    if provider.key.is_some() { "Replace…" } else { "Add key…" }
}

fn row(model: &ModelDto) -> Markup {
    html! {
        li aria-current=[model.current.then_some("true")] data-available[model.available] data-model=(model.id) {
            details {
                summary {
                    (model.id) span.muted { " " (model.size)
                        @if matches!(model.binds, "learned" | "assumed") { " " (model.binds) }
                        " · " (model.provider)
                        @if let Some(lacks) = &model.lacks { " · needs " (lacks.words) } }
                }
                p.muted { (commas(model.ml)) " tokens: " (model.bind_text) }
                @if let Some(lacks) = &model.lacks { (supply(lacks, &model.id)) }
                form data-call={ "PUT /api/models/" (model.id) } data-then="panel:models" {
                    label { "Context window, tokens" input name="contextWindow" data-type="number"
                        data-optional inputmode="numeric" placeholder=(model.ml); }
                    label { "Address of its server" input name="baseUrl" data-optional
                        placeholder="http://127.0.0.1:8080/v1"; }
                    p.muted { "A key goes only to the server that it was given for: for another address it is \
                        asked for again." }
                    p.problem role="alert" hidden {}
                    div.acts {
                        button.btn.pri type="submit" { "Save" }
                        button.btn type="button" data-act="choose-model" data-model=(model.id) { "Use it" }
                    }
                }
            }
            @if model.binds == "learned" {
                p.muted { "Its limit was " (model.bind_text) ". "
                    button.btn type="button" data-call={ "DELETE /api/models/" (model.id) "/learned" }
                        data-then="panel:models" { "Forget" }
                }
            }
        }
    }
}

/// The button that supplies what a model lacks.
fn supply(lacks: &LackDto, model: &str) -> Markup {
    html! {
        @match lacks.kind {
            "key" => div.acts {
                button.btn type="button" data-act="add-key" data-provider=[lacks.provider.as_ref()]
                    data-server=[lacks.server.as_ref()] data-model=(model) { "Add key…" }
            },
            "answer" | "entry" | "server" => div.acts {
                button.btn type="button" data-act="add-server" { "Add a server…" }
                button.btn type="button" data-call="POST /api/models/look" data-then="panel:models" {
                    "Look again" }
            },
            "program" => div.acts {
                button.btn type="button" data-call="POST /api/models/look" data-then="panel:models" {
                    "Look again" }
            },
            _ => {},
        }
    }
}
