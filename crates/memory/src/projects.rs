//! Which project is meant (MEM-11). Projects do not mix: who names none reads and writes their
//! own, and only who asks for all of them gets them, each line with the name of its project.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use plimsoll_store::{Observation, Projects, Scope};

use crate::{Marks, Memory, MemoryError, checks};

/// What is named to read all projects.
pub const ALL_PROJECTS: &str = "*";

/// The project of whom nobody knows where they work.
pub const UNKNOWN_PROJECT: &str = "default";

/// So many started sessions are remembered; who started one before that names its project.
const MOST_STARTED: usize = 10_000;

/// Which project is meant where a call names none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnProject {
    /// This one: the folder's, or the one that a server was started with.
    Is(String),
    /// Nobody knows where the client works: [`UNKNOWN_PROJECT`], and the first line says so.
    Unknown,
    /// Reads look at all projects, and writes go to this one.
    ReadsAll(String),
}

impl OwnProject {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Is(name) | Self::ReadsAll(name) => name,
            Self::Unknown => UNKNOWN_PROJECT,
        }
    }
}

/// The sessions that a connection has started, with their projects. Who goes on with one of
/// them need not name its project again.
#[derive(Debug, Default)]
pub struct StartedSessions(Mutex<HashMap<String, String>>);

impl StartedSessions {
    pub(crate) fn add(&self, session: &str, project: &str) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Requests without a connection share one of these for as long as the server runs.
        if all.len() >= MOST_STARTED {
            all.clear();
        }
        all.insert(session.to_owned(), project.to_owned());
    }

    pub(crate) fn project(&self, session: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(session).cloned()
    }
}

/// What a read looks at.
#[derive(Default)]
pub(crate) struct Scene {
    /// The project's name in all the ways it is spelt; none stands for all projects.
    names: Option<Vec<String>>,
    /// The line that an answer begins with, if any.
    pub(crate) head: String,
    /// What to say where nothing was found.
    pub(crate) hint: String,
    /// What has to be said of the notes that are told.
    pub(crate) marks: Marks,
}

impl Scene {
    /// The notes of the project, and those that are read everywhere.
    pub(crate) fn seen(&self) -> Projects {
        self.names.clone().map_or(Projects::All, Projects::Seen)
    }

    /// The project's own notes.
    pub(crate) fn only(&self) -> Projects {
        self.names.clone().map_or(Projects::All, Projects::Only)
    }

    /// ` of project harbour` or ` in project harbour`; nothing for all.
    pub(crate) fn project(&self, word: &str) -> String {
        let name = self.names.as_ref().and_then(|names| names.first());
        name.map_or_else(String::new, |name| format!(" {word} project {name}"))
    }

    /// What has to be said about where something belongs, for a reader that knows what it
    /// reads.
    pub(crate) fn place(&self, project: &str, scope: Scope) -> Vec<String> {
        let mut words = Vec::new();
        if scope == Scope::Personal {
            words.push("personal".to_owned());
        }
        let granted = self.names.as_ref().is_some_and(|names| names.iter().any(|n| n == project));
        match project {
            "" => words.push("no project".to_owned()),
            _ if granted => {}
            project => words.push(format!("project {project}")),
        }
        words
    }
}

impl Memory {
    /// The project that something is written to. One that is known has its known spelling.
    pub(crate) async fn writes_to(&self, named: Option<&str>) -> Result<String, MemoryError> {
        match checks::opt_name("project", named)? {
            Some(name) if name == ALL_PROJECTS => Err(MemoryError::NoOneProject),
            Some(name) => self.spelt(name).await,
            None => self.spelt(self.own.name().to_owned()).await,
        }
    }

    /// The same for what belongs to a session.
    pub(crate) async fn writes_in(
        &self,
        session: &str,
        named: Option<&str>,
    ) -> Result<String, MemoryError> {
        let named = named.filter(|named| !named.trim().is_empty());
        match (named, self.started.project(session)) {
            (None, Some(project)) => Ok(project),
            (named, _) => self.writes_to(named).await,
        }
    }

