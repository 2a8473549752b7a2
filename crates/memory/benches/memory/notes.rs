//! Made-up notes with words as unevenly spread as those of people.

use plimsoll_store::NewObservation;
use plimsoll_testkit::history::Random;

/// Words that there are.
const VOCABULARY: usize = 30_000;
const SYLLABLES: [&str; 24] = [
    "ba", "con", "de", "fi", "gra", "hu", "in", "jo", "ka", "lo", "mem", "na", "or", "pre", "qui",
    "re", "ser", "to", "un", "ver", "wa", "xe", "ty", "zo",
];
const KINDS: [&str; 5] = ["decision", "bugfix", "pattern", "discovery", "learning"];

/// A vocabulary; the word of rank n is n times as rare as the first.
pub(crate) struct Words {
    words: Vec<String>,
    /// Sums of the shares of the words, up to each.
    sums: Vec<f64>,
}

impl Words {
    pub(crate) fn new() -> Self {
        let mut random = Random::new(7);
        let word = |random: &mut Random| -> String {
            let syllables = 2 + random.below(3);
            (0..syllables)
                .map(|_| SYLLABLES[random.below(SYLLABLES.len() as u64) as usize])
                .collect()
        };
        let words: Vec<String> = (0..VOCABULARY).map(|_| word(&mut random)).collect();
        let mut sum = 0.0;
        let sums = (1..=VOCABULARY)
            .map(|rank| {
                sum += 1.0 / rank as f64;
                sum
            })
            .collect();
        Self { words, sums }
    }

    fn word(&self, random: &mut Random) -> &str {
        let share = random.below(1 << 50) as f64 / (1u64 << 50) as f64;
        let most = self.sums.last().copied().unwrap_or(1.0);
        let rank = self.sums.partition_point(|sum| *sum < share * most);
        &self.words[rank.min(VOCABULARY - 1)]
    }

    fn sentence(&self, random: &mut Random, words: u64) -> String {
        (0..words).map(|_| self.word(random)).collect::<Vec<_>>().join(" ")
    }

    /// Note `n`: a title and some fifty words, the same every time.
    pub(crate) fn note(&self, n: u64) -> NewObservation {
        let mut random = Random::new(n.wrapping_mul(31));
        let title_words = 3 + random.below(5);
        let content_words = 20 + random.below(60);
        // A session belongs to one project.
        let block = n / 50;
        NewObservation {
            session: format!("session {block}"),
            kind: KINDS[random.below(5) as usize].to_owned(),
            title: self.sentence(&mut random, title_words),
            content: self.sentence(&mut random, content_words),
            project: format!("project {}", block % 8),
            ..NewObservation::default()
        }
    }

    /// Query `n`: one to four words as they come, so that most have a very common one among
    /// them; a fifth ends in the beginning of a word.
    pub(crate) fn query(&self, n: u64) -> String {
        let mut random = Random::new(n.wrapping_mul(17) ^ 0xabcd);
        let words = 1 + random.below(4);
        let mut query = self.sentence(&mut random, words);
        if random.below(5) == 0 {
            let short = query.len().saturating_sub(1 + random.below(3) as usize);
            query.truncate(short);
        }
        query
    }
}
