//! What a review found about answers under a budget, and what holds since (MBG-9).

use plimsoll_memory::{
    BuildContext, Compact, DetailLevel, Find, Reading, Recall, Relate, Save, SavePrompt,
    SummariseSession, Timeline,
};

use crate::support::{DAY, MINUTE, desk, save};

fn capped(max_tokens: u64) -> Reading {
    Reading { max_tokens: Some(max_tokens), ..Reading::default() }
}

#[tokio::test]
async fn mbg_9_the_total_of_a_search_is_what_matches() {
    let desk = desk().await;
    for n in 0..30 {
        desk.note(&format!("Keel {n}"), "weighed").await;
    }
    let find = |limit| Find { query: "keel".into(), limit, ..Find::default() };
    let told = desk.memory.search(find(None)).await.unwrap();
    assert_eq!((told.shown, told.total), (10, 30));
    assert!(told.text.contains("\n📊 Showing 10 of 30. Raise limit "), "{}", told.text);
    let all = desk.memory.search(find(Some(50))).await.unwrap();
    assert_eq!((all.shown, all.total), (30, 30));
    assert!(!all.text.contains("📊"), "{}", all.text);
}

#[tokio::test]
async fn mbg_9_one_token_too_few_is_told() {
    let desk = desk().await;
    for n in 0..30 {
        desk.note(&format!("Keel {n}"), "weighed and painted").await;
    }
    let query = "keel mast".to_owned();
    let find = |max_tokens| Find {
        query: query.clone(),
        reading: Reading { max_tokens, ..Reading::default() },
        ..Find::default()
    };
    let whole = desk.memory.search(find(None)).await.unwrap();
    assert!(whole.text.contains("None has all words"), "{}", whole.text);
    let all = desk.memory.search(find(Some(whole.estimated_tokens))).await.unwrap();
    assert_eq!(all.text, whole.text);
    let less = desk.memory.search(find(Some(whole.estimated_tokens - 1))).await.unwrap();
    assert!(less.text.contains("\n⚡ Budget: ~"), "{}", less.text);
    assert!(less.text.contains(&format!(" {} of 30 results shown.", less.shown)), "{}", less.text);
}

#[tokio::test]
async fn mbg_9_prompts_that_find_no_room_are_counted() {
    let desk = desk().await;
    for n in 0..3 {
        desk.note(&format!("Keel {n}"), "weighed").await;
    }
    for _ in 0..4 {
        let content = "What does the keel weigh? ".repeat(20);
        desk.memory.save_prompt(SavePrompt { content, ..SavePrompt::default() }).await.unwrap();
    }
    let told = desk.memory.context(Recall { reading: capped(150), ..Recall::default() });
    let told = told.await.unwrap();
    assert_eq!((told.shown, told.total), (3, 3));
    let counts = " 3 of 3 observations shown. 4 prompts or sessions left out. ";
    assert!(told.text.contains(counts), "{}", told.text);
}

#[tokio::test]
async fn mbg_9_a_small_context_shows_observations() {
    let desk = desk().await;
    let content = "Goal: weigh the keel. ".repeat(60);
    desk.memory
        .summarise_session(SummariseSession {
            id: "s".into(),
            content,
            ..SummariseSession::default()
        })
        .await
        .unwrap();
    for n in 0..9 {
        let text = "It was weighed again, and the numbers were written down. ".repeat(20);
        desk.memory
            .save(Save { session_id: Some("s".into()), ..save(&format!("Keel {n}"), &text) })
            .await
            .unwrap();
    }
    for (level, max) in [(DetailLevel::Standard, 100), (DetailLevel::Full, 400)] {
        let reading = Reading { detail_level: level, max_tokens: Some(max) };
        let told = desk.memory.context(Recall { reading, ..Recall::default() }).await.unwrap();
        assert!(told.shown >= 1 && told.estimated_tokens <= max, "{}", told.text);
        assert!(told.text.contains("#10 [manual] Keel 8"), "the newest: {}", told.text);
        assert!(told.text.contains("\n⚡ Budget: ~"), "{}", told.text);
    }
}

#[tokio::test]
async fn mbg_9_a_hub_tells_how_many_are_around_it() {
    let desk = desk().await;
    let hub = desk.note("Hub", "h").await;
    for n in 0..300 {
        let to = desk.note(&format!("Spoke {n}"), "s").await;
        desk.memory.relate(Relate { from: hub, to, ..Relate::default() }).await.unwrap();
    }
    let around = |max_tokens| BuildContext { id: hub, max_tokens, ..BuildContext::default() };
    let told = desk.memory.build_context(around(None)).await.unwrap();
    assert_eq!((told.shown, told.total), (100, 301));
    assert!(told.text.starts_with("The first 100 of 301 observations around #1"), "{}", told.text);
    let less = desk.memory.build_context(around(Some(300))).await.unwrap();
    assert!(less.estimated_tokens <= 300 && less.total == 301);
    assert!(less.text.contains(&format!("\n[… cut, {} of 301 obs", less.shown)), "{}", less.text);
}

#[tokio::test]
async fn mbg_9_compacting_named_notes_lists_them_first() {
    let desk = desk().await;
    for n in 1..=3 {
        desk.note(&format!("Old {n}"), "o").await;
    }
    desk.pass(9 * DAY);
    let young = desk.note("Young", "y").await;
    let ask = Compact { older_than_days: 5, ids: vec![2, young], ..Compact::default() };
    let told = desk.memory.compact(ask).await.unwrap();
    assert_eq!(told.ids, [2, young]);
    assert!(!told.text.contains("Old 1"), "{}", told.text);
    let late = "#4 [manual] Young, changed less than 5 days ago: leave it out";
    assert!(told.text.contains(late), "{}", told.text);
    assert!(desk.memory.observation(2).await.is_ok(), "nothing was replaced");
}

#[tokio::test]
async fn mbg_9_the_timeline_tells_the_time() {
    let desk = desk().await;
    desk.note("First", "a").await;
    desk.pass(95 * MINUTE);
    let second = desk.note("Second", "b").await;
    let ask = Timeline { observation_id: second, ..Timeline::default() };
    let told = desk.memory.timeline(ask).await.unwrap().text;
    assert!(told.contains("First (2026-11-16 12:00)"), "{told}");
    assert!(told.contains("Second (2026-11-16 13:35)"), "{told}");
}
