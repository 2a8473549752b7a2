//! Budgets over the wire (MBG-5, MBG-7).

use plimsoll_tokens::{Estimator, Tokenizer};
use serde_json::{Value, json};

use crate::harness::{ERAS, Harness, SHOWS_BOTH, call, harness, harness_with, refused, text, told};

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
    let harness = harness_with(|parts| parts.session_budget = Some(1200)).await;
    let client = harness.client(ERAS[0]).await;
    let description = "harbour ".repeat(2_000);
    told(&client, "sdd_init_project", json!({"name": "N", "description": description})).await;
    let first = told(&client, "sdd_get_context", json!({"detail_level": "full"})).await;
    assert!(first.len() / 4 <= 600, "{}", first.len());
    let help = "left, a read takes half; use detail_level=summary.";
    assert!(first.contains(help) && !first.contains("Increase max_tokens"), "{first}");
    let mut sent = 0;
    let spent = loop {
        let result = call(&client, "sdd_get_context", json!({"detail_level": "full"})).await;
        if result.is_error == Some(true) {
            break text(&result);
        }
        sent += text(&result).len() / 4;
        assert!(sent <= 600, "{sent}");
    };
    assert!(spent.contains("1200") && spent.contains("--session-budget"), "{spent}");
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
    assert!(sent > 60 && spent.contains("--session-budget"), "{sent}: {spent}");
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

/// Every tool that reads, with enough to tell.
async fn filled(harness: &Harness) -> Vec<(&'static str, Value)> {
    let client = harness.client(ERAS[0]).await;
    for at in 0..30 {
        let content = format!("harbour note {at}\n{}", "silt and tide\n".repeat(at * 40));
        let save = json!({"title": format!("Note {at}"), "content": content, "session_id": "s"});
        told(&client, "mem_save", save).await;
        if at > 0 {
            told(&client, "mem_relate", json!({"from": 1, "to": at + 1})).await;
        }
    }
    let document = json!({"done": (0..400).collect::<Vec<u32>>(), "next": "silt ".repeat(900)});
    told(&client, "mem_progress", json!({"project": "tide-tables", "content": document})).await;
    let long = json!({"name": "N", "description": "harbour ".repeat(4_000)});
    told(&client, "sdd_init_project", long).await;
    let words = "harbour ".repeat(300);
    let change = json!({"type": "feature", "size": "large", "description": words});
    told(&client, "sdd_change", change).await;
    std::fs::write(harness.project.join("AGENTS.md"), "harbour rules ".repeat(9_000)).unwrap();
    client.cancel().await.unwrap();
    vec![
        ("mem_search", json!({"query": "harbour", "limit": 50, "detail_level": "full"})),
        ("mem_context", json!({"detail_level": "full"})),
        ("mem_timeline", json!({"observation_id": 20, "detail_level": "full"})),
        ("sdd_get_context", json!({"detail_level": "full"})),
        ("sdd_context_check", json!({"change_description": "harbour", "detail_level": "full"})),
        ("mem_get_observation", json!({"id": 30})),
        ("mem_build_context", json!({"id": 1})),
        ("mem_progress", json!({"project": "tide-tables"})),
        ("mem_stats", json!({})),
        ("mem_compact", json!({"older_than_days": 0})),
        ("sdd_change_status", json!({})),
    ]
}

