//! What PostgreSQL does for search: a GIN index over `tsvector`s says which texts hold words.

use std::fmt::Write;

use async_trait::async_trait;
use md5::{Digest, Md5};
use plimsoll_store::{
    MemoryHits, MemoryQuery, Search, SearchHit, StoreResult, Workspace,
    engine::{Db, first, list},
    sql::search::{Area, Finder},
    values,
};

use super::PostgresStore;
use crate::search;

/// Words of more bytes stand by as many characters of their digest, as in `search_words` of the
/// schema.
const LONGEST_WORD: usize = 16;

#[derive(Clone, Copy)]
struct Gin;

#[async_trait]
impl Search for PostgresStore {
    async fn search(
        &self,
        workspace: &Workspace,
        query: &str,
        limit: usize,
    ) -> StoreResult<Vec<SearchHit>> {
        search::pairs(self, Gin, workspace, query, limit).await
    }

    async fn search_memory(
        &self,
        workspace: &Workspace,
        query: &MemoryQuery,
    ) -> StoreResult<MemoryHits> {
        search::memory(self, Gin, workspace, query).await
    }
}

impl Finder for Gin {
    fn find(
        &self,
        db: &mut dyn Db,
        area: Area,
        groups: &[Vec<&str>],
        limit: usize,
    ) -> StoreResult<Vec<u64>> {
        let sql = format!(
            "SELECT doc FROM {} WHERE words @@ CAST($1 AS tsquery) ORDER BY doc DESC LIMIT $2",
            area.texts()
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
        let sql = format!(
            "SELECT COUNT(*) FROM (SELECT doc FROM {} WHERE words @@ CAST($1 AS tsquery) LIMIT $2)
                AS found",
            area.texts()
        );
        let up_to = u64::try_from(up_to).unwrap_or(u64::MAX);
        let count = first(db, &sql, values![&expression(groups), up_to], |row| row.count(0))?;
        Ok(usize::try_from(count.unwrap_or(0)).unwrap_or(usize::MAX))
    }
}

/// A query as PostgreSQL reads it. Every word is quoted, so that nothing is an operator.
fn expression(groups: &[Vec<&str>]) -> String {
    let group = |group: &Vec<&str>| {
        let words: Vec<String> = group.iter().map(|word| lexeme(word)).collect();
        format!("({})", words.join(" | "))
    };
    groups.iter().map(group).collect::<Vec<_>>().join(" & ")
}

fn lexeme(word: &str) -> String {
    if word.len() > LONGEST_WORD {
        let mut digest = String::new();
        for byte in Md5::digest(word.as_bytes()).iter().take(LONGEST_WORD / 2) {
            // Writing to a text does not fail.
            let _ = write!(digest, "{byte:02x}");
        }
        return format!("'{digest}'");
    }
    format!("'{}'", word.replace('\\', "\\\\").replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tea_3_every_word_is_quoted_and_long_ones_are_digests() {
        let groups = [vec!["ship", "or"], vec!["o'clock\\"]];
        assert_eq!(expression(&groups), "('ship' | 'or') & ('o''clock\\\\')");
        assert_eq!(lexeme("internationalization"), "'2c55a1626e31b4e3'");
    }
}
