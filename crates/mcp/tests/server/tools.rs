//! Every tool once, in both eras.

use serde_json::{Value, json};

use crate::harness::{ERAS, SHOWS_BOTH, call, harness, harness_with, refused, text, told};

/// Every tool with arguments that work, in an order in which they do.
fn calls() -> Vec<(&'static str, Value)> {
    let scores = "target_users: 90, core_functionality: 90, data_model: 90, integrations: 90, \
                  edge_cases: 90, security: 90, scale_performance: 90, scope_boundaries: 90";
    vec![
        ("mem_session_start", json!({"id": "s1", "project": "tide-tables"})),
        (
            "mem_save",
            json!({
                "title": "Use SQLite", "content": "One file, no server.", "type": "decision",
                "topic_key": "store/engine", "session_id": "s1",
            }),
        ),
        (
            "mem_save",
            json!({
                "title": "Tides are computed", "content": "Not fetched.", "session_id": "s1",
                "relate_to": [1],
            }),
        ),
        ("mem_save_prompt", json!({"content": "When does the tide turn?"})),
        ("mem_capture_passive", json!({"content": "## Key Learnings\n\n1. Harbours silt up\n"})),
        ("mem_search", json!({"query": "sqlite", "limit": "5", "max_tokens": "500"})),
        ("mem_context", json!({"detail_level": "summary"})),
        ("mem_timeline", json!({"observation_id": 1, "before": 2, "after": 2})),
        ("mem_get_observation", json!({"id": 1})),
        ("mem_update", json!({"id": 1, "content": "One file. No server at all."})),
        ("mem_suggest_topic_key", json!({"title": "Use SQLite"})),
        ("mem_stats", json!({})),
        ("mem_relate", json!({"from": 1, "to": 2, "type": "explains"})),
        ("mem_build_context", json!({"id": 1, "depth": 3})),
        ("mem_unrelate", json!({"id": 1})),
        ("mem_progress", json!({"project": "tide-tables", "content": {"done": 1}})),
        ("mem_progress", json!({"project": "tide-tables"})),
        ("mem_compact", json!({"older_than_days": 30})),
        ("mem_session_summary", json!({"id": "s1", "content": "Goal: tides. Done: all."})),
        ("mem_session_end", json!({"id": "s1"})),
        ("mem_delete", json!({"id": 2})),
        ("sdd_init_project", json!({"name": "Tide Tables", "description": "When to sail."})),
        (
            "sdd_create_proposal",
            json!({
                "problem": "p", "target_users": "u", "solution": "s", "success_criteria": "c",
            }),
        ),
        ("sdd_generate_requirements", json!({"must_have": "m", "non_functional": "n"})),
        (
            "sdd_create_business_rules",
            json!({
                "definitions": "d", "facts": "f", "constraints": "c",
            }),
        ),
        ("sdd_clarify", json!({})),
        ("sdd_clarify", json!({"answers": "a", "dimension_scores": scores})),
        (
            "sdd_create_design",
            json!({
                "overview": "o", "tech_stack": "t", "components": "c", "data_model": "d",
            }),
        ),
        ("sdd_create_tasks", json!({"tasks": "t"})),
        (
            "sdd_validate",
            json!({
                "requirements_coverage": "r", "component_coverage": "c", "consistency_issues": "none",
                "verdict": "PASS",
            }),
        ),
        ("sdd_get_context", json!({"stage": "design", "detail_level": "full"})),
        ("sdd_explore", json!({"title": "Moon phases", "goals": "Show the moon"})),
        ("sdd_context_check", json!({"change_description": "Show the moon"})),
        ("sdd_change", json!({"type": "fix", "size": "small", "description": "Moon is late"})),
        ("sdd_change_advance", json!({"content": "It is an hour late."})),
        ("sdd_change_status", json!({})),
        (
            "sdd_adr",
            json!({
                "title": "Compute the moon", "context": "c", "decision": "d", "rationale": "r",
            }),
        ),
    ]
}

