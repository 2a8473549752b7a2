//! A client that was at another node, or away for longer than the log goes back: it is told the
//! changes behind its number, as they are now, and the rest of each text (TEA-6).

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use plimsoll_domain::PairId;
use plimsoll_store::{WhatChanged, WorkspaceChange};
use serde_json::json;

use crate::{
    Web, answer_streams,
    event_id::EventId,
    event_log::TextStep,
    news,
    outlet::{Outlet, Private},
    telling,
    watcher::{Told, Watcher},
};

/// Brings a client up to date, and says what it is told for that.
pub(crate) async fn catch_up(
    web: &Arc<Web>,
    watcher: &mut Watcher,
    id: Option<&EventId>,
) -> Vec<Told<'static>> {
    let Some(id) = id else { return start_over(web, watcher).await };
    // What was told of them before the client came stands in no event that it will hear, and a send
    // may end while the changes are read.
    let answers = web.answers.seen_from(watcher.place()).into_iter();
    let answers: Vec<(PairId, u64, String)> = answers
        .filter_map(|(pair, epoch)| Some((pair, epoch, web.answers.text_from(pair, 0)?)))
        .collect();
    // Before the changes are: what ends between the two is told by its change.
    let Some(under_way) = learn_texts(web, watcher, id).await else {
        return start_over(web, watcher).await;
    };
    let Some(behind) = changes_behind(web, watcher, id).await else {
        return start_over(web, watcher).await;
    };
    let mut told = Vec::new();
    for change in behind.changes {
        let out = Outlet::to_one(web, watcher.place().clone());
        news::tell_change(&out, &change).await;
        let events = out.into_told();
        if let WhatChanged::Ended(pair) = &change.what
            && let Some(epoch) = behind.epochs.get(pair)
        {
            // What is told of the end of an answer stands behind all of it.
            let text = web.app.store().get(*pair).await.ok();
            let text = text.and_then(|stored| stored.pair.assistant_text).unwrap_or_default();
            told.extend(rest_of(watcher, *pair, *epoch, &text));
            told.extend(hear(watcher, events, Some(*epoch)));
        } else {
            told.extend(hear(watcher, events, None));
        }
        // Only who heard all that belongs to a change has heard of it.
        watcher.told_up_to(change.number);
    }
    // This node may hear later than the client did of what began and ended.
    watcher.settle(under_way);
    for (pair, epoch, text) in answers {
        if watcher.is_over(epoch) {
            continue;
        }
        if watcher.told_of(epoch).is_none() {
            let offset = id.offset.filter(|_| !behind.epochs.contains_key(&pair));
            watcher.knows(epoch, offset.unwrap_or(text.len()));
        }
        told.extend(growing(web, watcher, (pair, epoch), &text));
    }
    told
}

/// Gives the sends that are under way. Those whose answers a client follows are known here from now
/// on: where nobody looked at them yet, their end may be the first that is heard of them, and must
/// bring the rest of their texts.
async fn learn_texts(web: &Arc<Web>, watcher: &Watcher, id: &EventId) -> Option<HashSet<u64>> {
    let workspace = &watcher.place().workspace;
    let sends = web.app.store().in_flight(workspace).await.ok()?;
    for send in &sends {
        if id.texts.contains_key(&send.epoch) && !web.app.is_sending(send.pair) {
            let audience = telling::audience(web, workspace, send.pair).await;
            web.answers.begin(send.pair, send.epoch, true, &audience);
        }
    }
    Some(sends.iter().map(|send| send.epoch).collect())
}

/// What happened behind an id.
struct Behind {
    changes: Vec<WorkspaceChange>,
    /// The sends that ended since, or began since.
    epochs: HashMap<PairId, u64>,
}

/// The changes behind an id; none where they are not all kept, or the id is none of this store.
async fn changes_behind(web: &Arc<Web>, watcher: &Watcher, id: &EventId) -> Option<Behind> {
    let workspace = &watcher.place().workspace;
    let store = web.app.store();
    // The sends whose texts it was told of began at changes that may be further back.
    let first = id.texts.keys().next().map_or(id.number, |epoch| epoch.saturating_sub(1));
    let changes = match store.changes_after(workspace, first.min(id.number)).await.ok()? {
        Some(changes) => changes,
        None => store.changes_after(workspace, id.number).await.ok()??,
    };
    let began = changes.iter().filter_map(|change| match change.what {
        WhatChanged::Started(pair) => Some((pair, change.number)),
        _ => None,
    });
    let epochs = began.collect();
    let changes = changes.into_iter().filter(|change| change.number > id.number).collect();
    Some(Behind { changes, epochs })
}

/// What one client is told; the end of a text by the epoch of its send.
fn hear(watcher: &mut Watcher, events: Vec<Private>, ended: Option<u64>) -> Vec<Told<'static>> {
    let mut told = Vec::new();
    for Private { name, data, text } in events {
        let text = match (text, ended) {
            (TextStep::Ends(_), Some(epoch)) => TextStep::Ends(epoch),
            (text, _) => text,
        };
        told.extend(watcher.hear_alone(name, data, text));
    }
    told
}

/// The rest of an answer that ended meanwhile. Pages get it with the end.
fn rest_of(watcher: &mut Watcher, pair: PairId, epoch: u64, text: &str) -> Option<Told<'static>> {
    let from = watcher.told_of(epoch)?;
    let rest = text.get(from..).filter(|rest| !rest.is_empty() && !watcher.is_page())?;
    let data = json!({ "pair": pair.to_string(), "text": rest }).to_string();
    let step = TextStep::Grows { epoch, from, to: text.len(), html: false };
    watcher.hear_alone("delta", data, step)
}

/// What this node has of an answer on its way, and the client has not.
fn growing(
    web: &Web,
    watcher: &mut Watcher,
    (pair, epoch): (PairId, u64),
    text: &str,
) -> Option<Told<'static>> {
    let from = watcher.told_of(epoch)?;
    let rest = text.get(from..).filter(|rest| !rest.is_empty())?;
    let end = from + rest.len();
    if !watcher.is_page() {
        let data = json!({ "pair": pair.to_string(), "text": rest }).to_string();
        let step = TextStep::Grows { epoch, from, to: end, html: false };
        return watcher.hear_alone("delta", data, step);
    }
    // Behind what this node itself has rendered for good, its own events follow.
    let to = web.answers.stable(pair).max(from).min(end);
    let (done, tail) = rest.split_at_checked(to - from)?;
    let (append, tail) = answer_streams::rendered(done, tail);
    let data = answer_streams::text_data(pair, from, to, end, &append, &tail).to_string();
    watcher.hear_alone("text", data, TextStep::Grows { epoch, from, to, html: true })
}

/// Nobody knows what it missed: it reads the state.
async fn start_over(web: &Arc<Web>, watcher: &mut Watcher) -> Vec<Told<'static>> {
    let newest = web.app.store().newest_change(&watcher.place().workspace).await;
    watcher.starts_over(newest.unwrap_or(0));
    follow_texts(web, watcher);
    watcher.hear_alone("reset", "{}".to_owned(), TextStep::None).into_iter().collect()
}

/// A client that knows what there is: of answers on their way it is told what comes.
pub(crate) fn follow_texts(web: &Web, watcher: &mut Watcher) {
    for (pair, epoch) in web.answers.seen_from(watcher.place()) {
        let has = match watcher.is_page() {
            true => web.answers.stable(pair),
            false => web.answers.arrived(pair).map_or(0, |(_, length)| length),
        };
        watcher.knows(epoch, has);
    }
}
