//! Numbers and comparators, and numbers that are written in other ways.

use plimsoll_domain::Star;

use crate::{
    ast::{Comparator, Span},
    error::{ErrorKind, FilterError, quoted},
    parser::Parser,
    words::takes_argument,
};

impl Parser<'_> {
    /// A number that fits the counts of the language. `start` is what stands before it,
    /// for a suggestion.
    pub(crate) fn count(
        &mut self,
        start: &str,
        expected: &str,
        example: &str,
    ) -> Result<u32, FilterError> {
        self.scan.skip_space();
        if !self.scan.peek().is_some_and(|c| c.is_ascii_digit()) {
            let (span, found) = (self.scan.next_span(), self.scan.found());
            let error = FilterError::new(ErrorKind::MissingArgument, span, found, expected);
            // `r=5` and `r-5` are meant for `r5`.
            let rest = self.scan.rest();
            let rest = rest.trim_start_matches([' ', '=', '<', '>', '-', '#']);
            let digits = &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())];
            let meant = (!digits.is_empty()).then(|| format!("{start}{digits}"));
            return Err(match meant.and_then(|meant| self.suggest([meant])) {
                Some(hint) => error.hint(hint),
                None => error.hint(format!("try `{example}`")),
            });
        }
        let (value, span) = self.scan.number();
        self.whole(start, span)?;
        u32::try_from(value).map_err(|_| {
            let found = quoted(self.scan.slice(span));
            FilterError::new(ErrorKind::BadNumber, span, found, expected)
                .hint(format!("the largest number is {}", u32::MAX))
        })
    }

    /// Refuses a number that goes on after its digits: `5.5`, `1,000` and `10k`, which
    /// would otherwise be read as one number and something else.
    fn whole(&mut self, start: &str, digits: Span) -> Result<(), FilterError> {
        let mut ahead = self.scan.clone();
        let more = loop {
            let rest = ahead.rest();
            let group = rest.get(1..).unwrap_or_default();
            let length = group.bytes().take_while(u8::is_ascii_digit).count();
            match rest.chars().next() {
                Some('.') if length > 0 => {}
                Some(',' | '_') if length == 3 => {}
                _ => break ahead.at > self.scan.at,
            }
            ahead.at += 1 + length;
        };
        let number = ahead.slice(Span::new(digits.start, ahead.at));
        let after = ahead.rest().strip_prefix(['k', 'K']);
        let thousands = after.is_some_and(|after| {
            !takes_argument('k', after) && !after.starts_with(char::is_alphanumeric)
        });
        if !more && !thousands {
            return Ok(());
        }
        let plain: String = number.chars().filter(|c| !matches!(c, ',' | '_')).collect();
        let meant = match (thousands, plain.split_once('.')) {
            (false, None) => Some(plain),
            (false, Some((whole, _))) => Some(whole.to_owned()),
            (true, None) => Some(plain + "000"),
            // Three places at most make thousands a whole number.
            (true, Some((whole, part))) => (part.len() <= 3).then(|| format!("{whole}{part:0<3}")),
        };
        let end = ahead.at + usize::from(thousands);
        let span = Span::new(digits.start, end);
        let found = quoted(self.scan.slice(span));
        let error = FilterError::new(ErrorKind::BadNumber, span, found, "a whole number");
        let meant = meant.map(|meant| format!("{start}{meant}"));
        Err(match meant.and_then(|meant| self.suggest([meant])) {
            Some(hint) => error.hint(hint),
            None => error.hint("write a whole number, in digits alone"),
        })
    }

    pub(crate) fn star(&mut self, comparator: Comparator) -> Result<Star, FilterError> {
        let range = format!("stars go from 0 to {}", Star::MAX);
        self.scan.skip_space();
        if !self.scan.peek().is_some_and(|c| c.is_ascii_digit()) {
            let (span, found) = (self.scan.next_span(), self.scan.found());
            let expected = "a number of stars";
            let error = FilterError::new(ErrorKind::MissingArgument, span, found, expected);
            return Err(error.hint(format!("{range}: try `s>=2`")));
        }
        let (value, span) = self.scan.number();
        let symbol = if comparator == Comparator::Equal { "" } else { comparator.symbol() };
        self.whole(&format!("s{symbol}"), span)?;
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
        self.scan.take_while(is_comparator);
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
            "==" => error.hint("write `=`"),
            "=>" | "≥" => error.hint("write `>=`"),
            "=<" | "≤" => error.hint("write `<=`"),
            "!=" | "<>" | "><" => error.hint(format!("for other than, write `!{letter}=…`")),
            _ => error.hint("write one comparator"),
        })
    }
}

/// Whether comparators, and what is taken for one, are made of this.
pub(crate) fn is_comparator(c: char) -> bool {
    matches!(c, '<' | '>' | '=' | '≤' | '≥')
}
