//! The atoms of FLT-3, except those about time.

use plimsoll_domain::ColorFlag;

use crate::{
    ast::{Atom, Comparator, Span},
    error::{ErrorKind, FilterError, quoted},
    hints::{meant, try_this},
    parser::Parser,
    pattern::{MAX_PATTERN, Pattern},
    scan::{Quoted, Scanner, is_quote},
    topics::TopicPattern,
    words::{A_TERM, takes_argument, word_length},
};

impl Parser<'_> {
    /// The atom that starts here.
    pub(crate) fn atom(&mut self) -> Result<Atom, FilterError> {
        match self.scan.peek() {
            Some(c) if c.is_alphabetic() => {
                self.check_word()?;
                self.scan.bump();
                self.lettered(c)
            }
            Some('@') => {
                self.scan.bump();
                saved_name(&mut self.scan).map(Atom::Saved)
            }
            Some(c) if is_quote(c) => Err(self.text_alone()),
            Some(c) if c.is_ascii_digit() => {
                let (_, span) = self.scan.number();
                let number = self.scan.slice(span);
                let error =
                    FilterError::new(ErrorKind::UnexpectedCharacter, span, quoted(number), A_TERM);
                let as_text = quoted(&format!("c'{number}'"));
                Err(match self.suggest([format!("r{number}")]) {
                    Some(hint) => error
                        .hint(format!("{hint} for the newest pairs, or {as_text} for the text")),
                    None => error.hint(format!("try {as_text}")),
                })
            }
            _ => Err(self.unexpected()),
        }
    }

    /// What follows a letter that has been read.
    fn lettered(&mut self, letter: char) -> Result<Atom, FilterError> {
        let argument = takes_argument(letter, self.scan.rest());
        match letter {
            't' if argument => self.topic(),
            't' => Ok(Atom::SelectedTopic { descendants: false }),
            'm' if argument => Ok(Atom::Model(self.pattern('m')?)),
            'm' => Ok(Atom::SelectedModel),
            'c' => Ok(Atom::Text(self.pattern('c')?)),
            's' => {
                let comparator = self.comparator('s')?.unwrap_or(Comparator::Equal);
                self.star(comparator).map(|star| Atom::Star(comparator, star))
            }
            'k' => {
                let comparator = self.comparator('k')?;
                let start = format!("k{}", comparator.map_or("", Comparator::symbol));
                let count = self.count(&start, "a number of tokens", "k>500")?;
                Ok(Atom::Tokens(comparator.unwrap_or(Comparator::Equal), count))
            }
            'r' => self.count("r", "a number of pairs", "r10").map(Atom::Newest),
            'o' if argument => self.count("o", "a number", "o5").map(Atom::Included),
            'o' => Ok(Atom::Included(0)),
            'd' => self.time(),
            'b' => Ok(Atom::Flag(ColorFlag::Blue)),
            'g' => Ok(Atom::Flag(ColorFlag::Grey)),
            'e' => Ok(Atom::Failed),
            'x' => Ok(Atom::LeftOut),
            'p' => Ok(Atom::Pinned),
            'y' => Ok(Atom::Summary),
            'i' => Ok(Atom::Image),
            'a' => Ok(Atom::Attachment),
            // The word check lets no other letter through.
            _ => Err(FilterError::new(
                ErrorKind::UnknownLetter,
                self.scan.next_span(),
                self.scan.found(),
                A_TERM,
            )),
        }
    }

    /// `t...`, `tN` or `t'Name'`, with what follows the letter.
    fn topic(&mut self) -> Result<Atom, FilterError> {
        self.scan.skip_space();
        match self.scan.peek() {
            Some(c) if c.is_ascii_digit() => {
                self.count("t", "a number of pairs", "t10").map(Atom::SelectedTopicNewest)
            }
            Some(c) if is_quote(c) => {
                let text = self.scan.quoted()?;
                check_length(&text)?;
                let mut topic = TopicPattern::from_quoted(&text, self.scan.slice(text.span))?;
                topic.descendants |= self.dots()?;
                Ok(Atom::Topic(topic))
            }
            _ => self.dots().map(|descendants| Atom::SelectedTopic { descendants }),
        }
    }

    /// Whether `...` follows. Fewer or more dots are a mistake.
    fn dots(&mut self) -> Result<bool, FilterError> {
        let mut ahead = self.scan.clone();
        ahead.skip_space();
        let span = ahead.take_while(|c| matches!(c, '.' | '…'));
        match ahead.slice(span) {
            "" => Ok(false),
            "..." => {
                self.scan = ahead;
                Ok(true)
            }
            other => {
                let found = quoted(other);
                let error =
                    FilterError::new(ErrorKind::UnexpectedCharacter, span, found, "three dots");
                Err(error.hint("write `...`"))
            }
        }
    }

    /// A text in quotes after `m` or `c`.
    fn pattern(&mut self, letter: char) -> Result<Pattern, FilterError> {
        let mut ahead = self.scan.clone();
        ahead.skip_space();
        if ahead.peek().is_some_and(is_quote) {
            self.scan = ahead;
            let text = self.scan.quoted()?;
            check_length(&text)?;
            return Ok(Pattern::from_glyphs(&text.glyphs));
        }
        let word = &ahead.rest()[..word_length(ahead.rest())];
        let (span, found, example) = if word.is_empty() {
            (ahead.next_span(), ahead.found(), "text")
        } else {
            (Span::new(ahead.at, ahead.at + word.len()), quoted(word), word)
        };
        let error = FilterError::new(ErrorKind::MissingArgument, span, found, "a text in quotes");
        let meant = meant(letter, ahead.rest());
        let hint = self.suggest(meant).unwrap_or_else(|| try_this(&format!("{letter}'{example}'")));
        Err(error.hint(hint))
    }

    /// A text that no letter stands before.
    fn text_alone(&mut self) -> FilterError {
        match self.scan.quoted() {
            Err(error) => error,
            Ok(text) => {
                let written = self.scan.slice(text.span);
                let found = quoted(written);
                let expected = "a letter before the text";
                FilterError::new(ErrorKind::UnexpectedCharacter, text.span, found, expected)
                    .hint(try_this(&format!("c{written}")))
            }
        }
    }
}

/// The name of a saved filter.
pub(crate) fn saved_name(scan: &mut Scanner<'_>) -> Result<String, FilterError> {
    let span = scan.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if span.start == span.end {
        let (span, found) = (scan.next_span(), scan.found());
        let expected = "the name of a saved filter";
        let error = FilterError::new(ErrorKind::MissingArgument, span, found, expected);
        return Err(error.hint("names are made of A–Z, a–z, 0–9, `_` and `-`"));
    }
    Ok(scan.slice(span).to_owned())
}

fn check_length(text: &Quoted) -> Result<(), FilterError> {
    let length = text.glyphs.len();
    if length <= MAX_PATTERN {
        return Ok(());
    }
    let found = format!("{length} characters");
    let expected = format!("at most {MAX_PATTERN}");
    let error = FilterError::new(ErrorKind::TooLong, text.span, found, expected);
    Err(error.hint("look for a shorter part of the text"))
}
