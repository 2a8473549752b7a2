//! Finding notes by what they mean.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use plimsoll_domain::Timestamp;
use plimsoll_store::{MemoryFilter, NoteVectors, Store, StoreError, VectorCounts, Workspace};
use thiserror::Error;

use super::{
    EmbedError, Embedder,
    matrix::{Matrix, Ranked},
    vector::{self, SmallVector},
    windows,
};

/// Notes of a workspace that are searched by meaning at most: the newest. A hundred thousand take
/// about 40 MB of memory and 4 ms a question.
pub const MOST_NOTES_BY_MEANING: usize = 100_000;

/// Rows that are read into memory at a time.
const PAGE: usize = 2000;

/// Notes whose vectors are made and written at a time: few, so that little is lost when a
/// process ends.
const BATCH: usize = 8;

/// How many of the closest notes are held against a filter, step by step, before all that pass
/// it are read instead.
const STEPS: [usize; 2] = [64, 512];

/// Why nothing was found by meaning.
#[derive(Debug, Error)]
pub enum MeaningError {
    /// There are no vectors.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a [`Meaning`] is made of.
pub struct MeaningParts {
    /// Where notes and vectors are kept.
    pub store: Arc<dyn Store>,
    /// Makes the vectors of questions, for which somebody waits.
    pub asking: Arc<dyn Embedder>,
    /// Makes those of notes: the same model, on a thread that gives way to others.
    pub filling: Arc<dyn Embedder>,
}

/// Search by meaning over the notes of a store (MEM-10). A note without a vector is found by its
/// words alone.
pub struct Meaning {
    store: Arc<dyn Store>,
    asking: Arc<dyn Embedder>,
    filling: Arc<dyn Embedder>,
    /// The model, with the rules by which texts become vectors.
    model: String,
    loaded: Mutex<HashMap<Workspace, Loaded>>,
    most: usize,
}

/// Gives search by meaning as it is at this moment; none where it is switched off.
pub type PresentMeaning = Arc<dyn Fn() -> Option<Arc<Meaning>> + Send + Sync>;

/// The vectors of a workspace, as far as they were read.
struct Loaded {
    matrix: Matrix,
    change: u64,
}

impl Meaning {
    /// Over these parts. Nothing is read yet.
    pub fn new(parts: MeaningParts) -> Self {
        let MeaningParts { store, asking, filling } = parts;
        let model = format!("{}/{}", asking.name(), windows::RULES);
        let (loaded, most) = (Mutex::default(), MOST_NOTES_BY_MEANING);
        Self { store, asking, filling, model, loaded, most }
    }

    /// The closest notes to a question, the closest first, each with a score of at most about 1.
    /// Whether the model knows the language of the question is for [`speaks`](super::speaks) to
    /// say.
    pub async fn nearest(
        &self,
        workspace: &Workspace,
        query: &str,
        count: usize,
    ) -> Result<Vec<(u64, f32)>, MeaningError> {
        self.nearest_passing(workspace, query, &MemoryFilter::default(), count).await
    }

    /// The same among the notes that pass a filter. Those that are deleted pass none.
    pub async fn nearest_passing(
        &self,
        workspace: &Workspace,
        query: &str,
        filter: &MemoryFilter,
        count: usize,
    ) -> Result<Vec<(u64, f32)>, MeaningError> {
        self.refresh(workspace).await?;
        let question = self.asking.embed(&[query.to_owned()])?;
        let question = question.first().map(|vector| SmallVector::of(vector));
        let Some(question) = question else { return Ok(Vec::new()) };
        let mut ranked = {
            let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
            loaded.get(workspace).map_or_else(Ranked::default, |it| it.matrix.compare(&question))
        };
        for step in STEPS {
            let mut closest = ranked.closest(step.max(count));
            let all = closest.len() < step;
            let ids: Vec<u64> = closest.iter().map(|(id, _)| *id).collect();
            let passing = self.store.notes_passing(workspace, filter, &ids).await?;
            let passing: HashSet<u64> = passing.into_iter().collect();
            closest.retain(|(id, _)| passing.contains(id));
            if all || closest.len() >= count {
                closest.truncate(count);
                return Ok(closest);
            }
        }
        // The filter lets few through: those are fewer than the closest of all.
        let passing = self.store.newest_notes(workspace, filter, self.most).await?;
        ranked.keep(&passing.into_iter().collect());
        Ok(ranked.closest(count))
    }

    /// How many notes of a workspace have vectors.
    pub async fn counts(&self, workspace: &Workspace) -> Result<VectorCounts, MeaningError> {
        Ok(self.store.vector_counts(workspace, &self.model).await?)
    }

    /// Makes the vectors that are missing of notes changed at a time or later, the newest note
    /// first; says how many it made. `go_on` is asked before each few notes.
    ///
    /// This computes for a long time where it is called; it is meant for a thread of its own.
    pub async fn fill(
        &self,
        workspace: &Workspace,
        changed_since: Timestamp,
        go_on: &(dyn Fn() -> bool + Send + Sync),
    ) -> Result<u64, MeaningError> {
        let (mut made, mut before) = (0, u64::MAX);
        while go_on() {
            let notes = self
                .store
                .notes_without_vectors(workspace, &self.model, changed_since, before, BATCH)
                .await?;
            let Some(last) = notes.last() else { break };
            before = last.id;
            let mut texts = Vec::new();
            let parts: Vec<usize> = notes
                .iter()
                .map(|note| {
                    let windows = windows::windows(&note.title, &note.content);
                    let count = windows.len();
                    texts.extend(windows);
                    count
                })
                .collect();
            let mut vectors = self.filling.embed(&texts)?.into_iter();
            let made_of = notes.into_iter().zip(parts).map(|(note, parts)| {
                let small: Vec<SmallVector> =
                    vectors.by_ref().take(parts).map(|vector| SmallVector::of(&vector)).collect();
                NoteVectors {
                    id: note.id,
                    fingerprint: note.fingerprint,
                    vectors: vector::to_bytes(&small),
                }
            });
            let made_of: Vec<NoteVectors> = made_of.collect();
            made += self.store.put_vectors(workspace, &self.model, &made_of).await?;
        }
        Ok(made)
    }

    /// Reads the vectors that were kept since the last time, by whomever.
    async fn refresh(&self, workspace: &Workspace) -> Result<(), MeaningError> {
        loop {
            let change = {
                let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
                loaded.get(workspace).map_or(0, |it| it.change)
            };
            let page = self.store.vectors_after(workspace, &self.model, change, PAGE).await?;
            let more = page.len() == PAGE;
            let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
            let it = loaded
                .entry(workspace.clone())
                .or_insert_with(|| Loaded { matrix: Matrix::new(self.most), change: 0 });
            // Another question may have read the same meanwhile, and more.
            let known = it.change;
            for kept in page.into_iter().filter(|kept| kept.change > known) {
                it.matrix.put(kept.id, &vector::from_bytes(&kept.vectors));
                it.change = kept.change;
            }
            if !more {
                return Ok(());
            }
        }
    }
}
