//! `mem_search`, and the same for callers that want records.

use plimsoll_budget::SNIPPET_CHARS;
use plimsoll_store::{
    MemoryFilter, MemoryFound, MemoryHit, MemoryHits, MemoryQuery, Observation, Prompt, Scope,
};
use plimsoll_tokens::commas;

use crate::{
    DetailLevel, Find, Memory, MemoryError, Reply, checks,
    lines::{self, snippet},
    meaning::find_joined,
    memory::Telling,
    projects::Scene,
};

/// How many results at most.
const MOST: usize = 50;

impl Memory {
    /// What fits a query, by words and, where that is on, by meaning (MEM-10); for callers that
    /// tell it in their own way.
    pub async fn find(&self, query: &MemoryQuery) -> Result<MemoryHits, MemoryError> {
        let meaning = self.meaning();
        let found =
            find_joined(self.store.as_ref(), &self.workspace, meaning.as_deref(), query).await;
        Ok(found?)
    }
}

impl Memory {
    /// Finds notes and prompts (MEM-6).
    pub async fn search(&self, ask: Find) -> Result<Reply, MemoryError> {
        let mut scene = self.looks_at(ask.project.as_deref()).await?;
        let query = MemoryQuery {
            text: ask.query,
            filter: MemoryFilter {
                kind: checks::opt_name("type", ask.kind.as_deref())?,
                without_kind: None,
                projects: scene.seen(),
                scope: ask.scope,
                namespace: checks::opt_name("namespace", ask.namespace.as_deref())?,
                since: ask.since,
                ..MemoryFilter::default()
            },
            limit: checks::number("limit", ask.limit, 10, 1..=MOST)?,
            snippet_chars: SNIPPET_CHARS,
        };
        let found = self.find(&query).await?;
        let notes = found.hits.iter().filter_map(|hit| match &hit.found {
            MemoryFound::Observation(note) => Some(note),
            MemoryFound::Prompt(_) => None,
        });
        scene.marks = self.marks(notes).await;
        let level = ask.reading.detail_level;
        let mut pieces = Vec::with_capacity(found.hits.len());
        let mut ids = Vec::with_capacity(found.hits.len());
        for (place, hit) in found.hits.iter().enumerate() {
            let how = hit.how.told().map_or_else(String::new, |how| format!("({how})"));
            let under = format!("{how} {}", marked(hit));
            let under = under.trim_start();
            match &hit.found {
                MemoryFound::Observation(note) => {
                    ids.push(Some(note.id));
                    let mut text = lines::observation(note, level, under, &scene);
                    if level == DetailLevel::Summary && !how.is_empty() {
                        text.push_str(&format!(" {how}"));
                    }
                    pieces.push(lines::note_piece(text, place, None, note, level));
                }
                MemoryFound::Prompt(prompt) => {
                    ids.push(None);
                    pieces.push(prompt_piece(prompt, level, under, place, &scene));
                }
            }
        }
        let intro = intro(&query.text, &found, &scene);
        self.told_all(&Telling {
            tool: "mem_search",
            head: &scene.head,
            intro: &intro,
            pieces: &pieces,
            ids: &ids,
            total: found.matched.max(found.hits.len()),
            uncounted: found.more,
            noun: "results",
            next_call: Some(if query.limit < MOST {
                "Raise limit or narrow the search; mem_get_observation id has a full text."
            } else {
                "Narrow it with type, since or more words; mem_get_observation id has a full text."
            }),
            reading: ask.reading,
        })
    }

    /// The best notes of a query as records, without a budget, for callers that tell them in
    /// their own way.
    pub async fn find_observations(
        &self,
        project: Option<&str>,
        kind: Option<&str>,
        query: &str,
        limit: usize,
    ) -> Result<Vec<Observation>, MemoryError> {
        let scene = self.looks_at(project).await?;
        let query = MemoryQuery {
            text: query.to_owned(),
            filter: MemoryFilter {
                kind: kind.map(ToOwned::to_owned),
                projects: scene.seen(),
                ..MemoryFilter::default()
            },
            limit: limit.min(MOST),
            snippet_chars: SNIPPET_CHARS,
        };
        let found = self.find(&query).await?;
        let notes = found.hits.into_iter().filter_map(|hit| match hit.found {
            MemoryFound::Observation(note) => Some(note),
            MemoryFound::Prompt(_) => None,
        });
        Ok(notes.collect())
    }
}

impl Memory {
    /// What a note says that has a topic key in a project, for callers that go on from it, and
    /// which revision that is. Of a text that waits for review no revision is known.
    pub async fn noted_under(
        &self,
        project: Option<&str>,
        key: &str,
    ) -> Result<Option<(String, Option<u64>)>, MemoryError> {
        let project = self.writes_to(project).await?;
        if self.is_reviewed()
            && let Some(waiting) = self.waiting_under(&project, key).await?
        {
            return Ok(Some((waiting, None)));
        }
        let found =
            self.store.observation_by_key(&self.workspace, key, &project, Scope::Project, None);
        Ok(found.await?.map(|note| (note.content, Some(note.revision_count))))
    }
}

/// A prompt has no id that another tool takes, so its full text is in a fuller answer.
pub(crate) fn prompt_piece(
    prompt: &Prompt,
    level: DetailLevel,
    under: &str,
    place: usize,
    scene: &Scene,
) -> plimsoll_budget::Piece {
    plimsoll_budget::Piece {
        text: lines::prompt(prompt, level, under, scene),
        place,
        heading: None,
        full_text: "raise max_tokens".to_owned(),
        lines_from: None,
    }
}

/// The snippet with its marks.
fn marked(hit: &MemoryHit) -> String {
    let mut text = String::with_capacity(hit.snippet.len() + 4 * hit.marks.len());
    let mut from = 0;
    for mark in &hit.marks {
        text.push_str(&hit.snippet[from..mark.start]);
        text.push_str("**");
        text.push_str(&hit.snippet[mark.clone()]);
        text.push_str("**");
        from = mark.end;
    }
    text.push_str(&hit.snippet[from..]);
    text
}

fn intro(query: &str, found: &MemoryHits, scene: &Scene) -> String {
    let query = snippet(query, 60);
    if found.hits.is_empty() {
        return format!("Nothing found for \"{query}\"{}.{}", scene.project("in"), scene.hint);
    }
    let shown = found.hits.len();
    let matched = commas(u64::try_from(found.matched).unwrap_or(u64::MAX));
    let of = match (found.more, found.matched > shown) {
        (true, _) => format!("the best {shown} of {matched}+"),
        (false, true) => format!("the best {shown} of {matched}"),
        (false, false) => format!("{shown}"),
    };
    let any = match (found.any_word, found.hits.iter().all(|hit| hit.how.by_words)) {
        (true, true) => " None has all words; these have some.",
        (true, false) => " None has all words; these have some or mean the like.",
        (false, _) => "",
    };
    format!("Found {of} for \"{query}\".{any}")
}
