//! One line of a history file.

use std::borrow::Cow;

use jiff::Timestamp as Instant;
use plimsoll_domain::{ColorFlag, Lifecycle, PairKind, PairUse, Star};
use serde::Deserialize;

use super::field::Field;

/// A pair as a line states it, borrowed from the line where that is possible.
#[derive(Debug)]
pub struct PairLine<'a> {
    /// Any non-empty string.
    pub id: Cow<'a, str>,
    /// The user's words.
    pub user_text: Cow<'a, str>,
    /// The answer, if there is one.
    pub assistant_text: Option<Cow<'a, str>>,
    /// When it was written, as precisely as it was stated.
    pub created_at: Instant,
    /// A label.
    pub star: Star,
    /// A label.
    pub color_flag: ColorFlag,
    /// Whether it goes along with later messages; `auto` when it is not stated.
    pub pair_use: PairUse,
    pub kind: PairKind,
    /// The model; empty when it is not stated.
    pub model: Cow<'a, str>,
    /// The topic as a path.
    pub topic: Option<Cow<'a, str>>,
    /// Where it stands; `complete` when it is not stated.
    pub lifecycle: Lifecycle,
}

/// What is wrong with a line, in words that follow "line 7: ".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError(pub String);

/// The fields as JSON has them, each of any type, so that one of the wrong type can be
/// named. Null equals absent, and other fields are passed over.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw<'a> {
    #[serde(borrow, default)]
    id: Field<'a>,
    #[serde(borrow, default)]
    user_text: Field<'a>,
    #[serde(borrow, default)]
    assistant_text: Field<'a>,
    #[serde(borrow, default)]
    created_at: Field<'a>,
    #[serde(borrow, default)]
    star: Field<'a>,
    #[serde(borrow, default)]
    color_flag: Field<'a>,
    #[serde(borrow, default, rename = "use")]
    pair_use: Field<'a>,
    #[serde(borrow, default)]
    kind: Field<'a>,
    #[serde(borrow, default)]
    model: Field<'a>,
    #[serde(borrow, default)]
    topic: Field<'a>,
    #[serde(borrow, default)]
    lifecycle_state: Field<'a>,
}

impl<'a> PairLine<'a> {
    pub fn parse(line: &'a str) -> Result<Self, LineError> {
        // A list would be read as the fields in their order.
        if !line.trim_start().starts_with('{') {
            return Err(LineError("not a JSON object".to_owned()));
        }
        let raw: Raw<'a> = serde_json::from_str(line).map_err(|error| json_error(&error))?;
        let id = raw.id.text("id")?.ok_or_else(|| missing("id"))?;
        if id.is_empty() {
            return Err(LineError("id is empty".to_owned()));
        }
        let created_at = raw.created_at.text("createdAt")?.ok_or_else(|| missing("createdAt"))?;
        let created_at: Instant = created_at.parse().map_err(|_| {
            let shown = shorten(&created_at);
            LineError(format!(
                "createdAt '{shown}' is not a time such as 2026-11-15T09:30:00Z (RFC 3339)"
            ))
        })?;
        let star = Star::new(raw.star.number("star")?.unwrap_or(0))
            .map_err(|error| LineError(format!("star: {error}")))?;
        let color_flag = match raw.color_flag.text("colorFlag")? {
            None => ColorFlag::default(),
            Some(name) => ColorFlag::parse(&name).ok_or_else(|| {
                LineError(format!("colorFlag '{}' is not blue or grey", shorten(&name)))
            })?,
        };
        let pair_use = match raw.pair_use.text("use")? {
            None => PairUse::default(),
            Some(name) => PairUse::parse(&name).ok_or_else(|| {
                LineError(format!("use '{}' is not auto, out or pinned", shorten(&name)))
            })?,
        };
        let kind = match raw.kind.text("kind")? {
            None => PairKind::default(),
            Some(name) => PairKind::parse(&name).ok_or_else(|| {
                LineError(format!("kind '{}' is not chat or summary", shorten(&name)))
            })?,
        };
        let lifecycle = match raw.lifecycle_state.text("lifecycleState")? {
            None => Lifecycle::Complete,
            Some(name) => Lifecycle::parse(&name).ok_or_else(|| {
                let known: Vec<&str> = Lifecycle::ALL.iter().map(|state| state.name()).collect();
                let known = known.join(", ");
                LineError(format!("lifecycleState '{}' is not one of {known}", shorten(&name)))
            })?,
        };
        Ok(Self {
            id,
            user_text: raw.user_text.text("userText")?.ok_or_else(|| missing("userText"))?,
            assistant_text: raw.assistant_text.text("assistantText")?,
            created_at,
            star,
            color_flag,
            pair_use,
            kind,
            model: raw.model.text("model")?.unwrap_or_default(),
            topic: raw.topic.text("topic")?,
            lifecycle,
        })
    }
}

