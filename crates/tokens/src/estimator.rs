//! Which formula is in use, and what it says.

use crate::{DEFAULT_CHARS_PER_TOKEN, PairTable, Tokenizer, bytes4, heuristic};

/// What a person can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Method {
    /// Exact where the tokenizer is known, else fast.
    #[default]
    Auto,
    /// Byte-pair probabilities (EST-4).
    Fast,
    /// Characters by a ratio (EST-1).
    Heuristic,
    /// Bytes by four (EST-2).
    Bytes4,
    /// The real tokenizer (EST-3).
    Exact,
}

impl Method {
    /// All methods, in the order in which help names them.
    pub const ALL: [Self; 5] = [Self::Auto, Self::Fast, Self::Heuristic, Self::Bytes4, Self::Exact];

    /// The name used in settings and flags.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Fast => "fast",
            Self::Heuristic => "heuristic",
            Self::Bytes4 => "bytes4",
            Self::Exact => "exact",
        }
    }

    /// The method with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }
}

/// A formula with its parameters, ready to weigh texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Estimator {
    /// EST-1.
    Heuristic {
        /// Characters to a token.
        chars_per_token: f64,
    },
    /// EST-2.
    Bytes4,
    /// EST-3.
    Exact(Tokenizer),
    /// EST-4.
    Fast,
}

impl Estimator {
    /// The formula for a method and a model's tokenizer, if it has a known one.
    /// None when `exact` is asked for and there is none.
    pub fn resolve(
        method: Method,
        tokenizer: Option<Tokenizer>,
        chars_per_token: Option<f64>,
    ) -> Option<Self> {
        let chars_per_token = chars_per_token.unwrap_or(DEFAULT_CHARS_PER_TOKEN);
        Some(match method {
            Method::Auto => tokenizer.map_or(Self::Fast, Self::Exact),
            Method::Exact => Self::Exact(tokenizer?),
            Method::Fast => Self::Fast,
            Method::Heuristic => Self::Heuristic { chars_per_token },
            Method::Bytes4 => Self::Bytes4,
        })
    }

    /// The raw estimate of a text, before any calibration.
    pub fn count(&self, text: &str) -> u64 {
        match self {
            Self::Heuristic { chars_per_token } => heuristic(text, *chars_per_token),
            Self::Bytes4 => bytes4(text),
            Self::Exact(tokenizer) => tokenizer.count(text),
            Self::Fast => PairTable::shipped().count(text),
        }
    }

    pub fn method(&self) -> Method {
        match self {
            Self::Heuristic { .. } => Method::Heuristic,
            Self::Bytes4 => Method::Bytes4,
            Self::Exact(_) => Method::Exact,
            Self::Fast => Method::Fast,
        }
    }

    /// Whether its numbers are true, not estimated; shown as "exact" or "~".
    pub fn is_exact(&self) -> bool {
        matches!(self, Self::Exact(_))
    }

    /// The version stamp under which estimates are stored (EST-7). Estimates with
    /// another stamp are stale.
    pub fn stamp(&self) -> String {
        match self {
            Self::Heuristic { chars_per_token } => format!("heuristic:{chars_per_token}"),
            Self::Bytes4 => "bytes4".to_owned(),
            Self::Exact(tokenizer) => format!("exact:{}", tokenizer.name()),
            Self::Fast => "fast:2".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_is_exact_where_the_tokenizer_is_known() {
        let known = Estimator::resolve(Method::Auto, Some(Tokenizer::O200k), None);
        assert_eq!(known, Some(Estimator::Exact(Tokenizer::O200k)));
        assert_eq!(Estimator::resolve(Method::Auto, None, None), Some(Estimator::Fast));
        assert_eq!(Estimator::resolve(Method::Exact, None, None), None);
    }

    #[test]
    fn a_models_ratio_wins_over_the_default() {
        let own = Estimator::resolve(Method::Heuristic, None, Some(2.0)).unwrap();
        let default = Estimator::resolve(Method::Heuristic, None, None).unwrap();
        assert_eq!((own.count("abcdefgh"), default.count("abcdefgh")), (4, 3));
        assert_ne!(own.stamp(), default.stamp(), "EST-7: another ratio is another stamp");
    }

    #[test]
    fn every_method_weighs_nothing_as_nothing() {
        for method in Method::ALL {
            let estimator = Estimator::resolve(method, Some(Tokenizer::Cl100k), None).unwrap();
            assert_eq!(estimator.count(""), 0, "{}", method.name());
            assert_eq!(estimator.count("a"), 1, "{}", method.name());
            assert_eq!(Method::parse(method.name()), Some(method));
        }
    }
}
