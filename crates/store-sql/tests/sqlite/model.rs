//! Random operations on the store agree with a plain list of pairs.

use plimsoll_domain::{
    ColorFlag, HistoryScope, Lifecycle, LifecycleEvent, MessagePair, PairId, Star, Usage,
};
use plimsoll_store::{Edit, Outcome, Pairs, Search, Upkeep, Workspace};
use plimsoll_store_sql::SqlStore;
use plimsoll_testkit::pairs::{LEASE, at, pair, pair_id};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::support::{held, open, ready};

/// What can be asked; pairs are numbers, so that operations meet.
#[derive(Clone, Debug)]
enum Operation {
    Insert(u8, bool),
    Begin(u8),
    Claim(u8),
    Save(u8, String),
    End(u8, LifecycleEvent, Option<String>),
    Edit(u8, Option<String>, Option<String>),
    Swap(u8),
    Star(Vec<u8>, u64),
    Flag(Vec<u8>, bool),
    Delete(Vec<u8>),
    Reopen,
}

fn operation() -> impl Strategy<Value = Operation> {
    let n = || 1..6u8;
    let some = || proptest::collection::vec(n(), 0..4);
    let word = || "(ship|anchor|tide|sail|)[ a-z]{0,6}";
    let event = prop_oneof![
        Just(LifecycleEvent::Finish),
        Just(LifecycleEvent::Fail),
        Just(LifecycleEvent::Cancel)
    ];
    prop_oneof![
        3 => (n(), any::<bool>()).prop_map(|(n, done)| Operation::Insert(n, done)),
        3 => n().prop_map(Operation::Begin),
        2 => n().prop_map(Operation::Claim),
        3 => (n(), word()).prop_map(|(n, text)| Operation::Save(n, text)),
        4 => (n(), event, proptest::option::of(word()))
            .prop_map(|(n, event, text)| Operation::End(n, event, text)),
        3 => (n(), proptest::option::of(word()), proptest::option::of(word()))
            .prop_map(|(n, user, assistant)| Operation::Edit(n, user, assistant)),
        2 => n().prop_map(Operation::Swap),
        1 => (some(), 0..4u64).prop_map(|(ids, star)| Operation::Star(ids, star)),
        1 => (some(), any::<bool>()).prop_map(|(ids, blue)| Operation::Flag(ids, blue)),
        1 => some().prop_map(Operation::Delete),
        1 => Just(Operation::Reopen),
    ]
}

/// A pair of the list, with what the store keeps beside it.
#[derive(Clone, Debug)]
struct Known {
    pair: MessagePair,
    beside: Option<MessagePair>,
}

/// The store as a list.
#[derive(Default)]
struct Model(Vec<Known>);

impl Model {
    fn find(&mut self, n: u8) -> Option<&mut Known> {
        self.0.iter_mut().find(|known| known.pair.id == pair_id(n))
    }

    fn sending(&self) -> bool {
        self.0.iter().any(|known| known.pair.lifecycle == Lifecycle::Sending)
    }

    fn insert(&mut self, pair: MessagePair) -> bool {
        let fresh = self.0.iter().all(|known| known.pair.id != pair.id);
        if fresh {
            self.0.push(Known { pair, beside: None });
            self.0.sort_by_key(|known| known.pair.order_key());
        }
        fresh
    }

    /// Whether the store should agree to do it; if so, it is done here.
    fn apply(&mut self, operation: &Operation) -> bool {
        let busy = self.sending();
        match operation {
            Operation::Insert(n, done) => self.insert(written(*n, *done)),
            Operation::Begin(n) => {
                let mut pair = pair(*n);
                pair.lifecycle = Lifecycle::Sending;
                !busy && self.insert(pair)
            }
            Operation::Claim(n) => !busy && self.find(*n).is_some_and(claim),
            Operation::Save(n, text) => match self.find(*n) {
                Some(known) if known.pair.lifecycle == Lifecycle::Sending => {
                    known.pair.assistant_text = Some(text.clone()).filter(|text| !text.is_empty());
                    true
                }
                _ => false,
            },
            Operation::End(n, event, text) => match self.find(*n) {
                Some(known) if known.pair.lifecycle == Lifecycle::Sending => {
                    known.pair.apply(*event).unwrap();
                    let text = text.clone().or(known.pair.assistant_text.take());
                    known.pair.assistant_text = text.filter(|text| !text.is_empty());
                    known.pair.usage = Some(Usage::default());
                    true
                }
                _ => false,
            },
            Operation::Edit(n, user, assistant) => match self.find(*n) {
                Some(known) if known.pair.lifecycle != Lifecycle::Sending => {
                    user.clone().into_iter().for_each(|text| known.pair.user_text = text);
                    if assistant.is_some() {
                        known.pair.assistant_text.clone_from(assistant);
                    }
                    true
                }
                _ => false,
            },
            Operation::Swap(n) => self.find(*n).is_some_and(swap),
            Operation::Star(ids, star) => {
                for n in ids {
                    self.find(*n).into_iter().for_each(|known| {
                        known.pair.star = Star::new(*star).unwrap();
                    });
                }
                true
            }
            Operation::Flag(ids, blue) => {
                for n in ids {
                    self.find(*n).into_iter().for_each(|known| known.pair.color_flag = flag(*blue));
                }
                true
            }
            Operation::Delete(ids) => {
                let named = |known: &Known| ids.iter().any(|n| known.pair.id == pair_id(*n));
                let refused = self
                    .0
                    .iter()
                    .any(|known| named(known) && known.pair.lifecycle == Lifecycle::Sending);
                if !refused {
                    self.0.retain(|known| !named(known));
                }
                !refused
            }
            Operation::Reopen => true,
        }
    }
}

