//! What tokens cost (UI-18, REC-2): the one place where prices meet numbers of tokens.

use plimsoll_domain::Usage;

/// Prices in US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// What the prompt costs.
    pub input: f64,
    /// What the part of the prompt that was cached costs, if it differs.
    pub cached_input: Option<f64>,
    /// What the answer costs.
    pub output: f64,
}

const MILLION: f64 = 1e6;

impl Price {
    /// What a prompt costs of which so many tokens are cached.
    pub fn prompt(&self, tokens: u64, cached: u64) -> f64 {
        let cached = cached.min(tokens);
        let fresh = (tokens - cached) as f64 * self.input;
        (fresh + cached as f64 * self.cached_input.unwrap_or(self.input)) / MILLION
    }

    /// What a send cost that used this.
    pub fn cost(&self, usage: Usage) -> f64 {
        let answer = usage.completion as f64 * self.output / MILLION;
        self.prompt(usage.prompt, usage.cached) + answer
    }

    /// Whether it costs nothing, which is not the same as that nobody knows.
    pub fn is_free(&self) -> bool {
        self.input == 0.0 && self.output == 0.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PRICE: Price = Price { input: 2.5, cached_input: Some(1.25), output: 10.0 };

    #[test]
    fn ui_18_cached_tokens_are_charged_at_their_price() {
        assert_eq!(PRICE.prompt(1_000_000, 0), 2.5);
        assert_eq!(PRICE.prompt(1_000_000, 400_000), 2.0);
        let usage = Usage { prompt: 1_000_000, cached: 400_000, completion: 50_000, reasoning: 9 };
        assert_eq!(PRICE.cost(usage), 2.5);
        // Who reports more cached tokens than there were is not believed.
        assert_eq!(PRICE.prompt(100, 900), PRICE.prompt(100, 100));
        assert!(!PRICE.is_free());
        assert!(Price { input: 0.0, cached_input: None, output: 0.0 }.is_free());
    }

    proptest! {
        #[test]
        fn ui_18_no_cache_is_the_most_that_a_prompt_costs(
            tokens in 0u64..10_000_000,
            cached in 0u64..10_000_000,
            more in 0u64..1_000_000,
            input in 0.0f64..100.0,
            share in proptest::option::of(0.0f64..=1.0),
        ) {
            let price = Price { input, cached_input: share.map(|share| share * input), output: 1.0 };
            let most = price.prompt(tokens, 0);
            prop_assert!(price.prompt(tokens, cached) <= most * (1.0 + 1e-12));
            prop_assert!(price.prompt(tokens, cached) >= 0.0);
            prop_assert!(price.prompt(tokens + more, 0) >= most);
            let usage = Usage { prompt: tokens, cached, completion: more, reasoning: 0 };
            let answer = price.cost(usage) - price.prompt(tokens, cached);
            prop_assert!((answer - more as f64 / 1e6).abs() < 1e-6);
        }
    }
}
