//! Anchors, what comes back, and what waits for review, through the server (MEM-12, MEM-15,
//! MEM-16).

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use serde_json::json;

use crate::harness::{ERAS, Era, harness, harness_with, refused, told};

#[tokio::test]
async fn mem_15_a_client_anchors_a_note_to_its_project() {
    let harness = harness().await;
    std::fs::write(harness.project.join("auth.rs"), "fn renew() {\n    1\n}\n").unwrap();
    for (era, id) in ERAS.into_iter().zip(1..) {
        let client = harness.client_named(era, "codex").await;
        let note = json!({"title": format!("Renewal {id}"), "content": "At three quarters.",
            "anchors": ["auth.rs#renew"], "expires": "30d"});
        let said = told(&client, "mem_save", note).await;
        assert!(said.contains("It expires 2025-12-15"), "{said}");
        let got = told(&client, "mem_get_observation", json!({"id": id})).await;
        assert!(got.contains("by codex") && got.contains("auth.rs#renew (unchanged)"), "{got}");
        client.cancel().await.unwrap();
    }
    let client = harness.client(Era::Handshake).await;
    std::fs::write(harness.project.join("auth.rs"), "fn renew() {\n    22\n}\n").unwrap();
    let context = told(&client, "mem_context", json!({"detail_level": "summary"})).await;
    let stale = "## May be out of date\n#2 [manual] Renewal 2 ⚠ auth.rs#renew changed since";
    assert!(context.contains(stale), "{context}");
    // One text is a list of one, and what leads out of the project is refused.
    let renewed = json!({"id": 2, "anchors": "auth.rs#renew", "supersedes": [1]});
    told(&client, "mem_update", renewed).await;
    let context = told(&client, "mem_context", json!({})).await;
    assert!(context.contains("1 superseded or expired note is left out"), "{context}");
    assert!(!context.contains("⚠"), "{context}");
    for bad in ["../x", "/etc/passwd", "auth.rs#nothing", "commit:-x"] {
        let words = refused(&client, "mem_update", json!({"id": 2, "anchors": [bad]})).await;
        assert!(words.contains("is no anchor"), "{words}");
    }
    refused(&client, "mem_update", json!({"id": 1, "supersedes": [2]})).await;
    refused(&client, "mem_save", json!({"title": "a", "content": "b", "anchors": [1]})).await;
}

#[tokio::test]
async fn mem_12_a_note_and_a_change_are_taken_back() {
    let harness = harness().await;
    let client = harness.client(Era::Handshake).await;
    told(&client, "mem_save", json!({"title": "a", "content": "b"})).await;
    told(&client, "mem_delete", json!({"id": 1})).await;
    refused(&client, "mem_get_observation", json!({"id": 1})).await;
    let back = told(&client, "mem_update", json!({"id": 1, "undelete": true})).await;
    assert_eq!(back, "#1 [manual] a is there again.");
    told(&client, "mem_get_observation", json!({"id": 1})).await;
    // A change that was begun by mistake.
    refused(&client, "sdd_change_status", json!({"drop": true})).await;
    let wrong = json!({"type": "fix", "size": "small", "description": "Wrong tide"});
    told(&client, "sdd_change", wrong).await;
    told(&client, "sdd_change_advance", json!({"content": "what happens"})).await;
    let other = json!({"change_id": "another", "drop": true});
    assert!(refused(&client, "sdd_change_status", other).await.contains("wrong-tide"));
    let said = told(&client, "sdd_change_status", json!({"drop": true})).await;
    assert!(said.contains("Dropped the change wrong-tide"), "{said}");
    assert!(harness.project.join("sdd/changes/wrong-tide/describe.md").exists(), "nothing is lost");
    let status = told(&client, "sdd_change_status", json!({"change_id": "wrong-tide"})).await;
    assert!(status.contains("- describe: completed\n- context-check: dropped"), "{status}");
    let right = json!({"type": "fix", "size": "small", "description": "Right tide"});
    told(&client, "sdd_change", right).await;
}

#[tokio::test]
async fn mem_16_what_a_client_saves_waits_while_review_is_on() {
    let on = Arc::new(AtomicBool::new(true));
    let asked = Arc::clone(&on);
    let review = Arc::new(move || asked.load(Ordering::Relaxed));
    let harness = harness_with(|parts| parts.review = review).await;
    let client = harness.client_named(Era::Handshake, "codex").await;
    let said = told(&client, "mem_save", json!({"title": "Tide", "content": "lantern"})).await;
    assert!(said.contains("waits for review as #1"), "{said}");
    for (goal, id) in [("one lantern", 2), ("two lanterns", 3)] {
        let ask = json!({"title": "Harbour", "goals": goal});
        let said = told(&client, "sdd_explore", ask).await;
        assert!(said.ends_with(&format!("Its note waits for review as #{id}.")), "{said}");
    }
    let found = told(&client, "mem_search", json!({"query": "lantern"})).await;
    assert!(found.starts_with("Nothing found"), "{found}");
    // The second exploration goes on from the first, though neither was approved.
    let store = harness.server_store();
    let workspace = plimsoll_store::Workspace::default();
    let waiting = store.pending_notes(&workspace, 9).await.unwrap().0;
    let plimsoll_store::Proposal::New(second) = &waiting[2].proposal else { panic!() };
    assert!(second.content.contains("one lantern") && second.content.contains("two lanterns"));
    // The setting is looked at with each call.
    on.store(false, Ordering::Relaxed);
    let said = told(&client, "mem_save", json!({"title": "Now", "content": "x"})).await;
    assert!(said.starts_with("Saved #4"), "{said}");
}
