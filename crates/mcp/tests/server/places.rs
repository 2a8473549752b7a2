//! Where a client works, and tools of others.

use std::sync::Arc;

use async_trait::async_trait;
use plimsoll_mcp::{Effect, ExtraTool, ExtraTools, Offer, ToolAnswer, serve};
use rmcp::{
    ClientServiceExt, RoleClient, ServiceExt,
    model::{CallToolRequestParams, CallToolResult, JsonObject, ProtocolVersion},
    service::{ClientLifecycleMode, RunningService},
};
use serde_json::json;
use tempfile::TempDir;

use crate::harness::{ERAS, Rooted, SHOWS_BOTH, call, harness, harness_with, refused, text, told};

#[tokio::test]
async fn sdd_1_the_clients_root_wins_over_the_servers_directory() {
    let harness = harness().await;
    let theirs = TempDir::new().unwrap();
    let root = theirs.path().join("my project");
    std::fs::create_dir_all(root.join("deep")).unwrap();
    std::fs::create_dir(root.join(".git")).unwrap();
    let uri = format!("file://{}/my%20project/deep", theirs.path().display());
    let (ours, pipe) = tokio::io::duplex(1 << 16);
    let server = harness.server.clone();
    tokio::spawn(async move {
        let (read, write) = tokio::io::split(ours);
        serve(&server, read, write).await.unwrap();
    });
    let roots = vec!["https://example.com".to_owned(), "file:///nowhere/at/all".to_owned(), uri];
    let client = Rooted(roots).serve(pipe).await.unwrap();
    let found = calls_from_their_project(&client).await;
    assert!(root.join("sdd/sdd.json").is_file(), "in the root of their project");
    assert!(!harness.project.join("sdd").exists());
    assert!(found.contains("Spec notebook of Theirs"), "named after their folder: {found}");
    client.cancel().await.unwrap();
}

/// MEM-13: in the newest protocol a client is asked by an unfinished answer.
#[tokio::test]
async fn mem_13_the_clients_roots_are_asked_for_in_the_newest_era_too() {
    let harness = harness().await;
    let theirs = TempDir::new().unwrap();
    let root = theirs.path().join("theirs");
    std::fs::create_dir_all(root.join(".git")).unwrap();
    let (ours, pipe) = tokio::io::duplex(1 << 16);
    let server = harness.server.clone();
    tokio::spawn(async move {
        let (read, write) = tokio::io::split(ours);
        serve(&server, read, write).await.unwrap();
    });
    let newest =
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    let client = Rooted(vec![format!("file://{}", root.display())]);
    let client = client.serve_with_lifecycle(pipe, newest).await.unwrap();
    let found = calls_from_their_project(&client).await;
    assert!(root.join("sdd/sdd.json").is_file(), "in the root of their project");
    assert!(!harness.project.join("sdd").exists());
    assert!(found.contains("Spec notebook of Theirs"), "{found}");
    client.cancel().await.unwrap();
}

/// Begins a notebook, and looks for what the memory has of it without naming a project.
async fn calls_from_their_project(client: &RunningService<RoleClient, Rooted>) -> String {
    let arguments = json!({"name": "Theirs", "description": "d"});
    let mut params = CallToolRequestParams::new("sdd_init_project");
    params.arguments = arguments.as_object().cloned();
    let result: CallToolResult = client.call_tool(params).await.unwrap();
    assert_ne!(result.is_error, Some(true), "{}", text(&result));
    let found = json!({"query": "Theirs"});
    let mut params = CallToolRequestParams::new("mem_search");
    params.arguments = found.as_object().cloned();
    text(&client.call_tool(params).await.unwrap())
}

/// MEM-13: what a parent folder is called does not matter, and home is no project.
#[tokio::test]
async fn mem_13_no_notebook_is_begun_in_a_parent_or_at_home() {
    let outer = TempDir::new().unwrap();
    let repo = outer.path().join("w/sdd/repo");
    std::fs::create_dir_all(repo.join(".git")).unwrap();
    let begin = json!({"name": "N", "description": "d"});
    let at = repo.clone();
    let harness = harness_with(move |parts| parts.directory = at).await;
    let client = harness.client(ERAS[0]).await;
    told(&client, "sdd_init_project", begin.clone()).await;
    assert!(repo.join("sdd/sdd.json").is_file());
    client.cancel().await.unwrap();

    let home = outer.path().to_owned();
    let harness = harness_with(move |parts| {
        parts.directory.clone_from(&home);
        parts.home = Some(home);
    })
    .await;
    for era in ERAS {
        let client = harness.client(era).await;
        for (name, arguments) in [
            ("sdd_init_project", begin.clone()),
            ("sdd_get_context", json!({})),
            ("sdd_context_check", json!({"change_description": "x"})),
            ("sdd_explore", json!({"title": "x", "goals": "y"})),
        ] {
            let said = refused(&client, name, arguments).await;
            assert!(said.contains("home directory") && said.contains("--directory"), "{said}");
        }
        let saved = told(&client, "mem_save", json!({"title": "t", "content": "c"})).await;
        assert!(saved.starts_with("Project default: "), "{saved}");
        client.cancel().await.unwrap();
    }
    assert!(!outer.path().join("sdd").exists());
}

