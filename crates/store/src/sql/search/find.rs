//! Finding texts: the database says which hold the rarest words, and each is held against the
//! question.

use std::collections::HashSet;

use plimsoll_domain::Timestamp;

use super::{Area, vocabulary};
use crate::{
    StoreResult, Workspace,
    engine::{Db, first},
    words::{
        question::{AskedKind, Question},
        rank::{LookedUp, Ranking},
    },
};

/// So many texts are held against a question at most.
const MAX_TEXTS: usize = 200;
/// What fits the question worse than this, beside the best, is left out unless it has all words.
const WEAK: f64 = 0.25;
/// Matches are counted up to this.
const MAX_COUNTED: usize = 10_000;

/// What a database does for search: it says which texts hold words.
pub trait Finder {
    /// The texts that hold at least one word of each group, the newest first, at most so many.
    fn find(
        &self,
        db: &mut dyn Db,
        area: Area,
        groups: &[Vec<&str>],
        limit: usize,
    ) -> StoreResult<Vec<u64>>;

    /// How many there are, counted up to a number.
    fn count(
        &self,
        db: &mut dyn Db,
        area: Area,
        groups: &[Vec<&str>],
        up_to: usize,
    ) -> StoreResult<usize>;
}

/// What is looked for, and among which texts.
pub struct Wanted<'w> {
    pub area: Area,
    pub workspace: &'w Workspace,
    pub question: &'w Question,
    /// Tags, one of each group of which a text must have.
    pub tags: Vec<Vec<String>>,
    pub since: Option<Timestamp>,
    pub before: Option<Timestamp>,
}

/// A text that fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundText {
    pub doc: u64,
    pub score: f64,
    pub all_words: bool,
    pub similar: bool,
    at: i64,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The best first; of equally good ones the newest.
    pub texts: Vec<FoundText>,
    /// Every known word that stands for an asked one.
    pub words: HashSet<String>,
    pub matched: usize,
    /// Whether more fit than were counted.
    pub more: bool,
}

pub fn find(db: &mut dyn Db, finder: &dyn Finder, wanted: &Wanted<'_>) -> StoreResult<Found> {
    let Some((place, totals)) = vocabulary::place(db, wanted.area, wanted.workspace)? else {
        return Ok(Found::default());
    };
    let words: StoreResult<Vec<LookedUp>> =
        wanted.question.words.iter().map(|word| vocabulary::look_up(db, place, word)).collect();
    let words = words?;
    let mut narrow = wanted.tags.clone();
    // The tag of all texts is a long list, which costs more than the words.
    if vocabulary::has_neighbours(db, wanted.area)? {
        narrow.push(vec![vocabulary::place_tag(place)]);
    }
    // Times are looked at in the texts, so more of these are asked for.
    let timed = wanted.since.is_some() || wanted.before.is_some();
    let most = if timed { MAX_COUNTED } else { MAX_TEXTS };
    let gathered = gather(db, finder, wanted.area, &words, &narrow, most)?;
    let ranking = Ranking::new(&words, &wanted.question.phrases, totals, wanted.area.title_worth());
    let sql = format!("SELECT title, body, at FROM {} WHERE doc = $1", wanted.area.texts());
    let mut texts = Vec::new();
    for doc in &gathered.docs {
        let fit = first(db, &sql, values![*doc], |row| {
            let at = row.int(2)?;
            let time = Timestamp::from_millis(at);
            let wanted = wanted.since.is_none_or(|since| time >= since)
                && wanted.before.is_none_or(|before| time < before);
            let fit = if wanted { ranking.fit(row.text(0)?, row.text(1)?) } else { None };
            Ok(fit.map(|fit| (fit, at)))
        })?;
        if let Some((fit, at)) = fit.flatten() {
            let (score, all_words, similar) = (fit.score, fit.all_words, fit.similar);
            texts.push(FoundText { doc: *doc, score, all_words, similar, at });
        }
    }
    sort(&mut texts);
    let best = texts.first().map_or(0.0, |text| text.score);
    texts.retain(|text| text.all_words || text.score >= best * WEAK);
    let exact =
        wanted.since.is_none() && wanted.before.is_none() && wanted.question.phrases.is_empty();
    let (matched, more) = match gathered.all_words.filter(|_| exact) {
        Some(count) if count > texts.len() => (count.min(MAX_COUNTED), count > MAX_COUNTED),
        _ => (texts.len(), gathered.more && !exact),
    };
    let telling = words.into_iter().filter(|word| word.kind != AskedKind::Stop);
    let known = telling.flat_map(|word| word.alternatives);
    let words = known.map(|one| one.word).collect();
    Ok(Found { texts, words, matched, more })
}

