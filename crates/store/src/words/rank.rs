//! How well a text fits a question: BM25 over two fields, with what each known word is worth for
//! an asked one, how much of the question a text has, and whether its words stand together.

use std::collections::HashMap;

use super::question::AskedKind;

/// How soon more of the same word stops to count.
const SATURATION: f64 = 1.2;
/// How much the length of a text counts.
const LENGTH: f64 = 0.6;
/// What it is worth that an asked word follows the one asked before it.
const TOGETHER: f64 = 0.25;
/// How much of a score is left to a text that has next to nothing of the question.
const LEAST_SHARE: f64 = 0.35;
/// What words that say little count for.
const STOP_WORTH: f64 = 0.05;
/// What the parts of an identifier in one count for, beside the parts.
const JOINED_WORTH: f64 = 0.6;
/// What alternatives of at least this worth count as the word itself.
const ITSELF: f64 = 0.85;

/// How many texts a word is in, and how long texts are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub texts: u64,
    pub title_words: u64,
    pub body_words: u64,
}

/// A known word that stands for an asked one.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    pub word: String,
    /// 1 for the word itself, less for what is only like it.
    pub worth: f64,
    /// How many texts have it.
    pub texts: u64,
}

/// An asked word with everything that stands for it.
#[derive(Clone, Debug, PartialEq)]
pub struct LookedUp {
    pub kind: AskedKind,
    pub alternatives: Vec<Alternative>,
    /// Whether nothing is called so, and words that look like it were taken.
    pub similar: bool,
}

impl LookedUp {
    /// About how many texts have it.
    pub fn texts(&self) -> u64 {
        let sum = |least: f64| -> u64 {
            let alike = self.alternatives.iter().filter(|one| one.worth >= least);
            alike.map(|one| one.texts).sum()
        };
        match sum(ITSELF) {
            0 => sum(0.0),
            texts => texts,
        }
    }

    /// Whether a text that has all words must have it.
    pub fn is_needed(&self) -> bool {
        !matches!(self.kind, AskedKind::Stop | AskedKind::Joined)
    }
}

/// How well one text fits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fit {
    /// More is better.
    pub score: f64,
    /// Whether it has all words of the question.
    pub all_words: bool,
    /// Whether one of its words only looks like an asked one.
    pub similar: bool,
}

/// A question, ready to be held against texts.
pub struct Ranking<'q> {
    words: &'q [LookedUp],
    phrases: &'q [Vec<String>],
    /// What each asked word is worth: the rarer the more.
    worths: Vec<f64>,
    /// What a text that has everything could have.
    whole: f64,
    by_word: HashMap<&'q str, Vec<(usize, f64)>>,
    title_worth: f64,
    title_length: f64,
    body_length: f64,
}

impl<'q> Ranking<'q> {
    /// `title_worth` is what a word of the title counts for, in words of the body.
    pub fn new(
        words: &'q [LookedUp],
        phrases: &'q [Vec<String>],
        totals: Totals,
        title_worth: f64,
    ) -> Self {
        let mut by_word: HashMap<&str, Vec<(usize, f64)>> = HashMap::new();
        for (place, word) in words.iter().enumerate() {
            for one in &word.alternatives {
                by_word.entry(&one.word).or_default().push((place, one.worth));
            }
        }
        let worths: Vec<f64> = words.iter().map(|word| worth(word, totals.texts)).collect();
        let needed = words.iter().zip(&worths).filter(|(word, _)| word.is_needed());
        let whole = needed.map(|(_, worth)| worth).sum();
        let mean = |words: u64| (words as f64 / totals.texts.max(1) as f64).max(1.0);
        let (title_length, body_length) = (mean(totals.title_words), mean(totals.body_words));
        Self { words, phrases, worths, whole, by_word, title_worth, title_length, body_length }
    }

