//! Days and times as people read and write them, in UTC.

use plimsoll_domain::Timestamp;

const DAY: i64 = 86_400_000;

/// The day of a time, as `2026-11-16`.
pub(crate) fn day(time: Timestamp) -> String {
    let (year, month, day) = civil(time.millis().div_euclid(DAY));
    format!("{year:04}-{month:02}-{day:02}")
}

/// The minute of a time, as `2026-11-16 08:30`.
pub(crate) fn minute(time: Timestamp) -> String {
    let minutes = time.millis().rem_euclid(DAY) / 60_000;
    format!("{} {:02}:{:02}", day(time), minutes / 60, minutes % 60)
}

/// Reads `2026-11-01`, `2026-11-01T08:00:00Z` (also with an offset or without seconds), or
/// an age such as `7d`, `12h`, `30m` or `2w`.
pub(crate) fn parse(text: &str, now: Timestamp) -> Option<Timestamp> {
    let text = text.trim();
    if let Some(age) = parse_age(text) {
        return now.millis().checked_sub(age).map(Timestamp::from_millis);
    }
    let (date, rest) = text.split_at_checked(10)?;
    let mut parts = date.split('-');
    let year = digits(parts.next()?, 4)?;
    let (month, day) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    if parts.next().is_some() {
        return None;
    }
    let days = days_of(year, month, day)?;
    let of_day = if rest.is_empty() { 0 } else { parse_clock(rest)? };
    Some(Timestamp::from_millis(days * DAY + of_day))
}

/// The same for a time to come, where an age is counted from now on.
pub(crate) fn parse_ahead(text: &str, now: Timestamp) -> Option<Timestamp> {
    match parse_age(text.trim()) {
        Some(age) => now.millis().checked_add(age).map(Timestamp::from_millis),
        None => parse(text, now),
    }
}

fn parse_age(text: &str) -> Option<i64> {
    let unit = match text.chars().next_back()? {
        'm' => 60_000,
        'h' => 3_600_000,
        'd' => DAY,
        'w' => 7 * DAY,
        _ => return None,
    };
    let count: u32 = text[..text.len() - 1].trim().parse().ok()?;
    i64::from(count).checked_mul(unit)
}

/// `T08:00`, `T08:00:00.5Z`, `T08:00:00+02:00`, as milliseconds of the day in UTC.
fn parse_clock(text: &str) -> Option<i64> {
    let text = text.strip_prefix(['T', 't', ' '])?;
    let end = text.find(['Z', 'z', '+', '-']).unwrap_or(text.len());
    let (clock, zone) = text.split_at(end);
    let (clock, millis) = match clock.split_once('.') {
        Some((clock, fraction)) => (clock, parse_fraction(fraction)?),
        None => (clock, 0),
    };
    let mut parts = clock.split(':');
    let minutes = minutes_of(parts.next()?, parts.next()?)?;
    let seconds = match parts.next() {
        Some(seconds) => digits(seconds, 2).filter(|seconds| *seconds <= 60)?,
        // A fraction is one of a second.
        None if millis > 0 => return None,
        None => 0,
    };
    let sound = parts.next().is_none();
    let offset = match zone.split_at_checked(1) {
        None | Some(("Z" | "z", "")) => 0,
        Some((sign @ ("+" | "-"), offset)) => {
            let (hours, minutes) = offset.split_once(':')?;
            let offset = minutes_of(hours, minutes)?;
            if sign == "-" { -offset } else { offset }
        }
        Some(_) => return None,
    };
    sound.then_some((minutes - offset) * 60_000 + seconds * 1000 + millis)
}

/// Hours and minutes of a clock, in minutes.
fn minutes_of(hours: &str, minutes: &str) -> Option<i64> {
    let hours = digits(hours, 2).filter(|hours| *hours < 24)?;
    let minutes = digits(minutes, 2).filter(|minutes| *minutes < 60)?;
    Some(hours * 60 + minutes)
}

/// What stands behind the point of a second, in milliseconds.
fn parse_fraction(text: &str) -> Option<i64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    format!("{text:0<3}")[..3].parse().ok()
}

/// A number of so many digits and nothing else, not even a sign.
fn digits(text: &str, count: usize) -> Option<i64> {
    let plain = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok())?
}

