//! Search of the memory by meaning, through the binary (MEM-10).

use std::{
    ops::ControlFlow,
    process::{Child, Command, Stdio},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use plimsoll_embedded::{fetch_sentence_model, locate_sentence_model};
use plimsoll_testkit::real;
use serde_json::Value;

use crate::home::{Home, cache};

/// A home that has the sentence model already.
fn home() -> Option<Home> {
    static FETCHED: OnceLock<Result<(), String>> = OnceLock::new();
    let fetched = FETCHED.get_or_init(|| {
        fetch_sentence_model(cache(), None, &mut |_| ControlFlow::Continue(()))
            .map_err(|error| error.to_string())
    });
    if let Err(why) = fetched {
        real::skipped(&format!("no sentence model: {why}"));
        return None;
    }
    let from = locate_sentence_model(cache()).unwrap();
    let home = Home::new();
    let to = home.data().join("models").join(from.file_name().unwrap());
    std::fs::create_dir_all(&to).unwrap();
    for name in ["model.safetensors", "vocab.txt"] {
        std::os::unix::fs::symlink(from.join(name), to.join(name)).unwrap();
    }
    Some(home)
}

fn save(home: &Home, title: &str) {
    let saved = home.run(&["memory", "save", title, "Below are taken on the build machines."]);
    assert_eq!(saved.code, 0, "{}", saved.stderr);
}

fn status(home: &Home) -> Value {
    let told = home.run(&["memory", "meaning", "status", "--json"]);
    assert_eq!(told.code, 0, "{}", told.stderr);
    serde_json::from_str(&told.stdout).unwrap()
}

/// Ended with the test, whatever becomes of it.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn mem_10_meaning_is_switched_on_and_off_again() {
    let Some(home) = home() else { return };
    save(&home, "Ports start at 7411");
    save(&home, "The mud is deep");
    let off = home.run(&["memory", "meaning"]);
    assert!(off.stdout.starts_with("Search by meaning is off."), "{}", off.stdout);
    assert!(off.stdout.contains("0 of 2 notes have vectors"), "{}", off.stdout);
    let on = home.run(&["memory", "meaning", "on"]);
    assert_eq!(on.code, 0, "{}", on.stderr);
    assert!(on.stdout.starts_with("Search by meaning is on."), "{}", on.stdout);
    assert!(on.stdout.contains("2 of 2 notes have vectors"), "{}", on.stdout);
    assert_eq!(status(&home)["on"], true, "the setting is kept");
    let off = home.run(&["memory", "meaning", "off"]);
    assert_eq!(off.code, 0, "{}", off.stderr);
    let told = status(&home);
    assert_eq!((&told["on"], &told["modelOnDisk"]), (&Value::from(false), &Value::from(false)));
}

#[test]
fn mem_10_vectors_are_made_behind_a_server() {
    let Some(home) = home() else { return };
    save(&home, "Ports start at 7411");
    let server = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .arg("mcp")
        .env("PLIMSOLL_CONFIG_DIR", home.path())
        .env("PLIMSOLL_DATA_DIR", home.data())
        .env("PLIMSOLL_MEMORY_MEANING", "on")
        .current_dir(home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let server = Running(server);
    let deadline = Instant::now() + Duration::from_secs(60);
    while status(&home)["notesWithVectors"] != 1 {
        assert!(Instant::now() < deadline, "{}", status(&home));
        thread::sleep(Duration::from_millis(100));
    }
    drop(server);
}

#[test]
fn mem_10_without_the_model_words_alone_are_searched_and_it_is_said() {
    let home = Home::new();
    save(&home, "Ports start at 7411");
    let told = home.run(&["memory", "meaning"]);
    assert!(told.stdout.contains("`plimsoll memory meaning on` fetches the model (91 MB)"));
    let mcp = home.command(&["mcp"]).env("PLIMSOLL_MEMORY_MEANING", "on").run();
    assert_eq!(mcp.code, 0, "{}", mcp.stderr);
    assert!(mcp.stderr.contains("the memory is searched by words alone"), "{}", mcp.stderr);
}
