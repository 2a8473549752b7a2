//! Which tables are moved, in an order in which each refers only to those before it.

/// A table, and the columns that order its rows.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) key: &'static [&'static str],
    /// A column that refers to rows of the same table, which may come later.
    pub(super) own: Option<&'static str>,
}

/// The mark of a store into which a move has not ended, among the single values.
pub const UNFINISHED: &str = "unfinished-move";

const fn table(name: &'static str, key: &'static [&'static str]) -> Table {
    Table { name, key, own: None }
}

/// All but what is made of the rest (words of search), numbers, and the list of steps of the schema.
pub(super) const TABLES: &[Table] = &[
    table("workspaces", &["scope"]),
    Table { name: "topics", key: &["id"], own: Some("parent_id") },
    table("pairs", &["id"]),
    table("pair_texts", &["pair_id"]),
    table("previous_answers", &["pair_id"]),
    table("revisions", &["pair_id", "revision"]),
    table("summary_pairs", &["summary_id", "place"]),
    table("sends", &["pair_id"]),
    table("estimates", &["pair_id", "stamp"]),
    table("receipt_parts", &["id"]),
    table("receipts", &["id"]),
    table("receipt_bodies", &["receipt_id"]),
    table("request_parts", &["id"]),
    table("snapshots", &["pair_id"]),
    table("quoted_pairs", &["number"]),
    table("snapshot_runs", &["pair_id", "place"]),
    table("files", &["id"]),
    table("provider_files", &["file_id", "provider"]),
    table("pair_attachments", &["pair_id", "place"]),
    table("tool_calls", &["pair_id", "side", "place"]),
    table("drafts", &["workspace", "conversation"]),
    table("draft_attachments", &["workspace", "conversation", "place"]),
    table("saved_filters", &["workspace", "name"]),
    table("snippets", &["workspace", "name"]),
    table("queries", &["workspace", "place"]),
    table("single_values", &["name"]),
    table("usage_reports", &["base_url", "model", "place"]),
    table("largest_prompts", &["base_url", "model"]),
    table("learned_limits", &["base_url", "model"]),
    table("usage_log", &[]),
    table("gateway_calls", &["id"]),
    table("gateway_keys", &["name"]),
    table("gateway_use", &["client", "day"]),
    table("memory_sessions", &["workspace", "id"]),
    table("memory_observations", &["id"]),
    table("memory_revisions", &["observation_id", "revision"]),
    table("memory_prompts", &["id"]),
    table("memory_relations", &["id"]),
    table("memory_progress", &["workspace", "project", "namespace"]),
    table("memory_pending", &["id"]),
    table("memory_uids", &["observation_id"]),
    table("memory_synced", &["workspace", "folder", "uid"]),
    table("memory_vectors", &["observation_id"]),
    table("change_counters", &["workspace"]),
    table("changes", &["workspace", "number"]),
    table("people", &["name"]),
    table("projects", &["name"]),
    table("project_roles", &["project", "person"]),
    table("person_tokens", &["hash"]),
    table("sign_ins", &["hash"]),
    table("openid_names", &["name"]),
    table("openid_attempts", &["state"]),
    table("audit_entries", &["id"]),
    table("sealed_keys", &["id"]),
    table("person_use", &["person", "project", "day"]),
    table("deletions", &["id"]),
    table("deleted_rows", &["deletion_id", "place"]),
];

/// What is not moved, because it is made anew or by other ways.
#[cfg(test)]
const MADE_ANEW: &[&str] = &[
    "history_search_texts",
    "memory_ids",
    "memory_search_texts",
    "schema_migrations",
    "search_changes",
    "search_docs",
    "search_places",
    "search_vocabulary",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::migrations::SQLITE;

    #[test]
    fn tea_4_no_table_is_forgotten() {
        let database = rusqlite::Connection::open_in_memory().unwrap();
        for step in SQLITE.iter() {
            database.execute_batch(step.sql).unwrap();
        }
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table'
            AND name NOT LIKE '%search_index%' AND name NOT LIKE 'sqlite_%'";
        let mut asked = database.prepare(sql).unwrap();
        let there = asked.query_map([], |row| row.get::<_, String>(0)).unwrap();
        let there: BTreeSet<String> = there.map(Result::unwrap).collect();
        let mut known: BTreeSet<String> = TABLES.iter().map(|one| one.name.to_owned()).collect();
        let anew = MADE_ANEW.iter().filter(|name| **name != "schema_migrations");
        known.extend(anew.map(|name| (*name).to_owned()));
        assert_eq!(there, known);
    }
}
