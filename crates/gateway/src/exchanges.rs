//! The whole pieces of a conversation (GWY-8): what may be left out together, and never in part.

use std::collections::HashMap;

use crate::reading::{Item, Kind};

/// Items that belong together, by their positions, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    pub items: Vec<usize>,
}

/// The exchanges of a conversation, oldest first: a message of the user with everything up to the
/// next one. What a model was told to be is in none of them.
pub fn exchanges(items: &[Item<'_>]) -> Vec<Exchange> {
    let mut all: Vec<Exchange> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        match (item.kind, all.last_mut()) {
            (Kind::Instructions, _) => {}
            (Kind::User, _) | (_, None) => all.push(Exchange { items: vec![at] }),
            (_, Some(last)) => last.items.push(at),
        }
    }
    linked(items, all)
}

/// The rounds of an exchange behind the message of the user, oldest first: a turn of the model
/// with all its calls, their results and its thoughts.
pub fn rounds(items: &[Item<'_>], exchange: &Exchange) -> Vec<Exchange> {
    let mut all: Vec<Exchange> = Vec::new();
    // Whether the newest round has results, and thoughts.
    let (mut answered, mut thought) = (false, false);
    for &at in exchange.items.iter().skip_while(|at| items[**at].kind == Kind::User) {
        let item = &items[at];
        match all.last_mut() {
            Some(round) if !begins_round(item, answered, thought) => round.items.push(at),
            _ => {
                all.push(Exchange { items: vec![at] });
                (answered, thought) = (false, false);
            }
        }
        answered |= item.kind == Kind::Result;
        thought |= item.kind == Kind::Reasoning;
    }
    linked(items, all)
}

/// Whether an item is no part of the round before it. A call without thoughts of its own belongs
/// to those that the round began with: providers refuse it without them.
fn begins_round(item: &Item<'_>, answered: bool, thought: bool) -> bool {
    answered
        && match item.kind {
            Kind::Reasoning => true,
            Kind::Assistant => !thought || item.calls.is_empty(),
            _ => false,
        }
}

/// The same pieces; where one has a result whose call stands in an earlier one, all from that one
/// on are one piece.
fn linked(items: &[Item<'_>], pieces: Vec<Exchange>) -> Vec<Exchange> {
    // Where each id was called and has no result yet, and where it was called last.
    let mut open: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut called: HashMap<&str, usize> = HashMap::new();
    let mut joined: Vec<(usize, Exchange)> = Vec::with_capacity(pieces.len());
    for (number, piece) in pieces.into_iter().enumerate() {
        let mut first = number;
        for item in piece.items.iter().map(|at| &items[*at]) {
            for call in &item.calls {
                open.entry(call).or_default().push(number);
                called.insert(call, number);
            }
            for result in &item.results {
                let id = result.as_ref();
                let answers = open.get_mut(id).and_then(Vec::pop).or(called.get(id).copied());
                first = first.min(answers.unwrap_or(number));
            }
        }
        let mut whole = (number, piece);
        while whole.0 > first {
            let Some((before, mut earlier)) = joined.pop() else { break };
            earlier.items.append(&mut whole.1.items);
            whole = (before, earlier);
        }
        joined.push(whole);
    }
    joined.into_iter().map(|(_, piece)| piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::{Protocol, read};

    fn positions(pieces: Vec<Exchange>) -> Vec<Vec<usize>> {
        pieces.into_iter().map(|piece| piece.items).collect()
    }

    #[test]
    fn gwy_8_an_exchange_is_a_message_of_the_user_and_all_up_to_the_next() {
        let text = r#"{"model":"m","messages":[{"role":"system","content":"s"},
          {"role":"assistant","content":"hello"},{"role":"user","content":"1"},
          {"role":"assistant","tool_calls":[{"id":"a"}]},{"role":"developer","content":"d"},
          {"role":"tool","tool_call_id":"a","content":"r"},{"role":"user","content":"2"},
          {"role":"user","content":"3"}]}"#;
        let request = read(Protocol::Chat, text).unwrap();
        assert_eq!(
            positions(exchanges(&request.items)),
            [vec![1], vec![2, 3, 5], vec![6], vec![7]]
        );
    }

    #[test]
    fn gwy_8_a_result_is_never_parted_from_its_call() {
        let text = r#"{"model":"m","messages":[{"role":"user","content":"0"},
          {"role":"user","content":"1"},{"role":"assistant","tool_calls":[{"id":"a"}]},
          {"role":"user","content":"are you there?"},{"role":"user","content":"well?"},
          {"role":"tool","tool_call_id":"a","content":"r"},{"role":"user","content":"2"}]}"#;
        let request = read(Protocol::Chat, text).unwrap();
        assert_eq!(positions(exchanges(&request.items)), [vec![0], vec![1, 2, 3, 4, 5], vec![6]]);
    }

    #[test]
    fn gwy_8_a_round_is_a_turn_with_its_calls_results_and_thoughts() {
        let call = |id: &str| {
            format!(r#"{{"type":"function_call","call_id":"{id}","name":"f","arguments":"{{}}"}}"#)
        };
        let output = |id: &str| {
            format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"r"}}"#)
        };
        let thought = r#"{"type":"reasoning","summary":[]}"#.to_owned();
        let said = r#"{"role":"assistant","content":"well"}"#.to_owned();
        let user = r#"{"role":"user","content":"do it"}"#.to_owned();
        let items = [
            user,
            thought.clone(),
            call("a"),
            call("b"),
            output("a"),
            output("b"), // 1 to 5
            thought,
            call("c"),
            output("c"),
            call("d"),
            output("d"), // 6 to 10: one thought, two calls
            said.clone(),
            call("e"),
            output("e"), // 11 to 13
            call("f"),
            output("f"), // 14, 15
            said,        // 16
        ];
        let text = format!(r#"{{"model":"m","input":[{}]}}"#, items.join(","));
        let request = read(Protocol::Responses, &text).unwrap();
        let whole = exchanges(&request.items);
        assert_eq!(whole.len(), 1);
        let expected: [Vec<usize>; 5] =
            [(1..6).collect(), (6..11).collect(), (11..14).collect(), vec![14, 15], vec![16]];
        assert_eq!(positions(rounds(&request.items, &whole[0])), expected);
    }
}
