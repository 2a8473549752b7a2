//! What a message is made of: text, system message, files, calls of tools.

use plimsoll_testkit::scripted::Reply;
use serde_json::{Value, json};

use crate::{
    pinned,
    scene::{Scene, Set, WIRES, Wire},
};

/// A picture of one point.
const POINT: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\
    \0\0\0\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\0\x05\0\x01\xff\x89\x99=\x1d\0\0\0\0IEND\xaeB`\x82";

fn each_wire(name: &str, model: &'static str, play: impl Fn(&mut Scene)) {
    for wire in WIRES {
        let mut scene = Set { model, ..Set::of(wire) }.begin();
        play(&mut scene);
        pinned!(format!("{name}_{}", wire.name()), scene);
    }
}

#[test]
fn wys_1_a_conversation_goes_in_order() {
    each_wire("conversation", "", |scene| {
        scene.history(2);
        scene.send(json!({"text": "And “now”?\r\n\tWith <b>marks</b> & \u{1F6A2}."}));
    });
}

#[test]
fn wys_1_a_system_message_goes_first() {
    each_wire("system_message", "", |scene| {
        let ask = json!({"path": "/Sea", "systemMessage": "Answer like a sailor."});
        scene.served.json("POST", "/api/topics", Some(ask));
        scene.set("/api/view", json!({"topic": "/Sea"}));
        scene.history(1);
        scene.send(json!({"text": "Who goes there?"}));
    });
}

fn attached(scene: &mut Scene, before: &str, files: &[(&str, &[u8])], after: &str) -> Value {
    let (mut text, mut attachments) = (before.to_owned(), Vec::new());
    for (name, bytes) in files {
        let (token, id) = scene.file(name, bytes);
        text.push_str(&token);
        text.push_str(" and ");
        attachments.push(json!({"fileId": id}));
    }
    json!({"text": text + after, "attachments": attachments})
}

#[test]
fn dlv_1_files_go_where_they_were_written() {
    each_wire("files_inline", "vision = true\ntools = false", |scene| {
        let files: [(&str, &[u8]); 2] =
            [("tides.csv", b"hour,height\n1,2.5\n"), ("dot.png", POINT)];
        let message = attached(scene, "Look at ", &files, "say why.");
        scene.send(message);
        scene.send(json!({"text": "And again?"}));
    });
}

#[test]
fn dlv_1_models_without_eyes_get_names() {
    each_wire("files_by_name", "vision = false\ntools = false", |scene| {
        let files: [(&str, &[u8]); 2] = [("dot.png", POINT), ("blob.bin", &[0, 159, 146, 150])];
        let message = attached(scene, "Here: ", &files, "what are they?");
        scene.send(message);
    });
}

#[test]
fn ftl_1_models_with_tools_are_told_of_files() {
    each_wire("files_on_demand", "vision = true\ntools = true", |scene| {
        let quiet = "all quiet\n".repeat(400);
        let files: [(&str, &[u8]); 1] = [("log.txt", quiet.as_bytes())];
        let message = attached(scene, "Read ", &files, "in parts.");
        scene.send(message);
    });
}

#[test]
fn prv_5_rounds_of_tools_are_said_in_full() {
    let mut scene = Set { model: "tools = true", ..Set::of(Wire::OpenAi) }.begin();
    let files: [(&str, &[u8]); 1] = [("notes.txt", b"the tide is high\n")];
    let message = attached(&mut scene, "What does ", &files, "say?");
    scene.replies([
        Reply::openai_calls("list_files", "{}", 0),
        Reply::openai_calls("no_such_tool", "{\"a\":1}", 0),
        Reply::openai(&["It is high."], 0, 4),
    ]);
    scene.send(message);
    pinned!("tools_openai", scene);
}

#[test]
fn tok_1_a_reference_that_leads_nowhere_is_said() {
    let mut scene = Set::of(Wire::OpenAi).begin();
    scene.send(json!({"text": "read <<context:text:/etc/passwd>>> please"}));
    pinned!("broken_reference", scene);
}
