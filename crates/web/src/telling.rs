//! From what happens in the app to events for browsers.

use std::{sync::Arc, time::Duration};

use plimsoll_app::{AppEvent, Attempt, OverQuota, Progress};
use plimsoll_domain::{FileId, PairId, ReceiptId, file_label};
use plimsoll_send::{Comparison, Stage};
use plimsoll_store::{StoreError, ToolCallRecord, Workspace};
use serde_json::{Value, json};

use crate::{
    Web,
    api::{ReceiptDto, state::StateDto},
    event_log::{Audience, TextStep},
    outlet::Outlet,
    place::Place,
    views::{self, CallView},
};

/// More changed pairs than this are told as a whole.
const FEW: usize = 20;

/// Tells what happened, here or on another node.
pub(crate) async fn tell(
    out: &Outlet<'_>,
    AppEvent { workspace, progress }: AppEvent,
    elsewhere: bool,
) {
    let web = out.web;
    let Some(at) = workspace else {
        out.tell(Audience::Everybody, "settings", &json!({}));
        // What goes along may be another now, and the rows of the prelude say so.
        for place in out.places(None) {
            tell_rows_to(out, &place).await;
        }
        return;
    };
    let at = &at;
    let to = match progress.pair() {
        Some(pair) => audience(web, at, pair).await,
        None => Audience::from(at),
    };
    match progress {
        Progress::Started(pair, epoch) => {
            if out.is_for_all() {
                web.answers.begin(pair, epoch, elsewhere, &to);
            }
            // It may have ended before this is told; a page that was opened since shows its end.
            let stored = web.app.store().get(pair).await.ok();
            let state = stored.map(|stored| stored.pair.lifecycle.name());
            for place in out.seen_from(&to) {
                let (position, html) = article(web, &place, pair).await;
                let shape = shape(web, &place).await;
                let data = json!({
                    "pair": pair.to_string(), "at": position, "shape": shape, "state": state,
                });
                let data = with_html(data, html);
                out.tell_of_text(&place, "started", &data, TextStep::Begins(epoch));
                tell_state_to(out, &place).await;
            }
            out.tell(at, "conversations", &json!({}));
        }
        Progress::Text(pair, text) => {
            let step = web.answers.push(pair, &text);
            let data = json!({ "pair": pair.to_string(), "text": text });
            out.tell_of_text(to.clone(), "delta", &data, step);
        }
        Progress::Attempt(pair, attempt) => {
            let data = attempt_data(pair, &attempt);
            web.answers.attempt(pair, &attempt);
            out.tell(to.clone(), "attempt", &data);
            if attempt.record.stage == Stage::Sent {
                let (kind, text) = attempt_words(&attempt);
                let data = json!({ "pair": pair.to_string(), "kind": kind, "text": text });
                out.tell(to.clone(), "status", &data);
            }
        }
        Progress::Receipt(pair, id) => {
            // One that cannot be read now is read by whoever asks for it.
            if let Ok(record) = web.app.store().receipt(id).await {
                let mut data = json!(ReceiptDto::of(&record));
                data["pair"] = json!(pair.to_string());
                out.tell(to.clone(), "receipt", &data);
            }
        }
        Progress::Ended(pair) => {
            let stored = match web.app.store().get(pair).await {
                Ok(stored) => Some(stored.pair),
                Err(StoreError::NotFound(_)) => None,
                // What became of it cannot be read now, and nobody is told a second time: who
                // watches reads it when that is possible.
                Err(_) => {
                    let epoch = out.end_text(&to, pair, "");
                    return out.tell_of_text(to, "reset", &json!({}), TextStep::Ends(epoch));
                }
            };
            let text = stored.as_ref().and_then(|pair| pair.assistant_text.as_deref());
            let epoch = out.end_text(&to, pair, text.unwrap_or_default());
            let receipt = stored.as_ref().and_then(|pair| pair.receipt_id);
            let state = stored.map(|pair| pair.lifecycle.name());
            let notice = end_notice(web, receipt).await;
            for place in out.seen_from(&to) {
                let (position, html) = article(web, &place, pair).await;
                let data = json!({
                    "pair": pair.to_string(), "at": position, "state": state, "notice": notice,
                });
                let data = with_html(data, html);
                out.tell_of_text(&place, "ended", &data, TextStep::Ends(epoch));
                tell_state_to(out, &place).await;
            }
            out.tell(at, "conversations", &json!({}));
        }
        Progress::Changed(pairs) | Progress::Labelled(pairs) => {
            for place in out.places(Some(at)) {
                tell_pairs(out, &place, &pairs).await;
            }
            out.tell(at, "conversations", &json!({}));
        }
        Progress::Removed(pairs) => {
            let pairs: Vec<String> = pairs.iter().map(ToString::to_string).collect();
            out.tell(at, "removed", &json!({ "pairs": pairs }));
            tell_all_rows(out, at).await;
            out.tell(at, "conversations", &json!({}));
        }
        Progress::Imported => {
            tell_all_rows(out, at).await;
            out.tell(at, "conversations", &json!({}));
        }
        Progress::Topics => {
            out.tell(at, "topics", &json!({}));
            out.tell(at, "conversations", &json!({}));
            tell_all_rows(out, at).await;
        }
        Progress::Settings | Progress::ContextFrom => tell_all_rows(out, at).await,
        Progress::Files => {
            out.tell(at, "files", &json!({}));
            for place in out.places(Some(at)) {
                tell_state_to(out, &place).await;
            }
        }
        Progress::Memory => {
            out.tell(at, "memory", &json!({}));
        }
        Progress::Tool(pair, step) => {
            let said = step.said.as_ref();
            let call = CallView::of(web, at, &step.name, &step.arguments, said).await;
            tell_tool(out, &to, pair, (step.place, &step.name, &step.arguments), said, call);
        }
        status => {
            if let Some(data) = status_of(web, &status) {
                out.tell(to.clone(), "status", &data);
            }
        }
    }
}

