//! A window of rows: pairs, the load line between them, the prelude where it is sent.

use std::{collections::HashMap, ops::Range, sync::Arc};

use maud::{Markup, html};
use plimsoll_app::{Shown, WorkspaceView, heavy, topic_path};
use plimsoll_budget::Boundary;
use plimsoll_domain::{FilesScope, PairId};
use plimsoll_send::{Hash, LeftOutBecause, Plan, Receipt, trim_notice};
use plimsoll_store::{ListedIn, StoredPair};
use plimsoll_tokens::commas;

use super::{
    icons,
    pair::{BeginsConversation, PairView},
    toolcalls::CallView,
};
use crate::{
    Web,
    api::state::{can_be_forgotten, line_note, line_words},
    keys::tooltip,
    problem::Problem,
    sessions::WorkspaceSession,
};

/// The visible pairs at these positions.
pub(crate) async fn chunk(
    web: &Arc<Web>,
    session: &mut WorkspaceSession,
    positions: Range<usize>,
) -> Result<Markup, Problem> {
    let plan = session.plan(&web.app).await?;
    let boundary = *plan.boundary();
    let from = positions.start.min(boundary.visible);
    let to = positions.end.clamp(from, boundary.visible);
    let shown = session.workspace_view.shown(&web.app, from..to).await?;
    let ids: Vec<PairId> = shown.iter().map(|shown| shown.id).collect();
    let stored = web.app.store().get_many(&ids).await?;
    let stored: HashMap<PairId, &StoredPair> =
        stored.iter().map(|stored| (stored.pair.id, stored)).collect();
    let mut articles = Vec::with_capacity(shown.len());
    for (at, shown) in (from..to).zip(&shown) {
        // A pair that was deleted since leaves a gap until its event arrives.
        if let Some(stored) = stored.get(&shown.id) {
            articles.push((at, article(web, session, stored, shown, at).await?));
        }
    }
    // The line stands before the oldest pair aboard; after all where none is.
    let line_here =
        (from..to).contains(&boundary.start) || boundary.start == to && to == boundary.visible;
    let line = load_line(&boundary, &session.workspace_view, &plan);
    let [system, files] = session.workspace_view.instructions(&web.app);
    let prelude = prelude(web, session, &plan, system);
    // A part that is switched off is told too: nothing is left out unseen.
    let off = to == boundary.visible && plan.target().files.is_none() && plan.model().tools;
    let files_off = if off { told_nothing(web, session).await? } else { None };
    let on = web.app.settings().files_section_tokens() > 0;
    let files_scope = files_scope_chip(web, session);
    Ok(html! {
        div.chunk data-from=(from) data-to=(to) data-y=(boundary.visible) data-shape=(session.workspace_view.shape()) {
            @for (at, article) in &articles {
                @if line_here && *at == boundary.start { (line) (prelude) }
                (article)
            }
            @if line_here && boundary.start == to { (line) (prelude) }
            // Where it stands for what is asked about instead of the message, the page puts it.
            @if !line_here { template.line { (line) (prelude) } }
            @if to == boundary.visible {
                @if plan.target().files.is_some() { (files_section(&plan, files, &files_scope)) }
                @if let Some(words) = files_off { (files_section_off(on, words, &files_scope)) }
                @if let Some(words) = plan.target().hidden_prompt_notice { (unseen(words)) }
            }
        }
    })
}

/// One pair, wherever it stands.
pub(crate) async fn one(
    web: &Arc<Web>,
    session: &mut WorkspaceSession,
    id: PairId,
) -> Result<Markup, Problem> {
    session.workspace_view.boundary(&web.app).await?;
    let at =
        session.workspace_view.position(id).ok_or_else(|| Problem::not_found("visible pair"))?;
    let shown = session.workspace_view.shown(&web.app, at..at + 1).await?;
    let stored = web.app.store().get(id).await?;
    let shown = shown.first().ok_or_else(|| Problem::not_found("visible pair"))?;
    article(web, session, &stored, shown, at).await
}

