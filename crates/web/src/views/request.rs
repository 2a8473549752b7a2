//! The exact request (PAY-5): what would be sent, or was, with the difference to the last.

use std::sync::Arc;

use maud::{Markup, html};
use plimsoll_app::Draft;
use plimsoll_domain::PairId;
use plimsoll_store::{ReceiptFilter, Workspace};
use serde_json::Value;

use crate::{Web, boards::Desk, problem::Problem};

/// What would be sent now.
pub(super) async fn next(
    web: &Arc<Web>,
    desk: &mut Desk,
    draft: &Draft,
) -> Result<Markup, Problem> {
    let prepared = desk.board.prepare(&web.app, draft).await?;
    let filter = ReceiptFilter { limit: Some(1), ..ReceiptFilter::default() };
    let last = web.app.store().receipts(desk.board.workspace(), &filter).await?;
    let before = match last.first() {
        Some(receipt) => hashes(&web.app.store().receipt(receipt.id).await?.body),
        None => Vec::new(),
    };
    let body: Value = serde_json::from_str(&prepared.json_doc).unwrap_or(Value::Null);
    Ok(html! {
        h2 { "Exact request" }
        p.muted {
            "What would be sent now, byte for byte, key aside: "
            (prepared.json_doc.len()) " bytes. Messages that the last request did not have are marked."
        }
        (messages(&body, &before))
        pre.exact.mono { (pretty(&prepared.json_doc)) }
        button.btn type="button" data-copy="pre.exact" { "Copy" }
    })
}

/// What was sent for a pair, as far as it is kept: whole after an error, else by the
/// receipt's messages and hashes (REC-5).
pub(super) async fn past(web: &Arc<Web>, at: &Workspace, id: PairId) -> Result<Markup, Problem> {
    let store = web.app.store();
    let stored = store.get(id).await?;
    let snapshot = store.snapshot(id).await?.and_then(|snapshot| snapshot.json_doc);
    let receipt = match stored.pair.receipt_id {
        Some(receipt) => store.receipt(receipt).await.ok().and_then(|receipt| receipt.body),
        None => None,
    };
    let body: Value =
        receipt.as_deref().and_then(|b| serde_json::from_str(b).ok()).unwrap_or(Value::Null);
    let attempt = body["attempts"].as_array().and_then(|all| all.last()).cloned();
    let sent = attempt.as_ref().and_then(|a| a["messages"].as_array()).cloned().unwrap_or_default();
    let before = previous(web, at, id).await?;
    Ok(html! {
        h2 { "Exact request" }
        @if sent.is_empty() { p.muted { "There is no record of this request." } }
        @else {
            p.muted {
                "The messages of this request in order, with their hashes. Those that the request "
                "before it did not have are marked."
            }
            table.mono {
                tr { th { "role" } th { "of" } th.n { "tokens" } th { "hash" } }
                @for message in &sent {
                    @let hash = message["hash"].as_str().unwrap_or_default();
                    tr.new[!before.iter().any(|known| known == hash)] {
                        td { (message["role"].as_str().unwrap_or_default()) }
                        td {
                            @match message["pairId"].as_str() {
                                Some(pair) => button.link type="button" data-act="goto" data-id=(pair) { "pair" },
                                None => span { "—" },
                            }
                        }
                        td.n { (message["tokens"].as_u64().unwrap_or(0)) }
                        td title=(hash) { (hash.chars().take(10).collect::<String>()) "…" }
                    }
                }
            }
        }
        @if let Some(document) = snapshot {
            p.muted { "It failed, so the whole of it is kept:" }
            pre.exact.mono { (pretty(&document)) }
            button.btn type="button" data-copy="pre.exact" { "Copy" }
        }
    })
}

/// The messages of the request before this one.
async fn previous(web: &Web, at: &Workspace, id: PairId) -> Result<Vec<String>, Problem> {
    let store = web.app.store();
    let receipts = store.receipts(at, &ReceiptFilter::default()).await?;
    let own = receipts.iter().position(|receipt| receipt.pair == Some(id));
    let Some(before) = own.and_then(|own| receipts.get(own + 1)) else { return Ok(Vec::new()) };
    Ok(hashes(&store.receipt(before.id).await?.body))
}

fn hashes(body: &Option<String>) -> Vec<String> {
    let body: Value =
        body.as_deref().and_then(|body| serde_json::from_str(body).ok()).unwrap_or(Value::Null);
    let last = body["attempts"].as_array().and_then(|attempts| attempts.last());
    let messages = last.and_then(|attempt| attempt["messages"].as_array());
    let hash = |message: &Value| message["hash"].as_str().map(str::to_owned);
    messages.map(|messages| messages.iter().filter_map(hash).collect()).unwrap_or_default()
}

/// A line a message, new ones marked.
fn messages(body: &Value, before: &[String]) -> Markup {
    let all = body["messages"].as_array().cloned().unwrap_or_default();
    html! {
        ol.messages {
            @for message in &all {
                @let role = message["role"].as_str().unwrap_or_default();
                @let content = message["content"].as_str().unwrap_or_default();
                @let hash = blake3::hash(content.as_bytes()).to_hex().to_string();
                li.new[!before.contains(&hash)] {
                    b { (role) } " " (plimsoll_prose::plain_preview(content, 120))
                }
            }
        }
    }
}

fn pretty(json: &str) -> String {
    let parsed: Result<Value, _> = serde_json::from_str(json);
    parsed
        .ok()
        .and_then(|value| serde_json::to_string_pretty(&value).ok())
        .unwrap_or(json.to_owned())
}
