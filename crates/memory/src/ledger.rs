//! What was sent in a connection, and what is left of its budget (MBG-7).

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use plimsoll_budget::Allowance;
use thiserror::Error;

/// Below this a read cannot promise to keep to its budget (MBG-5).
pub const SMALLEST_BUDGET: u64 = 64;
/// The smallest budget of a session: half of it is the smallest of a read.
pub const SMALLEST_SESSION_BUDGET: u64 = 2 * SMALLEST_BUDGET;

/// What one tool has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// How often it answered.
    pub calls: u64,
    /// The tokens of its answers.
    pub tokens: u64,
}

/// The session budget is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the session budget of {budget} tokens is used up ({left} left; a read takes half of that \
     and needs {SMALLEST_BUDGET}); start a new session, or have --session-budget raised (the \
     setting mcpSessionBudget over HTTP)"
)]
pub struct BudgetSpent {
    /// The budget of the connection.
    pub budget: u64,
    pub left: u64,
}

/// The book of one connection, and what its reads may weigh.
#[derive(Debug, Default)]
pub struct Ledger {
    session_budget: Option<u64>,
    answer_limit: Option<u64>,
    sent: Mutex<BTreeMap<String, Sent>>,
}

impl Ledger {
    /// An empty book; no budget is none.
    pub fn new(session_budget: Option<u64>) -> Self {
        Self { session_budget, ..Self::default() }
    }

    /// The same with a bound on every single read (MBG-9).
    #[must_use]
    pub fn with_answer_limit(self, answer_limit: Option<u64>) -> Self {
        Self { answer_limit, ..self }
    }

    /// The budget of the connection.
    pub fn session_budget(&self) -> Option<u64> {
        self.session_budget
    }

    /// What a read may weigh: what was asked for, the limit of an answer, or half of what is
    /// left of the session's budget, whichever is least.
    pub fn allow(&self, max_tokens: Option<u64>) -> Result<Allowance, BudgetSpent> {
        let allowance = Allowance::of(max_tokens, self.answer_limit);
        let (Some(budget), Some(left)) = (self.session_budget, self.left()) else {
            return Ok(allowance);
        };
        if left / 2 < SMALLEST_BUDGET {
            return Err(BudgetSpent { budget, left });
        }
        Ok(allowance.within_session(left, budget))
    }

    /// The same for the answer of a call that has changed something: what was done must be
    /// told, however little is left.
    pub fn allow_told(&self, max_tokens: Option<u64>) -> Allowance {
        self.allow(max_tokens).unwrap_or_else(|_| Allowance::of(max_tokens, self.answer_limit))
    }

    /// Writes an answer down.
    pub fn record(&self, tool: &str, tokens: u64) {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        write_down(&mut sent, tool, tokens);
    }

    /// Writes a read down that kept to its allowance, unless reads at the same time have left
    /// less than it needs: then it has to be told anew, within what is left now.
    #[must_use]
    pub fn record_read(&self, tool: &str, tokens: u64, allowance: Allowance) -> bool {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        // Below the smallest budget even the shortest answer may weigh more.
        let shortest = allowance.max_tokens().is_some_and(|most| tokens > most);
        if let Some(budget) = self.session_budget.filter(|_| !shortest) {
            let total = sent.values().fold(0, |sum: u64, entry| sum.saturating_add(entry.tokens));
            if tokens > budget.saturating_sub(total) / 2 {
                return false;
            }
        }
        write_down(&mut sent, tool, tokens);
        true
    }

    /// What is left of the session budget, if there is one.
    pub fn left(&self) -> Option<u64> {
        Some(self.session_budget?.saturating_sub(self.total()))
    }

    /// What was sent in all.
    pub fn total(&self) -> u64 {
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.values().fold(0, |sum, entry| sum.saturating_add(entry.tokens))
    }

    /// What each tool has sent, the most first.
    pub fn by_tool(&self) -> Vec<(String, Sent)> {
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tools: Vec<_> = sent.iter().map(|(tool, sent)| (tool.clone(), *sent)).collect();
        tools.sort_by_key(|(_, sent)| std::cmp::Reverse(sent.tokens));
        tools
    }
}

fn write_down(sent: &mut BTreeMap<String, Sent>, tool: &str, tokens: u64) {
    let entry = sent.entry(tool.to_owned()).or_default();
    entry.calls += 1;
    entry.tokens = entry.tokens.saturating_add(tokens);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mbg_9_no_read_takes_more_than_half_of_what_is_left() {
        let ledger = Ledger::new(Some(1000)).with_answer_limit(Some(400));
        let most = |asked| ledger.allow(asked).map(|allowance| allowance.max_tokens());
        assert_eq!(most(None), Ok(Some(400)), "the limit of an answer");
        ledger.record("mem_search", 500);
        ledger.record("mem_save", 50);
        assert_eq!(
            (most(None), most(Some(200)), most(Some(900))),
            (Ok(Some(225)), Ok(Some(200)), Ok(Some(225)))
        );
        let read = |tokens| ledger.record_read("mem_search", tokens, Allowance::Asked(300));
        assert!(!read(226) && read(225));
        ledger.record("mem_search", 125);
        assert_eq!(most(Some(64)), Err(BudgetSpent { budget: 1000, left: 100 }));
        assert_eq!(ledger.allow_told(None), Allowance::Ceiling(400), "what was done is told");
        assert_eq!(ledger.by_tool()[0], ("mem_search".to_owned(), Sent { calls: 3, tokens: 850 }));
    }

    #[test]
    fn without_a_budget_nothing_is_capped() {
        let ledger = Ledger::default();
        assert!(ledger.record_read("mem_search", u64::MAX, Allowance::Unlimited));
        ledger.record("mem_search", 5);
        assert_eq!(ledger.allow(None), Ok(Allowance::Unlimited));
        assert_eq!(ledger.allow(Some(7)), Ok(Allowance::Asked(7)));
    }
}
