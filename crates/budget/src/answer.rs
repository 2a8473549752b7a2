//! Answers that obey a token budget (MBG-3 to MBG-5).
//!
//! Pieces come in order of worth and are printed in display order. What is shown is
//! always a prefix of the order of worth, the whole text with its footers stays
//! within the budget, and both footers state the estimate of the whole text.

use plimsoll_tokens::{Estimator, commas, cut_at_word, token_footer};
use thiserror::Error;

use crate::TextLines;

/// One item of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its text, without a line break at the end.
    pub text: String,
    /// Where it stands among the shown pieces; smaller is higher.
    pub place: usize,
    /// The heading that it stands under. It is printed once, above its first piece.
    pub heading: Option<String>,
    /// How to get the full text, such as `mem_get_observation id=42`.
    pub full_text: String,
    /// Where in it the text begins that `full_text` reads by lines, if it does: a cut then says
    /// from which line to go on.
    pub lines_from: Option<usize>,
}

/// How more is got from a tool with levels of detail (MBG-4).
pub const MORE: &str = "Increase max_tokens or use detail_level=summary for more.";

/// What an answer is made of.
#[derive(Clone, Debug)]
pub struct AnswerSpec<'a> {
    /// A line above all else that a reader must not miss; empty is none. It is given up only
    /// where not even the footers would fit beside it.
    pub head: &'a str,
    /// The first line, if there is one. It is given up when nothing else fits.
    pub intro: &'a str,
    /// The items, worthiest first.
    pub pieces: &'a [Piece],
    /// How many items there are in all; at least as many as there are pieces.
    pub total: usize,
    /// Whether there are more than that, which nobody counted.
    pub uncounted: bool,
    /// What the items are called: observations, results, entries, sections, items.
    pub noun: &'a str,
    /// What pieces are called that are no items.
    pub others: &'a str,
    /// Whether it ends with footers; else a mark says what was left out, and nothing is
    /// hinted at.
    pub footers: bool,
    /// A line that tells how to see more detail.
    pub summary_hint: Option<&'a str>,
    /// What to call next when not all items are shown.
    pub next_call: Option<&'a str>,
    /// Whether the pieces tell less than was asked for, to find room at all.
    pub shortened: bool,
    /// How more is got where the budget ended the answer; [`MORE`] where there are levels of
    /// detail, and no whole sentence where there are no footers.
    pub more: &'a str,
    /// The most tokens that the answer may have; without one it is not limited.
    pub max_tokens: Option<u64>,
    /// How the text is weighed; EST-2 unless the server was told otherwise.
    pub counter: Estimator,
}

/// A finished answer with its true counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The whole text, footers included.
    pub text: String,
    /// How many of the counted pieces are shown.
    pub shown: usize,
    /// How many pieces are shown in all: the worthiest ones.
    pub pieces: usize,
    /// How many items there are in all.
    pub total: usize,
    /// The estimate of the whole text.
    pub estimated_tokens: u64,
    /// Whether the first piece was cut.
    pub cut: bool,
}

/// A budget that is no budget.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("max_tokens must be a whole number above 0, such as 500, not {0}")]
pub struct InvalidBudget(pub String);

/// Reads a budget as clients send it: an integer, or an integer in a string.
pub fn parse_max_tokens(text: &str) -> Result<u64, InvalidBudget> {
    match text.trim().parse::<u64>() {
        Ok(tokens) if tokens > 0 => Ok(tokens),
        _ => Err(InvalidBudget(text.to_owned())),
    }
}

/// Which pieces are shown, and how.
#[derive(Clone, Copy)]
struct Choice {
    shown: usize,
    /// Bytes of the first piece, when it is cut.
    cut: Option<usize>,
    head: bool,
    intro: bool,
    /// Whether the budget footer is there.
    budget_footer: bool,
    summary_hint: bool,
    navigation: bool,
}

