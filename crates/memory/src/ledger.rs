//! What was sent in a connection, and what is left of its budget (MBG-7).

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use thiserror::Error;

/// Below this a read cannot promise to keep to its budget (MBG-5).
pub const SMALLEST_BUDGET: u64 = 64;

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
    "the session budget of {budget} tokens is used up ({left} left, a read needs \
     {SMALLEST_BUDGET}); start a new connection or raise --session-budget"
)]
pub struct BudgetSpent {
    /// The budget of the connection.
    pub budget: u64,
    pub left: u64,
}

/// The book of one connection. Reads at the same time may together pass a session budget by
/// what one of them was allowed, never by more.
#[derive(Debug, Default)]
pub struct Ledger {
    session_budget: Option<u64>,
    sent: Mutex<BTreeMap<String, Sent>>,
}

impl Ledger {
    /// An empty book; no budget is none.
    pub fn new(session_budget: Option<u64>) -> Self {
        Self { session_budget, sent: Mutex::default() }
    }

    /// The budget of the connection.
    pub fn session_budget(&self) -> Option<u64> {
        self.session_budget
    }

    /// The budget of a read: what was asked for, or what is left if that is less.
    pub fn cap(&self, max_tokens: Option<u64>) -> Result<Option<u64>, BudgetSpent> {
        let (Some(budget), Some(left)) = (self.session_budget, self.left()) else {
            return Ok(max_tokens);
        };
        if left < SMALLEST_BUDGET {
            return Err(BudgetSpent { budget, left });
        }
        Ok(Some(max_tokens.map_or(left, |max| max.min(left))))
    }

    /// Writes an answer down.
    pub fn record(&self, tool: &str, tokens: u64) {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = sent.entry(tool.to_owned()).or_default();
        entry.calls += 1;
        entry.tokens = entry.tokens.saturating_add(tokens);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mbg_7_what_is_left_caps_every_read() {
        let ledger = Ledger::new(Some(1000));
        assert_eq!(ledger.cap(None), Ok(Some(1000)));
        ledger.record("mem_search", 600);
        ledger.record("mem_save", 50);
        assert_eq!(ledger.cap(Some(200)), Ok(Some(200)));
        assert_eq!(ledger.cap(Some(900)), Ok(Some(350)));
        ledger.record("mem_search", 300);
        assert_eq!(ledger.cap(Some(64)), Err(BudgetSpent { budget: 1000, left: 50 }));
        assert_eq!(ledger.by_tool()[0], ("mem_search".to_owned(), Sent { calls: 2, tokens: 900 }));
    }

    #[test]
    fn without_a_budget_nothing_is_capped() {
        let ledger = Ledger::default();
        ledger.record("mem_search", u64::MAX);
        ledger.record("mem_search", 5);
        assert_eq!((ledger.cap(None), ledger.cap(Some(7))), (Ok(None), Ok(Some(7))));
    }
}
