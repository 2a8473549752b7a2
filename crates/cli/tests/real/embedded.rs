//! The model inside, through the binary (PRV-4).

use std::{io::Read, process::Command};

use plimsoll_domain::Lifecycle;
use plimsoll_embedded::{FILE_NAME, MODEL_ID, WINDOW};
use plimsoll_testkit::scripted::{Recorded, Reply, ScriptedServer};

use crate::home::{Home, SENTENCE, weights};

const CAPITAL: &str = "What is the capital of France? Answer in one sentence.";

/// A home that has the weights already.
fn home() -> Option<Home> {
    let weights = weights()?;
    let home = Home::new();
    let models = home.data().join("models");
    std::fs::create_dir_all(&models).unwrap();
    std::os::unix::fs::symlink(weights, models.join(FILE_NAME)).unwrap();
    Some(home)
}

#[test]
fn it_answers_with_a_receipt_and_goes_on() {
    let Some(home) = home() else { return };
    let first = home.run(&["send", CAPITAL]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    assert_eq!(first.stdout, "The capital of France is Paris.\n");
    // llama.cpp counts 21 tokens in the same prompt. Tokenizer and chat format are ours, so the
    // estimate is the usage (EST-5).
    let line = first.stderr.lines().last().unwrap();
    assert!(line.starts_with(&format!("{MODEL_ID} · estimate 21 ")), "{line}");
    assert!(line.contains(" · used 21 + 7 · "), "{line}");
    let off = || home.receipt()["estimateErrorPercent"].as_f64().unwrap();
    assert_eq!(off(), 0.0);

    let next = home.run(&["send", "-c", "Which city did you name?"]);
    assert!(next.code == 0 && next.stdout.contains("Paris"), "{} {}", next.stdout, next.stderr);
    assert!(next.stderr.trim_end().ends_with("1 / 1"), "{}", next.stderr);
    assert_eq!(off(), 0.0, "with an answer that is sent along");
    let receipt = home.receipt();
    let roles = receipt["attempts"][0]["messages"].as_array().unwrap();
    let roles: Vec<&str> = roles.iter().map(|one| one["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "user"], "nothing is added (promise 1)");
}

#[test]
fn beyond_its_window_it_overflows_for_real() {
    let Some(home) = home() else { return };
    // The user's word on the window wins over ours, so the boundary lets too much through.
    let model = format!("[[model]]\nid = \"{MODEL_ID}\"\ncontextWindow = 16384\n");
    std::fs::write(home.path().join("models.toml"), model).unwrap();
    let beyond = WINDOW / 11;
    home.fill(&[beyond, 1]);
    let before = home.kept();
    let ran = home.run(&["send", "--scope", "everything", "-m", MODEL_ID, CAPITAL]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("[2-1]/2"), "{}", ran.stderr);
    assert!(ran.stderr.contains("(\"question 1\")"), "REC-4: {}", ran.stderr);
    assert_eq!(home.stages(), ["overflow_initial", "success"]);
    assert_eq!(home.kept()[..2], before[..]);

    let long = SENTENCE.repeat(beyond);
    let ran = home.command(&["send", "-m", MODEL_ID, "--over-budget", "trim"]).input(&long).run();
    // The user's own word still stands (CAT-3), so it is the model that refuses.
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let said = "maximum context length is 4096 tokens";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
}

#[test]
fn snd_4_ctrl_c_keeps_what_had_arrived() {
    let Some(home) = home() else { return };
    let story = ["send", "Write a long story about a ship and her captain."];
    let mut child = home.command(&story).start();
    // The first words are here; the story is not.
    let mut began = [0; 20];
    child.stdout.as_mut().unwrap().read_exact(&mut began).unwrap();
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("error: stopped; what had arrived is kept"), "{said}");
    let kept = home.kept().remove(0).pair;
    assert_eq!(kept.lifecycle, Lifecycle::Cancelled);
    let text = kept.assistant_text.unwrap();
    assert!(text.as_bytes().starts_with(&began), "{text}");
    assert_eq!(home.stages(), ["cancelled"]);
}

#[test]
fn prv_4_without_weights_one_line_says_how_to_get_them_and_all_else_works() {
    let home = Home::new();
    let bare = |args: &[&str]| {
        // No Python to be found, and nobody at that address.
        home.command(args).env("PATH", "").env("HF_ENDPOINT", "http://127.0.0.1:9").run()
    };
    let ran = bare(&["send", "hello"]);
    ran.refused(1, "the model could not be fetched");
    let line = ran.stderr.lines().find(|line| line.starts_with("error: ")).unwrap();
    let models = home.data().join("models");
    for part in ["pip: ", "web: ", FILE_NAME, models.to_str().unwrap()] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert_eq!(ran.stderr.lines().count(), 2, "an error and a hint: {}", ran.stderr);
    let tokens = home.command(&["tokens", "--json"]).env("PATH", "").input("hello").run();
    assert_eq!(tokens.json()["total"], 1);
    for args in [&["topics"][..], &["receipts"], &["models", "gpt-4o"], &["settings"]] {
        assert_eq!(bare(args).code, 0, "{args:?}");
    }
}

/// The file from where it is asked for; first only a part of it comes.
fn published(file: &[u8], request: &Recorded) -> Reply {
    let length = file.len().to_string();
    match request.header("range").and_then(|range| range.strip_prefix("bytes=")) {
        None => {
            let half = &file[..file.len() / 2];
            Reply::head(200, &[("content-length", &length)]).bytes(half).close()
        }
        Some(range) => {
            let from: usize = range.trim_end_matches('-').parse().unwrap();
            let range = format!("bytes {from}-{}/{length}", file.len() - 1);
            Reply::whole(206, &[("content-range", &range)], &file[from..])
        }
    }
}

#[test]
fn the_web_brings_the_weights_where_pip_cannot() {
    let Some(weights) = weights() else { return };
    let file = std::fs::read(weights).unwrap();
    let web = ScriptedServer::answering(move |request| published(&file, request)).unwrap();
    let home = Home::new();
    let send = home.command(&["send", CAPITAL]);
    let ran = send.env("PATH", "").env("HF_ENDPOINT", web.root_url()).run();
    assert_eq!(ran.stdout, "The capital of France is Paris.\n", "{}", ran.stderr);
    let asked = web.requests();
    assert_eq!(asked.len(), 2, "broken once, and taken up again");
    for request in &asked {
        assert!(request.path.contains("/resolve/") && request.path.ends_with(FILE_NAME));
    }
    // A wrong file is not taken for the model.
    let wrong = ScriptedServer::always(Reply::whole(200, &[], "not a model")).unwrap();
    let home = Home::new();
    let send = home.command(&["send", CAPITAL]);
    let ran = send.env("PATH", "").env("HF_ENDPOINT", wrong.root_url()).run();
    ran.refused(1, "the file is not the expected one");
}
