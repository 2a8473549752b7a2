//! A piece of a text around what was found in it.

use std::ops::Range;

/// What FTS5 puts around a hit. Neither is a character that people type; one that stands
/// in a text all the same is taken for a mark, which costs nothing.
pub(super) const OPEN: char = '\u{1}';
pub(super) const CLOSE: char = '\u{2}';

/// A text with ranges of it that were found, in order, apart from each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marked {
    pub(super) text: String,
    pub(super) marks: Vec<Range<usize>>,
}

/// Takes the marks out of a text and says where they stood.
pub(super) fn unmark(marked: &str) -> (String, Vec<Range<usize>>) {
    let mut text = String::with_capacity(marked.len());
    let mut marks = Vec::new();
    let mut opened = None;
    for c in marked.chars() {
        match c {
            OPEN => opened = Some(text.len()),
            CLOSE => {
                if let Some(start) = opened.take()
                    && start < text.len()
                {
                    marks.push(start..text.len());
                }
            }
            _ => text.push(c),
        }
    }
    (text, marks)
}

impl Marked {
    /// A marked text of FTS5, on one line.
    pub(super) fn one_line(marked: &str) -> Self {
        let mut line = String::with_capacity(marked.len());
        for word in marked.split_whitespace() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        let (text, marks) = unmark(&line);
        Self { text, marks }
    }

    /// Marks more; what overlaps becomes one.
    pub(super) fn mark(&mut self, more: impl IntoIterator<Item = Range<usize>>) {
        self.marks.extend(more);
        self.marks.sort_by_key(|mark| mark.start);
        let mut apart: Vec<Range<usize>> = Vec::with_capacity(self.marks.len());
        for mark in self.marks.drain(..) {
            match apart.last_mut() {
                Some(last) if mark.start < last.end => last.end = last.end.max(mark.end),
                _ => apart.push(mark),
            }
        }
        self.marks = apart;
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

    #[test]
    fn marks_become_ranges_whatever_the_text_holds() {
        let (text, marks) = unmark("a \u{1}ship\u{2} of \u{1}é\u{2}");
        assert_eq!(text, "a ship of é");
        assert_eq!(marks, [2..6, 10..12]);
        assert_eq!(unmark("\u{2}\u{1}\u{1}x"), ("x".to_owned(), Vec::new()));
    }

    #[test]
    fn a_snippet_stands_around_its_marks() {
        let text = format!("{}\u{1}anchor\u{2} {}", "many words ".repeat(40), "more ".repeat(40));
        let cut = Marked::one_line(&text).cut(60);
        assert!(cut.text.starts_with('…') && cut.text.ends_with('…'), "{}", cut.text);
        assert!(cut.text.chars().count() <= 60);
        assert_eq!(&cut.text[cut.marks[0].clone()], "anchor");
    }

    proptest! {
        #[test]
        fn a_snippet_is_short_and_its_marks_are_texts(
            words in prop::collection::vec(("[a-zé語🚢]{0,9}", any::<bool>()), 0..80),
            max_chars in 4usize..90,
        ) {
            let text: Vec<String> = words
                .iter()
                .map(|(word, found)| if *found { format!("\u{1}{word}\u{2}") } else { word.clone() })
                .collect();
            let whole = Marked::one_line(&text.join(" "));
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
