//! What of a conversation fits: whole exchanges go, oldest first, then whole rounds of the newest
//! one (GWY-8). The arithmetic is that of every load line.

use std::collections::BTreeSet;

use plimsoll_budget::{BoundaryInput, Load, LoadSums};
use plimsoll_tokens::RawTokens;

use crate::{
    exchanges::{Exchange, exchanges, rounds},
    reading::{ClientRequest, Item, Protocol},
    weigh::Weight,
};

/// So many of the newest rounds of an agent's task always stay.
const NEWEST_ROUNDS: usize = 2;

/// What of a conversation may be left out, in the order in which it goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Droppable {
    /// Whole exchanges, oldest first, then whole rounds of the newest one.
    pub pieces: Vec<Exchange>,
    /// So many of them are exchanges.
    pub exchanges: usize,
}

impl Droppable {
    pub fn of(request: &ClientRequest<'_>) -> Self {
        let mut pieces = exchanges(&request.items);
        let Some(newest) = pieces.pop() else { return Self::default() };
        let exchanges = pieces.len();
        let turns = rounds(&request.items, &newest);
        // A provider wants the thoughts of a live loop back as they were: the client compacts
        // itself.
        let any = |piece: &Exchange, is: fn(&Item<'_>) -> bool| {
            piece.items.iter().any(|at| is(&request.items[*at]))
        };
        let thinks = turns.iter().any(|turn| any(turn, |item| item.thinking));
        if !(request.protocol == Protocol::Messages && thinks) {
            let older = turns.len().saturating_sub(NEWEST_ROUNDS);
            // What the user said in the middle of a round stays with it.
            let may_go = |turn: &Exchange| !any(turn, |item| item.says);
            pieces.extend(turns.into_iter().take(older).filter(may_go));
        }
        Self { pieces, exchanges }
    }

    /// What is gone when the first of them are.
    pub fn without_first(&self, count: usize, weight: &Weight) -> Dropped {
        let gone = &self.pieces[..count.min(self.pieces.len())];
        let mut dropped = Dropped {
            exchanges: gone.len().min(self.exchanges),
            rounds: gone.len().saturating_sub(self.exchanges),
            ..Dropped::default()
        };
        for piece in gone {
            dropped.tokens += weight.of(&piece.items);
            dropped.items.extend(&piece.items);
        }
        dropped
    }

    /// How many of them have to go so that the rest fits; none where not even that helps. `room`
    /// is the model's, with nothing in it.
    pub fn to_fit(&self, weight: &Weight, room: &BoundaryInput) -> Option<usize> {
        let loads: Vec<RawTokens> =
            self.pieces.iter().map(|piece| weight.of(&piece.items)).collect();
        let all = loads.iter().fold(RawTokens::ZERO, |sum, load| sum + *load);
        let kept = room.raw_prelude + (weight.total() - all);
        let room = BoundaryInput { raw_prelude: kept, ..*room };
        if !room.fits(RawTokens::ZERO) {
            return None;
        }
        let load = |at: usize| Load::of(loads[at]);
        let fitting = LoadSums::new(loads.len()).longest_suffix(load, |sum| room.fits(sum));
        Some(fitting.start)
    }
}

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
        let droppable = Droppable::of(&request);
        assert_eq!(droppable.to_fit(&weight, &room(110)), Some(0));
        let count = droppable.to_fit(&weight, &room(75)).unwrap();
        let dropped = droppable.without_first(count, &weight);
        let gone: Vec<usize> = dropped.items.into_iter().collect();
        assert_eq!((gone, dropped.rounds), (vec![1, 2, 5, 6], 2), "the second round stays");
        assert_eq!(droppable.to_fit(&weight, &room(69)), None);
    }
}
