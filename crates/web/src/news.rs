//! What other nodes did in the workspaces that somebody looks at here (TEA-6): asked for at once for
//! all of them, and told as what happens here is.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    time::{Duration, Instant},
};

use plimsoll_app::{AppEvent, Progress};
use plimsoll_domain::{PairId, TopicId};
use plimsoll_store::{
    ArrivingText, KnownText, News, Watched, WhatChanged, Workspace, WorkspaceChange,
};
use serde_json::json;

use crate::{event_log::Audience, outlet::Outlet, telling, views::CallView};

/// What this node does is told as it happens, by the app. The change of it counts as told when all
/// that happened up to so long after it was read is told, however far behind this node is: whoever
/// comes from another node before hears it again, which harms nobody.
const TOLD_WITHIN: Duration = Duration::from_secs(1);

/// The other nodes, as far as they are known.
#[derive(Default)]
pub(crate) struct Nodes {
    workspaces: HashMap<Workspace, Known>,
    /// What the store said of changes by others.
    by_others: Option<u64>,
    happened_here: bool,
    /// When everything that had happened here was told.
    all_told: Option<Instant>,
}

/// What is known of a workspace.
#[derive(Default)]
struct Known {
    /// Changes up to this one were read.
    read: u64,
    /// Changes that this node made, and when they were read.
    ours: VecDeque<(WorkspaceChange, Instant)>,
    /// The sends of others, with how much of their text is here.
    sends: HashMap<PairId, KnownText>,
}

impl Known {
    /// The change up to which all is told, where all that happened here up to a time is. `is_sending` says whether this node still carries out a
    /// send, whose end is told when its books are written.
    fn told(&mut self, all_told: Option<Instant>, is_sending: impl Fn(PairId) -> bool) -> u64 {
        let open = |what: &WhatChanged| match what {
            WhatChanged::Started(pair)
            | WhatChanged::Ended(pair)
            | WhatChanged::Receipt(pair, _)
            | WhatChanged::Tool(pair) => is_sending(*pair),
            _ => false,
        };
        let over = |(change, read): &(WorkspaceChange, Instant)| {
            let told = all_told.is_some_and(|at| at.duration_since(*read) >= TOLD_WITHIN);
            told && !open(&change.what)
        };
        while self.ours.front().is_some_and(over) {
            self.ours.pop_front();
        }
        self.ours.front().map_or(self.read, |(change, _)| change.number - 1)
    }
}

impl Nodes {
    /// There may be changes of ours, whose numbers are read with the next look.
    pub(crate) fn something_happened_here(&mut self) {
        self.happened_here = true;
    }

    /// Everything that has happened here was told.
    pub(crate) fn all_is_told(&mut self) {
        self.all_told = Some(Instant::now());
    }

    /// Asks for what is new, and tells it. What cannot be read now is read the next time.
    pub(crate) async fn look(&mut self, out: &Outlet<'_>) {
        let open = out.web.sessions.watched_from();
        self.workspaces.retain(|workspace, _| open.contains_key(workspace));
        out.web.answers.keep_elsewhere(|workspace| open.contains_key(workspace));
        out.web.event_log.keep_numbers_of(&open.keys().cloned().collect());
        let mut anew = false;
        for (workspace, read) in open {
            self.workspaces.entry(workspace).or_insert_with(|| {
                anew = true;
                Known { read, ..Known::default() }
            });
        }
        if self.workspaces.is_empty() {
            return;
        }
        let Ok(by_others) = out.web.app.store().changes_by_others().await else { return };
        let quiet = self.by_others == Some(by_others)
            && !self.happened_here
            && !anew
            && self
                .workspaces
                .values()
                .all(|known| known.ours.is_empty() && known.sends.is_empty());
        if quiet {
            return;
        }
        let Ok(news) = out.web.app.news(&self.watched()).await else { return };
        self.by_others = Some(by_others);
        self.happened_here = false;
        self.take(out, news).await;
    }

    fn watched(&self) -> Vec<Watched> {
        let watched = |(workspace, known): (&Workspace, &Known)| Watched {
            workspace: workspace.clone(),
            after: known.read,
            known: known.sends.values().copied().collect(),
        };
        self.workspaces.iter().map(watched).collect()
    }