/// A tool is at work, or has said something: as data, and as a card.
pub(crate) fn tell_tool(
    out: &Outlet<'_>,
    to: &Audience,
    pair: PairId,
    (place, name, arguments): (usize, &str, &str),
    said: Option<&ToolCallRecord>,
    call: CallView,
) {
    let data = json!({
        "pair": pair.to_string(), "place": place, "name": name, "arguments": arguments,
        "running": said.is_none(), "result": said.map(|said| &said.result),
        "failed": said.is_some_and(|said| said.failed),
        "tokens": said.map(|said| said.tokens), "millis": said.map(|said| said.millis),
        "made": said.map(|said| labels(&said.made)),
    });
    out.tell(to.clone(), "tool", &data);
    let html = call.card().into_string();
    let data = json!({
        "pair": pair.to_string(), "place": place, "name": name, "running": said.is_none(),
        "html": html,
    });
    out.tell(to.clone(), "toolcall", &data);
}

/// What whoever sent something is told at its end: that it went otherwise than it was seen
/// (PAY-6).
async fn end_notice(web: &Web, receipt: Option<ReceiptId>) -> Option<&'static str> {
    let receipt = web.app.store().receipt(receipt?).await.ok()?.receipt()?;
    (receipt.seen == Comparison::ChangedWhileWaiting).then_some(
        "What goes along changed while your message waited: it went with what was visible when \
         its turn came.",
    )
}

/// Files by the ids that people and models see.
fn labels(files: &[FileId]) -> Vec<String> {
    files.iter().copied().map(file_label).collect()
}

/// The event `attempt`: REC-1 without its lists, and which call it is.
fn attempt_data(pair: PairId, attempt: &Attempt) -> Value {
    let mut data = json!(attempt.record);
    if let Some(fields) = data.as_object_mut() {
        fields.retain(|name, _| !["selection", "messages"].contains(&name.as_str()));
    }
    data["pair"] = json!(pair.to_string());
    data["call"] = json!(attempt.call);
    data
}

/// What the badge says of a call that has just gone out: the first one needs no words.
fn attempt_words(attempt: &Attempt) -> (&'static str, String) {
    let Attempt { record, again, most_attempts, .. } = attempt;
    let (trimmed, tried) = (record.trimmed_count, record.attempts_used);
    match again {
        Some((time, most)) => ("attempt", format!("trying again, {time} of {most}")),
        None if tried > 1 => {
            ("trimming", format!("trimming {trimmed} · attempt {tried} of {most_attempts}"))
        }
        // Fit first leaves pairs out of the first call.
        None if trimmed > 0 => ("trimming", format!("trimming {trimmed}")),
        None => ("waiting", String::new()),
    }
}

