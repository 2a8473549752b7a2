//! A door for the fuzz targets of this repository, and for nothing else: what servers and
//! programs send, read by the very code that reads it in an answer.

use crate::{
    Delta,
    codex::read_lines,
    sse::{SseItem, SseParser},
    wire::{Decode, Deltas, anthropic, gemini, openai, read_event, read_whole},
};

/// The events of a stream that comes in these pieces, as name and data; what is no event
/// has a mark in the place of its name. None where a line is too long.
pub fn events(pieces: &[&[u8]]) -> Option<Vec<(String, String)>> {
    let mut parser = SseParser::default();
    let mut found = Vec::new();
    for piece in pieces {
        parser.push(piece);
        while let Some(item) = parser.next().ok()? {
            found.push(told(item));
        }
    }
    while let Some(item) = parser.finish().ok()? {
        found.push(told(item));
    }
    Some(found)
}

fn told(item: SseItem) -> (String, String) {
    match item {
        SseItem::Event(event) => (event.name, event.data),
        SseItem::Comment => ("\u{0}comment".to_owned(), String::new()),
        SseItem::Stray(line) => ("\u{0}stray".to_owned(), line),
    }
}

/// What an answer on one of the wires (0, 1 or 2) comes to, as a stream or in one piece,
/// and whether it was taken to its end.
pub fn answer(wire: u8, bytes: &[u8], streams: bool) -> (Vec<Delta>, bool) {
    let mut decoder: Box<dyn Decode> = match wire % 3 {
        0 => Box::<openai::Decoder>::default(),
        1 => Box::<anthropic::Decoder>::default(),
        _ => Box::<gemini::Decoder>::default(),
    };
    let mut out = Deltas::default();
    let taken = if streams {
        let mut parser = SseParser::default();
        parser.push(bytes);
        let mut next = || parser.next().ok().flatten().or_else(|| parser.finish().ok().flatten());
        std::iter::from_fn(&mut next).all(|item| match item {
            SseItem::Event(event) => read_event(decoder.as_mut(), &event, &mut out).is_ok(),
            _ => true,
        })
    } else {
        let text = String::from_utf8_lossy(bytes);
        read_whole(decoder.as_mut(), &text, &mut out).is_ok()
    };
    (std::iter::from_fn(|| out.pop()).collect(), taken)
}

/// What the lines of Codex come to, when they arrive in these pieces.
pub fn codex(pieces: &[&[u8]]) -> Vec<Delta> {
    let mut out = Deltas::default();
    read_lines(pieces, &mut out);
    std::iter::from_fn(|| out.pop()).collect()
}
