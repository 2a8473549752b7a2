//! The load line: where the next request stands in its window.

use plimsoll_budget::Verdict;
use plimsoll_send::Plan;
use plimsoll_tokens::compact_load;

use crate::output::printable;

const AMBER: &str = "\x1b[33m";
const RED: &str = "\x1b[31m";
const PLAIN: &str = "\x1b[0m";

/// What a load line is drawn from.
pub(crate) struct Load {
    pub(super) aboard: usize,
    pub(super) visible: usize,
    pub(super) tokens: u64,
    pub(super) limit: u64,
    pub(super) exact: bool,
    pub(super) verdict: Verdict,
    pub(super) model: String,
    pub(super) topic: String,
}

impl Load {
    pub(crate) fn of(plan: &Plan, topic: String) -> Self {
        Self {
            aboard: plan.boundary().included,
            visible: plan.boundary().visible,
            tokens: plan.weights.total(),
            limit: plan.weights.limit,
            exact: plan.target().estimator.1,
            verdict: plan.validation.verdict,
            model: plan.model().id.clone(),
            topic,
        }
    }

    /// Whole percent. A request that is over by a little does not read 100 %, and one that
    /// just fits does.
    fn percent(&self) -> u128 {
        let (tokens, limit) = (u128::from(self.tokens) * 100, u128::from(self.limit.max(1)));
        if self.tokens > self.limit { tokens.div_ceil(limit) } else { tokens / limit }
    }

    /// One line; amber above the warning mark and red above the limit, where colours are
    /// wanted.
    pub(crate) fn draw(&self, colour: bool) -> String {
        let ashore = self.visible.saturating_sub(self.aboard);
        let line = format!(
            "──⊖── {ashore} ashore · {} aboard · {} · {} % · {} · {}",
            self.aboard,
            compact_load(self.tokens, self.limit, self.exact),
            self.percent(),
            printable(&self.model),
            printable(&self.topic),
        );
        match (colour, self.verdict) {
            (true, Verdict::Warn) => format!("{AMBER}{line}{PLAIN}"),
            (true, Verdict::Over | Verdict::TooLarge) => format!("{RED}{line}{PLAIN}"),
            (false, _) | (true, Verdict::Ok) => line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(tokens: u64, verdict: Verdict) -> Load {
        Load {
            aboard: 12,
            visible: 34,
            tokens,
            limit: 4096,
            exact: false,
            verdict,
            model: "phi-3-mini-4k".to_owned(),
            topic: "/Rust/async\x1b[2J".to_owned(),
        }
    }

    #[test]
    fn the_line_says_what_stays_ashore_and_what_it_weighs() {
        assert_eq!(
            load(3318, Verdict::Warn).draw(false),
            "──⊖── 22 ashore · 12 aboard · ~3.2K / 4K tokens · 81 % · phi-3-mini-4k · \
             /Rust/async\u{fffd}[2J"
        );
    }

    #[test]
    fn val_2_colours_follow_the_verdict_and_never_carry_it_alone() {
        assert!(!load(100, Verdict::Ok).draw(true).contains('\x1b'));
        assert!(load(3500, Verdict::Warn).draw(true).starts_with(AMBER));
        let over = load(4100, Verdict::Over).draw(true);
        assert!(over.starts_with(RED) && over.ends_with(PLAIN) && over.contains("101 %"), "{over}");
        assert!(!load(4100, Verdict::Over).draw(false).contains('\x1b'));
    }
}
