//! The words that texts have: how many texts each is in, and which known words an asked one
//! stands for.

use super::{Area, changes::Deltas};
use crate::{
    StoreResult, Workspace,
    engine::{Cells, Db, Numbers, Value, first, list},
    words::{
        cut::is_spaceless,
        fold::{english_stem, german_stem},
        question::{AskedKind, AskedWord},
        rank::{Alternative, LookedUp, Totals},
        similar::{backwards, distance, sure_letters},
    },
};

/// The most known words that stand for one.
const MAX_ALTERNATIVES: u64 = 24;
/// The most that are looked at for one that looks like it.
const MAX_LOOKED_AT: u64 = 3_000;
/// A word that so many texts have is meant as it stands; only of rarer ones longer words are looked
/// for as well.
const COMMON_TEXTS: u64 = 100;
/// Of a compound word, a part has at least so many letters.
const SHORTEST_PART: usize = 5;

/// What a known word is worth for an asked one.
mod worth {
    pub(super) const SAME: f64 = 1.0;
    pub(super) const STEM: f64 = 0.9;
    pub(super) const BEGINNING: f64 = 0.6;
    pub(super) const PART: f64 = 0.45;
    pub(super) const ONE_LETTER: f64 = 0.7;
    pub(super) const TWO_LETTERS: f64 = 0.5;
}

const PLACE: &str = "SELECT place, texts, title_words, body_words FROM search_places
    WHERE area = $1 AND workspace = $2";
const NEIGHBOURS: &str = "SELECT COUNT(*) FROM search_places WHERE area = $1";
const NEW_PLACE: &str = "INSERT INTO search_places (place, area, workspace, texts, title_words,
    body_words) VALUES ($1, $2, $3, 0, 0, 0)";
const ADD: &str = "UPDATE search_places SET texts = texts + $1, title_words = title_words + $2,
    body_words = body_words + $3 WHERE place = $4";
const COUNT: &str =
    "UPDATE search_vocabulary SET texts = texts + $1 WHERE place = $2 AND word = $3";
const NEW: &str = "INSERT INTO search_vocabulary (place, word, backwards, english, german, texts)
    VALUES ($1, $2, $3, $4, $5, $6)";
const FORGET: &str = "DELETE FROM search_vocabulary WHERE place = $1 AND word = $2 AND texts <= 0";
const ENGLISH: &str = "SELECT word, texts FROM search_vocabulary WHERE place = $1 AND english = $2
    ORDER BY texts DESC, word LIMIT $3";
const GERMAN: &str = "SELECT word, texts FROM search_vocabulary WHERE place = $1 AND german = $2
    ORDER BY texts DESC, word LIMIT $3";
const SAME: &str = "SELECT word, texts FROM search_vocabulary WHERE place = $1 AND word = $2";
const BEGINS: &str = "SELECT word, texts FROM search_vocabulary
    WHERE place = $1 AND word >= $2 AND word < $3 ORDER BY word LIMIT $4";
const ENDS: &str = "SELECT word, texts FROM search_vocabulary
    WHERE place = $1 AND backwards >= $2 AND backwards < $3 ORDER BY backwards LIMIT $4";

/// The place of a workspace's texts, with its sums; none if it has no text.
pub(super) fn place(
    db: &mut dyn Db,
    area: Area,
    workspace: &Workspace,
) -> StoreResult<Option<(u64, Totals)>> {
    first(db, PLACE, values![area.name(), workspace], |row| {
        let totals =
            Totals { texts: row.count(1)?, title_words: row.count(2)?, body_words: row.count(3)? };
        Ok((row.count(0)?, totals))
    })
}

/// Whether other workspaces have texts of this area too.
pub(super) fn has_neighbours(db: &mut dyn Db, area: Area) -> StoreResult<bool> {
    let count = first(db, NEIGHBOURS, values![area.name()], |row| row.count(0))?;
    Ok(count.unwrap_or(0) > 1)
}

