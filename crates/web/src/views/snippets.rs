//! The panel of the prompt library (UI-23).

use std::sync::Arc;

use maud::{Markup, html};
use plimsoll_prose::plain_preview;
use plimsoll_store::Workspace;

use crate::{Web, problem::Problem};

/// So much of a text stands beside its name.
const PREVIEW_CHARS: usize = 48;

/// Every snippet with its text to edit, and a form for a new one.
pub(super) async fn panel(web: &Arc<Web>, at: &Workspace) -> Result<Markup, Problem> {
    let snippets = web.app.snippets(at).await?;
    Ok(html! {
        h2 { "Snippets" }
        p.muted {
            "Type " code { "/" } " and a name in the message box: the text comes into the box, and goes when you send it. "
            code { "{{place}}" } " is a place to fill in, " code { "{{place=word}}" } " one that has a word already, and "
            code { "{{input}}" } " is where the words behind the name go."
        }
        @if snippets.is_empty() { p.muted { "There is none yet." } }
        ul.tree {
            @for snippet in &snippets {
                li {
                    details {
                        summary {
                            "/" (snippet.name)
                            span.muted { " " (plain_preview(&snippet.text, PREVIEW_CHARS)) }
                        }
                        form data-call={ "PUT /api/snippets/" (snippet.name) } data-then="panel:snippets" {
                            label { "Text" textarea name="text" rows="5" required maxlength="1000000" { (snippet.text) } }
                            p.problem role="alert" hidden {}
                            div.acts {
                                button.btn.pri type="submit" { "Save" }
                                button.btn type="button" data-call={ "DELETE /api/snippets/" (snippet.name) }
                                    data-then="panel:snippets" { "Delete" }
                            }
                        }
                    }
                }
            }
        }
        h3 { "New snippet" }
        form data-call="POST /api/snippets" data-then="panel:snippets" {
            label { "Name" input name="name" required maxlength="64" pattern="[a-z0-9_\\-]+"
                title="Small letters, digits, - and _" placeholder="review" autocapitalize="none"; }
            label { "Text" textarea name="text" rows="5" required maxlength="1000000"
                placeholder="Review this {{language=Rust}} code: {{input}}" {} }
            p.problem role="alert" hidden {}
            div.acts { button.btn.pri type="submit" { "Create snippet" } }
        }
    })
}
