//! From what happens in the app to events for browsers.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use plimsoll_app::{AppEvent, Attempt, Heard, OverQuota, Progress};
use plimsoll_domain::{FileId, PairId, ReceiptId, file_label};
use plimsoll_send::{Comparison, Stage};
use plimsoll_store::Workspace;
use serde_json::{Value, json};
use tokio::{
    task::{JoinHandle, JoinSet},
    time::interval,
};

use crate::{
    Web, answer_streams,
    api::{ReceiptDto, state::StateDto},
    event_log::Audience,
    place::Place,
    views::{self, CallView},
};

/// Other processes are looked for this often: what an agent saves is on the page within a
/// second, and asking costs the store next to nothing.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// What was deleted long enough ago is purged this often (REC-5).
const PURGE_EVERY: Duration = Duration::from_secs(10 * 60);

/// Between two steps of making the store smaller.
const SHRINK_REST: Duration = Duration::from_millis(50);

/// More changed pairs than this are told as a whole.
const FEW: usize = 20;

/// Makes the store of an earlier version smaller, in steps between which others write (REL-9).
/// What fails is tried again at the next start: nothing depends on it.
async fn shrink(web: Arc<Web>) {
    while let Ok(true) = web.app.store().shrink().await {
        tokio::time::sleep(SHRINK_REST).await;
    }
}

/// Starts relaying; it goes on until it is stopped.
pub(crate) fn start(web: Arc<Web>) -> JoinHandle<()> {
    let mut events = web.app.events();
    tokio::spawn(async move {
        // It ends with this task. What happens while a long text is rendered is relayed.
        let mut texts = JoinSet::new();
        texts.spawn(answer_streams::tell_texts(Arc::clone(&web)));
        texts.spawn(shrink(Arc::clone(&web)));
        let mut look = interval(LOOK_EVERY);
        let mut purge = interval(PURGE_EVERY);
        let mut others = web.app.store().changes_by_others().await.unwrap_or(0);
        loop {
            tokio::select! {
                heard = events.next() => match heard {
                    Heard::Event(event) => {
                        // A fault of ours in one place must not keep all pages from hearing more.
                        let relayed = AssertUnwindSafe(relay(&web, event)).catch_unwind().await;
                        if relayed.is_err() {
                            web.event_log.tell(Audience::Everybody, "reset", &json!({}));
                        }
                    }
                    Heard::Missed => {
                        web.event_log.tell(Audience::Everybody, "reset", &json!({}));
                    }
                },
                // What cannot be purged now is purged the next time.
                _ = purge.tick() => {
                    let _ = web.app.purge_expired().await;
                    if web.team.is_some() {
                        let _ = web.app.tidy_team().await;
                    }
                }
                _ = look.tick() => {
                    // Where the store answers nothing now, it may the next time.
                    let _ = web.app.recover().await;
                    let now = web.app.store().changes_by_others().await.unwrap_or(others);
                    if now != others {
                        others = now;
                        for workspace in web.sessions.workspaces() {
                            web.event_log.tell(&workspace, "memory", &json!({}));
                            web.event_log.tell(&workspace, "conversations", &json!({}));
                            tell_all_rows(&web, &workspace).await;
                        }
                    }
                }
            }
        }
    })
}

