//! `mem_timeline`: an observation among those of its session.

use plimsoll_budget::SNIPPET_CHARS;
use plimsoll_store::Observation;

use crate::{
    Memory, MemoryError, Reply, Timeline, checks,
    lines::{self, NEIGHBOUR, snippet},
    memory::{Telling, missing},
};

/// How many on either side at most.
const MOST: usize = 100;

impl Memory {
    /// The focus, then its neighbours, nearest first; printed as they were written.
    pub async fn timeline(&self, ask: Timeline) -> Result<Reply, MemoryError> {
        let before = checks::number("before", ask.before, 5, 0..=MOST)?;
        let after = checks::number("after", ask.after, 5, 0..=MOST)?;
        let id = ask.observation_id;
        let focus = self.store.observation(&self.workspace, id).await.map_err(missing(id))?;
        let mut scene = self.looks_around(&focus).await?;
        let around = self
            .store
            .around(&self.workspace, id, &scene.seen(), before, after)
            .await
            .map_err(missing(id))?;
        let all = std::iter::once(&around.focus).chain(&around.before).chain(&around.after);
        scene.marks = self.marks(all).await;
        let level = ask.reading.detail_level;
        let focus_place = around.before.len();
        let mut pieces = Vec::new();
        let mut ids = vec![Some(around.focus.id)];
        let told = |note: &Observation, place: usize, chars: usize| {
            let text = lines::observation_at(note, level, &snippet(&note.content, chars), &scene);
            lines::note_piece(text, place, None, note, level)
        };
        pieces.push(told(&around.focus, focus_place, SNIPPET_CHARS));
        for (note, place) in nearest(&around.before, &around.after) {
            pieces.push(told(note, place, NEIGHBOUR));
            ids.push(Some(note.id));
        }
        let session = &around.focus.session;
        let intro = format!("Session {session}{}, around #{id}:", scene.project("of"));
        self.told(&Telling {
            tool: "mem_timeline",
            head: "",
            intro: &intro,
            pieces: &pieces,
            ids: &ids,
            total: usize::try_from(around.in_session).unwrap_or(usize::MAX).max(pieces.len()),
            uncounted: false,
            noun: "entries",
            next_call: Some("Raise before or after, or use mem_get_observation id."),
            reading: ask.reading,
        })
    }
}

/// Neighbours of both sides by turns, each with its place among all; the focus stands
/// behind those before it.
fn nearest<'n>(
    before: &'n [Observation],
    after: &'n [Observation],
) -> impl Iterator<Item = (&'n Observation, usize)> {
    let longest = before.len().max(after.len());
    (0..longest).flat_map(move |step| {
        let earlier = before.get(step).map(|note| (note, before.len() - 1 - step));
        let later = after.get(step).map(|note| (note, before.len() + 1 + step));
        earlier.into_iter().chain(later)
    })
}
