//! JSON as a text with places: what a value is and where it stands, without writing it anew.

use std::{borrow::Cow, fmt, ops::Range};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// Up to here every whole number has a float of its own.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// A value in its text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<'a>(&'a RawValue);

/// The members of an object, in order.
#[derive(Debug, Default)]
pub(crate) struct Members<'a>(Vec<(Cow<'a, str>, Json<'a>)>);

impl<'a> Json<'a> {
    /// The one value that a text holds.
    pub(crate) fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text).map(Self)
    }

    /// Its own text, without blanks around it.
    pub(crate) fn text(self) -> &'a str {
        self.0.get()
    }

    /// Where it stands in the text that it was read from.
    pub(crate) fn place(self, whole: &str) -> Range<usize> {
        let from = (self.text().as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
        from..from + self.text().len()
    }

    pub(crate) fn is_null(self) -> bool {
        self.text() == "null"
    }

    pub(crate) fn is_string(self) -> bool {
        self.text().starts_with('"')
    }

    /// The string that it is. One that cannot be told, such as half of a surrogate pair, is what
    /// is written there.
    pub(crate) fn string(self) -> Option<Cow<'a, str>> {
        let inner = self.text().strip_prefix('"')?.strip_suffix('"')?;
        if !inner.contains('\\') {
            return Some(Cow::Borrowed(inner));
        }
        Some(serde_json::from_str(self.text()).map_or(Cow::Borrowed(inner), Cow::Owned))
    }

    pub(crate) fn bool(self) -> Option<bool> {
        serde_json::from_str(self.text()).ok()
    }

    pub(crate) fn count(self) -> Option<u64> {
        let whole = serde_json::from_str(self.text()).ok();
        // 1e3 and 1000.0 are whole numbers too.
        let other = || serde_json::from_str::<f64>(self.text()).ok();
        let is_whole = |number: &f64| number.fract() == 0.0 && (0.0..=MOST_EXACT).contains(number);
        whole.or_else(|| other().filter(is_whole).map(|number| number as u64))
    }

    /// The value as a number or whatever else is wanted.
    pub(crate) fn read<T: serde::de::DeserializeOwned>(self) -> Option<T> {
        serde_json::from_str(self.text()).ok()
    }

    pub(crate) fn members(self) -> Option<Members<'a>> {
        self.text().starts_with('{').then(|| serde_json::from_str(self.text()).ok())?
    }

    pub(crate) fn elements(self) -> Option<Vec<Self>> {
        let elements = self.text().starts_with('[').then(|| serde_json::from_str(self.text()))?;
        elements.ok().map(|all: Vec<&'a RawValue>| all.into_iter().map(Self).collect())
    }
}

impl<'a> Members<'a> {
    /// The member of this name; of several the last, as nearly all who read JSON have it.
    pub(crate) fn get(&self, name: &str) -> Option<Json<'a>> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    /// All of them, as they stand there.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Json<'a>)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), *value))
    }

    /// The same, unless it is null.
    pub(crate) fn given(&self, name: &str) -> Option<Json<'a>> {
        self.get(name).filter(|value| !value.is_null())
    }

    /// The string of this name.
    pub(crate) fn string(&self, name: &str) -> Option<Cow<'a, str>> {
        self.get(name)?.string()
    }

    /// A name that stands there twice.
    pub(crate) fn twice(&self) -> Option<&str> {
        let mut names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_ref()).collect();
        names.sort_unstable();
        names.windows(2).find(|two| two[0] == two[1]).map(|two| two[0])
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Each;

        impl<'de> Visitor<'de> for Each {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut members = Members::default();
                while let Some((Name(name), value)) = map.next_entry::<Name<'de>, &RawValue>()? {
                    members.0.push((name, Json(value)));
                }
                Ok(members)
            }
        }

        from.deserialize_map(Each)
    }
}

/// A name that is borrowed from the text where it stands there as it is.
struct Name<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Text;

        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }

        from.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_with_their_places() {
        let text = r#" { "a" : [1, {"b":"c\nd"}], "e\u0066" : null, "a": 2.50 } "#;
        let members = Json::parse(text).unwrap().members().unwrap();
        assert_eq!(members.get("a").unwrap().text(), "2.50");
        assert_eq!(members.twice(), Some("a"));
        assert!(members.get("ef").unwrap().is_null() && members.given("ef").is_none());
        let Members(all) = members;
        let list = all[0].1;
        assert_eq!(&text[list.place(text)], r#"[1, {"b":"c\nd"}]"#);
        let inner = list.elements().unwrap()[1].members().unwrap();
        assert_eq!(inner.string("b").unwrap(), "c\nd");
    }

    #[test]
    fn what_is_no_value_is_nothing() {
        assert!(Json::parse("{\"a\":}").is_err() && Json::parse("1 2").is_err());
        let odd = Json::parse(r#""\ud800 alone""#).unwrap();
        assert_eq!(odd.string().unwrap(), r"\ud800 alone");
        assert!(odd.members().is_none() && odd.elements().is_none() && odd.count().is_none());
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(Json::parse(&deep).unwrap().elements().unwrap().len(), 1);
    }
}
