//! MBG-6 over the real use cases on a real store.

use plimsoll_memory::{
    DetailLevel, Find, Memory, OwnProject, Reading, Recall, Reply, Save, SavePrompt,
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

fn reading() -> impl Strategy<Value = Reading> {
    let level = prop::sample::select(DetailLevel::ALL.to_vec());
    let budget = prop_oneof![64u64..200, 200u64..2000, 2000u64..20_000];
    (level, budget).prop_map(|(detail_level, max_tokens)| Reading {
        detail_level,
        max_tokens: Some(max_tokens),
    })
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
                let ask = SummariseSession { id: format!("w{n}"), content: content.clone() };
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

/// What holds of every budgeted answer, next to the same answer without a budget.
fn keeps_to_it(told: &Reply, whole: &Reply, max: u64, noun: &str) -> Result<(), TestCaseError> {
    let text = &told.text;
    prop_assert!(bytes4(text) <= max, "{} > {max}:\n{text}", bytes4(text));
    prop_assert_eq!(told.estimated_tokens, bytes4(text));
    prop_assert_eq!(told.total, whole.total);
    let footer = format!("📏 ~{} tokens", plimsoll_tokens::commas(told.estimated_tokens));
    prop_assert!(text.ends_with(&footer), "{text}");
    prop_assert!(whole.ids.starts_with(&told.ids), "{:?} {:?}", told.ids, whole.ids);
    prop_assert!(told.shown <= whole.shown);
    let left_out = told.cut || told.shown < whole.shown;
    let counts = format!(" {} of {} {noun} shown.", told.shown, told.total);
    if left_out {
        prop_assert!(text.contains(&counts), "{counts}\n{text}");
    }
    if let Some(stated) = text.split("⚡ Budget: ~").nth(1) {
        prop_assert!(text.contains(&counts));
        let stated = stated.split('/').next().unwrap().parse::<u64>();
        prop_assert_eq!(stated, Ok(told.estimated_tokens));
    }
    for id in &told.ids {
        prop_assert!(text.contains(&format!("#{id} ")), "#{id}\n{text}");
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

/// The same question without a budget.
fn unbounded(reading: Reading) -> Reading {
    Reading { max_tokens: None, ..reading }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// MBG-6: never over, counts true, a prefix of the order of worth, the focus there.
    #[test]
    fn mbg_6_every_read_keeps_to_its_budget(
        items in prop::collection::vec(item(), 1..25),
        readings in prop::collection::vec(reading(), 6),
        focus in any::<prop::sample::Index>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let desk = desk().await;
            let ids = fill(&desk, &items).await;
            let readers = [
                (desk.memory.clone(), Some("harbour")),
                (desk.seen_from(OwnProject::Unknown), Some("default")),
                (desk.seen_from(OwnProject::ReadsAll("sea".to_owned())), None),
            ];
            for (n, reading) in readings.into_iter().enumerate() {
                let (memory, own): &(Memory, Option<&str>) = &readers[n % readers.len()];
                let max = reading.max_tokens.unwrap();
                let context = |reading| Recall { limit: Some(9), reading, ..Recall::default() };
                let told = memory.context(context(reading)).await.unwrap();
                let whole = memory.context(context(unbounded(reading))).await.unwrap();
                keeps_to_it(&told, &whole, max, "observations")?;

                let find = |reading| Find { query: "anchor".into(), reading, ..Find::default() };
                let told = memory.search(find(reading)).await.unwrap();
                let whole = memory.search(find(unbounded(reading))).await.unwrap();
                prop_assert_eq!(whole.total, visible(&items, *own).min(10));
                keeps_to_it(&told, &whole, max, "results")?;

                if ids.is_empty() {
                    continue;
                }
                let id = ids[focus.index(ids.len())];
                let around = |reading| Timeline { observation_id: id, reading, ..Timeline::default() };
                let told = memory.timeline(around(reading)).await.unwrap();
                let whole = memory.timeline(around(unbounded(reading))).await.unwrap();
                keeps_to_it(&told, &whole, max, "entries")?;
                prop_assert_eq!(told.ids.first(), Some(&id), "the focus is never lost");
            }
            Ok(())
        })?;
    }
}
