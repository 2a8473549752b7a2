//! The views that pages were told of lately, to say what changed since one of them (PAY-6).

use std::collections::{HashMap, VecDeque};

use plimsoll_domain::PairId;
use plimsoll_send::{Hash, Seen, SeenPair};
use serde::Serialize;
use utoipa::ToSchema;

/// So many views are remembered.
const REMEMBERED: usize = 16;

/// What a page was told. The files of a message are not kept: the page says them itself.
#[derive(PartialEq)]
struct Told {
    model: String,
    system: Option<Hash>,
    files: Option<Hash>,
    pairs: Vec<SeenPair>,
}

impl Told {
    fn of(seen: &Seen, [system, files]: [Option<Hash>; 2]) -> Self {
        Self { model: seen.model.clone(), system, files, pairs: seen.pairs.clone() }
    }
}

/// The views that pages were told of lately.
pub(crate) struct Views {
    next: u64,
    told: VecDeque<(u64, Told)>,
}

impl Views {
    /// None yet. Numbers grow over restarts, because they start at the time.
    pub(crate) fn starting_at(now: i64) -> Self {
        Self { next: now.unsigned_abs(), told: VecDeque::new() }
    }

    /// The number of a view: a new one where something else is sent than in the last.
    pub(super) fn number(&mut self, seen: &Seen, instructions: [Option<Hash>; 2]) -> u64 {
        let told = Told::of(seen, instructions);
        if let Some((number, last)) = self.told.back()
            && *last == told
        {
            return *number;
        }
        let number = self.next;
        self.next += 1;
        self.told.push_back((number, told));
        if self.told.len() > REMEMBERED {
            self.told.pop_front();
        }
        number
    }

    /// What would be sent now and was not in a view, and the other way round.
    pub(super) fn changes(
        &self,
        view: u64,
        now: &Seen,
        instructions: [Option<Hash>; 2],
    ) -> ViewChanges {
        let then = self.told.iter().find(|(number, _)| *number == view);
        let Some((_, then)) = then else {
            return ViewChanges { too_old: true, ..ViewChanges::default() };
        };
        let now = Told::of(now, instructions);
        let by_id = |pairs: &[SeenPair]| -> HashMap<PairId, SeenPair> {
            pairs.iter().map(|pair| (pair.id, *pair)).collect()
        };
        let (then_by_id, now_by_id) = (by_id(&then.pairs), by_id(&now.pairs));
        let without = |a: &[SeenPair], b: &HashMap<PairId, SeenPair>| -> Vec<String> {
            let missing = |pair: &&SeenPair| !b.contains_key(&pair.id);
            a.iter().filter(missing).map(|pair| pair.id.to_string()).collect()
        };
        let differ = |differs: fn(&SeenPair, &SeenPair) -> bool| -> Vec<String> {
            let other =
                |pair: &&SeenPair| then_by_id.get(&pair.id).is_some_and(|then| differs(then, pair));
            now.pairs.iter().filter(other).map(|pair| pair.id.to_string()).collect()
        };
        ViewChanges {
            came: without(&now.pairs, &then_by_id),
            went: without(&then.pairs, &now_by_id),
            edited: differ(|then, now| then.revision != now.revision),
            pinned: differ(|then, now| then.pinned != now.pinned),
            system_message: then.system != now.system,
            listed_files: then.files != now.files,
            model: (then.model != now.model).then_some(now.model),
            too_old: false,
        }
    }
}

/// What changed between what a page showed and what would be sent.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ViewChanges {
    /// Pairs that would be sent and were not marked so.
    came: Vec<String>,
    /// Pairs that were marked as sent and would not be.
    went: Vec<String>,
    /// Pairs whose text is another.
    edited: Vec<String>,
    /// Pairs that are pinned now and were not, or the other way round.
    pinned: Vec<String>,
    /// The model that it would go to, where that is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// Whether another system message would be sent, or none.
    system_message: bool,
    /// Whether something else is said about the files that a model may read.
    listed_files: bool,
    /// Whether the view is so old that nobody knows what it showed.
    too_old: bool,
}

impl ViewChanges {
    /// In words; none where nothing of this changed.
    pub(crate) fn words(&self) -> Option<String> {
        let pairs = |ids: &[String], done: &str| match ids.len() {
            0 => None,
            1 => Some(format!("1 pair {done}")),
            more => Some(format!("{more} pairs {done}")),
        };
        let whether = |changed: bool, words: &str| changed.then(|| words.to_owned());
        let told = [
            pairs(&self.came, "more would be sent"),
            pairs(&self.went, "would not be sent any more"),
            pairs(&self.edited, "changed"),
            pairs(&self.pinned, "pinned or unpinned"),
            self.model.as_ref().map(|model| format!("the model is now {model}")),
            whether(self.system_message, "the system message changed"),
            whether(self.listed_files, "other files are listed"),
            whether(self.too_old, "what the page showed is too long ago to say what changed"),
        ];
        let told: Vec<String> = told.into_iter().flatten().collect();
        (!told.is_empty()).then(|| told.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_domain::Timestamp;

    use super::*;

    fn pair(at: usize, revision: u64) -> SeenPair {
        let id = PairId::new(Timestamp::from_millis(at as i64), [1; 10]);
        SeenPair { at, id, revision, pinned: false }
    }

    fn seen(model: &str, pairs: Vec<SeenPair>) -> Seen {
        Seen { model: model.to_owned(), pairs, ..Seen::default() }
    }

    #[test]
    fn pay_6_what_came_and_went_is_told() {
        let mut views = Views::starting_at(100);
        let shown = seen("a", vec![pair(0, 1), pair(1, 1)]);
        let first = views.number(&shown, [None, None]);
        assert_eq!(views.number(&shown, [None, None]), first, "the same view");
        let now = seen("a", vec![pair(1, 2), pair(2, 1), pair(3, 1)]);
        let changes = views.changes(first, &now, [None, None]);
        let words = "2 pairs more would be sent, 1 pair would not be sent any more, 1 pair changed";
        assert_eq!(changes.words().as_deref(), Some(words));
    }

    #[test]
    fn pay_6_what_else_changed_is_told_and_that_a_view_is_too_old() {
        let mut views = Views::starting_at(100);
        let shown = seen("a", vec![pair(0, 1)]);
        let (system, files) = (Some(Hash::of("be brief")), Some(Hash::of("one file")));
        let first = views.number(&shown, [system, files]);
        let words = |now: &Seen, instructions| views.changes(first, now, instructions).words();
        assert_eq!(words(&shown, [system, files]), None);
        let other = seen("b", shown.pairs.clone());
        assert_eq!(words(&other, [system, files]).as_deref(), Some("the model is now b"));
        let pinned = seen("a", vec![SeenPair { pinned: true, ..pair(0, 1) }]);
        let told = words(&pinned, [system, files]);
        assert_eq!(told.as_deref(), Some("1 pair pinned or unpinned"));
        let less = words(&shown, [None, files]);
        assert_eq!(less.as_deref(), Some("the system message changed"));
        let unlisted = words(&shown, [system, None]);
        assert_eq!(unlisted.as_deref(), Some("other files are listed"));
        assert_ne!(views.number(&other, [system, files]), first, "another view");
        for n in 0..REMEMBERED {
            views.number(&seen("a", vec![pair(n, 7)]), [None, None]);
        }
        let old = views.changes(first, &shown, [system, files]);
        assert!(old.words().is_some_and(|words| words.contains("too long ago")), "{old:?}");
    }
}