    async fn spelt(&self, name: String) -> Result<String, MemoryError> {
        let known = self.store.memory_projects(&self.workspace).await?;
        if known.contains(&name) {
            return Ok(name);
        }
        Ok(known.into_iter().find(|known| alike(known, &name)).unwrap_or(name))
    }

    /// What a read looks at.
    pub(crate) async fn looks_at(&self, named: Option<&str>) -> Result<Scene, MemoryError> {
        let named = checks::opt_name("project", named)?;
        let all = Scene::default();
        let name = match (&named, &self.own) {
            (Some(name), _) if name == ALL_PROJECTS => return Ok(all),
            (None, OwnProject::ReadsAll(_)) => return Ok(all),
            (Some(name), _) => name.clone(),
            (None, own) => own.name().to_owned(),
        };
        let known = self.store.memory_projects(&self.workspace).await?;
        let mut scene = Self::scene_of(&name, &known);
        let is_known = scene.names.iter().flatten().any(|name| known.contains(name));
        if named.is_some() && !is_known {
            let near = near(&name, &known);
            let near = near.map_or_else(String::new, |near| format!(" Did you mean {near}?"));
            scene.hint = format!(" No project is called {name}.{near}");
        } else if known.iter().any(|known| !alike(known, &name)) {
            scene.hint = format!(" project=\"{ALL_PROJECTS}\" reads all projects.");
        }
        scene.head = self.head(named.as_deref());
        Ok(scene)
    }

    /// What a read around one note looks at: the note's own project.
    pub(crate) async fn looks_around(&self, note: &Observation) -> Result<Scene, MemoryError> {
        if matches!(self.own, OwnProject::ReadsAll(_)) {
            return Ok(Scene::default());
        }
        let known = self.store.memory_projects(&self.workspace).await?;
        Ok(Self::scene_of(&note.project, &known))
    }

    fn scene_of(name: &str, known: &[String]) -> Scene {
        let spellings = known.iter().filter(|known| alike(known, name)).cloned();
        let mut names: Vec<String> = spellings.collect();
        if names.is_empty() {
            names.push(name.to_owned());
        }
        Scene { names: Some(names), ..Scene::default() }
    }

    /// The first line of an answer to a call that named no project, where nobody knows which
    /// is meant.
    pub(crate) fn head(&self, named: Option<&str>) -> String {
        let named = named.is_some_and(|named| !named.trim().is_empty());
        if named || self.own != OwnProject::Unknown {
            return String::new();
        }
        format!("Project {UNKNOWN_PROJECT}: where this client works is not known.")
    }
}

/// Whether two names are one but for case.
pub(crate) fn alike(a: &str, b: &str) -> bool {
    a == b || a.to_lowercase() == b.to_lowercase()
}

/// The known name that was most likely meant.
fn near<'n>(name: &str, known: &'n [String]) -> Option<&'n str> {
    let letters = |text: &str| -> String {
        text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect()
    };
    let wanted = letters(name);
    let length = wanted.chars().count();
    let allowed = 1 + length / 5;
    let distance = |known: &String| {
        let known = letters(known);
        let begins = known.starts_with(&wanted) || wanted.starts_with(&known);
        match begins && length.min(known.chars().count()) >= 3 {
            true => 1,
            false => strsim::osa_distance(&wanted, &known),
        }
    };
    let nearest = known.iter().map(|known| (distance(known), known)).min()?;
    (nearest.0 <= allowed && nearest.0 < length).then_some(nearest.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mem_11_a_near_miss_is_suggested() {
        let known = ["beta", "tide-tables", "plimsoll", "x"].map(str::to_owned);
        for (name, meant) in [
            ("Btea", Some("beta")),
            ("bet", Some("beta")),
            ("tide_tables", Some("tide-tables")),
            ("TideTable", Some("tide-tables")),
            ("plimsol", Some("plimsoll")),
            ("plim", Some("plimsoll")),
            ("gamma", None),
            ("y", None),
            ("", None),
        ] {
            assert_eq!(near(name, &known), meant, "{name}");
        }
    }

    #[test]
    fn names_are_one_but_for_case() {
        assert!(alike("Beta", "bETA") && alike("Ängström", "äNGSTRÖM"));
        assert!(!alike("beta", "beta2"));
    }
}
