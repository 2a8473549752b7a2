//! Changes: one at a time, stage by stage (SDD-3).

use plimsoll_domain::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    ChangeSize, ChangeType, Done, Notebook, Remember, SpecsError,
    change_flow::{expects, flow},
    document::{body, check, one_line, optional, required},
    notebook::memory_text,
    slug,
    slug::is_slug,
    state::{State, pretty, written},
};

/// The status of a change that was begun by mistake (MEM-12).
const DROPPED: &str = "dropped";

/// How many changes a list shows.
const MOST_LISTED: usize = 30;

/// What `sdd_change` takes.
#[derive(Clone, Debug, Default)]
pub struct StartChange {
    pub kind: ChangeType,
    /// How large it is.
    pub size: ChangeSize,
    /// What should change.
    pub description: String,
}

/// What `sdd_change_advance` takes.
#[derive(Clone, Debug, Default)]
pub struct AdvanceChange {
    /// The document of the stage.
    pub content: String,
    /// Its title; the stage's name if it has none.
    pub title: Option<String>,
}

/// `change.json`. A newer version may have stages that this one does not know, so they
/// are texts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Change {
    pub(crate) id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) size: String,
    pub(crate) description: String,
    pub(crate) status: String,
    pub(crate) stages: Vec<String>,
    /// The stage that is open; none when the change is done.
    #[serde(default)]
    pub(crate) stage: Option<String>,
    #[serde(default)]
    pub(crate) created_at: String,
    #[serde(default)]
    pub(crate) updated_at: String,
    #[serde(flatten)]
    other: Map<String, Value>,
}

impl Change {
    /// The open stage, as far as it is one of its stages.
    fn open_stage(&self) -> Option<(usize, &str)> {
        let stage = self.stage.as_deref()?;
        let at = self.stages.iter().position(|one| one == stage)?;
        (self.status == "active").then_some((at, stage))
    }

    pub(crate) fn line(&self) -> String {
        let stage = self.stage.as_deref().map(|stage| format!(", at {}", one_line(stage)));
        format!(
            "{} ({} {}, {}{}): {}",
            self.id,
            one_line(&self.size),
            one_line(&self.kind),
            one_line(&self.status),
            stage.unwrap_or_default(),
            one_line(&self.description),
        )
    }
}

impl Notebook {
    /// `sdd_change`.
    pub fn start_change(&self, args: &StartChange, now: Timestamp) -> Result<Done, SpecsError> {
        check(&[required("description", "Description", &args.description)])?;
        let _held = self.files.hold()?;
        if let Some(active) = self.active_change()? {
            let stage = active.stage.clone().unwrap_or_default();
            return Err(SpecsError::ChangeActive { id: active.id, stage });
        }
        let first_line = args.description.trim().lines().next().unwrap_or_default();
        let stages: Vec<String> =
            flow(args.kind, args.size).iter().map(|stage| (*stage).to_owned()).collect();
        let change = Change {
            id: self.free_name(&slug(first_line))?,
            kind: args.kind.name().to_owned(),
            size: args.size.name().to_owned(),
            description: args.description.trim().to_owned(),
            status: "active".to_owned(),
            stage: stages.first().cloned(),
            stages,
            created_at: written(now),
            updated_at: written(now),
            other: Map::new(),
        };
        self.save_change(&change)?;
        let text = format!(
            "Started the change {} in sdd/changes/{}/.\nStages: {}.\n{}",
            change.id,
            change.id,
            change.stages.join(" → "),
            next_words(&change),
        );
        Ok(Done { text, remember: None })
    }

    /// `sdd_change_advance`.
    pub fn advance_change(&self, args: &AdvanceChange, now: Timestamp) -> Result<Done, SpecsError> {
        check(&[
            required("content", "Content", &args.content),
            optional("title", "", &args.title),
        ])?;
        let _held = self.files.hold_existing()?;
        let mut change = self.active_change()?.ok_or(SpecsError::NoActiveChange)?;
        let Some((at, stage)) = change.open_stage() else { return Err(SpecsError::NoActiveChange) };
        let stage = stage.to_owned();
        let title = match args.title.as_deref().map(one_line).filter(|title| !title.is_empty()) {
            Some(title) => title,
            None => format!("{}: {}", capital(&stage), one_line(&change.description)),
        };
        let text = format!("# {title}\n\n{}\n", body(&args.content));
        let file = format!("changes/{}/{stage}.md", change.id);
        self.files.write(&file, &text)?;
        change.stage = change.stages.get(at + 1).cloned();
        if change.stage.is_none() {
            change.status = "completed".to_owned();
        }
        change.updated_at = written(now);
        self.save_change(&change)?;
        let project = match State::find(&self.files) {
            Ok(Some(state)) => slug(&state.name),
            _ => slug(&self.folder()),
        };
        let remember = Remember {
            kind: if stage == "design" { "decision" } else { "architecture" },
            title,
            content: memory_text(&text, &format!("sdd/{file}")),
            topic_key: format!("sdd/{project}/changes/{}/{stage}", change.id),
            project: self.folder(),
        };
        let said = format!("Saved sdd/{file}. Stage {stage} is done.\n{}", next_words(&change));
        Ok(Done { text: said, remember: Some(remember) })
    }

