//! The same by the commands: plans, dry runs and sends.

use serde_json::json;

use crate::{
    pinned,
    scene::{Scene, Set, WIRES, Wire},
};

const LINES: &str = r#"{"id":"p1","userText":"First?","assistantText":"Yes, first.","createdAt":"2026-01-02T03:04:05Z","model":"test","star":2}
{"id":"p2","userText":"Second?","assistantText":"Second, surely.","createdAt":"2026-01-02T03:05:05Z","model":"test"}
{"id":"p3","userText":"Third?","createdAt":"2026-01-02T03:06:05Z","model":"test","lifecycleState":"error"}
"#;

#[test]
fn cli_a_plan_tells_what_would_go() {
    let mut scene = Set { window: 700, ..Set::of(Wire::OpenAi) }.begin();
    scene.history(5);
    std::fs::write(scene.served.home().join("pairs.jsonl"), LINES).unwrap();
    let plan = |scene: &mut Scene, more: &[&str]| {
        scene.command(&[&["plan", "--draft", "What next?"], more].concat(), "");
    };
    plan(&mut scene, &["--json"]);
    plan(&mut scene, &["--filter", "r2", "--json"]);
    plan(&mut scene, &["--pairs", "pairs.jsonl", "--json"]);
    plan(&mut scene, &["--pairs", "pairs.jsonl", "--filter", "s>=1"]);
    plan(&mut scene, &["--pairs", "pairs.jsonl", "-m", "gpt-4o", "--limit", "60", "--json"]);
    pinned!("plans", scene);
}

#[test]
fn cli_a_dry_run_is_the_request() {
    for wire in WIRES {
        let mut scene = Set::of(wire).begin();
        scene.history(2);
        scene.command(&["send", "What goes?", "--continue", "--dry-run"], "");
        scene.command(&["send", "What goes?", "--continue"], "");
        pinned!(format!("dry_run_{}", wire.name()), scene);
    }
}

#[test]
fn cli_what_is_sent_by_commands_has_receipts_too() {
    let mut scene = Set::of(Wire::OpenAi).begin();
    scene.history(1);
    std::fs::write(scene.served.home().join("note.txt"), "a short note\n").unwrap();
    scene.told.names_files = true;
    scene.command(&["send", "With a file", "--file", "note.txt"], "");
    scene.command(&["receipts", "--json"], "");
    scene.send(json!({"text": "And on the page?"}));
    pinned!("commands", scene);
}
