//! Random conversations of agents in each protocol, and random budgets: what leaves is valid,
//! what is dropped is whole, and nothing else changes (GWY-3, GWY-8).

use std::collections::BTreeSet;

use plimsoll_budget::BoundaryInput;
use plimsoll_tokens::{Correction, RawTokens};
use proptest::prelude::*;

use crate::{
    Changes, ClientRequest, Droppable, Exchange, Kind, Protocol, Weight, check, exchanges, read,
    rounds,
};

/// A turn of the model: what it thought, what it said, how many tools it called.
#[derive(Clone, Debug)]
struct Turn {
    thought: bool,
    said: bool,
    calls: usize,
    /// Each call is followed by its own result, where the protocol has that.
    one_by_one: bool,
}

#[derive(Clone, Debug)]
struct Talk {
    protocol: Protocol,
    /// Blanks between everything.
    blank: &'static str,
    /// Before which exchanges instructions stand.
    told: Vec<bool>,
    exchanges: Vec<Vec<Turn>>,
    /// The newest answer is still to come.
    live: bool,
}

fn turn() -> impl Strategy<Value = Turn> {
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (flags, 1..4usize).prop_map(|((thought, said, one_by_one), calls)| Turn {
        thought,
        said,
        calls,
        one_by_one,
    })
}

fn talk() -> impl Strategy<Value = Talk> {
    let protocol =
        prop_oneof![Just(Protocol::Chat), Just(Protocol::Responses), Just(Protocol::Messages)];
    let blank = prop_oneof![Just(""), Just(" "), Just("\n  ")];
    let turns = prop::collection::vec(turn(), 0..6);
    let exchanges = prop::collection::vec(turns, 1..7);
    let told = prop::collection::vec(prop::bool::weighted(0.2), 7);
    (protocol, blank, told, exchanges, any::<bool>()).prop_map(
        |(protocol, blank, told, exchanges, live)| Talk { protocol, blank, told, exchanges, live },
    )
}

