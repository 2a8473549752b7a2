//! The imports that this server carries out (HIS-8): how far each has come, and how to stop it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use plimsoll_app::{AppError, Cancel, ImportProgress, Imported};
use plimsoll_domain::Timestamp;
use plimsoll_store::Workspace;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::{Web, problem::Problem};

/// So many imports that are over can still be asked about.
const KEPT: usize = 32;

/// Where an import is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ImportStage {
    /// The file is on its way here.
    Receiving,
    /// It is looked through; nothing was written yet.
    Checking,
    /// It is taken in.
    Writing,
    Done,
    /// It was stopped. What was taken in is whole, and the same file again goes on from there.
    Cancelled,
    /// `problem` says why.
    Failed,
}

impl ImportStage {
    fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Cancelled | Self::Failed)
    }
}

/// How far an import has come, or how it ended.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImportDto {
    /// Grows from one to the next, also over a restart of the server.
    pub(crate) id: i64,
    pub(crate) stage: ImportStage,
    /// Bytes of the stage that are done.
    done: u64,
    /// Of so many; 0 while that is not known.
    total: u64,
    /// What came in, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// What to know about it: that nothing of it is sent yet, and what stayed behind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Problem>,
    /// Whether the same file with `skipBad=true` would take the rest of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    skip_helps: bool,
}

impl ImportDto {
    /// Whole per cent of the stage: what people see, and so what is worth an event.
    fn shown(&self) -> (ImportStage, u64) {
        (self.stage, self.done.saturating_mul(100).checked_div(self.total).unwrap_or(0))
    }
}

/// At most one import a workspace; the last one is remembered until the next.
#[derive(Default)]
pub(crate) struct Imports(Mutex<List>);

#[derive(Default)]
struct List {
    begun: i64,
    imports: HashMap<Workspace, (ImportDto, Cancel)>,
}

/// An import that goes on. It is over at the latest when this goes away, also by a panic or with
/// the connection that brought the file.
pub(crate) struct ActiveImport {
    web: Arc<Web>,
    workspace: Workspace,
    id: i64,
    pub(crate) cancel: Cancel,
}

