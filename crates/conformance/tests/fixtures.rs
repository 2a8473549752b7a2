//! The fixtures of the conformance suite (MDC-3): the product has none, this crate has them all.

// Helpers of tests stand outside the test functions, and may panic like them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code)]
#[path = "../../mcp/tests/server/harness.rs"]
mod harness;

use plimsoll_conformance::WithFixtures;
use rmcp::{
    ClientServiceExt, ServiceExt,
    model::{GetPromptRequestParams, ReadResourceRequestParams},
};
use serde_json::json;

use crate::harness::{Client, ERAS, Era, Harness, Named, call, harness, text, told};

async fn client_with_fixtures(harness: &Harness, era: Era) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let server = harness.server.clone();
    tokio::spawn(async move {
        WithFixtures::connect(&server).serve(ours).await.unwrap().waiting().await
    });
    Named("a-client").serve_with_lifecycle(theirs, era.mode()).await.unwrap()
}

#[tokio::test]
async fn mdc_3_the_fixtures_stand_beside_the_tools_of_the_product() {
    for era in ERAS {
        let plain = harness().await;
        let client = plain.client(era).await;
        let tools = client.list_all_tools().await.unwrap();
        assert!(!tools.iter().any(|tool| tool.name.starts_with("test_")));
        assert!(client.peer_info().unwrap().capabilities.resources.is_none());
        // Nobody offers prompts or resources, so the methods are not there either.
        let refused = client.get_prompt(GetPromptRequestParams::new("any")).await.unwrap_err();
        assert!(format!("{refused:?}").contains("-32601"), "{refused:?}");
        client.cancel().await.unwrap();

        let client = client_with_fixtures(&plain, era).await;
        let more = client.list_all_tools().await.unwrap();
        assert_eq!(more.len(), tools.len() + 26);
        assert_eq!(client.list_all_resources().await.unwrap().len(), 3);
        assert_eq!(client.list_all_prompts().await.unwrap().len(), 5);
        let said = told(&client, "test_simple_text", json!({})).await;
        assert_eq!(said, "This is a simple text response for testing.");
        let mixed = call(&client, "test_multiple_content_types", json!({})).await;
        assert_eq!(mixed.content.len(), 3);
        let failed = call(&client, "test_error_handling", json!({})).await;
        assert_eq!(failed.is_error, Some(true), "{}", text(&failed));
        let read = ReadResourceRequestParams::new("test://template/7/data");
        let read = client.read_resource(read).await.unwrap();
        assert!(serde_json::to_string(&read).unwrap().contains("Data for ID: 7"));
        let prompt = GetPromptRequestParams::new("test_simple_prompt");
        let prompt = client.get_prompt(prompt).await.unwrap();
        assert_eq!(prompt.messages.len(), 1);
        client.cancel().await.unwrap();
    }
}
