//! MBG-6 over the real use cases on a real store.

use plimsoll_budget::TextLines;
use plimsoll_memory::{
    BuildContext, Compact, DetailLevel, Find, GetObservation, Ledger, MemoryError, OwnProject,
    Progress, Reading, Recall, Relate, Reply, SMALLEST_BUDGET, Save, SavePrompt, Stats,
    SummariseSession, Timeline,
};
use plimsoll_store::Scope;
use plimsoll_tokens::bytes4;
use proptest::prelude::*;

use crate::support::{Desk, desk};

/// Texts of all sorts and sizes; each holds the word that is looked for.
fn content() -> impl Strategy<Value = String> {
    let base = prop_oneof![
        "[a-z]{1,9}( [a-z]{1,9}){0,60}",
        "[語京都タ한국어。]{1,200}",
        "(🚢|👩‍🚀|é|𝕏| ){1,80}",
        "(fn [a-z]{1,8}\\(\\) \\{\n    let x = [0-9]{1,5};\n\\}\n){1,9}",
        "[a-z]{1,400}",
    ];
    (base, prop_oneof![8 => Just(1usize), 1 => 2..40usize, 1 => 40..4000usize]).prop_map(
        |(base, times)| {
            let text = format!("anchor {}", base.repeat(times));
            text[..text.floor_char_boundary(65_536)].to_owned()
        },
    )
}

/// How a read is bounded: by who asks, by the server, by the session.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    level: DetailLevel,
    asked: Option<u64>,
    ceiling: Option<u64>,
    session: Option<u64>,
}

fn tokens() -> impl Strategy<Value = u64> {
    prop_oneof![64u64..200, 200u64..2000, 2000u64..20_000]
}

fn bounds() -> impl Strategy<Value = Bounds> {
    let level = prop::sample::select(DetailLevel::ALL.to_vec());
    let rarely = || prop_oneof![2 => Just(None), 1 => tokens().prop_map(Some)];
    let session = prop_oneof![2 => Just(None), 1 => (100u64..4000).prop_map(Some)];
    (level, prop_oneof![3 => tokens().prop_map(Some), 1 => Just(None)], rarely(), session)
        .prop_map(|(level, asked, ceiling, session)| Bounds { level, asked, ceiling, session })
}

impl Bounds {
    fn reading(self) -> Reading {
        Reading { detail_level: self.level, max_tokens: self.asked }
    }

    fn ledger(self) -> Ledger {
        Ledger::new(self.session).with_answer_limit(self.ceiling)
    }

    /// The most that the next read may weigh; none where the session's budget is used up.
    fn most(self, sent: u64) -> Option<u64> {
        let half = self.session.map(|budget| budget.saturating_sub(sent) / 2);
        let most = [self.asked, self.ceiling, half].into_iter().flatten().min();
        half.is_none_or(|half| half >= SMALLEST_BUDGET).then_some(most.unwrap_or(u64::MAX))
    }
}

#[derive(Clone, Debug)]
enum Item {
    Note { title: String, content: String, session: usize, project: usize, scope: Scope },
    Prompt(String),
    Summary(String),
}

/// The projects of notes; readers sit in the first, in none, or look at all.
const PROJECTS: [&str; 3] = ["harbour", "sea", "default"];

fn item() -> impl Strategy<Value = Item> {
    prop_oneof![
        5 => (
            "[A-Za-z語é🚢 ]{0,60}",
            content(),
            0..3usize,
            0..PROJECTS.len(),
            prop::sample::select(vec![Scope::Project, Scope::Project, Scope::Personal]),
        ).prop_map(|(title, content, session, project, scope)| {
            Item::Note { title: format!("T{title}"), content, session, project, scope }
        }),
        1 => content().prop_map(Item::Prompt),
        1 => content().prop_map(Item::Summary),
    ]
}

async fn fill(desk: &Desk, items: &[Item]) -> Vec<u64> {
    let mut ids = Vec::new();
    for (n, item) in items.iter().enumerate() {
        desk.pass(1000);
        match item {
            Item::Note { title, content, session, project, scope } => {
                let save = Save {
                    title: format!("{title} {n}"),
                    content: content.clone(),
                    session_id: Some(format!("s{session}-{project}")),
                    project: Some(PROJECTS[*project].to_owned()),
                    scope: *scope,
                    ..Save::default()
                };
                ids.extend(desk.memory.save(save).await.unwrap().ids);
            }
            Item::Summary(content) => {
                let ask = SummariseSession {
                    id: format!("w{n}"),
                    content: content.clone(),
                    ..SummariseSession::default()
                };
                desk.memory.summarise_session(ask).await.unwrap();
            }
            Item::Prompt(content) => {
                let prompt = SavePrompt { content: content.clone(), ..SavePrompt::default() };
                desk.memory.save_prompt(prompt).await.unwrap();
            }
        }
    }
    ids
}

