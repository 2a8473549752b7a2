//! Random filters over random rows agree with a naive evaluator, row by row.

use plimsoll_domain::{ColorFlag, Lifecycle, PairKind, PairUse, Star, Timestamp};
use proptest::prelude::*;

use crate::{
    testing::{NOW, Table, World},
    *,
};

/// A filter whose structure does not come from the parser.
#[derive(Clone, Debug)]
enum Tree {
    Atom(String),
    Not(Box<Tree>),
    And(Vec<Tree>),
    Or(Vec<Tree>),
}

impl Tree {
    /// The text, with parentheses only where the precedence of FLT-2 needs them.
    fn text(&self) -> String {
        let grouped = |tree: &Tree, loose: bool| match tree {
            Tree::Or(_) => format!("({})", tree.text()),
            Tree::And(_) if loose => format!("({})", tree.text()),
            _ => tree.text(),
        };
        match self {
            Self::Atom(atom) => atom.clone(),
            Self::Not(tree) => format!("!{}", grouped(tree, true)),
            Self::And(trees) => {
                trees.iter().map(|tree| grouped(tree, false)).collect::<Vec<_>>().join(" ")
            }
            Self::Or(trees) => trees.iter().map(Tree::text).collect::<Vec<_>>().join("|"),
        }
    }

    fn holds(&self, case: &Case, row: usize) -> bool {
        match self {
            Self::Atom(text) => match parse(text).unwrap().expr {
                Some(Expr::Atom(atom, _)) => case.atom_holds(&atom, row),
                other => panic!("{text} is no atom: {other:?}"),
            },
            Self::Not(tree) => !tree.holds(case, row),
            Self::And(trees) => trees.iter().all(|tree| tree.holds(case, row)),
            Self::Or(trees) => trees.iter().any(|tree| tree.holds(case, row)),
        }
    }
}

struct Case {
    world: World,
    rows: Vec<Row>,
    texts: Vec<String>,
}

impl Case {
    fn atom_holds(&self, atom: &Atom, index: usize) -> bool {
        let row = &self.rows[index];
        let newer = &self.rows[index + 1..];
        let age = NOW - row.created_at.millis();
        match atom {
            Atom::SelectedTopic { descendants: false } => row.topic == Some(1),
            Atom::SelectedTopic { descendants: true } => matches!(row.topic, Some(1 | 2)),
            Atom::SelectedTopicNewest(count) => {
                let newer = newer.iter().filter(|other| other.topic == Some(1)).count();
                row.topic == Some(1) && newer < *count as usize
            }
            Atom::Topic(pattern) => row.topic.is_some_and(|at| self.topic_holds(pattern, at)),
            Atom::Star(comparator, star) => comparator.holds(row.star, *star),
            Atom::Newest(count) => newer.len() < *count as usize,
            Atom::Flag(flag) => row.flag == *flag,
            Atom::SelectedModel => row.model == 0,
            Atom::Model(pattern) => {
                let id = self.world.models.get(row.model as usize);
                id.is_some_and(|id| !id.is_empty() && glob(pattern, id))
            }
            Atom::Text(pattern) => {
                let text = &self.texts[index];
                let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
                let ends = ends.iter().copied().chain([text.len()]);
                ends.clone().any(|a| ends.clone().any(|b| a <= b && glob(pattern, &text[a..b])))
            }
            Atom::Age(comparator, wanted) => comparator.holds(age, wanted.millis()),
            Atom::Day(comparator, date) => {
                let day = self.world.day(*date);
                match comparator {
                    Comparator::Equal => day.contains(&row.created_at),
                    Comparator::Greater => row.created_at >= day.end,
                    Comparator::GreaterOrEqual => row.created_at >= day.start,
                    Comparator::Less => row.created_at < day.start,
                    Comparator::LessOrEqual => row.created_at < day.end,
                }
            }
            Atom::Failed => row.lifecycle == Lifecycle::Error,
            Atom::LeftOut => row.pair_use == PairUse::Out,
            Atom::Pinned => row.pair_use == PairUse::Pinned,
            Atom::Summary => row.kind == PairKind::Summary,
            Atom::Image => row.has_image,
            Atom::Attachment => row.has_attachment,
            Atom::Tokens(comparator, count) => comparator.holds(row.tokens, *count),
            Atom::Saved(_) => row.flag == ColorFlag::Blue || row.star.count() == 3,
            Atom::Included(_) => panic!("not made here"),
        }
    }

    fn topic_holds(&self, pattern: &TopicPattern, at: u32) -> bool {
        let Some(topic) = self.world.topics.get(at as usize) else { return false };
        let mut path = vec![topic];
        while let Some(parent) = path[0].parent {
            path.insert(0, &self.world.topics[parent]);
        }
        let itself = match &pattern.path {
            TopicPath::Name(name) => glob(name, &topic.name),
            TopicPath::Path(names) => {
                names.len() == path.len()
                    && names.iter().zip(&path).all(|(name, topic)| glob(name, &topic.name))
            }
        };
        let parent = topic.parent.map(|parent| parent as u32);
        itself || pattern.descendants && parent.is_some_and(|up| self.topic_holds(pattern, up))
    }
}

/// Whether a pattern covers a text, by trying everything.
fn glob(pattern: &Pattern, text: &str) -> bool {
    fn covers(pieces: &[String], text: &str) -> bool {
        let Some(rest) = text.strip_prefix(&pieces[0]) else { return false };
        if pieces.len() == 1 {
            return rest.is_empty();
        }
        (0..=rest.len())
            .filter(|at| rest.is_char_boundary(*at))
            .any(|at| covers(&pieces[1..], &rest[at..]))
    }
    let pieces: Vec<String> = pattern.pieces().iter().map(|piece| piece.to_lowercase()).collect();
    covers(&pieces, &text.to_lowercase())
}

