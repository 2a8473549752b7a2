//! `mem_compact`: many old notes become one (MEM-8).

use plimsoll_domain::Timestamp;
use plimsoll_store::{MemoryFilter, NewObservation, Observation, Order, Scope};

use crate::{
    Compact, DEFAULT_SESSION, DetailLevel, Memory, MemoryError, Reading, Reply,
    checks::{self, MAX_IDS},
    lines,
    memory::Telling,
    projects::Scene,
};

const DAY: i64 = 86_400_000;
/// The oldest that a note can have to be: about three hundred years.
const MOST_DAYS: usize = 100_000;

impl Memory {
    /// Lists what is old enough, or replaces it by a summary.
    pub async fn compact(&self, ask: Compact) -> Result<Reply, MemoryError> {
        let days = usize::try_from(ask.older_than_days).unwrap_or(usize::MAX);
        checks::number("older_than_days", Some(days), 0, 0..=MOST_DAYS)?;
        let age = i64::try_from(days).unwrap_or(i64::MAX).saturating_mul(DAY);
        // Of age 0 is also what was changed in this very millisecond.
        let edge = self.now().millis().saturating_sub(age).saturating_add(i64::from(age == 0));
        let before = Timestamp::from_millis(edge);
        let scene = self.looks_at(ask.project.as_deref()).await?;
        let filter = MemoryFilter {
            projects: scene.only(),
            scope: ask.scope,
            namespace: checks::opt_name("namespace", ask.namespace.as_deref())?,
            before: Some(before),
            ..MemoryFilter::default()
        };
        let blank = |text: &Option<String>| text.as_ref().is_none_or(|text| text.trim().is_empty());
        if blank(&ask.summary_title) && blank(&ask.summary_content) {
            return self.candidates(&filter, &scene, &ask).await;
        }
        if self.is_reviewed() {
            return Err(MemoryError::NotWhileReviewed);
        }
        let title = checks::title(ask.summary_title.as_deref().unwrap_or_default())
            .map_err(|error| rename(error, "summary_title"))?;
        let content =
            checks::text("summary_content", ask.summary_content.as_deref().unwrap_or_default())?;
        let notes = self.chosen(&ask, &filter).await?;
        let summary = self.summary(&notes, title, content);
        let ids: Vec<u64> = notes.iter().map(|note| note.id).collect();
        let id = self.store.compact(&self.workspace, &ids, before, &summary, self.now()).await?;
        let count = ids.len();
        let many = if count == 1 { "observation" } else { "observations" };
        let text =
            format!("Replaced {count} {many} by #{id} [{}] {}.", summary.kind, summary.title);
        Ok(self.said_of("mem_compact", ask.project.as_deref(), text, vec![id]))
    }

    async fn candidates(
        &self,
        filter: &MemoryFilter,
        scene: &Scene,
        ask: &Compact,
    ) -> Result<Reply, MemoryError> {
        let days = ask.older_than_days;
        let (notes, total) = if ask.ids.is_empty() {
            let order = Order::Oldest;
            let (notes, total) =
                self.store.observations(&self.workspace, filter, order, MAX_IDS).await?;
            (notes, usize::try_from(total).unwrap_or(usize::MAX))
        } else {
            let ids = self.known_ids("ids", &ask.ids).await?;
            let notes = self.store.observations_by_id(&self.workspace, &ids).await?;
            let total = notes.len();
            (notes, total)
        };
        let young = |note: &Observation| filter.before.is_some_and(|edge| note.updated_at >= edge);
        let pieces: Vec<_> = notes
            .iter()
            .enumerate()
            .map(|(place, note)| {
                let mut text = lines::observation(note, DetailLevel::Summary, "", scene);
                if young(note) {
                    text.push_str(&format!(", changed less than {days} days ago: leave it out"));
                }
                lines::piece(text, place, None, note.id)
            })
            .collect();
        let ids: Vec<_> = notes.iter().map(|note| Some(note.id)).collect();
        let how = "summary_title and summary_content";
        let intro = match (notes.len(), ask.ids.is_empty()) {
            (0, _) => {
                format!("Nothing{} is older than {days} days.{}", scene.project("in"), scene.hint)
            }
            (_, false) => format!("These are replaced when {how} are given too."),
            (shown, true) if shown < total => format!(
                "Older than {days} days, the oldest {shown} of {total}. Replace up to {MAX_IDS} \
                 with ids, {how}, then ask again."
            ),
            _ => format!(
                "Older than {days} days, oldest first. Replace up to {MAX_IDS} with ids, {how}."
            ),
        };
        let telling = Telling {
            tool: "mem_compact",
            head: &scene.head,
            intro: &intro,
            pieces: &pieces,
            ids: &ids,
            total,
            uncounted: false,
            noun: "observations",
            next_call: None,
            reading: Reading::whole(None),
        };
        self.told_plainly(&telling, "replace these first, then ask again; ")
    }

    /// Those to replace: the named ones, or the oldest.
    async fn chosen(
        &self,
        ask: &Compact,
        filter: &MemoryFilter,
    ) -> Result<Vec<Observation>, MemoryError> {
        let days = ask.older_than_days;
        if ask.ids.is_empty() {
            let notes = self.store.oldest_observations(&self.workspace, filter, MAX_IDS).await?;
            return if notes.is_empty() {
                Err(MemoryError::NothingToCompact { days })
            } else {
                Ok(notes)
            };
        }
        let ids = self.known_ids("ids", &ask.ids).await?;
        let notes = self.store.observations_by_id(&self.workspace, &ids).await?;
        let young = |note: &&Observation| filter.before.is_some_and(|edge| note.updated_at >= edge);
        match notes.iter().find(young) {
            Some(note) => Err(MemoryError::TooYoung { id: note.id, days }),
            None => Ok(notes),
        }
    }

    /// The summary stands where those it replaces stood, if they stood together.
    fn summary(&self, notes: &[Observation], title: String, content: String) -> NewObservation {
        let first = notes.first();
        let together = |same: &dyn Fn(&Observation, &Observation) -> bool| {
            first.filter(|first| notes.iter().all(|note| same(first, note)))
        };
        let project = together(&|a, b| a.project == b.project).map(|note| note.project.clone());
        NewObservation {
            session: DEFAULT_SESSION.to_owned(),
            kind: "summary".to_owned(),
            title,
            content,
            project: project.unwrap_or_else(|| self.default_project().to_owned()),
            scope: together(&|a, b| a.scope == b.scope).map_or(Scope::Project, |note| note.scope),
            namespace: together(&|a, b| a.namespace == b.namespace)
                .and_then(|note| note.namespace.clone()),
            author: self.writer.name.clone(),
            ..NewObservation::default()
        }
    }
}

/// The same mistake under the name that the caller knows.
fn rename(error: MemoryError, name: &'static str) -> MemoryError {
    match error {
        MemoryError::Blank(_) => MemoryError::Blank(name),
        MemoryError::TooLong { bytes, limit, .. } => {
            MemoryError::TooLong { what: name, bytes, limit }
        }
        other => other,
    }
}
