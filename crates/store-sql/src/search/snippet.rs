//! A piece of a text around what was found in it.

use std::{collections::HashSet, ops::Range};

use plimsoll_store::words::cut::cut;

/// A text with ranges of it that were found, in order, apart from each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marked {
    pub(super) text: String,
    pub(super) marks: Vec<Range<usize>>,
}

impl Marked {
    /// A text on one line, with those of its words marked that were looked for. What overlaps
    /// becomes one mark.
    pub(super) fn one_line(text: &str, words: &HashSet<String>) -> Self {
        let mut line = String::with_capacity(text.len());
        for word in text.split_whitespace() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        let mut marks: Vec<Range<usize>> = Vec::new();
        for word in cut(&line) {
            if !words.contains(&word.word) {
                continue;
            }
            let mut mark = word.at;
            while let Some(last) = marks.pop_if(|last| mark.start < last.end) {
                mark = last.start.min(mark.start)..last.end.max(mark.end);
            }
            marks.push(mark);
        }
        Self { text: line, marks }
    }

    /// At most so many characters, around as many marks as can be.
    pub(super) fn cut(self, max_chars: usize) -> Self {
        let starts: Vec<usize> = self.text.char_indices().map(|(at, _)| at).collect();
        if starts.len() <= max_chars {
            return self;
        }
        // Each end may get an ellipsis.
        let room = max_chars.saturating_sub(2);
        let byte = |char: usize| starts.get(char).copied().unwrap_or(self.text.len());
        let char_of = |byte: usize| starts.partition_point(|start| *start < byte);
        let spans: Vec<Range<usize>> =
            self.marks.iter().map(|mark| char_of(mark.start)..char_of(mark.end)).collect();
        // A window may begin a little before any of the marks; the first of the best is taken.
        let mut best = (0, 0);
        let mut last = 0;
        for (place, span) in spans.iter().enumerate() {
            let begin = span.start.saturating_sub(room / 5);
            last = last.max(place);
            while spans.get(last).is_some_and(|span| span.end <= begin + room) {
                last += 1;
            }
            if last - place > best.1 {
                best = (begin, last - place);
            }
        }
        let begin = best.0.min(starts.len() - room.min(starts.len()));
        let (mut from, mut to) = (byte(begin), byte(begin + room));
        // Whole words, unless that would cost a mark or there is no space.
        if from > 0
            && let Some(space) = self.text[from..to].find(' ')
            && self.marks.iter().all(|mark| mark.end <= from || mark.start > from + space)
        {
            from += space + 1;
        }
        if to < self.text.len()
            && let Some(space) = self.text[from..to].rfind(' ')
            && self.marks.iter().all(|mark| mark.start >= to || mark.end <= from + space)
        {
            to = from + space;
        }
        let mut text = String::new();
        if from > 0 {
            text.push('…');
        }
        let shift = text.len();
        text.push_str(&self.text[from..to]);
        if to < self.text.len() {
            text.push('…');
        }
        let marks = self
            .marks
            .into_iter()
            .filter(|mark| mark.start >= from && mark.end <= to)
            .map(|mark| mark.start - from + shift..mark.end - from + shift)
            .collect();
        Self { text, marks }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(list: &[&str]) -> HashSet<String> {
        list.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn what_was_looked_for_is_marked() {
        let found = |text: &str, list: &[&str]| {
            let marked = Marked::one_line(text, &words(list));
            marked.marks.iter().map(|mark| marked.text[mark.clone()].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(found("a  Ship of\n\té", &["ship", "e"]), ["Ship", "é"]);
        assert_eq!(found("設定ファイル", &["設定", "ファ", "ァイ", "イル"]), ["設定", "ファイル"]);
        assert_eq!(
            found("the OAuth2PasswordBearer", &["password", "bearer"]),
            ["Password", "Bearer"]
        );
        assert_eq!(found("tokenRefresh", &["token", "refresh", "tokenrefresh"]), ["tokenRefresh"]);
    }

    #[test]
    fn a_snippet_stands_around_its_marks() {
        let text = format!("{}anchor {}", "many words ".repeat(40), "more ".repeat(40));
        let cut = Marked::one_line(&text, &words(&["anchor"])).cut(60);
        assert!(cut.text.starts_with('…') && cut.text.ends_with('…'), "{}", cut.text);
        assert!(cut.text.chars().count() <= 60);
        assert_eq!(&cut.text[cut.marks[0].clone()], "anchor");
    }

    proptest! {
        #[test]
        fn a_snippet_is_short_and_its_marks_are_texts(
            text in "([a-zé語🚢]{0,9} ){0,80}",
            asked in prop::collection::vec("[a-zé語]{1,3}", 0..9),
            max_chars in 4usize..90,
        ) {
            let asked: HashSet<String> = asked.into_iter().collect();
            let whole = Marked::one_line(&text, &asked);
            let found: Vec<String> =
                whole.marks.iter().map(|mark| whole.text[mark.clone()].to_owned()).collect();
            let cut = whole.cut(max_chars);
            prop_assert!(cut.text.chars().count() <= max_chars);
            for mark in cut.marks {
                prop_assert!(found.contains(&cut.text[mark].to_owned()));
            }
        }
    }
}