    async fn take(&mut self, out: &Outlet<'_>, news: News) {
        let newest: HashMap<Workspace, u64> = news.newest.into_iter().collect();
        for workspace in news.lost {
            out.tell(&workspace, "reset", &json!({}));
            if let Some(known) = self.workspaces.get_mut(&workspace) {
                known.read = newest.get(&workspace).copied().unwrap_or(0);
                known.ours.clear();
            }
        }
        for change in news.changes {
            let Some(known) = self.workspaces.get_mut(&change.workspace) else { continue };
            known.read = change.number;
            if change.ours {
                known.ours.push_back((change, Instant::now()));
                // There may be more than were read at once.
                self.happened_here = true;
            } else {
                tell_change(out, &change).await;
            }
        }
        let under_way: HashSet<PairId> = news.sends.iter().map(|send| send.pair).collect();
        for send in news.sends {
            if let Some(known) = self.workspaces.get_mut(&send.workspace) {
                let has = tell_text(out, &send).await;
                known.sends.insert(send.pair, has);
            }
        }
        for (workspace, known) in &mut self.workspaces {
            known.sends.retain(|pair, known| {
                let goes_on = under_way.contains(pair);
                let arrived = out.web.answers.arrived(*pair);
                // Its end was told, unless the change that told it was lost.
                if !goes_on && arrived.is_some_and(|(epoch, _)| epoch == known.epoch) {
                    out.web.answers.end(*pair);
                }
                goes_on
            });
            let told = known.told(self.all_told, |pair| out.web.app.is_sending(pair));
            out.web.event_log.told_up_to(workspace, told);
        }
    }
}

/// Tells a change, as it is now.
pub(crate) async fn tell_change(out: &Outlet<'_>, change: &WorkspaceChange) {
    let at = &change.workspace;
    match &change.what {
        WhatChanged::Tool(pair) => tell_tool(out, at, *pair).await,
        WhatChanged::Draft(conversation) => tell_draft(out, at, *conversation).await,
        _ => {
            let Some(progress) = Progress::of(change) else { return };
            let event = AppEvent { workspace: Some(at.clone()), progress };
            telling::tell(out, event, true).await;
        }
    }
}

/// Tells what has arrived of an answer elsewhere; gives how much of it is known then.
async fn tell_text(out: &Outlet<'_>, send: &ArrivingText) -> KnownText {
    let ArrivingText { workspace, pair, epoch, from, text } = send;
    let answers = &out.web.answers;
    if answers.arrived(*pair).is_none_or(|(known, _)| known != *epoch) {
        let audience = telling::audience(out.web, workspace, *pair).await;
        answers.begin(*pair, *epoch, true, &audience);
    }
    if !text.is_empty() {
        let progress = Progress::Text(*pair, text.clone());
        telling::tell(out, AppEvent { workspace: Some(workspace.clone()), progress }, true).await;
    }
    let chars = from + text.chars().count() as u64;
    KnownText { pair: *pair, epoch: *epoch, chars }
}

/// Tells what a tool said last.
async fn tell_tool(out: &Outlet<'_>, at: &Workspace, pair: PairId) {
    let Ok(calls) = out.web.app.store().tool_calls(pair).await else { return };
    let Some((said, earlier)) = calls.split_last() else { return };
    let to = telling::audience(out.web, at, pair).await;
    let call = CallView::of(out.web, at, &said.name, &said.arguments, Some(said)).await;
    telling::tell_tool(
        out,
        &to,
        pair,
        (earlier.len(), &said.name, &said.arguments),
        Some(said),
        call,
    );
}

/// The message that is being written in a conversation is another now.
async fn tell_draft(out: &Outlet<'_>, at: &Workspace, conversation: Option<TopicId>) {
    let Ok(draft) = out.web.app.store().draft(at, conversation).await else { return };
    let draft = draft.unwrap_or_default();
    for place in out.places(Some(at)) {
        if place.conversation != conversation {
            continue;
        }
        let Some(session) = out.web.sessions.opened(&place) else { continue };
        let same = {
            let mut session = session.lock().await;
            session.draft_from = None;
            let same =
                session.draft.text == draft.text && session.draft.attachments == draft.attachments;
            (session.draft.text, session.draft.attachments) =
                (draft.text.clone(), draft.attachments.clone());
            same
        };
        if !same || !out.is_for_all() {
            let data =
                json!({ "text": draft.text, "attachments": draft.attachments, "from": null });
            out.tell(Audience::from(&place), "draft", &data);
            telling::tell_state_to(out, &place).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_domain::Timestamp;

    use super::*;

    fn ours(number: u64, what: WhatChanged) -> WorkspaceChange {
        WorkspaceChange { workspace: Workspace::default(), number, what, ours: true }
    }

    /// The number that clients get never runs ahead of what they were told.
    #[test]
    fn tea_6_our_own_changes_count_when_they_were_told() {
        let pair = PairId::new(Timestamp::from_millis(1), [1; 10]);
        let begun = Instant::now();
        let later = begun + TOLD_WITHIN;
        let mut known = Known { read: 9, ..Known::default() };
        assert_eq!(known.told(Some(begun), |_| false), 9);
        known.ours.push_back((ours(5, WhatChanged::Topics), begun));
        known.ours.push_back((ours(7, WhatChanged::Ended(pair)), begun));
        known.ours.push_back((ours(9, WhatChanged::Files), later));
        assert_eq!(known.told(Some(begun), |_| false), 4, "it was read just now");
        assert_eq!(known.told(None, |_| false), 4, "a node that is far behind has told nothing");
        assert_eq!(known.told(Some(later), |_| true), 6, "its books are open");
        assert_eq!(known.told(Some(later), |_| false), 8);
        assert_eq!(known.told(Some(later + TOLD_WITHIN), |_| false), 9);
    }
}
