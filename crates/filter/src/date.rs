//! A day of the calendar. Which instants it covers is for the [`Scope`](crate::Scope)
//! to say, since that depends on the time zone.

use std::fmt;

/// A day that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// The year, 0 to 9999.
    pub year: i32,
    /// The month, 1 to 12.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
}

/// What is wrong with three numbers that are no date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateError {
    Month,
    Day { last: u8 },
}

impl Date {
    pub(crate) fn new(year: i32, month: u64, day: u64) -> Result<Self, DateError> {
        let month = u8::try_from(month).map_err(|_| DateError::Month)?;
        let last = days_in_month(year, month).ok_or(DateError::Month)?;
        match u8::try_from(day) {
            Ok(day) if (1..=last).contains(&day) => Ok(Self { year, month, day }),
            _ => Err(DateError::Day { last }),
        }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

fn days_in_month(year: i32, month: u8) -> Option<u8> {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        4 | 6 | 9 | 11 => Some(30),
        2 if is_leap(year) => Some(29),
        2 => Some(28),
        _ => None,
    }
}

fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_days_of_the_calendar_are_dates() {
        let check = |year, month, day, expected: Result<&str, DateError>| {
            let made = Date::new(year, month, day).map(|date| date.to_string());
            assert_eq!(made, expected.map(str::to_owned), "{year}-{month}-{day}");
        };
        check(2025, 9, 1, Ok("2025-09-01"));
        check(2024, 2, 29, Ok("2024-02-29"));
        check(2000, 2, 29, Ok("2000-02-29"));
        check(1900, 2, 29, Err(DateError::Day { last: 28 }));
        check(2025, 2, 29, Err(DateError::Day { last: 28 }));
        check(2025, 9, 31, Err(DateError::Day { last: 30 }));
        check(2025, 9, 0, Err(DateError::Day { last: 30 }));
        check(2025, 0, 1, Err(DateError::Month));
        check(2025, 13, 1, Err(DateError::Month));
        check(2025, u64::MAX, u64::MAX, Err(DateError::Month));
    }
}
