//! Numbers and times as people read them.

use jiff::{Timestamp as Instant, Zoned, tz::TimeZone};
use plimsoll_domain::Timestamp;

/// A time of this day by the clock, any other with its day.
pub(crate) fn when(at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let (Some(at), Some(now)) = (zoned(at, zone), zoned(now, zone)) else { return String::new() };
    let format = if at.date() == now.date() {
        "%H:%M"
    } else if at.year() == now.year() {
        "%-d %b, %H:%M"
    } else {
        "%-d %b %Y, %H:%M"
    };
    at.strftime(format).to_string()
}

/// A time for programs, RFC 3339.
pub(crate) fn rfc3339(at: Timestamp) -> String {
    Instant::from_millisecond(at.millis()).map(|at| at.to_string()).unwrap_or_default()
}

/// A day as `Mon 3 Nov`.
pub(crate) fn day(at: Timestamp, zone: &TimeZone) -> String {
    zoned(at, zone).map(|at| at.strftime("%a %-d %b").to_string()).unwrap_or_default()
}

/// Minutes east of Greenwich at a time.
pub(crate) fn offset_minutes(at: Timestamp, zone: &TimeZone) -> i32 {
    zoned(at, zone).map_or(0, |at| at.offset().seconds() / 60)
}

fn zoned(at: Timestamp, zone: &TimeZone) -> Option<Zoned> {
    Some(Instant::from_millisecond(at.millis()).ok()?.to_zoned(zone.clone()))
}

/// A number of tokens in little room: one decimal below 10K, none above.
pub(crate) fn thousands(tokens: u64) -> String {
    match tokens {
        0..=999 => tokens.to_string(),
        1000..=9949 => {
            let tenths = (tokens + 50) / 100;
            match tenths % 10 {
                0 => format!("{}K", tenths / 10),
                digit => format!("{}.{digit}K", tenths / 10),
            }
        }
        _ => format!("{}K", (tokens + 500) / 1000),
    }
}

/// A deviation with its sign, as `+1.2 %`, never broken into two lines. What rounds to
/// nothing has no sign.
pub(crate) fn percent(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0;
    match tenths == 0.0 {
        true => "0.0\u{a0}%".to_owned(),
        false => format!("{tenths:+.1}\u{a0}%").replace('-', "−"),
    }
}

/// A text as an address or a header may hold it: letters, digits, `-`, `_` and `.` stay, every
/// other byte goes by its number (RFC 3986, RFC 5987).
pub(crate) fn percent_encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let one = |byte: u8| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(one).collect()
}

/// A snippet as HTML, with what was found in it marked.
pub(crate) fn marked(snippet: &str, marks: &[std::ops::Range<usize>]) -> String {
    let mut at = 0;
    let markup = maud::html! {
        @for mark in marks {
            (snippet.get(at..mark.start).unwrap_or_default())
            mark { (snippet.get(mark.clone()).unwrap_or_default()) }
            @let () = at = mark.end;
        }
        (snippet.get(at..).unwrap_or_default())
    };
    markup.into_string()
}

/// The same for what was written in Markdown: its signs are left out.
pub(crate) fn marked_plain(snippet: &str, marks: &[std::ops::Range<usize>]) -> String {
    let mut plain = String::with_capacity(snippet.len());
    let mut moved = Vec::with_capacity(marks.len());
    let mut at = 0;
    for mark in marks {
        plain += &without_signs(snippet.get(at..mark.start).unwrap_or_default());
        let start = plain.len();
        plain += snippet.get(mark.clone()).unwrap_or_default();
        moved.push(start..plain.len());
        at = mark.end;
    }
    plain += &without_signs(snippet.get(at..).unwrap_or_default());
    marked(&plain, &moved)
}

/// A part of a Markdown text without emphasis, code ticks and the hashes of headings.
fn without_signs(text: &str) -> String {
    let text = text.replace("**", "").replace("~~", "").replace('`', "");
    let line = |line: &str| {
        let rest = line.trim_start_matches('#');
        if rest.starts_with(' ') && rest.len() < line.len() {
            rest.to_owned()
        } else {
            line.to_owned()
        }
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_20_hits_are_shown_without_the_signs_of_markdown() {
        let text = "## The **load** line\nof a `ship`";
        let marks = [text.find("load").map(|at| at..at + 4).unwrap()];
        assert_eq!(marked_plain(text, &marks), " The <mark>load</mark> line\nof a ship");
        assert_eq!(marked_plain("a_b * c # 1", &[]), "a_b * c # 1");
    }

    #[test]
    fn tokens_in_little_room() {
        for (tokens, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1K"),
            (1949, "1.9K"),
            (1950, "2K"),
            (9949, "9.9K"),
            (9950, "10K"),
            (41_499, "41K"),
            (1_200_000, "1200K"),
        ] {
            assert_eq!(thousands(tokens), text, "{tokens}");
        }
    }

    #[test]
    fn deviations() {
        for (value, text) in
            [(1.25, "+1.3 %"), (-12.5, "−12.5 %"), (0.04, "0.0 %"), (-0.04, "0.0 %")]
        {
            assert_eq!(percent(value), text.replace(' ', "\u{a0}"), "{value}");
        }
    }

    #[test]
    fn times_say_their_day_only_when_it_is_another() {
        let zone = TimeZone::UTC;
        let at = |millis| Timestamp::from_millis(millis);
        let now = at(1_763_200_000_000);
        assert_eq!(when(at(1_763_190_000_000), now, &zone), "07:00");
        assert_eq!(when(at(1_762_000_000_000), now, &zone), "1 Nov, 12:26");
        assert_eq!(when(at(1_600_000_000_000), now, &zone), "13 Sep 2020, 12:26");
        assert_eq!(rfc3339(at(1_600_000_000_000)), "2020-09-13T12:26:40Z");
    }
}
