//! The official conformance suite (MDC-3), where it is installed.
//!
//! `PLIMSOLL_MCP_CONFORMANCE` names its `dist/index.js`, and `PLIMSOLL_NODE` a Node of at
//! least version 22 if the one on the path is older. Without the first this is skipped.

use std::env;

use plimsoll_mcp::http_service;
use tokio::{net::TcpListener, process::Command};

use crate::harness::harness_with;

#[tokio::test(flavor = "multi_thread")]
async fn mdc_3_the_official_suite_passes() {
    let Ok(suite) = env::var("PLIMSOLL_MCP_CONFORMANCE") else {
        eprintln!("skipped: PLIMSOLL_MCP_CONFORMANCE does not name the suite");
        return;
    };
    let node = env::var("PLIMSOLL_NODE").unwrap_or_else(|_| "node".to_owned());
    let harness = harness_with(|parts| parts.conformance_fixtures = true).await;
    let service = http_service(&harness.server, &[]);
    let router = axum::Router::new().route_service("/mcp", service);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://localhost:{}/mcp", listener.local_addr().unwrap().port());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let results = tempfile::tempdir().unwrap();
    for revision in ["2025-11-25", "2026-07-28"] {
        let run = Command::new(&node)
            .arg(&suite)
            .args(["server", "--url", &url, "--requirements", revision, "-o"])
            .arg(results.path())
            .output()
            .await
            .unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        let more = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{revision}:\n{said}\n{more}");
        // A suite that ran nothing would pass as well.
        assert!(said.contains("dns-rebinding-protection"), "{revision}:\n{said}\n{more}");
        eprintln!("{revision}:\n{said}");
    }
}
