//! What clients are offered, and what it weighs (MBG-2, MBG-8).

use plimsoll_mcp::{Offer, Server};
use plimsoll_tokens::{Estimator, Tokenizer};
use serde_json::{Value, json};

use crate::harness::{ERAS, harness, harness_with};

const MEMORY: [&str; 19] = [
    "mem_session_start",
    "mem_session_end",
    "mem_session_summary",
    "mem_save",
    "mem_save_prompt",
    "mem_capture_passive",
    "mem_search",
    "mem_context",
    "mem_timeline",
    "mem_get_observation",
    "mem_update",
    "mem_delete",
    "mem_suggest_topic_key",
    "mem_stats",
    "mem_relate",
    "mem_unrelate",
    "mem_build_context",
    "mem_progress",
    "mem_compact",
];

const SPECS: [&str; 15] = [
    "sdd_init_project",
    "sdd_create_proposal",
    "sdd_generate_requirements",
    "sdd_create_business_rules",
    "sdd_clarify",
    "sdd_create_design",
    "sdd_create_tasks",
    "sdd_validate",
    "sdd_get_context",
    "sdd_change",
    "sdd_change_advance",
    "sdd_change_status",
    "sdd_adr",
    "sdd_context_check",
    "sdd_explore",
];

fn listed(server: &Server) -> Value {
    json!({ "tools": server.tools() })
}

#[tokio::test]
async fn exactly_the_34_tools_are_offered() {
    let harness = harness().await;
    for era in ERAS {
        let client = harness.client(era).await;
        let tools = client.list_all_tools().await.unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, [MEMORY.as_slice(), SPECS.as_slice()].concat(), "{era:?}");
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn mbg_8_the_list_is_cheap() {
    let all = Tokenizer::O200k.count(&listed(&harness().await.server).to_string());
    assert!(all <= 5_500, "all tools weigh {all} tokens");
    let core = harness_with(|parts| parts.offer = Offer::parse("core", &[]).unwrap()).await;
    let core = Tokenizer::O200k.count(&listed(&core.server).to_string());
    assert!(core <= 1_700, "core weighs {core} tokens");
}

#[tokio::test]
async fn mbg_8_every_parameter_says_what_it_takes() {
    let listed = listed(&harness().await.server);
    for tool in listed["tools"].as_array().unwrap() {
        for (param, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            let told = schema["description"].is_string() || schema["enum"].is_array();
            assert!(told, "{}.{param}", tool["name"]);
        }
    }
}

#[tokio::test]
async fn schemas_are_plain() {
    let listed = listed(&harness().await.server);
    for tool in listed["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        assert!(tool["title"].is_string() && tool["description"].is_string(), "{name}");
        assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{name}");
        assert!(tool.get("outputSchema").is_none(), "{name}");
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object", "{name}");
        let properties = schema["properties"].as_object().unwrap();
        for (param, schema) in properties {
            let kind = schema["type"].as_str();
            let kinds = ["string", "integer", "boolean", "array"];
            assert!(kind.is_some_and(|kind| kinds.contains(&kind)), "{name}.{param}: {schema}");
        }
        if let Some(required) = schema["required"].as_array() {
            let known = |one: &Value| properties.contains_key(one.as_str().unwrap());
            assert!(required.iter().all(known), "{name}");
        }
    }
    assert!(!listed.to_string().contains("null"));
}

#[tokio::test]
async fn mbg_2_five_reads_take_a_budget_and_mbg_9_seven_more() {
    let listed = listed(&harness().await.server);
    let mut budgeted: Vec<&str> = listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| tool["inputSchema"]["properties"]["max_tokens"]["type"] == "integer")
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    let five =
        ["mem_search", "mem_context", "mem_timeline", "sdd_get_context", "sdd_context_check"];
    let more = [
        "mem_get_observation",
        "mem_stats",
        "mem_build_context",
        "mem_progress",
        "sdd_clarify",
        "sdd_change_status",
        "sdd_explore",
    ];
    let mut expected = [five.as_slice(), &more].concat();
    expected.sort_unstable();
    budgeted.sort_unstable();
    assert_eq!(budgeted, expected);
    let footed = plimsoll_mcp::all_tools().filter(|tool| tool.has_footers());
    assert_eq!(footed.map(|tool| tool.name).collect::<Vec<_>>(), five);
    let about = &listed["tools"][6]["inputSchema"]["properties"]["max_tokens"]["description"];
    assert_eq!(
        about,
        "Approximate token budget for the response. When set, the tool stops adding content when \
         estimated tokens would exceed this budget."
    );
}

#[tokio::test]
async fn mdc_5_instructions_are_made_for_what_is_offered() {
    let harness = harness_with(|parts| {
        parts.offer = Offer::parse("core", &[]).unwrap();
        parts.counter = Estimator::Exact(Tokenizer::O200k);
        parts.answer_limit = Some(7_000);
        parts.session_budget = Some(9_000);
    })
    .await;
    let client = harness.client(ERAS[0]).await;
    let told = client.peer_info().unwrap().instructions.clone().unwrap();
    assert!(!told.contains("sdd_") && !told.contains("mem_stats"), "{told}");
    for words in ["o200k", "7,000 tokens", "9,000 tokens", "mem_context"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn mdc_1_clients_get_the_instructions_in_both_eras() {
    let harness = harness().await;
    for era in ERAS {
        let client = harness.client(era).await;
        let info = client.peer_info().unwrap();
        let instructions = info.instructions.clone().unwrap();
        assert!(instructions.contains("## Context Budget Awareness"), "{era:?}");
        client.cancel().await.unwrap();
    }
}
