//! One text within a budget, without footers: all of it, or the lines that fit and how to go
//! on (MBG-9).

use plimsoll_tokens::{Estimator, cut_at_word};

use crate::{Allowance, Answer, TextLines, answer::partition};

/// A part of a text, to be told.
#[derive(Clone, Debug)]
pub struct TextPart<'a> {
    /// What stands above it, the wordiest first: a shorter one is taken where that makes room
    /// for a line of the text.
    pub heads: &'a [&'a str],
    /// The whole text.
    pub text: &'a str,
    /// The first line that is wanted, from 1.
    pub from: usize,
    /// How many are wanted; all if none.
    pub lines: Option<usize>,
    /// The call that reads on, before ` from=41`; none where there is no such call.
    pub call: Option<&'a str>,
    /// The most that it may weigh.
    pub allowance: Allowance,
    /// How it is weighed.
    pub counter: Estimator,
}

impl TextPart<'_> {
    /// The text within its allowance, cut where a line ends, or a word where not even one line
    /// fits.
    pub fn build(&self) -> Answer {
        let lines = TextLines::of(self.text);
        let left = (lines.count() + 1).saturating_sub(self.from);
        let wanted = self.lines.unwrap_or(left).min(left);
        let whole = self.told(0, &lines, wanted);
        if self.fits(&whole) {
            return self.answer(whole, wanted < left);
        }
        for head in 0..self.heads.len() {
            let told = |shown| self.told(head, &lines, shown);
            // No line at all says less than the beginning of one.
            let most = partition(wanted, |shown| shown == 0 || self.fits(&told(shown)));
            if let Some(shown) = most.filter(|shown| *shown > 0) {
                return self.answer(told(shown), true);
            }
        }
        for head in self.heads.iter().rev() {
            let cut = |bytes| self.cut(head, &lines, bytes);
            let most = lines.part(self.from, 1).len();
            if let Some(bytes) = partition(most, |bytes| self.fits(&cut(bytes))) {
                return self.answer(cut(bytes), true);
            }
        }
        let head = self.heads.last().copied().unwrap_or_default();
        let cut = |bytes| self.bare(head, bytes);
        let bytes = partition(head.len(), |bytes| self.fits(&cut(bytes))).unwrap_or(0);
        self.answer(cut(bytes), true)
    }

    fn fits(&self, text: &str) -> bool {
        self.allowance.max_tokens().is_none_or(|most| self.counter.count(text) <= most)
    }

    fn answer(&self, text: String, cut: bool) -> Answer {
        let estimated_tokens = self.counter.count(&text);
        Answer { text, shown: 1, pieces: 1, total: 1, estimated_tokens, cut }
    }

    /// One of the heads and so many lines.
    fn told(&self, head: usize, lines: &TextLines<'_>, shown: usize) -> String {
        let (from, count) = (self.from, lines.count());
        let last = from + shown.max(1) - 1;
        let part = lines.part(from, shown);
        let mark = match (last < count, self.call) {
            (true, Some(call)) => format!(
                "\n[… cut, lines {from} to {last} of {count} shown; the rest: {call} from={}]",
                last + 1
            ),
            (true, None) => {
                let remedy = self.allowance.remedy();
                format!("\n[… cut, lines {from} to {last} of {count} shown; {remedy}]")
            }
            (false, _) if head > 0 => {
                format!("\n[… cut, what stands above it; {}]", self.allowance.remedy())
            }
            (false, _) if from > 1 => format!("\n[… lines {from} to {last} of {count}]"),
            (false, _) => String::new(),
        };
        format!("{}{part}{mark}", above(self.heads.get(head).copied().unwrap_or_default()))
    }

    /// The head and the beginning of one line.
    fn cut(&self, head: &str, lines: &TextLines<'_>, bytes: usize) -> String {
        let (from, count) = (self.from, lines.count());
        let part = cut_at_word(lines.part(from, 1), bytes);
        let space = if part.is_empty() { "" } else { " " };
        let call = self.call.map_or_else(String::new, |call| format!("{call} from={from}, "));
        let remedy = self.allowance.remedy();
        format!("{}{part}{space}[… cut in line {from} of {count}; {call}{remedy}]", above(head))
    }

    /// The beginning of the head alone.
    fn bare(&self, head: &str, bytes: usize) -> String {
        let head = cut_at_word(head, bytes);
        let space = if head.is_empty() { "" } else { " " };
        format!("{head}{space}[… cut, {}]", self.allowance.remedy())
    }
}

