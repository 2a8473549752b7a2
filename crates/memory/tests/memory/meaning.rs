//! Search by meaning over a real store, with a model that knows three subjects.

use std::{
    io::Cursor,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering},
    },
};

use plimsoll_domain::Timestamp;
use plimsoll_memory::{
    EmbedError, Embedder, Ledger, Meaning, MeaningError, MeaningParts, PresentMeaning, Update,
};
use plimsoll_store::{MemoryFilter, Projects, Store, VectorCounts, Workspace};

use crate::support::{DAY, Desk, NOON, desk, memory_on, open, save};

/// Each subject by words that mean it; a text is as far in a direction as it has such words.
const SUBJECTS: [&[&str]; 3] =
    [&["ship", "boat", "vessel"], &["money", "price", "cost"], &["rain", "storm", "weather"]];

#[derive(Default)]
pub(crate) struct Model {
    pub(crate) broken: AtomicBool,
    pub(crate) asked: AtomicUsize,
}

impl Embedder for Model {
    fn name(&self) -> &str {
        "subjects"
    }

    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(EmbedError("the model is not there: fetch it".to_owned()));
        }
        self.asked.fetch_add(texts.len(), Ordering::Relaxed);
        let vector = |text: &String| {
            let of = |words: &&[&str]| words.iter().map(|word| text.matches(word).count()).sum();
            let counts = SUBJECTS.iter().map(|words| -> usize { of(words) });
            let vector: Vec<f32> = counts.map(|count| count as f32).chain([0.2]).collect();
            let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
            vector.into_iter().map(|value| value / length).collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

pub(crate) fn meaning(desk: &Desk) -> (Meaning, Arc<Model>) {
    meaning_on(Arc::clone(&desk.store))
}

/// Search by meaning that is never switched off.
pub(crate) fn always(meaning: Meaning) -> PresentMeaning {
    let meaning = Arc::new(meaning);
    Arc::new(move || Some(Arc::clone(&meaning)))
}

fn meaning_on(store: Arc<dyn Store>) -> (Meaning, Arc<Model>) {
    let model = Arc::new(Model::default());
    let parts = MeaningParts {
        store,
        asking: Arc::clone(&model) as Arc<dyn Embedder>,
        filling: Arc::clone(&model) as Arc<dyn Embedder>,
    };
    (Meaning::new(parts), model)
}

pub(crate) async fn fill(meaning: &Meaning) -> u64 {
    meaning.fill(&Workspace::default(), Timestamp::from_millis(0), &|| true).await.unwrap()
}

async fn nearest(meaning: &Meaning, query: &str, count: usize) -> Vec<u64> {
    let found = meaning.nearest(&Workspace::default(), query, count).await.unwrap();
    assert!(found.is_sorted_by(|a, b| a.1 >= b.1), "{found:?}");
    found.into_iter().map(|(id, _)| id).collect()
}

#[tokio::test]
async fn mem_10_notes_are_found_by_what_they_mean() {
    let desk = desk().await;
    let (meaning, _) = meaning(&desk);
    let ship = desk.note("Hull", "the vessel needs paint").await;
    let money = desk.note("Bill", "the price went up").await;
    assert_eq!(nearest(&meaning, "boat", 5).await, [0; 0], "no vectors yet");
    assert_eq!(fill(&meaning).await, 2);
    assert_eq!(nearest(&meaning, "boat", 1).await, [ship]);
    assert_eq!(nearest(&meaning, "what does it cost", 5).await, [money, ship]);
    // What comes later is found once it has a vector, and a new text by what it means now.
    let storm = desk.note("Sky", "a storm is coming").await;
    let change = Update {
        id: ship,
        content: Some("the weather, the rain, the storm".to_owned()),
        ..Update::default()
    };
    desk.memory.update(change).await.unwrap();
    assert_eq!(nearest(&meaning, "boat", 1).await, [ship], "the old vector until then");
    assert_eq!(fill(&meaning).await, 2);
    assert_eq!(nearest(&meaning, "weather", 2).await, [storm, ship]);
    assert_eq!(fill(&meaning).await, 0, "nothing is made twice");
}

#[tokio::test]
async fn mem_10_deleted_notes_are_not_found_until_they_are_back() {
    let desk = desk().await;
    let (meaning, _) = meaning(&desk);
    let first = desk.note("One", "a ship and a boat").await;
    let second = desk.note("Two", "a ship").await;
    fill(&meaning).await;
    assert_eq!(nearest(&meaning, "vessel", 1).await, [second]);
    desk.memory.delete(second, false).await.unwrap();
    assert_eq!(nearest(&meaning, "vessel", 1).await, [first]);
    let workspace = Workspace::default();
    let deletion = desk.store.deletion_of_note(&workspace, second).await.unwrap().unwrap();
    desk.store.restore(&workspace, deletion).await.unwrap();
    assert_eq!(nearest(&meaning, "vessel", 1).await, [second]);
    desk.memory.delete(second, true).await.unwrap();
    desk.memory.delete(first, true).await.unwrap();
    assert_eq!(nearest(&meaning, "vessel", 1).await, [0; 0]);
}

#[tokio::test]
async fn mem_10_a_filter_that_lets_few_through_still_finds_the_closest() {
    let desk = desk().await;
    let (meaning, _) = meaning(&desk);
    // More than are held against a filter one by one.
    for n in 0..700 {
        desk.note(&format!("Note {n}"), "ship ship ship").await;
    }
    let other = desk.in_project("elsewhere");
    let weather = other.save(save("Sky", "rain, and a ship")).await.unwrap().ids[0];
    let far = other.save(save("Sky at night", "rain rain rain, and a ship")).await.unwrap().ids[0];
    fill(&meaning).await;
    let filter = MemoryFilter {
        projects: Projects::Only(vec!["elsewhere".to_owned()]),
        ..MemoryFilter::default()
    };
    let workspace = Workspace::default();
    let found = meaning.nearest_passing(&workspace, "vessel", &filter, 3).await.unwrap();
    assert_eq!(found.iter().map(|one| one.0).collect::<Vec<_>>(), [weather, far]);
    assert_eq!(nearest(&meaning, "vessel", 3).await.len(), 3);
}

#[tokio::test]
async fn mem_10_filling_stops_when_told_and_goes_on_later() {
    let desk = desk().await;
    let (meaning, model) = meaning(&desk);
    for n in 0..30 {
        desk.note(&format!("Note {n}"), "money").await;
    }
    let workspace = Workspace::default();
    let twice = AtomicUsize::new(2);
    let go_on = || twice.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
    let all = Timestamp::from_millis(0);
    let made = meaning.fill(&workspace, all, &|| go_on().is_ok()).await.unwrap();
    assert!(made > 0 && made < 30, "{made}");
    let counts = meaning.counts(&workspace).await.unwrap();
    assert_eq!(counts, VectorCounts { notes: 30, with_vectors: made });
    let asked = model.asked.load(Ordering::Relaxed);
    assert_eq!(fill(&meaning).await, 30 - made);
    assert_eq!(model.asked.load(Ordering::Relaxed), asked + 30 - made as usize);
    // Only what was changed since a time.
    desk.pass(DAY);
    desk.note("Late", "money").await;
    let since = Timestamp::from_millis(NOON + 1);
    assert_eq!(meaning.fill(&workspace, since, &|| true).await.unwrap(), 1);
}

#[tokio::test]
async fn mem_10_a_model_that_fails_says_what_to_do_and_harms_nothing() {
    let desk = desk().await;
    let (meaning, model) = meaning(&desk);
    let note = desk.note("Hull", "the vessel needs paint").await;
    model.broken.store(true, Ordering::Relaxed);
    let workspace = Workspace::default();
    let failed = meaning.fill(&workspace, Timestamp::from_millis(0), &|| true).await.unwrap_err();
    assert!(matches!(failed, MeaningError::Embed(_)), "{failed}");
    let failed = meaning.nearest(&workspace, "boat", 3).await.unwrap_err();
    assert_eq!(failed.to_string(), "the model is not there: fetch it");
    model.broken.store(false, Ordering::Relaxed);
    fill(&meaning).await;
    assert_eq!(nearest(&meaning, "boat", 3).await, [note]);
}

#[tokio::test]
async fn mem_10_what_another_process_made_is_found() {
    let desk = desk().await;
    let (here, _) = meaning(&desk);
    let note = desk.note("Hull", "the vessel needs paint").await;
    assert_eq!(nearest(&here, "boat", 3).await, [0; 0]);
    let there = meaning_on(open(&desk.path()).await).0;
    fill(&there).await;
    assert_eq!(nearest(&here, "boat", 3).await, [note]);
}

/// A terminal that saves and an import make no vectors; imported notes are as old as they were.
#[tokio::test]
async fn mem_10_the_next_filling_takes_up_what_others_brought_in() {
    let desk = desk().await;
    let (meaning, _) = meaning(&desk);
    let elsewhere = crate::support::desk().await;
    elsewhere.note("Hull", "the vessel needs paint").await;
    let mut archive = Vec::new();
    elsewhere.memory.export(&mut archive).await.unwrap();
    desk.pass(40 * DAY);
    let terminal = open(&desk.path()).await;
    let now = Arc::new(AtomicI64::new(NOON + 40 * DAY));
    let terminal = memory_on(terminal, now, Ledger::default());
    terminal.import(&mut Cursor::new(archive)).await.unwrap();
    let saved = terminal.save(save("Bill", "the price went up")).await.unwrap().ids[0];
    assert_eq!(nearest(&meaning, "cost", 1).await, [0; 0]);
    assert_eq!(fill(&meaning).await, 2);
    assert_eq!(nearest(&meaning, "cost", 1).await, [saved]);
    assert_eq!(nearest(&meaning, "boat", 9).await.len(), 2);
}

#[tokio::test]
async fn mem_10_a_memory_has_meaning_only_where_it_was_given() {
    let desk = desk().await;
    assert!(desk.memory.meaning().is_none());
    let (meaning, _) = meaning(&desk);
    let memory = desk.memory.clone().with_meaning(always(meaning));
    assert!(memory.meaning().is_some());
}
