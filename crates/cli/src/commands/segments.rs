//! `plimsoll segments`: a message as text and context tokens.

use plimsoll_domain::{Segment, SegmentBody};
use serde::Serialize;

use crate::{
    args::SegmentsArgs,
    failure::Failure,
    input,
    output::{Output, printable},
};

#[derive(Serialize)]
struct Report<'a> {
    segments: Vec<Row<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Row<'a> {
    Text { text: &'a str, start: usize, end: usize },
    Token { kind: &'static str, path: &'a str, start: usize, end: usize },
}

impl<'a> Row<'a> {
    fn of(segment: &'a Segment<'a>) -> Self {
        let (start, end) = (segment.range.start, segment.range.end);
        match &segment.body {
            SegmentBody::Text(text) => Row::Text { text, start, end },
            SegmentBody::Token(token) => {
                Row::Token { kind: token.kind.name(), path: &token.path, start, end }
            }
        }
    }
}

pub(crate) fn run(args: &SegmentsArgs, output: &mut Output) -> Result<u8, Failure> {
    let message = input::standard_input()?;
    let segments = plimsoll_domain::segments(&message.text);
    if args.json {
        output.json(&Report { segments: segments.iter().map(Row::of).collect() })?;
        return Ok(0);
    }
    for segment in &segments {
        let range = format!("{}..{}", segment.range.start, segment.range.end);
        let line = match &segment.body {
            SegmentBody::Text(text) => format!("{range:<12} text   {text:?}\n"),
            SegmentBody::Token(token) => {
                let broken = if token.is_absolute() { "" } else { "  (broken: not absolute)" };
                let (kind, path) = (token.kind.name(), printable(&token.path));
                format!("{range:<12} {kind:<6} {path}{broken}\n")
            }
        };
        output.text(&line)?;
    }
    Ok(0)
}