async fn article(
    web: &Arc<Web>,
    session: &mut WorkspaceSession,
    stored: &StoredPair,
    shown: &Shown,
    at: usize,
) -> Result<Markup, Problem> {
    let receipt = match stored.pair.receipt_id {
        Some(id) => web.app.store().receipt(id).await.ok(),
        None => None,
    };
    let estimate = receipt.as_ref().map(|receipt| receipt.estimate);
    let receipt = receipt.and_then(|receipt| receipt.receipt());
    let trimmed = match &receipt {
        Some(receipt) => left_out(web, receipt).await?,
        None => None,
    };
    let streamed = web.answers.streamed(stored.pair.id);
    let pair = &stored.pair;
    let attached =
        session.workspace_view.attached(&web.app, &pair.user_text, &pair.attachments).await?;
    let mut tool_calls = Vec::new();
    for call in web.app.store().tool_calls(pair.id).await? {
        let (at, name, arguments) = (&stored.workspace, &call.name, &call.arguments);
        tool_calls.push(CallView::of(web, at, name, arguments, Some(&call)).await);
    }
    let begins = shown.begins.and_then(|id| {
        let topic = session.workspace_view.topics().iter().find(|topic| topic.id == id)?;
        Some(BeginsConversation {
            title: topic.name.clone(),
            address: super::page::address(&format!("/c/{id}"), &session.place),
        })
    });
    let view = PairView {
        begins: begins.as_ref(),
        attached: &attached,
        tool_calls: &tool_calls,
        stored,
        shown,
        at,
        receipt: receipt.as_ref(),
        estimate,
        trimmed: trimmed.as_deref(),
        streamed: streamed.as_ref(),
        now: web.app.clock().now(),
        zone: &web.zone,
    };
    let bytes = pair.user_text.len() + pair.assistant_text.as_ref().map_or(0, String::len);
    Ok(heavy(bytes, || view.article()))
}

/// REC-4: what was left out of a request, by the openings of its pairs as they are now.
async fn left_out(web: &Web, receipt: &Receipt) -> Result<Option<String>, Problem> {
    let ids = receipt.left_out();
    let Some(last) = receipt.last().filter(|_| !ids.is_empty()) else { return Ok(None) };
    let stored = web.app.store().get_many(&ids).await?;
    let openings: Vec<String> = stored
        .iter()
        .map(|stored| plimsoll_prose::plain_preview(&stored.pair.user_text, 40))
        .collect();
    let names: Vec<&str> = openings.iter().map(String::as_str).collect();
    let refused = || receipt.attempts.iter().any(|attempt| attempt.stage.is_overflow());
    let because = match receipt.stated_limit {
        Some(stated) => LeftOutBecause::Stated(stated),
        None if refused() => LeftOutBecause::Refused,
        None => LeftOutBecause::Fitted(last.budget.max_context),
    };
    Ok(trim_notice(&names, because))
}

/// The line itself. Where somebody set it, it says so, and how to let it go.
fn load_line(boundary: &Boundary, view: &WorkspaceView, plan: &Plan) -> Markup {
    // What is being sent right now is not left out.
    let visible = boundary.visible.saturating_sub(view.in_flight(boundary.start));
    let words = line_words(boundary, boundary.start, visible);
    let marked = view.mark().is_some();
    let (note, model) = (line_note(plan), &plan.model().id);
    html! {
        div.load #load {
            (icons::mark("mark"))
            span {
                span.words {
                    @for (n, (number, words)) in words.iter().enumerate() {
                        @if n > 0 { " · " }
                        b { (number) } " " (words)
                    }
                }
                span.note { @if let Some(note) = note { ": " (note) } }
                span.forget hidden[!can_be_forgotten(plan)] {
                    " · "
                    button.link type="button" data-act="forget-learned" data-model=(model) {
                        "Forget"
                    }
                }
                span.summarise hidden[boundary.start == 0] {
                    " · "
                    button.link type="button" data-act="summarise-rest" title=(tooltip("summarise-rest")) {
                        "Summarise"
                    }
                }
                " " span.grip title="Drag the line to where the context begins ([ and ] in VIEW); \
                    a double click lets the prediction decide again" { "⇕ drag" }
                @if marked {
                    " · set by hand · "
                    button.link type="button" data-act="use-prediction" { "Use the prediction" }
                }
            }
        }
    }
}