#[tokio::test]
async fn mbg_9_every_read_has_a_ceiling() {
    let harness = harness_with(|parts| parts.answer_limit = Some(300)).await;
    let reads = filled(&harness).await;
    let client = harness.client(ERAS[1]).await;
    for (at, (name, arguments)) in reads.into_iter().enumerate() {
        for asked in [None, Some(100), Some(5_000)] {
            let mut arguments = arguments.clone();
            if let Some(asked) = asked.filter(|_| name != "mem_compact") {
                arguments["max_tokens"] = asked.into();
            }
            let said = told(&client, name, arguments).await;
            let most = asked.filter(|_| name != "mem_compact").unwrap_or(300).min(300);
            assert!(said.len() / 4 <= most, "{name}: {} > {most}", said.len() / 4);
            let last = said.lines().last().unwrap();
            let by_server = "Limit of this server: 300; ask for a part with from/lines or \
                             detail_level=summary.";
            if at < 5 {
                assert!(last.starts_with("📏"), "{name}: {said}");
                assert_eq!(said.contains(by_server), most == 300, "{name}: {said}");
            } else {
                assert!(!said.contains("📏") && !said.contains("⚡"), "{name}: {said}");
                let long = ["mem_get_observation", "mem_build_context", "mem_progress"];
                assert!(!long.contains(&name) || last.contains("[… cut"), "{name}: {said}");
            }
        }
    }
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn mbg_9_a_cut_note_is_read_to_its_end_by_its_lines() {
    let harness = harness_with(|parts| parts.answer_limit = Some(200)).await;
    let client = harness.client(ERAS[0]).await;
    let content: String = (1..=300).map(|n| format!("line {n} of the log\n")).collect();
    told(&client, "mem_save", json!({"title": "Log", "content": content})).await;
    let found = told(&client, "mem_search", json!({"query": "log", "detail_level": "full"})).await;
    let (_, rest) = found.split_once("[… cut, full text: mem_get_observation id=1 from=").unwrap();
    let mut from: usize = rest.split(']').next().unwrap().parse().unwrap();
    let mut read: Vec<String> = found
        .lines()
        .filter(|line| line.starts_with("line "))
        .take(from - 1)
        .map(|line| line.split(" [… cut").next().unwrap().to_owned())
        .collect();
    loop {
        let part = told(&client, "mem_get_observation", json!({"id": 1, "from": from})).await;
        let lines = part.lines().filter(|line| line.starts_with("line "));
        read.extend(lines.map(ToOwned::to_owned));
        match part.rsplit_once(" from=") {
            Some((_, next)) => from = next.trim_end_matches(']').parse().unwrap(),
            None => break,
        }
    }
    assert_eq!(read, content.lines().collect::<Vec<_>>());
    let two = told(&client, "mem_get_observation", json!({"id": 1, "from": "7", "lines": 2})).await;
    assert!(
        two.contains("\n\nline 7 of the log\nline 8 of the log\n[… cut, lines 7 to 8"),
        "{two}"
    );
    let beyond = refused(&client, "mem_get_observation", json!({"id": 1, "from": 301})).await;
    assert!(beyond.contains("from must be from 1 to 300"), "{beyond}");
    client.cancel().await.unwrap();
}

/// MBG-6 through the server: asked for, the ceiling, half of what is left.
#[tokio::test]
async fn mbg_6_every_bound_holds_over_the_wire() {
    for (ceiling, session) in [(20_000, 6_000), (150, 3_000), (700, 100_000), (64, 1_000)] {
        let harness = harness_with(|parts| parts.answer_limit = Some(ceiling)).await;
        let reads = filled(&harness).await;
        let harness = harness.again(|parts| parts.session_budget = Some(session));
        let client = harness.client(ERAS[0]).await;
        let mut sent = 0;
        for (at, (name, arguments)) in reads.iter().cycle().enumerate().take(40) {
            let asked = [64, 130, 400, 50_000][at % 4].max(64);
            let mut arguments = arguments.clone();
            if *name != "mem_compact" {
                arguments["max_tokens"] = asked.into();
            }
            let most = if *name == "mem_compact" { ceiling } else { asked.min(ceiling) };
            let half = (session - sent) / 2;
            let result = call(&client, name, arguments).await;
            let said = text(&result);
            if half < 64 {
                assert_eq!(result.is_error, Some(true), "{name}: {said}");
                continue;
            }
            let weight = said.len() as u64 / 4;
            assert_ne!(result.is_error, Some(true), "{name}: {said}");
            assert!(weight <= most.min(half), "{name}: {weight} > {most} or {half}: {said}");
            sent += weight;
        }
        client.cancel().await.unwrap();
    }
}
