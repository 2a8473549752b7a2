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
    /// Whether it is what is left of a window, and not what was asked for.
    pub(crate) by_room: bool,
    pub(crate) counter: Estimator,
}

impl Allowance {
    /// What was asked for, what is left, or what is usual: the least of them.
    pub(crate) fn new(asked: Option<u64>, room: Option<u64>, counter: Estimator) -> Self {
        let asked = asked.unwrap_or(DEFAULT_TOKENS);
        let room = room.unwrap_or(u64::MAX);
        Self { max_tokens: asked.min(room).max(1), by_room: room < asked, counter }
    }
}

/// Words that may tell how many items are shown.
type Words = Box<dyn Fn(usize) -> String + Send + Sync>;

/// How often an intro is written anew until it tells the truth about the rest.
const TRIES: usize = 4;

/// An answer that has not met its budget yet.
pub(crate) struct Draft {
    /// The first line.
    intro: Words,
    /// How to go on where the budget ended the answer.
    more: Option<Words>,
    noun: &'static str,
    /// How the whole is got when it does not fit.
    full_text: String,
    pieces: Vec<Piece>,
    /// Items that exist but were not even read.
    unread: usize,
    next: Option<&'static str>,
    is_error: bool,
    pub(crate) generated: Vec<FileId>,
}

impl Draft {
    pub(crate) fn new(noun: &'static str, full_text: impl Into<String>) -> Self {
        Self {
            intro: Box::new(|_| String::new()),
            more: None,
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

    /// What is said where there is no room for anything.
    pub(crate) fn full(counter: Estimator) -> ToolAnswer {
        let text = "[The context window is full. Answer now.]".to_owned();
        ToolAnswer {
            estimated_tokens: counter.count(&text),
            text,
            is_error: true,
            shown: 0,
            total: 0,
            cut: false,
            generated: Vec::new(),
        }
    }

    /// Whether what was asked for went wrong.
    pub(crate) fn failed(&mut self, failed: bool) {
        self.is_error = failed;
    }

    /// A first line that stays the same.
    pub(crate) fn intro(&mut self, intro: String) {
        self.intro = Box::new(move |_| intro.clone());
    }

    /// A first line that depends on how many items are shown.
    pub(crate) fn intro_with(&mut self, intro: impl Fn(usize) -> String + Send + Sync + 'static) {
        self.intro = Box::new(intro);
    }

    /// How to go on after so many items.
    pub(crate) fn more_with(&mut self, more: impl Fn(usize) -> String + Send + Sync + 'static) {
        self.more = Some(Box::new(more));
    }

    pub(crate) fn unread(&mut self, count: usize) {
        self.unread = count;
    }

    /// What to call when not all is shown.
    pub(crate) fn next(&mut self, next: &'static str) {
        self.next = Some(next);
    }

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
            lines_from: None,
        });
    }

    /// The answer within its allowance.
    pub(crate) fn answer(self, allowance: Allowance) -> ToolAnswer {
        let more = |shown: usize| match &self.more {
            Some(more) => more(shown),
            None if allowance.by_room => "There is no room for more.".to_owned(),
            None => "Increase max_tokens for more.".to_owned(),
        };
        let build = |told: usize| {
            AnswerSpec {
                head: "",
                intro: &(self.intro)(told),
                more: &more(told),
                pieces: &self.pieces,
                total: self.pieces.len() + self.unread,
                uncounted: false,
                noun: self.noun,
                others: "",
                footers: true,
                summary_hint: None,
                next_call: self.next,
                shortened: false,
                max_tokens: Some(allowance.max_tokens),
                counter: allowance.counter,
            }
            .build()
        };
        // What is shown depends on how long the intro is, and the intro tells what is shown.
        // One that does not come to rest tells only what is always true.
        let mut told = self.pieces.len();
        let mut answer = build(told);
        for attempt in 0..=TRIES {
            if answer.shown == told {
                break;
            }
            told = if attempt < TRIES { answer.shown } else { self.pieces.len() };
            answer = build(told);
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

    const WIDE: Allowance =
        Allowance { max_tokens: 1000, by_room: false, counter: Estimator::Bytes4 };

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
        let text: String =
            draft.pieces.iter().map(|piece| piece.text.replacen("| ", "", 1)).collect();
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
    fn the_intro_knows_what_is_shown() {
        for max_tokens in 64..600 {
            let mut draft = Draft::new("lines", "x");
            for number in 0..100 {
                draft.line(format!("line {number} {}", "x".repeat(number % 7)));
            }
            draft.intro_with(|shown| match shown {
                100 => "All.".to_owned(),
                shown => format!("Go on at {shown}{}.", "!".repeat(shown % 5 * 3)),
            });
            let answer = draft.answer(Allowance { max_tokens, ..WIDE });
            assert!(bytes4(&answer.text) <= max_tokens);
            let told = answer.text.strip_prefix("Go on at ").map(|rest| {
                rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse::<usize>().unwrap()
            });
            assert!(told.is_none_or(|told| told == answer.shown), "{}", answer.text);
        }
    }
}
