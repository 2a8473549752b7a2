use proptest::prelude::*;

use super::*;

fn same(score: u32) -> String {
    DIMENSIONS.map(|one| format!("{}: {score}", one.name)).join(", ")
}

#[test]
fn sdd_2_the_weights_are_those_of_the_spec() {
    let weights = DIMENSIONS.map(|one| (one.name, one.weight));
    assert_eq!(
        weights,
        [
            ("target_users", 8),
            ("core_functionality", 10),
            ("data_model", 7),
            ("integrations", 6),
            ("edge_cases", 8),
            ("security", 7),
            ("scale_performance", 5),
            ("scope_boundaries", 9),
        ]
    );
    let all_but_core = [100, 0, 100, 100, 100, 100, 100, 100];
    assert_eq!(clarity(&all_but_core), 83, "50 of 60");
}

#[test]
fn scores_come_as_lines_or_as_json() {
    assert_eq!(scores(&same(70)).unwrap(), [70; 8]);
    assert_eq!(scores(&same(7).replace(", ", "\n- ")).unwrap(), [7; 8]);
    let json = DIMENSIONS.map(|one| format!("\"{}\": 55", one.name)).join(",");
    assert_eq!(scores(&format!("{{{json}}}")).unwrap(), [55; 8]);
    for (bad, says) in [
        ("target_users: 80", "these have no score: core_functionality"),
        ("target_users: 101", "from 0 to 100"),
        ("target_users: -1", "from 0 to 100"),
        ("colour: 10", "is no dimension"),
        ("much", "is not of the form"),
        ("{broken", "must be a string"),
        ("{\"security\": [1]}", "from 0 to 100"),
    ] {
        let said = scores(bad).unwrap_err().to_string();
        assert!(said.contains(says), "{bad}: {said}");
    }
    assert!(scores(&"x".repeat(1 << 20)).is_err());
}

proptest! {
    #[test]
    fn clarity_is_a_mean(scores in prop::array::uniform8(0u32..=100)) {
        let clarity = clarity(&scores);
        prop_assert!(scores.iter().min().is_some_and(|least| clarity >= *least));
        prop_assert!(scores.iter().max().is_some_and(|most| clarity <= *most));
    }

    #[test]
    fn hostile_scores_do_no_harm(text in any::<String>()) {
        let _ = scores(&text);
    }
}
