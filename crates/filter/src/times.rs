//! Ages and dates: what follows a `d`.

use crate::{
    ast::{Age, AgeUnit, Atom, Comparator, Span},
    date::{Date, DateError},
    error::{ErrorKind, FilterError, quoted},
    hints::try_this,
    parser::Parser,
    words::{argument, takes_argument},
};

impl Parser<'_> {
    /// `d<7d` or `d2025-09-01`, after the `d`.
    pub(crate) fn time(&mut self) -> Result<Atom, FilterError> {
        let comparator = self.comparator('d')?;
        self.scan.skip_space();
        if !self.scan.peek().is_some_and(|c| c.is_ascii_digit()) {
            let (span, found) = (self.scan.next_span(), self.scan.found());
            let expected = "an age or a date";
            let error = FilterError::new(ErrorKind::MissingArgument, span, found, expected);
            return Err(error.hint("try `d<7d` or `d2025-09-01`"));
        }
        let (value, number) = self.scan.number();
        if matches!(self.scan.peek(), Some('-' | '/')) {
            let date = self.date(number.start)?;
            return Ok(Atom::Day(comparator.unwrap_or(Comparator::Equal), date));
        }
        self.age(comparator, value, number)
    }

    /// An age whose number has been read.
    fn age(
        &mut self,
        comparator: Option<Comparator>,
        value: u64,
        number: Span,
    ) -> Result<Atom, FilterError> {
        let digits = self.scan.slice(number);
        let symbol = match comparator {
            None | Some(Comparator::Equal) => "<",
            Some(other) => other.symbol(),
        };
        if self.scan.rest().starts_with('.') {
            self.scan.take_while(|c| c == '.' || c.is_ascii_alphanumeric());
            let span = Span::new(number.start, self.scan.at);
            return Err(bad_age(span, self.scan.slice(span), "a whole number")
                .hint("use a smaller unit: `d<36h` is a day and a half"));
        }
        let count = u32::try_from(value).map_err(|_| {
            FilterError::new(ErrorKind::BadNumber, number, quoted(digits), "an age")
                .hint(format!("the largest number is {}", u32::MAX))
        })?;
        let unit_span = self.scan.take_while(char::is_alphabetic);
        let written = self.scan.slice(unit_span);
        let Some(unit) = unit(written) else {
            let span = Span::new(number.start, unit_span.end);
            let error = bad_age(
                unit_span,
                written,
                "a unit: min, h, d, w, mo (30 days), y (365 days) or none for days",
            );
            return Err(match guess(written) {
                Some(unit) => error.hint(try_age(symbol, digits, unit)),
                None if written == "m" => {
                    error.hint("`min` is for minutes, `mo` for months of 30 days")
                }
                None => {
                    let hint = self.apart(&format!("d{symbol}{digits}"), written);
                    FilterError { position: span.start, length: span.end - span.start, ..error }
                        .hint(hint.unwrap_or_else(|| "leave a space after the age".to_owned()))
                }
            });
        };
        self.check_words_after(&format!("d{symbol}{digits}"), number, written, unit)?;
        let span = Span::new(number.start, self.scan.at);
        let Some(comparator) = comparator.filter(|c| *c != Comparator::Equal) else {
            let error = bad_age(span, self.scan.slice(span), "a comparator before an age");
            return Err(match compact_date(digits) {
                Some(date) if written.is_empty() => error.hint(format!("try `d{date}`")),
                _ => error.hint(try_age(symbol, digits, unit)),
            });
        };
        Ok(Atom::Age(comparator, Age { count, unit }))
    }

    /// A suggestion for an age that something else is written together with.
    fn apart(&self, age: &str, written: &str) -> Option<String> {
        let after = argument(self.scan.rest());
        let mut units = AgeUnit::ALL.map(AgeUnit::name);
        // `min` and `mo` before the letters that they start with.
        units.sort_by_key(|unit| std::cmp::Reverse(unit.len()));
        let with_unit = units.iter().filter_map(|unit| {
            written.strip_prefix(unit).map(|rest| format!("{age}{unit} {rest}{after}"))
        });
        self.suggest(with_unit.chain([format!("{age} {written}{after}")]))
    }

    /// Refuses a unit that stands apart from its number, and `ago`: their letters would
    /// be taken for other terms.
    fn check_words_after(
        &self,
        age: &str,
        number: Span,
        written: &str,
        unit: AgeUnit,
    ) -> Result<(), FilterError> {
        let mut ahead = self.scan.clone();
        ahead.skip_space();
        if ahead.at == self.scan.at {
            return Ok(());
        }
        let word_span = ahead.take_while(char::is_alphabetic);
        let word = ahead.slice(word_span);
        let meant = match word {
            // These are the terms of another age, and `m` beside `oN`.
            "d" if takes_argument('d', ahead.rest()) => None,
            "mo" if ahead.rest().starts_with(|c: char| c.is_ascii_digit()) => None,
            "ago" => Some(unit),
            _ if written.is_empty() => guess(word),
            _ => None,
        };
        let Some(meant) = meant else { return Ok(()) };
        let span = Span::new(number.start, word_span.end);
        let error = bad_age(span, self.scan.slice(span), "the unit right after its number");
        Err(error.hint(try_this(&format!("{age}{}", meant.name()))))
    }

    /// A date whose year has been read, from the start of the year on.
    fn date(&mut self, start: usize) -> Result<Date, FilterError> {
        self.scan.at = start;
        let span = self.scan.take_while(|c| c.is_ascii_digit() || matches!(c, '-' | '/'));
        let written = self.scan.slice(span);
        let error =
            |expected| FilterError::new(ErrorKind::BadDate, span, quoted(written), expected);
        let parts: Vec<&str> = written.splitn(4, ['-', '/']).collect();
        let &[year, month, day] = parts.as_slice() else {
            return Err(error("year-month-day").hint("try `d2025-09-01`"));
        };
        let year_number = match (year.len(), year.parse::<i32>()) {
            (4, Ok(year)) => year,
            (2, Ok(year)) => 2000 + year,
            _ => return Err(error("a year of two or four digits").hint("try `d2025-09-01`")),
        };
        let short = |part: &str| match part.len() {
            1 | 2 => part.parse::<u64>().ok(),
            _ => None,
        };
        let (Some(month), Some(day)) = (short(month), short(day)) else {
            return Err(error("a month and a day of two digits").hint("try `d2025-09-01`"));
        };
        let date = Date::new(year_number, month, day).map_err(|why| match why {
            DateError::Month => {
                error("a day of the calendar").hint(format!("there is no month {month}"))
            }
            DateError::Day { last } => error("a day of the calendar")
                .hint(format!("{year_number:04}-{month:02} has the days 1 to {last}")),
        })?;
        if written.contains('/') {
            return Err(error("dashes").hint(format!("try `d{date}`")));
        }
        Ok(date)
    }
}

