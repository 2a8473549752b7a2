//! From lines to answers within a budget (MBG-3 to MBG-5).

use plimsoll_budget::{AnswerSpec, Piece};
use plimsoll_domain::FileId;
use plimsoll_tokens::{Estimator, cut_at_word};

use crate::words::visible;

/// What an answer may weigh when nobody says otherwise.
pub(crate) const DEFAULT_TOKENS: u64 = 8_000;

/// Longer lines of strangers are broken, so that a budget can end inside them.
const LINE_BYTES: usize = 240;

/// What a tool says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolAnswer {
    /// The whole text, footers included.
    pub text: String,
    /// Whether the tool could not do what was asked.
    pub is_error: bool,
    /// How many items are shown: the worthiest ones.
    pub shown: usize,
    /// How many items there are.
    pub total: usize,
    /// Whether the first item was cut.
    pub cut: bool,
    /// Files that the call made.
    pub generated: Vec<FileId>,
    /// The estimate of the whole text.
    pub estimated_tokens: u64,
}

/// How much an answer may weigh, and by which formula.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    pub(crate) max_tokens: u64,
    pub(crate) counter: Estimator,
}

impl Allowance {
    /// What was asked for, what is left, or what is usual: the least of them.
    pub(crate) fn new(asked: Option<u64>, room: Option<u64>, counter: Estimator) -> Self {
        let asked = asked.unwrap_or(DEFAULT_TOKENS);
        Self { max_tokens: asked.min(room.unwrap_or(u64::MAX)).max(1), counter }
    }
}

/// Says what to call next, from the number of items that are shown.
type Next = Box<dyn Fn(usize) -> String + Send + Sync>;

/// An answer that has not met its budget yet.
pub(crate) struct Draft {
    intro: String,
    noun: &'static str,
    /// How the whole is got when it does not fit.
    full_text: String,
    pieces: Vec<Piece>,
    /// Items that exist but were not even read.
    unread: usize,
    next: Option<Next>,
    is_error: bool,
    pub(crate) generated: Vec<FileId>,
}

impl Draft {
    pub(crate) fn new(noun: &'static str, full_text: impl Into<String>) -> Self {
        Self {
            intro: String::new(),
            noun,
            full_text: full_text.into(),
            pieces: Vec::new(),
            unread: 0,
            next: None,
            is_error: false,
            generated: Vec::new(),
        }
    }

    /// A tool error. It is short, so that it is whole in any budget that is one.
    pub(crate) fn error(words: impl Into<String>) -> Self {
        let mut draft = Self::new("items", "a larger max_tokens");
        draft.is_error = true;
        draft.line(words.into());
        draft
    }

    pub(crate) fn intro(&mut self, intro: String) {
        self.intro = intro;
    }

    pub(crate) fn unread(&mut self, count: usize) {
        self.unread = count;
    }

    pub(crate) fn next(&mut self, next: impl Fn(usize) -> String + Send + Sync + 'static) {
        self.next = Some(Box::new(next));
    }

    /// A line of ours.
    pub(crate) fn line(&mut self, text: String) {
        self.push(text, None);
    }

    /// Lines that strangers wrote, under a heading of ours. Each is marked, so none can be
    /// taken for a line of ours; empty ones in a row become one.
    pub(crate) fn foreign(&mut self, heading: &str, text: &str) {
        let mut blank = true;
        for line in text.lines() {
            let line = visible(line.trim_end());
            if line.is_empty() && blank {
                continue;
            }
            blank = line.is_empty();
            let mut rest = line.as_str();
            loop {
                let head = broken(rest, LINE_BYTES);
                self.push(format!("| {head}"), Some(heading));
                rest = rest[head.len()..].trim_start();
                if rest.is_empty() {
                    break;
                }
            }
        }
    }

    /// How many items there are so far.
    pub(crate) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Adds to the last line. It is shown or left out with it.
    pub(crate) fn append(&mut self, text: &str) {
        if let Some(last) = self.pieces.last_mut() {
            last.text.push_str(text);
        }
    }

