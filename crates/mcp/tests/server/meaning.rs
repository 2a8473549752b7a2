//! Search by meaning, as clients see it (MEM-10).

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use plimsoll_domain::Timestamp;
use plimsoll_memory::{EmbedError, Embedder, Meaning, MeaningParts};
use plimsoll_store::Workspace;
use serde_json::json;

use crate::harness::{ERAS, harness, told};

/// Knows ships, and everything else as one.
struct Ships;

impl Embedder for Ships {
    fn name(&self) -> &str {
        "ships"
    }

    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let of = |text: &String| match ["boat", "vessel"].iter().any(|word| text.contains(word)) {
            true => vec![1.0, 0.0],
            false => vec![0.0, 1.0],
        };
        Ok(texts.iter().map(of).collect())
    }
}

#[tokio::test]
async fn mem_10_connected_clients_search_by_meaning_while_it_is_switched_on() {
    let harness = harness().await;
    let parts = MeaningParts {
        store: Arc::clone(harness.server_store()),
        asking: Arc::new(Ships),
        filling: Arc::new(Ships),
    };
    let (meaning, on) = (Arc::new(Meaning::new(parts)), Arc::new(AtomicBool::new(false)));
    let (given, switch) = (Arc::clone(&meaning), Arc::clone(&on));
    let harness = harness.again(|parts| {
        parts.meaning =
            Arc::new(move || switch.load(Ordering::Relaxed).then(|| Arc::clone(&given)));
    });
    for era in ERAS {
        let client = harness.client(era).await;
        let note = json!({"title": format!("Hull {era:?}"), "content": "the vessel needs paint"});
        told(&client, "mem_save", note).await;
        let at = Workspace::parse("default/main").unwrap();
        meaning.fill(&at, Timestamp::from_millis(0), &|| true).await.unwrap();
        let search = async || told(&client, "mem_search", json!({"query": "boat"})).await;
        assert!(search().await.contains("Nothing found for \"boat\""));
        on.store(true, Ordering::Relaxed);
        let found = search().await;
        assert!(found.contains(&format!("Hull {era:?}")), "{found}");
        assert!(found.contains("(by meaning) the vessel needs paint"), "{found}");
        on.store(false, Ordering::Relaxed);
        assert!(search().await.contains("Nothing found"));
        client.cancel().await.unwrap();
    }
}
