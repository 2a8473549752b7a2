use std::fs;

use plimsoll_budget::{Allowance, SUMMARY_HINT};
use plimsoll_domain::Timestamp;
use plimsoll_tokens::{Estimator, Tokenizer, token_footer};
use proptest::prelude::*;

use super::*;
use crate::{AdvanceChange, ChangeSize, ChangeType, GetContext, InitProject, StartChange};

const NOW: Timestamp = Timestamp::from_millis(1_763_200_000_000);

fn recalled(id: u64, content: &str) -> Recalled {
    Recalled { id, title: format!("Idea {id}"), content: content.to_owned() }
}

fn ask(about: &str, reading: Reading) -> ContextCheck {
    ContextCheck { change_description: about.to_owned(), project_name: None, reading }
}

#[test]
fn sdd_4_artifacts_changes_explorations_and_conventions_in_this_order() {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("AGENTS.md"), "Write plain words.").unwrap();
    let notebook = Notebook::of(temp.path(), None).unwrap().unwrap();
    for at in 0..14 {
        let description = format!("Refresh tokens, part {at}");
        let (kind, size) = (ChangeType::Fix, ChangeSize::Small);
        notebook.start_change(&StartChange { kind, size, description }, NOW).unwrap();
        for _ in 0..4 {
            let advance = AdvanceChange { content: format!("step of {at}"), title: None };
            notebook.advance_change(&advance, NOW).unwrap();
        }
    }
    let unrelated = StartChange {
        kind: ChangeType::Feature,
        size: ChangeSize::Large,
        description: "Paint the hull".to_owned(),
    };
    notebook.start_change(&unrelated, NOW).unwrap();
    fs::write(temp.path().join("sdd/proposal.md"), "# Proposal\n\n## Problem\n\nx\n").unwrap();
    let memory: Vec<Recalled> = (1..9).map(|id| recalled(id, "tokens expire")).collect();
    let read =
        notebook.context_check(&ask("token refresh fails", Reading::default()), &memory).unwrap();
    let text = &read.answer.text;
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
    assert!(at("## Artifacts") < at("## Earlier changes"));
    assert!(at("## Earlier changes") < at("## Explored before"));
    assert!(at("## Explored before") < at("## Convention files"));
    assert_eq!(text.matches("refresh-tokens-part").count(), 10, "{text}");
    assert!(!text.contains("paint-the-hull") && text.contains("Write plain words."));
    assert_eq!(read.ids, [1, 2, 3, 4, 5]);
    assert!(text.contains("#5 Idea 5") && !text.contains("#6"));
    assert_eq!((read.answer.shown, read.answer.total), (17, 17));
}

#[test]
fn a_project_with_nothing_and_one_with_a_broken_notebook_are_told() {
    let temp = tempfile::tempdir().unwrap();
    let notebook = Notebook::of(temp.path(), None).unwrap().unwrap();
    let read = notebook.context_check(&ask("x", Reading::default()), &[]).unwrap();
    assert!(read.answer.text.starts_with("Nothing was found"), "{}", read.answer.text);
    fs::create_dir(temp.path().join("sdd")).unwrap();
    fs::write(temp.path().join("sdd/sdd.json"), "{").unwrap();
    let read = notebook.context_check(&ask("x", Reading::default()), &[]).unwrap();
    assert!(read.answer.text.contains("sdd/sdd.json cannot be used"), "{}", read.answer.text);
    let empty = notebook.context_check(&ask(" ", Reading::default()), &[]);
    assert!(matches!(empty, Err(SpecsError::Missing(_))));
}

fn document() -> impl Strategy<Value = String> {
    prop_oneof![
        "(\\PC|\n){0,200}",
        "(## [A-Za-z ]{1,20}\n[a-z é語]{0,60}\n){0,20}",
        "([a-z]{1,9} ){0,900}",
        "[a-z]{0,4000}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// MBG-6 for the two reads of the notebook.
    #[test]
    fn reads_obey_their_budget(
        documents in prop::collection::vec(prop::option::of(document()), 7),
        conventions in prop::collection::vec(document(), 0..4),
        adrs in prop::collection::vec(document(), 0..4),
        explored in prop::collection::vec(document(), 0..7),
        name in "\\PC{1,80}",
        description in document(),
        max_tokens in prop_oneof![64u64..400, 64u64..20_000],
        level in 0usize..3,
        exact in any::<bool>(),
        stage in prop::option::of(0usize..8),
        whose in 0usize..3,
    ) {
        let temp = tempfile::tempdir().unwrap();
        let notebook = Notebook::of(temp.path(), None).unwrap().unwrap();
        let project = InitProject { name: format!("x{name}"), description, ..InitProject::default() };
        let project = InitProject { description: format!("d{}", project.description), ..project };
        notebook.init_project(&project, NOW).unwrap();
        for (stage, text) in Stage::ALL.into_iter().skip(1).zip(&documents) {
            if let Some(text) = text {
                fs::write(temp.path().join("sdd").join(stage.file()), text).unwrap();
            }
        }
        fs::create_dir(temp.path().join("sdd/adrs")).unwrap();
        for (at, text) in adrs.iter().enumerate() {
            fs::write(temp.path().join(format!("sdd/adrs/{at:03}-x.md")), text).unwrap();
        }
        for (name, text) in ["AGENTS.md", "CLAUDE.md", "README.md"].iter().zip(&conventions) {
            fs::write(temp.path().join(name), text).unwrap();
        }
        let memory: Vec<Recalled> =
            explored.iter().zip(40u64..).map(|(text, id)| recalled(id, text)).collect();
        let counter = if exact { Estimator::Exact(Tokenizer::O200k) } else { Estimator::Bytes4 };
        let detail = Some(DetailLevel::ALL[level]);
        // MBG-9: whoever bounds an answer, it keeps to that.
        let (left, budget) = (2 * max_tokens, 9 * max_tokens);
        let (asked, allowance) = match whose {
            0 => (Some(max_tokens), None),
            1 => (Some(max_tokens + 1), Some(Allowance::Ceiling(max_tokens))),
            _ => (None, Some(Allowance::Session { left, budget })),
        };
        let capped = Reading { detail, max_tokens: asked, counter, allowance };
        let open = Reading { max_tokens: None, allowance: None, ..capped };
        let context = |reading| {
            let stage = stage.map(|at| Stage::ALL[at]);
            notebook.get_context(&GetContext { stage, reading }).unwrap()
        };
        let check = |reading| notebook.context_check(&ask("harbour", reading), &memory).unwrap();
        for (read, all, noun) in [
            (context(capped), context(open), "sections"),
            (check(capped), check(open), "items"),
        ] {
            let truth = counter.count(&read.answer.text);
            prop_assert!(truth <= max_tokens, "{truth} > {max_tokens}: {}", read.answer.text);
            let footer = token_footer(read.answer.estimated_tokens);
            prop_assert!(read.answer.text.ends_with(&footer), "MBG-4");
            prop_assert_eq!(all.answer.shown, all.answer.total, "without a budget all is shown");
            prop_assert_eq!(read.answer.total, all.answer.total, "the counts are true");
            prop_assert!(all.ids.starts_with(&read.ids), "a prefix of the order of worth");
            let left_out = all.answer.estimated_tokens > max_tokens;
            let counts =
                format!("{} of {} {noun} shown", read.answer.shown, read.answer.total);
            prop_assert_eq!(read.answer.text.contains(&counts), left_out);
            prop_assert!(all.answer.text.contains(SUMMARY_HINT) == (level == 0));
        }
    }
}
