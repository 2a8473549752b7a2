//! What SQLite does for search: FTS5 says which texts hold words. Every word is quoted, so that
//! nothing is an operator.

use async_trait::async_trait;
use plimsoll_store::{
    MemoryHits, MemoryQuery, Search, SearchHit, StoreResult, Workspace,
    engine::{Db, first, list},
    sql::search::{Area, Finder},
    values,
};

use super::SqlStore;
use crate::search;

/// The indexes of FTS5.
#[derive(Clone, Copy)]
pub(super) struct Fts5;

#[async_trait]
impl Search for SqlStore {
    async fn search(
        &self,
        workspace: &Workspace,
        query: &str,
        limit: usize,
    ) -> StoreResult<Vec<SearchHit>> {
        search::pairs(self, Fts5, workspace, query, limit).await
    }

    async fn search_memory(
        &self,
        workspace: &Workspace,
        query: &MemoryQuery,
    ) -> StoreResult<MemoryHits> {
        search::memory(self, Fts5, workspace, query).await
    }
}

impl Finder for Fts5 {
    fn find(
        &self,
        db: &mut dyn Db,
        area: Area,
        groups: &[Vec<&str>],
        limit: usize,
    ) -> StoreResult<Vec<u64>> {
        let index = index(area);
        let sql = format!(
            "SELECT rowid FROM {index} WHERE {index} MATCH $1 ORDER BY rowid DESC LIMIT $2"
        );
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        list(db, &sql, values![&expression(groups), limit], |row| row.count(0))
    }

    fn count(
        &self,
        db: &mut dyn Db,
        area: Area,
        groups: &[Vec<&str>],
        up_to: usize,
    ) -> StoreResult<usize> {
        let index = index(area);
        let sql = format!(
            "SELECT COUNT(*) FROM (SELECT rowid FROM {index} WHERE {index} MATCH $1 LIMIT $2)"
        );
        let up_to = u64::try_from(up_to).unwrap_or(u64::MAX);
        let count = first(db, &sql, values![&expression(groups), up_to], |row| row.count(0))?;
        Ok(usize::try_from(count.unwrap_or(0)).unwrap_or(usize::MAX))
    }
}

fn index(area: Area) -> &'static str {
    match area {
        Area::Memory => "memory_search_index",
        Area::History => "history_search_index",
    }
}

fn expression(groups: &[Vec<&str>]) -> String {
    let mut expression = String::new();
    for group in groups {
        if !expression.is_empty() {
            expression.push_str(" AND ");
        }
        expression.push('(');
        for (place, word) in group.iter().enumerate() {
            if place > 0 {
                expression.push_str(" OR ");
            }
            expression.push('"');
            // A second token in quotes would be a phrase, which this index does not know.
            expression.extend(word.chars().filter(|c| c.is_ascii_alphanumeric() || !c.is_ascii()));
            expression.push('"');
        }
        expression.push(')');
    }
    expression
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_quoted() {
        let groups = [vec!["ship", "or"], vec!["\"x\""]];
        assert_eq!(expression(&groups), "(\"ship\" OR \"or\") AND (\"x\")");
    }
}
