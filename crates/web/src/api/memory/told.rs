//! Notes as the page is told of them.

use std::sync::Arc;

use maud::html;
use plimsoll_domain::Timestamp;
use plimsoll_files::age_words;
use plimsoll_memory::Marks;
use plimsoll_store::{
    MemoryFound, MemoryHit, Observation, ObservationRevision, Prompt, Relation, Workspace,
};
use plimsoll_tokens::Estimator;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    Web,
    formats::{marked, rfc3339, when},
    problem::Problem,
};

/// How much of a text stands in a list, in characters.
const OPENING: usize = 200;

/// So many relations of a note are told.
const RELATIONS: usize = 200;

/// A note of the memory, or a prompt that a search found.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NoteDto {
    /// Its number; notes and prompts are numbered apart.
    id: u64,
    /// Whether it is what a user once asked; such cannot be opened or changed.
    prompt: bool,
    /// decision, bugfix, …; free text.
    #[serde(rename = "type")]
    kind: String,
    /// One line.
    title: String,
    /// How it begins, or the words around what was found in `<mark>`.
    snippet_html: String,
    project: String,
    /// project or personal.
    scope: &'static str,
    session: String,
    /// What it is updated by.
    topic_key: Option<String>,
    namespace: Option<String>,
    /// Which revision of its text this is; the first is 1.
    revision: u64,
    /// How often the same was saved again.
    duplicates: u64,
    /// What its text weighs, roughly.
    tokens: u64,
    created_at: String,
    updated_at: String,
    /// How long ago it was changed, in words.
    age: String,
    /// Who wrote it; null if that is not known.
    author: Option<String>,
    /// Why it may not count any more: superseded, expired, or about something that has changed.
    warnings: Vec<String>,
    /// How a search found it, such as `by meaning`; null where it has all words as they were
    /// asked for, and where nothing was searched for.
    how: Option<&'static str>,
}

impl NoteDto {
    pub(super) fn of(note: &Observation, marks: &Marks, now: Timestamp) -> Self {
        let opening = plimsoll_prose::plain_preview(&note.content, OPENING);
        Self {
            id: note.id,
            prompt: false,
            kind: note.kind.clone(),
            title: note.title.clone(),
            snippet_html: html! { (opening) }.into_string(),
            project: note.project.clone(),
            scope: note.scope.name(),
            session: note.session.clone(),
            topic_key: note.topic_key.clone(),
            namespace: note.namespace.clone(),
            revision: note.revision_count,
            duplicates: note.duplicate_count,
            tokens: Estimator::Bytes4.count(&note.content),
            created_at: rfc3339(note.created_at),
            updated_at: rfc3339(note.updated_at),
            age: age_words(note.updated_at, now),
            author: note.author.clone(),
            warnings: marks.of(note),
            how: None,
        }
    }

    fn of_prompt(prompt: &Prompt, now: Timestamp) -> Self {
        Self {
            id: prompt.id,
            prompt: true,
            kind: "prompt".to_owned(),
            title: plimsoll_prose::plain_preview(&prompt.content, 80),
            snippet_html: String::new(),
            project: prompt.project.clone(),
            scope: "project",
            session: prompt.session.clone(),
            topic_key: None,
            namespace: prompt.namespace.clone(),
            revision: 1,
            duplicates: 0,
            tokens: Estimator::Bytes4.count(&prompt.content),
            created_at: rfc3339(prompt.created_at),
            updated_at: rfc3339(prompt.created_at),
            age: age_words(prompt.created_at, now),
            author: None,
            warnings: Vec::new(),
            how: None,
        }
    }

    pub(super) fn found(hit: &MemoryHit, marks: &Marks, now: Timestamp) -> Self {
        let dto = match &hit.found {
            MemoryFound::Observation(note) => Self::of(note, marks, now),
            MemoryFound::Prompt(prompt) => Self::of_prompt(prompt, now),
        };
        Self { snippet_html: marked(&hit.snippet, &hit.marks), how: hit.how.told(), ..dto }
    }
}

