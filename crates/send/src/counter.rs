//! The counter `X / Y` and the words after a trim (REC-3, REC-4).

use plimsoll_tokens::commas;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// What the counter shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counter {
    /// X: predicted pairs.
    pub predicted: usize,
    /// T: pairs that the last send dropped; 0 when idle.
    pub trimmed: usize,
    /// Y: visible pairs.
    pub visible: usize,
}

impl std::fmt::Display for Counter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { predicted, trimmed, visible } = self;
        match trimmed {
            0 => write!(f, "{predicted} / {visible}"),
            _ => write!(f, "[{predicted}-{trimmed}]/{visible}"),
        }
    }
}

impl Counter {
    /// Reads what `Display` writes.
    fn parse(text: &str) -> Option<Self> {
        let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
        let numbers: Option<Vec<usize>> = numbers.map(|number| number.parse().ok()).collect();
        match numbers?[..] {
            [predicted, visible] => Some(Self { predicted, trimmed: 0, visible }),
            [predicted, trimmed, visible] => Some(Self { predicted, trimmed, visible }),
            _ => None,
        }
    }
}

impl Serialize for Counter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Counter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom("a counter is expected"))
    }
}

/// More names than this make a notice that nobody reads.
const NAMED: usize = 10;

/// Why pairs were left out of a request that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOutBecause {
    /// The provider stated its limit.
    Stated(u64),
    /// The provider said that the request was too large, and no number.
    Refused,
    /// Nobody refused anything: they were left out beforehand, to fit into this limit.
    Fitted(u64),
}

/// REC-4: what a send that trimmed says afterwards, with the openings of the pairs that
/// were left out; none if it trimmed nothing.
pub fn trim_notice(left_out: &[&str], because: LeftOutBecause) -> Option<String> {
    let what = match left_out.len() {
        0 => return None,
        1 => "the oldest pair was left out".to_owned(),
        many => format!("{many} oldest pairs were left out"),
    };
    let why = match because {
        LeftOutBecause::Stated(limit) => {
            format!("the provider's window is {} tokens", commas(limit))
        }
        LeftOutBecause::Refused => "the provider said that the request was too large".to_owned(),
        LeftOutBecause::Fitted(limit) => {
            format!("with them it would be more than {} tokens", commas(limit))
        }
    };
    let names: Vec<String> =
        left_out.iter().take(NAMED).map(|name| format!("\"{name}\"")).collect();
    let more = match left_out.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("{what}: {why} ({}{more})", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rec_3_the_counter() {
        let counter =
            |predicted, trimmed, visible| Counter { predicted, trimmed, visible }.to_string();
        assert_eq!(counter(12, 0, 34), "12 / 34");
        assert_eq!(counter(12, 1, 34), "[12-1]/34");
        assert_eq!(counter(0, 0, 0), "0 / 0");
    }

    #[test]
    fn rec_4_a_trim_is_told_in_words() {
        assert_eq!(trim_notice(&[], LeftOutBecause::Stated(8192)), None);
        assert_eq!(
            trim_notice(&["Hello", "What is a hull?"], LeftOutBecause::Stated(8192)).unwrap(),
            "2 oldest pairs were left out: the provider's window is 8,192 tokens \
             (\"Hello\", \"What is a hull?\")"
        );
        let refused = LeftOutBecause::Refused;
        assert!(trim_notice(&["x"], refused).unwrap().starts_with("the oldest pair was left out"));
        assert!(trim_notice(&["x"; 13], refused).unwrap().ends_with("\"x\" and 3 more)"));
        let fitted = trim_notice(&["x"], LeftOutBecause::Fitted(1024)).unwrap();
        assert!(!fitted.contains("provider"), "nobody refused anything: {fitted}");
    }
}
