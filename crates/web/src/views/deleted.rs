//! What was deleted lately, and the way back (REC-5).

use std::sync::Arc;

use maud::{Markup, html};
use plimsoll_store::{DeletedKind, Deletion, Workspace};
use plimsoll_tokens::commas;

use crate::{Web, formats::when, problem::Problem};

/// What a deletion took, in words.
fn what(deletion: &Deletion) -> String {
    let (one, many) = match deletion.kind {
        DeletedKind::Pairs => ("pair", "pairs"),
        DeletedKind::File => ("file", "files"),
        DeletedKind::Topic => ("topic", "topics"),
        DeletedKind::Conversation => ("conversation", "conversations"),
        DeletedKind::Filter => ("saved filter", "saved filters"),
        DeletedKind::Snippet => ("snippet", "snippets"),
        DeletedKind::Notes => ("note", "notes"),
    };
    format!("{} {}", commas(deletion.count), if deletion.count == 1 { one } else { many })
}

pub(super) async fn list(web: &Arc<Web>, at: &Workspace) -> Result<Markup, Problem> {
    let deletions = web.app.deletions(at).await?;
    let hours = web.app.settings().keep_deleted().map(|keep| keep.as_secs() / 3600);
    let now = web.app.clock().now();
    Ok(html! {
        h2 { "Recently deleted" }
        p.muted {
            @match hours {
                Some(hours) => { "What is deleted can be brought back for " (commas(hours)) " hours. " }
                None => { "What is deleted is deleted for good at once. " }
            }
            button.link type="button" data-panel="settings" { "Settings" }
            " (" code { "keepDeleted" } ")"
        }
        @if deletions.is_empty() { p { "Nothing was deleted lately." } }
        ul.plain.deletions {
            @for deletion in &deletions {
                li data-deletion=(deletion.id) {
                    p {
                        bdi { (plimsoll_prose::plain_preview(&deletion.words, 80)) }
                        br;
                        span.muted { (what(deletion)) " · " (when(deletion.at, now, &web.zone)) }
                    }
                    div.acts {
                        button.btn type="button" data-call="POST /api/undo" data-then="panel:deleted"
                            data-body={ "{\"token\":\"" (deletion.id) "\"}" } { "Bring back" }
                        button.btn.danger type="button" data-call={ "DELETE /api/deletions/" (deletion.id) }
                            data-then="panel:deleted" data-ok="Delete for good"
                            data-confirm={ (what(deletion)) " can then not be brought back." } { "Delete for good" }
                    }
                    p.problem role="alert" hidden {}
                }
            }
        }
    })
}
