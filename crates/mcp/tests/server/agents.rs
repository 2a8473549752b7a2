//! Two agents in two projects on one server (MEM-11).

use plimsoll_mcp::serve;
use rmcp::{RoleClient, ServiceExt, model::CallToolRequestParams, service::RunningService};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{Harness, Rooted, harness, text};

/// Operations of each agent.
const OPERATIONS: usize = 1_000;

/// An agent at work in its own project; every word that it writes begins with its name.
struct Agent {
    name: &'static str,
    client: RunningService<RoleClient, Rooted>,
    seed: u64,
    /// Notes that it was told of.
    ids: Vec<u64>,
}

impl Agent {
    async fn begin(harness: &Harness, place: &TempDir, name: &'static str) -> Self {
        let root = place.path().join(name);
        std::fs::create_dir_all(root.join(".git")).unwrap();
        let (ours, pipe) = tokio::io::duplex(1 << 16);
        let server = harness.server.clone();
        tokio::spawn(async move {
            let (read, write) = tokio::io::split(ours);
            serve(&server, read, write).await.unwrap();
        });
        let client = Rooted(vec![format!("file://{}", root.display())]).serve(pipe).await.unwrap();
        Self { name, client, seed: u64::from(name.as_bytes()[0]), ids: Vec::new() }
    }

    /// A number below another, the same in each run.
    fn random(&mut self, below: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.seed >> 33) % below
    }

    async fn call(&self, tool: &'static str, arguments: Value) -> String {
        let mut params = CallToolRequestParams::new(tool);
        params.arguments = arguments.as_object().cloned();
        text(&self.client.call_tool(params).await.unwrap())
    }

    /// One operation; what the agent was told.
    async fn work(&mut self, n: usize) -> String {
        let name = self.name;
        let words = format!("{name}-word{} shared harbour anchor", self.random(40));
        let session = format!("{name}-session-{}", n / 100);
        let limit = 1 + self.random(50);
        let chosen = usize::try_from(self.random(self.ids.len().max(1) as u64)).unwrap();
        let id = self.ids.get(chosen).copied().unwrap_or(1);
        let told = match self.random(12) {
            0..=3 => {
                let title = format!("{name} note {n}");
                let save = json!({ "title": title, "content": words, "session_id": session });
                self.call("mem_save", save).await
            }
            4 => self.call("mem_save_prompt", json!({ "content": words })).await,
            5 | 6 => {
                let query = if n.is_multiple_of(2) { "shared harbour" } else { words.as_str() };
                let level = ["summary", "standard", "full"][n % 3];
                let find = json!({ "query": query, "limit": limit, "detail_level": level });
                self.call("mem_search", find).await
            }
            7 => {
                let level = ["summary", "standard", "full"][n % 3];
                self.call("mem_context", json!({ "limit": limit, "detail_level": level })).await
            }
            8 if !self.ids.is_empty() => {
                self.call("mem_timeline", json!({ "observation_id": id })).await
            }
            9 if !self.ids.is_empty() => self.call("mem_build_context", json!({ "id": id })).await,
            10 => {
                let summary = json!({ "id": session, "content": words });
                self.call("mem_session_summary", summary).await
            }
            _ => self.call("mem_compact", json!({ "older_than_days": 0 })).await,
        };
        self.remember(&told);
        told
    }

    /// Keeps the ids of notes that it is told of.
    fn remember(&mut self, told: &str) {
        for part in told.split('#').skip(1) {
            let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
            if part[digits.len()..].starts_with(" [") {
                self.ids.extend(digits.parse::<u64>());
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mem_11_two_agents_in_two_projects_never_see_a_line_of_each_other() {
    let harness = harness().await;
    let place = TempDir::new().unwrap();
    let mut agents = [
        Agent::begin(&harness, &place, "alder").await,
        Agent::begin(&harness, &place, "birch").await,
    ];
    for n in 0..OPERATIONS {
        let [first, second] = &mut agents;
        // Both at once, so that their calls cross.
        let (told, other) = tokio::join!(first.work(n), second.work(n));
        assert!(!told.contains("birch"), "operation {n}: {told}");
        assert!(!other.contains("alder"), "operation {n}: {other}");
    }
    assert!(agents.iter().all(|agent| agent.ids.len() > 100), "they were told of their own");
    for agent in &agents {
        let find = json!({ "query": "shared harbour", "project": "*", "limit": 50 });
        let all = agent.call("mem_search", find).await;
        assert!(all.contains("alder") && all.contains("birch"), "who asks for all sees all: {all}");
    }
}