/// The same, made if it is not there.
pub(super) fn place_for(db: &mut dyn Db, area: Area, workspace: &str) -> StoreResult<u64> {
    let known = first(db, PLACE, values![area.name(), workspace], |row| row.count(0))?;
    if let Some(place) = known {
        return Ok(place);
    }
    let place = db.next_number(Numbers::SearchPlaces)?;
    db.run(NEW_PLACE, values![place, area.name(), workspace])?;
    Ok(place)
}

/// A word of the index that all texts of a place have, and nobody can type.
pub(super) fn place_tag(place: u64) -> String {
    format!("\u{e000}x{place}")
}

/// A word of the index that texts have whose title has a word.
pub(super) fn title_tag(word: &str) -> String {
    format!("\u{e001}{word}")
}

/// A text has hundreds of words, so each kind of statement is run for all of them at once.
pub(super) fn apply(db: &mut dyn Db, place: u64, deltas: &Deltas) -> StoreResult<()> {
    let changed: Vec<(&String, i64)> =
        deltas.words.iter().map(|(word, by)| (word, *by)).filter(|(_, by)| *by != 0).collect();
    let counts: Vec<_> =
        changed.iter().map(|(word, by)| values![*by, place, *word].to_vec()).collect();
    let touched = db.run_all(COUNT, &counts)?;
    let unknown: Vec<_> = changed
        .iter()
        .zip(touched)
        .filter(|((_, by), touched)| *touched == 0 && *by > 0)
        .map(|((word, by), _)| {
            let forms = [backwards(word), english_stem(word), german_stem(word)];
            let forms = forms.map(|form| Value::Text(form.into()));
            let mut values = values![place, *word].to_vec();
            values.extend(forms);
            values.push(Value::from(*by));
            values
        })
        .collect();
    db.run_all(NEW, &unknown)?;
    let fewer = changed.iter().filter(|(_, by)| *by < 0);
    let fewer: Vec<_> = fewer.map(|(word, _)| values![place, *word].to_vec()).collect();
    db.run_all(FORGET, &fewer)?;
    let Deltas { texts, title_words, body_words, .. } = deltas;
    db.run(ADD, values![*texts, *title_words, *body_words, place]).map(drop)
}

/// The known words that stand for an asked one.
pub(super) fn look_up(db: &mut dyn Db, place: u64, asked: &AskedWord) -> StoreResult<LookedUp> {
    let word = asked.word.as_str();
    let mut found = Alternatives::default();
    let mut similar = false;
    match asked.kind {
        AskedKind::Pair | AskedKind::Joined | AskedKind::Stop => {
            found.add(list(db, SAME, values![place, word], read)?, worth::SAME);
        }
        AskedKind::Char => {
            found.add(beginning_with(db, place, word, MAX_ALTERNATIVES)?, worth::SAME);
        }
        AskedKind::Word | AskedKind::Open => {
            let limit = MAX_ALTERNATIVES;
            found.add(list(db, SAME, values![place, word], read)?, worth::SAME);
            found.add(
                list(db, ENGLISH, values![place, &english_stem(word), limit], read)?,
                worth::STEM,
            );
            found.add(
                list(db, GERMAN, values![place, &german_stem(word), limit], read)?,
                worth::STEM,
            );
            let itself = !found.list.is_empty();
            let known: u64 = found.list.iter().map(|one| one.texts).sum();
            let rare = known < COMMON_TEXTS;
            if asked.kind == AskedKind::Open && rare && (!itself || word.chars().nth(2).is_some()) {
                found.add(
                    commonest(beginning_with(db, place, word, MAX_LOOKED_AT)?),
                    worth::BEGINNING,
                );
            }
            if rare && word.chars().count() >= SHORTEST_PART {
                found.add(commonest(beginning_with(db, place, word, 200)?), worth::PART);
                found.add(commonest(ending_with(db, place, word, 200)?), worth::PART);
            }
            if found.list.is_empty() {
                nearest(db, place, word, &mut found)?;
                similar = !found.list.is_empty();
            }
            if found.list.is_empty() {
                parts(db, place, word, &mut found)?;
            }
        }
    }
    Ok(LookedUp { kind: asked.kind, alternatives: found.list, similar })
}