#[tokio::test]
async fn every_tool_works_in_both_eras() {
    for era in ERAS {
        let harness = harness().await;
        let client = harness.client_named(era, SHOWS_BOTH).await;
        for tool in plimsoll_mcp::all_tools() {
            assert!(calls().iter().any(|(name, _)| *name == tool.name), "{} is called", tool.name);
        }
        for (name, arguments) in calls() {
            let result = call(&client, name, arguments).await;
            let said = text(&result);
            assert_ne!(result.is_error, Some(true), "{era:?} {name}: {said}");
            assert!(!said.is_empty(), "{name}");
            let structured = result.structured_content.unwrap();
            let keys: Vec<&String> = structured.as_object().unwrap().keys().collect();
            assert_eq!(keys, ["cut", "estimated_tokens", "ids", "shown", "total"], "{name}");
            assert_eq!(structured["estimated_tokens"], (said.len() as u64 / 4).max(1), "{name}");
        }
        assert!(harness.project.join("sdd/changes/moon-is-late/describe.md").is_file());
        assert!(harness.project.join("sdd/adrs/001-compute-the-moon.md").is_file());
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn sdd_5_a_finished_stage_is_remembered_and_updated_in_place() {
    let harness = harness().await;
    let client = harness.client(ERAS[0]).await;
    for (name, arguments) in calls().into_iter().filter(|(name, _)| name.starts_with("sdd_")) {
        told(&client, name, arguments).await;
    }
    let found = told(&client, "mem_search", json!({"query": "Design Tide Tables"})).await;
    assert!(found.contains("Design: Tide Tables"), "{found}");
    let check = told(&client, "sdd_context_check", json!({"change_description": "the moon"})).await;
    assert!(check.contains("## Explored before") && check.contains("Moon phases"), "{check}");
    let again = json!({"title": "Moon phases", "goals": "Show the moon and its age"});
    told(&client, "sdd_explore", again).await;
    let found = told(&client, "mem_search", json!({"query": "moon", "type": "explore"})).await;
    assert_eq!(found.matches("Moon phases").count(), 1, "{found}");
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn mistakes_of_a_model_are_answers_that_it_can_read() {
    let harness = harness().await;
    let client = harness.client(ERAS[0]).await;
    let long = "x".repeat(1 << 20);
    for (name, arguments, says) in [
        ("mem_search", json!({}), "needs query"),
        ("mem_search", json!({"query": ["a"]}), "query must be a text"),
        ("mem_search", json!({"query": "a", "max_tokens": -1}), "max_tokens must be"),
        ("mem_search", json!({"query": "a", "max_tokens": 0}), "max_tokens must be"),
        ("mem_search", json!({"query": "a", "detail_level": "huge"}), "summary, standard, full"),
        ("mem_search", json!({"query": "a", "since": "yesteryear"}), "yesteryear"),
        ("mem_get_observation", json!({"id": 999}), "999"),
        ("mem_timeline", json!({"observation_id": 999}), "999"),
        ("mem_delete", json!({"id": 999}), "999"),
        ("mem_save", json!({"title": "t", "content": long}), "1048576 bytes"),
        ("mem_progress", json!({"project": "p", "content": "{broken"}), "JSON"),
        (
            "sdd_create_design",
            json!({
                "overview": "o", "tech_stack": "t", "components": "c", "data_model": "d",
            }),
            "sdd_init_project",
        ),
        ("sdd_get_context", json!({"stage": "dreaming"}), "one of init, propose"),
        ("sdd_change", json!({"type": "fix", "size": "huge", "description": "x"}), "small"),
        ("sdd_change_advance", json!({"content": "x"}), "sdd_change"),
        ("sdd_change_status", json!({"change_id": "../../etc"}), "no change"),
    ] {
        let said = refused(&client, name, arguments).await;
        assert!(said.contains(says), "{name}: {said}");
        assert!(said.len() < 600, "{name}: {said}");
    }
    let unknown = rmcp::model::CallToolRequestParams::new("mem_forget_everything");
    let error = client.call_tool(unknown).await.unwrap_err().to_string();
    assert!(error.contains("unknown tool: mem_forget_everything"), "{error}");
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn a_tool_outside_the_profile_is_not_there() {
    let core = plimsoll_mcp::Offer::parse("core", &[]).unwrap();
    let harness = harness_with(|parts| parts.offer = core).await;
    let client = harness.client(ERAS[1]).await;
    assert_eq!(client.list_all_tools().await.unwrap().len(), 9);
    let params = rmcp::model::CallToolRequestParams::new("mem_delete");
    assert!(client.call_tool(params).await.is_err());
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn a_query_without_words_is_an_empty_answer() {
    let harness = harness().await;
    let client = harness.client(ERAS[0]).await;
    for query in ["", "\"", "AND OR NOT", "*", "a:b(", "😀"] {
        let said = told(&client, "mem_search", json!({"query": query})).await;
        assert!(said.contains("📏 ~"), "{query}: {said}");
    }
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn mdc_4_an_answer_is_text_alone_unless_the_client_is_known_to_show_both() {
    let harness = harness().await;
    for era in ERAS {
        for name in ["codex-mcp-client", "claude-code", "Visual Studio Code - Insiders", "new"] {
            let client = harness.client_named(era, name).await;
            let result = call(&client, "mem_stats", json!({})).await;
            assert_eq!(result.structured_content, None, "{era:?} {name}");
            assert!(text(&result).contains("Memory"), "{name}");
            client.cancel().await.unwrap();
        }
    }
}

/// MEM-14: the names of the server that these tools were first known from.
#[tokio::test]
async fn mem_14_the_names_of_the_original_are_taken() {
    let harness = harness().await;
    let client = harness.client(ERAS[0]).await;
    for title in ["Keel", "Mast"] {
        told(&client, "mem_save", json!({"title": title, "content": "weighed"})).await;
    }
    let relate = json!({"from_id": 1, "to_id": "2", "relation_type": "depends_on"});
    let said = told(&client, "mem_relate", relate).await;
    assert!(said.contains("#1 depends_on #2"), "{said}");
    let said = told(&client, "mem_build_context", json!({"observation_id": 1})).await;
    assert!(said.contains("#2 [manual] Mast"), "{said}");
    let said =
        told(&client, "mem_compact", json!({"older_than_days": 0, "compact_ids": "[2]"})).await;
    assert!(said.contains("#2") && !said.contains("#1 "), "{said}");
    let summary = json!({"session_id": "s", "project": "other", "content": "Goal: weigh."});
    told(&client, "mem_session_summary", summary).await;
    let found = told(&client, "mem_context", json!({"project": "other"})).await;
    assert!(found.contains("session s [other]"), "{found}");

    told(&client, "sdd_init_project", json!({"name": "N", "description": "d"})).await;
    let proposal = json!({"problem_statement": "The keel is heavy.", "target_users": "u",
        "proposed_solution": "s", "success_criteria": "c", "out_of_scope": "o"});
    told(&client, "sdd_create_proposal", proposal).await;
    let read =
        |file: &str| std::fs::read_to_string(harness.project.join("sdd").join(file)).unwrap();
    assert!(read("proposal.md").contains("The keel is heavy."));
    let requirements = json!({"must_have": "m", "non_functional": "n"});
    told(&client, "sdd_generate_requirements", requirements).await;
    let rules = json!({"definitions": "d", "facts": "f", "constraints": "c"});
    told(&client, "sdd_create_business_rules", rules).await;
    let names = [
        "target_users",
        "core_functionality",
        "data_model",
        "integrations",
        "edge_cases",
        "security",
        "scale_performance",
        "scope_boundaries",
    ];
    let scores = names.map(|name| format!("{name}: 90")).join(", ");
    told(&client, "sdd_clarify", json!({"answers": "a", "dimension_scores": scores})).await;
    let design = json!({"architecture_overview": "Three layers.", "tech_stack": "t",
        "components": "c", "data_model": "d", "design_decisions": "One engine."});
    told(&client, "sdd_create_design", design).await;
    assert!(
        read("design.md").contains("Three layers.") && read("design.md").contains("One engine.")
    );
    let tasks = json!({"total_tasks": "12", "tasks": "t", "estimated_effort": "2 days",
        "wave_assignments": "Wave 1: all"});
    told(&client, "sdd_create_tasks", tasks).await;
    assert!(
        read("tasks.md").contains("## Total tasks\n\n12") && read("tasks.md").contains("Wave 1")
    );
    let validation = json!({"requirements_coverage": "r", "component_coverage": "c",
        "consistency_issues": "none", "risk_assessment": "The tide.", "verdict": "PASS"});
    told(&client, "sdd_validate", validation).await;
    assert!(read("validation.md").contains("The tide."));

    let both = json!({"from": 1, "from_id": 2, "to": 2});
    let said = refused(&client, "mem_relate", both).await;
    assert_eq!(said, "from and from_id are the same argument; give from alone");
    let said = refused(&client, "mem_relate", json!({"from": 1, "to": 2, "kind": "x"})).await;
    assert!(said.contains("it takes from, to, type"), "{said}");
    assert!(!said.contains("from_id"), "what is not in the schema is not offered: {said}");
    let listed = serde_json::to_string(&harness.server.tools()).unwrap();
    for hidden in ["from_id", "compact_ids", "wave_assignments", "problem_statement"] {
        assert!(!listed.contains(hidden), "{hidden}");
    }
    client.cancel().await.unwrap();
}
