//! Whether the searched words are those of the texts.

use crate::{
    StoreResult,
    engine::{Db, first},
    words::cut,
};

const NOTES: &str = "SELECT o.title, o.content, t.title, t.body FROM memory_observations o
    LEFT JOIN memory_search_texts t ON t.doc = o.id * 2 WHERE o.deleted_at IS NULL";
const PROMPTS: &str = "SELECT '', o.content, t.title, t.body FROM memory_prompts o
    LEFT JOIN memory_search_texts t ON t.doc = o.id * 2 + 1";
const PAIRS: &str = "SELECT p.user_text, COALESCE(p.assistant_text, ''), t.title, t.body
    FROM pair_texts p LEFT JOIN search_docs d ON d.pair_id = p.pair_id
    LEFT JOIN history_search_texts t ON t.doc = d.doc";
const SUMS: &str = "SELECT (SELECT COUNT(*) FROM memory_search_texts)
    + (SELECT COUNT(*) FROM history_search_texts), (SELECT CAST(COALESCE(SUM(texts), 0)
    AS BIGINT) FROM search_places), (SELECT COUNT(*) FROM search_changes)";

/// What is wrong; none is good news.
pub fn check(db: &mut dyn Db) -> StoreResult<Option<String>> {
    let mut texts = 0_u64;
    let mut astray = 0_u64;
    for sql in [NOTES, PROMPTS, PAIRS] {
        db.each(sql, values![], &mut |row| {
            texts += 1;
            let same = row.opt_text(2)?.is_some_and(|title| {
                row.text(0).is_ok_and(|text| cut::line(text) == title)
                    && row.text(1).is_ok_and(|text| {
                        row.opt_text(3).is_ok_and(|body| body == Some(cut::line(text).as_str()))
                    })
            });
            astray += u64::from(!same);
            Ok(())
        })?;
    }
    let sums = first(db, SUMS, values![], |row| Ok((row.count(0)?, row.count(1)?, row.count(2)?)))?;
    if astray == 0 && sums == Some((texts, texts, 0)) {
        return Ok(None);
    }
    Ok(Some("the words of search do not match the texts".to_owned()))
}
