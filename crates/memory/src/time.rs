//! Days and times as people read and write them, in UTC.

use jiff::{
    civil::{Date, DateTime},
    tz::Offset,
};
use plimsoll_domain::Timestamp;

const DAY: i64 = 86_400_000;

/// The day of a time, as `2026-11-16`.
pub(crate) fn day(time: Timestamp) -> String {
    civil(time).date().to_string()
}

/// The minute of a time, as `2026-11-16 08:30`.
pub(crate) fn minute(time: Timestamp) -> String {
    let time = civil(time);
    format!("{} {:02}:{:02}", time.date(), time.hour(), time.minute())
}

/// A time as a calendar and a clock show it; one that no calendar has is its first or last day.
fn civil(time: Timestamp) -> DateTime {
    let limit = if time.millis() < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
    let time = jiff::Timestamp::from_millisecond(time.millis()).unwrap_or(limit);
    Offset::UTC.to_datetime(time)
}

/// Reads `2026-11-01`, `2026-11-01T08:00:00Z` (also with an offset or without seconds), or
/// an age such as `7d`, `12h`, `30m` or `2w`.
pub(crate) fn parse(text: &str, now: Timestamp) -> Option<Timestamp> {
    let text = text.trim();
    if let Some(age) = parse_age(text) {
        return now.millis().checked_sub(age).map(Timestamp::from_millis);
    }
    // Where no offset is told, it is UTC.
    let read = text.parse::<jiff::Timestamp>().ok().or_else(|| {
        let date = text.parse::<Date>().ok().filter(|_| text.len() == 10);
        let time = date.map(DateTime::from).or_else(|| text.parse().ok())?;
        Offset::UTC.to_timestamp(time).ok()
    });
    read.map(|time| Timestamp::from_millis(time.as_millisecond()))
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
        assert_eq!(at("1970-01-01T00:00:60z"), Some(59_000), "a second that is put in");
        assert_eq!(at("1970-01-01t00:00:00.0019-00:01"), Some(60_001));
        for bad in ["", "yesterday", "2026-02-30", "2026-13-01", "2026-11-01T25:00Z", "d", "é"] {
            assert_eq!(at(bad), None, "{bad}");
        }
        for clock in [
            "T08:00:00Z02:00",
            "T08:00:00+9223372036854775807:00",
            "T08:00:00+153722867280912931:00",
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

        /// Texts that come as far as the offset; whatever is read lies near its day.
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
                prop_assert!((read.millis() - day.millis()).abs() <= 3 * DAY, "{text}");
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
