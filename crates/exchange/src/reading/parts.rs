//! The content of a message that comes in parts: texts, and things that are none.
//!
//! The texts are put together while they are read. A list of millions of parts takes no more
//! memory than its texts (REL-7).

use std::fmt;

use serde::de::{
    Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde_json::value::RawValue;

/// Between two texts of one message.
const BETWEEN: &str = "\n\n";

/// What a list of parts holds. Where it is `LENIENT`, blank texts and parts that are neither a
/// text nor an object are passed by; else the first are kept and the second are errors.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parts<const LENIENT: bool> {
    /// The texts, with a blank line between two.
    pub(super) text: String,
    /// How many objects have no text.
    pub(super) things: u64,
    texts: u64,
}

impl<const LENIENT: bool> Parts<LENIENT> {
    /// Adds a text behind the others.
    pub(super) fn add(&mut self, text: String) {
        if LENIENT && text.trim().is_empty() {
            return;
        }
        if self.texts == 0 {
            self.text = text;
        } else {
            self.text.push_str(BETWEEN);
            self.text.push_str(&text);
        }
        self.texts += 1;
    }
}

impl<'de, const LENIENT: bool> Deserialize<'de> for Parts<LENIENT> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(List::<LENIENT>)
    }
}

struct List<const LENIENT: bool>;

impl<'de, const LENIENT: bool> Visitor<'de> for List<LENIENT> {
    type Value = Parts<LENIENT>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of parts")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut parts = Parts::default();
        while let Some(part) = list.next_element::<Part<LENIENT>>()? {
            match part {
                Part::Text(text) => parts.add(text),
                Part::Thing => parts.things += 1,
                Part::Other => {}
            }
        }
        Ok(parts)
    }
}

enum Part<const LENIENT: bool> {
    /// A text, or an object with one.
    Text(String),
    /// An object without a text: a picture, a sound, a file.
    Thing,
    /// Anything else.
    Other,
}

impl<'de, const LENIENT: bool> Deserialize<'de> for Part<LENIENT> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(One::<LENIENT>)
    }
}

struct One<const LENIENT: bool>;

impl<const LENIENT: bool> One<LENIENT> {
    fn other<E: Error>(self, found: Unexpected<'_>) -> Result<Part<LENIENT>, E> {
        if LENIENT { Ok(Part::Other) } else { Err(E::invalid_type(found, &self)) }
    }
}

impl<'de, const LENIENT: bool> Visitor<'de> for One<LENIENT> {
    type Value = Part<LENIENT>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, or an object with a text")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Part::Text(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut part = Part::Thing;
        while let Some(name) = map.next_key::<String>()? {
            if name != "text" {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let words = map.next_value::<&RawValue>()?;
            part = match serde_json::from_str::<Option<String>>(words.get()) {
                Ok(Some(text)) => Part::Text(text),
                Ok(None) => Part::Thing,
                Err(_) if LENIENT => Part::Other,
                Err(error) => return Err(A::Error::custom(error)),
            };
        }
        Ok(part)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let part = self.other(Unexpected::Seq)?;
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(part)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        self.other(Unexpected::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        self.other(Unexpected::Unsigned(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        self.other(Unexpected::Signed(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        self.other(Unexpected::Float(value))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        self.other(Unexpected::Unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<const LENIENT: bool>(text: &str) -> Option<(String, u64)> {
        let parts: Parts<LENIENT> = serde_json::from_str(text).ok()?;
        Some((parts.text, parts.things))
    }

    #[test]
    fn texts_are_joined_and_things_are_counted() {
        let list =
            r#"["a", {"type": "text", "text": "b"}, {"image": {"text": "no"}}, {"text": null}]"#;
        assert_eq!(read::<true>(list), Some(("a\n\nb".to_owned(), 2)));
        assert_eq!(read::<false>(list), Some(("a\n\nb".to_owned(), 2)));
        assert_eq!(read::<true>(r#"["", "a", " ", "b"]"#), Some(("a\n\nb".to_owned(), 0)));
        assert_eq!(read::<false>(r#"["", "a"]"#), Some(("\n\na".to_owned(), 0)));
        for strange in ["1", "-1", "1.5", "null", "true", "[\"a\", []]", r#"{"text": 7}"#] {
            let list = format!("[{strange}, \"a\"]");
            assert_eq!(read::<true>(&list), Some(("a".to_owned(), 0)), "{list}");
            assert_eq!(read::<false>(&list), None, "{list}");
        }
    }
}
