//! What a send will cost, as far as that is known before it (UI-18).

use crate::Plan;

/// What the prompt of a send costs, in US dollars. The answer is not counted: nobody knows how
/// long it will be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SendCost {
    /// Without any cache, at the high end of what the estimate may be.
    pub most: f64,
    /// If the beginning that the last send had as well is still cached; none where nothing is
    /// known of that.
    pub cached: Option<f64>,
}

impl SendCost {
    /// What several sends cost together, such as one message to several models; none where the
    /// price of one is not known.
    pub fn sum(costs: impl IntoIterator<Item = Option<Self>>) -> Option<Self> {
        costs.into_iter().try_fold(Self { most: 0.0, cached: Some(0.0) }, |sum, cost| {
            let cost = cost?;
            let cached = sum.cached.map(|cached| cached + cost.cached.unwrap_or(cost.most));
            Some(Self { most: sum.most + cost.most, cached })
        })
    }
}

impl Plan {
    /// What it will cost, where the price of the model is known.
    pub fn cost(&self) -> Option<SendCost> {
        let price = self.model().price?;
        let (tokens, before) = (self.weights.total(), self.snapshot.sent_before);
        let known = before > 0 && price.cached_input.is_some();
        Some(SendCost {
            most: price.prompt(self.band().high.max(tokens), 0),
            cached: known.then(|| price.prompt(tokens, before)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_18_a_sum_is_known_only_where_every_price_is() {
        let cost = |most, cached| Some(SendCost { most, cached });
        let both = SendCost::sum([cost(0.25, Some(0.125)), cost(0.5, None)]);
        assert_eq!(both, cost(0.75, Some(0.625)));
        assert_eq!(SendCost::sum([cost(0.25, None), None]), None);
    }
}
