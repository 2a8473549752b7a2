//! `sdd.json`: where the project stands. People may edit it, so it is read with care and
//! what is not known is kept.

use std::collections::BTreeMap;

use jiff::Timestamp as Instant;
use plimsoll_domain::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::{SpecsError, Stage, files::Files, stage::choose};

/// Where the state stands.
const FILE: &str = "sdd.json";

/// How strict clarifying is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// Questions until much is clear.
    #[default]
    Guided,
    /// For those who know what they want.
    Expert,
}

impl Mode {
    /// The modes.
    pub const ALL: [Self; 2] = [Self::Guided, Self::Expert];

    pub fn name(self) -> &'static str {
        match self {
            Self::Guided => "guided",
            Self::Expert => "expert",
        }
    }

    /// The mode with this name.
    pub fn parse(name: &str) -> Result<Self, SpecsError> {
        choose("mode", name, Self::ALL, Self::name)
    }

    /// The clarity that ends clarifying (SDD-2).
    pub(crate) fn needed_clarity(self) -> u32 {
        match self {
            Self::Guided => 70,
            Self::Expert => 50,
        }
    }
}

/// Where the project stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) mode: Mode,
    pub(crate) stage: Stage,
    /// The stages that are done, with the time at which they were.
    pub(crate) done: BTreeMap<Stage, String>,
    pub(crate) created_at: String,
    /// What others wrote into the file.
    other: Map<String, Value>,
}

impl State {
    pub(crate) fn begin(name: String, description: String, mode: Mode, now: Timestamp) -> Self {
        let (created_at, done) = (written(now), BTreeMap::from([(Stage::Init, written(now))]));
        let (stage, other) = (Stage::Propose, Map::new());
        Self { name, description, mode, stage, done, created_at, other }
    }

    /// Reads it; none if there is none.
    pub(crate) fn find(files: &Files) -> Result<Option<Self>, SpecsError> {
        let Some(text) = files.read(FILE)? else { return Ok(None) };
        Self::parse(&text).map(Some)
    }

    /// Reads it from the text of its file.
    pub(crate) fn parse(text: &str) -> Result<Self, SpecsError> {
        let broken = |problem: String| SpecsError::Broken { file: format!("sdd/{FILE}"), problem };
        let written: Written =
            serde_json::from_str(text).map_err(|error| broken(error.to_string()))?;
        written.read().map_err(|error| broken(error.to_string()))
    }

    /// Reads it where it must be.
    pub(crate) fn load(files: &Files) -> Result<Self, SpecsError> {
        Self::find(files)?.ok_or(SpecsError::NoNotebook)
    }

    /// Reads it and sees that the project is at a stage.
    pub(crate) fn at(files: &Files, asked: Stage) -> Result<Self, SpecsError> {
        let state = Self::load(files)?;
        match state.stage {
            _ if state.is_finished() => Err(SpecsError::Finished(asked)),
            now if now != asked => Err(SpecsError::WrongStage { asked, now }),
            _ => Ok(state),
        }
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.done.contains_key(&Stage::Validate)
    }

    /// The stage is done; on to the next.
    pub(crate) fn advance(&mut self, now: Timestamp) {
        self.done.insert(self.stage, written(now));
        self.stage = self.stage.next().unwrap_or(self.stage);
    }

    /// What is said of a stage.
    pub(crate) fn status(&self, stage: Stage) -> &'static str {
        match stage {
            _ if self.done.contains_key(&stage) => "completed",
            _ if stage == self.stage => "in_progress",
            _ => "pending",
        }
    }

    pub(crate) fn save(&self, files: &Files, now: Timestamp) -> Result<(), SpecsError> {
        files.write(FILE, &self.text(now)?)
    }

    /// The text of its file.
    pub(crate) fn text(&self, now: Timestamp) -> Result<String, SpecsError> {
        let stages = Stage::ALL.into_iter().map(|stage| {
            let status = self.status(stage).to_owned();
            let completed_at = self.done.get(&stage).cloned();
            (stage.name().to_owned(), Status { status, completed_at })
        });
        let file = Written {
            name: self.name.clone(),
            description: self.description.clone(),
            mode: self.mode.name().to_owned(),
            stage: self.stage.name().to_owned(),
            stages: stages.collect(),
            created_at: self.created_at.clone(),
            updated_at: written(now),
            other: self.other.clone(),
        };
        pretty(&file)
    }
}

/// The file, field by field.
#[derive(Serialize, Deserialize)]
struct Written {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    mode: String,
    stage: String,
    #[serde(default, serialize_with = "in_order", deserialize_with = "by_name")]
    stages: Vec<(String, Status)>,
    #[serde(default)]
    created_at: String,
    #[serde(default)]
    updated_at: String,
    #[serde(flatten)]
    other: Map<String, Value>,
}

#[derive(Serialize, Deserialize)]
struct Status {
    status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    completed_at: Option<String>,
}

/// Stages are written in their order, not in that of the alphabet.
fn in_order<S: Serializer>(stages: &[(String, Status)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(stages.iter().map(|(name, status)| (name, status)))
}

fn by_name<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, Status)>, D::Error> {
    Ok(BTreeMap::deserialize(from)?.into_iter().collect())
}

impl Written {
    fn read(self) -> Result<State, SpecsError> {
        let mode = if self.mode.is_empty() { Mode::default() } else { Mode::parse(&self.mode)? };
        let mut done = BTreeMap::new();
        for (name, status) in self.stages {
            if status.status == "completed" {
                done.insert(Stage::parse(&name)?, status.completed_at.unwrap_or_default());
            }
        }
        Ok(State {
            name: self.name,
            description: self.description,
            mode,
            stage: Stage::parse(&self.stage)?,
            done,
            created_at: self.created_at,
            other: self.other,
        })
    }
}

/// A time as files write it.
pub(crate) fn written(time: Timestamp) -> String {
    match Instant::from_millisecond(time.millis()) {
        Ok(instant) => format!("{instant:.0}"),
        Err(_) => String::new(),
    }
}

pub(crate) fn day(time: Timestamp) -> String {
    written(time).chars().take(10).collect()
}

/// JSON that people can read.
pub(crate) fn pretty(value: &impl Serialize) -> Result<String, SpecsError> {
    match serde_json::to_string_pretty(value) {
        Ok(text) => Ok(text + "\n"),
        Err(error) => {
            Err(SpecsError::Io { file: "sdd".to_owned(), problem: std::io::Error::other(error) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_others_are_kept_to_the_last_digit() {
        let text = r#"{"name":"a","stage":"specify","more":[1.6666666666666668e+41,0.1]}"#;
        let state = State::parse(text).unwrap();
        let again = State::parse(&state.text(Timestamp::from_millis(0)).unwrap()).unwrap();
        assert_eq!(again, state);
        assert!(state.text(Timestamp::from_millis(0)).unwrap().contains("1.6666666666666668e+41"));
    }
}
