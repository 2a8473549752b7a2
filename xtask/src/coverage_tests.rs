use std::{collections::BTreeSet, fs};

use super::*;
use crate::run::root;

#[test]
fn the_page_of_rules_is_current() {
    let coverage = read(&root()).unwrap();
    assert_eq!(coverage.wrong(), Vec::<String>::new(), "docs/spec-rules.tsv and the tests");
    let kept = fs::read_to_string(root().join(PAGE)).unwrap_or_default();
    let current = kept == page::page(&coverage);
    assert!(current, "{PAGE} is not current; `cargo xtask docs coverage` writes it");
}

fn prefixes() -> BTreeSet<String> {
    ["EST", "PAY"].map(str::to_owned).into()
}

fn found(mentions: Vec<scan::Mention>) -> Vec<String> {
    mentions.iter().map(|mention| format!("{} {}", mention.rule, mention.place)).collect()
}

#[test]
fn tests_name_rules_in_names_comments_and_messages() {
    let text = "\
//! All of this is EST-8.

/// A helper for EST-7.
fn helper() {}

/// PAY-3b, and UTF-8 is no rule.
#[test]
fn est_1_pay_2_both() {
    assert!(true, \"EST-4\");
}

proptest! {
    /// EST-5: for every text.
    #[test]
    fn it_holds_est_6_and_8_and_pay_4_for_3_and_7(text in any()) {
        check(text);
    }
}
";
    let long = "a/tests/b.rs::it_holds_est_6_and_8_and_pay_4_for_3_and_7";
    let expected = [
        "EST-8 a/tests/b.rs",
        "EST-7 a/tests/b.rs",
        "PAY-3b a/tests/b.rs::est_1_pay_2_both",
        "EST-1 a/tests/b.rs::est_1_pay_2_both",
        "PAY-2 a/tests/b.rs::est_1_pay_2_both",
        "EST-4 a/tests/b.rs::est_1_pay_2_both",
        "EST-5 @",
        "EST-6 @",
        "EST-8 @",
        "PAY-4 @",
    ]
    .map(|line| line.replace('@', long));
    assert_eq!(found(scan::rust("a/tests/b.rs", text, &prefixes())), expected);
    // A module of tests may have a file of its own.
    for file in ["a/src/b/tests.rs", "a/src/b_tests.rs"] {
        assert_eq!(scan::rust(file, text, &prefixes()).len(), expected.len());
    }
}

#[test]
fn what_is_no_test_shows_nothing() {
    let text = "\
/// EST-1 is done here.
fn estimate() {}

#[cfg(test)]
mod tests {
    #[test]
    fn est_2_small() {
        estimate();
    }
}

/// EST-3 too.
fn exact() {}
";
    let expected = ["EST-2 a/src/b.rs::est_2_small"];
    assert_eq!(found(scan::rust("a/src/b.rs", text, &prefixes())), expected);
    let elsewhere = text.replace("mod tests {", "mod tests;");
    assert!(scan::rust("a/src/b.rs", &elsewhere, &prefixes()).is_empty());
}

#[test]
fn tests_of_the_page_name_rules_too() {
    let text = "\
// For EST-1 and all.

// EST-2 is above it.
test(\"PAY-1: a name\", () => {
  assert.ok(true, \"EST-3\");
});
";
    let expected = [
        "EST-1 u/a.test.js",
        "EST-2 u/a.test.js::PAY-1: a name",
        "PAY-1 u/a.test.js::PAY-1: a name",
        "EST-3 u/a.test.js::PAY-1: a name",
    ];
    assert_eq!(found(scan::script("u/a.test.js", text, &prefixes())), expected);
}

#[test]
fn rules_and_tests_that_disagree_are_told() {
    let told = "id\ttitle\tstate\tnote\nEST-1\ta\tshown\t\nEST-2\tb\tnot yet\tno time\n\
                EST-3\tc\tpartly\t\nEST-4\td\tnot yet\t\n";
    let rules = rules::parse(told).unwrap();
    let place = Place { file: "x.rs".to_owned(), test: Some("t".to_owned()) };
    let names = ["EST-2", "EST-3", "EST-9"];
    let shown_by = names.map(|id| (id.to_owned(), vec![place.clone()])).into();
    let wrong = Coverage { rules, shown_by }.wrong();
    let expected = [
        "EST-9 is no rule, but x.rs::t names it",
        "EST-1 is said to be tested, but no test names it",
        "EST-2 is said to have no test, but x.rs::t names it",
        "EST-3 lacks a note of what is missing",
        "EST-4 lacks a note of what is missing",
    ];
    assert_eq!(wrong, expected);
}

#[test]
fn a_broken_list_is_refused() {
    for bad in ["EST-1\ta\tshown", "EST\ta\tshown\t", "EST-1\ta\tyes\t", "-1\ta\tshown\t"] {
        assert!(rules::parse(&format!("id\n{bad}\n")).is_err(), "{bad:?}");
    }
    let twice = "id\nEST-1\ta\tshown\t\nEST-1\ta\tshown\t\n";
    assert!(rules::parse(twice).is_err());
}
