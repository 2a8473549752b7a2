//! What you see is what you send (promise 1, PAY-5): for random histories and filters
//! the request holds exactly the visible, included pairs in order, and its hash says so.

use std::{ops::Range, sync::LazyLock};

use plimsoll_budget::{Boundary, BoundaryInput, LoadSums, WeighedPair};
use plimsoll_domain::{ColorFlag, Lifecycle, PairId, PairKind, PairUse, Star, Timestamp};
use plimsoll_filter::{Date, Row, Rows, Scope, TopicNode, compile, parse};
use plimsoll_provider::{Endpoint, OpenAiStyle, Provider};
use plimsoll_send::{IncludedTexts, Instructions, Part, Request, WireRules, compose};
use plimsoll_tokens::{Correction, Estimator, RawTokens};
use proptest::prelude::*;

struct World;

impl Scope for World {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_000_000)
    }
    fn day(&self, _: Date) -> Range<Timestamp> {
        Timestamp::from_millis(0)..Timestamp::from_millis(1)
    }
    fn topics(&self) -> &[TopicNode] {
        &[]
    }
    fn models(&self) -> &[String] {
        &[]
    }
    fn selected_topic(&self) -> Option<usize> {
        None
    }
    fn selected_model(&self) -> Option<&str> {
        None
    }
    fn saved(&self, _: &str) -> Option<&str> {
        None
    }
}

#[derive(Clone, Debug)]
struct Pair {
    row: Row,
    user: String,
    assistant: Option<String>,
}

struct Pairs<'a> {
    rows: Vec<Row>,
    texts: &'a [Pair],
}

impl Rows for Pairs<'_> {
    fn rows(&self) -> &[Row] {
        &self.rows
    }
    fn contains(&self, row: usize, _: usize) -> bool {
        // The only text that the filters below look for.
        self.texts[row].user.contains('q')
            || self.texts[row].assistant.as_ref().is_some_and(|text| text.contains('q'))
    }
}

fn pairs() -> impl Strategy<Value = Vec<Pair>> {
    let text = "(|  |[a-q \n\"]{1,30})";
    let lifecycle = prop::sample::select(Lifecycle::ALL.to_vec());
    let pair = (text, prop::option::of(text), lifecycle, 0u64..4, any::<bool>(), 0usize..3);
    prop::collection::vec(pair, 0..40).prop_map(|pairs| {
        type Drawn = (String, Option<String>, Lifecycle, u64, bool, usize);
        let pair = |(at, (user, assistant, lifecycle, star, blue, pair_use)): (usize, Drawn)| {
            let row = Row {
                created_at: Timestamp::from_millis(at as i64),
                topic: None,
                model: 0,
                star: Star::new(star).unwrap_or_default(),
                flag: if blue { ColorFlag::Blue } else { ColorFlag::Grey },
                pair_use: PairUse::ALL[pair_use],
                kind: PairKind::Chat,
                lifecycle,
                has_image: false,
                has_attachment: false,
                tokens: 0,
            };
            Pair { row, user, assistant }
        };
        pairs.into_iter().enumerate().map(pair).collect()
    })
}

/// A filter, and what it means.
type Meaning = fn(&Pair, usize, usize) -> bool;

fn has_q(pair: &Pair) -> bool {
    pair.user.contains('q') || pair.assistant.as_ref().is_some_and(|text| text.contains('q'))
}

const FILTERS: [(&str, Meaning); 8] = [
    ("", |_, _, _| true),
    ("b", |pair, _, _| pair.row.flag == ColorFlag::Blue),
    ("s>=2 | b", |pair, _, _| pair.row.star.count() >= 2 || pair.row.flag == ColorFlag::Blue),
    ("!e r20", |pair, at, all| pair.row.lifecycle != Lifecycle::Error && at + 20 >= all),
    ("c'q'", |pair, _, _| has_q(pair)),
    ("!x", |pair, _, _| pair.row.pair_use != PairUse::Out),
    ("p | r5", |pair, at, all| pair.row.pair_use == PairUse::Pinned || at + 5 >= all),
    ("!(g & s0) c'q' | r3", |pair, at, all| {
        let plain = pair.row.flag == ColorFlag::Grey && pair.row.star.count() == 0;
        !plain && has_q(pair) || at + 3 >= all
    }),
];

/// The encoder that really sends.
#[allow(clippy::unwrap_used, reason = "the address is right")]
static OPENAI: LazyLock<OpenAiStyle> = LazyLock::new(|| {
    OpenAiStyle::new(Endpoint::new("openai", "http://nowhere.test").unwrap()).unwrap()
});

