//! TEA-6 and TEA-8 behind a proxy: people go on at another node and miss nothing.

use std::{sync::Arc, time::Duration};

use plimsoll_testkit::http;
use serde_json::{Value, json};

use crate::{
    books::{Books, PLACES},
    cluster::{Cluster, SOON},
    provider::{answer, pieces},
    watcher::{Heard, Watcher},
};

const LEASE: Duration = Duration::from_secs(2);

/// A cluster with somebody who watches, and the words of a message that is answered as far as its
/// second piece, and further when the gate is opened.
pub(crate) struct Scene {
    pub(crate) cluster: Cluster,
    pub(crate) watcher: Watcher,
    pub(crate) text: String,
}

impl Scene {
    /// Who comes is sent to this node.
    pub(crate) fn at_node(node: usize) -> Option<Self> {
        let cluster = Cluster::start(LEASE)?;
        let text = format!("m{} gated", cluster.new_name());
        only(&cluster, node);
        let books = Arc::<Books>::default();
        let watcher = Watcher::start(&books, &cluster.balancer.address(), PLACES[0]);
        Some(Self { cluster, watcher, text })
    }

    /// Sends the message; gives its pair.
    pub(crate) fn send(&self) -> String {
        let path = format!("/api/send?workspace={}", PLACES[0]);
        let begun = self.ask("POST", &path, &json!({"text": self.text, "quota": "go"}));
        begun["pair"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let (kind, body) = ([("Content-Type", "application/json")], body.to_string());
        let address = self.cluster.balancer.address();
        let answer = http::request(&address, method, path, &kind, body.as_bytes()).unwrap();
        assert!(answer.status < 300, "{method} {path}: {}", answer.body);
        serde_json::from_str(&answer.body).unwrap()
    }

    /// The pair as a node tells it.
    pub(crate) fn pair_at(&self, node: usize, pair: &str) -> Value {
        let address = self.cluster.nodes[node].address.to_string();
        let answer = http::request(&address, "GET", &format!("/api/pairs/{pair}"), &[], b"");
        serde_json::from_str(&answer.unwrap().body).unwrap()
    }

    /// What arrives while the gate is closed.
    pub(crate) fn half(&self) -> String {
        pieces(&self.text)[..2].concat()
    }

    /// Waits until the watcher has heard something.
    #[track_caller]
    pub(crate) fn until(&self, what: impl Fn(&Heard) -> bool) {
        let until = std::time::Instant::now() + SOON;
        while !what(&self.watcher.heard.lock().unwrap()) {
            let heard = self.watcher.heard.lock().unwrap().clone();
            assert!(std::time::Instant::now() < until, "it did not hear it: {heard:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn until_text(&self, pair: &str, text: &str) {
        self.until(|heard| heard.texts.get(pair).is_some_and(|heard| heard == text));
    }

    pub(crate) fn until_ended(&self, pair: &str, state: &str) {
        self.until(|heard| heard.ended.get(pair).is_some_and(|(ended, _)| ended == state));
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        self.watcher.finish();
        self.cluster.balancer.cut();
        self.watcher.join();
    }
}

/// Sends everybody who comes to one node.
pub(crate) fn only(cluster: &Cluster, node: usize) {
    (0..3).for_each(|place| cluster.balancer.take_out(place, place != node));
}

#[test]
fn tea_6_three_nodes_on_postgresql_behind_a_proxy_a_client_goes_on_and_misses_nothing() {
    let Some(mut scene) = Scene::at_node(0) else { return };
    let pair = scene.send();
    scene.until_text(&pair, &scene.half());
    // The connection is cut, and the proxy sends it elsewhere, in the midst of the answer.
    only(&scene.cluster, 1);
    scene.cluster.balancer.cut();
    scene.until(|heard| heard.connections == 2);
    assert_eq!(scene.pair_at(1, &pair)["lifecycleState"], "sending");
    scene.cluster.provider.gate.open();
    scene.until_ended(&pair, "complete");
    scene.until_text(&pair, &answer(&scene.text));
    // And what happened while nobody was connected is told by the third.
    only(&scene.cluster, 2);
    let first = std::mem::replace(&mut scene.text, format!("m{} asks", scene.cluster.new_name()));
    let other = scene.send();
    while scene.pair_at(0, &other)["lifecycleState"] == "sending" {
        std::thread::sleep(Duration::from_millis(20));
    }
    scene.cluster.balancer.cut();
    scene.until_ended(&other, "complete");
    scene.until_text(&other, &answer(&scene.text));
    scene.until_text(&pair, &answer(&first));
    assert_eq!(scene.watcher.heard.lock().unwrap().resets, 0);
    for node in 0..3 {
        assert_eq!(scene.pair_at(node, &pair)["assistantText"], answer(&first));
        assert_eq!(scene.pair_at(node, &other)["assistantText"], answer(&scene.text));
    }
}

/// Who watches another node sees the end of what the drained one still sent, and who comes is sent
/// to nodes that take something new.
#[test]
fn tea_8_a_node_drains_behind_a_proxy_and_nobody_is_interrupted() {
    let Some(mut scene) = Scene::at_node(0) else { return };
    let pair = scene.send();
    scene.until_text(&pair, &scene.half());
    (0..3).for_each(|place| scene.cluster.balancer.take_out(place, false));
    scene.cluster.nodes[0].ask_to_end();
    assert!(scene.cluster.balancer.wait(0, false, SOON));
    let other = format!("m{} asks", scene.cluster.new_name());
    let path = format!("/api/send?workspace={}", PLACES[1]);
    scene.ask("POST", &path, &json!({"text": other, "quota": "go"}));
    scene.cluster.provider.gate.open();
    scene.until_ended(&pair, "complete");
    scene.until_text(&pair, &answer(&scene.text));
    assert_eq!(scene.cluster.nodes[0].ended().code(), Some(0));
    scene.until(|heard| heard.connections > 1);
    assert_eq!(scene.pair_at(1, &pair)["assistantText"], answer(&scene.text));
}

/// What takes longer than the grace is handed back, and the others know at once.
#[test]
fn tea_8_a_node_that_drains_hands_back_what_does_not_end() {
    let Some(mut scene) = Scene::at_node(0) else { return };
    let pair = scene.send();
    scene.until_text(&pair, &scene.half());
    (1..3).for_each(|place| scene.cluster.balancer.take_out(place, false));
    scene.cluster.nodes[0].ask_to_end();
    assert_eq!(scene.cluster.nodes[0].ended().code(), Some(0));
    let kept = scene.pair_at(1, &pair);
    assert_eq!(
        (&kept["lifecycleState"], &kept["errorCode"]),
        (&json!("error"), &json!("interrupted"))
    );
    assert_eq!(kept["assistantText"], scene.half());
    scene.until_ended(&pair, "error");
}
