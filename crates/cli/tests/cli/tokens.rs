use serde_json::json;

use crate::run::plimsoll;

#[test]
fn counts_standard_input() {
    let ran = plimsoll(["tokens", "--method", "heuristic", "--json"]).input("abcdefgh").run();
    let expected = json!({
        "items": [{"path": "-", "bytes": 8, "chars": 8, "tokens": 3, "method": "heuristic"}],
        "total": 3,
    });
    assert_eq!(ran.json(), expected);
}

#[test]
fn each_method_is_the_one_that_was_asked_for() {
    for (args, tokens, method) in [
        (&["--method", "bytes4"][..], 2, "bytes4"),
        (&["--method", "heuristic", "--cpt", "2"], 6, "heuristic"),
        (&["--method", "exact", "-m", "gpt-4o"], 2, "exact"),
        (&["--method", "exact", "-m", "gpt-4"], 2, "exact"),
        (&["-m", "gpt-4o-2024-11-20"], 2, "exact"),
        (&["--method", "exact", "-m", "llama3.2"], 2, "exact"),
        (&["--method", "exact", "-m", "deepseek-chat"], 2, "exact"),
        (&["-m", "kimi-k2.6"], 2, "exact"),
        (&["-m", "claude-sonnet-5"], 2, "fast"),
        (&["-m", "never-heard-of"], 2, "fast"),
        (&[], 2, "fast"),
    ] {
        let all = ["tokens", "--json"].iter().chain(args);
        let report = plimsoll(all).input("hello world").run().json();
        assert_eq!(report["items"][0]["method"], method, "{args:?}");
        if method != "fast" {
            assert_eq!(report["total"], tokens, "{args:?}");
        }
    }
}

/// CAT-4: an unknown model is counted for all the same; one that was mistyped has a hint.
#[test]
fn cat_4_a_misspelt_model_has_a_hint_and_is_counted_for() {
    let run = |model: &str| {
        let ran = plimsoll(["tokens", "--json", "-m", model]).input("hello world").run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.json();
        ran.stderr
    };
    assert_eq!(run("gpt4o"), "note: no model is known as 'gpt4o'; did you mean 'gpt-4o'?\n");
    for plausible in ["gpt-4o", "gpt-9", "never-heard-of"] {
        assert_eq!(run(plausible), "", "{plausible}");
    }
}

#[test]
fn several_files_have_a_total_and_a_missing_one_fails_after_the_others() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.txt"), "abcd").unwrap();
    std::fs::write(dir.path().join("b.txt"), "").unwrap();
    let args = ["tokens", "--method", "bytes4", "a.txt", "nope.txt", "b.txt", "."];
    let ran = plimsoll(args).within(dir.path()).run();
    ran.refused(1, "cannot read nope.txt: no such file");
    assert!(ran.stderr.contains("cannot read .: is a directory"), "{}", ran.stderr);
    assert_eq!(
        ran.stdout,
        "~1 tokens  4 bytes  a.txt\n~0 tokens  0 bytes  b.txt\n~1 tokens  4 bytes  total\n"
    );
}

#[test]
fn binary_input_is_read_with_replacement_and_noted() {
    let ran =
        plimsoll(["tokens", "--json", "--method", "heuristic"]).input([b'a', 0xff, 0, 0xfe]).run();
    assert_eq!(ran.json()["items"][0]["bytes"], 4);
    assert_eq!(ran.json()["items"][0]["chars"], 4);
    assert!(ran.stderr.starts_with("note: - is not UTF-8"), "{}", ran.stderr);
}

/// INS-3: text in UTF-16 is counted as the text that it is.
#[test]
fn ins_3_utf_16_is_counted_as_its_text() {
    let utf_16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain("hello world".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let count = |input: Vec<u8>| {
        let ran = plimsoll(["tokens", "--json", "--method", "heuristic"]).input(input).run();
        assert!(!ran.stderr.contains("not UTF-8"), "{}", ran.stderr);
        ran.json()["total"].clone()
    };
    assert_eq!(count(utf_16), count(b"hello world".to_vec()));
}

#[test]
fn empty_input_weighs_nothing() {
    for method in ["auto", "fast", "heuristic", "bytes4"] {
        let ran = plimsoll(["tokens", "--json", "--method", method]).run();
        assert_eq!(ran.json()["total"], 0, "{method}");
    }
}

#[test]
fn exact_names_the_families_it_knows() {
    let ran = plimsoll(["tokens", "--method", "exact", "-m", "claude-sonnet-5"]).run();
    ran.refused(2, "known families: o200k (");
    for family in ["cl100k (gpt-", "llama3 (llama-3.2-1b", "tekken (", "glm5 (", "minimax"] {
        assert!(ran.stderr.contains(family), "{family}: {}", ran.stderr);
    }
    plimsoll(["tokens", "--method", "exact"]).run().refused(2, "exact counting needs a model");
}

#[test]
fn wrong_arguments_exit_with_2() {
    for args in [&["tokens", "--method", "guess"][..], &["tokens", "--cpt", "0"], &["nonsense"]] {
        let ran = plimsoll(args).run();
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    }
}

#[test]
fn fast_is_close_to_exact_on_our_own_texts() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let files = ["README.md", "ARCHITECTURE.md", "crates/budget/src/answer.rs", "deny.toml"];
    let count = |args: &[&str]| {
        let all = ["tokens", "--json"].iter().chain(args).chain(&files);
        plimsoll(all).within(root.as_ref()).run().json()["total"].as_f64().unwrap()
    };
    let ratio = count(&["--method", "fast"]) / count(&["--method", "exact", "-m", "gpt-4o"]);
    assert!((0.93..1.07).contains(&ratio), "{ratio}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure_and_a_full_disk_is_one() {
    use std::process::{Command, Stdio};
    let count = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        command.args(["models", "--json"]).env("PLIMSOLL_CONFIG_DIR", "/nonexistent");
        command.env("PLIMSOLL_DATA_DIR", "/nonexistent/data");
        command
    };
    let mut gone = count().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(gone.stdout.take());
    let output = gone.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        eprintln!("SKIPPED: there is no /dev/full here");
        return;
    };
    let output =
        count().stdout(full).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: cannot write"));
}
