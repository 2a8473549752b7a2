use std::fs;

use plimsoll_budget::DetailLevel;

use super::*;
use crate::{Clarify, DIMENSIONS, Explore, GetContext, Mode, Reading};

const NOW: Timestamp = Timestamp::from_millis(1_763_200_000_000);

fn fresh() -> (tempfile::TempDir, Notebook) {
    let temp = tempfile::tempdir().unwrap();
    let notebook = Notebook::of(temp.path(), None).unwrap().unwrap();
    (temp, notebook)
}

fn begun(mode: Mode) -> (tempfile::TempDir, Notebook) {
    let (temp, notebook) = fresh();
    let (name, description) = ("Tide Tables".to_owned(), "When to sail.".to_owned());
    notebook.init_project(&InitProject { name, description, mode }, NOW).unwrap();
    (temp, notebook)
}

fn text(word: &str) -> String {
    format!("- {word} one\n- {word} two")
}

fn proposal() -> Proposal {
    Proposal {
        problem: text("problem"),
        target_users: text("users"),
        solution: text("solution"),
        success_criteria: text("criteria"),
        out_of_scope: None,
        open_questions: Some(text("question")),
    }
}

fn requirements() -> Requirements {
    let (must_have, non_functional) = (text("must"), text("fast"));
    Requirements { must_have, non_functional, ..Requirements::default() }
}

fn rules() -> BusinessRules {
    let (definitions, facts, constraints) = (text("tide"), text("fact"), text("limit"));
    BusinessRules { definitions, facts, constraints, ..BusinessRules::default() }
}

fn scores(score: u32) -> Clarify {
    let scores = DIMENSIONS.map(|one| format!("{}: {score}", one.name)).join(", ");
    Clarify { answers: Some(text("answer")), dimension_scores: Some(scores) }
}

fn design() -> Design {
    Design {
        overview: text("overview"),
        tech_stack: text("rust"),
        components: text("component"),
        data_model: text("table"),
        ..Design::default()
    }
}

fn validation(verdict: Verdict) -> Validation {
    Validation {
        requirements_coverage: text("covered"),
        component_coverage: text("covered"),
        consistency_issues: "none".to_owned(),
        verdict,
        ..Validation::default()
    }
}

#[test]
fn sdd_1_a_project_goes_through_its_stages_and_leaves_plain_files() {
    let (temp, notebook) = begun(Mode::Guided);
    let keys: Vec<String> = [
        notebook.create_proposal(&proposal(), NOW),
        notebook.generate_requirements(&requirements(), NOW),
        notebook.create_business_rules(&rules(), NOW),
        notebook.clarify(&scores(70), NOW),
        notebook.create_design(&design(), NOW),
        notebook.create_tasks(&Tasks { tasks: text("task"), ..Tasks::default() }, NOW),
        notebook.validate(&validation(Verdict::PassWithWarnings), NOW),
    ]
    .into_iter()
    .map(|done| done.unwrap().remember.unwrap().topic_key)
    .collect();
    assert_eq!(keys[0], "sdd/tide-tables/propose", "SDD-5");
    assert_eq!(keys[6], "sdd/tide-tables/validate");
    for stage in Stage::ALL {
        assert!(temp.path().join("sdd").join(stage.file()).is_file(), "{stage}");
    }
    let proposal = fs::read_to_string(temp.path().join("sdd/proposal.md")).unwrap();
    assert_eq!(
        proposal,
        "# Proposal: Tide Tables\n\n## Problem\n\n- problem one\n- problem two\n\n## Target \
         users\n\n- users one\n- users two\n\n## Solution\n\n- solution one\n- solution two\n\n## \
         Success criteria\n\n- criteria one\n- criteria two\n\n## Open questions\n\n- question \
         one\n- question two\n"
    );
    let state: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(temp.path().join("sdd/sdd.json")).unwrap())
            .unwrap();
    assert_eq!(state["name"], "Tide Tables");
    assert_eq!((&state["mode"], &state["stage"]), (&"guided".into(), &"validate".into()));
    for stage in Stage::ALL {
        assert_eq!(state["stages"][stage.name()]["status"], "completed", "{stage}");
    }
    let again = notebook.create_proposal(&Proposal::default(), NOW).unwrap_err();
    assert!(matches!(again, SpecsError::Finished(Stage::Propose)), "{again}");
    assert!(again.to_string().contains("sdd_change"));
}

