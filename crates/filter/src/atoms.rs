//! The atoms of FLT-3, except those about time.

use plimsoll_domain::{ColorFlag, Star};

use crate::{
    ast::{Atom, Comparator, Span},
    error::{ErrorKind, FilterError, quoted},
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
                // Looking back further than to the last atom would take quadratic time.
                self.bare = None;
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
                Err(error.hint(format!(
                    "try {} for the newest pairs, or {} for the text",
                    quoted(&format!("r{number}")),
                    quoted(&format!("c'{number}'"))
                )))
            }
            other => {
                let span = self.scan.next_span();
                let found = self.scan.found();
                let error = FilterError::new(ErrorKind::UnexpectedCharacter, span, found, A_TERM);
                Err(match other {
                    Some('‘' | '’' | '“' | '”' | '„' | '`') => {
                        error.hint("use straight quotes: ' or \"")
                    }
                    Some('<' | '>' | '=' | '≤' | '≥') => {
                        error.hint("a comparator follows s, d or k: try `s>=2`")
                    }
                    Some('.') => error.hint("`...` follows `t` or a quoted topic: try `t...`"),
                    _ => error.hint("put text in quotes: try `c'text'`"),
                })
            }
        }
    }

    /// What follows a letter that has been read.
    fn lettered(&mut self, letter: char) -> Result<Atom, FilterError> {
        let argument = takes_argument(letter, self.scan.rest());
        match letter {
            't' if argument => self.topic(),
            't' => {
                self.bare = Some(('t', self.scan.at));
                Ok(Atom::SelectedTopic { descendants: false })
            }
            'm' if argument => Ok(Atom::Model(self.pattern('m')?)),
            'm' => {
                self.bare = Some(('m', self.scan.at));
                Ok(Atom::SelectedModel)
            }
            'c' => Ok(Atom::Text(self.pattern('c')?)),
            's' => {
                let comparator = self.comparator('s')?.unwrap_or(Comparator::Equal);
                self.star().map(|star| Atom::Star(comparator, star))
            }
            'k' => {
                let comparator = self.comparator('k')?.unwrap_or(Comparator::Equal);
                let count = count(&mut self.scan, "a number of tokens", "k>500")?;
                Ok(Atom::Tokens(comparator, count))
            }
            'r' => count(&mut self.scan, "a number of pairs", "r10").map(Atom::Newest),
            'o' if argument => count(&mut self.scan, "a number", "o5").map(Atom::Included),
            'o' => Ok(Atom::Included(0)),
            'd' => self.time(),
            'b' => Ok(Atom::Flag(ColorFlag::Blue)),
            'g' => Ok(Atom::Flag(ColorFlag::Grey)),
            'e' => Ok(Atom::Failed),
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
                count(&mut self.scan, "a number of pairs", "t10").map(Atom::SelectedTopicNewest)
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
                Err(error.hint("try `...`"))
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
        Err(error.hint(format!("try {}", quoted(&format!("{letter}'{example}'")))))
    }

    fn star(&mut self) -> Result<Star, FilterError> {
        let range = format!("stars go from 0 to {}", Star::MAX);
        self.scan.skip_space();
        if !self.scan.peek().is_some_and(|c| c.is_ascii_digit()) {
            let (span, found) = (self.scan.next_span(), self.scan.found());
            let expected = "a number of stars";
            let error = FilterError::new(ErrorKind::MissingArgument, span, found, expected);
            return Err(error.hint(format!("{range}: try `s>=2`")));
        }
        let (value, span) = self.scan.number();
        Star::new(value).map_err(|_| {
            let found = quoted(self.scan.slice(span));
            FilterError::new(ErrorKind::BadNumber, span, found, "a number of stars").hint(range)
        })
    }

    /// The comparator that stands here, if any.
    pub(crate) fn comparator(&mut self, letter: char) -> Result<Option<Comparator>, FilterError> {
        self.scan.skip_space();
        let start = self.scan.at;
        if self.scan.rest().starts_with("!=") {
            self.scan.bump();
        }
        self.scan.take_while(|c| matches!(c, '<' | '>' | '=' | '≤' | '≥'));
        let span = Span::new(start, self.scan.at);
        let written = self.scan.slice(span);
        if written.is_empty() {
            return Ok(None);
        }
        if let Some(known) = Comparator::ALL.into_iter().find(|c| c.symbol() == written) {
            return Ok(Some(known));
        }
        let expected = "one of `=` `>` `<` `>=` `<=`";
        let error = FilterError::new(ErrorKind::BadComparator, span, quoted(written), expected);
        Err(match written {
            "==" => error.hint("try `=`"),
            "=>" | "≥" => error.hint("try `>=`"),
            "=<" | "≤" => error.hint("try `<=`"),
            "!=" | "<>" | "><" => error.hint(format!("for other than, try `!{letter}=…`")),
            _ => error.hint("write one comparator"),
        })
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
                    .hint(format!("try {}", quoted(&format!("c{written}"))))
            }
        }
    }
}

/// A number that fits the counts of the language.
pub(crate) fn count(
    scan: &mut Scanner<'_>,
    expected: &str,
    example: &str,
) -> Result<u32, FilterError> {
    scan.skip_space();
    if !scan.peek().is_some_and(|c| c.is_ascii_digit()) {
        let (span, found) = (scan.next_span(), scan.found());
        let error = FilterError::new(ErrorKind::MissingArgument, span, found, expected);
        return Err(error.hint(format!("try `{example}`")));
    }
    let (value, span) = scan.number();
    u32::try_from(value).map_err(|_| {
        let found = quoted(scan.slice(span));
        FilterError::new(ErrorKind::BadNumber, span, found, expected)
            .hint(format!("the largest number is {}", u32::MAX))
    })
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