/// What holds of every bounded answer, next to the same answer without a bound.
fn stays_within(told: &Reply, whole: &Reply, max: u64) -> Result<(), TestCaseError> {
    let text = &told.text;
    prop_assert!(bytes4(text) <= max, "{} > {max}:\n{text}", bytes4(text));
    prop_assert_eq!(told.estimated_tokens, bytes4(text));
    prop_assert_eq!(told.total, whole.total);
    prop_assert!(whole.ids.starts_with(&told.ids), "{:?} {:?}", told.ids, whole.ids);
    prop_assert!(told.shown <= whole.shown);
    for id in &told.ids {
        prop_assert!(text.contains(&format!("#{id} ")), "#{id}\n{text}");
    }
    Ok(())
}

/// MBG-9: no footers; what is missing leaves a mark.
fn keeps_plainly(told: &Reply, whole: &Reply, max: u64) -> Result<(), TestCaseError> {
    stays_within(told, whole, max)?;
    let last = told.text.lines().next_back().unwrap_or_default();
    prop_assert!(!last.starts_with("📏") && !told.text.contains("\n⚡ Budget"), "{}", told.text);
    prop_assert_eq!(told.text == whole.text, bytes4(&whole.text) <= max, "{}", told.text);
    if told.text != whole.text {
        prop_assert!(last.contains("[… cut") && last.ends_with(']'), "{}", told.text);
    }
    Ok(())
}

/// MBG-3 to MBG-5: what is missing leaves the budget footer, and its counts are true.
fn keeps_to_it(told: &Reply, whole: &Reply, max: u64, noun: &str) -> Result<(), TestCaseError> {
    stays_within(told, whole, max)?;
    let text = &told.text;
    let footer = format!("📏 ~{} tokens", plimsoll_tokens::commas(told.estimated_tokens));
    prop_assert!(text.ends_with(&footer), "{text}");
    let footer = text.lines().rev().find(|line| line.starts_with("⚡ Budget: ~"));
    prop_assert_eq!(footer.is_some(), bytes4(&whole.text) > max, "{}", text);
    if let Some(footer) = footer {
        let counts = format!(" {} of {} {noun} shown.", told.shown, told.total);
        prop_assert!(footer.contains(&counts), "{counts}\n{text}");
        let stated = footer.trim_start_matches("⚡ Budget: ~").split('/').next().unwrap();
        prop_assert_eq!(stated.parse::<u64>(), Ok(told.estimated_tokens));
    }
    Ok(())
}

/// How many of the items a reader finds.
fn visible(items: &[Item], own: Option<&str>) -> usize {
    let seen = |item: &&Item| match (item, own) {
        (_, None) | (Item::Note { scope: Scope::Personal, .. }, _) => true,
        (Item::Note { project, .. }, Some(own)) => PROJECTS[*project] == own,
        // What names no project is written from the harbour.
        (Item::Prompt(_) | Item::Summary(_), Some(own)) => own == "harbour",
    };
    items.iter().filter(seen).count()
}

