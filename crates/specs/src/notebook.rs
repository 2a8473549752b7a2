//! The notebook of one project, and the tools of its stages (SDD-2).

use std::path::Path;

use plimsoll_domain::Timestamp;
use plimsoll_tokens::cut_at_line;

use crate::{
    BusinessRules, Design, InitProject, Proposal, Requirements, SpecsError, Stage, Tasks,
    Validation, Verdict,
    document::{check, one_line, render, required},
    files::Files,
    find_root, slug,
    stage_args::StageDocument,
    state::State,
};

/// How much of a document is handed back to be remembered; a memory takes 64 KB.
const LONGEST_MEMORY: usize = 60_000;

/// The longest name of a project that a memory takes, in bytes.
const LONGEST_NAME: usize = 200;

/// The notebook of a project. It holds no state: every call looks at the files.
#[derive(Clone, Debug)]
pub struct Notebook {
    pub(crate) files: Files,
}

/// What a tool did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// What to tell the model: what was saved, and what to call next.
    pub text: String,
    /// What the caller should remember (SDD-5).
    pub remember: Option<Remember>,
}

/// An observation to be kept by whoever keeps memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remember {
    /// Its type: architecture, decision or explore.
    pub kind: &'static str,
    pub title: String,
    /// Its text.
    pub content: String,
    /// The same key replaces what was remembered before.
    pub topic_key: String,
    /// The free name of the project.
    pub project: String,
}

impl Notebook {
    /// The notebook of the project that a directory belongs to; none if it belongs to none,
    /// like the home directory.
    pub fn of(directory: &Path, home: Option<&Path>) -> std::io::Result<Option<Self>> {
        let root = find_root(directory, home)?;
        Ok(root.map(|root| Self { files: Files::below(root) }))
    }

    /// The project's root.
    pub fn root(&self) -> &Path {
        self.files.root()
    }

    /// The name of the root's folder: what the project is called unless someone says
    /// otherwise.
    pub fn folder(&self) -> String {
        let name = self.root().file_name().map(|name| name.to_string_lossy().into_owned());
        let mut name = name.unwrap_or_else(|| "project".to_owned());
        // Where folders have longer names than a memory takes, the start will do.
        name.truncate(name.floor_char_boundary(LONGEST_NAME));
        name
    }

    /// `sdd_init_project`.
    pub fn init_project(&self, args: &InitProject, now: Timestamp) -> Result<Done, SpecsError> {
        let name = required("name", "Name", &args.name);
        let description = required("description", "Description", &args.description);
        check(&[name, description])?;
        let _held = self.files.hold()?;
        if let Some(there) = State::find(&self.files)? {
            return Err(SpecsError::AlreadyThere {
                name: one_line(&there.name),
                stage: there.stage,
            });
        }
        let description = args.description.trim().to_owned();
        let state = State::begin(one_line(&args.name), description, args.mode, now);
        state.save(&self.files, now)?;
        let content = format!("{}\n\nMode: {}", state.description, state.mode.name());
        let title = format!("Spec notebook of {}", state.name);
        Ok(Done {
            text: format!(
                "Started the notebook of \"{}\" ({} mode) in sdd/.\n{}",
                state.name,
                state.mode.name(),
                next_words(&state),
            ),
            remember: Some(self.remembered(&state, Stage::Init, title, &content)),
        })
    }

    /// `sdd_create_proposal`.
    pub fn create_proposal(&self, args: &Proposal, now: Timestamp) -> Result<Done, SpecsError> {
        self.finish_stage(args, now)
    }

    /// `sdd_generate_requirements`.
    pub fn generate_requirements(
        &self,
        args: &Requirements,
        now: Timestamp,
    ) -> Result<Done, SpecsError> {
        self.finish_stage(args, now)
    }

    /// `sdd_create_business_rules`.
    pub fn create_business_rules(
        &self,
        args: &BusinessRules,
        now: Timestamp,
    ) -> Result<Done, SpecsError> {
        self.finish_stage(args, now)
    }

    /// `sdd_create_design`.
    pub fn create_design(&self, args: &Design, now: Timestamp) -> Result<Done, SpecsError> {
        self.finish_stage(args, now)
    }

    /// `sdd_create_tasks`.
    pub fn create_tasks(&self, args: &Tasks, now: Timestamp) -> Result<Done, SpecsError> {
        self.finish_stage(args, now)
    }

    /// `sdd_validate`. A failed validation is kept, and the stage stays open.
    pub fn validate(&self, args: &Validation, now: Timestamp) -> Result<Done, SpecsError> {
        if args.verdict != Verdict::Fail {
            return self.finish_stage(args, now);
        }
        let fields = args.fields();
        check(&fields)?;
        let _held = self.files.hold_existing()?;
        let state = State::at(&self.files, Stage::Validate)?;
        let text = render(&format!("Validation: {}", state.name), &fields);
        self.files.write(Stage::Validate.file(), &text)?;
        Ok(Done {
            text: "Saved sdd/validation.md. The verdict is FAIL, so the stage stays open: mend \
                   the files in sdd/ and call sdd_validate again."
                .to_owned(),
            remember: None,
        })
    }

    /// Checks, renders, saves and advances.
    fn finish_stage<D: StageDocument>(&self, args: &D, now: Timestamp) -> Result<Done, SpecsError> {
        let fields = args.fields();
        let _held = self.files.hold_existing()?;
        // The stage is looked at first: a model that is at the wrong one should not be
        // asked for fields that it does not need.
        let state = State::at(&self.files, D::STAGE)?;
        check(&fields)?;
        let title = format!("{}: {}", D::TITLE, one_line(&state.name));
        self.complete(state, &title, &render(&title, &fields), now)
    }

    /// The document first, the state after it: if all ends in between, the stage is
    /// simply done again.
    pub(crate) fn complete(
        &self,
        mut state: State,
        title: &str,
        text: &str,
        now: Timestamp,
    ) -> Result<Done, SpecsError> {
        let stage = state.stage;
        self.files.write(stage.file(), text)?;
        state.advance(now);
        state.save(&self.files, now)?;
        let said = format!("Saved sdd/{}. Stage {stage} is done.\n", stage.file());
        let remember = self.remembered(&state, stage, title.to_owned(), text);
        Ok(Done { text: said + &next_words(&state), remember: Some(remember) })
    }

    fn remembered(&self, state: &State, stage: Stage, title: String, text: &str) -> Remember {
        Remember {
            kind: "architecture",
            title,
            content: memory_text(text, &format!("sdd/{}", stage.file())),
            topic_key: format!("sdd/{}/{stage}", slug(&state.name)),
            project: self.folder(),
        }
    }
}

/// A text as it is remembered: the start of a long one, with where to find the rest.
pub(crate) fn memory_text(text: &str, file: &str) -> String {
    match cut_at_line(text, LONGEST_MEMORY) {
        whole if whole.len() == text.len() => text.trim_end().to_owned(),
        head => format!("{}\n[… cut, full text: {file}]", head.trim_end()),
    }
}

/// What to call after this.
pub(crate) fn next_words(state: &State) -> String {
    if state.is_finished() {
        return "Every stage is done. Next: sdd_change for each piece of work.".to_owned();
    }
    format!("Next stage: {}. Call {}.", state.stage, state.stage.tool())
}

#[cfg(test)]
#[path = "notebook_tests.rs"]
mod tests;