#[test]
fn sdd_2_the_wrong_stage_says_which_it_is_and_what_to_call() {
    let (temp, notebook) = begun(Mode::Guided);
    let said = notebook.create_design(&design(), NOW).unwrap_err().to_string();
    assert!(said.contains("stage propose") && said.contains("sdd_create_proposal"), "{said}");
    assert!(!temp.path().join("sdd/design.md").exists());
    let said = notebook.clarify(&Clarify::default(), NOW).unwrap_err().to_string();
    assert!(said.contains("stage propose"), "{said}");
    let project = InitProject { name: "b".into(), description: "c".into(), mode: Mode::Guided };
    let said = notebook.init_project(&project, NOW).unwrap_err().to_string();
    assert!(said.contains("Tide Tables") && said.contains("sdd_create_proposal"), "{said}");

    let (temp, notebook) = fresh();
    let said = notebook.create_design(&design(), NOW).unwrap_err().to_string();
    assert!(said.contains("sdd_init_project"), "{said}");
    assert!(!temp.path().join("sdd").exists(), "who is refused leaves nothing behind");
}

#[test]
fn sdd_2_what_is_missing_is_named_at_once_and_nothing_is_saved() {
    let (temp, notebook) = begun(Mode::Guided);
    let args = Proposal { problem: "p".into(), solution: " \n".into(), ..Proposal::default() };
    let said = notebook.create_proposal(&args, NOW).unwrap_err().to_string();
    assert!(said.contains("target_users, solution, success_criteria"), "{said}");
    assert!(!temp.path().join("sdd/proposal.md").exists());
    let long = Proposal { problem: "x".repeat(1 << 20), ..proposal() };
    let said = notebook.create_proposal(&long, NOW).unwrap_err().to_string();
    assert!(said.contains("problem has 1048576 bytes; at most 65536"), "{said}");
}

#[test]
fn sdd_2_too_many_rounds_of_clarifying_name_the_file_and_its_limit() {
    let (temp, notebook) = begun(Mode::Guided);
    notebook.create_proposal(&proposal(), NOW).unwrap();
    notebook.generate_requirements(&requirements(), NOW).unwrap();
    notebook.create_business_rules(&rules(), NOW).unwrap();
    let file = temp.path().join("sdd/clarifications.md");
    let rounds = "x".repeat((1 << 20) - 10);
    fs::write(&file, &rounds).unwrap();
    let said = notebook.clarify(&scores(90), NOW).unwrap_err().to_string();
    assert!(said.starts_with("sdd/clarifications.md would have 10"), "{said}");
    assert!(said.contains("at most 1048576 are kept"), "{said}");
    assert_eq!(fs::read_to_string(&file).unwrap(), rounds, "it is left as it is");
}

#[test]
fn sdd_2_clarifying_asks_then_scores_then_passes() {
    for (mode, enough) in [(Mode::Guided, 70), (Mode::Expert, 50)] {
        let (temp, notebook) = begun(mode);
        notebook.create_proposal(&proposal(), NOW).unwrap();
        notebook.generate_requirements(&requirements(), NOW).unwrap();
        notebook.create_business_rules(&rules(), NOW).unwrap();
        let asked = notebook.clarify(&Clarify::default(), NOW).unwrap();
        for dimension in DIMENSIONS {
            assert!(asked.text.contains(dimension.question));
        }
        let answers = Clarify { answers: Some(text("only")), dimension_scores: None };
        assert!(notebook.clarify(&answers, NOW).unwrap().text.contains("dimension_scores"));
        let refused = notebook.clarify(&scores(enough - 1), NOW).unwrap();
        assert!(refused.text.contains("is needed"), "{}", refused.text);
        assert_eq!(refused.remember, None, "the stage is not finished");
        let passed = notebook.clarify(&scores(enough), NOW).unwrap();
        assert!(passed.text.contains("sdd_create_design"), "{}", passed.text);
        let file = fs::read_to_string(temp.path().join("sdd/clarifications.md")).unwrap();
        assert_eq!(file.matches("## Round ").count(), 3, "{file}");
        assert!(file.contains("only one") && file.contains(&format!("Clarity: {enough} of 100")));
    }
}

