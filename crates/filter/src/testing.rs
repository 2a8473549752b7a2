//! A small world for the tests of this crate.

use std::ops::Range;

use plimsoll_domain::{ColorFlag, Lifecycle, PairKind, PairUse, Star, Timestamp};

use crate::{Date, Row, Rows, Scope, TextTerm, TopicNode};

/// 2025-09-10 12:00 in a zone that is two hours ahead of UTC.
pub(crate) const NOW: i64 = 1_757_498_400_000;
const HOUR: i64 = 3_600_000;

/// A [`Scope`] whose parts are plain fields.
pub(crate) struct World {
    pub(crate) topics: Vec<TopicNode>,
    pub(crate) models: Vec<String>,
    pub(crate) selected_topic: Option<usize>,
    pub(crate) selected_model: Option<String>,
    pub(crate) saved: Vec<(String, String)>,
}

impl World {
    /// `/Sea`, `/Sea/Ships`, `/Sea/Ships/10`, `/Land`, `/Land/Ships`, `/Land/Straße`.
    pub(crate) fn small() -> Self {
        let topic = |parent, name: &str| TopicNode { parent, name: name.to_owned() };
        Self {
            topics: vec![
                topic(None, "Sea"),
                topic(Some(0), "Ships"),
                topic(Some(1), "10"),
                topic(None, "Land"),
                topic(Some(3), "Ships"),
                topic(Some(3), "Straße"),
            ],
            models: ["gpt-4", "gpt-4o", "claude-3", ""].map(str::to_owned).to_vec(),
            selected_topic: Some(1),
            selected_model: Some("gpt-4".to_owned()),
            saved: Vec::new(),
        }
    }

    pub(crate) fn with_saved(mut self, saved: &[(&str, &str)]) -> Self {
        self.saved = saved.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect();
        self
    }
}

impl Scope for World {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(NOW)
    }

    fn day(&self, date: Date) -> Range<Timestamp> {
        // Days from the civil calendar, counted from March so that the leap day is last.
        let (y, m, d) = (i64::from(date.year), i64::from(date.month), i64::from(date.day));
        let y = if m <= 2 { y - 1 } else { y };
        let day_of_year = (153 * ((m + 9) % 12) + 2) / 5 + d - 1;
        let days = 365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) + day_of_year
            - 719_468;
        let start = days * 24 * HOUR - 2 * HOUR;
        Timestamp::from_millis(start)..Timestamp::from_millis(start + 24 * HOUR)
    }

    fn topics(&self) -> &[TopicNode] {
        &self.topics
    }

    fn models(&self) -> &[String] {
        &self.models
    }

    fn selected_topic(&self) -> Option<usize> {
        self.selected_topic
    }

    fn selected_model(&self) -> Option<&str> {
        self.selected_model.as_deref()
    }

    fn saved(&self, name: &str) -> Option<&str> {
        self.saved.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }
}

impl Row {
    /// A row about which there is nothing to say.
    pub(crate) fn plain() -> Self {
        Self {
            created_at: Timestamp::from_millis(NOW),
            topic: None,
            model: 0,
            star: Star::default(),
            flag: ColorFlag::Grey,
            pair_use: PairUse::Auto,
            kind: PairKind::Chat,
            lifecycle: Lifecycle::Complete,
            has_image: false,
            has_attachment: false,
            tokens: 0,
        }
    }
}

/// Rows with their texts beside them.
pub(crate) struct Table<'a> {
    pub(crate) rows: &'a [Row],
    pub(crate) texts: &'a [String],
    pub(crate) terms: &'a [TextTerm],
}

impl Rows for Table<'_> {
    fn rows(&self) -> &[Row] {
        self.rows
    }

    fn contains(&self, row: usize, term: usize) -> bool {
        self.terms[term].is_match(&self.texts[row])
    }
}
