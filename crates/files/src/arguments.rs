//! Reading what a model wrote as arguments. Models send numbers as strings, and leave out,
//! misspell and invent; each mistake is answered with what would be right.

use plimsoll_budget::parse_max_tokens;
use serde_json::{Map, Value};

use crate::words::{quoted, shortened};

/// A mistake of the caller, in words that say what to do instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake(pub(crate) String);

/// The arguments of one call.
pub(crate) struct Arguments<'a>(&'a Map<String, Value>);

impl<'a> Arguments<'a> {
    pub(crate) fn new(arguments: &'a Map<String, Value>) -> Self {
        Self(arguments)
    }

    /// A text; what is empty counts as left out.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&'a str>, Mistake> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(name, "a string", other)),
        }
    }

    /// A text that must be there.
    pub(crate) fn needed(&self, name: &str) -> Result<&'a str, Mistake> {
        self.text(name)?.ok_or_else(|| Mistake(format!("{name} is missing.")))
    }

    /// A whole number above 0, also in a string.
    pub(crate) fn count(&self, name: &str) -> Result<Option<u64>, Mistake> {
        let number = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
            Some(Value::String(text)) => text.trim().parse().ok(),
            // Some models write every number with a point.
            Some(Value::Number(number)) => number.as_u64().or_else(|| {
                number
                    .as_f64()
                    .filter(|n| n.fract() == 0.0 && (0.0..9e15).contains(n))
                    .map(|n| n as u64)
            }),
            Some(_) => None,
        };
        match number {
            Some(number) if number > 0 => Ok(Some(number)),
            _ => Err(wrong(name, "a whole number above 0", &self.0[name])),
        }
    }

    /// Texts in an array, or one alone.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<&'a str>, Mistake> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::String(one)) if one.trim().is_empty() => Ok(Vec::new()),
            Some(Value::String(one)) => Ok(vec![one]),
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| item.as_str().ok_or_else(|| wrong(name, "an array of strings", item)))
                .collect(),
            Some(other) => Err(wrong(name, "an array of strings", other)),
        }
    }

    /// The budget that the model asks for (MBG-5).
    pub(crate) fn max_tokens(&self) -> Result<Option<u64>, Mistake> {
        let text = match self.0.get("max_tokens") {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => shortened(text, 40),
            Some(other) => shortened(&other.to_string(), 40),
        };
        parse_max_tokens(&text).map(Some).map_err(|invalid| Mistake(format!("{invalid}.")))
    }
}

fn wrong(name: &str, right: &str, value: &Value) -> Mistake {
    let value = match value {
        Value::String(text) => quoted(&shortened(text, 40)),
        other => shortened(&other.to_string(), 40),
    };
    Mistake(format!("{name} must be {right}, not {value}."))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn with<T>(value: &Value, read: impl FnOnce(Arguments<'_>) -> T) -> T {
        read(Arguments::new(value.as_object().unwrap()))
    }

    #[test]
    fn numbers_come_in_many_shapes() {
        let value =
            json!({ "a": 5, "b": "6", "c": 7.0, "d": 0, "e": -1, "f": 1.5, "g": [], "h": null });
        with(&value, |arguments| {
            assert_eq!(arguments.count("a"), Ok(Some(5)));
            assert_eq!(arguments.count("b"), Ok(Some(6)));
            assert_eq!(arguments.count("c"), Ok(Some(7)));
            assert_eq!(arguments.count("h"), Ok(None));
            assert_eq!(arguments.count("none"), Ok(None));
            for bad in ["d", "e", "f", "g"] {
                let Mistake(words) = arguments.count(bad).unwrap_err();
                assert!(words.starts_with(&format!("{bad} must be a whole number")), "{words}");
            }
        });
    }

    #[test]
    fn mbg_5_budgets_are_checked() {
        for (value, right) in [
            (json!(500), true),
            (json!("500"), true),
            (json!(0), false),
            (json!(-3), false),
            (json!(1.5), false),
            (json!("many"), false),
            (json!(true), false),
        ] {
            let found = with(&json!({ "max_tokens": value }), |arguments| arguments.max_tokens());
            assert_eq!(found.is_ok(), right, "{value}");
        }
    }

    #[test]
    fn texts_may_stand_alone() {
        with(&json!({ "a": "x", "b": ["x", "y"], "c": [1] }), |arguments| {
            assert_eq!(arguments.texts("a"), Ok(vec!["x"]));
            assert_eq!(arguments.texts("b"), Ok(vec!["x", "y"]));
            assert!(arguments.texts("c").is_err());
            assert_eq!(arguments.needed("d"), Err(Mistake("d is missing.".to_owned())));
        });
    }
}