impl Talk {
    fn items(&self) -> Vec<String> {
        let mut items = Vec::new();
        let mut ids = 0;
        for (number, turns) in self.exchanges.iter().enumerate() {
            if self.told[number] && self.protocol != Protocol::Messages {
                items.push(format!(r#"{{"role":"developer","content":"rule {number}"}}"#));
            }
            items.push(format!(r#"{{"role":"user","content":"ask {number} \u00e9"}}"#));
            for turn in turns {
                self.turn(turn, &mut ids, &mut items);
            }
            if !(self.live && number + 1 == self.exchanges.len()) {
                items.push(format!(r#"{{"role":"assistant","content":"answer {number}"}}"#));
            }
        }
        items
    }

    fn turn(&self, turn: &Turn, ids: &mut usize, items: &mut Vec<String>) {
        let calls: Vec<String> = (0..turn.calls).map(|at| format!("call_{}", *ids + at)).collect();
        *ids += turn.calls;
        match self.protocol {
            Protocol::Chat => {
                let made: Vec<String> = calls.iter().map(|id| {
                    format!(r#"{{"id":"{id}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}"#)
                }).collect();
                let said = if turn.said { "\"well\"" } else { "null" };
                let made = made.join(",");
                items.push(format!(
                    r#"{{"role":"assistant","content":{said},"tool_calls":[{made}]}}"#
                ));
                items.extend(
                    calls.iter().rev().map(|id| {
                        format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"r"}}"#)
                    }),
                );
            }
            Protocol::Responses => {
                if turn.thought {
                    items.push(
                        r#"{"type":"reasoning","summary":[],"encrypted_content":"x"}"#.to_owned(),
                    );
                }
                if turn.said {
                    items.push(r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"well"}]}"#.to_owned());
                }
                let made = |id: &String| {
                    format!(
                        r#"{{"type":"function_call","call_id":"{id}","name":"f","arguments":"{{}}"}}"#
                    )
                };
                let gave = |id: &String| {
                    format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"r"}}"#)
                };
                if turn.one_by_one {
                    items.extend(calls.iter().flat_map(|id| [made(id), gave(id)]));
                } else {
                    items.extend(calls.iter().map(made));
                    items.extend(calls.iter().map(gave));
                }
            }
            Protocol::Messages => {
                let mut blocks = Vec::new();
                if turn.thought {
                    blocks
                        .push(r#"{"type":"thinking","thinking":"hm","signature":"s"}"#.to_owned());
                }
                if turn.said {
                    blocks.push(r#"{"type":"text","text":"well"}"#.to_owned());
                }
                blocks.extend(calls.iter().map(|id| {
                    format!(r#"{{"type":"tool_use","id":"{id}","name":"f","input":{{}}}}"#)
                }));
                items.push(format!(r#"{{"role":"assistant","content":[{}]}}"#, blocks.join(",")));
                let results: Vec<String> = calls
                    .iter()
                    .map(|id| {
                        format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"r"}}"#)
                    })
                    .collect();
                items.push(format!(r#"{{"role":"user","content":[{}]}}"#, results.join(",")));
            }
        }
    }

    fn text(&self) -> String {
        let (blank, items) = (self.blank, self.items());
        let list = if self.protocol == Protocol::Responses { "input" } else { "messages" };
        let items = items.join(&format!("{blank},{blank}"));
        format!(
            "{{{blank}\"unknown\":1.0e2,{blank}\"model\":\"m\",\"{list}\":[{blank}{items}{blank}],\"top_p\":0.50}}"
        )
    }
}

fn room(limit: u64) -> BoundaryInput {
    BoundaryInput {
        limit,
        allowance: 0,
        raw_prelude: RawTokens::ZERO,
        reply_reserve: 0,
        correction: Correction::default(),
    }
}

/// All or none of a piece.
fn is_whole(piece: &Exchange, dropped: &BTreeSet<usize>) -> bool {
    let gone = piece.items.iter().filter(|at| dropped.contains(at)).count();
    gone == 0 || gone == piece.items.len()
}

fn is_gone(piece: &Exchange, dropped: &BTreeSet<usize>) -> bool {
    piece.items.iter().all(|at| dropped.contains(at))
}

fn sum(weight: &Weight, without: &BTreeSet<usize>) -> u64 {
    let items = weight.items.iter().enumerate().filter(|(at, _)| !without.contains(at));
    items.fold(weight.fixed().total(), |sum, (_, tokens)| sum + tokens.total())
}

/// What must be true of a conversation that was shortened.
fn judge(request: &ClientRequest<'_>, weight: &Weight, limit: u64) -> Result<(), TestCaseError> {
    let pieces = exchanges(&request.items);
    let (newest, older) = pieces.split_last().unwrap();
    let turns = rounds(&request.items, newest);
    let inner = turns.len().saturating_sub(2);
    let droppable = Droppable::of(request);
    match droppable.to_fit(weight, &room(limit)) {
        Some(0) => prop_assert!(sum(weight, &BTreeSet::new()) <= limit),
        Some(count) => {
            let dropped = droppable.without_first(count, weight);
            let gone = &dropped.items;
            prop_assert!(!gone.is_empty() && sum(weight, gone) <= limit);
            prop_assert!(older.iter().all(|piece| is_whole(piece, gone)));
            prop_assert!(turns.iter().all(|turn| is_whole(turn, gone)));
            // Oldest first, and no more than has to go.
            prop_assert!(older.iter().skip(dropped.exchanges).all(|piece| !is_gone(piece, gone)));
            prop_assert!(older.iter().take(dropped.exchanges).all(|piece| is_gone(piece, gone)));
            prop_assert!(turns[..dropped.rounds].iter().all(|turn| is_gone(turn, gone)));
            prop_assert!(turns[dropped.rounds..].iter().all(|turn| !is_gone(turn, gone)));
            prop_assert!(
                dropped.rounds <= inner
                    && (dropped.rounds == 0 || dropped.exchanges == older.len())
            );
            let last = match dropped.rounds.checked_sub(1) {
                Some(round) => &turns[round],
                None => &older[dropped.exchanges - 1],
            };
            let more: BTreeSet<usize> =
                gone.iter().filter(|at| !last.items.contains(at)).copied().collect();
            prop_assert!(sum(weight, &more) > limit, "one piece less would have been enough");
            // What always stays.
            for (at, item) in request.items.iter().enumerate() {
                prop_assert!(item.kind != Kind::Instructions || !gone.contains(&at));
            }
            prop_assert!(!gone.contains(&newest.items[0]));
            // It is valid, and what is left of it is as it was, byte for byte.
            let mut changes = Changes::default();
            changes.without(request, gone);
            let text = changes.apply(request.text);
            let shorter = read(request.protocol, &text).unwrap();
            prop_assert_eq!(check(&shorter), Ok(()), "{}", text);
            let left = (0..request.items.len()).filter(|at| !gone.contains(at));
            let left: Vec<&str> =
                left.map(|at| &request.text[request.items[at].at.clone()]).collect();
            let now: Vec<&str> = shorter.items.iter().map(|item| &text[item.at.clone()]).collect();
            prop_assert_eq!(left, now);
            let before = request.items[0].at.start;
            prop_assert_eq!(&text[..before], &request.text[..before]);
            let end = "],\"top_p\":0.50}";
            prop_assert!(text.ends_with(end));
        }
        None => {
            let must: BTreeSet<usize> =
                older.iter().chain(&turns[..inner]).flat_map(|piece| piece.items.clone()).collect();
            let thinks =
                turns.iter().flat_map(|turn| &turn.items).any(|at| request.items[*at].thinking);
            let parted = request.protocol != Protocol::Messages || !thinks;
            prop_assert!(!parted || sum(weight, &must) > limit);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn gwy_8_whatever_is_dropped_the_request_stays_valid(
        talk in talk(),
        weights in prop::collection::vec(1..60u64, 300),
        part in 0.0..1.2f64,
    ) {
        let text = talk.text();
        let request = read(talk.protocol, &text).unwrap();
        prop_assert_eq!(check(&request), Ok(()), "{}", text);
        let items = request.items.iter().zip(&weights).map(|(_, weight)| (*weight).into()).collect();
        let weight = Weight { instructions: 7.into(), tools: Vec::new(), items };
        let limit = (sum(&weight, &BTreeSet::new()) as f64 * part) as u64;
        judge(&request, &weight, limit)?;
    }

    #[test]
    fn gwy_3_what_nobody_touches_leaves_byte_for_byte(talk in talk()) {
        let text = talk.text();
        let request = read(talk.protocol, &text).unwrap();
        let mut changes = Changes::default();
        changes.without(&request, &BTreeSet::new());
        prop_assert!(changes.is_empty());
        prop_assert_eq!(changes.apply(&text), text);
    }

    #[test]
    fn rel_4_no_text_makes_the_readers_panic(text in "\\PC{0,200}", list in "[\\[\\]{}\",:a-z0-9\\\\ ]{0,120}") {
        for protocol in [Protocol::Chat, Protocol::Responses, Protocol::Messages] {
            for text in [text.clone(), format!(r#"{{"model":"m","messages":{list},"input":{list}}}"#)] {
                if let Ok(request) = read(protocol, &text) {
                    let _ = check(&request);
                    let items = vec![9.into(); request.items.len()];
                    let weight = Weight { instructions: 1.into(), tools: Vec::new(), items };
                    Droppable::of(&request).to_fit(&weight, &room(20));
                }
            }
        }
    }
}