impl AnswerSpec<'_> {
    pub fn build(&self) -> Answer {
        self.build_counting(|_| true)
    }

    /// Builds the answer of pieces that are not all counted: `counts` tells, by the place in
    /// the order of worth, which pieces are items of the noun. The others, such as the
    /// sessions beside observations, take room but are in no count.
    pub fn build_counting(&self, counts: impl Fn(usize) -> bool) -> Answer {
        let mut sums = vec![0];
        for worth in 0..self.pieces.len() {
            let sum: usize = sums[worth] + usize::from(counts(worth));
            sums.push(sum);
        }
        Builder { spec: self, sums: &sums }.build()
    }
}

/// An answer under way.
struct Builder<'b, 's> {
    spec: &'b AnswerSpec<'s>,
    /// How many of the first pieces are counted, for each number of them.
    sums: &'b [usize],
}

impl Builder<'_, '_> {
    fn counted(&self, pieces: usize) -> usize {
        self.sums.get(pieces).copied().unwrap_or(pieces)
    }

    fn build(&self) -> Answer {
        let all = Choice {
            shown: self.spec.pieces.len(),
            cut: None,
            head: true,
            intro: true,
            budget_footer: self.spec.shortened,
            summary_hint: self.spec.footers && self.spec.summary_hint.is_some(),
            navigation: self.navigates(self.spec.pieces.len()),
        };
        // Whatever does not find room, a line or a hint, leaves the budget footer (MBG-9).
        if self.fits(all) {
            return self.answer(all);
        }
        let headed = self.choose(true);
        let choice = if self.fits(headed) { headed } else { self.choose(false) };
        self.answer(self.with_hints(choice))
    }

    /// Whether a navigation hint belongs to so many pieces.
    fn navigates(&self, pieces: usize) -> bool {
        let open = self.counted(pieces) < self.spec.total || self.spec.uncounted;
        self.spec.footers && self.spec.next_call.is_some() && open
    }

    /// The most pieces that fit with the budget footer; else the first piece, cut;
    /// else nothing but the footers.
    fn choose(&self, head: bool) -> Choice {
        let with = |shown, intro| Choice {
            shown,
            cut: None,
            head,
            intro,
            budget_footer: true,
            summary_hint: false,
            navigation: false,
        };
        for intro in [true, false] {
            // The text grows with every piece, so the first count that does not fit
            // can be found by halving.
            let most = partition(self.spec.pieces.len(), |shown| self.fits(with(shown, intro)));
            if let Some(shown) = most.filter(|shown| *shown > 0) {
                return with(shown, intro);
            }
        }
        // Only a piece that does not fit alone is cut.
        self.cut_first(with(1, false)).unwrap_or_else(|| with(0, false))
    }

    /// The first piece, cut to what fits; none if not even its mark does.
    fn cut_first(&self, choice: Choice) -> Option<Choice> {
        let first = self.spec.pieces.first()?;
        let cut = |bytes| Choice { cut: Some(bytes), ..choice };
        let bytes = partition(first.text.len(), |bytes| self.fits(cut(bytes)))?;
        Some(cut(bytes))
    }

    /// Adds the hints that still fit: the summary hint before the navigation hint.
    fn with_hints(&self, mut choice: Choice) -> Choice {
        if self.spec.footers && self.spec.summary_hint.is_some() {
            let wider = Choice { summary_hint: true, ..choice };
            if self.fits(wider) {
                choice = wider;
            }
        }
        // The navigation hint is given up first, so it never stands without the other.
        let room_for_more = choice.summary_hint || self.spec.summary_hint.is_none();
        if room_for_more && self.navigates(choice.shown) {
            let wider = Choice { navigation: true, ..choice };
            if self.fits(wider) {
                choice = wider;
            }
        }
        choice
    }

    fn fits(&self, choice: Choice) -> bool {
        match self.spec.max_tokens {
            None => true,
            Some(max) => self.answer(choice).estimated_tokens <= max,
        }
    }

    fn answer(&self, choice: Choice) -> Answer {
        let body = self.body(choice);
        // The footers state the estimate of a text that they are part of. Stating a
        // larger number never makes the text shorter, so this climbs to rest.
        let mut stated = 0;
        loop {
            let text = format!("{body}{}", self.tail(choice, stated));
            let estimate = self.spec.counter.count(&text);
            if estimate <= stated {
                return Answer {
                    text,
                    shown: self.counted(choice.shown),
                    pieces: choice.shown,
                    total: self.spec.total,
                    estimated_tokens: stated,
                    cut: choice.cut.is_some(),
                };
            }
            stated = estimate;
        }
    }

