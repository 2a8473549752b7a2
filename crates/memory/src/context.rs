//! `mem_context`: what was going on lately.

use plimsoll_budget::{Piece, SNIPPET_CHARS, quoted};
use plimsoll_store::{MemoryFilter, Observation, Order, Prompt, SESSION_SUMMARY, Session};
use plimsoll_tokens::commas;

use crate::{
    DetailLevel, Memory, MemoryError, Reading, Recall, Reply, checks,
    find::prompt_piece,
    lines::{self, snippet},
    memory::Telling,
    projects::Scene,
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
        let (mut stale, notes): (Vec<_>, Vec<_>) =
            notes.into_iter().partition(|note| scene.marks.is_stale(note));
        let older = anchored.into_iter().filter(|note| {
            scene.marks.is_stale(note) && !stale.iter().any(|known| known.id == note.id)
        });
        let older: Vec<_> = older.take(limit.saturating_sub(stale.len())).collect();
        stale.extend(older);
        let found = Found { scene: &scene, sessions, prompts, notes, stale };
        let mut intro = match found.is_empty() {
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
        let level = ask.reading.detail_level;
        let ids = found.ids();
        let answer = self.read("mem_context", ask.reading.max_tokens, |allowance| {
            let at_levels = |(newest, rest): (DetailLevel, DetailLevel)| {
                self.weighed(
                    &Telling {
                        tool: "mem_context",
                        head: &scene.head,
                        intro: &intro,
                        pieces: &found.pieces(newest, rest),
                        ids: &ids,
                        total: usize::try_from(total).unwrap_or(usize::MAX),
                        uncounted: false,
                        noun: "observations",
                        next_call: Some(
                            "Use mem_search for the rest, mem_get_observation id for a full text.",
                        ),
                        reading: Reading { detail_level: rest, ..ask.reading },
                    },
                    allowance,
                    (newest, rest) != (level, level),
                )
            };
            let told = at_levels((level, level));
            if told.shown > 0 || (found.notes.is_empty() && found.stale.is_empty()) {
                return told;
            }
            // A session alone is of little use: its summary gives way to observations, and
            // their texts to their titles.
            let brief = DetailLevel::Summary;
            let shorter = [at_levels((brief, level)), at_levels((brief, brief))];
            let best = shorter.iter().find(|told| told.shown > 0);
            let best = best.or(shorter.iter().find(|told| !told.cut));
            best.cloned().unwrap_or(told)
        })?;
        Ok(Reply::of(answer, &ids))
    }
}

/// What a context is made of.
struct Found<'s> {
    scene: &'s Scene,
    sessions: Vec<Session>,
    prompts: Vec<Prompt>,
    notes: Vec<Observation>,
    /// Those that may be out of date.
    stale: Vec<Observation>,
}

impl Found<'_> {
    fn is_empty(&self) -> bool {
        let no_notes = self.notes.is_empty() && self.stale.is_empty();
        self.sessions.is_empty() && self.prompts.is_empty() && no_notes
    }

    /// The observation that each piece is about.
    fn ids(&self) -> Vec<Option<u64>> {
        let newest = self.sessions.first().map(|_| None);
        let notes = self.notes.iter().chain(&self.stale).map(|note| Some(note.id));
        newest.into_iter().chain(notes).collect()
    }

    /// Everything in order of worth, the newest session at a level of its own.
    fn pieces(&self, newest: DetailLevel, level: DetailLevel) -> Vec<Piece> {
        let session = |(place, session): (usize, &Session)| {
            let level = if place == 0 { newest } else { level };
            session_piece(session, place, level)
        };
        let mut sessions = self.sessions.iter().enumerate().map(session);
        let prompts = self.prompts.iter().enumerate().map(|(place, prompt)| {
            let under = snippet(&prompt.content, SNIPPET_CHARS);
            let piece = prompt_piece(prompt, level, &under, SESSIONS + place, self.scene);
            Piece { heading: Some("## Prompts".to_owned()), ..piece }
        });
        let piece = |note: &Observation, place: usize, heading: &str| {
            let under = snippet(&note.content, SNIPPET_CHARS);
            let text = lines::observation(note, level, &under, self.scene);
            let place = SESSIONS + PROMPTS + place;
            lines::note_piece(text, place, Some(heading), note, level)
        };
        let notes = self.notes.iter().enumerate();
        let notes = notes.map(|(at, note)| piece(note, at, "## Observations"));
        let stale = self.stale.iter().enumerate();
        let stale = stale.map(|(at, note)| piece(note, MOST + at, "## May be out of date"));
        let first = sessions.next();
        first.into_iter().chain(notes).chain(stale).chain(prompts).chain(sessions).collect()
    }
}

fn session_piece(session: &Session, place: usize, level: DetailLevel) -> Piece {
    let text = lines::session(session, level);
    let full_text = match session.summary_id {
        Some(id) => format!("mem_get_observation id={id}"),
        None => "mem_context detail_level=full".to_owned(),
    };
    let summary = session.summary.as_ref().filter(|_| level == DetailLevel::Full);
    let lines_from = summary.and_then(|summary| text.len().checked_sub(quoted(summary).len()));
    let heading = Some("## Sessions".to_owned());
    Piece { text, place, heading, full_text, lines_from }
}
