//! `mem_save` and `mem_save_prompt`.

use plimsoll_domain::Timestamp;
use plimsoll_store::{NewObservation, NewPrompt, Noun, Saved, SavedObservation, StoreError};

use crate::{
    Memory, MemoryError, Reply, Save, SavePrompt,
    checks::{self, MAX_IDS},
    memory::missing,
    sessions::of_session,
};

/// The same note within so many milliseconds is a repetition (MEM-4).
const SAME_WITHIN: i64 = 15 * 60 * 1000;

/// The type of a note that names none.
const MANUAL: &str = "manual";

impl Memory {
    /// Saves a note: adds it, revises the one with its topic key, or counts a repetition.
    pub async fn save(&self, ask: Save) -> Result<Reply, MemoryError> {
        let session = self.session_id(ask.session_id.as_deref())?;
        let note = NewObservation {
            project: self.writes_in(&session, ask.project.as_deref()).await?,
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
        };
        let now = self.now();
        let same_since = Timestamp::from_millis(now.millis().saturating_sub(SAME_WITHIN));
        let saved = self
            .store
            .save_observations(&self.workspace, std::slice::from_ref(&note), now, same_since)
            .await
            .map_err(|error| match error {
                // Its topic key or its text made it one of those that it names.
                StoreError::SelfRelation(id) => MemoryError::SelfRelation(id),
                other => of_session(&note.project)(other),
            })?;
        let ids = saved.iter().map(|saved| saved.id).collect();
        let text = saved.first().map_or_else(String::new, |saved| sentence(&note, saved));
        Ok(self.said_in("mem_save", &note.session, ask.project.as_deref(), text, ids))
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
    if !note.relate_to.is_empty() {
        let to: Vec<String> = note.relate_to.iter().map(|id| format!("#{id}")).collect();
        text.push_str(&format!(" It relates to {}.", to.join(", ")));
    }
    text
}
