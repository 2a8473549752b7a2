//! `sdd_explore` adds (MEM-12).

use proptest::prelude::*;

use super::*;

fn explored(args: &Explore, earlier: Option<&str>) -> (String, String) {
    let temp = tempfile::tempdir().unwrap();
    let notebook = Notebook::of(temp.path(), None).unwrap().unwrap();
    let done = notebook.explore(args, earlier).unwrap();
    (done.text, done.remember.unwrap().content)
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn mem_12_a_second_call_adds_to_the_first() {
    let first = Explore {
        title: "Late moon".to_owned(),
        goals: some("- fast\n- small"),
        unknowns: some("Who asked for it?"),
        ..Explore::default()
    };
    let (said, one) = explored(&first, None);
    assert!(said.contains("Still empty: constraints, preferences, decisions."), "{said}");
    let second = Explore {
        title: "Late moon".to_owned(),
        goals: some("- small\n- safe"),
        constraints: some("No network."),
        unknowns: some("How often?"),
        ..Explore::default()
    };
    let (said, two) = explored(&second, Some(&one));
    assert_eq!(
        two,
        "# Late moon\n\n## Goals\n\n- fast\n- small\n- safe\n\n## Constraints\n\nNo network.\n\n\
         ## Unknowns\n\nWho asked for it?\n\nHow often?"
    );
    assert!(said.contains("Added to") && said.contains("empty: preferences, decisions."), "{said}");
    let (_, again) = explored(&second, Some(&two));
    assert_eq!(again, two, "the same again says nothing new");
    let (_, last) = explored(&Explore { goals: some("Be kind."), ..first.clone() }, Some(&two));
    assert!(last.contains("- safe\n\nBe kind.\n\n## Constraints"), "{last}");
}

#[test]
fn mem_12_what_no_longer_fits_is_refused_and_not_cut() {
    let temp = tempfile::tempdir().unwrap();
    let notebook = Notebook::of(temp.path(), None).unwrap().unwrap();
    let args = Explore {
        title: "Long".to_owned(),
        goals: some(&"a".repeat(40_000)),
        unknowns: some(&"b".repeat(40_000)),
        ..Explore::default()
    };
    let said = notebook.explore(&args, None).unwrap_err().to_string();
    assert!(said.contains("80") && said.contains("65536"), "{said}");
}

proptest! {
    /// Whatever was there stays, line by line and in order, and what was said is there.
    #[test]
    fn mem_12_no_line_is_lost(
        earlier in "(## Goals\n|## Unknowns\n|- [a-c]\n|[a-c]{1,3}\n|\n){0,12}",
        goals in prop::option::of("(- [a-c]\n|[a-c]{1,3}\n|## Goals\n){1,4}"),
        constraints in prop::option::of("(- [a-c]\n|[a-c]{1,3}\n|## Unknowns\n){1,4}"),
    ) {
        let args = Explore { title: "T".into(), goals, constraints, ..Explore::default() };
        let (_, content) = explored(&args, Some(&earlier));
        let mut left = content.lines();
        for line in earlier.lines().filter(|line| !line.trim().is_empty()) {
            prop_assert!(left.any(|found| found == line), "{line:?} of\n{earlier}\nin\n{content}");
        }
        for text in [&args.goals, &args.constraints].into_iter().flatten() {
            for line in text.lines() {
                prop_assert!(content.lines().any(|found| found == line), "{line}\n{content}");
            }
        }
    }
}