#[test]
fn a_failed_validation_is_kept_and_leaves_the_stage_open() {
    let (temp, notebook) = begun(Mode::Expert);
    notebook.create_proposal(&proposal(), NOW).unwrap();
    notebook.generate_requirements(&requirements(), NOW).unwrap();
    notebook.create_business_rules(&rules(), NOW).unwrap();
    notebook.clarify(&scores(90), NOW).unwrap();
    notebook.create_design(&design(), NOW).unwrap();
    notebook.create_tasks(&Tasks { tasks: text("task"), ..Tasks::default() }, NOW).unwrap();
    let failed = notebook.validate(&validation(Verdict::Fail), NOW).unwrap();
    assert_eq!(failed.remember, None);
    assert!(fs::read_to_string(temp.path().join("sdd/validation.md")).unwrap().contains("FAIL"));
    assert!(notebook.validate(&validation(Verdict::Pass), NOW).is_ok());
}

#[test]
fn a_hostile_sdd_json_is_an_error_and_stays_as_it_is() {
    let hostile: [Vec<u8>; 9] = [
        b"{broken".to_vec(),
        b"[]".to_vec(),
        b"null".to_vec(),
        br#"{"name": 5, "stage": "propose"}"#.to_vec(),
        br#"{"name": "x", "stage": "../../etc"}"#.to_vec(),
        br#"{"name": "x", "stage": "propose", "stages": []}"#.to_vec(),
        vec![b'['; 100_000],
        vec![b' '; 5 << 20],
        b"\xff\xfe\x00".to_vec(),
    ];
    for bytes in hostile {
        let (temp, notebook) = fresh();
        let file = temp.path().join("sdd/sdd.json");
        fs::create_dir(temp.path().join("sdd")).unwrap();
        fs::write(&file, &bytes).unwrap();
        let project = InitProject { name: "a".into(), description: "b".into(), mode: Mode::Guided };
        for result in [
            notebook.init_project(&project, NOW).map(drop),
            notebook.create_proposal(&proposal(), NOW).map(drop),
            notebook.clarify(&Clarify::default(), NOW).map(drop),
            notebook.get_context(&GetContext::default()).map(drop),
        ] {
            let said = result.unwrap_err();
            assert!(matches!(said, SpecsError::Broken { .. }), "{said:?}");
            assert!(said.to_string().contains("sdd/sdd.json"), "{said}");
            assert!(said.to_string().len() < 400, "{said}");
        }
        assert_eq!(fs::read(&file).unwrap(), bytes, "never overwritten");
    }
}

#[test]
fn what_others_wrote_into_sdd_json_is_kept() {
    let (temp, notebook) = begun(Mode::Guided);
    let file = temp.path().join("sdd/sdd.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen('{', "{\n  \"ticket\": [1, 2],", 1)).unwrap();
    notebook.create_proposal(&proposal(), NOW).unwrap();
    let state: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(state["ticket"], serde_json::json!([1, 2]));
    assert_eq!(state["stage"], "specify");
}

#[test]
fn get_context_is_a_summary_first_and_all_on_request() {
    let (_temp, notebook) = begun(Mode::Guided);
    notebook.create_proposal(&proposal(), NOW).unwrap();
    let summary = notebook.get_context(&GetContext::default()).unwrap().answer;
    assert!(summary.text.contains("at stage specify"), "{}", summary.text);
    assert!(summary.text.contains("Problem; Target users"), "{}", summary.text);
    assert!(!summary.text.contains("problem one"), "{}", summary.text);
    assert!(summary.text.contains("💡 Use detail_level: standard or full"));
    assert_eq!((summary.shown, summary.total), (2, 2));
    let reading = Reading { detail: Some(DetailLevel::Full), ..Reading::default() };
    let full = GetContext { stage: Some(Stage::Propose), reading };
    let full = notebook.get_context(&full).unwrap().answer;
    assert!(full.text.contains("- question two") && !full.text.contains("💡"), "{}", full.text);
    assert!(full.text.ends_with(" tokens"), "MBG-4");
    let pending = GetContext { stage: Some(Stage::Design), ..GetContext::default() };
    let pending = notebook.get_context(&pending).unwrap().answer;
    assert!(pending.text.contains("not written yet"), "{}", pending.text);
}

#[test]
fn exploring_is_remembered_under_its_title() {
    let (_temp, notebook) = fresh();
    let args = Explore {
        title: "Moon phases".to_owned(),
        goals: Some("Show them".to_owned()),
        ..Explore::default()
    };
    let done = notebook.explore(&args, None).unwrap();
    let remember = done.remember.unwrap();
    assert_eq!((remember.kind, remember.topic_key.as_str()), ("explore", "explore/moon-phases"));
    assert_eq!(remember.project, notebook.folder());
    assert!(remember.content.contains("## Goals\n\nShow them"));
    assert!(done.text.contains("constraints, preferences, unknowns, decisions"), "{}", done.text);
}