/// What a note names of its project.
#[derive(Serialize, ToSchema)]
struct AnchorDto {
    /// A file, a symbol of one, or a commit.
    target: String,
    /// unchanged, changed since, gone, or not checked.
    state: &'static str,
}

/// An earlier text of a note.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RevisionDto {
    /// Which one; the first is 1.
    revision: u64,
    #[serde(rename = "type")]
    kind: String,
    title: String,
    content: String,
    replaced_at: String,
    /// When it was replaced, for people.
    replaced: String,
    /// Who wrote it.
    author: Option<String>,
}

/// A relation as one of its ends sees it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RelationDto {
    id: u64,
    /// What it means, such as relates_to.
    #[serde(rename = "type")]
    kind: String,
    /// Why it is there.
    note: Option<String>,
    /// Whether it starts at the note that was asked for.
    outgoing: bool,
    /// The note at the other end.
    other: u64,
    /// Its title.
    other_title: String,
}

/// A note with all that is known about it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WholeNote {
    #[serde(flatten)]
    note: NoteDto,
    /// The text as it is kept.
    content: String,
    /// The text, rendered.
    html: String,
    /// When it was made, for people.
    created: String,
    /// When it was changed, for people.
    updated: String,
    /// Earlier texts, the newest first.
    revisions: Vec<RevisionDto>,
    /// What it relates to and what relates to it.
    relations: Vec<RelationDto>,
    /// What it names of its project.
    anchors: Vec<AnchorDto>,
    /// The note that took its place.
    superseded_by: Option<u64>,
    /// When it stops to count.
    expires_at: Option<String>,
    /// The same for people.
    expires: Option<String>,
}

impl WholeNote {
    pub(super) async fn load(web: &Arc<Web>, at: &Workspace, id: u64) -> Result<Self, Problem> {
        let store = web.app.store();
        let note = store.observation(at, id).await?;
        let revisions = store.observation_revisions(at, id).await?;
        let relations = store.relations_of(at, &[id], RELATIONS).await?;
        let ends: Vec<u64> = relations.iter().map(|relation| other(relation, id)).collect();
        let others = store.observations_by_id(at, &ends).await?;
        let now = web.app.clock().now();
        let revision = |earlier: ObservationRevision| RevisionDto {
            revision: earlier.revision,
            kind: earlier.kind,
            title: earlier.title,
            content: earlier.content,
            replaced_at: rfc3339(earlier.replaced_at),
            replaced: when(earlier.replaced_at, now, &web.zone),
            author: earlier.author,
        };
        let relation = |relation: Relation| {
            let end = other(&relation, id);
            let title = others.iter().find(|note| note.id == end).map(|note| note.title.clone());
            RelationDto {
                id: relation.id,
                outgoing: relation.from == id,
                other: end,
                other_title: title.unwrap_or_default(),
                kind: relation.kind,
                note: relation.note,
            }
        };
        let memory = super::writing::memory(web, at).await?;
        let marks = memory.marks([&note]).await;
        let anchors = note.anchors.iter().zip(memory.anchor_conditions(&note).await);
        Ok(Self {
            anchors: anchors
                .map(|(anchor, found)| AnchorDto {
                    target: anchor.target.clone(),
                    state: found.name(),
                })
                .collect(),
            superseded_by: note.superseded_by,
            expires_at: note.expires_at.map(rfc3339),
            expires: note.expires_at.map(|expires| when(expires, now, &web.zone)),
            html: plimsoll_prose::render(&note.content),
            created: when(note.created_at, now, &web.zone),
            updated: when(note.updated_at, now, &web.zone),
            revisions: revisions.into_iter().rev().map(revision).collect(),
            relations: relations.into_iter().map(relation).collect(),
            note: NoteDto::of(&note, &marks, now),
            content: note.content,
        })
    }
}

fn other(relation: &Relation, id: u64) -> u64 {
    if relation.from == id { relation.to } else { relation.from }
}
