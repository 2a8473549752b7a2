//! The hidden switch (MDC-3): without it there is no fixture, with it they are all there.

use rmcp::model::{GetPromptRequestParams, ReadResourceRequestParams};
use serde_json::json;

use crate::harness::{ERAS, call, harness, harness_with, text, told};

#[tokio::test]
async fn fixtures_are_offered_on_request_only() {
    for era in ERAS {
        let plain = harness().await;
        let client = plain.client(era).await;
        let tools = client.list_all_tools().await.unwrap();
        assert!(!tools.iter().any(|tool| tool.name.starts_with("test_")));
        assert!(client.peer_info().unwrap().capabilities.resources.is_none());
        client.cancel().await.unwrap();

        let with = harness_with(|parts| parts.conformance_fixtures = true).await;
        let client = with.client(era).await;
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
