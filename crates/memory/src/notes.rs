//! `mem_get_observation`, `mem_update`, `mem_delete`.

use plimsoll_budget::{TextLines, TextPart};
use plimsoll_store::{Change, Noun, Observation, StoreError};

use crate::{
    GetObservation, Memory, MemoryError, Reply, Update, checks, lines, memory::missing,
    time::minute,
};

impl Memory {
    /// The whole of an observation, or an earlier text of it, or some lines of either.
    pub async fn get_observation(&self, ask: GetObservation) -> Result<Reply, MemoryError> {
        let id = ask.id;
        let mut note = self.store.observation(&self.workspace, id).await.map_err(missing(id))?;
        let newest = note.revision_count;
        let mut which = String::new();
        if let Some(revision) = ask.revision.filter(|revision| *revision != newest) {
            let unknown = MemoryError::NoRevision { id, revision, newest };
            let earlier = self.store.observation_revisions(&self.workspace, id).await?;
            let earlier =
                earlier.into_iter().find(|one| one.revision == revision).ok_or(unknown)?;
            which = format!(
                "\nrevision {revision} of {newest}, replaced {}",
                minute(earlier.replaced_at)
            );
            (note.kind, note.title, note.content) = (earlier.kind, earlier.title, earlier.content);
        }
        let count = TextLines::of(&note.content).count();
        let from = checks::number("from", ask.from, 1, 1..=count)?;
        let lines = ask.lines.map(|lines| checks::number("lines", Some(lines), 1, 1..=usize::MAX));
        let lines = lines.transpose()?;
        let headline = lines::headline(&note);
        let head = format!("{headline}\n{}{which}", circumstances(&note));
        let revision = ask.revision.map_or_else(String::new, |which| format!(" revision={which}"));
        let call = format!("mem_get_observation id={id}{revision}");
        let answer = self.read("mem_get_observation", ask.max_tokens, |allowance| {
            let part = TextPart {
                heads: &[&head, &headline],
                text: &note.content,
                from,
                lines,
                call: Some(&call),
                allowance,
                counter: self.counter,
            };
            part.build()
        })?;
        Ok(Reply::of(answer, &[Some(id)]))
    }

    /// Changes an observation; the earlier text stays as a revision.
    pub async fn update(&self, ask: Update) -> Result<Reply, MemoryError> {
        let id = ask.id;
        let change = Change {
            seen: ask.seen_revision,
            restore: ask.restore_revision,
            title: ask.title.as_deref().map(checks::title).transpose()?,
            content: ask
                .content
                .as_deref()
                .map(|text| checks::text("content", text))
                .transpose()?,
            kind: checks::opt_name("type", ask.kind.as_deref())?,
            project: match ask.project.as_deref().filter(|name| !name.trim().is_empty()) {
                Some(name) => Some(self.writes_to(Some(name)).await?),
                None => None,
            },
            scope: ask.scope,
            topic_key: checks::opt_name("topic_key", ask.topic_key.as_deref())?,
        };
        if change == (Change { seen: change.seen, ..Change::default() }) {
            return Err(MemoryError::NothingToChange);
        }
        let known = self.store.observation(&self.workspace, id).await.map_err(missing(id))?;
        let changed =
            self.store.change_observation(&self.workspace, id, &change, self.now()).await.map_err(
                |error| match (error, change.restore) {
                    (StoreError::NotFound(Noun::Revision), Some(revision)) => {
                        MemoryError::NoRevision { id, revision, newest: known.revision_count }
                    }
                    (StoreError::Revised { revision }, _) => {
                        MemoryError::ChangedMeanwhile { id, revision }
                    }
                    (StoreError::KeyTaken { by }, _) => {
                        let key = change.topic_key.clone().or(known.topic_key.clone());
                        MemoryError::KeyTaken { key: key.unwrap_or_default(), by }
                    }
                    (other, _) => missing(id)(other),
                },
            )?;
        let text = if changed == known {
            format!("{} is so already.", lines::headline(&changed))
        } else {
            format!("Updated {} (revision {}).", lines::headline(&changed), changed.revision_count)
        };
        Ok(self.said("mem_update", text, vec![id]))
    }

    /// Deletes an observation: from sight, or for good.
    pub async fn delete(&self, id: u64, hard: bool) -> Result<Reply, MemoryError> {
        self.store
            .delete_observation(&self.workspace, id, hard, self.now())
            .await
            .map_err(missing(id))?;
        let how = if hard { "for good, with its revisions and relations" } else { "softly" };
        Ok(self.said("mem_delete", format!("Deleted #{id} {how}."), vec![id]))
    }

    /// An observation as a record, for surfaces that show it in their own way.
    pub async fn observation(&self, id: u64) -> Result<Observation, MemoryError> {
        self.store.observation(&self.workspace, id).await.map_err(missing(id))
    }
}

/// One line of all that is known beside the text.
fn circumstances(note: &Observation) -> String {
    let mut about = vec![
        match note.project.as_str() {
            "" => "no project".to_owned(),
            project => format!("project {project}"),
        },
        format!("scope {}", note.scope.name()),
        format!("session {}", note.session),
    ];
    about.extend(note.topic_key.as_ref().map(|key| format!("topic {key}")));
    about.extend(note.namespace.as_ref().map(|name| format!("namespace {name}")));
    about.extend(note.tool_name.as_ref().map(|name| format!("tool {name}")));
    about.push(format!("created {}", minute(note.created_at)));
    if note.updated_at != note.created_at {
        about.push(format!("updated {}", minute(note.updated_at)));
    }
    about.push(format!("revision {}", note.revision_count));
    if note.duplicate_count > 0 {
        about.push(format!("saved again {}×", note.duplicate_count));
    }
    about.join(", ")
}