impl Imports {
    fn list(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The import that goes on in a workspace, or the last one.
    pub(crate) fn current(&self, workspace: &Workspace) -> Option<ImportDto> {
        self.list().imports.get(workspace).map(|(import, _)| import.clone())
    }

    /// Stops the import of a workspace; says whether there was one.
    pub(crate) fn cancel(&self, workspace: &Workspace) -> bool {
        let list = self.list();
        let active = list.imports.get(workspace).filter(|(import, _)| !import.stage.is_over());
        active.map(|(_, cancel)| cancel.cancel()).is_some()
    }

    /// Stops all imports.
    pub(crate) fn cancel_all(&self) {
        self.list().imports.values().for_each(|(_, cancel)| cancel.cancel());
    }

    /// Returns when nothing is being imported.
    pub(crate) async fn ended(&self) {
        while self.list().imports.values().any(|(import, _)| !import.stage.is_over()) {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }

    /// Begins one, unless one goes on.
    fn begin(&self, workspace: &Workspace, total: u64, now: Timestamp) -> Option<(i64, Cancel)> {
        let mut list = self.list();
        let active = |(import, _): &(ImportDto, Cancel)| !import.stage.is_over();
        if list.imports.get(workspace).is_some_and(active) {
            return None;
        }
        if list.imports.len() >= KEPT {
            list.imports.retain(|_, import| active(import));
        }
        list.begun = now.millis().max(list.begun + 1);
        let import = ImportDto {
            id: list.begun,
            stage: ImportStage::Receiving,
            done: 0,
            total,
            summary: None,
            notes: Vec::new(),
            problem: None,
            skip_helps: false,
        };
        let (id, cancel) = (import.id, Cancel::default());
        list.imports.insert(workspace.clone(), (import, cancel.clone()));
        Some((id, cancel))
    }

    /// Changes what is known of one that is not over; gives it where people see a difference.
    /// Another one may have begun as soon as its end was told, and is left alone.
    fn change(
        &self,
        workspace: &Workspace,
        id: i64,
        change: impl FnOnce(&mut ImportDto),
    ) -> Option<ImportDto> {
        let mut list = self.list();
        let (import, _) = list.imports.get_mut(workspace)?;
        if import.id != id || import.stage.is_over() {
            return None;
        }
        let before = import.shown();
        change(import);
        (import.shown() != before).then(|| import.clone())
    }
}

impl ActiveImport {
    /// Begins an import of a file of so many bytes, 0 where nobody said. None if one goes on.
    pub(crate) fn begin(web: &Arc<Web>, workspace: &Workspace, total: u64) -> Option<Self> {
        let (id, cancel) = web.imports.begin(workspace, total, web.app.clock().now())?;
        Some(Self { web: Arc::clone(web), workspace: workspace.clone(), id, cancel })
    }

    fn change(&self, change: impl FnOnce(&mut ImportDto)) {
        if let Some(import) = self.web.imports.change(&self.workspace, self.id, change) {
            self.web.event_log.tell(&self.workspace, "import", &json!(import));
        }
    }

    /// So many bytes of the file are here.
    pub(crate) fn received(&self, bytes: u64) {
        self.change(|import| import.done = bytes);
    }

    pub(crate) fn progress(&self, progress: ImportProgress) {
        let (stage, done, total) = match progress {
            ImportProgress::Checking(done, total) => (ImportStage::Checking, done, total),
            ImportProgress::Writing(done, total) => (ImportStage::Writing, done, total),
        };
        self.change(|import| (import.stage, import.done, import.total) = (stage, done, total));
    }

    /// It ended, so or so.
    pub(crate) fn end(self, ended: Result<Imported, AppError>) {
        match ended {
            Ok(imported) => self.change(|import| {
                import.stage = match imported.cancelled {
                    true => ImportStage::Cancelled,
                    false => ImportStage::Done,
                };
                import.summary = Some(imported.summary());
                import.notes = imported.notes();
            }),
            Err(error) => {
                let skip_helps = error.is_mended_by_skipping();
                self.fail(Problem::from(error), skip_helps);
            }
        }
    }

    pub(crate) fn fail(&self, problem: Problem, skip_helps: bool) {
        self.change(|import| {
            import.stage = ImportStage::Failed;
            import.problem = Some(problem);
            import.skip_helps = skip_helps;
        });
    }
}

impl Drop for ActiveImport {
    fn drop(&mut self) {
        // Nothing is left to do where its end was told.
        self.fail(Problem::from(AppError::Ended), false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(7);

    #[test]
    fn his_8_one_import_at_a_time_in_a_workspace() {
        let imports = Imports::default();
        let (here, there) = (Workspace::default(), Workspace::parse("other/main").unwrap());
        assert!(imports.current(&here).is_none() && !imports.cancel(&here));
        let (id, cancel) = imports.begin(&here, 100, NOW).unwrap();
        assert!(
            imports.begin(&here, 100, NOW).is_none() && imports.begin(&there, 100, NOW).is_some()
        );
        assert!(imports.cancel(&here) && cancel.is_cancelled());
        let ended = imports.change(&here, id, |import| import.stage = ImportStage::Cancelled);
        assert_eq!(ended.unwrap().stage, ImportStage::Cancelled);
        assert!(!imports.cancel(&here), "there is nothing to stop any more");
        let first = imports.current(&here).unwrap().id;
        assert!(imports.begin(&here, 100, NOW).is_some());
        assert!(imports.current(&here).unwrap().id > first);
        // What is left of the first one changes nothing of the second.
        let late = imports.change(&here, first, |import| import.stage = ImportStage::Failed);
        assert!(late.is_none());
        assert_eq!(imports.current(&here).unwrap().stage, ImportStage::Receiving);
    }

    #[test]
    fn his_8_progress_is_told_by_whole_per_cent_and_never_after_the_end() {
        let (imports, here) = (Imports::default(), Workspace::default());
        let (id, _) = imports.begin(&here, 1000, NOW).unwrap();
        let mut told = Vec::new();
        for done in 0..=1000 {
            told.extend(imports.change(&here, id, |import| import.done = done));
        }
        assert_eq!(told.len(), 100);
        imports.change(&here, id, |import| import.stage = ImportStage::Done).unwrap();
        assert!(imports.change(&here, id, |import| import.stage = ImportStage::Failed).is_none());
        assert_eq!(imports.current(&here).unwrap().stage, ImportStage::Done);
    }

    #[test]
    fn rel_7_imports_that_are_over_are_forgotten() {
        let imports = Imports::default();
        for n in 0..4 * KEPT {
            let workspace = Workspace::parse(&format!("project/w{n}")).unwrap();
            let (id, _) = imports.begin(&workspace, 0, NOW).unwrap();
            imports.change(&workspace, id, |import| import.stage = ImportStage::Done).unwrap();
        }
        assert!(imports.list().imports.len() <= KEPT);
    }
}
