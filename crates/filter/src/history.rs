//! The queries that were used, to walk back through (FLT-6). Keeping them is for the
//! caller; this is only the list and the place in it.

use std::collections::VecDeque;

/// How many queries are kept.
pub const HISTORY_LENGTH: usize = 100;

/// The last successful queries, the newest last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryHistory {
    entries: VecDeque<String>,
    /// The entry that is shown, while walking.
    shown: Option<usize>,
    /// What stood in the box before the walk, to come back to.
    draft: String,
}

impl QueryHistory {
    /// A history from entries that were kept, the oldest first.
    pub fn from_entries(entries: impl IntoIterator<Item = String>) -> Self {
        let mut history = Self::default();
        entries.into_iter().for_each(|entry| history.push(&entry));
        history
    }

    /// The entries, the oldest first.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(String::as_str)
    }

    /// Remembers a query that worked and ends the walk. A repeat of the newest one and a
    /// blank one are not worth a place.
    pub fn push(&mut self, query: &str) {
        self.shown = None;
        self.draft.clear();
        let repeat = self.entries.back().is_some_and(|newest| newest == query);
        if repeat || query.trim().is_empty() {
            return;
        }
        if self.entries.len() == HISTORY_LENGTH {
            self.entries.pop_front();
        }
        self.entries.push_back(query.to_owned());
    }

    /// The next older query, for the box that now shows `current`; none at the oldest.
    pub fn older(&mut self, current: &str) -> Option<&str> {
        let next = match self.shown {
            None => {
                let newest = self.entries.len().checked_sub(1)?;
                self.draft = current.to_owned();
                newest
            }
            Some(shown) => shown.checked_sub(1)?,
        };
        self.shown = Some(next);
        self.entries.get(next).map(String::as_str)
    }

    /// The next newer query; after the newest one, what stood in the box before. None
    /// when there is no walk.
    pub fn newer(&mut self) -> Option<&str> {
        let next = self.shown? + 1;
        if next < self.entries.len() {
            self.shown = Some(next);
            return self.entries.get(next).map(String::as_str);
        }
        self.shown = None;
        Some(&self.draft)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_hundred_are_kept_without_adjacent_repeats() {
        let mut history = QueryHistory::default();
        for query in ["b", "b", "g", "b", "", "  "] {
            history.push(query);
        }
        assert_eq!(history.entries().collect::<Vec<_>>(), ["b", "g", "b"], "FLT-6");

        let many = (0..150).map(|n| format!("r{n}"));
        let history = QueryHistory::from_entries(many);
        assert_eq!(history.entries().count(), HISTORY_LENGTH);
        assert_eq!(history.entries().next(), Some("r50"));
    }

    #[test]
    fn walking_back_and_forth_returns_to_the_draft() {
        let mut history = QueryHistory::from_entries(["b".to_owned(), "g".to_owned()]);
        assert_eq!(history.newer(), None);
        assert_eq!(history.older("dr"), Some("g"));
        assert_eq!(history.older("g"), Some("b"));
        assert_eq!(history.older("b"), None);
        assert_eq!(history.newer(), Some("g"));
        assert_eq!(history.newer(), Some("dr"));
        assert_eq!(history.newer(), None);
        assert_eq!(history.older("x"), Some("g"));
        history.push("e");
        assert_eq!(history.newer(), None);
        assert_eq!(QueryHistory::default().older("x"), None);
    }
}