async fn relay(web: &Arc<Web>, AppEvent { workspace, progress }: AppEvent) {
    let Some(at) = workspace else {
        web.event_log.tell(Audience::Everybody, "settings", &json!({}));
        // What goes along may be another now, and the rows of the prelude say so.
        for workspace in web.sessions.workspaces() {
            tell_all_rows(web, &workspace).await;
        }
        return;
    };
    let at = &at;
    let to = match progress.pair() {
        Some(pair) => audience(web, at, pair).await,
        None => Audience::from(at),
    };
    match progress {
        Progress::Started(pair) => {
            web.answers.begin(pair, &to);
            // It may have ended before this is told; a page that was opened since shows its end.
            let stored = web.app.store().get(pair).await.ok();
            let state = stored.map(|stored| stored.pair.lifecycle.name());
            for place in seen_from(web, &to) {
                let (position, html) = article(web, &place, pair).await;
                let shape = shape(web, &place).await;
                let data = json!({
                    "pair": pair.to_string(), "at": position, "shape": shape, "state": state,
                });
                web.event_log.tell(&place, "started", &with_html(data, html));
                tell_state(web, &place).await;
            }
            web.event_log.tell(at, "conversations", &json!({}));
        }
        Progress::Text(pair, text) => {
            web.answers.push(pair, &text);
            let data = json!({ "pair": pair.to_string(), "text": text });
            web.event_log.tell(to.clone(), "delta", &data);
        }
        Progress::Attempt(pair, attempt) => {
            let data = attempt_data(pair, &attempt);
            web.answers.attempt(pair, &attempt);
            web.event_log.tell(to.clone(), "attempt", &data);
            if attempt.record.stage == Stage::Sent {
                let (kind, text) = attempt_words(&attempt);
                let data = json!({ "pair": pair.to_string(), "kind": kind, "text": text });
                web.event_log.tell(to.clone(), "status", &data);
            }
        }
        Progress::Receipt(pair, id) => {
            // One that cannot be read now is read by whoever asks for it.
            if let Ok(record) = web.app.store().receipt(id).await {
                let mut data = json!(ReceiptDto::of(&record));
                data["pair"] = json!(pair.to_string());
                web.event_log.tell(to.clone(), "receipt", &data);
            }
        }
        Progress::Ended(pair) => {
            web.answers.end(pair);
            let stored = web.app.store().get(pair).await.ok().map(|stored| stored.pair);
            let receipt = stored.as_ref().and_then(|pair| pair.receipt_id);
            let state = stored.map(|pair| pair.lifecycle.name());
            let notice = end_notice(web, receipt).await;
            for place in seen_from(web, &to) {
                let (position, html) = article(web, &place, pair).await;
                let data = json!({
                    "pair": pair.to_string(), "at": position, "state": state, "notice": notice,
                });
                web.event_log.tell(&place, "ended", &with_html(data, html));
                tell_state(web, &place).await;
            }
            web.event_log.tell(at, "conversations", &json!({}));
        }
        Progress::Changed(pairs) | Progress::Labelled(pairs) => {
            for place in web.sessions.places(Some(at)) {
                tell_pairs(web, &place, &pairs).await;
            }
            web.event_log.tell(at, "conversations", &json!({}));
        }
        Progress::Removed(pairs) => {
            let pairs: Vec<String> = pairs.iter().map(ToString::to_string).collect();
            web.event_log.tell(at, "removed", &json!({ "pairs": pairs }));
            tell_all_rows(web, at).await;
            web.event_log.tell(at, "conversations", &json!({}));
        }
        Progress::Imported => {
            tell_all_rows(web, at).await;
            web.event_log.tell(at, "conversations", &json!({}));
        }
        Progress::Topics => {
            web.event_log.tell(at, "topics", &json!({}));
            web.event_log.tell(at, "conversations", &json!({}));
            tell_all_rows(web, at).await;
        }
        Progress::Settings | Progress::ContextFrom => tell_all_rows(web, at).await,
        Progress::Files => {
            web.event_log.tell(at, "files", &json!({}));
            for place in web.sessions.places(Some(at)) {
                tell_state(web, &place).await;
            }
        }
        Progress::Memory => {
            web.event_log.tell(at, "memory", &json!({}));
        }
        Progress::Tool(pair, step) => {
            let said = step.said.as_ref();
            let data = json!({
                "pair": pair.to_string(), "place": step.place, "name": step.name,
                "arguments": step.arguments, "running": said.is_none(),
                "result": said.map(|said| &said.result),
                "failed": said.is_some_and(|said| said.failed),
                "tokens": said.map(|said| said.tokens), "millis": said.map(|said| said.millis),
                "made": said.map(|said| labels(&said.made)),
            });
            web.event_log.tell(to.clone(), "tool", &data);
            let call = CallView::of(web, at, &step.name, &step.arguments, said).await;
            let html = call.card().into_string();
            let data = json!({
                "pair": pair.to_string(), "place": step.place, "name": step.name,
                "running": said.is_none(), "html": html,
            });
            web.event_log.tell(to.clone(), "toolcall", &data);
        }
        status => {
            if let Some(data) = status_of(web, &status) {
                web.event_log.tell(to.clone(), "status", &data);
            }
        }
    }
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

async fn tell_pairs(web: &Arc<Web>, at: &Place, pairs: &[PairId]) {
    let Some(session) = web.sessions.opened(at) else { return };
    let (before, after) = {
        let mut session = session.lock().await;
        let before = session.workspace_view.shape();
        // What cannot be refreshed now is refreshed when somebody looks.
        let _ = session.workspace_view.boundary(&web.app).await;
        (before, session.workspace_view.shape())
    };
    if before != after || pairs.len() > FEW {
        return tell_rows(web, at).await;
    }
    for pair in pairs {
        let (_, html) = article(web, at, *pair).await;
        let data = with_html(json!({ "pair": pair.to_string() }), html);
        web.event_log.tell(at, "pair", &data);
    }
    tell_state(web, at).await;
}

/// Who can see a pair: those who look at its conversation, or at everything.
async fn audience(web: &Web, at: &Workspace, pair: PairId) -> Audience {
    if let Some(audience) = web.answers.audience(pair) {
        return audience;
    }
    match web.app.store().get(pair).await {
        Ok(stored) => Audience::Conversation(at.clone(), stored.pair.topic_id),
        // A pair that is gone by now concerns whoever may have seen it.
        Err(_) => Audience::from(at),
    }
}

/// The open places whose pages are among these.
fn seen_from(web: &Web, audience: &Audience) -> Vec<Place> {
    let places = web.sessions.places(None).into_iter();
    places.filter(|place| audience.includes(place)).collect()
}

/// Rows changed wherever somebody looks at a workspace.
async fn tell_all_rows(web: &Arc<Web>, at: &Workspace) {
    for place in web.sessions.places(Some(at)) {
        tell_rows(web, &place).await;
    }
}

/// Places changed: everybody fetches the window again.
pub(crate) async fn tell_rows(web: &Arc<Web>, at: &Place) {
    web.event_log.tell(at, "rows", &json!({}));
    tell_state(web, at).await;
}

pub(crate) async fn tell_state(web: &Arc<Web>, at: &Place) {
    let Some(session) = web.sessions.opened(at) else { return };
    let mut session = session.lock().await;
    if let Ok(state) = StateDto::of(web, &mut session).await {
        web.event_log.tell(at, "state", &json!(state));
    }
}
