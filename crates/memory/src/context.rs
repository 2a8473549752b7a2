//! `mem_context`: what was going on lately.

use plimsoll_budget::{Piece, SNIPPET_CHARS};
use plimsoll_store::{MemoryFilter, Observation, Order, SESSION_SUMMARY};
use plimsoll_tokens::commas;

use crate::{
    Memory, MemoryError, Recall, Reply, checks,
    find::prompt_piece,
    lines::{self, snippet},
    memory::Telling,
};

/// How many observations at most.
const MOST: usize = 200;
/// How many sessions are looked at.
const SESSIONS: usize = 5;
/// How many prompts are looked at.
const PROMPTS: usize = 10;

impl Memory {
    /// The newest session, observations, those that may be out of date, then prompts and older
    /// sessions, in order of worth; printed as sessions, prompts, observations. What is superseded
    /// or expired is only counted (MEM-15).
    pub async fn context(&self, ask: Recall) -> Result<Reply, MemoryError> {
        let mut scene = self.looks_at(ask.project.as_deref()).await?;
        let all = MemoryFilter {
            projects: scene.seen(),
            // Summaries are told with their sessions.
            without_kind: Some(SESSION_SUMMARY.to_owned()),
            scope: ask.scope,
            namespace: checks::opt_name("namespace", ask.namespace.as_deref())?,
            ..MemoryFilter::default()
        };
        let limit = checks::number("limit", ask.limit, 20, 1..=MOST)?;
        let level = ask.reading.detail_level;
        let sessions = self.store.sessions(&self.workspace, &all, SESSIONS).await?;
        let prompts = self.store.prompts(&self.workspace, &all, PROMPTS).await?;
        let now = Some(self.now());
        let outdated = MemoryFilter { outdated_at: now, ..all.clone() };
        let filter = MemoryFilter { current_at: now, ..all };
        let list = |filter: MemoryFilter, limit: usize| async move {
            self.store.observations(&self.workspace, &filter, Order::Newest, limit).await
        };
        let (notes, total) = list(filter.clone(), limit).await?;
        let left_out = list(outdated, 0).await?.1;
        // Old notes are those that are most likely out of date.
        let (anchored, _) = list(MemoryFilter { anchored: true, ..filter }, MOST).await?;
        scene.marks = self.marks(notes.iter().chain(&anchored)).await;
        let (stale, fresh): (Vec<_>, Vec<_>) =
            notes.iter().partition(|note| scene.marks.is_stale(note));
        let older = anchored.iter().filter(|note| {
            scene.marks.is_stale(note) && !stale.iter().any(|known| known.id == note.id)
        });
        let older: Vec<_> = older.take(limit.saturating_sub(stale.len())).collect();

        let told_sessions = sessions.iter().enumerate().map(|(place, session)| {
            let heading = Some("## Sessions".to_owned());
            let full_text = match session.summary_id {
                Some(id) => format!("mem_get_observation id={id}"),
                None => "mem_context detail_level=full".to_owned(),
            };
            Piece { text: lines::session(session, level), place, heading, full_text }
        });
        let mut told_sessions = told_sessions.map(|piece| (piece, None));
        let told_prompts = prompts.iter().enumerate().map(|(place, prompt)| {
            let under = snippet(&prompt.content, SNIPPET_CHARS);
            let piece = prompt_piece(prompt, level, &under, SESSIONS + place, &scene);
            (Piece { heading: Some("## Prompts".to_owned()), ..piece }, None)
        });
        let note = |note: &Observation, place: usize, heading: &str| {
            let under = snippet(&note.content, SNIPPET_CHARS);
            let text = lines::observation(note, level, &under, &scene);
            let place = SESSIONS + PROMPTS + place;
            (lines::piece(text, place, Some(heading), note.id), Some(note.id))
        };
        let told_notes = fresh.iter().enumerate().map(|(at, one)| note(one, at, "## Observations"));
        let told_stale = stale.iter().chain(&older).enumerate();
        let told_stale = told_stale.map(|(at, one)| note(one, MOST + at, "## May be out of date"));
        let newest = told_sessions.next();
        let (pieces, ids): (Vec<Piece>, Vec<Option<u64>>) = newest
            .into_iter()
            .chain(told_notes)
            .chain(told_stale)
            .chain(told_prompts)
            .chain(told_sessions)
            .unzip();
        let mut intro = match pieces.is_empty() {
            true => format!("Nothing remembered yet{}.{}", scene.project("in"), scene.hint),
            false => String::new(),
        };
        if left_out > 0 {
            let many = if left_out == 1 { "note is" } else { "notes are" };
            let words = format!(
                "{} superseded or expired {many} left out; mem_search finds them.",
                commas(left_out)
            );
            intro = if intro.is_empty() { words } else { format!("{intro} {words}") };
        }
        self.told(&Telling {
            tool: "mem_context",
            head: &scene.head,
            intro: &intro,
            pieces: &pieces,
            ids: &ids,
            total: usize::try_from(total).unwrap_or(usize::MAX),
            noun: "observations",
            next_call: Some("Use mem_search for the rest, mem_get_observation id for a full text."),
            reading: ask.reading,
        })
    }
}