#[derive(Default)]
struct Alternatives {
    list: Vec<Alternative>,
}

impl Alternatives {
    /// What stands in the list already keeps its worth.
    fn add(&mut self, words: Vec<(String, u64)>, worth: f64) {
        for (word, texts) in words {
            if !self.list.iter().any(|known| known.word == word) {
                self.list.push(Alternative { word, worth, texts });
            }
        }
    }
}

fn read(row: &dyn Cells) -> StoreResult<(String, u64)> {
    Ok((row.string(0)?, row.count(1)?))
}

fn commonest(mut words: Vec<(String, u64)>) -> Vec<(String, u64)> {
    words.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    words.truncate(usize::try_from(MAX_ALTERNATIVES).unwrap_or(usize::MAX));
    words
}

/// Known words that begin so.
fn beginning_with(
    db: &mut dyn Db,
    place: u64,
    beginning: &str,
    limit: u64,
) -> StoreResult<Vec<(String, u64)>> {
    let end = format!("{beginning}\u{10ffff}");
    list(db, BEGINS, values![place, beginning, &end, limit], read)
}

fn ending_with(
    db: &mut dyn Db,
    place: u64,
    ending: &str,
    limit: u64,
) -> StoreResult<Vec<(String, u64)>> {
    let ending = backwards(ending);
    let end = format!("{ending}\u{10ffff}");
    list(db, ENDS, values![place, &ending, &end, limit], read)
}

/// The known words that look most like it.
fn nearest(db: &mut dyn Db, place: u64, word: &str, found: &mut Alternatives) -> StoreResult<()> {
    let letters: Vec<char> = word.chars().collect();
    let sure = sure_letters(letters.len());
    if letters.len() <= sure || letters.iter().copied().any(is_spaceless) {
        return Ok(());
    }
    let head: String = letters[..sure].iter().collect();
    let tail: String = letters[letters.len() - sure..].iter().collect();
    let mut known = beginning_with(db, place, &head, MAX_LOOKED_AT)?;
    known.extend(ending_with(db, place, &tail, MAX_LOOKED_AT)?);
    let mut near: Vec<(usize, String, u64)> = known
        .into_iter()
        .filter_map(|(known, texts)| distance(word, &known).map(|letters| (letters, known, texts)))
        .collect();
    near.sort_by(|a, b| (a.0, b.2, &a.1).cmp(&(b.0, a.2, &b.1)));
    let least = near.first().map_or(0, |(letters, ..)| *letters);
    let worth = if least <= 1 { worth::ONE_LETTER } else { worth::TWO_LETTERS };
    let nearest = near.into_iter().filter(|(letters, ..)| *letters == least);
    for (_, known, texts) in nearest.take(8) {
        // Its other forms as well.
        let stem = english_stem(&known);
        found.add(vec![(known, texts)], worth);
        found.add(list(db, ENGLISH, values![place, &stem, MAX_ALTERNATIVES], read)?, worth);
    }
    Ok(())
}

/// The two known words that a compound is made of.
fn parts(db: &mut dyn Db, place: u64, word: &str, found: &mut Alternatives) -> StoreResult<()> {
    let starts: Vec<usize> = word.char_indices().map(|(at, _)| at).collect();
    for at in starts.iter().skip(4).take_while(|at| word[**at..].chars().nth(3).is_some()) {
        let (head, tail) = word.split_at(*at);
        let head = head.strip_suffix('s').filter(|head| head.len() >= 4).unwrap_or(head);
        let heads = list(db, GERMAN, values![place, &german_stem(head), 4_u64], read)?;
        let tails = list(db, GERMAN, values![place, &german_stem(tail), 4_u64], read)?;
        if !heads.is_empty() && !tails.is_empty() {
            found.add(heads, worth::PART);
            found.add(tails, worth::PART);
            return Ok(());
        }
    }
    Ok(())
}
