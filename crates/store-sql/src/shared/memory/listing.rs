//! Conditions of a filter, as SQL. Only those that are asked for stand in a statement, so
//! that the database can use the index that fits.

use plimsoll_store::{MemoryFilter, Workspace};

use crate::db::Value;

/// A growing `WHERE`, with its values in the order of their placeholders.
pub(crate) struct Conditions<'v> {
    pub(crate) sql: String,
    pub(crate) values: Vec<Value<'v>>,
}

impl<'v> Conditions<'v> {
    /// The workspace, which is always asked for. `prefix` names the table, as in `o.`.
    pub(crate) fn of(prefix: &str, workspace: &'v Workspace) -> Self {
        let mut conditions = Self { sql: String::new(), values: Vec::new() };
        conditions.and(&format!("{prefix}workspace = "), workspace);
        conditions
    }

    /// Asks for one thing more; `text` ends where its value goes.
    pub(crate) fn and(&mut self, text: &str, value: impl Into<Value<'v>>) {
        self.values.push(value.into());
        let and = if self.sql.is_empty() { "" } else { " AND " };
        self.sql.push_str(&format!("{and}{text}${}", self.values.len()));
    }

    /// Where a further value goes.
    pub(crate) fn value(&mut self, value: impl Into<Value<'v>>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }

    /// What the filter asks of observations.
    pub(crate) fn observations(&mut self, prefix: &str, filter: &'v MemoryFilter) {
        self.sql.push_str(&format!(" AND {prefix}deleted_at IS NULL"));
        if let Some(project) = &filter.project {
            self.and(&format!("{prefix}project = "), project);
        }
        if let Some(kind) = &filter.kind {
            self.and(&format!("{prefix}kind = "), kind);
        }
        if let Some(scope) = filter.scope {
            self.and(&format!("{prefix}scope = "), scope.name());
        }
        if let Some(namespace) = &filter.namespace {
            self.and(&format!("{prefix}namespace = "), namespace);
        }
        if let Some(since) = filter.since {
            self.and(&format!("{prefix}updated_at >= "), since);
        }
        if let Some(before) = filter.before {
            self.and(&format!("{prefix}updated_at < "), before);
        }
    }

    /// What the filter asks of prompts.
    pub(crate) fn prompts(&mut self, prefix: &str, filter: &'v MemoryFilter) {
        if let Some(project) = &filter.project {
            self.and(&format!("{prefix}project = "), project);
        }
        if let Some(namespace) = &filter.namespace {
            self.and(&format!("{prefix}namespace = "), namespace);
        }
        if let Some(since) = filter.since {
            self.and(&format!("{prefix}created_at >= "), since);
        }
        if let Some(before) = filter.before {
            self.and(&format!("{prefix}created_at < "), before);
        }
    }
}
