//! Budgets over the wire (MBG-5, MBG-7).

use plimsoll_tokens::{Estimator, Tokenizer};
use serde_json::json;

use crate::harness::{ERAS, SHOWS_BOTH, call, harness, harness_with, refused, text, told};

#[tokio::test]
async fn mbg_5_reads_stay_within_their_budget() {
    let harness = harness().await;
    let client = harness.client_named(ERAS[0], SHOWS_BOTH).await;
    for at in 0..30 {
        let content = format!("harbour note {at} {}", "silt and tide ".repeat(at * 4));
        let save = json!({"title": format!("Note {at}"), "content": content, "session_id": "s"});
        told(&client, "mem_save", save).await;
    }
    let long = json!({"name": "N", "description": "harbour ".repeat(4_000)});
    told(&client, "sdd_init_project", long).await;
    std::fs::write(harness.project.join("AGENTS.md"), "harbour rules ".repeat(3_000)).unwrap();
    for max in [64, 100, 333, 2_000, 20_000] {
        for level in ["summary", "standard", "full"] {
            for (name, mut arguments) in [
                ("mem_search", json!({"query": "harbour", "limit": 50})),
                ("mem_context", json!({})),
                ("mem_timeline", json!({"observation_id": 15, "before": 20, "after": 20})),
                ("sdd_get_context", json!({})),
                ("sdd_context_check", json!({"change_description": "harbour"})),
            ] {
                arguments["max_tokens"] = max.into();
                arguments["detail_level"] = level.into();
                let result = call(&client, name, arguments).await;
                let said = text(&result);
                let estimate = said.len() / 4;
                assert!(estimate <= max, "{name} {level}: {estimate} > {max}: {said}");
                let structured = result.structured_content.unwrap();
                assert_eq!(structured["estimated_tokens"], estimate, "{name}");
                let last = said.lines().last().unwrap();
                assert!(last.starts_with("📏 ~") && last.ends_with(" tokens"), "{name}: {said}");
            }
        }
    }
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn mbg_7_a_session_budget_caps_every_read_of_a_connection() {
    let harness = harness_with(|parts| parts.session_budget = Some(600)).await;
    let client = harness.client(ERAS[0]).await;
    let description = "harbour ".repeat(2_000);
    told(&client, "sdd_init_project", json!({"name": "N", "description": description})).await;
    let first = told(&client, "sdd_get_context", json!({"detail_level": "full"})).await;
    assert!(first.len() / 4 <= 600, "{}", first.len());
    let mut sent = 0;
    let spent = loop {
        let result = call(&client, "sdd_get_context", json!({"detail_level": "full"})).await;
        if result.is_error == Some(true) {
            break text(&result);
        }
        sent += text(&result).len() / 4;
        assert!(sent <= 600, "{sent}");
    };
    assert!(spent.contains("600") && spent.contains("--session-budget"), "{spent}");
    let other = harness.client(ERAS[1]).await;
    told(&other, "sdd_get_context", json!({})).await;
    client.cancel().await.unwrap();
    other.cancel().await.unwrap();
}

#[tokio::test]
async fn mbg_7_a_session_budget_caps_the_status_of_changes_too() {
    let harness = harness_with(|parts| parts.session_budget = Some(400)).await;
    let client = harness.client(ERAS[0]).await;
    let description = "harbour ".repeat(20);
    let change = json!({"type": "feature", "size": "large", "description": description});
    told(&client, "sdd_change", change).await;
    let mut sent = 0;
    let spent = loop {
        let result = call(&client, "sdd_change_status", json!({})).await;
        if result.is_error == Some(true) {
            break text(&result);
        }
        sent += text(&result).len() / 4;
        assert!(sent <= 400, "{sent}");
    };
    assert!(sent > 100 && spent.contains("--session-budget"), "{sent}: {spent}");
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn mbg_7_stats_show_what_was_sent_by_tool() {
    let harness = harness().await;
    let client = harness.client(ERAS[1]).await;
    told(&client, "sdd_init_project", json!({"name": "N", "description": "d"})).await;
    told(&client, "sdd_get_context", json!({})).await;
    let stats = told(&client, "mem_stats", json!({})).await;
    assert!(stats.contains("sdd_get_context") && stats.contains("sdd_init_project"), "{stats}");
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn mbg_7_an_exact_tokenizer_counts_where_it_is_asked_for() {
    let o200k = Estimator::Exact(Tokenizer::O200k);
    let harness = harness_with(|parts| parts.counter = o200k).await;
    let client = harness.client(ERAS[0]).await;
    // One token each, but fourteen bytes.
    let description = "international ".repeat(500);
    told(&client, "sdd_init_project", json!({"name": "N", "description": description})).await;
    let read = json!({"detail_level": "full", "max_tokens": 200});
    let said = told(&client, "sdd_get_context", read).await;
    assert!(Tokenizer::O200k.count(&said) <= 200, "{said}");
    assert!(said.len() / 4 > 200, "bytes by four would have said otherwise");
    refused(&client, "sdd_get_context", json!({"max_tokens": "none"})).await;
    client.cancel().await.unwrap();
}
