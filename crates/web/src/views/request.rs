//! The exact request (PAY-5): what would be sent, or was, with the difference to the last.

use std::{collections::HashSet, sync::Arc};

use maud::{Markup, PreEscaped, html};
use plimsoll_app::{AppError, Draft, Prepared, WorkspaceView};
use plimsoll_domain::{PairId, Timestamp};
use plimsoll_send::Receipt;
use plimsoll_store::{ReceiptFilter, ReceiptRecord, Workspace};
use plimsoll_tokens::commas;
use serde_json::Value;

use crate::{Web, api::seen::as_shown, problem::Problem, sessions::WorkspaceSession};

/// So many receipts are looked at for the one before another: more than end in a millisecond.
const NEIGHBOURS: u64 = 32;

/// What would be sent now.
pub(super) async fn next(
    web: &Arc<Web>,
    workspace_view: &mut WorkspaceView,
    draft: &Draft,
) -> Result<Markup, Problem> {
    if !plimsoll_budget::is_emitted(&draft.text) {
        return Ok(nothing());
    }
    let prepared = workspace_view.prepare(&web.app, draft).await?;
    would_be_sent(web, workspace_view.workspace(), &prepared, &html! {}).await
}

/// What would be sent to each of several models (HIS-12), one at a time: their names stand above it.
pub(super) async fn compared(
    web: &Arc<Web>,
    session: &mut WorkspaceSession,
    models: &[String],
    chosen: Option<&str>,
    draft: &Draft,
) -> Result<Markup, Problem> {
    if !plimsoll_budget::is_emitted(&draft.text) {
        return Ok(nothing());
    }
    session.workspace_view.boundary(&web.app).await?;
    let (at, view) = (session.place.workspace.clone(), as_shown(session, None));
    let sides = web.app.prepare_compared(&at, &view, models, draft).await?;
    let shown = models.iter().position(|model| Some(model.as_str()) == chosen).unwrap_or(0);
    let prepared = sides.get(shown).ok_or(AppError::NotToCompare)?;
    let choice = html! {
        div.acts role="group" aria-label="The model whose request is shown" {
            @for (number, model) in models.iter().enumerate() {
                button.chip type="button" id={ "side-" (number) } data-side=(model)
                    aria-pressed=(number == shown) { (model) }
            }
        }
    };
    would_be_sent(web, &at, prepared, &choice).await
}

fn nothing() -> Markup {
    html! {
        h2 { "Exact request" }
        p.muted { "Nothing would be sent: the message is empty." }
    }
}

async fn would_be_sent(
    web: &Arc<Web>,
    at: &Workspace,
    prepared: &Prepared,
    choice: &Markup,
) -> Result<Markup, Problem> {
    let filter = ReceiptFilter { limit: Some(1), ..ReceiptFilter::default() };
    let last = web.app.store().receipts(at, &filter).await?;
    let before = match last.first() {
        Some(receipt) => hashes(&web.app.store().receipt(receipt.id).await?),
        None => HashSet::new(),
    };
    let encoded = prepared.exact_request(web.app.settings().over_budget());
    let body: Value = serde_json::from_str(encoded.shown()).unwrap_or(Value::Null);
    let size = encoded.size();
    Ok(html! {
        h2 { "Exact request" }
        (choice)
        p.muted {
            "What would be sent now, byte for byte, key aside: "
            (commas(size as u64)) @if size == 1 { " byte" } @else { " bytes" }
            @if encoded.has_files() { "; the bytes of files stand here as a note in brackets" }
            ". Messages that the last request did not have are marked."
        }
        (messages(&body, &before))
        (document(encoded.shown()))
    })
}

