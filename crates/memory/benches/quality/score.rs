//! Hits, recall, rank and time, in all and by language and kind.

use std::{collections::BTreeMap, time::Duration};

use crate::corpus::Question;

#[derive(Clone, Copy, Default)]
struct Sum {
    questions: f64,
    hits: f64,
    recall: f64,
    reciprocal: f64,
}

#[derive(Default)]
pub(crate) struct Scores {
    sums: BTreeMap<String, Sum>,
    times: Vec<Duration>,
}

impl Scores {
    pub(crate) fn add(&mut self, question: &Question, titles: &[String], took: Duration) {
        let is_answer = |title: &&String| question.answers.contains(title);
        let among = titles.iter().take(5).filter(is_answer).count() as f64;
        let first = titles.iter().position(|title| question.answers.contains(title));
        let (language, kind) = (&question.language, &question.kind);
        for key in [" all".to_owned(), language.clone(), kind.clone(), format!("{language} {kind}")]
        {
            let sum = self.sums.entry(key).or_default();
            sum.questions += 1.0;
            sum.hits += f64::from(u8::from(among > 0.0));
            sum.recall += among / question.answers.len().max(1) as f64;
            sum.reciprocal += first.map_or(0.0, |place| 1.0 / (place as f64 + 1.0));
        }
        self.times.push(took);
    }

    pub(crate) fn print(mut self, title: &str) {
        println!("\n{title}");
        println!("{:<16} {:>5} {:>7} {:>9} {:>6}", "", "n", "hit@5", "recall@5", "MRR");
        for (key, sum) in &self.sums {
            let of = |value: f64| value / sum.questions;
            println!(
                "{:<16} {:>5} {:>7.3} {:>9.3} {:>6.3}",
                key.trim(),
                sum.questions,
                of(sum.hits),
                of(sum.recall),
                of(sum.reciprocal)
            );
        }
        self.times.sort();
        let at = |percent: usize| {
            let place = (self.times.len() * percent / 100).min(self.times.len().saturating_sub(1));
            self.times.get(place).map_or(0.0, |time| time.as_secs_f64() * 1e3)
        };
        println!("p50 {:.2} ms, p95 {:.2} ms", at(50), at(95));
    }
}
