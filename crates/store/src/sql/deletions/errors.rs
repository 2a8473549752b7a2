//! What a provider said of a failed send may quote a pair that the request held: its words go
//! with the pair (REC-5).

use std::collections::HashSet;

use plimsoll_domain::PairId;
use serde_json::Value as Json;

use super::rows::{Keeper, Kept, Row, text};
use crate::{
    StoreResult,
    engine::{Db, Value, list},
};

/// Stands in the place of what was said.
const NOTE: &str = "the provider's words quoted a message that was deleted";

/// Those before an edit were sent too.
const TEXTS: &str = "SELECT user_text, assistant_text FROM pair_texts WHERE pair_id = $1
    UNION ALL SELECT user_text, assistant_text FROM revisions WHERE pair_id = $1";
/// While a provider is down, many sends fail with the same words: they are compared once.
const SAID: &str = "SELECT DISTINCT p.error_message FROM pairs p
    JOIN snapshot_pairs q ON q.pair_id = p.id
    WHERE q.included_id = $1 AND p.error_message IS NOT NULL";
const SAID_OF: &str = "SELECT DISTINCT p.id FROM pairs p JOIN snapshot_pairs q ON q.pair_id = p.id
    WHERE q.included_id = $1 AND p.error_message = $2";
const SET: &str = "UPDATE pairs SET error_message = $1 WHERE id = $2 AND error_message = $3";
const SET_PREVIOUS: &str = "UPDATE previous_answers SET error_message = $1
    WHERE pair_id = $2 AND error_message = $3";
const BODIES: &str = "SELECT b.receipt_id, b.body FROM receipt_bodies b
    JOIN receipts r ON r.id = b.receipt_id WHERE r.pair_id = $1";
const SET_BODY: &str = "UPDATE receipt_bodies SET body = $1 WHERE receipt_id = $2";

/// So many characters in a row are no accident; a shorter text must be there as a whole.
const RUN: usize = 16;
const SHORTEST: usize = 6;

/// Takes the words of a pair out of what was said of other sends, before the pair goes; what
/// stood there is kept with the deletion, if it can be undone.
pub(crate) fn forget(
    db: &mut dyn Db,
    mut keeper: Option<&mut Keeper>,
    pair: PairId,
) -> StoreResult<()> {
    let said = list(db, SAID, values![pair], |row| row.string(0))?;
    if said.is_empty() {
        return Ok(());
    }
    let texts = list(db, TEXTS, values![pair], |row| Ok([row.opt_string(0)?, row.opt_string(1)?]))?;
    let texts: Vec<String> = texts.into_iter().flatten().flatten().collect();
    for message in said {
        if !texts.iter().any(|text| quotes(&message, text)) {
            continue;
        }
        for owner in list(db, SAID_OF, values![pair, &message], |row| row.string(0))? {
            replace(db, &owner, &message, NOTE)?;
            if let Some(keeper) = &mut keeper {
                let mut row = Row::new();
                row.insert("error_message".to_owned(), Json::from(message.as_str()));
                keeper.keep(db, "errors", &owner, Some(&pair.to_string()), row)?;
            }
        }
    }
    Ok(())
}

/// What was said comes back, where nothing else was said since.
pub(super) fn bring_back(db: &mut dyn Db, kept: &Kept) -> StoreResult<()> {
    match text(&kept.row, "error_message") {
        Some(message) => replace(db, &kept.owner, NOTE, message),
        None => Ok(()),
    }
}

fn replace(db: &mut dyn Db, owner: &str, old: &str, new: &str) -> StoreResult<()> {
    for statement in [SET, SET_PREVIOUS] {
        db.run(statement, values![new, owner, old])?;
    }
    // A receipt tells it as JSON, in quotes.
    let (old, new) = (Json::from(old).to_string(), Json::from(new).to_string());
    let bodies =
        list(db, BODIES, &[Value::from(owner)], |row| Ok((row.string(0)?, row.string(1)?)))?;
    for (receipt, body) in bodies.iter().filter(|(_, body)| body.contains(&old)) {
        db.run(SET_BODY, values![&body.replace(&old, &new), receipt])?;
    }
    Ok(())
}

/// Whether a message holds a run of a text, or all of a short one.
fn quotes(message: &str, text: &str) -> bool {
    let text: Vec<char> = text.trim().chars().collect();
    let run = RUN.min(text.len());
    if run < SHORTEST {
        return false;
    }
    let message: Vec<char> = message.chars().collect();
    let runs: HashSet<&[char]> = message.windows(run).collect();
    text.windows(run).any(|window| runs.contains(window))
}

#[cfg(test)]
mod tests {
    use super::quotes;

    #[test]
    fn a_run_of_a_text_is_a_quote_and_common_words_are_none() {
        let text = "My grandmother's recipe needs four eggs and a secret.";
        assert!(quotes("cannot parse 'recipe needs four eggs' in message 3", text));
        assert!(quotes("bad input: xyzzy!", "xyzzy!"));
        assert!(!quotes("the rate limit was reached; try again", text));
        assert!(!quotes("a b c", "b"), "what is so short is in any message");
        assert!(!quotes("", text));
    }
}
