//! `mem_get_observation`, `mem_update`, `mem_delete`.

use plimsoll_budget::{TextLines, TextPart, quoted};
use plimsoll_store::{Change, DeletedObservation, Noun, Observation, StoreError};

use crate::{
    GetObservation, Memory, MemoryError, Reply, Update, checks, lines, memory::missing,
    saving::NOT_CHECKED, time::minute,
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
            note.author = earlier.author;
        }
        let content = quoted(&note.content);
        let count = TextLines::of(&content).count();
        let from = checks::number("from", ask.from, 1, 1..=count)?;
        let lines = ask.lines.map(|lines| checks::number("lines", Some(lines), 1, 1..=usize::MAX));
        let lines = lines.transpose()?;
        let marks = self.marks([&note]).await;
        let headline = format!("{}{}", lines::headline(&note), lines::warning(&note, &marks));
        let names = self.names(&note).await;
        let head = format!("{headline}\n{}{names}{which}", circumstances(&note));
        let revision = ask.revision.map_or_else(String::new, |which| format!(" revision={which}"));
        let call = format!("mem_get_observation id={id}{revision}");
        let answer = self.read("mem_get_observation", ask.max_tokens, |allowance| {
            let part = TextPart {
                heads: &[&head, &headline],
                text: &content,
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

    /// The line of what a note names, and what has become of it.
    async fn names(&self, note: &Observation) -> String {
        let found = self.anchor_conditions(note).await;
        let told = note.anchors.iter().zip(found);
        let told: Vec<String> =
            told.map(|(anchor, found)| format!("{} ({})", anchor.target, found.name())).collect();
        if told.is_empty() { String::new() } else { format!("\nanchors: {}", told.join(", ")) }
    }

    /// Changes an observation; the earlier text stays as a revision.
    pub async fn update(&self, ask: Update) -> Result<Reply, MemoryError> {
        let id = ask.id;
        let expires = ask.expires.as_deref().filter(|text| !text.trim().is_empty());
        let mut change = Change {
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
            author: None,
            expires_at: expires.map(|text| self.parse_expiry(text)).transpose()?,
            anchors: None,
            supersedes: self.known_ids("supersedes", &ask.supersedes).await?,
        };
        let nothing = change == (Change { seen: change.seen, ..Change::default() });
        if nothing && ask.anchors.is_none() && !ask.undelete {
            return Err(MemoryError::NothingToChange);
        }
        if ask.undelete && self.is_reviewed() {
            return Err(MemoryError::NotWhileReviewed);
        }
        let was_gone = ask.undelete && self.bring_back(id).await?;
        let known = self.store.observation(&self.workspace, id).await.map_err(missing(id))?;
        let mut said = if was_gone { "Brought back. " } else { "" }.to_owned();
        if nothing && ask.anchors.is_none() {
            let state = if was_gone { "is there again" } else { "is there already" };
            let text = format!("{} {state}.", lines::headline(&known));
            return Ok(self.said("mem_update", text, vec![id]));
        }
        let mut unlooked = false;
        if let Some(targets) = &ask.anchors {
            let project = change.project.as_deref().unwrap_or(&known.project);
            let anchored = self.anchors(project, targets).await?;
            unlooked = !anchored.looked && !anchored.anchors.is_empty();
            change.anchors = Some(anchored.anchors);
        }
        change.author.clone_from(&self.writer.name);
        if self.is_reviewed() {
            return self.propose_change(&known, change).await;
        }
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
                    (StoreError::SelfRelation(id), _) => MemoryError::SelfRelation(id),
                    (StoreError::Circle { from, to }, _) => MemoryError::Circle { from, to },
                    (other, _) => missing(id)(other),
                },
            )?;
        let headline = lines::headline(&changed);
        if changed == known && change.supersedes.is_empty() {
            said.push_str(&format!("{headline} is so already."));
        } else {
            said.push_str(&format!("Updated {headline} (revision {}).", changed.revision_count));
        }
        if unlooked {
            said.push_str(NOT_CHECKED);
        }
        Ok(self.said("mem_update", said, vec![id]))
    }

    /// Brings back an observation that was deleted softly (MEM-12); says whether it was.
    pub async fn bring_back(&self, id: u64) -> Result<bool, MemoryError> {
        if self.store.observation(&self.workspace, id).await.is_ok() {
            return Ok(false);
        }
        let back = self.store.bring_back_observation(&self.workspace, id).await;
        back.map(|_| true).map_err(|error| match error {
            StoreError::KeyTaken { by } => MemoryError::ReplacedMeanwhile { id, by },
            other => missing(id)(other),
        })
    }

    /// Those that were deleted and can be brought back, the last deleted first, and how many.
    pub async fn deleted(
        &self,
        limit: usize,
    ) -> Result<(Vec<DeletedObservation>, u64), MemoryError> {
        Ok(self.store.deleted_observations(&self.workspace, limit).await?)
    }

    /// Deletes an observation: from sight, or for good.
    pub async fn delete(&self, id: u64, hard: bool) -> Result<Reply, MemoryError> {
        if hard && self.is_reviewed() {
            return Err(MemoryError::NotWhileReviewed);
        }
        self.store
            .delete_observation(&self.workspace, id, hard, self.now())
            .await
            .map_err(missing(id))?;
        let text = match hard {
            true => format!("Deleted #{id} for good, with its revisions and relations."),
            false => {
                format!("Deleted #{id} softly. mem_update id={id} undelete=true brings it back.")
            }
        };
        Ok(self.said("mem_delete", text, vec![id]))
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
    about.extend(lines::written_by(note));
    about.push(format!("created {}", minute(note.created_at)));
    if note.updated_at != note.created_at {
        about.push(format!("updated {}", minute(note.updated_at)));
    }
    about.push(format!("revision {}", note.revision_count));
    if let Some(at) = note.expires_at {
        about.push(format!("expires {}", minute(at)));
    }
    if note.duplicate_count > 0 {
        about.push(format!("saved again {}×", note.duplicate_count));
    }
    about.join(", ")
}