/// Scores that differ by less than a hundredth of the best are as good as equal.
fn sort(texts: &mut [FoundText]) {
    let best = texts.iter().map(|text| text.score).fold(f64::MIN_POSITIVE, f64::max);
    texts.sort_by_key(|text| {
        let score = (text.score / best * 100.0).round() as i64;
        std::cmp::Reverse((score, text.at, text.doc))
    });
}

/// Texts that are worth to be held against the question.
struct Gathered {
    docs: Vec<u64>,
    /// How many have all words, counted a little beyond [`MAX_COUNTED`]; none if a word is unknown.
    all_words: Option<usize>,
    more: bool,
}

fn gather(
    db: &mut dyn Db,
    finder: &dyn Finder,
    area: Area,
    words: &[LookedUp],
    narrow: &[Vec<String>],
    most: usize,
) -> StoreResult<Gathered> {
    let group = |word: &LookedUp| -> Vec<String> {
        word.alternatives.iter().map(|one| one.word.clone()).collect()
    };
    let narrowed = |groups: Vec<Vec<String>>| -> Vec<Vec<String>> {
        groups.into_iter().chain(narrow.iter().cloned()).collect()
    };
    let needed: Vec<&LookedUp> = words.iter().filter(|word| word.is_needed()).collect();
    let mut known: Vec<&LookedUp> =
        needed.iter().copied().filter(|word| !word.alternatives.is_empty()).collect();
    known.sort_by_key(|word| word.texts());
    let mut gathered = Gathered { docs: Vec::new(), all_words: None, more: false };
    if known.is_empty() {
        return Ok(gathered);
    }
    let everything_known = known.len() == needed.len();
    if everything_known {
        let all = narrowed(known.iter().map(|word| group(word)).collect());
        let all: Vec<Vec<&str>> = borrowed(&all);
        gathered.docs = finder.find(db, area, &all, most)?;
        let count = match gathered.docs.len() {
            found if found == most => finder.count(db, area, &all, MAX_COUNTED + 1)?,
            fewer => fewer,
        };
        gathered.all_words = Some(count);
        gathered.more = gathered.docs.len() == most;
        if gathered.more && area == Area::Memory {
            // Those that are about it, however old they are.
            let titles = known.iter().flat_map(|word| &word.alternatives);
            let titles: Vec<String> = titles.map(|one| vocabulary::title_tag(&one.word)).collect();
            let mut about = all.clone();
            about.push(titles.iter().map(String::as_str).collect());
            let about = finder.find(db, area, &about, most)?;
            add(&mut gathered.docs, about);
        }
    }
    if known.len() > 1 || !everything_known {
        let mut texts = 0;
        let rare = known.iter().take_while(|word| {
            let first = texts == 0;
            texts += word.texts();
            first || texts <= MAX_TEXTS as u64
        });
        let any = narrowed(vec![rare.flat_map(|word| group(word)).collect()]);
        let more = finder.find(db, area, &borrowed(&any), most)?;
        gathered.more |= more.len() == most;
        add(&mut gathered.docs, more);
    }
    Ok(gathered)
}

fn add(docs: &mut Vec<u64>, more: Vec<u64>) {
    let there: HashSet<u64> = docs.iter().copied().collect();
    docs.extend(more.into_iter().filter(|doc| !there.contains(doc)));
}

fn borrowed(groups: &[Vec<String>]) -> Vec<Vec<&str>> {
    groups.iter().map(|group| group.iter().map(String::as_str).collect()).collect()
}