/// MEM-11: the server's own project wins over folder and roots.
#[tokio::test]
async fn mem_11_a_server_can_be_given_its_project() {
    let harness = harness_with(|parts| parts.project = Some("Fixed".to_owned())).await;
    let client = harness.client(ERAS[0]).await;
    told(&client, "mem_save", json!({"title": "Anchor", "content": "c"})).await;
    told(&client, "sdd_init_project", json!({"name": "N", "description": "d"})).await;
    for (name, arguments) in [
        ("mem_search", json!({"query": "anchor", "project": "fixed"})),
        ("mem_search", json!({"query": "notebook"})),
        ("mem_stats", json!({})),
    ] {
        let said = told(&client, name, arguments).await;
        assert!(!said.contains("Nothing found") && !said.contains("tide-tables"), "{said}");
    }
    let elsewhere = told(&client, "mem_search", json!({"query": "anchor", "project": "x"})).await;
    assert!(elsewhere.contains("No project is called x."), "{elsewhere}");
    client.cancel().await.unwrap();
}

/// MEM-12: `sdd_explore` adds, also where several agents explore at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn mem_12_explorations_grow() {
    let harness = harness().await;
    let client = harness.client(ERAS[0]).await;
    let title = "Late moon";
    told(&client, "sdd_explore", json!({"title": title, "goals": "- fast", "unknowns": "who"}))
        .await;
    let said = told(&client, "sdd_explore", json!({"title": title, "goals": "- safe"})).await;
    assert!(said.contains("Added to") && !said.contains("goals, "), "{said}");
    let mut agents = tokio::task::JoinSet::new();
    for agent in 0..8 {
        let client = harness.client(ERAS[agent % 2]).await;
        agents.spawn(async move {
            let goals = format!("- agent {agent} was here");
            told(&client, "sdd_explore", json!({"title": title, "goals": goals})).await;
        });
    }
    agents.join_all().await;
    let note = told(&client, "mem_get_observation", json!({"id": 1})).await;
    for part in ["- fast\n- safe", "## Unknowns\n\nwho", "revision 10"] {
        assert!(note.contains(part), "{part}: {note}");
    }
    for agent in 0..8 {
        assert!(note.contains(&format!("- agent {agent} was here")), "{note}");
    }
    client.cancel().await.unwrap();
}

/// A tool that echoes.
struct Echo;

#[async_trait]
impl ExtraTools for Echo {
    fn tools(&self) -> Vec<ExtraTool> {
        let echo = ExtraTool {
            name: "list_files".to_owned(),
            title: "List files".to_owned(),
            about: "Files.".to_owned(),
            schema: json!({"type": "object", "properties": {"query": {"type": "string"}}}),
            effect: Effect::Reads,
        };
        // A name that is taken does not hide the tool that has it.
        vec![echo.clone(), ExtraTool { name: "mem_save".to_owned(), ..echo }]
    }

    async fn call(&self, name: &str, arguments: JsonObject, room: Option<u64>) -> ToolAnswer {
        let text = format!("{name} {} {room:?}", json!(arguments));
        let ids = vec![json!("018f-file")];
        let is_error = arguments.contains_key("fail");
        ToolAnswer { text, ids, shown: 1, total: 1, estimated_tokens: 300, cut: false, is_error }
    }
}

#[tokio::test]
async fn extra_tools_come_with_the_profile_files() {
    let plain = harness_with(|parts| parts.extra = Some(Arc::new(Echo))).await;
    let client = plain.client(ERAS[0]).await;
    let ours = plimsoll_mcp::all_tools().count();
    assert_eq!(client.list_all_tools().await.unwrap().len(), ours, "not in the default");
    assert!(client.call_tool(CallToolRequestParams::new("list_files")).await.is_err());
    client.cancel().await.unwrap();

    let harness = harness_with(|parts| {
        parts.extra = Some(Arc::new(Echo));
        parts.offer = Offer::parse("all", &["list_files"]).unwrap();
        parts.session_budget = Some(800);
    })
    .await;
    let client = harness.client_named(ERAS[1], SHOWS_BOTH).await;
    assert_eq!(client.list_all_tools().await.unwrap().len(), 35);
    let result = call(&client, "list_files", json!({"query": "x"})).await;
    assert_eq!(text(&result), "list_files {\"query\":\"x\"} Some(400)");
    assert_eq!(result.structured_content.unwrap()["ids"], json!(["018f-file"]));
    let failed = refused(&client, "list_files", json!({"fail": true})).await;
    assert!(failed.contains("Some(250)"), "the ledger counts them: {failed}");
    refused(&client, "list_files", json!({"fail": true})).await;
    let spent = refused(&client, "list_files", json!({})).await;
    assert!(spent.contains("--session-budget"), "{spent}");
    told(&client, "mem_save", json!({"title": "t", "content": "c"})).await;
    client.cancel().await.unwrap();
}
