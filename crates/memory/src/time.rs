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
    let mut parts = date.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let days = days_of(year, month, day)?;
    let of_day = if rest.is_empty() { 0 } else { parse_clock(rest)? };
    Some(Timestamp::from_millis(days * DAY + of_day))
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
    let mut parts = clock.split(':');
    let hour: i64 = parts.next()?.parse().ok()?;
    let minute: i64 = parts.next()?.parse().ok()?;
    let second: f64 = parts.next().map_or(Some(0.0), |part| part.parse().ok())?;
    let sound = (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0.0..61.0).contains(&second)
        && parts.next().is_none();
    let offset = match zone {
        "" | "Z" | "z" => 0,
        _ => {
            let (hours, minutes) = zone[1..].split_once(':')?;
            let minutes = hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?;
            if zone.starts_with('-') { -minutes } else { minutes }
        }
    };
    let millis = (second * 1000.0) as i64;
    sound.then_some((hour * 60 + minute - offset) * 60_000 + millis)
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
        let at = |text| parse(text, NOW).map(Timestamp::millis);
        assert_eq!(at("1970-01-02"), Some(DAY));
        assert_eq!(at("1970-01-01T00:01:00Z"), Some(60_000));
        assert_eq!(at("1970-01-01T02:00:00.25+02:00"), Some(250));
        assert_eq!(at("1970-01-01 00:01"), Some(60_000));
        assert_eq!(at("7d"), Some(NOW.millis() - 7 * DAY));
        for bad in ["", "yesterday", "2026-02-30", "2026-13-01", "2026-11-01T25:00Z", "d", "é"] {
            assert_eq!(at(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn a_day_is_read_as_it_is_told(days in 0i64..2_000_000) {
            let time = Timestamp::from_millis(days * DAY);
            prop_assert_eq!(parse(&day(time), NOW), Some(time));
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,30}") {
            let _ = parse(&text, NOW);
        }
    }
}