    fn body(&self, choice: Choice) -> String {
        let mut shown: Vec<(usize, &Piece)> =
            self.spec.pieces.iter().take(choice.shown).enumerate().collect();
        shown.sort_by_key(|(worth, piece)| (piece.place, *worth));
        let mut lines = String::new();
        if choice.head && !self.spec.head.is_empty() {
            lines.push_str(self.spec.head);
        }
        if choice.intro && !self.spec.intro.is_empty() {
            push_line(&mut lines, self.spec.intro);
        }
        let mut heading: Option<&str> = None;
        for (worth, piece) in shown {
            if piece.heading.as_deref() != heading {
                heading = piece.heading.as_deref();
                push_line(&mut lines, heading.unwrap_or_default());
            }
            match choice.cut {
                Some(bytes) if worth == 0 => {
                    let head = cut_at_word(&piece.text, bytes);
                    let space = if head.is_empty() { "" } else { " " };
                    let from = piece.goes_on(head.len());
                    let mark =
                        format!("{head}{space}[… cut, full text: {}{from}]", piece.full_text);
                    push_line(&mut lines, &mark);
                }
                _ => push_line(&mut lines, &piece.text),
            }
        }
        lines
    }

    fn tail(&self, choice: Choice, tokens: u64) -> String {
        let mut tail = String::new();
        let counts = self.counts(choice);
        if !self.spec.footers {
            if choice.budget_footer {
                let AnswerSpec { noun, more, .. } = self.spec;
                tail.push_str(&format!("\n[… cut, {counts} {noun} shown; {more}]"));
            }
            return tail;
        }
        if let (true, Some(max)) = (choice.budget_footer, self.spec.max_tokens) {
            tail.push_str(&format!(
                "\n⚡ Budget: ~{tokens}/{max} tokens used. {counts} {} shown.{} {}",
                self.spec.noun,
                self.others_left_out(choice),
                self.spec.more,
            ));
        }
        if let (true, Some(hint)) = (choice.summary_hint, self.spec.summary_hint) {
            tail.push('\n');
            tail.push_str(hint);
        }
        if let (true, Some(next)) = (choice.navigation, self.spec.next_call) {
            tail.push_str(&format!("\n📊 Showing {counts}. {next}"));
        }
        tail.push_str(&token_footer(tokens));
        tail
    }

    /// `3 of 12`, or `3 of 10,000+`.
    fn counts(&self, choice: Choice) -> String {
        let told = |number: usize| commas(u64::try_from(number).unwrap_or(u64::MAX));
        let more = if self.spec.uncounted { "+" } else { "" };
        format!("{} of {}{more}", told(self.counted(choice.shown)), told(self.spec.total))
    }

    /// Where every item is shown, it is something else that found no room.
    fn others_left_out(&self, choice: Choice) -> String {
        let all = self.spec.pieces.len();
        let left_out = all - choice.shown;
        if left_out == 0 || self.counted(choice.shown) < self.counted(all) {
            return String::new();
        }
        format!(" {left_out} {} left out.", self.spec.others)
    }
}

impl Piece {
    /// ` from=17` where a head of so many bytes ends in line 17 of what can be read by lines.
    fn goes_on(&self, bytes: usize) -> String {
        let start = self.lines_from.filter(|start| *start < bytes);
        let Some((start, text)) = start.and_then(|start| Some((start, self.text.get(start..)?)))
        else {
            return String::new();
        };
        // Behind the end of a line the next one begins.
        format!(" from={}", TextLines::of(text).line_at(bytes - start + 1))
    }
}

fn push_line(lines: &mut String, line: &str) {
    if !lines.is_empty() {
        lines.push('\n');
    }
    lines.push_str(line);
}

/// The largest `n` up to `most` for which `fits` holds, where it holds for every
/// smaller one too; none if it does not even hold for 0.
pub(crate) fn partition(most: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
    if !fits(0) {
        return None;
    }
    let (mut good, mut bad) = (0, most + 1);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if fits(middle) { good = middle } else { bad = middle }
    }
    Some(good)
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
