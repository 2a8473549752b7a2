//! Row 3: filters over many pairs.

use std::ops::Range;

use anyhow::anyhow;
use plimsoll_domain::{ColorFlag, Lifecycle, PairKind, PairUse, Star, Timestamp};
use plimsoll_filter::{Date, Row, Rows, Scope, TopicNode, compile, parse};
use plimsoll_testkit::history::{Random, prose};

use plimsoll_testkit::report::Table;

use crate::Effort;

const DAY: i64 = 86_400_000;
const NOW: i64 = 20_000 * DAY;

const FILTERS: [&str; 7] = [
    "b",
    "s>=2 & !e",
    "t'Topic 1*'... | m'gpt-4*'",
    "d<30d k>500",
    "r5000 !(b | s3 | e | i)",
    "(t'/Topic 3/Part*' | m) s>=1 !e (b | a i) d<900d k>100",
    "t50",
];

struct World {
    topics: Vec<TopicNode>,
    models: Vec<String>,
}

impl Scope for World {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(NOW)
    }
    fn day(&self, date: Date) -> Range<Timestamp> {
        let start = i64::from(date.day) * DAY;
        Timestamp::from_millis(start)..Timestamp::from_millis(start + DAY)
    }
    fn topics(&self) -> &[TopicNode] {
        &self.topics
    }
    fn models(&self) -> &[String] {
        &self.models
    }
    fn selected_topic(&self) -> Option<usize> {
        Some(3)
    }
    fn selected_model(&self) -> Option<&str> {
        Some("gpt-4o")
    }
    fn saved(&self, _name: &str) -> Option<&str> {
        None
    }
}

struct Table100k {
    rows: Vec<Row>,
    texts: Vec<(String, String)>,
    terms: Vec<plimsoll_filter::TextTerm>,
}

impl Rows for Table100k {
    fn rows(&self) -> &[Row] {
        &self.rows
    }
    fn contains(&self, row: usize, term: usize) -> bool {
        let (user, assistant) = &self.texts[row];
        self.terms[term].is_match(user) || self.terms[term].is_match(assistant)
    }
}

fn world() -> World {
    let mut topics = Vec::new();
    for n in 0..20 {
        let parent = topics.len();
        topics.push(TopicNode { parent: None, name: format!("Topic {n}") });
        for part in 0..5 {
            topics.push(TopicNode { parent: Some(parent), name: format!("Part {part}") });
        }
    }
    let models = (0..20).map(|n| format!("gpt-{n}")).chain(["gpt-4o".to_owned()]).collect();
    World { topics, models }
}

fn rows(count: usize) -> anyhow::Result<Vec<Row>> {
    let mut random = Random::new(5);
    (0..count)
        .map(|n| {
            let age = (count - n) as i64 * 60_000;
            Ok(Row {
                created_at: Timestamp::from_millis(NOW - age),
                topic: Some(random.below(120) as u32),
                model: random.below(21) as u32,
                star: Star::new(random.below(4))?,
                flag: if random.below(2) == 0 { ColorFlag::Blue } else { ColorFlag::Grey },
                pair_use: PairUse::Auto,
                kind: PairKind::Chat,
                lifecycle: if random.below(40) == 0 {
                    Lifecycle::Error
                } else {
                    Lifecycle::Complete
                },
                has_image: random.below(20) == 0,
                has_attachment: random.below(10) == 0,
                tokens: random.below(2000) as u32,
            })
        })
        .collect()
}

pub(crate) fn run(effort: Effort, table: &mut Table) -> anyhow::Result<()> {
    let world = world();
    for text in FILTERS {
        let mut at_100k = 0.0;
        for (count, size) in [(1_000, "1k"), (10_000, "10k"), (100_000, "100k"), (1_000_000, "1M")]
        {
            let data = Table100k { rows: rows(count)?, texts: Vec::new(), terms: Vec::new() };
            let query = parse(text).map_err(|error| anyhow!("{error}"))?;
            let filter =
                compile(query.expr.as_ref(), &world).map_err(|error| anyhow!("{error}"))?;
            let seconds = effort.measure(|| filter.visible(&data));
            table.row(&format!("filter `{}`", text.replace('|', "\\|")), size, seconds * 1e3, "ms");
            match count {
                100_000 => {
                    at_100k = seconds;
                    table.goal("≤ 16 ms", seconds <= 16e-3);
                }
                1_000_000 => {
                    table.ratio(format!("{:.1} × the time of 100k", seconds / at_100k));
                }
                _ => {}
            }
        }
    }
    text_term(effort, &world, table)
}

/// One text term, alone and behind a cheap term, over texts of 1,600 characters.
fn text_term(effort: Effort, world: &World, table: &mut Table) -> anyhow::Result<()> {
    const COUNT: usize = 100_000;
    let mut random = Random::new(9);
    let texts: Vec<(String, String)> =
        (0..COUNT).map(|_| (prose(&mut random, 400), prose(&mut random, 1200))).collect();
    let mut data = Table100k { rows: rows(COUNT)?, texts, terms: Vec::new() };
    for text in ["c'plimsoll'", "c'Keel*haul'", "b s3 c'plimsoll'"] {
        let query = parse(text).map_err(|error| anyhow!("{error}"))?;
        let filter = compile(query.expr.as_ref(), world).map_err(|error| anyhow!("{error}"))?;
        data.terms = filter.text_terms().to_vec();
        let quick = Effort { runs: effort.runs.min(8) };
        let seconds = quick.measure(|| filter.visible(&data));
        table.row(&format!("filter `{text}`, 160 MB of text"), "100k", seconds * 1e3, "ms");
        table.goal("≤ 50 ms", seconds <= 50e-3);
    }
    Ok(())
}