/// A head with the empty line under it.
fn above(head: &str) -> String {
    if head.is_empty() { String::new() } else { format!("{head}\n\n") }
}

#[cfg(test)]
mod tests {
    use plimsoll_tokens::bytes4;
    use proptest::prelude::*;

    use super::*;

    const HEADS: [&str; 2] = ["#4 [note] Tides\nproject harbour, scope project", "#4 [note] Tides"];

    fn part<'a>(text: &'a str, allowance: Allowance) -> TextPart<'a> {
        TextPart {
            heads: &HEADS,
            text,
            from: 1,
            lines: None,
            call: Some("mem_get_observation id=4"),
            allowance,
            counter: Estimator::Bytes4,
        }
    }

    #[test]
    fn mbg_9_what_fits_is_whole_and_has_no_mark() {
        let answer = part("one\ntwo\n", Allowance::Asked(64)).build();
        assert_eq!(answer.text, format!("{}\n\none\ntwo", HEADS[0]));
        assert!(!answer.cut);
    }

    #[test]
    fn mbg_9_a_part_says_how_to_go_on() {
        let text = (1..=9).map(|n| format!("line {n}\n")).collect::<String>();
        let middle = TextPart { from: 3, lines: Some(2), ..part(&text, Allowance::Unlimited) };
        let told = middle.build();
        assert!(told.cut && told.text.contains("\n\nline 3\nline 4\n[… cut, "), "{}", told.text);
        assert!(told.text.ends_with("; the rest: mem_get_observation id=4 from=5]"));
        let end = TextPart { from: 8, lines: Some(9), ..middle }.build();
        assert!(!end.cut && end.text.ends_with("line 8\nline 9\n[… lines 8 to 9 of 9]"));
    }

    #[test]
    fn mbg_9_a_long_line_is_cut_at_a_word() {
        let text = "harbour ".repeat(49);
        let told = part(&text, Allowance::Ceiling(64)).build();
        assert!(told.text.starts_with("#4 [note] Tides\n\nharbour harbour"), "{}", told.text);
        assert!(told.text.ends_with(
            "harbour [… cut in line 1 of 1; mem_get_observation id=4 from=1, limit of this \
             server: 64]"
        ));
    }

    proptest! {
        /// MBG-6, MBG-9: never over; and who goes on as the mark says reads every word once.
        #[test]
        fn mbg_6_a_text_is_read_to_its_end_part_by_part(
            text in "([a-zé語🚢]{0,700}[ \n]{0,2}){0,30}",
            max in 240u64..900,
            title in "[a-z ]{0,300}",
        ) {
            let title = format!("#4 {title}");
            let heads = [format!("{title}\ncircumstances"), title.clone()];
            let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
            let (mut from, mut read) = (1, String::new());
            loop {
                let told = TextPart { heads: &heads, from, ..part(&text, Allowance::Asked(max)) };
                let told = told.build().text;
                prop_assert!(bytes4(&told) <= max, "{} > {max}: {told}", bytes4(&told));
                let (_, rest) = told.split_once("\n\n").unwrap_or_default();
                let (lines, mark) = rest.rsplit_once("\n[… ").unwrap_or((rest, ""));
                read.push_str(lines);
                match mark.rsplit_once(" from=") {
                    Some((_, next)) => {
                        let next: usize = next.trim_end_matches(']').parse().unwrap();
                        prop_assert!(next > from, "{told}");
                        from = next;
                    }
                    None => break,
                }
            }
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&read), letters(&text));
        }

        #[test]
        fn mbg_6_the_smallest_budget_holds(
            text in "([a-zé語🚢]{0,700}[ \n]{0,2}){0,9}",
            title in "[a-z語 ]{0,900}",
            from in 1usize..4,
            max in 64u64..240,
        ) {
            let title = format!("#4 {title}");
            let told = TextPart { heads: &[&title], from, ..part(&text, Allowance::Asked(max)) };
            let told = told.build();
            prop_assert!(bytes4(&told.text) <= max, "{}", told.text);
            prop_assert!(told.text.starts_with("#4"), "{}", told.text);
        }
    }
}
