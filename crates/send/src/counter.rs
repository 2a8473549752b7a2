//! The counter `X / Y` and the words after a trim (REC-3, REC-4).

use plimsoll_tokens::commas;

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

/// REC-4: what a send that trimmed says afterwards; none if it trimmed nothing.
pub fn trim_notice(trimmed: usize, limit: Option<u64>) -> Option<String> {
    let what = match trimmed {
        0 => return None,
        1 => "1 oldest pair was left out".to_owned(),
        many => format!("{many} oldest pairs were left out"),
    };
    Some(match limit {
        Some(limit) => format!("{what}: the provider's window is {} tokens", commas(limit)),
        None => format!("{what}: the provider said that the request was too large"),
    })
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
        assert_eq!(trim_notice(0, Some(8192)), None);
        assert_eq!(
            trim_notice(2, Some(8192)).unwrap(),
            "2 oldest pairs were left out: the provider's window is 8,192 tokens"
        );
        assert!(trim_notice(1, None).unwrap().starts_with("1 oldest pair was left out"));
    }
}