/// UI-4: what the badge says while nothing is there to read.
fn status_of(web: &Web, progress: &Progress) -> Option<Value> {
    let now = web.app.clock().now().millis();
    let until = |wait: Duration| now + i64::try_from(wait.as_millis()).unwrap_or(i64::MAX - now);
    let (pair, kind, text, until) = match progress {
        Progress::Loading(pair) => (pair, "loading", "loading model".to_owned(), None),
        Progress::Reasoning(pair, _) => (pair, "thinking", "thinking".to_owned(), None),
        Progress::RetryIn(pair, wait, why) => {
            let why = plimsoll_prose::plain_preview(why, 60);
            (pair, "retry", format!("retry ({why})"), Some(until(*wait)))
        }
        Progress::QuotaWait(pair, wait, kind) => {
            let full = OverQuota { after: Some(*wait), kind: *kind };
            (pair, "quota", full.to_string(), Some(until(*wait)))
        }
        Progress::Unsaved(pair, why) => (pair, "saving", format!("not saved yet: {why}"), None),
        _ => return None,
    };
    Some(json!({ "pair": pair.to_string(), "kind": kind, "text": text, "until": until }))
}

/// A pair as an article, and where it stands; nothing if it is not visible.
async fn article(web: &Arc<Web>, at: &Place, pair: PairId) -> (Option<usize>, Option<String>) {
    let Some(session) = web.sessions.opened(at) else { return (None, None) };
    let mut session = session.lock().await;
    match views::article(web, &mut session, pair).await {
        Ok(markup) => (session.workspace_view.position(pair), Some(markup.into_string())),
        Err(_) => (None, None),
    }
}

/// Adds an article to what is told. It may be large, and the macro would copy it (REL-7).
fn with_html(mut data: Value, html: Option<String>) -> Value {
    data["html"] = html.map_or(Value::Null, Value::String);
    data
}

/// The arrangement that positions are told for.
async fn shape(web: &Web, at: &Place) -> Option<u64> {
    let session = web.sessions.opened(at)?;
    let shape = session.lock().await.workspace_view.shape();
    Some(shape)
}

async fn tell_pairs(out: &Outlet<'_>, at: &Place, pairs: &[PairId]) {
    let web = out.web;
    let Some(session) = web.sessions.opened(at) else { return };
    let (before, after) = {
        let mut session = session.lock().await;
        let before = session.workspace_view.shape();
        // What cannot be refreshed now is refreshed when somebody looks.
        let _ = session.workspace_view.boundary(&web.app).await;
        (before, session.workspace_view.shape())
    };
    // None named stands for many.
    if before != after || pairs.is_empty() || pairs.len() > FEW {
        return tell_rows_to(out, at).await;
    }
    for pair in pairs {
        let (_, html) = article(web, at, *pair).await;
        let data = with_html(json!({ "pair": pair.to_string() }), html);
        out.tell(at, "pair", &data);
    }
    tell_state_to(out, at).await;
}

/// Who can see a pair: those who look at its conversation, or at everything.
pub(crate) async fn audience(web: &Web, at: &Workspace, pair: PairId) -> Audience {
    if let Some(audience) = web.answers.audience(pair) {
        return audience;
    }
    match web.app.store().get(pair).await {
        Ok(stored) => Audience::Conversation(at.clone(), stored.pair.topic_id),
        // A pair that is gone by now concerns whoever may have seen it.
        Err(_) => Audience::from(at),
    }
}

/// Rows changed wherever somebody looks at a workspace.
async fn tell_all_rows(out: &Outlet<'_>, at: &Workspace) {
    for place in out.places(Some(at)) {
        tell_rows_to(out, &place).await;
    }
}

/// Places changed: everybody fetches the window again.
pub(crate) async fn tell_rows_to(out: &Outlet<'_>, at: &Place) {
    out.tell(at, "rows", &json!({}));
    tell_state_to(out, at).await;
}

pub(crate) async fn tell_state_to(out: &Outlet<'_>, at: &Place) {
    let Some(session) = out.web.sessions.opened(at) else { return };
    let mut session = session.lock().await;
    if let Ok(state) = StateDto::of(out.web, &mut session).await {
        out.tell(at, "state", &json!(state));
    }
}

/// The same to all who look there.
pub(crate) async fn tell_state(web: &Arc<Web>, at: &Place) {
    tell_state_to(&Outlet::to_all(web), at).await;
}