fn missing(field: &str) -> LineError {
    LineError(format!("{field} is missing"))
}

/// What the JSON reader says, without the line number that is always 1 here.
fn json_error(error: &serde_json::Error) -> LineError {
    let text = error.to_string();
    let said = text.split(" at line ").next().unwrap_or(&text);
    LineError(format!("not a JSON object: {said} (column {})", error.column()))
}

/// Values in messages are kept short.
fn shorten(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(line: &str, expected: &str) {
        let error = PairLine::parse(line).unwrap_err().0;
        assert!(error.contains(expected), "{line}: {error}");
    }

    #[test]
    fn three_fields_are_enough() {
        let line = r#"{"id":"a","userText":"hi","createdAt":"2026-11-15T09:30:00+01:00"}"#;
        let pair = PairLine::parse(line).unwrap();
        assert_eq!((pair.lifecycle, pair.star.count()), (Lifecycle::Complete, 0));
        assert_eq!(pair.color_flag, ColorFlag::Grey);
        assert_eq!(pair.created_at.as_millisecond(), 1_794_731_400_000);
    }

    #[test]
    fn null_equals_absent_and_other_fields_are_passed_over() {
        let line = r#"{"id":"a","userText":"","createdAt":"2026-11-15T09:30:00Z","star":null,
            "assistantText":null,"topic":null,"model":null,"colorFlag":null,
            "lifecycleState":null,"x":{"y":[1]}}"#;
        let pair = PairLine::parse(line).unwrap();
        assert!(pair.assistant_text.is_none() && pair.topic.is_none() && pair.model.is_empty());
    }

    #[test]
    fn bad_lines_say_what_is_wrong() {
        refused("{", "not a JSON object");
        refused("[]", "not a JSON object");
        refused("7", "not a JSON object");
        refused(r#"{"userText":"","createdAt":"2026-11-15T09:30:00Z"}"#, "id is missing");
        refused(r#"{"id":"","userText":"","createdAt":"2026-11-15T09:30:00Z"}"#, "id is empty");
        refused(r#"{"id":"a","createdAt":"2026-11-15T09:30:00Z"}"#, "userText is missing");
        refused(r#"{"id":"a","userText":""}"#, "createdAt is missing");
        refused(r#"{"id":"a","userText":"","createdAt":"yesterday"}"#, "'yesterday' is not a time");
        let with = |field: &str| {
            format!(r#"{{"id":"a","userText":"","createdAt":"2026-11-15T09:30:00Z",{field}}}"#)
        };
        refused(&with(r#""star":4"#), "stars go from 0 to 3");
        refused(&with(r#""star":-1"#), "star must be a whole number");
        refused(&with(r#""star":"3""#), "star must be a whole number");
        refused(&with(r#""colorFlag":"red""#), "'red' is not blue or grey");
        refused(&with(r#""lifecycleState":"done""#), "'done' is not one of idle, sending");
        refused(&with(r#""model":5"#), "model must be a string");
        refused(&with(r#""topic":["/A"]"#), "topic must be a string");
        refused(r#"{"id":7}"#, "id must be a string");
        refused(&with(r#""model":"a","model":"b""#), "duplicate field");
    }
}
