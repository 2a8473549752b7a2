//! Conditions of a filter, as SQL. Only those that are asked for stand in a statement, so
//! that the database can use the index that fits.

use crate::{MemoryFilter, Projects, Scope, Workspace, engine::Value};

/// A growing `WHERE`, with its values in the order of their placeholders.
pub struct Conditions<'v> {
    pub sql: String,
    pub values: Vec<Value<'v>>,
}

impl<'v> Conditions<'v> {
    /// The workspace, which is always asked for. `prefix` names the table, as in `o.`.
    pub fn of(prefix: &str, workspace: &'v Workspace) -> Self {
        let mut conditions = Self { sql: String::new(), values: Vec::new() };
        conditions.and(&format!("{prefix}workspace = "), workspace);
        conditions
    }

    /// Asks for one thing more; `text` ends where its value goes.
    pub fn and(&mut self, text: &str, value: impl Into<Value<'v>>) {
        self.values.push(value.into());
        let and = if self.sql.is_empty() { "" } else { " AND " };
        self.sql.push_str(&format!("{and}{text}${}", self.values.len()));
    }

    /// Where a further value goes.
    pub fn value(&mut self, value: impl Into<Value<'v>>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }

    /// Which projects, of what has no scope.
    pub fn projects(&mut self, prefix: &str, projects: &'v Projects) {
        match projects {
            Projects::All => {}
            Projects::Only(names) => {
                let listed = self.listed(names.iter().map(String::as_str));
                self.sql.push_str(&format!(" AND {prefix}project IN ({listed})"));
            }
            Projects::Seen(names) => {
                let listed = self.listed(names.iter().map(String::as_str).chain([""]));
                self.sql.push_str(&format!(" AND {prefix}project IN ({listed})"));
            }
        }
    }

    /// Which projects, of notes: personal ones are seen from all of them.
    pub fn noted_projects(&mut self, prefix: &str, projects: &'v Projects) {
        let Projects::Seen(names) = projects else { return self.projects(prefix, projects) };
        let listed = self.listed(names.iter().map(String::as_str).chain([""]));
        let personal = self.value(Scope::Personal.name());
        self.sql.push_str(&format!(
            " AND ({prefix}project IN ({listed}) OR {prefix}scope = {personal})"
        ));
    }

    fn listed(&mut self, names: impl Iterator<Item = &'v str>) -> String {
        let places: Vec<String> = names.map(|name| self.value(name)).collect();
        // An empty list is no SQL everywhere; nothing is called like this.
        if places.is_empty() { "NULL".to_owned() } else { places.join(", ") }
    }

    /// What the filter asks of observations.
    pub fn observations(&mut self, prefix: &str, filter: &'v MemoryFilter) {
        self.sql.push_str(&format!(" AND {prefix}deleted_at IS NULL"));
        self.noted_projects(prefix, &filter.projects);
        if let Some(kind) = &filter.kind {
            self.and(&format!("{prefix}kind = "), kind);
        }
        if let Some(kind) = &filter.without_kind {
            self.and(&format!("{prefix}kind <> "), kind);
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
        if filter.anchored {
            self.sql.push_str(&format!(" AND {prefix}anchors IS NOT NULL"));
        }
        // Few notes are superseded or expired, and both lists have an index of their own: the
        // columns of all the others need not be read to count them.
        for (now, not) in [(filter.current_at, "NOT "), (filter.outdated_at, "")] {
            let Some(now) = now else { continue };
            let now = self.value(now);
            self.sql.push_str(&format!(
                " AND {prefix}id {not}IN (SELECT r.to_id FROM memory_relations r
                    JOIN memory_observations newer ON newer.id = r.from_id
                    WHERE r.kind = 'supersedes' AND newer.deleted_at IS NULL
                UNION ALL SELECT gone.id FROM memory_observations gone
                    WHERE gone.expires_at IS NOT NULL AND gone.expires_at <= {now})"
            ));
        }
    }

    /// What the filter asks of prompts.
    pub fn prompts(&mut self, prefix: &str, filter: &'v MemoryFilter) {
        self.projects(prefix, &filter.projects);
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
