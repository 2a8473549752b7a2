//! TEA-7 with processes: who dies or sleeps while it sends.

use std::time::Instant;

use serde_json::json;

use crate::{
    going_on::{Scene, only},
    provider::answer,
};

#[test]
fn tea_7_a_killed_node_beside_a_living_one_leaves_its_text_as_interrupted_within_two_leases() {
    // The watcher looks at another node than the one that sends.
    let Some(mut scene) = Scene::at_node(1) else { return };
    only(&scene.cluster, 0);
    let pair = scene.send();
    scene.until_text(&pair, &scene.half());
    let held = scene.cluster.held(Some(&scene.cluster.nodes[0]));
    assert_eq!(held.len(), 1, "node 0 sends it");
    let since = Instant::now();
    scene.cluster.nodes[0].kill();
    scene.cluster.given_up(&held, since);
    for node in [1, 2] {
        let kept = scene.pair_at(node, &pair);
        assert_eq!(kept["lifecycleState"], "error", "{kept}");
        assert_eq!(kept["errorCode"], "interrupted");
        assert_eq!(kept["assistantText"], scene.half());
    }
    scene.until_ended(&pair, "error");
    scene.until_text(&pair, &scene.half());
    assert_eq!(scene.cluster.provider.calls_for(&scene.text), ["Bearer sk-of-node-0"]);
}

#[test]
fn tea_7_a_node_that_slept_through_its_lease_writes_nothing() {
    let Some(scene) = Scene::at_node(1) else { return };
    only(&scene.cluster, 0);
    let pair = scene.send();
    scene.until_text(&pair, &scene.half());
    let held = scene.cluster.held(None);
    let since = Instant::now();
    scene.cluster.nodes[0].sleep();
    scene.cluster.given_up(&held, since);
    let before = scene.cluster.ends_of(&held);
    assert!(before.contains("interrupted") && before.contains(&scene.half()), "{before}");
    // All of the answer is there when it wakes up.
    scene.cluster.provider.gate.open();
    scene.cluster.nodes[0].wake();
    scene.cluster.until_ready(0);
    // It works again, and has nothing left of what it did.
    let body = json!({"text": format!("m{} asks", scene.cluster.new_name()), "quota": "go"});
    let next = scene.ask("POST", "/api/send?workspace=sea/two", &body);
    let next = next["pair"].as_str().unwrap();
    while scene.pair_at(0, next)["lifecycleState"] == "sending" {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(scene.pair_at(1, next)["assistantText"], answer(body["text"].as_str().unwrap()));
    assert_eq!(scene.cluster.ends_of(&held), before);
    assert_eq!(scene.cluster.provider.calls_for(&scene.text).len(), 1);
    scene.until_ended(&pair, "error");
    let heard = scene.watcher.heard.lock().unwrap().clone();
    assert_eq!(heard.texts[&pair], scene.half());
}