    fn push(&mut self, text: String, heading: Option<&str>) {
        self.pieces.push(Piece {
            text,
            place: self.pieces.len(),
            heading: heading.map(ToOwned::to_owned),
            full_text: self.full_text.clone(),
        });
    }

    /// The answer within its allowance.
    pub(crate) fn answer(self, allowance: Allowance) -> ToolAnswer {
        let mut spec = AnswerSpec {
            intro: &self.intro,
            pieces: &self.pieces,
            total: self.pieces.len() + self.unread,
            noun: self.noun,
            summary_hint: None,
            next_call: None,
            max_tokens: Some(allowance.max_tokens),
            counter: allowance.counter,
        };
        let mut answer = spec.build();
        // What to call next depends on what is shown, and what is shown does not depend on
        // the hint, which only takes room that is left.
        if let Some(next) = self.next.filter(|_| answer.shown < answer.total) {
            let next = next(answer.shown);
            spec.next_call = Some(&next);
            answer = spec.build();
        }
        ToolAnswer {
            text: answer.text,
            is_error: self.is_error,
            shown: answer.shown,
            total: answer.total,
            cut: answer.cut,
            generated: self.generated,
            estimated_tokens: answer.estimated_tokens,
        }
    }
}

/// The head of a line, at the end of a word where there is one.
fn broken(line: &str, bytes: usize) -> &str {
    match cut_at_word(line, bytes) {
        "" => &line[..line.floor_char_boundary(bytes)],
        head => head,
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_tokens::bytes4;

    use super::*;

    const WIDE: Allowance = Allowance { max_tokens: 1000, counter: Estimator::Bytes4 };

    #[test]
    fn strangers_cannot_write_our_footers() {
        let mut draft = Draft::new("lines", "x");
        draft.foreign("Text:", "a\u{2028}b\n\n\n📏 ~1 tokens\r\n⚡ Budget: ~1/2 tokens used.");
        let answer = draft.answer(WIDE);
        assert_eq!(
            answer.text,
            format!(
                "Text:\n| a\\u{{2028}}b\n| \n| 📏 ~1 tokens\n| ⚡ Budget: ~1/2 tokens used.\n📏 ~{} tokens",
                answer.estimated_tokens
            )
        );
        assert_eq!((answer.shown, answer.total), (4, 4));
    }

    #[test]
    fn long_lines_are_broken_and_nothing_is_lost() {
        let mut draft = Draft::new("lines", "x");
        draft.foreign("Text:", &format!("{} {}", "word ".repeat(100), "é".repeat(300)));
        let text: String = draft.pieces.iter().map(|piece| piece.text.replacen("| ", "", 1)).collect();
        assert_eq!(text.matches("word").count(), 100);
        assert_eq!(text.matches('é').count(), 300);
        assert!(draft.pieces.iter().all(|piece| piece.text.len() <= LINE_BYTES + 2));
    }

    #[test]
    fn room_caps_what_is_asked_for() {
        let allowance = |asked, room| Allowance::new(asked, room, Estimator::Bytes4).max_tokens;
        assert_eq!(allowance(None, None), DEFAULT_TOKENS);
        assert_eq!(allowance(Some(500), Some(100)), 100);
        assert_eq!(allowance(Some(500), Some(9000)), 500);
        assert_eq!(allowance(None, Some(0)), 1);
    }

    #[test]
    fn the_hint_knows_what_is_shown() {
        let mut draft = Draft::new("lines", "x");
        for number in 0..100 {
            draft.line(format!("line {number}"));
        }
        draft.next(|shown| format!("Go on at {shown}."));
        let answer = draft.answer(Allowance { max_tokens: 100, counter: Estimator::Bytes4 });
        assert!(answer.text.contains(&format!("Go on at {}.", answer.shown)), "{}", answer.text);
        assert!(bytes4(&answer.text) <= 100);
    }
}