/// The civil date of a day since 1970. Years are counted from March, so that the day that
/// some have comes last.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

fn days_of(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let from_march = if month > 2 { year } else { year - 1 };
    let era = from_march.div_euclid(400);
    let of_era = from_march.rem_euclid(400);
    let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    // The 31st of a shorter month is no day.
    (civil(days) == (year, month, day)).then_some(days)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_794_787_200_000);

    #[test]
    fn times_are_read() {
        let at = |text: &str| parse(text, NOW).map(Timestamp::millis);
        assert_eq!(at("1970-01-02"), Some(DAY));
        assert_eq!(at("1970-01-01T00:01:00Z"), Some(60_000));
        assert_eq!(at("1970-01-01T02:00:00.25+02:00"), Some(250));
        assert_eq!(at("1970-01-01 00:01"), Some(60_000));
        assert_eq!(at("7d"), Some(NOW.millis() - 7 * DAY));
        assert_eq!(at("1970-01-01T00:00:60z"), Some(60_000), "a second that is put in");
        assert_eq!(at("1970-01-01t00:00:00.0019-00:01"), Some(60_001));
        for bad in ["", "yesterday", "2026-02-30", "2026-13-01", "2026-11-01T25:00Z", "d", "é"] {
            assert_eq!(at(bad), None, "{bad}");
        }
        for clock in [
            "T08:00:00Z02:00",
            "T08:00:00+9223372036854775807:00",
            "T08:00:00+153722867280912931:00",
            "T08:00:00-24:00",
            "T08:00:00+02:60",
            "T08:00:00+-2:00",
            "T08:00:00+é",
            "T08:00:00+0200:00",
            "T08:00:1e1",
            "T08:00:inf",
            "T08:00:00.",
            "T08:00.5",
            "T+8:00",
            "T08:00:00:00",
        ] {
            assert_eq!(at(&format!("2026-11-01{clock}")), None, "{clock}");
        }
        assert_eq!(at("2026-+1-01"), None);
        assert_eq!(at("206-11-01-"), None);
    }

    proptest! {
        #[test]
        fn a_day_is_read_as_it_is_told(days in 0i64..2_000_000) {
            let time = Timestamp::from_millis(days * DAY);
            prop_assert_eq!(parse(&day(time), NOW), Some(time));
        }

        /// Texts that come as far as the offset; whatever is read lies within a day of its day.
        #[test]
        fn any_text_is_read_or_refused(
            text in prop_oneof![
                ".{0,30}",
                "[0-9]{1,12}[mhdw]",
                "[0-9]{4}-[0-1][0-9]-[0-3][0-9][T ][0-9]{1,3}:[0-9]{1,3}(:[0-9.]{1,20})?",
                "2026-11-0[1-9]T[0-2][0-9]:[0-5][0-9](:[0-5][0-9])?[Zz+-][0-9+-]{0,22}:[0-9]{0,22}",
                "2026-11-0[1-9]T08:00:00[Z+-].{0,9}",
            ],
        ) {
            let read = parse(&text, NOW);
            if let (Some(read), Some(day)) = (read, text.get(..10).and_then(|day| parse(day, NOW))) {
                prop_assert!((read.millis() - day.millis()).abs() <= 2 * DAY, "{text}");
            }
        }

        /// An offset is taken away: the same moment however it is written.
        #[test]
        fn an_offset_is_taken_away(
            minute in 0i64..2_000_000 * 1440,
            second in 0i64..60,
            milli in 0i64..1000,
            offset in -1439i64..1440,
        ) {
            let time = minute * 60_000 + second * 1000 + milli;
            let local = minute + offset;
            let date = day(Timestamp::from_millis(local * 60_000));
            let (sign, away) = (if offset < 0 { '-' } else { '+' }, offset.abs());
            let text = format!(
                "{date}T{:02}:{:02}:{second:02}.{milli:03}{sign}{:02}:{:02}",
                local.rem_euclid(1440) / 60,
                local.rem_euclid(60),
                away / 60,
                away % 60,
            );
            prop_assert_eq!(parse(&text, NOW), Some(Timestamp::from_millis(time)), "{}", text);
        }
    }
}
