//! What of the history goes along.

use plimsoll_testkit::scripted::Reply;
use serde_json::{Value, json};

use crate::{
    pinned,
    scene::{Scene, Set, WIRES, Wire},
};

/// A small window with six pairs before it.
fn crowded(wire: Wire) -> Scene {
    let mut scene = Set { window: 700, ..Set::of(wire) }.begin();
    scene.history(6);
    scene
}

fn ids(scene: &Scene) -> Vec<Value> {
    let all = scene.served.json("GET", "/api/export?filter=", None);
    all["pairs"].as_array().unwrap().iter().map(|pair| pair["id"].clone()).collect()
}

#[test]
fn bnd_1_what_does_not_fit_stays_out() {
    for wire in WIRES {
        let mut scene = Set { window: 560, ..Set::of(wire) }.begin();
        scene.history(6);
        scene.send(json!({"text": "What fits?"}));
        pinned!(format!("boundary_{}", wire.name()), scene);
    }
}

#[test]
fn his_2_filters_choose() {
    for (name, filter) in [("newest", "r2"), ("words", "c'Question 3'"), ("none", "r0")] {
        let mut scene = crowded(Wire::OpenAi);
        scene.set("/api/view", json!({ "filter": filter }));
        scene.send(json!({"text": "And now?"}));
        scene.send(json!({"text": "And then?"}));
        pinned!(format!("filter_{name}"), scene);
    }
}

#[test]
fn ui_17_the_mark_begins_the_context() {
    let mut scene = crowded(Wire::OpenAi);
    let from = ids(&scene)[3].clone();
    scene.set("/api/view", json!({ "contextFrom": from }));
    scene.send(json!({"text": "From there."}));
    pinned!("mark", scene);
}

#[test]
fn val_3_above_the_limit_the_policy_decides() {
    let long = "a sentence of some words. ".repeat(40);
    for policy in ["ask", "trim", "fit", "block"] {
        let mut scene = crowded(Wire::OpenAi);
        scene.send(json!({"text": long, "overBudget": policy}));
        pinned!(format!("over_budget_{policy}"), scene);
    }
    let mut scene = crowded(Wire::OpenAi);
    scene.send(json!({"text": long.repeat(9), "overBudget": "trim"}));
    pinned!("too_large_alone", scene);
}

#[test]
fn ovf_1_an_overflow_leaves_the_oldest_out() {
    for wire in WIRES {
        let mut scene = crowded(wire);
        scene.replies([Reply::overflow(300, 410), Reply::overflow(250, 310)]);
        scene.send(json!({"text": "Too much?"}));
        pinned!(format!("overflow_{}", wire.name()), scene);
    }
}

#[test]
fn snd_6_pairs_are_asked_again_and_anew() {
    let mut scene = crowded(Wire::OpenAi);
    scene.replies([Reply::auth()]);
    let failed = scene.send(json!({"text": "Fails."}));
    scene.send(json!({"text": "Asked again.", "reask": failed["id"]}));
    let newest = ids(&scene).pop().unwrap();
    scene.send(json!({"text": "", "regenerate": newest}));
    scene.send(json!({"text": "", "regenerate": newest, "model": "larger"}));
    pinned!("again", scene);
}

#[test]
fn bnd_1_pairs_in_error_go_where_the_setting_says_so() {
    for (name, config) in
        [("not_sent", "retries = 1"), ("sent", "retries = 1\nsendErrorPairs = true")]
    {
        let mut scene = Set { config, ..Set::of(Wire::OpenAi) }.begin();
        scene.history(1);
        scene.replies([Reply::error_in_mid_stream(&["half of an"])]);
        scene.send(json!({"text": "Breaks off."}));
        scene.send(json!({"text": "And after it?"}));
        pinned!(format!("error_pairs_{name}"), scene);
    }
}
