//! Bodies that are JSON as a whole, read by `serde_json`.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// Each string, number and word of a JSON text with the key that it stands under, in the
/// order of the text; none if the text is anything else, or nested beyond reason.
pub(crate) fn scalars(text: &str) -> Option<Vec<(String, Value)>> {
    let mut found = Vec::new();
    let mut json = serde_json::Deserializer::from_str(text);
    Collect("", &mut found).deserialize(&mut json).ok()?;
    json.end().ok()?;
    Some(found)
}

/// Collects under a key. A [`Value`] of the whole would sort the keys of its objects, and of
/// several messages the first is the one to show.
struct Collect<'a>(&'a str, &'a mut Vec<(String, Value)>);

impl<'de> DeserializeSeed<'de> for Collect<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

macro_rules! visit_scalars {
    ($($visit:ident($($value:ident: $type:ty)?),)*) => {
        $(fn $visit<E>(self $(, $value: $type)?) -> Result<(), E> {
            self.1.push((self.0.to_owned(), Value::from(($($value)?))));
            Ok(())
        })*
    };
}

impl<'de> Visitor<'de> for Collect<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    visit_scalars! {
        visit_unit(), visit_bool(value: bool), visit_u64(value: u64), visit_i64(value: i64),
        visit_f64(value: f64), visit_str(value: &str),
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Collect(self.0, self.1))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(key) = entries.next_key::<String>()? {
            entries.next_value_seed(Collect(&key, self.1))?;
        }
        Ok(())
    }
}
