use super::*;
use crate::testing::World;

/// `text` has a `^` where the cursor is; `expected` is what the text becomes with each
/// candidate.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let cursor = text.find('^').unwrap();
    let text = text.replace('^', "");
    let saved = ["work", "Weekend", "old"].map(str::to_owned);
    let completions = complete(&text, cursor, &World::small(), &saved);
    assert_eq!(completions.replace.end, cursor);
    let results: Vec<String> = completions
        .candidates
        .iter()
        .map(|candidate| {
            let mut result = text.clone();
            result.replace_range(completions.replace.clone(), &candidate.insert);
            result
        })
        .collect();
    assert_eq!(results, expected, "FLT-6 {text:?}");
    assert!(completions.candidates.iter().all(|candidate| !candidate.label.is_empty()));
}

#[test]
fn topics_and_models_complete_inside_quotes() {
    check("b t'sh^", &["b t'Ships'"]);
    check("t'^'...", &["t'10'...", "t'Land'...", "t'Sea'...", "t'Ships'...", "t'Straße'..."]);
    check("t'S^", &["t'Sea'", "t'Ships'", "t'Straße'"]);
    check("t'a^", &["t'Land'", "t'Sea'", "t'Straße'"]);
    check("t'/sea/^", &["t'/Sea/Ships'", "t'/Sea/Ships/10'"]);
    check("t'Land > s^", &["t'/Land/Ships'", "t'/Land/Straße'"]);
    check("m \"gpt^", &["m \"gpt-4\"", "m \"gpt-4o\""]);
    check("m'^", &["m'claude-3'", "m'gpt-4'", "m'gpt-4o'"]);
    check("m'3^ b", &["m'claude-3' b"]);
    check("c'sh^", &[]);
    check("t'x' c'^", &[]);
}

#[test]
fn awkward_names_come_out_escaped() {
    let mut world = World::small();
    world.topics[0].name = "It's \"5*\"".to_owned();
    let insert = |text: &str| complete(text, 99, &world, &[]).candidates[0].insert.clone();
    assert_eq!(insert("t'it"), r#"It\'s "5\*"'"#);
    assert_eq!(insert("t\"it"), r#"It\'s \"5\*\"""#);
    assert!(crate::parse(&format!("t\"{}", insert("t\"it"))).is_ok());
}

#[test]
fn saved_names_commands_and_arguments() {
    check("b @w^", &["b @work", "b @Weekend"]);
    check("!@^", &["!@work", "!@Weekend", "!@old"]);
    check(
        "b :^",
        &["export", "topic", "star", "flag", "use", "delete", "save", "help"]
            .map(|n| format!("b :{n}"))
            .each_ref()
            .map(String::as_str),
    );
    check("b : s^", &["b : star", "b : save"]);
    check(
        ":export ^",
        &[
            ":export json",
            ":export zip",
            ":export md",
            ":export txt",
            ":export --filename=",
            ":export --order=time",
            ":export --order=topic",
        ],
    );
    check(":export md --o^", &[":export md --order=time", ":export md --order=topic"]);
    check(":flag ^", &[":flag b", ":flag g"]);
    check(":topic 'sea^", &[":topic 'Sea'"]);
    check(":nonsense ^", &[]);
}

#[test]
fn atoms_complete_from_what_was_typed() {
    check("b s^", &["b s3", "b s>=2", "b s<1"]);
    check("b|(s>^", &["b|(s>=2"]);
    check("!d<^", &["!d<7d", "!d<=24h"]);
    check("t.^", &["t..."]);
    check("hello^", &[]);
    let all = complete("", 0, &World::small(), &[]);
    assert_eq!(all.candidates.len(), ATOMS.len());
}

#[test]
fn what_is_offered_is_valid() {
    for (atom, _) in ATOMS {
        let finished = match atom {
            "t'" | "m'" | "c'" => format!("{atom}x'"),
            "@" => "@x".to_owned(),
            "!" => "!b".to_owned(),
            "(" => "(b)".to_owned(),
            whole => whole.to_owned(),
        };
        assert!(crate::parse(&finished).is_ok(), "{finished}");
    }
    for (command, argument, _) in ARGUMENTS {
        let finished = match argument {
            "'" => "'x'".to_owned(),
            "--filename=" => "--filename=x".to_owned(),
            whole => whole.to_owned(),
        };
        assert!(crate::parse(&format!(":{command} {finished}")).is_ok(), "{command} {finished}");
    }
}

#[test]
fn any_cursor_is_fine() {
    let text = "t'Straß";
    for cursor in 0..text.len() + 3 {
        let completions = complete(text, cursor, &World::small(), &[]);
        assert!(text.get(completions.replace).is_some());
    }
    assert_eq!(complete(text, usize::MAX, &World::small(), &[]).candidates.len(), 1);
}