    /// How well a text fits, given as the words of its title and of its body; none if a phrase is
    /// missing or no word is in it.
    pub fn fit(&self, title: &str, body: &str) -> Option<Fit> {
        let together = |phrase: &Vec<String>| holds(title, phrase) || holds(body, phrase);
        if !self.phrases.iter().all(together) {
            return None;
        }
        let mut counts = vec![0.0; self.words.len()];
        let mut follows = vec![false; self.words.len()];
        self.count(title, self.title_worth, self.title_length, &mut counts, &mut follows);
        self.count(body, 1.0, self.body_length, &mut counts, &mut follows);
        let mut fit = Fit { all_words: true, ..Fit::default() };
        let mut share = 0.0;
        for (place, word) in self.words.iter().enumerate() {
            if counts[place] <= 0.0 {
                fit.all_words &= !word.is_needed();
                continue;
            }
            let worth = self.worths[place];
            fit.score += worth * counts[place] / (SATURATION + counts[place]) * (1.0 + SATURATION);
            if follows[place] {
                fit.score += worth * TOGETHER;
            }
            if word.is_needed() {
                share += worth;
                fit.similar |= word.similar;
            }
        }
        if fit.score <= 0.0 {
            return None;
        }
        if self.whole > 0.0 {
            let share = (share / self.whole).min(1.0);
            fit.score *= LEAST_SHARE + (1.0 - LEAST_SHARE) * share;
        }
        Some(fit)
    }

    fn count(&self, line: &str, weight: f64, usual: f64, counts: &mut [f64], follows: &mut [bool]) {
        let length = line.bytes().filter(|byte| *byte == b' ').count() as f64 + 1.0;
        let weight = weight / (1.0 - LENGTH + LENGTH * length / usual);
        let mut last: Vec<(usize, usize)> = Vec::new();
        for (at, word) in line.split(' ').enumerate() {
            let Some(places) = self.by_word.get(word) else { continue };
            for (place, worth) in places {
                counts[*place] += weight * worth;
                let near =
                    last.iter().any(|(before, then)| *before + 1 == *place && at - then <= 3);
                follows[*place] |= near;
            }
            last.retain(|(_, then)| at - then < 3);
            last.extend(places.iter().map(|(place, _)| (*place, at)));
        }
    }
}

fn worth(word: &LookedUp, texts: u64) -> f64 {
    let (all, having) = (texts as f64, word.texts().min(texts) as f64);
    let rare = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
    match word.kind {
        AskedKind::Stop => rare * STOP_WORTH,
        AskedKind::Joined => rare * JOINED_WORTH,
        AskedKind::Pair => rare * pair_worth(word),
        AskedKind::Word | AskedKind::Open | AskedKind::Char => rare,
    }
}

/// Two syllables of Japanese are mostly an ending.
fn pair_worth(word: &LookedUp) -> f64 {
    let is_ending =
        |one: &Alternative| one.word.chars().all(|c| ('\u{3040}'..='\u{309f}').contains(&c));
    if word.alternatives.iter().any(is_ending) { 0.2 } else { 0.7 }
}

/// Whether the words stand in a line one after the other.
fn holds(line: &str, phrase: &[String]) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    words.windows(phrase.len().max(1)).any(|window| window == phrase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(word: &str, texts: u64) -> LookedUp {
        let itself = Alternative { word: word.to_owned(), worth: 1.0, texts };
        LookedUp { kind: AskedKind::Word, alternatives: vec![itself], similar: false }
    }

    #[test]
    fn more_of_the_question_a_title_and_words_together_are_better() {
        let totals = Totals { texts: 100, title_words: 300, body_words: 1_000 };
        let words = [word("anchor", 10), word("chain", 10)];
        let ranking = Ranking::new(&words, &[], totals, 3.0);
        let score = |title: &str, body: &str| ranking.fit(title, body).unwrap().score;
        let apart = score("x y z", "anchor a b c d e chain f g h");
        assert!(score("x y z", "anchor chain a b c d e f g h") > apart);
        assert!(apart > score("x y z", "anchor a b c d e f g h anchor"));
        assert!(score("anchor y z", "a b chain d e f g h i j") > apart);
        assert!(ranking.fit("x y z", "a b c").is_none());
        assert!(ranking.fit("anchor", "chain").unwrap().all_words);
        assert!(!ranking.fit("anchor", "x").unwrap().all_words);
    }

    #[test]
    fn a_phrase_must_stand_together() {
        let words = [word("refresh", 1), word("tokens", 1)];
        let phrases = [vec!["refresh".to_owned(), "tokens".to_owned()]];
        let ranking = Ranking::new(&words, &phrases, Totals::default(), 1.0);
        assert!(ranking.fit("", "with refresh tokens in it").is_some());
        assert!(ranking.fit("", "tokens refresh").is_none());
    }
}
