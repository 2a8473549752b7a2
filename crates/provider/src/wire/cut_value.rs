//! A tree of JSON whose strings are cut. Of one very long text a few megabytes are kept, so the
//! rest of it is not copied into the tree first (REL-7).

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::MAX_TEXT;

/// A value whose strings end a little after [`MAX_TEXT`], so that who reads them sees that they
/// are too long.
pub(super) struct CutValue(pub(super) Value);

impl<'de> Deserialize<'de> for CutValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CutVisitor).map(CutValue)
    }
}

struct CutVisitor;

impl<'de> Visitor<'de> for CutVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        let end = text.ceil_char_boundary((MAX_TEXT + 1).min(text.len()));
        Ok(Value::String(text[..end].to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(CutValue(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((name, CutValue(value))) = entries.next_entry::<String, CutValue>()? {
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rel_7_a_tree_is_that_of_serde_but_for_long_texts() {
        let text = r#"{"a":[1,-2,0.5,1e300,true,null,"é\n"],"b":{"c":18446744073709551615}}"#;
        let CutValue(cut) = serde_json::from_str(text).unwrap();
        assert_eq!(cut, serde_json::from_str::<Value>(text).unwrap());
        let long = format!("[\"{}\\n\"]", "é".repeat(MAX_TEXT));
        let CutValue(cut) = serde_json::from_str(&long).unwrap();
        let kept = cut[0].as_str().unwrap().len();
        assert!(kept > MAX_TEXT && kept <= MAX_TEXT + 4, "{kept}");
    }
}
