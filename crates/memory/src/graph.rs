//! `mem_relate`, `mem_unrelate`, `mem_build_context`.

use std::collections::HashSet;

use plimsoll_budget::SNIPPET_CHARS;
use plimsoll_store::{NewRelation, Observation, Relation, SUPERSEDES, StoreError};
use plimsoll_tokens::commas;

use crate::{
    BuildContext, DetailLevel, Memory, MemoryError, Reading, Relate, Reply, checks,
    lines::{self, snippet},
    memory::{Telling, missing},
};

/// What a relation means that says nothing.
const RELATES_TO: &str = "relates_to";
/// How far a walk goes at most.
const DEEPEST: usize = 5;
/// How many observations a walk tells at most.
const WIDEST: usize = 100;
/// How many observations and relations it counts at most.
const COUNTED: usize = 10_000;

impl Memory {
    /// Relates two observations, one way or both ways.
    pub async fn relate(&self, ask: Relate) -> Result<Reply, MemoryError> {
        let (from, to) = (ask.from, ask.to);
        if from == to {
            return Err(MemoryError::SelfRelation(from));
        }
        self.known_ids("ids", &[from, to]).await?;
        let kind =
            checks::opt_name("type", ask.kind.as_deref())?.unwrap_or_else(|| RELATES_TO.to_owned());
        if kind == SUPERSEDES && self.is_reviewed() {
            return Err(MemoryError::NotWhileReviewed);
        }
        let note = checks::opt_remark(ask.note.as_deref())?;
        let one = NewRelation { from, to, kind: kind.clone(), note };
        let mut wanted = vec![one.clone()];
        if ask.bidirectional {
            wanted.push(NewRelation { from: to, to: from, ..one });
        }
        let related = self.store.relate(&self.workspace, &wanted, self.now()).await;
        let related = related.map_err(|error| match error {
            StoreError::Circle { from, to } => MemoryError::Circle { from, to },
            other => MemoryError::Store(other),
        })?;
        let told: Vec<String> = wanted
            .iter()
            .zip(&related)
            .map(|(wanted, related)| {
                let known = if related.fresh { "" } else { " (known already)" };
                format!("relation #{}: #{} {kind} #{}{known}", related.id, wanted.from, wanted.to)
            })
            .collect();
        let ids = related.iter().map(|related| related.id).collect();
        Ok(self.said("mem_relate", told.join("\n"), ids))
    }

    /// Takes a relation away.
    pub async fn unrelate(&self, id: u64) -> Result<Reply, MemoryError> {
        let was = self.store.unrelate(&self.workspace, id).await.map_err(missing(id))?;
        let text = format!("Removed relation #{id}: #{} {} #{}.", was.from, was.kind, was.to);
        Ok(self.said("mem_unrelate", text, vec![id]))
    }

    /// An observation and what is related to it, step by step. Each is told once, so that
    /// circles come to an end.
    pub async fn build_context(&self, ask: BuildContext) -> Result<Reply, MemoryError> {
        let depth = ask.depth.map(|depth| usize::try_from(depth).unwrap_or(usize::MAX));
        let depth = checks::number("depth", depth, 2, 1..=DEEPEST)?;
        let start =
            self.store.observation(&self.workspace, ask.id).await.map_err(missing(ask.id))?;
        let mut scene = self.looks_around(&start).await?;
        let walk = self.walk(start, depth).await?;
        scene.marks = self.marks(walk.steps.iter().map(|step| &step.note)).await;
        let mut pieces = Vec::new();
        let mut ids = Vec::new();
        for (place, step) in walk.steps.iter().enumerate() {
            let note = &step.note;
            let under = snippet(&note.content, SNIPPET_CHARS);
            let mut text = lines::observation(note, DetailLevel::Standard, &under, &scene);
            for relation in &step.relations {
                text.push_str(&format!("\n  {}", told(relation)));
            }
            let heading = match step.away {
                0 => None,
                1 => Some("## 1 step away".to_owned()),
                away => Some(format!("## {away} steps away")),
            };
            pieces.push(lines::piece(text, place, heading.as_deref(), note.id));
            ids.push(Some(note.id));
        }
        let (id, total) = (ask.id, walk.total.max(pieces.len()));
        let intro = if total > pieces.len() {
            let more = if walk.uncounted { "+" } else { "" };
            let all = commas(u64::try_from(total).unwrap_or(u64::MAX));
            let shown = pieces.len();
            format!("The first {shown} of {all}{more} observations around #{id}, nearest first.")
        } else {
            String::new()
        };
        let telling = Telling {
            tool: "mem_build_context",
            head: "",
            intro: &intro,
            pieces: &pieces,
            ids: &ids,
            total,
            uncounted: walk.uncounted,
            noun: "observations",
            next_call: None,
            reading: Reading::whole(ask.max_tokens),
        };
        self.told_plainly(&telling, "lower depth, or build on from one of these; ")
    }

    async fn walk(&self, start: Observation, depth: usize) -> Result<Walk, MemoryError> {
        let mut seen = HashSet::from([start.id]);
        let mut told = HashSet::new();
        let mut frontier = vec![start.id];
        let mut steps = vec![Step { note: start, away: 0, relations: Vec::new() }];
        let mut uncounted = false;
        for away in 1..=depth {
            if frontier.is_empty() || uncounted {
                break;
            }
            let relations = self.store.relations_of(&self.workspace, &frontier, COUNTED).await?;
            uncounted = relations.len() >= COUNTED;
            let mut next: Vec<u64> = Vec::new();
            for end in relations.iter().flat_map(|relation| [relation.from, relation.to]) {
                if seen.len() >= COUNTED && !seen.contains(&end) {
                    uncounted = true;
                } else if seen.insert(end) {
                    next.push(end);
                }
            }
            // What is too far down to be told is counted all the same.
            let room = WIDEST.saturating_sub(steps.len()).min(next.len());
            for note in self.store.observations_by_id(&self.workspace, &next[..room]).await? {
                steps.push(Step { note, away, relations: Vec::new() });
            }
            // A relation is told once, at the one of its ends that was reached last.
            let shown: HashSet<u64> = steps.iter().map(|step| step.note.id).collect();
            for relation in relations {
                let ends = [relation.from, relation.to];
                if ends.iter().all(|end| shown.contains(end))
                    && told.insert(relation.id)
                    && let Some(step) =
                        steps.iter_mut().rev().find(|step| ends.contains(&step.note.id))
                {
                    step.relations.push(relation);
                }
            }
            frontier = next;
        }
        Ok(Walk { steps, total: seen.len(), uncounted })
    }
}

/// What a walk found, nearest first.
struct Walk {
    steps: Vec<Step>,
    /// How many there are, as far as they were counted.
    total: usize,
    uncounted: bool,
}

struct Step {
    note: Observation,
    away: usize,
    relations: Vec<Relation>,
}

fn told(relation: &Relation) -> String {
    let note = relation.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
    format!(
        "relation #{}: #{} {} #{}{note}",
        relation.id, relation.from, relation.kind, relation.to
    )
}