fn claim(known: &mut Known) -> bool {
    let before = known.pair.clone();
    let again = before.lifecycle == Lifecycle::Complete;
    let event = if again { LifecycleEvent::Regenerate } else { LifecycleEvent::Start };
    if known.pair.apply(event).is_err() {
        return false;
    }
    if again {
        known.beside = Some(before);
    }
    (known.pair.usage, known.pair.assistant_text) = (None, None);
    known.pair.model = "other".to_owned();
    true
}

fn swap(known: &mut Known) -> bool {
    if known.pair.lifecycle == Lifecycle::Sending {
        return false;
    }
    let Some(beside) = known.beside.take() else { return false };
    let current = known.pair.clone();
    known.pair.previous_answer.clone_from(&current.assistant_text);
    known.pair.assistant_text = beside.assistant_text;
    (known.pair.model, known.pair.lifecycle) = (beside.model, beside.lifecycle);
    known.pair.usage = beside.usage;
    known.beside = Some(current);
    true
}

fn written(n: u8, done: bool) -> MessagePair {
    let lifecycle = if done { Lifecycle::Complete } else { Lifecycle::Idle };
    MessagePair { lifecycle, assistant_text: done.then(|| "ship".to_owned()), ..pair(n) }
}

fn flag(blue: bool) -> ColorFlag {
    if blue { ColorFlag::Blue } else { ColorFlag::Grey }
}

async fn ask(store: &SqlStore, operation: &Operation) -> bool {
    let workspace = Workspace::default();
    let ids = |ns: &[u8]| ns.iter().map(|n| pair_id(*n)).collect::<Vec<PairId>>();
    match operation {
        Operation::Insert(n, done) => store.insert(&workspace, &written(*n, *done)).await.is_ok(),
        Operation::Begin(n) => store
            .begin(&workspace, &[pair(*n)], HistoryScope::Everything, "me", at(0), LEASE)
            .await
            .is_ok(),
        Operation::Claim(n) => store
            .claim(pair_id(*n), "other", HistoryScope::Everything, "me", at(0), LEASE)
            .await
            .is_ok(),
        Operation::Save(n, text) => {
            store.save_partial(held(store, pair_id(*n)).await, text).await.is_ok()
        }
        Operation::End(n, event, text) => {
            let usage = Some(Usage::default());
            let outcome = Outcome { assistant_text: text.clone(), usage, ..Outcome::default() };
            store.set_state(held(store, pair_id(*n)).await, *event, &outcome).await.is_ok()
        }
        Operation::Edit(n, user_text, assistant_text) => {
            let (user_text, assistant_text) = (user_text.clone(), assistant_text.clone());
            let edit = Edit { user_text, assistant_text };
            store.edit(pair_id(*n), &edit, at(1)).await.is_ok()
        }
        Operation::Swap(n) => store.swap_answer(pair_id(*n)).await.is_ok(),
        Operation::Star(ns, star) => {
            store.set_star(&ids(ns), Star::new(*star).unwrap()).await.is_ok()
        }
        Operation::Flag(ns, blue) => store.set_flag(&ids(ns), flag(*blue)).await.is_ok(),
        Operation::Delete(ns) => store.delete(&ids(ns)).await.is_ok(),
        Operation::Reopen => true,
    }
}

/// Pairs, rows and search tell the same as the list.
async fn agrees(store: &SqlStore, model: &Model) {
    let rows = store.rows(&Workspace::default()).await.unwrap();
    let ids: Vec<PairId> = rows.iter().map(|row| row.id).collect();
    let pairs = store.get_many(&ids).await.unwrap();
    let pairs: Vec<_> = pairs.into_iter().map(|stored| stored.pair).collect();
    let known: Vec<_> = model.0.iter().map(|known| known.pair.clone()).collect();
    assert_eq!(pairs, known);
    for (row, known) in rows.iter().zip(&known) {
        assert_eq!((row.star, row.flag), (known.star, known.color_flag));
        assert_eq!((row.lifecycle, &*row.model), (known.lifecycle, known.model.as_str()));
    }
    for word in ["ship", "anchor"] {
        let holds = |text: &str| text.split(' ').any(|other| other == word);
        let expected: Vec<PairId> = known
            .iter()
            .filter(|pair| {
                let ended = pair.lifecycle != Lifecycle::Sending;
                let answer = pair.assistant_text.as_deref().filter(|_| ended);
                holds(&pair.user_text) || answer.is_some_and(holds)
            })
            .map(|pair| pair.id)
            .collect();
        let quoted = format!("\"{word}\"");
        let hits = store.search(&Workspace::default(), &quoted, 99).await.unwrap();
        let mut found: Vec<PairId> = hits.iter().map(|hit| hit.pair).collect();
        found.sort();
        assert_eq!(found, expected, "{word}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_store_agrees_with_a_list(operations in proptest::collection::vec(operation(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        runtime.block_on(async {
            let directory = TempDir::new().unwrap();
            let path = directory.path().join("p.db");
            let mut store = ready(&path).await;
            let mut model = Model::default();
            for operation in &operations {
                if matches!(operation, Operation::Reopen) {
                    drop(store);
                    store = open(&path).await.unwrap();
                }
                assert_eq!(ask(&store, operation).await, model.apply(operation), "{operation:?}");
                agrees(&store, &model).await;
            }
            let found = store.check().await.unwrap();
            assert!(found.is_empty(), "{found:?}");
        });
    }
}