    /// `sdd_change_status`: one change, or the active one and the latest others.
    pub fn change_status(&self, change_id: Option<&str>) -> Result<String, SpecsError> {
        if let Some(id) = change_id {
            let id = id.trim();
            let short = || SpecsError::NoSuchChange(id.chars().take(80).collect());
            if !is_slug(id) {
                return Err(short());
            }
            let change = self.read_change(id)?.ok_or_else(short)?;
            return Ok(standing(&change));
        }
        let changes = self.changes()?;
        let active = changes.iter().find(|change| change.open_stage().is_some());
        let mut text = match active {
            Some(active) => standing(active),
            None => "There is no active change. Start one with sdd_change.".to_owned(),
        };
        let others: Vec<&Change> =
            changes.iter().filter(|change| active.is_none_or(|one| one.id != change.id)).collect();
        if !others.is_empty() {
            text.push_str(&format!("\n\nOther changes ({}):", others.len()));
        }
        for change in others.iter().take(MOST_LISTED) {
            text.push_str(&format!("\n- {}", change.line()));
        }
        if others.len() > MOST_LISTED {
            text.push_str(&format!("\n… and {} older", others.len() - MOST_LISTED));
        }
        Ok(text)
    }

    /// `sdd_change_status` with `drop`: ends the active change that was begun by mistake. Its files
    /// stay, marked, so that nothing is lost.
    pub fn drop_change(
        &self,
        change_id: Option<&str>,
        now: Timestamp,
    ) -> Result<String, SpecsError> {
        let _held = self.files.hold_existing()?;
        let mut change = self.active_change()?.ok_or(SpecsError::NoActiveChange)?;
        if let Some(id) = change_id.map(str::trim).filter(|id| *id != change.id) {
            let id = id.chars().take(80).collect();
            return Err(SpecsError::NotActive { id, active: change.id });
        }
        change.status = DROPPED.to_owned();
        change.updated_at = written(now);
        self.save_change(&change)?;
        Ok(format!(
            "Dropped the change {}. What was written stays in sdd/changes/{}/. Start another with \
             sdd_change.",
            change.id, change.id
        ))
    }

    /// Every change that can be read, newest first.
    pub(crate) fn changes(&self) -> Result<Vec<Change>, SpecsError> {
        let names = self.files.names("changes")?;
        let mut changes: Vec<Change> = names
            .iter()
            .filter(|name| is_slug(name))
            .filter_map(|name| self.read_change(name).ok().flatten())
            .collect();
        changes.sort_by(|a, b| (&b.updated_at, &b.id).cmp(&(&a.updated_at, &a.id)));
        Ok(changes)
    }

    /// The change that is under way. A change that cannot be read is in the way as well:
    /// it may be the active one, so it must be mended first.
    pub(crate) fn active_change(&self) -> Result<Option<Change>, SpecsError> {
        for name in self.files.names("changes")?.iter().filter(|name| is_slug(name)) {
            if let Some(change) = self.read_change(name)?
                && change.open_stage().is_some()
            {
                return Ok(Some(change));
            }
        }
        Ok(None)
    }

    fn read_change(&self, id: &str) -> Result<Option<Change>, SpecsError> {
        let file = format!("changes/{id}/change.json");
        let Some(text) = self.files.read(&file)? else { return Ok(None) };
        let broken = |problem: String| SpecsError::Broken { file: format!("sdd/{file}"), problem };
        let mut change: Change =
            serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
        // Names become file names, so none is taken on trust.
        if let Some(odd) = change.stages.iter().find(|stage| !is_slug(stage)) {
            return Err(broken(format!("\"{}\" is no stage", one_line(odd))));
        }
        change.id = id.to_owned();
        Ok(Some(change))
    }

    fn save_change(&self, change: &Change) -> Result<(), SpecsError> {
        self.files.write(&format!("changes/{}/change.json", change.id), &pretty(change)?)
    }

    /// A name that no change has yet.
    fn free_name(&self, name: &str) -> Result<String, SpecsError> {
        let taken = self.files.names("changes")?;
        let mut free = name.to_owned();
        let mut number = 2;
        while taken.contains(&free) {
            free = format!("{name}-{number}");
            number += 1;
        }
        Ok(free)
    }
}

fn next_words(change: &Change) -> String {
    match change.stage.as_deref() {
        Some(stage) => {
            format!("Next stage: {stage}. Call sdd_change_advance with {}.", expects(stage))
        }
        None => format!("The change {} is completed.", change.id),
    }
}

/// Where a change stands, stage by stage.
fn standing(change: &Change) -> String {
    let mut text = format!("Change {}", change.line());
    let open = change.open_stage().map(|(at, _)| at);
    // One that was dropped keeps the stage that it had come to.
    let dropped = (change.status == DROPPED).then_some(change.stage.as_ref()).flatten();
    let dropped = dropped.and_then(|stage| change.stages.iter().position(|one| one == stage));
    for (at, stage) in change.stages.iter().enumerate() {
        let mark = match (open, dropped) {
            (Some(open), _) if at > open => "pending",
            (Some(open), _) if at == open => "in_progress",
            (_, Some(dropped)) if at >= dropped => DROPPED,
            _ => "completed",
        };
        text.push_str(&format!("\n- {stage}: {mark}"));
    }
    if open.is_some() {
        text.push_str(&format!("\n{}", next_words(change)));
    }
    text
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
#[path = "change_tests.rs"]
mod tests;
