use super::*;
use crate::{Atom, Expr, parse, testing::World};

/// The paths of the topics that a pattern means.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let query = parse(text).unwrap();
    let Some(Expr::Atom(Atom::Topic(pattern), _)) = query.expr else {
        panic!("{text:?} is not a topic");
    };
    let topics = World::small().topics;
    let found: Vec<String> =
        pattern.resolve(&topics).into_iter().map(|index| path_of(index, &topics)).collect();
    assert_eq!(found, expected, "FLT-3 {text:?}");
}

#[test]
fn a_name_is_found_anywhere_and_a_path_from_the_root() {
    check("t'ships'", &["/Sea/Ships", "/Land/Ships"]);
    check("t'10'", &["/Sea/Ships/10"]);
    check("t'S*'", &["/Sea", "/Sea/Ships", "/Land/Ships", "/Land/Straße"]);
    check("t'strasse'", &["/Land/Straße"]);
    check("t'Sea > Ships'", &["/Sea/Ships"]);
    check("t'/sea/ships'", &["/Sea/Ships"]);
    check("t'/Ships'", &[]);
    check("t'/Sea'", &["/Sea"]);
    check("t'nothing'", &[]);
}

#[test]
fn a_wildcard_stays_within_one_name() {
    check("t'/*'", &["/Sea", "/Land"]);
    check("t'* > Ships'", &["/Sea/Ships", "/Land/Ships"]);
    check("t'/Sea/*'", &["/Sea/Ships"]);
    check("t'/Sea*10'", &[]);
    check(r"t'S\*'", &[]);
}

#[test]
fn dots_add_descendants() {
    check("t'Sea'...", &["/Sea", "/Sea/Ships", "/Sea/Ships/10"]);
    check("t'Ships...'", &["/Sea/Ships", "/Sea/Ships/10", "/Land/Ships"]);
    check("t'/Land'...", &["/Land", "/Land/Ships", "/Land/Straße"]);
}

#[test]
fn a_broken_tree_ends_the_walk() {
    let node = |parent, name: &str| TopicNode { parent, name: name.to_owned() };
    let topics = [node(Some(1), "a"), node(Some(0), "b"), node(Some(9), "c"), node(Some(2), "d")];
    let mut found = Bits::of(topics.len(), [2].into_iter());
    add_descendants(&mut found, &topics);
    assert_eq!(found.to_vec(), [2, 3]);
    assert_eq!(path_of(0, &topics).matches('/').count(), topics.len());
}

#[test]
fn a_deep_tree_takes_linear_time() {
    // A walk to the root for each of these would take four thousand million steps.
    let node = |n: usize| TopicNode { parent: n.checked_sub(1), name: n.to_string() };
    let topics: Vec<TopicNode> = (0..90_000).map(node).collect();
    let mut found = Bits::of(topics.len(), [5].into_iter());
    add_descendants(&mut found, &topics);
    assert_eq!(found.to_vec().len(), topics.len() - 5);
}
