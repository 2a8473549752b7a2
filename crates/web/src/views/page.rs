//! The page, with its newest window of rows already in it.

use std::sync::Arc;

use maud::{DOCTYPE, Markup, html};
use plimsoll_domain::HistoryScope;
use plimsoll_send::BLOCK;
use plimsoll_tokens::dollars;

use super::{
    icons::{icon, mark},
    models::Keys,
    rows,
};
use crate::{
    Web,
    access::By,
    api::{percent, state::StateDto},
    assets,
    keys::tooltip,
    place::Place,
    problem::Problem,
    sessions::WorkspaceSession,
};

/// So many of the newest pairs come with the page at least.
const FIRST_ROWS: usize = 8;

/// The panels, in the order of the bar: name, words, key.
const PANELS: [(&str, &str); 6] = [
    ("files", "Files"),
    ("memory", "Memory"),
    ("topics", "Topics"),
    ("receipts", "Receipts"),
    ("models", "Models"),
    ("settings", "Settings"),
];

pub(super) async fn page(
    web: &Arc<Web>,
    session: &mut WorkspaceSession,
    by: &By,
) -> Result<Markup, Problem> {
    let state = StateDto::of(web, session).await?;
    let visible = state.boundary.y;
    // Whole blocks: of a block that it holds in part the page cannot say itself what is sent.
    let from = visible.saturating_sub(FIRST_ROWS) / BLOCK * BLOCK;
    let rows = rows::chunk(web, session, from..visible).await?;
    let warn_at = web.app.settings().warn_at();
    let keep_deleted = web.app.settings().keep_deleted().map_or(0, |keep| keep.as_secs() / 3600);
    let (place, workspace) = (session.place.clone(), session.place.workspace.to_string());
    let old = super::is_older_than_conversations(web).await?;
    let first = visible == 0 && web.app.store().count(&place.workspace).await? == 0;
    Ok(html! {
        (DOCTYPE)
        html lang="en" data-theme="auto" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Plimsoll" }
                link rel="icon" href=(assets::address("mark.svg")) type="image/svg+xml";
                link rel="manifest" href="/manifest.webmanifest" crossorigin="use-credentials";
                link rel="apple-touch-icon" href=(assets::address("icons/icon-192.png"));
                link rel="stylesheet" href=(assets::address("page.css"));
                link rel="stylesheet" href=(assets::address("prose.css"));
                script type="module" src=(assets::address("page.js")) {}
            }
            body data-mode="INPUT" data-workspace=(workspace) data-scope=(place.scope.name())
                data-conversation=[place.conversation] data-old-store[old] data-event=(state.event)
                data-warn-at=(warn_at) data-queue[state.queue] data-keys=[Keys::of(by).holders()] data-keep-deleted=(keep_deleted) data-empty[visible == 0] {
                a.skip href="#draft" { "Skip to the message" }
                (sidebar(&place))
                div.page {
                (header(&state, &place))
                div #filter-error .caretline.mono role="alert" hidden {}
                ul #filter-menu .menu.mono role="listbox" aria-label="Completions" hidden {}
                main #main {
                    section #history .hist tabindex="0" aria-label="History"
                        data-visible=(visible) data-start=(state.boundary.start)
                        data-x=(state.boundary.x) {
                        div #above .spacer aria-hidden="true" {}
                        div #rows {
                            @if visible == 0 && session.filter().is_empty() {
                                @if first { (welcome()) } @else { (empty_chat()) }
                            }
                            (rows)
                        }
                        div #below .spacer aria-hidden="true" {}
                    }
                    button #newest .newest type="button" title="Go to the newest message (G in VIEW)" hidden {
                        "↓ Newest"
                    }
                    section #hits .hits aria-label="Search" hidden {}
                    aside #panel .panel aria-label="Panel" hidden {}
                    aside #hud .panel.hud aria-label="Details" hidden {}
                }
                (footer(&state, &session.draft.text, place.within().is_some()))
                div #drop .drop aria-hidden="true" hidden { p { (icon("attach")) span { "Drop files to attach them" } span { "Drop files to keep them here" } } }
                div #toasts role="status" aria-live="polite" {}
                noscript { p.noscript { "The workbench needs JavaScript; the API and the commands do not." } }
                }
            }
        }
    })
}

