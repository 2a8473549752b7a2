//! What is found by words and what is found by meaning, in one list (MEM-10).

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use plimsoll_memory::{Find, Memory, Reading, Save, SavePrompt};
use plimsoll_store::Scope;

use crate::{
    meaning::{Model, always, fill, meaning},
    support::{DAY, Desk, desk, save},
};

/// The desk's memory with search by meaning; what is on the desk by now has its vectors.
async fn with_meaning(desk: &Desk) -> (Memory, Arc<Model>) {
    let (meaning, model) = meaning(desk);
    fill(&meaning).await;
    (desk.memory.clone().with_meaning(always(meaning)), model)
}

fn words(query: &str) -> Find {
    Find { query: query.to_owned(), ..Find::default() }
}

async fn found(memory: &Memory, ask: Find) -> Vec<u64> {
    memory.search(ask).await.unwrap().ids
}

#[tokio::test]
async fn mem_10_a_note_without_a_word_in_common_is_found_and_says_how() {
    let desk = desk().await;
    let vessel = desk.note("Hull", "the vessel needs paint").await;
    let boat = desk.note("Quay", "a boat lies there").await;
    desk.note("Bill", "the price went up").await;
    let (memory, _) = with_meaning(&desk).await;
    let told = memory.search(words("boat")).await.unwrap();
    assert_eq!(told.ids, [boat, vessel], "{}", told.text);
    assert_eq!(told.text.matches("(by ").count(), 1, "{}", told.text);
    assert!(told.text.contains("(by meaning) the vessel needs paint"), "{}", told.text);
    assert!(told.text.starts_with("Found 2 for \"boat\"."), "{}", told.text);
    assert!(!told.text.contains("None has all words"), "{}", told.text);
    // Where no note has all words, that is said of both ways.
    let told = memory.search(words("paint the ship")).await.unwrap();
    assert_eq!(told.ids, [vessel, boat], "{}", told.text);
    assert!(told.text.contains("these have some or mean the like."), "{}", told.text);
    assert!(told.text.contains("(by some words and meaning)"), "{}", told.text);
    let records = memory.find_observations(None, None, "ship", 5).await.unwrap();
    assert_eq!(records.len(), 2);
    // By words alone, as it is without.
    assert_eq!(found(&desk.memory, words("boat")).await, [boat]);
}

/// Notes and prompts are numbered apart.
#[tokio::test]
async fn mem_10_a_prompt_is_not_taken_for_the_note_with_its_number() {
    let desk = desk().await;
    let vessel = desk.note("Hull", "the vessel needs paint").await;
    let prompt = SavePrompt { content: "tie the boat".to_owned(), ..SavePrompt::default() };
    desk.memory.save_prompt(prompt).await.unwrap();
    let (memory, _) = with_meaning(&desk).await;
    let told = memory.search(words("boat")).await.unwrap();
    assert_eq!((vessel, told.ids, told.total), (1, vec![1], 2), "{}", told.text);
    assert!(told.text.contains("tie the **boat**"), "{}", told.text);
    assert_eq!(told.text.matches("(by meaning)").count(), 1, "{}", told.text);
}

#[tokio::test]
async fn mem_10_the_model_is_asked_in_its_own_language_alone() {
    let desk = desk().await;
    desk.note("Hull", "the vessel needs paint").await;
    let (memory, model) = with_meaning(&desk).await;
    let asked = || model.asked.load(Ordering::Relaxed);
    let before = asked();
    for query in ["wo liegt das boat", "boat 在哪里可以找到", "où est le boat", "\"boat\""]
    {
        let told = memory.search(words(query)).await.unwrap();
        assert_eq!(told.ids, [0; 0], "{}", told.text);
        assert_eq!(asked(), before, "{query}");
    }
    assert_eq!(found(&memory, words("where is the boat")).await, [1]);
    assert_eq!(asked(), before + 1);
}

#[tokio::test]
async fn mem_10_a_model_that_fails_takes_nothing_away() {
    let desk = desk().await;
    for n in 0..20 {
        desk.note(&format!("Quay {n}"), "a boat lies there").await;
    }
    let (memory, model) = with_meaning(&desk).await;
    model.broken.store(true, Ordering::Relaxed);
    for query in ["boat", "quay 7", "boat of nobody", "vessel", ""] {
        let (with, without) =
            (memory.search(words(query)).await, desk.memory.search(words(query)).await);
        assert_eq!(with.unwrap(), without.unwrap(), "{query}");
    }
}

