//! How long a provider asks to wait.

use std::time::Duration;

use crate::phrases::{WAIT_LEADS, entries};

/// The wait that the headers ask for. A date is not read: there is no clock here.
pub(crate) fn from_headers(headers: &[(String, String)]) -> Option<Duration> {
    let header = |name: &str| {
        let found = headers.iter().find(|(key, _)| key.trim().eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim())
    };
    let milliseconds = header("retry-after-ms").and_then(|value| amount(value, 0.001));
    milliseconds.or_else(|| header("retry-after").and_then(|value| amount(value, 1.0)))
}

/// Whether a header asks to wait, readable or not.
pub(crate) fn has_header(headers: &[(String, String)]) -> bool {
    headers.iter().any(|(key, _)| {
        let key = key.trim();
        key.eq_ignore_ascii_case("retry-after") || key.eq_ignore_ascii_case("retry-after-ms")
    })
}

/// The wait that a lower-case text asks for: `try again in 9m38.016s`.
pub(crate) fn from_text(text: &str) -> Option<Duration> {
    entries(WAIT_LEADS).find_map(|lead| {
        let at = text.find(lead)?;
        let rest = text[at + lead.len()..].trim_start_matches([' ', ':', '=', '"', '\'', '~']);
        span(rest)
    })
}

/// Reads amounts with units until something else comes.
fn span(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut seconds = 0.0;
    let mut found = false;
    for _ in 0..4 {
        let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
        let Ok(number) = rest[..digits].trim_end_matches('.').parse::<f64>() else { break };
        let after = rest[digits..].trim_start();
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let Some(unit) = unit(&after[..letters]) else { break };
        seconds += number * unit;
        found = true;
        rest = after[letters..].trim_start_matches([' ', ',']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    found.then(|| duration(seconds)).flatten()
}

fn unit(name: &str) -> Option<f64> {
    Some(match name {
        "ms" | "millisecond" | "milliseconds" => 0.001,
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3_600.0,
        "d" | "day" | "days" => 86_400.0,
        _ => return None,
    })
}

fn amount(value: &str, unit: f64) -> Option<Duration> {
    let plain = value.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let number = value.parse::<f64>().ok().filter(|_| plain)?;
    duration(number * unit)
}

/// A wait of more than a year is a mistake, not a wait.
fn duration(seconds: f64) -> Option<Duration> {
    let year = 366.0 * 86_400.0;
    (0.0..year).contains(&seconds).then(|| Duration::try_from_secs_f64(seconds).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fau_6_the_header_is_read_in_seconds() {
        let check = |key: &str, value: &str, milliseconds: Option<u64>| {
            let headers = [(key.to_owned(), value.to_owned())];
            assert_eq!(
                from_headers(&headers),
                milliseconds.map(Duration::from_millis),
                "{key} {value}"
            );
        };
        check("Retry-After", "20", Some(20_000));
        check("retry-after", " 1.5 ", Some(1_500));
        check("Retry-After-Ms", "250", Some(250));
        check("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT", None);
        check("retry-after", "-5", None);
        check("retry-after", "1e9", None);
        check("retry-after", "99999999999999999999999", None);
        check("x-ratelimit-reset-tokens", "6m0s", None);
    }

    #[test]
    fn fau_6_the_text_is_read_with_its_units() {
        let check = |text: &str, milliseconds: Option<u64>| {
            assert_eq!(from_text(text), milliseconds.map(Duration::from_millis), "{text}");
        };
        check("please try again in 4.77s. need more?", Some(4_770));
        check("try again in 9m38.016s", Some(578_016));
        check("try again in 6ms", Some(6));
        check("please retry after 86400 seconds.", Some(86_400_000));
        check("please retry in 39.5s", Some(39_500));
        check("please try again after 1 seconds", Some(1_000));
        check("try again in 1 hour and 2 minutes", Some(3_720_000));
        check("please wait before trying again", None);
        check("decrease input length and try again", None);
        check("try again in a few minutes", None);
        check("retry after 5 apples", None);
    }
}