/// The conversations (UI-15); the page's own script fills the list.
fn sidebar(place: &Place) -> Markup {
    html! {
        nav #side .side aria-label="Conversations" {
            div.top { (mark("mark")) span { "Plimsoll" }
                button #side-close .tool type="button" aria-label="Close the list of conversations"
                    title="Close the list of conversations" { "✕" }
            }
            div.begin {
                a #new-chat .new href=(address("/c/new", place)) title=(tooltip("new-chat")) {
                    span { "New chat" } kbd aria-hidden="true" { "n" }
                }
                button #import .new type="button" data-import title=(tooltip("import")) { "Import" }
            }
            input #side-find type="search" placeholder="Find a conversation"
                aria-label="Find a conversation by its title" autocomplete="off" spellcheck="false"
                maxlength="200";
            div #side-list .convs tabindex="-1" {}
            @if let Some(person) = &place.person {
                form.begin method="post" action="/sign-out" {
                    span.muted title="Signed in" { (person) }
                    button.new { "Sign out" }
                }
            }
        }
        div #side-shade .shade hidden {}
    }
}

/// An address of the page in the same workspace.
pub(super) fn address(path: &str, place: &Place) -> String {
    match place.workspace == plimsoll_store::Workspace::default() {
        true => path.to_owned(),
        false => {
            let joint = if path.contains('?') { '&' } else { '?' };
            format!("{path}{joint}workspace={}", percent(place.workspace.as_str()))
        }
    }
}

/// What is looked at, and a click that looks at the other (HIS-9).
fn scope_chip(place: &Place) -> Markup {
    let own = place.conversation.map(|id| format!("/c/{id}"));
    let (words, other, title) = match place.scope {
        HistoryScope::Conversation => (
            "this conversation",
            format!("{}?scope=everything", own.unwrap_or_else(|| "/".to_owned())),
            "Only this conversation is visible, and so sent. A click shows everything.",
        ),
        HistoryScope::Everything => (
            "everything",
            own.unwrap_or_else(|| "/?scope=conversation".to_owned()),
            "All conversations are visible, and so sent as far as they fit. A click shows one.",
        ),
    };
    html! {
        a #scope .scope href=(address(&other, place)) title=(title) data-scope=(place.scope.name()) {
            (words) " ⇄"
        }
    }
}

fn header(state: &StateDto, place: &Place) -> Markup {
    html! {
        header.bar {
            button #side-open .tool type="button" aria-expanded="false" aria-controls="side"
                aria-label="Conversations" title=(tooltip("sidebar")) { "☰" }
            h1.sr { "Plimsoll" }
            @if place.conversation.is_some() {
                button #title .title type="button" title="Rename this conversation" { (state.view.title) }
                button #instructions .tool type="button" data-panel="conversation"
                    title=(tooltip("panel-conversation")) aria-label=(tooltip("panel-conversation")) { (icon("edit")) }
                span #spent .spent.mono title="What was sent in this conversation cost, as far as prices are known"
                    hidden[state.view.cost.is_none()] { (state.view.cost.map(dollars).unwrap_or_default()) }
            }
            (scope_chip(place))
            span #mode .mode role="status" { "INPUT" }
            form #filter-form .filter role="search" {
                input #filter .mono name="filter" type="text" role="combobox"
                    aria-label="Search or filter" aria-expanded="false" aria-controls="filter-menu"
                    aria-describedby="filter-error" autocomplete="off" spellcheck="false"
                    maxlength="65536" placeholder="Words to search for, or a filter"
                    value=(state.view.filter);
            }
            button #counter .counter.mono type="button" { (state.counter.text) }
            // The page puts them below the conversations where these are in sight.
            nav #panels .icons aria-label="Panels" {
                @for (name, words) in PANELS {
                    button type="button" data-panel=(name) aria-expanded="false"
                        title=(tooltip(&format!("panel-{name}"))) { (words) }
                }
            }
            nav.icons aria-label="Details and help" {
                button type="button" data-panel="hud" aria-expanded="false" title=(tooltip("hud")) { "Details" }
                button type="button" data-panel="help" aria-expanded="false" title=(tooltip("panel-help"))
                    aria-label="Help" { "?" }
                button #theme type="button" title="Light or dark" aria-label="Light or dark" {
                    (icon("theme"))
                }
            }
        }
    }
}