#[tokio::test]
async fn mem_10_filters_hold_for_what_is_found_by_meaning() {
    let desk = desk().await;
    let old = desk.note("Old hull", "the vessel needs paint").await;
    desk.pass(DAY);
    let decision = Save { kind: Some("decision".to_owned()), ..save("Hull", "paint the vessel") };
    let decision = desk.memory.save(decision).await.unwrap().ids[0];
    let part = Save { namespace: Some("dock".to_owned()), ..save("Dock", "no vessel in there") };
    let part = desk.memory.save(part).await.unwrap().ids[0];
    let elsewhere = desk.in_project("elsewhere");
    let theirs = elsewhere.save(save("Theirs", "their own vessel")).await.unwrap().ids[0];
    let personal = Save { scope: Scope::Personal, ..save("Mine", "my own vessel") };
    let personal = elsewhere.save(personal).await.unwrap().ids[0];
    let gone = desk.note("Gone", "a vessel that sank").await;
    let (memory, _) = with_meaning(&desk).await;
    desk.memory.delete(gone, false).await.unwrap();
    let sorted = async |ask: Find| {
        let mut ids = found(&memory, ask).await;
        ids.sort_unstable();
        ids
    };
    assert_eq!(sorted(words("boat")).await, [old, decision, part, personal]);
    let kind = Find { kind: Some("decision".to_owned()), ..words("boat") };
    assert_eq!(sorted(kind).await, [decision]);
    let project = Find { project: Some("elsewhere".to_owned()), ..words("boat") };
    assert_eq!(sorted(project).await, [theirs, personal]);
    let all = Find { project: Some("*".to_owned()), ..words("boat") };
    assert_eq!(sorted(all).await, [old, decision, part, theirs, personal]);
    let scope = Find { scope: Some(Scope::Personal), ..words("boat") };
    assert_eq!(sorted(scope).await, [personal]);
    let namespace = Find { namespace: Some("dock".to_owned()), ..words("boat") };
    assert_eq!(sorted(namespace).await, [part]);
    let since = Some(memory.parse_since("1h").unwrap());
    assert_eq!(sorted(Find { since, ..words("boat") }).await, [decision, part, personal]);
}

#[tokio::test]
async fn mem_10_limits_and_budgets_hold_for_what_is_found_by_meaning() {
    let desk = desk().await;
    for n in 0..60 {
        desk.note(&format!("Hull {n}"), &"the vessel needs paint. ".repeat(40)).await;
    }
    desk.note("Quay", "a boat lies there").await;
    let (memory, _) = with_meaning(&desk).await;
    for limit in [1, 7, 50] {
        let told = memory.search(Find { limit: Some(limit), ..words("boat") }).await.unwrap();
        assert_eq!((told.shown, told.ids.len()), (limit, limit), "{}", told.text);
        let counted = format!("Found the best {limit} of 50+ for");
        assert!(told.text.starts_with(&counted), "{}", told.text);
    }
    for max_tokens in [64, 100, 400, 1500] {
        let reading = Reading { max_tokens: Some(max_tokens), ..Reading::default() };
        let ask = Find { limit: Some(50), reading, ..words("boat") };
        let told = memory.search(ask).await.unwrap();
        assert!(told.estimated_tokens <= max_tokens, "{max_tokens}: {}", told.estimated_tokens);
        assert!(told.shown < told.total, "{}", told.text);
    }
}

/// A switch that is turned while a client is connected.
#[tokio::test]
async fn mem_10_meaning_is_looked_for_at_each_search() {
    let desk = desk().await;
    let vessel = desk.note("Hull", "the vessel needs paint").await;
    let (meaning, _) = meaning(&desk);
    fill(&meaning).await;
    let (on, meaning) = (Arc::new(AtomicBool::new(false)), Arc::new(meaning));
    let switch = Arc::clone(&on);
    let memory = desk.memory.clone().with_meaning(Arc::new(move || {
        switch.load(Ordering::Relaxed).then(|| Arc::clone(&meaning))
    }));
    for now in [false, true, false] {
        on.store(now, Ordering::Relaxed);
        let expected = if now { vec![vessel] } else { Vec::new() };
        assert_eq!(found(&memory, words("boat")).await, expected);
    }
}