/// What was sent for a pair, as far as it is kept: whole after an error, else by the
/// receipt's messages and hashes (REC-5).
pub(super) async fn past(web: &Arc<Web>, at: &Workspace, id: PairId) -> Result<Markup, Problem> {
    let store = web.app.store();
    let stored = store.get(id).await?;
    let snapshot = store.snapshot(id).await?.and_then(|snapshot| snapshot.json_doc);
    let receipt = match stored.pair.receipt_id {
        Some(receipt) => store.receipt(receipt).await.ok().and_then(|kept| kept.receipt()),
        None => None,
    };
    let last = receipt.as_ref().and_then(Receipt::last);
    let sent = last.map_or(&[][..], |attempt| &attempt.messages);
    let bytes = receipt.as_ref().and_then(|receipt| receipt.request_bytes);
    let before = previous(web, at, id).await?;
    Ok(html! {
        h2 { "Exact request" }
        @if sent.is_empty() { p.muted { "There is no record of this request." } }
        @else {
            p.muted {
                "The messages of this request in order, with their hashes. Those that the request "
                "before it did not have are marked."
                @if let Some(bytes) = bytes {
                    " It had " (commas(bytes as u64)) " bytes."
                }
            }
            table.mono {
                tr { th { "role" } th { "of" } th.n { "tokens" } th { "hash" } }
                @for message in sent {
                    @let hash = &message.hash;
                    tr.new[!before.contains(hash)] {
                        td { (message.role.name()) }
                        td {
                            @match message.pair_id {
                                Some(pair) => button.link type="button" data-act="goto" data-id=(pair) { "pair" },
                                None => span { "—" },
                            }
                        }
                        td.n { (message.tokens) }
                        td title=(hash) { (hash.chars().take(10).collect::<String>()) "…" }
                    }
                }
            }
        }
        @if let Some(document) = snapshot {
            p.muted {
                "It failed, so the whole of it is kept, as it was sent, key aside"
                @match bytes {
                    Some(bytes) if bytes == document.len() => { ": " (commas(bytes as u64)) " bytes." }
                    Some(bytes) => {
                        ": " (commas(bytes as u64)) " bytes, those of files as a note in brackets."
                    }
                    None => ".",
                }
            }
            (self::document(&document))
        }
    })
}

/// The messages of the request before this one.
async fn previous(web: &Web, at: &Workspace, id: PairId) -> Result<HashSet<String>, Problem> {
    let store = web.app.store();
    let own = ReceiptFilter { pair: Some(id), limit: Some(1), ..ReceiptFilter::default() };
    let own = store.receipts(at, &own).await?.into_iter().next();
    let Some(own) = own else { return Ok(HashSet::new()) };
    // Those of the same millisecond stand in the order of their ids.
    let until = Timestamp::from_millis(own.at.millis().saturating_add(1));
    let older =
        ReceiptFilter { until: Some(until), limit: Some(NEIGHBOURS), ..ReceiptFilter::default() };
    let older = store.receipts(at, &older).await?;
    let before = older.iter().skip_while(|receipt| receipt.id != own.id).nth(1);
    let Some(before) = before else { return Ok(HashSet::new()) };
    Ok(hashes(&store.receipt(before.id).await?))
}

/// The hashes of the messages that were sent last.
fn hashes(kept: &ReceiptRecord) -> HashSet<String> {
    let last = kept.receipt().and_then(|mut receipt| receipt.attempts.pop());
    last.into_iter().flat_map(|last| last.messages).map(|message| message.hash).collect()
}

/// A line a message, new ones marked.
fn messages(body: &Value, before: &HashSet<String>) -> Markup {
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

/// A request as it leaves, and the same indented for reading.
fn document(json: &str) -> Markup {
    html! {
        (exact(json))
        button.btn type="button" data-copy="pre.exact" { "Copy" }
        details.raw {
            summary { "The same, indented for reading" }
            pre.mono { "\n" (indented(json)) }
        }
    }
}

/// A text with each of its characters: HTML drops a line break at the start of `pre` and
/// turns a carriage return into another one.
pub(super) fn exact(text: &str) -> Markup {
    let escaped = html! { (text) }.into_string().replace('\r', "&#13;");
    html! { pre.exact.mono { "\n" (PreEscaped(escaped)) } }
}

/// JSON with line breaks and blanks between its parts; order and values stay as they are.
fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    let mut rest = json.chars().peekable();
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    while let Some(c) = rest.next() {
        if quoted {
            quoted = c != '"' || escaped;
            escaped = c == '\\' && !escaped;
            out.push(c);
            continue;
        }
        match c {
            '"' => {
                quoted = true;
                out.push(c);
            }
            '{' | '[' => {
                out.push(c);
                let empty = matches!(rest.peek(), Some('}' | ']'));
                if !empty {
                    depth += 1;
                    line(&mut out, depth);
                } else if let Some(end) = rest.next() {
                    out.push(end);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            blank if blank.is_ascii_whitespace() => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pay_5_what_is_indented_keeps_its_order_and_its_texts() {
        let json = r#"{"model":"m","messages":[{"role":"user","content":"a, \"b\": {c}\\"}],"stop":[],"z":{}}"#;
        let expected = r#"{
  "model": "m",
  "messages": [
    {
      "role": "user",
      "content": "a, \"b\": {c}\\"
    }
  ],
  "stop": [],
  "z": {}
}"#;
        assert_eq!(indented(json), expected);
    }

    proptest! {
        /// The indented one says the same, whatever the texts hold.
        #[test]
        fn pay_5_indenting_changes_no_value(texts in prop::collection::vec(any::<String>(), 0..5)) {
            let json = serde_json::json!({"a": texts, "b": {"c": texts.first()}}).to_string();
            let again: Value = serde_json::from_str(&indented(&json)).unwrap();
            prop_assert_eq!(again.to_string(), json);
        }
    }
}
