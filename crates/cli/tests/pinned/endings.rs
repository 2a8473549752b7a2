//! How sends end.

use plimsoll_testkit::scripted::Reply;
use serde_json::json;

use crate::{
    pinned,
    scene::{Set, WIRES, Wire},
};

#[test]
fn fau_1_each_failure_has_its_code() {
    let failures = [
        ("auth", Reply::auth()),
        ("quota", Reply::quota()),
        ("model", Reply::model_missing("test")),
        ("filter", Reply::content_filter()),
        ("invalid", Reply::invalid()),
        ("garbage", Reply::garbage()),
        ("empty", Reply::empty_stream()),
        ("closed", Reply::closes_after(&["it be", "gins"])),
    ];
    for (name, reply) in failures {
        let mut scene = Set { config: "retries = 0", ..Set::of(Wire::OpenAi) }.begin();
        scene.replies([reply]);
        scene.send(json!({"text": "What is wrong?"}));
        pinned!(format!("failure_{name}"), scene);
    }
}

#[test]
fn snd_5_a_server_in_trouble_is_asked_again() {
    for wire in WIRES {
        let mut scene = Set::of(wire).begin();
        scene.history(1);
        scene.replies([Reply::server()]);
        scene.send(json!({"text": "Once more?"}));
        pinned!(format!("retry_{}", wire.name()), scene);
    }
}

#[test]
fn snd_7_what_had_arrived_is_kept_when_it_is_stopped() {
    let mut scene = Set::of(Wire::OpenAi).begin();
    scene.replies([Reply::openai_open(&["so ", "far"]).hang()]);
    let pair = scene.begin("Stop me.");
    scene.asked();
    let path = format!("/api/pairs/{pair}");
    // Asked until it is there: a text is written a moment after it came.
    while scene.served.json("GET", &path, None)["assistantText"].is_null() {
        std::thread::yield_now();
    }
    scene.served.json("POST", "/api/cancel", None);
    scene.ended(&pair);
    scene.send(json!({"text": "And now?"}));
    pinned!("stopped", scene);
}

#[test]
fn val_1_a_limit_that_a_provider_stated_is_learned() {
    let mut scene = Set { window: 4000, ..Set::of(Wire::OpenAi) }.begin();
    scene.history(4);
    scene.replies([Reply::overflow(500, 900)]);
    scene.send(json!({"text": "Learn."}));
    scene.send(json!({"text": "Learned?"}));
    pinned!("learned", scene);
}
