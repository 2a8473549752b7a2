//! Topics, help: forms that say what they call.

use std::{collections::HashMap, sync::Arc};

use maud::{Markup, html};
use plimsoll_app::TopicPaths;
use plimsoll_domain::{Topic, TopicId};
use plimsoll_filter::{ATOMS, COMMANDS};
use plimsoll_tokens::commas;

use crate::{Web, keys::keys, problem::Problem, sessions::WorkspaceSession};

/// At most so many topics stand in the panel; the rest is found by name (REL-9).
const MOST_TOPICS: usize = 200;

/// The tree of topics, as far as it holds what is looked for; the selected one open for
/// editing.
pub(super) async fn topics(
    web: &Arc<Web>,
    session: &WorkspaceSession,
    find: Option<&str>,
) -> Result<Markup, Problem> {
    let topics = session.workspace_view.topics();
    let selected = session.workspace_view.topic().id;
    let paths = TopicPaths::of(topics);
    let mut pairs: HashMap<TopicId, usize> = HashMap::new();
    for row in web.app.store().rows(session.workspace_view.workspace()).await? {
        *pairs.entry(row.topic_id).or_default() += 1;
    }
    let wanted = find.map(str::trim).unwrap_or_default().to_lowercase();
    let found: Vec<&Topic> =
        topics.iter().filter(|topic| topic.name.to_lowercase().contains(&wanted)).collect();
    let mut shown: Vec<&Topic> = found.iter().copied().take(MOST_TOPICS).collect();
    if wanted.is_empty() && !shown.iter().any(|topic| topic.id == selected) {
        shown.insert(0, session.workspace_view.topic());
    }
    let more = found.len().saturating_sub(MOST_TOPICS);
    Ok(html! {
        h2 { "Topics" }
        @if topics.len() > MOST_TOPICS || !wanted.is_empty() {
            form data-find="/ui/panel/topics" data-name="topics" role="search" {
                label { "Find a topic" input type="search" name="find" value=(find.unwrap_or_default())
                    placeholder="a part of its name"; }
                p.muted {
                    (commas(found.len() as u64)) " of " (commas(topics.len() as u64)) " topics"
                    @if more > 0 { ", the first " (MOST_TOPICS) " are listed" }
                    "."
                }
            }
        }
        // Above the list, which may be long.
        details.new {
            summary { "New topic" }
            form data-call="POST /api/topics" data-then="panel:topics" {
                label { "Path" input name="path" placeholder="/Rust/async" required maxlength="1000"; }
                label { "System message" textarea name="systemMessage" rows="2" data-optional
                    placeholder="else a copy of its parent's" {} }
                p.problem role="alert" hidden {}
                div.acts { button.btn.pri type="submit" { "Create topic" } }
            }
        }
        ul.tree {
            @for topic in shown {
                @let path = paths.path(topic.id);
                @let depth = path.matches('/').count().saturating_sub(1).min(8);
                li data-depth=(depth) aria-current=[(topic.id == selected).then_some("true")] {
                    details open[topic.id == selected] {
                        summary title=(path) {
                            (topic.name)
                            span.muted {
                                " " (pairs.get(&topic.id).copied().unwrap_or(0))
                                @if topic.system_message.is_some() { " · system message" }
                            }
                        }
                        (topic_form(topic, &path, topic.parent.map(|id| paths.path(id))))
                    }
                }
            }
        }
    })
}

/// UI-15: what goes with the messages of the open conversation, where it is opened.
pub(super) fn conversation(session: &WorkspaceSession) -> Markup {
    let topic = session.workspace_view.topic();
    html! {
        h2 { "This conversation" }
        p.muted { "The system message is sent before every message of this conversation. The page shows it "
            "where it is sent." }
        form data-call={ "PATCH /api/conversations/" (topic.id) } data-then="reload" {
            label { "System message" textarea name="systemMessage" rows="6" {
                (topic.system_message.as_deref().unwrap_or_default())
            } }
            (parameters(topic))
            p.problem role="alert" hidden {}
            div.acts { button.btn.pri type="submit" { "Save" } }
        }
    }
}

/// Who answers, and how.
fn parameters(topic: &Topic) -> Markup {
    html! {
        label { "Model" input name="defaultModel" value=(topic.default_model.as_deref().unwrap_or_default())
            placeholder="the one that is selected"; }
        label { "Temperature" input name="temperature" data-type="number" inputmode="decimal"
            value=[topic.temperature]; }
        label { "Longest answer, tokens" input name="maxOutput" data-type="number" inputmode="numeric"
            value=[topic.max_output]; }
    }
}

fn topic_form(topic: &Topic, path: &str, parent: Option<String>) -> Markup {
    html! {
        form data-call={ "PATCH /api/topics/" (topic.id) } data-then="reload" {
            label { "Name" input name="name" value=(topic.name) required maxlength="200"; }
            label { "Below" input name="parent" value=(parent.unwrap_or_default()) placeholder="Top level"; }
            label { "System message" textarea name="systemMessage" rows="3" {
                (topic.system_message.as_deref().unwrap_or_default())
            } }
            (parameters(topic))
            p.problem role="alert" hidden {}
            div.acts {
                button.btn.pri type="submit" { "Save" }
                button.btn type="button" data-act="choose-topic" data-path=(path) { "Use this topic" }
                button.btn type="button" data-call={ "DELETE /api/topics/" (topic.id) }
                    data-then="reload" data-confirm={ "Remove the topic " (path) "? Only an empty one goes." } {
                    "Remove"
                }
            }
        }
    }
}

/// A key that can be pressed with the mouse as well (UI-16). Those of the browser cannot.
fn help_key(key: &crate::keys::Key) -> Markup {
    html! {
        @if let Some(action) = &key.action {
            button type="button" data-does=(action) title=(key.help)
                aria-label={ (key.name()) ": " (key.help) } { kbd { (key.name()) } }
        } @else { kbd { (key.name()) } }
    }
}

pub(super) fn help() -> Markup {
    html! {
        h2 { "Help" }
        p { "What you see is what you send: the visible pairs below the load line go along, in order, "
            "and nothing else. " b { "Enter" } " writes, " b { "Esc" } " leaves, " b { "Esc" } " again filters. "
            "Letters are keys only where " b { "Esc" } " led; after a click or a long reply they write the message." }
        @for of_mode in keys().chunk_by(|a, b| a.mode == b.mode) {
            h3 { (of_mode[0].mode) }
            dl.keys {
                @for line in of_mode.chunk_by(|a, b| a.help == b.help) {
                    dt { @for key in line { (help_key(key)) " " } } dd { (line[0].help) }
                }
            }
        }
        h3 { "Filters" }
        dl.keys.mono {
            @for (atom, does) in ATOMS {
                dt { (atom) @if atom.ends_with('\'') { "…'" } } dd { (does) }
            }
        }
        p.muted { "Terms side by side must all hold; " code { "|" } " is or, " code { "( )" } " groups." }
        h3 { "Commands after a filter" }
        dl.keys.mono { @for (command, does) in COMMANDS { dt { ":" (command) } dd { (does) } } }
        p { button.link type="button" data-panel="deleted" { "Recently deleted" } }
        p.muted { a.link href="/api/openapi.json" target="_blank" rel="noopener" { "The API, as OpenAPI" } }
    }
}
