//! Times as files write them.

use jiff::Timestamp as Instant;
use plimsoll_domain::Timestamp;
use serde::{Deserialize, Deserializer, Serializer, de};

/// Reads RFC 3339, such as `2026-11-15T10:00:00.5Z`.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    let instant: Instant = text.trim().parse().ok()?;
    Some(Timestamp::from_millis(instant.as_millisecond()))
}

/// Reads seconds since 1970, with a fraction. What is no time of a conversation is none.
pub(crate) fn from_seconds(seconds: f64) -> Option<Timestamp> {
    // Year 9999 in seconds; beyond it is a mistake, and so is a time before 1970.
    let plausible = seconds > 0.0 && seconds < 253_402_300_800.0;
    plausible.then(|| Timestamp::from_millis((seconds * 1000.0).round() as i64))
}

/// A time for people: `2026-11-15 10:00`, in UTC.
pub(crate) fn for_people(time: Timestamp) -> String {
    match Instant::from_millisecond(time.millis()) {
        Ok(instant) => instant.strftime("%Y-%m-%d %H:%M UTC").to_string(),
        Err(_) => format!("{} ms", time.millis()),
    }
}

/// In our own export: RFC 3339 to the millisecond. A time that no calendar has is its
/// number of milliseconds, so that nothing is lost.
pub(crate) mod own {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(millis: &i64, to: S) -> Result<S::Ok, S::Error> {
        match Instant::from_millisecond(*millis) {
            Ok(instant) => to.collect_str(&format_args!("{instant:.3}")),
            Err(_) => to.serialize_i64(*millis),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Text(String),
            Millis(i64),
        }
        match Written::deserialize(from)
            .map_err(|_| de::Error::custom("this is not a date and time"))?
        {
            Written::Millis(millis) => Ok(millis),
            Written::Text(text) => parse(&text).map(Timestamp::millis).ok_or_else(|| {
                let start: String = text.chars().take(40).collect();
                de::Error::custom(format!("'{start}' is no time such as 2026-11-15T10:00:00Z"))
            }),
        }
    }
}

/// The same for a time that may be absent.
pub(crate) mod own_option {
    use super::*;

    #[derive(serde::Serialize, Deserialize)]
    struct One(#[serde(with = "own")] i64);

    pub(crate) fn serialize<S: Serializer>(millis: &Option<i64>, to: S) -> Result<S::Ok, S::Error> {
        serde::Serialize::serialize(&millis.map(One), to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
        Ok(Option::<One>::deserialize(from)?.map(|one| one.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_other_people_are_read_or_left() {
        let millis = |text| parse(text).map(Timestamp::millis);
        assert_eq!(millis("1970-01-01T00:00:01.5Z"), Some(1_500));
        assert_eq!(millis("2024-05-01T12:00:00.123456+00:00"), Some(1_714_564_800_123));
        assert_eq!(millis("yesterday"), None);
        assert_eq!(from_seconds(1.5).map(Timestamp::millis), Some(1_500));
        for odd in [f64::NAN, f64::INFINITY, -1.0, 1e300, 0.0] {
            assert_eq!(from_seconds(odd), None, "{odd}");
        }
    }
}
