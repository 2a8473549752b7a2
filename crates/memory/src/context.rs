//! `mem_context`: what was going on lately.

use plimsoll_budget::{Piece, SNIPPET_CHARS};
use plimsoll_store::{MemoryFilter, Order, SESSION_SUMMARY};

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
    /// The newest session, observations, then prompts and older sessions, in order of worth;
    /// printed as sessions, prompts, observations.
    pub async fn context(&self, ask: Recall) -> Result<Reply, MemoryError> {
        let scene = self.looks_at(ask.project.as_deref()).await?;
        let filter = MemoryFilter {
            projects: scene.seen(),
            // Summaries are told with their sessions.
            without_kind: Some(SESSION_SUMMARY.to_owned()),
            scope: ask.scope,
            namespace: checks::opt_name("namespace", ask.namespace.as_deref())?,
            ..MemoryFilter::default()
        };
        let limit = checks::number("limit", ask.limit, 20, 1..=MOST)?;
        let level = ask.reading.detail_level;
        let sessions = self.store.sessions(&self.workspace, &filter, SESSIONS).await?;
        let prompts = self.store.prompts(&self.workspace, &filter, PROMPTS).await?;
        let (notes, total) =
            self.store.observations(&self.workspace, &filter, Order::Newest, limit).await?;

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
        let told_notes = notes.iter().enumerate().map(|(place, note)| {
            let under = snippet(&note.content, SNIPPET_CHARS);
            let text = lines::observation(note, level, &under, &scene);
            let place = SESSIONS + PROMPTS + place;
            (lines::piece(text, place, Some("## Observations"), note.id), Some(note.id))
        });
        let newest = told_sessions.next();
        let (pieces, ids): (Vec<Piece>, Vec<Option<u64>>) =
            newest.into_iter().chain(told_notes).chain(told_prompts).chain(told_sessions).unzip();
        let intro = match pieces.is_empty() {
            true => format!("Nothing remembered yet{}.{}", scene.project("in"), scene.hint),
            false => String::new(),
        };
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
