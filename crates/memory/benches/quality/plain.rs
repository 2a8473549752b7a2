//! What a plain index of FTS5 finds: any of the words, English endings, its own rank.

use rusqlite::Connection;

use crate::{Outcome, corpus::Note};

pub(crate) struct Plain(Connection);

impl Plain {
    pub(crate) fn filled(notes: &[Note]) -> Outcome<Self> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(
            "CREATE VIRTUAL TABLE notes USING fts5 (title, content, tokenize = 'porter unicode61')",
        )?;
        for note in notes {
            connection
                .execute("INSERT INTO notes VALUES (?1, ?2)", [&note.title, &note.content])?;
        }
        Ok(Self(connection))
    }

    pub(crate) fn find(&self, question: &str, limit: usize) -> Outcome<Vec<String>> {
        let words = question.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let any: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
        if any.is_empty() {
            return Ok(Vec::new());
        }
        let sql =
            "SELECT title FROM notes WHERE notes MATCH ?1 ORDER BY bm25(notes, 8.0, 1.0) LIMIT ?2";
        let mut statement = self.0.prepare_cached(sql)?;
        let limit = i64::try_from(limit)?;
        let rows = statement.query_map((any.join(" OR "), limit), |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
