//! What can go wrong with a notebook. Every message says what to do next.

use thiserror::Error;

use crate::Stage;

/// Why a tool did not do what it was asked. Nothing was changed.
#[derive(Debug, Error)]
pub enum SpecsError {
    /// No `sdd/sdd.json` below the root.
    #[error("there is no spec notebook in this project yet; call sdd_init_project first")]
    NoNotebook,
    /// The project has one already.
    #[error("the project \"{name}\" already has a notebook, at stage {stage}; call {}", stage.tool())]
    AlreadyThere {
        /// The project's name.
        name: String,
        /// Where it stands.
        stage: Stage,
    },
    /// The tool belongs to another stage (SDD-2).
    #[error("{} belongs to stage {asked}, but the project is at stage {now}; call {}", asked.tool(), now.tool())]
    WrongStage {
        /// The stage of the tool that was called.
        asked: Stage,
        /// The stage of the project.
        now: Stage,
    },
    /// Every stage is done.
    #[error("{} is not open: every stage is done; start a change with sdd_change", .0.tool())]
    Finished(Stage),
    /// Required fields are empty.
    #[error("required but empty: {}; nothing was saved", .0.join(", "))]
    Missing(Vec<&'static str>),
    /// A text is longer than a notebook takes.
    #[error("{field} has {bytes} bytes; at most {limit} are taken, so shorten or split it")]
    TooLong {
        /// Which argument.
        field: &'static str,
        /// Its size.
        bytes: usize,
        /// What is taken.
        limit: usize,
    },
    /// A file that grows has no room for more.
    #[error(
        "{file} would have {bytes} bytes; at most {limit} are kept, so shorten what is in it and call again"
    )]
    Full {
        /// Its path below the root.
        file: String,
        /// How long it would be.
        bytes: usize,
        /// How long it may be.
        limit: u64,
    },
    /// A word that is none of the choices.
    #[error("{field} cannot be \"{given}\"; choose one of: {choices}")]
    NotAChoice {
        /// Which argument.
        field: &'static str,
        given: String,
        /// What may be given.
        choices: String,
    },
    /// Scores that cannot be read.
    #[error("dimension_scores: {0}")]
    Scores(String),
    /// A change is under way; there is one at a time (SDD-3).
    #[error("the change {id} is still at stage {stage}; finish it with sdd_change_advance first")]
    ChangeActive {
        /// Its name.
        id: String,
        stage: String,
    },
    /// There is no change to advance.
    #[error("there is no active change; start one with sdd_change")]
    NoActiveChange,
    /// Only the active change can be dropped (MEM-12).
    #[error("{id} is not the active change; only {active} can be dropped")]
    NotActive {
        /// The one that was named.
        id: String,
        /// The one that is under way.
        active: String,
    },
    /// No change has this name.
    #[error("there is no change \"{0}\"; sdd_change_status without change_id lists them")]
    NoSuchChange(String),
    /// A file of the notebook is not what it should be. It is never overwritten.
    #[error("{file} cannot be used: {problem}; it was left as it is, so mend it or move it away")]
    Broken {
        /// Its path below the root.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A link in the way of the notebook; it may lead out of the project.
    #[error("{0} is a link or no ordinary file, and the notebook does not follow those")]
    Outside(String),
    /// Another process is writing.
    #[error("another process is writing to this notebook; try again in a moment")]
    Busy,
    /// The disk failed.
    #[error("{file}: {problem}")]
    Io {
        /// Its path below the root.
        file: String,
        /// What the system says.
        problem: std::io::Error,
    },
}