/// A read with bounds beside the same without; none where the session's budget is used up,
/// which it must say.
macro_rules! both {
    ($memory:expr, $free:expr, $bounds:expr, $method:ident, |$reading:ident| $ask:expr) => {{
        let most = $bounds.most($memory.ledger().total());
        let told = {
            let $reading = $bounds.reading();
            $memory.$method($ask).await
        };
        let whole = {
            let $reading = Reading { max_tokens: None, ..$bounds.reading() };
            $free.$method($ask).await.unwrap()
        };
        match most {
            Some(most) => Some((told.unwrap(), whole, most)),
            None => {
                prop_assert!(matches!(told, Err(MemoryError::Budget(_))));
                None
            }
        }
    }};
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// MBG-6: never over, counts true, a prefix of the order of worth, the focus there.
    #[test]
    fn mbg_6_every_read_keeps_to_its_budget(
        items in prop::collection::vec(item(), 1..25),
        bounds in prop::collection::vec(bounds(), 6),
        focus in any::<prop::sample::Index>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let desk = desk().await;
            let ids = fill(&desk, &items).await;
            let readers = [
                (OwnProject::Is("harbour".to_owned()), Some("harbour")),
                (OwnProject::Unknown, Some("default")),
                (OwnProject::ReadsAll("sea".to_owned()), None),
            ];
            for (n, bounds) in bounds.into_iter().enumerate() {
                let (own, project) = readers[n % readers.len()].clone();
                let free = desk.seen_from(own.clone());
                let memory = desk.seen_within(own, bounds.ledger());
                let told = both!(memory, free, bounds, search, |reading| {
                    Find { query: "anchor".into(), reading, ..Find::default() }
                });
                if let Some((told, whole, most)) = told {
                    prop_assert_eq!(whole.total, visible(&items, project), "Y is what matches");
                    prop_assert_eq!(whole.shown, whole.total.min(10));
                    keeps_to_it(&told, &whole, most, "results")?;
                }
                let told = both!(memory, free, bounds, context, |reading| {
                    Recall { limit: Some(9), reading, ..Recall::default() }
                });
                if let Some((told, whole, most)) = told {
                    keeps_to_it(&told, &whole, most, "observations")?;
                }
                if ids.is_empty() {
                    continue;
                }
                let id = ids[focus.index(ids.len())];
                let told = both!(memory, free, bounds, timeline, |reading| {
                    Timeline { observation_id: id, reading, ..Timeline::default() }
                });
                if let Some((told, whole, most)) = told {
                    keeps_to_it(&told, &whole, most, "entries")?;
                    prop_assert_eq!(told.ids.first(), Some(&id), "the focus is never lost");
                }
            }
            Ok(())
        })?;
    }

    /// MBG-6, MBG-9: the same of the reads without footers.
    #[test]
    fn mbg_6_reads_without_footers_keep_to_their_budget_too(
        items in prop::collection::vec(item(), 1..25),
        bounds in prop::collection::vec(bounds(), 6),
        focus in any::<prop::sample::Index>(),
        document in prop::collection::vec(content(), 0..9),
        from in any::<prop::sample::Index>(),
        lines in prop::option::of(1..60usize),
        arrows in prop::collection::vec(any::<[prop::sample::Index; 2]>(), 0..30),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let desk = desk().await;
            let ids = fill(&desk, &items).await;
            for [one, other] in arrows {
                let Some((from, to)) = pick(&ids, &one).zip(pick(&ids, &other)) else { break };
                let _ = desk.memory.relate(Relate { from, to, ..Relate::default() }).await;
            }
            let document = serde_json::to_string(&document).unwrap();
            let progress = |content, max_tokens| Progress {
                project: "harbour".into(),
                content,
                max_tokens,
                ..Progress::default()
            };
            let saved = document.len() <= 65_536;
            if saved {
                desk.memory.progress(progress(Some(document), None)).await.unwrap();
            }
            for bounds in bounds {
                let own = OwnProject::ReadsAll("harbour".to_owned());
                let free = desk.seen_from(own.clone());
                let memory = desk.seen_within(own, bounds.ledger());
                // What was sent so far is part of the statistics, so it must be the same.
                let told = both!(memory, free, bounds, stats, |reading| {
                    Stats { max_tokens: reading.max_tokens, ..Stats::default() }
                });
                if let Some((told, whole, most)) = told.filter(|_| bounds.session.is_none()) {
                    keeps_plainly(&told, &whole, most)?;
                }
                let told = both!(memory, free, bounds, progress, |reading| {
                    progress(None, reading.max_tokens)
                });
                if let Some((told, whole, most)) = told {
                    prop_assert!(bytes4(&told.text) <= most, "{}", told.text);
                    prop_assert_eq!(told.text == whole.text, bytes4(&whole.text) <= most);
                }
                let Some(id) = pick(&ids, &focus) else { continue };
                let told = both!(memory, free, bounds, build_context, |reading| {
                    BuildContext { id, depth: Some(4), max_tokens: reading.max_tokens }
                });
                if let Some((told, whole, most)) = told {
                    keeps_plainly(&told, &whole, most)?;
                }
                let text = desk.memory.observation(id).await.unwrap().content;
                let from = 1 + from.index(TextLines::of(&text).count());
                let get = |max_tokens| GetObservation {
                    id, from: Some(from), lines, max_tokens, ..GetObservation::default()
                };
                let told =
                    both!(memory, free, bounds, get_observation, |reading| get(reading.max_tokens));
                if let Some((told, whole, most)) = told {
                    keeps_plainly(&told, &whole, most)?;
                }
                let told = both!(memory, free, Bounds { asked: None, ..bounds }, compact, |_reading| {
                    Compact { older_than_days: 0, ..Compact::default() }
                });
                if let Some((told, whole, most)) = told {
                    keeps_plainly(&told, &whole, most)?;
                }
            }
            Ok(())
        })?;
    }
}

fn pick(ids: &[u64], at: &prop::sample::Index) -> Option<u64> {
    (!ids.is_empty()).then(|| ids[at.index(ids.len())])
}
