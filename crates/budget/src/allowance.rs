//! How much one answer may weigh, and who says so (MBG-7, MBG-9).

use plimsoll_tokens::commas;

use crate::MORE;

/// The most tokens of one answer. Whose bound it is decides what helps who wants more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Allowance {
    /// Nobody bounds it.
    #[default]
    Unlimited,
    /// `max_tokens` of the caller.
    Asked(u64),
    /// What the server puts into one answer at most.
    Ceiling(u64),
    /// Half of what is left of the session's budget.
    Session {
        /// What is left.
        left: u64,
        /// What there was.
        budget: u64,
    },
}

impl Allowance {
    /// What was asked for, unless the server allows less.
    pub fn of(asked: Option<u64>, ceiling: Option<u64>) -> Self {
        match (asked, ceiling) {
            (Some(asked), Some(ceiling)) if asked > ceiling => Self::Ceiling(ceiling),
            (Some(asked), _) => Self::Asked(asked),
            (None, Some(ceiling)) => Self::Ceiling(ceiling),
            (None, None) => Self::Unlimited,
        }
    }

    /// The same in a session that has so much left of its budget: half of that at most.
    pub fn within_session(self, left: u64, budget: u64) -> Self {
        let session = Self::Session { left, budget };
        if self.max_tokens() <= session.max_tokens() && self != Self::Unlimited {
            self
        } else {
            session
        }
    }

    /// The number itself.
    pub fn max_tokens(self) -> Option<u64> {
        match self {
            Self::Unlimited => None,
            Self::Asked(tokens) | Self::Ceiling(tokens) => Some(tokens),
            Self::Session { left, .. } => Some(left / 2),
        }
    }

    /// How more is got, in the budget footer.
    pub fn more(self) -> String {
        match self {
            Self::Unlimited | Self::Asked(_) => MORE.to_owned(),
            Self::Ceiling(tokens) => format!(
                "Limit of this server: {}; ask for a part with from/lines or \
                 detail_level=summary.",
                commas(tokens)
            ),
            Self::Session { left, budget } => format!(
                "Session budget: {} of {} left, a read takes half; use detail_level=summary.",
                commas(left),
                commas(budget)
            ),
        }
    }

    /// The same for a mark in the text, as part of a sentence.
    pub fn remedy(self) -> String {
        match self {
            Self::Unlimited | Self::Asked(_) => "raise max_tokens for more".to_owned(),
            Self::Ceiling(tokens) => format!("limit of this server: {}", commas(tokens)),
            Self::Session { left, budget } => format!(
                "session budget: {} of {} left, a read takes half",
                commas(left),
                commas(budget)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mbg_9_the_least_bound_holds_and_says_whose_it_is() {
        for (asked, ceiling, allowance) in [
            (None, None, Allowance::Unlimited),
            (Some(500), None, Allowance::Asked(500)),
            (Some(500), Some(500), Allowance::Asked(500)),
            (Some(501), Some(500), Allowance::Ceiling(500)),
            (None, Some(500), Allowance::Ceiling(500)),
        ] {
            assert_eq!(Allowance::of(asked, ceiling), allowance);
        }
        let session = Allowance::Session { left: 1000, budget: 3000 };
        for (allowance, within) in [
            (Allowance::Unlimited, session),
            (Allowance::Asked(500), Allowance::Asked(500)),
            (Allowance::Asked(501), session),
            (Allowance::Ceiling(20_000), session),
            (Allowance::Ceiling(100), Allowance::Ceiling(100)),
        ] {
            assert_eq!(allowance.within_session(1000, 3000), within);
        }
        assert_eq!(session.max_tokens(), Some(500), "no read takes more than half");
    }

    #[test]
    fn mbg_9_each_bound_says_what_helps() {
        assert_eq!(Allowance::Asked(64).more(), MORE);
        assert_eq!(
            Allowance::Ceiling(20_000).more(),
            "Limit of this server: 20,000; ask for a part with from/lines or detail_level=summary."
        );
        let session = Allowance::Session { left: 340, budget: 1000 };
        assert!(!session.more().contains("max_tokens"), "which would not help");
        assert!(session.more().contains("340 of 1,000 left"));
    }
}
