use std::path::PathBuf;

use serde_json::{Value, json};

use crate::run::{Ran, plimsoll};

/// Ten characters are ten tokens, and messages cost nothing more.
const PLAIN: [&str; 13] = [
    "plan",
    "--json",
    "--ura",
    "100",
    "--prelude",
    "0",
    "--reply-reserve",
    "0",
    "--message-overhead",
    "0",
    "--method",
    "heuristic",
    "--cpt=1",
];

fn pair(id: &str, day: u32, tokens: usize, more: &str) -> String {
    let text = "x".repeat(tokens);
    format!(r#"{{"id":"{id}","userText":"{text}","createdAt":"2026-01-{day:02}T00:00:00Z"{more}}}"#)
}

fn plan(pairs: &[String], args: &[&str]) -> Ran {
    let all = PLAIN.iter().chain(["--pairs", "-"].iter()).chain(args);
    plimsoll(all).input(pairs.join("\n")).run()
}

#[test]
fn ui_18_a_plan_says_what_the_prompt_costs_at_most() {
    let report = plan(&three(), &["-m", "gpt-4o", "--draft", "hello"]).json();
    let (cost, total) = (report["cost"].as_f64().unwrap(), report["total"].as_f64().unwrap());
    assert!(cost > 0.0 && cost < total, "{report}");
    let local = plan(&three(), &["-m", "phi-3-mini-4k", "--draft", "hello"]).json();
    assert_eq!(local.get("cost"), None, "nobody knows its price");
    let people = plimsoll(["plan", "--pairs", "-", "-m", "gpt-4o"]).input(three().join("\n")).run();
    assert!(people.stdout.contains("cost       ≤ $"), "{}", people.stdout);
    assert!(people.stdout.contains("the answer is not counted"), "{}", people.stdout);
    let inside =
        plimsoll(["plan", "--pairs", "-", "-m", "embedded"]).input(three().join("\n")).run();
    assert!(inside.stdout.contains("cost       free"), "{}", inside.stdout);
}

/// CAT-4: 8,192 tokens are assumed for an unknown model; one that was mistyped has a hint.
#[test]
fn cat_4_a_plan_for_a_misspelt_model_has_a_hint() {
    let run = |model: &str| {
        let args = ["plan", "--json", "--pairs", "-", "-m", model];
        let ran = plimsoll(args).input(three().join("\n")).run();
        (ran.json()["ml"].as_u64().unwrap(), ran.stderr)
    };
    let hint = "note: no model is known as 'gpt4o'; did you mean 'gpt-4o'?\n";
    assert_eq!(run("gpt4o"), (8192, hint.to_owned()));
    assert_eq!(run("gpt-9"), (8192, String::new()));
    assert_eq!(run("gpt-4o").1, "");
}

fn three() -> Vec<String> {
    // Not in the order of time.
    vec![
        pair("new", 3, 30, r#","star":3,"topic":"/Sea/Ships","model":"gpt-4o""#),
        pair("old", 1, 100, r#","colorFlag":"blue","topic":"/Sea""#),
        pair("mid", 2, 60, r#","topic":"/Land","lifecycleState":"complete""#),
    ]
}

fn ids(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect()
}

#[test]
fn the_json_of_the_spec() {
    let mut report = plan(&three(), &["--limit", "200", "--draft", "hello"]).json();
    let timings = report.as_object_mut().unwrap().remove("timings").unwrap();
    for key in ["filterUs", "weighUs", "boundaryUs"] {
        assert!(timings[key].is_number(), "{key}");
    }
    // The newest pair is of gpt-4o, whose price is known (UI-18).
    assert!(report.as_object_mut().unwrap().remove("cost").unwrap().is_number());
    let expected = json!({
        "ml": 200, "x": 2, "y": 3, "included": ["mid", "new"], "excluded": ["old"],
        "predictedHistoryTokens": 90, "predictedTotalTokens": 190, "aut": 5, "total": 95,
        "percent": 47.5, "verdict": "ok", "counter": "2 / 3",
    });
    assert_eq!(report, expected);
}

#[test]
fn verdicts_follow_the_draft() {
    for (draft, verdict) in
        [(70, "ok"), (71, "warn"), (110, "warn"), (111, "over"), (201, "over"), (401, "too_large")]
    {
        let report = plan(&three(), &["--limit", "200", "--draft", &"x".repeat(draft)]).json();
        assert_eq!(report["verdict"], verdict, "{draft}");
        assert_eq!(report["x"], 2, "BND-4: the draft does not move the boundary");
    }
}

#[test]
fn filters_choose_what_is_visible() {
    for (filter, visible) in [
        ("", &["old", "mid", "new"][..]),
        ("b", &["old"]),
        ("s>=1 | t'Land'", &["mid", "new"]),
        ("t'Sea'...", &["old", "new"]),
        ("t'/Sea/Ships'", &["new"]),
        ("m'gpt*'", &["new"]),
        ("r2", &["mid", "new"]),
        ("k>=60", &["old", "mid"]),
        ("d2026-01-02", &["mid"]),
        ("c'xx' & !b", &["mid", "new"]),
        ("c'y'", &[]),
        ("o", &["mid", "new"]),
        ("!o", &["old"]),
    ] {
        let report = plan(&three(), &["--limit", "200", "--filter", filter]).json();
        let mut seen = ids(&report["excluded"]);
        seen.extend(ids(&report["included"]));
        assert_eq!(seen, visible, "{filter}");
        assert_eq!(report["y"], visible.len(), "{filter}");
    }
}

#[test]
fn flt_3_o_is_evaluated_last() {
    let plan = |filter| plan(&three(), &["--limit", "200", "--filter", filter]).json();
    assert_eq!(ids(&plan("o")["included"]), ["mid", "new"]);
    assert_eq!(ids(&plan("o1")["excluded"]), ["old"]);
    assert_eq!(ids(&plan("o !b")["included"]), ["mid", "new"]);
    let rest = plan("!o");
    assert_eq!((ids(&rest["included"]), rest["y"].as_u64()), (vec!["old"], Some(1)), "BND-1");
}

#[test]
fn a_bare_t_needs_a_topic() {
    let ran = plan(&three(), &["--filter", "t..."]);
    ran.refused(2, "nothing is selected");
    for topic in ["/Sea", "sea", " / SEA / "] {
        let report =
            plan(&three(), &["--limit", "9999", "--filter", "t...", "--topic", topic]).json();
        assert_eq!(ids(&report["included"]), ["old", "new"], "{topic}");
    }
    let deep = ["--limit", "9999", "--filter", "t", "--topic", "Sea > Ships"];
    assert_eq!(ids(&plan(&three(), &deep).json()["included"]), ["new"]);
    let unknown = plan(&three(), &["--filter", "t", "--topic", "/Moon"]);
    assert_eq!(unknown.json()["y"], 0);
    assert!(unknown.stderr.starts_with("note: no pair of this history"), "{}", unknown.stderr);
}

#[test]
fn bnd_1_what_is_not_sendable_counts_in_y_only() {
    let states = ["error", "sending", "idle", "cancelled", "complete"];
    let pairs: Vec<String> = states
        .iter()
        .zip(1..)
        .map(|(state, day)| pair(state, day, 10, &format!(r#","lifecycleState":"{state}""#)))
        .collect();
    let report = plan(&pairs, &["--limit", "1000"]).json();
    assert_eq!(ids(&report["included"]), ["complete"]);
    assert_eq!(report["y"], 5);
    assert_eq!(report["predictedHistoryTokens"], 10);
    let all = PLAIN.iter().chain(["--pairs", "-", "--limit", "1000"].iter());
    let with_errors =
        plimsoll(all).env("PLIMSOLL_SEND_ERROR_PAIRS", "on").input(pairs.join("\n")).run().json();
    assert_eq!(ids(&with_errors["included"]), ["error", "complete"]);
}

#[test]
fn his_2_ties_sort_by_the_bytes_of_the_id() {
    let pairs: Vec<String> = ["b", "a", "B", "é"].iter().map(|id| pair(id, 1, 1, "")).collect();
    let report = plan(&pairs, &["--limit", "1000"]).json();
    assert_eq!(ids(&report["included"]), ["B", "a", "b", "é"]);
}

#[test]
fn cat_5_the_model_is_the_chosen_then_the_newest() {
    let bare = ["plan", "--json", "--pairs", "-"];
    let ml = |args: &[&str]| {
        let all = bare.iter().chain(args);
        plimsoll(all).input(three().join("\n")).run().json()["ml"].as_u64().unwrap()
    };
    assert_eq!(ml(&["-m", "phi-3-mini-4k"]), 4096);
    assert_eq!(ml(&[]), 128_000, "the newest pair is gpt-4o's");
    assert_eq!(ml(&["-m", "who-knows"]), 8192, "CAT-4");
    let nobody = plimsoll(bare).input(pair("a", 1, 1, "")).run().json();
    assert_eq!(nobody["ml"], 4096, "the embedded model");
}

#[test]
fn an_empty_history_is_data() {
    let report = plan(&[], &["--limit", "100"]).json();
    assert_eq!((report["x"].as_u64(), report["y"].as_u64()), (Some(0), Some(0)));
    assert_eq!(report["counter"], "0 / 0");
}

#[test]
fn a_bad_filter_shows_where() {
    let ran = plan(&three(), &["--filter", "s3 & m gpt"]);
    ran.refused(2, "the filter is not right: a stray word");
    assert!(ran.stderr.contains("  s3 & m gpt\n         ^^^\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("m'gpt'"), "{}", ran.stderr);
    plan(&three(), &["--filter", "b :star 3"]).refused(2, "no command");
    plan(&three(), &["--filter", "@mine"]).refused(2, "unknown saved filter");
}

#[test]
fn a_bad_line_is_named() {
    let mut pairs = three();
    pairs.insert(1, "{\"id\":\"x\"".to_owned());
    plan(&pairs, &[]).refused(1, "standard input, line 2: not a JSON object");
    pairs[1] = pairs[0].clone();
    plan(&pairs, &[]).refused(1, "line 2: id 'new' stands twice");
    pairs[1] = pair("x", 1, 1, &format!(r#","topic":"{}""#, "/a".repeat(20_000)));
    plan(&pairs, &[]).refused(1, "line 2: topic is deeper than 64 levels");
    pairs[1] = r#"{"id":"x","userText":"","createdAt":1700000000}"#.to_owned();
    plan(&pairs, &[]).refused(1, "line 2: createdAt must be a string");
}

#[test]
fn lone_surrogates_are_replaced_and_noted() {
    let text = r"x\\ud800y \ud83d\ude00 \udc00";
    let line = format!(r#"{{"id":"a","userText":"{text}","createdAt":"2026-01-01T00:00:00Z"}}"#);
    let ran = plan(&[line], &["--limit", "500"]);
    assert_eq!(ran.json()["predictedHistoryTokens"], 12);
    assert!(ran.stderr.contains("U+FFFD"), "{}", ran.stderr);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    plimsoll(["plan", "--pairs", "/nonexistent.jsonl"]).run().refused(1, "no such file");
    plimsoll(["plan", "--pairs", "/"]).run().refused(1, "is a directory");
    plimsoll(["plan", "--pairs", "-"])
        .env("TMPDIR", "/nonexistent")
        .run()
        .refused(1, "temporary directory");
}

#[test]
fn a_file_and_a_pipe_plan_alike() {
    let dir = tempfile::tempdir().unwrap();
    let path: PathBuf = dir.path().join("h.jsonl");
    std::fs::write(&path, three().join("\r\n")).unwrap();
    let args = ["--limit", "200", "--pairs"];
    let from_file = plimsoll(
        PLAIN.iter().chain(&args).map(|a| (*a).to_owned()).chain([path.display().to_string()]),
    )
    .run()
    .json();
    let from_pipe = plan(&three(), &["--limit", "200"]).json();
    assert_eq!(from_file["included"], from_pipe["included"]);
    assert_eq!(from_file["total"], from_pipe["total"]);
}

#[test]
fn bad_bytes_are_replaced_and_noted() {
    let mut bytes = pair("a", 1, 4, "").into_bytes();
    let at = bytes.windows(4).position(|window| window == b"xxxx").unwrap();
    bytes[at] = 0xff;
    let all = PLAIN.iter().chain(["--pairs", "-", "--limit", "500"].iter());
    let ran = plimsoll(all).input(bytes).run();
    assert_eq!(ran.json()["predictedHistoryTokens"], 4);
    assert!(ran.stderr.contains("not UTF-8"), "{}", ran.stderr);
}

#[test]
fn people_see_the_load_line() {
    let ran = plimsoll([
        "plan",
        "--pairs",
        "-",
        "--limit",
        "200",
        "--reply-reserve",
        "0",
        "--method",
        "heuristic",
        "--cpt",
        "1",
        "--message-overhead",
        "0",
        "--draft",
        &"x".repeat(150),
    ])
    .input(three().join("\n"))
    .run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    insta::assert_snapshot!(ran.stdout);
}

/// API-6: lines of a file say the use and the kind of a pair.
#[test]
fn api_6_lines_take_use_and_kind() {
    let line = |id: &str, more: &str| {
        format!(
            "{{\"id\":\"{id}\",\"userText\":\"text of {id}\",\"createdAt\":\"2026-01-0{id}T00:00:00Z\"{more}}}\n"
        )
    };
    let lines =
        line("1", "") + &line("2", ",\"use\":\"out\"") + &line("3", ",\"kind\":\"summary\"");
    let plan = |filter: &str| {
        plimsoll(["plan", "--pairs", "-", "--json", "--filter", filter]).input(&lines).run().json()
    };
    assert_eq!(plan("")["included"], serde_json::json!(["1", "3"]));
    assert_eq!(plan("y")["included"], serde_json::json!(["3"]));
    let wrong = line("1", ",\"kind\":\"poem\"");
    let ran = plimsoll(["plan", "--pairs", "-", "--json"]).input(wrong).run();
    ran.refused(1, "kind 'poem' is not chat or summary");
}