fn bad_age(span: Span, found: &str, expected: &str) -> FilterError {
    FilterError::new(ErrorKind::BadAge, span, quoted(found), expected)
}

fn try_age(symbol: &str, digits: &str, unit: AgeUnit) -> String {
    try_this(&format!("d{symbol}{digits}{}", unit.name()))
}

fn unit(written: &str) -> Option<AgeUnit> {
    match written {
        "" => Some(AgeUnit::Day),
        _ => AgeUnit::ALL.into_iter().find(|unit| unit.name() == written),
    }
}

/// The unit that a longer or an upper-case word means.
fn guess(written: &str) -> Option<AgeUnit> {
    match written.to_lowercase().as_str() {
        "min" | "mins" | "minute" | "minutes" => Some(AgeUnit::Minute),
        "h" | "hr" | "hrs" | "hour" | "hours" => Some(AgeUnit::Hour),
        "d" | "day" | "days" => Some(AgeUnit::Day),
        "w" | "wk" | "wks" | "week" | "weeks" => Some(AgeUnit::Week),
        "mo" | "mon" | "mos" | "mth" | "month" | "months" => Some(AgeUnit::Month),
        "y" | "yr" | "yrs" | "year" | "years" => Some(AgeUnit::Year),
        _ => None,
    }
}

/// The date that eight digits without dashes mean.
fn compact_date(digits: &str) -> Option<Date> {
    if digits.len() != 8 {
        return None;
    }
    let year = digits.get(..4)?.parse().ok()?;
    let month = digits.get(4..6)?.parse().ok()?;
    Date::new(year, month, digits.get(6..)?.parse().ok()?).ok()
}