proptest! {
    #[test]
    fn the_request_holds_exactly_what_is_visible_and_aboard(
        pairs in pairs(),
        filter in prop::sample::select(FILTERS.to_vec()),
        limit in 0u64..400,
        send_error_pairs in any::<bool>(),
    ) {
        let (source, meaning) = filter;
        let estimator = Estimator::Heuristic { chars_per_token: 1.0 };
        let input = BoundaryInput {
            limit,
            allowance: 10,
            raw_prelude: RawTokens::ZERO,
            reply_reserve: 0,
            correction: Correction::NONE,
        };

        // By the product.
        let rows = Pairs { rows: pairs.iter().map(|pair| pair.row).collect(), texts: &pairs };
        let query = parse(source).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let compiled = compile(query.expr.as_ref(), &World)
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        let visible = compiled.visible(&rows);
        let load = |at: usize| {
            let pair = &pairs[visible[at] as usize];
            let (lifecycle, answer) = (pair.row.lifecycle, pair.assistant.as_deref());
            let weighed = WeighedPair::of(lifecycle, &pair.user, answer, &estimator);
            let weighed = WeighedPair { pair_use: pair.row.pair_use, ..weighed };
            weighed.load(4, send_error_pairs)
        };
        let pinned = |at: &usize| pairs[visible[*at] as usize].row.pair_use == PairUse::Pinned;
        let pins: Vec<usize> = (0..visible.len()).filter(pinned).collect();
        let boundary = Boundary::compute(&mut LoadSums::new(visible.len()), load, &pins, &input);
        let included = (0..visible.len())
            .filter(|at| boundary.includes(*at, load(*at)))
            .map(|at| {
                let pair = &pairs[visible[at] as usize];
                IncludedTexts {
                    id: PairId::new(Timestamp::from_millis(i64::from(visible[at])), [0; 10]),
                    lifecycle: pair.row.lifecycle,
                    user: &pair.user,
                    rendered: None,
                    assistant: pair.assistant.as_deref(),
                }
            });
        let (none, new) = (Instructions::default(), [Part::Text("new".to_owned())]);
        let (messages, history_hash) = compose(&none, included, &new, WireRules::OPENAI);
        let body = OPENAI.encode(&Request::new("m", messages)).into_body();
        let sent: serde_json::Value = serde_json::from_str(&body)
            .map_err(|error| TestCaseError::fail(error.to_string()))?;

        // By the words of the spec, pair by pair.
        let emitted = |text: &String| !text.trim().is_empty();
        let mut room = i128::from(limit) - 10;
        let (mut pins, mut others) = (Vec::new(), Vec::new());
        for (at, pair) in pairs.iter().enumerate().rev() {
            if !meaning(pair, at, pairs.len()) || pair.row.pair_use == PairUse::Out {
                continue;
            }
            let answer = pair.assistant.as_ref().filter(|text| emitted(text));
            let sendable = match pair.row.lifecycle {
                Lifecycle::Complete => true,
                Lifecycle::Error => send_error_pairs,
                Lifecycle::Cancelled => answer.is_some(),
                Lifecycle::Idle | Lifecycle::Sending => false,
            };
            if !sendable {
                continue;
            }
            let answer = answer.filter(|_| pair.row.lifecycle != Lifecycle::Error);
            let messages: Vec<(&str, &str)> = [("user", Some(&pair.user).filter(|text| emitted(text))), ("assistant", answer)]
                .into_iter()
                .filter_map(|(role, text)| text.map(|text| (role, text.as_str())))
                .collect();
            let tokens: usize = messages.iter().map(|(_, text)| text.chars().count() + 4).sum();
            if pair.row.pair_use == PairUse::Pinned {
                room -= tokens as i128;
                pins.push((at, messages));
            } else {
                others.push((at, messages, tokens as i128));
            }
        }
        for (at, messages, tokens) in others {
            room -= tokens;
            if room < 0 {
                break;
            }
            pins.push((at, messages));
        }
        pins.sort_by_key(|(at, _)| *at);
        let mut expected: Vec<(&str, &str)> =
            pins.into_iter().flat_map(|(_, messages)| messages).collect();
        expected.push(("user", "new"));
        let messages: Vec<(&str, &str)> = sent["messages"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|message| Some((message["role"].as_str()?, message["content"].as_str()?)))
            .collect();
        prop_assert_eq!(&messages, &expected);

        // The hash depends on the history, and on nothing else.
        let (_, empty) = compose(&none, [], &new, WireRules::OPENAI);
        prop_assert_eq!(history_hash == empty, expected.len() == 1);
    }
}