fn footer(state: &StateDto, draft: &str, in_conversation: bool) -> Markup {
    let window = &state.window;
    let topic = state.view.topic.trim_start_matches('/').replace('/', " › ");
    // Tokens are never shown: the page makes marks of them before it fills the box.
    let with_files = draft.contains("<<context:");
    html! {
        footer {
            div.wrap {
                // The page draws them, at once and again with every key.
                div #gauge .gauge role="img" aria-label="Window"
                    data-window=[serde_json::to_string(window).ok()] {}
                div #legend .legend.mono {}
                form #composer .box {
                    div #strip .strip hidden {
                        ul #chips .chips role="list" aria-label="Attachments" {}
                        span #strip-words .strip-words hidden {}
                        span #meter .meter.mono title="What this message weighs, files included" hidden {}
                    }
                    div #notice .notice role="status" hidden {}
                    textarea #draft rows="2" aria-label="Message" maxlength="4000000"
                        placeholder="Write a message. Enter sends, Shift+Enter is a new line."
                        data-draft=[with_files.then_some(draft)] {
                        @if !with_files { (draft) }
                    }
                    div.row {
                        button #model .sel type="button" aria-haspopup="listbox"
                            aria-label=(format!("Model: {}", window.model)) data-id=(window.model) {
                            (window.model) " ▾"
                        }
                        ul #compared role="list" aria-label="Models that are asked too" hidden {}
                        button #compare .attach type="button" aria-haspopup="listbox"
                            data-most=(plimsoll_app::MOST_COMPARED)
                            title=(tooltip("compare")) aria-label=(tooltip("compare")) {
                            (icon("swap")) span { "Compare" }
                        }
                        // In the scope of a conversation that is the topic.
                        button #topic .sel type="button" aria-haspopup="listbox" hidden[in_conversation]
                            aria-label=(format!("Topic: {topic}")) title=(topic) data-path=(state.view.topic)
                            data-id=(state.view.topic_id) {
                            (topic.rsplit(" › ").next().unwrap_or_default()) " ▾"
                        }
                        button #attach .attach type="button" aria-label="Attach files"
                            title="Attach files; they can also be pasted, dropped, or named with @" {
                            (icon("attach")) span { "Attach" }
                        }
                        input #picker type="file" multiple hidden;
                        button #snippets .attach type="button" aria-label="Snippets"
                            title="Snippets; / and a name in the message calls one" {
                            b.mono aria-hidden="true" { "/" } span { "Snippets" }
                        }
                        span.grow {}
                        output #aut .mono for="draft" title="What this message weighs" {
                            @if window.aut > 0 { (if window.exact { "" } else { "~" }) (window.aut) }
                        }
                        button #send .send type="submit" {
                            "Send"
                            @if let Some(cost) = window.cost.as_ref().filter(|cost| cost.most > 0.0) {
                                span.weight { " · " (cost.tokens) } span.price { i { " · " } (cost.text) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What stands in a conversation that holds nothing yet.
fn empty_chat() -> Markup {
    html! {
        article.pair.welcome #welcome {
            div.gut.mono {}
            div.body {
                div.u { "New chat" }
                div.meta { "Nothing of your other conversations is sent from here." }
            }
        }
    }
}

/// UI-13: what a newcomer sees instead of an empty page.
fn welcome() -> Markup {
    html! {
        article.pair.welcome #welcome {
            div.gut.mono {}
            div.body {
                h2.u { "What is the line for?" }
                div.a.prose {
                    p {
                        "A ship's load line shows how deep she may lie in the water. Here it shows "
                        "what fits into a model's context window. Pairs below the line go along with "
                        "your next message; those above it are left out, and you always see which."
                    }
                    ul {
                        li { "Write below and press " kbd { "Enter" } ". It works without any key: a "
                             "small model runs inside." }
                        li { "The bar above the box is the window. It turns amber when it gets full, "
                             "red when it is too full; nothing is dropped behind your back." }
                        li { "The box at the top decides what is visible, and so what is sent: "
                             code { "d<1h" } " is the last hour, " code { "s>=2" } " what you starred." }
                        li { button.link type="button" data-import { "Import" } " what you wrote with "
                             "ChatGPT or Claude; nothing of it is sent before you open it." }
                        li { "Press " kbd { "Esc" } " and then " kbd { "?" } " for all keys." }
                    }
                }
                div.meta { "This note is not sent, and disappears with your first message." }
            }
        }
    }
}
