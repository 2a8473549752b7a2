//! Where a client works, and tools of others.

// Roots are of the older protocol.
#![allow(deprecated)]

use std::sync::Arc;

use async_trait::async_trait;
use plimsoll_mcp::{Effect, ExtraTool, ExtraTools, Offer, ToolAnswer, serve};
use rmcp::{
    ClientHandler, ErrorData, RoleClient, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation,
        JsonObject, ListRootsResult, Root,
    },
    service::RequestContext,
};
use serde_json::json;
use tempfile::TempDir;

use crate::harness::{ERAS, SHOWS_BOTH, call, harness, harness_with, refused, text, told};

/// A client that says where it works.
#[derive(Clone)]
struct Rooted(Vec<String>);

impl ClientHandler for Rooted {
    fn get_info(&self) -> ClientConfig {
        let can = ClientCapabilities::builder().enable_roots().build();
        ClientConfig::new(can, Implementation::new("rooted", "1.0"))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(self.0.iter().map(Root::new).collect()))
    }
}

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
    let arguments = json!({"name": "Theirs", "description": "d"});
    let mut params = CallToolRequestParams::new("sdd_init_project");
    params.arguments = arguments.as_object().cloned();
    let result: CallToolResult = client.call_tool(params).await.unwrap();
    assert_ne!(result.is_error, Some(true), "{}", text(&result));
    assert!(root.join("sdd/sdd.json").is_file(), "in the root of their project");
    assert!(!harness.project.join("sdd").exists());
    let found = json!({"query": "Theirs", "project": "my project"});
    let mut params = CallToolRequestParams::new("mem_search");
    params.arguments = found.as_object().cloned();
    let found = text(&client.call_tool(params).await.unwrap());
    assert!(found.contains("Spec notebook of Theirs"), "named after their folder: {found}");
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
        parts.session_budget = Some(400);
    })
    .await;
    let client = harness.client_named(ERAS[1], SHOWS_BOTH).await;
    assert_eq!(client.list_all_tools().await.unwrap().len(), 35);
    let result = call(&client, "list_files", json!({"query": "x"})).await;
    assert_eq!(text(&result), "list_files {\"query\":\"x\"} Some(400)");
    assert_eq!(result.structured_content.unwrap()["ids"], json!(["018f-file"]));
    let failed = refused(&client, "list_files", json!({"fail": true})).await;
    assert!(failed.contains("Some(100)"), "the ledger counts them: {failed}");
    let spent = refused(&client, "list_files", json!({})).await;
    assert!(spent.contains("--session-budget"), "{spent}");
    told(&client, "mem_save", json!({"title": "t", "content": "c"})).await;
    client.cancel().await.unwrap();
}
