//! What of a conversation fits: whole exchanges go, oldest first, then whole rounds of the newest
//! one (GWY-8). The arithmetic is that of every load line.

use std::collections::BTreeSet;

use plimsoll_budget::{BoundaryInput, Load, LoadSums};
use plimsoll_tokens::RawTokens;

use crate::{
    exchanges::{Exchange, exchanges, rounds},
    reading::{ClientRequest, Kind, Protocol},
    weigh::Weight,
};

/// So many of the newest rounds of an agent's task always stay.
const NEWEST_ROUNDS: usize = 2;

/// What was left out so that the rest fits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// By their positions.
    pub items: BTreeSet<usize>,
    /// How many exchanges went.
    pub exchanges: usize,
    /// How many rounds of the newest exchange went.
    pub rounds: usize,
    /// What they weigh.
    pub tokens: RawTokens,
}

impl Dropped {
    fn take(&mut self, pieces: &[Exchange], weight: &Weight) {
        for piece in pieces {
            self.tokens += weight.of(&piece.items);
            self.items.extend(&piece.items);
        }
    }
}

/// What became of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fitted {
    /// All of it fits.
    Whole,
    /// The rest of it fits.
    Without(Dropped),
    /// What has to stay is too large, or may not be parted. Nothing is left out.
    TooLarge,
}

/// Leaves out what has to go so that a request fits; `room` is the model's, with nothing in it.
pub fn fit(request: &ClientRequest<'_>, weight: &Weight, room: &BoundaryInput) -> Fitted {
    let all = exchanges(&request.items);
    let Some((newest, older)) = all.split_last() else { return alone(weight.fixed(), room) };
    let instructions = (0..request.items.len())
        .filter(|at| request.items[*at].kind == Kind::Instructions)
        .fold(weight.fixed(), |sum, at| sum + weight.item(at));

    let mut dropped = Dropped::default();
    let kept = instructions + weight.of(&newest.items);
    if let Some(start) = first_that_fits(older, weight, kept, room) {
        dropped.take(&older[..start], weight);
        dropped.exchanges = start;
        return if start == 0 { Fitted::Whole } else { Fitted::Without(dropped) };
    }
    dropped.take(older, weight);
    dropped.exchanges = older.len();

    let turns = rounds(&request.items, newest);
    // A provider wants the thoughts of a live loop back as they were: the client compacts itself.
    let thinks = |piece: &Exchange| piece.items.iter().any(|at| request.items[*at].thinking);
    if request.protocol == Protocol::Messages && turns.iter().any(thinks) {
        return Fitted::TooLarge;
    }
    // What the user said in the middle of a round stays with it.
    let says = |piece: &Exchange| piece.items.iter().any(|at| request.items[*at].says);
    let newest_from = turns.len().saturating_sub(NEWEST_ROUNDS);
    let may_go = |at: usize| at < newest_from && !says(&turns[at]);
    let (rest, stay): (Vec<usize>, Vec<usize>) = (0..turns.len()).partition(|at| may_go(*at));
    let pieces = |of: Vec<usize>| of.into_iter().map(|at| turns[at].clone()).collect::<Vec<_>>();
    let (rest, stay) = (pieces(rest), pieces(stay));
    let behind = turns.iter().map(|turn| weight.of(&turn.items));
    let said = weight.of(&newest.items) - behind.fold(RawTokens::ZERO, |sum, turn| sum + turn);
    let kept = stay.iter().fold(instructions + said, |sum, turn| sum + weight.of(&turn.items));
    let Some(start) = first_that_fits(&rest, weight, kept, room) else { return Fitted::TooLarge };
    dropped.take(&rest[..start], weight);
    dropped.rounds = start;
    Fitted::Without(dropped)
}

fn alone(fixed: RawTokens, room: &BoundaryInput) -> Fitted {
    let fits = within(fixed, room).fits(RawTokens::ZERO);
    if fits { Fitted::Whole } else { Fitted::TooLarge }
}

/// The room that is left beside what has to stay.
fn within(kept: RawTokens, room: &BoundaryInput) -> BoundaryInput {
    BoundaryInput { raw_prelude: room.raw_prelude + kept, ..*room }
}

/// The oldest piece from which on all fit beside what has to stay; none where not even that fits.
fn first_that_fits(
    pieces: &[Exchange],
    weight: &Weight,
    kept: RawTokens,
    room: &BoundaryInput,
) -> Option<usize> {
    let room = within(kept, room);
    if !room.fits(RawTokens::ZERO) {
        return None;
    }
    let load = |at: usize| Load::of(weight.of(&pieces[at].items));
    let fitting = LoadSums::new(pieces.len()).longest_suffix(load, |sum| room.fits(sum));
    Some(fitting.start)
}

#[cfg(test)]
mod tests {
    use plimsoll_tokens::Correction;

    use super::*;
    use crate::reading::read;

    #[test]
    fn gwy_8_what_the_user_says_in_the_middle_of_a_round_stays() {
        let call = |id: usize| {
            format!(
                r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"t{id}","name":"f","input":{{}}}}]}}"#
            )
        };
        let result = |id: usize, more: &str| {
            format!(
                r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{id}","content":"r"}}{more}]}}"#
            )
        };
        let said = r#",{"type":"text","text":"wait, not there"}"#;
        let mut items = vec![r#"{"role":"user","content":"do it"}"#.to_owned()];
        for id in 0..5 {
            items.extend([call(id), result(id, if id == 1 { said } else { "" })]);
        }
        let text = format!(r#"{{"model":"m","max_tokens":1,"messages":[{}]}}"#, items.join(","));
        let request = read(Protocol::Messages, &text).unwrap();
        let weight = Weight { items: vec![10.into(); 11], ..Weight::default() };
        let room = |limit| BoundaryInput {
            limit,
            allowance: 0,
            raw_prelude: RawTokens::ZERO,
            reply_reserve: 0,
            correction: Correction::default(),
        };
        assert_eq!(fit(&request, &weight, &room(110)), Fitted::Whole);
        let Fitted::Without(dropped) = fit(&request, &weight, &room(75)) else { panic!() };
        let gone: Vec<usize> = dropped.items.into_iter().collect();
        assert_eq!((gone, dropped.rounds), (vec![1, 2, 5, 6], 2), "the second round stays");
        assert_eq!(fit(&request, &weight, &room(69)), Fitted::TooLarge);
    }
}
