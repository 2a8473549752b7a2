//! `mem_save` and `mem_save_prompt`.

use plimsoll_domain::Timestamp;
use plimsoll_store::{
    Change, NewObservation, NewPrompt, Noun, Saved, SavedObservation, StoreError,
};

use crate::{
    Memory, MemoryError, Reply, Save, SavePrompt,
    checks::{self, MAX_IDS},
    memory::missing,
    review::waits,
    sessions::of_session,
    time::minute,
};

/// The same note within so many milliseconds is a repetition (MEM-4).
const SAME_WITHIN: i64 = 15 * 60 * 1000;

/// The type of a note that names none.
const MANUAL: &str = "manual";

impl Memory {
    /// Saves a note: adds it, revises the one with its topic key, or counts a repetition.
    pub async fn save(&self, ask: Save) -> Result<Reply, MemoryError> {
        let session = self.session_id(ask.session_id.as_deref())?;
        let project = self.writes_in(&session, ask.project.as_deref()).await?;
        let anchored = self.anchors(&project, &ask.anchors).await?;
        let expires = ask.expires.as_deref().filter(|text| !text.trim().is_empty());
        let note = NewObservation {
            project,
            session,
            kind: checks::opt_name("type", ask.kind.as_deref())?
                .unwrap_or_else(|| MANUAL.to_owned()),
            title: checks::title(&ask.title)?,
            content: checks::text("content", &ask.content)?,
            tool_name: checks::opt_name("tool_name", ask.tool_name.as_deref())?,
            scope: ask.scope,
            topic_key: checks::opt_name("topic_key", ask.topic_key.as_deref())?,
            namespace: checks::opt_name("namespace", ask.namespace.as_deref())?,
            relate_to: self.known_ids("relate_to", &ask.relate_to).await?,
            seen: ask.seen_revision,
            author: self.writer.name.clone(),
            expires_at: expires.map(|text| self.parse_expiry(text)).transpose()?,
            anchors: anchored.anchors,
            supersedes: self.known_ids("supersedes", &ask.supersedes).await?,
        };
        let named = ask.project.as_deref();
        if self.is_reviewed() {
            let ids = self.propose(vec![note.clone()], &note.project).await?;
            let text = format!("[{}] {} {}", note.kind, note.title, waits(&ids));
            return Ok(self.said_in("mem_save", &note.session, named, text, ids));
        }
        let now = self.now();
        let same_since = Timestamp::from_millis(now.millis().saturating_sub(SAME_WITHIN));
        let saved = self
            .store
            .save_observations(&self.workspace, std::slice::from_ref(&note), now, same_since)
            .await
            .map_err(|error| match error {
                // Its topic key or its text made it one of those that it names.
                StoreError::SelfRelation(id) => MemoryError::SelfRelation(id),
                StoreError::Circle { from, to } => MemoryError::Circle { from, to },
                other => of_session(&note.project)(other),
            })?;
        let ids = saved.iter().map(|saved| saved.id).collect();
        let mut text = saved.first().map_or_else(String::new, |saved| sentence(&note, saved));
        if !anchored.looked && !note.anchors.is_empty() {
            text.push_str(NOT_CHECKED);
        }
        Ok(self.said_in("mem_save", &note.session, named, text, ids))
    }

    /// Keeps what a user asked.
    pub async fn save_prompt(&self, ask: SavePrompt) -> Result<Reply, MemoryError> {
        let session = self.session_id(ask.session_id.as_deref())?;
        let prompt = NewPrompt {
            project: self.writes_in(&session, ask.project.as_deref()).await?,
            session,
            content: checks::text("content", &ask.content)?,
            namespace: checks::opt_name("namespace", ask.namespace.as_deref())?,
        };
        let id = self
            .store
            .save_prompt(&self.workspace, &prompt, self.now())
            .await
            .map_err(of_session(&prompt.project))?;
        let text = format!("Saved prompt #{id}.");
        let named = ask.project.as_deref();
        Ok(self.said_in("mem_save_prompt", &prompt.session, named, text, vec![id]))
    }

    /// Ids that a caller named, each once, all of observations that are there.
    pub(crate) async fn known_ids(
        &self,
        what: &'static str,
        ids: &[u64],
    ) -> Result<Vec<u64>, MemoryError> {
        checks::number(what, Some(ids.len()), 0, 0..=MAX_IDS)?;
        let mut distinct: Vec<u64> = Vec::with_capacity(ids.len());
        for id in ids {
            if !distinct.contains(id) {
                distinct.push(*id);
            }
        }
        let found = self.store.observations_by_id(&self.workspace, &distinct).await?;
        let unknown = distinct.iter().find(|id| !found.iter().any(|note| note.id == **id));
        match unknown {
            Some(id) => Err(missing(*id)(StoreError::NotFound(Noun::Observation))),
            None => Ok(distinct),
        }
    }
}

/// What is said of anchors that nobody could look at.
pub(crate) const NOT_CHECKED: &str = " Its anchors are kept but cannot be checked from here: this client does not work in the \
     folder of that project, or does not say where it works.";

fn sentence(note: &NewObservation, saved: &SavedObservation) -> String {
    let id = saved.id;
    let mut text = match saved.saved {
        Saved::Added => format!("Saved #{id} [{}] {}.", note.kind, note.title),
        Saved::Revised { revision } => {
            let earlier = revision - 1;
            format!(
                "Updated #{id} [{}] {}: revision {revision}. The earlier text is revision \
                 {earlier}.",
                note.kind, note.title
            )
        }
        Saved::Repeated { duplicates } => {
            let times = if duplicates == 1 { "time" } else { "times" };
            format!("#{id} says the same already (saved again {duplicates} {times}).")
        }
    };
    let list = |ids: &[u64]| {
        let ids: Vec<String> = ids.iter().map(|id| format!("#{id}")).collect();
        ids.join(", ")
    };
    if !note.relate_to.is_empty() {
        text.push_str(&format!(" It relates to {}.", list(&note.relate_to)));
    }
    if !note.supersedes.is_empty() {
        text.push_str(&format!(" It supersedes {}.", list(&note.supersedes)));
    }
    if let Some(at) = note.expires_at.filter(|at| *at != Change::NEVER) {
        text.push_str(&format!(" It expires {}.", minute(at)));
    }
    text
}