/// DLV-5: what a provider adds by itself is not seen here, and that is said.
fn unseen(words: &str) -> Markup {
    html! { div.prelude data-part="unseen" { span { (words) } span.mono { "?" } } }
}

/// PAY-3: what is said about files stands where it is sent, right before the new message.
fn files_section(plan: &Plan, digest: Option<Hash>, scope: &Markup) -> Markup {
    let (section, tools) = plan.files_tokens();
    html! {
        @if let Some(files) = &plan.target().files {
            div.filesrow {
                details.prelude.files #files-section data-part="files" data-digest=[digest] {
                    summary {
                        span {
                            "Files section: " (files.shown) " of " (files.total)
                            (if files.total == 1 { " file" } else { " files" })
                            ", " (files.tools.len()) " tools"
                        }
                        span.mono { (commas(section.saturating_add(tools))) }
                    }
                    pre.mono { (files.text) }
                    p.muted { "Tools: " (files.tools.join(", ")) ", " (commas(tools)) " tokens" }
                    button.btn type="button" data-act="section-off" { "Leave out" }
                }
                (scope)
            }
        }
    }
}

/// FIL-6: whose files are listed, and a click that chooses others.
fn files_scope_chip(web: &Web, session: &WorkspaceSession) -> Markup {
    let view = &session.workspace_view;
    let scope = view.files_scope(&web.app);
    let words = match scope {
        FilesScope::Conversation if view.within().is_some() => "of this conversation",
        FilesScope::Conversation => "of what is in scope",
        FilesScope::Pinned => "of pinned messages",
        FilesScope::All => "of all messages",
        FilesScope::None => "none",
    };
    html! {
        button.scope.files-scope type="button" data-act="files-scope" data-scope=(scope.name())
            title="Whose files the model is told of and may read" { (words) " ⌄" }
    }
}

/// What is said where models are told of no file although there are some: that is switched off, or
/// the scope that somebody chose holds none.
async fn told_nothing(
    web: &Web,
    session: &WorkspaceSession,
) -> Result<Option<&'static str>, Problem> {
    let view = &session.workspace_view;
    let on = web.app.settings().files_section_tokens() > 0;
    let words = match view.files_scope(&web.app) {
        _ if !on => "not sent",
        FilesScope::None => "not sent",
        FilesScope::Pinned | FilesScope::All => "nothing to list",
        FilesScope::Conversation => return Ok(None),
    };
    let files = web.app.store().listed_files(view.workspace(), ListedIn::default()).await?;
    Ok((!files.is_empty()).then_some(words))
}

fn files_section_off(on: bool, words: &str, scope: &Markup) -> Markup {
    html! {
        div.filesrow {
            div.prelude data-part="files" data-off {
                span { "Files section: " (words) }
                @if !on { button.link type="button" data-act="section-on" { "Send it" } }
            }
            (scope)
        }
    }
}

/// PAY-3: the system message stands where it is sent, first of what is below the line; where pins
/// stand above that, it says that it is sent before them. One that is switched off still stands
/// there, and says so.
fn prelude(web: &Web, session: &WorkspaceSession, plan: &Plan, digest: Option<Hash>) -> Markup {
    let (tokens, pins) = (plan.system_tokens(), plan.boundary().pinned_above > 0);
    let (topic, topics) = (session.workspace_view.topic(), session.workspace_view.topics());
    let text = topic.system_message.as_deref().filter(|text| !text.trim().is_empty());
    let sent = web.app.system_message(topic).is_some();
    let path = topic_path(topics, topic.id).trim_start_matches('/').replace('/', " › ");
    html! {
        @if let Some(text) = text {
            details.prelude data-part="system" data-off[!sent] data-digest=[digest] {
                summary {
                    span { "System message of topic “" (path) "”" @if !sent { ": not sent" } @else if pins { ": sent first, before the pinned pairs above" } }
                    span.mono { @if sent { (commas(tokens)) } @else { "0" } }
                }
                pre.mono { (text) }
                div.acts {
                    @if sent {
                        button.btn type="button" data-act="system-off" { "Leave out" }
                    } @else {
                        button.btn type="button" data-act="system-on" { "Send it" }
                    }
                    button.btn type="button" data-panel="topics" { "Change it" }
                }
            }
        }
    }
}