fn trees() -> impl Strategy<Value = Tree> {
    let fixed = prop::sample::select(vec![
        "t",
        "t...",
        "t0",
        "t2",
        "t5",
        "t'ships'",
        "t'S*'",
        "t'/sea'...",
        "t'* > *'",
        "t'10'",
        "s3",
        "s>=2",
        "s<1",
        "s<=2",
        "s>0",
        "r0",
        "r3",
        "r30",
        "b",
        "g",
        "x",
        "p",
        "m",
        "m'GPT*'",
        "m'*4*'",
        "m'*'",
        "c'a'",
        "c'AB'",
        "c'a*b'",
        "c'*'",
        "c'é'",
        "d<1d",
        "d>=2",
        "d<=36h",
        "d>90min",
        "d<1mo",
        "d>1y",
        "d>4294967295y",
        "d<4294967295y",
        "d25-09-09",
        "d>25-09-09",
        "d>=25-09-09",
        "d<25-09-09",
        "d<=25-09-09",
        "e",
        "i",
        "a",
        "k>2",
        "k2",
        "k<0",
        "k<=3",
        "k>=4294967295",
        "k>4294967295",
        "@blue",
    ]);
    fixed.prop_map(|atom| Tree::Atom(atom.to_owned())).prop_recursive(4, 20, 4, |inner| {
        let several = prop::collection::vec(inner.clone(), 2..5);
        prop_oneof![
            inner.prop_map(|tree| Tree::Not(Box::new(tree))),
            several.clone().prop_map(Tree::And),
            several.prop_map(Tree::Or),
        ]
    })
}

fn tables() -> impl Strategy<Value = Vec<(Row, String)>> {
    let labels = (0..4u64, any::<bool>(), any::<bool>(), any::<bool>(), 0..5usize, 0..3usize);
    // A topic or a model that the scope does not list must do no harm.
    let row = (
        -4_000..100i64,
        prop::option::of(0..8u32),
        0..5u32,
        labels,
        prop_oneof![0..5u32, Just(u32::MAX)],
        "[abAB é\n]{0,5}",
    );
    let row = row.prop_map(|(minutes, topic, model, labels, tokens, text)| {
        let (star, blue, has_image, has_attachment, lifecycle, pair_use) = labels;
        let row = Row {
            created_at: Timestamp::from_millis(NOW + minutes * 60_000),
            topic,
            model,
            star: Star::new(star).unwrap(),
            flag: if blue { ColorFlag::Blue } else { ColorFlag::Grey },
            pair_use: PairUse::ALL[pair_use],
            kind: PairKind::ALL[usize::from(star == 2)],
            lifecycle: Lifecycle::ALL[lifecycle],
            has_image,
            has_attachment,
            tokens,
        };
        (row, text)
    });
    prop::collection::vec(row, 0..150).prop_map(|mut rows| {
        rows.sort_by_key(|(row, _)| row.created_at);
        rows
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// FLT-1, FLT-2, FLT-3.
    #[test]
    fn filters_agree_with_the_naive_reference(tree in trees(), table in tables()) {
        let world = World::small().with_saved(&[("blue", "b|@three"), ("three", "s3")]);
        let (rows, texts): (Vec<Row>, Vec<String>) = table.into_iter().unzip();
        let case = Case { world, rows, texts };
        let text = tree.text();
        let query = parse(&text).unwrap();
        let filter = compile(query.expr.as_ref(), &case.world).unwrap();
        let table = Table { rows: &case.rows, texts: &case.texts, terms: filter.text_terms() };
        let visible = filter.visible(&table);
        let holds = |row: &u32| tree.holds(&case, *row as usize);
        let expected: Vec<u32> = (0..case.rows.len() as u32).filter(holds).collect();
        prop_assert_eq!(&visible, &expected, "{}", text);
        prop_assert_eq!(filter.visible_in_blocks(&table, 64), expected, "{}", text);
    }

    /// FLT-3, the row of `o`.
    #[test]
    fn boundary_terms_agree_with_sets(
        terms in prop::collection::vec((any::<bool>(), 0..6u32), 0..4),
        included in prop::collection::vec(any::<bool>(), 0..20),
    ) {
        let print = |(negated, count): &(bool, u32)| {
            format!("{}o{count} ", if *negated { "!" } else { "" })
        };
        let text: String = terms.iter().map(print).collect();
        let filter = compile(parse(&text).unwrap().expr.as_ref(), &World::small()).unwrap();
        let visible: Vec<u32> = (0..included.len() as u32).map(|row| row * 3).collect();
        let excluded: Vec<usize> = (0..included.len()).filter(|at| !included[*at]).collect();
        let in_term = |at: usize, count: u32| {
            let newest = excluded.len().saturating_sub(count as usize);
            included[at] || excluded[newest..].contains(&at)
        };
        let keeps = |at: &usize| terms.iter().all(|(negated, n)| in_term(*at, *n) != *negated);
        let kept = (0..included.len()).filter(keeps);
        let expected: Vec<u32> = kept.map(|at| at as u32 * 3).collect();
        prop_assert_eq!(filter.apply_boundary(&visible, |at| included[at]), expected, "{}", text);
    }
}
