//! Several handles, threads and processes on one place.

use std::collections::BTreeMap;

use plimsoll_blobs::{BlobError, BlobName};
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};

use super::{Backend, take_in};

pub(crate) fn blb_1_the_same_bytes_are_kept_once_under_any_ending(backend: &dyn Backend) {
    let blobs = backend.open();
    let first = take_in(&blobs, "a.txt", b"same");
    let second = take_in(&backend.elsewhere(), "b.md", b"same");
    assert_eq!((second.name, second.new), (first.name.clone(), false));
    assert_eq!(second.facts.mime, "text/markdown", "facts are those of the name this time");
    assert_eq!(take_in(&blobs, "c.rs", b"other").extension, "rs");
    assert_eq!(blobs.list().unwrap().len(), 2);
}

pub(crate) fn tea_2_another_process_sees_what_is_there(backend: &dyn Backend) {
    let (one, other) = (backend.open(), backend.elsewhere());
    assert_eq!(other.list().unwrap(), []);
    let blob = take_in(&one, "a.txt", b"for both");
    assert_eq!(other.list().unwrap(), one.list().unwrap());
    assert_eq!(other.read(&blob.name, 99).unwrap(), b"for both");
    other.remove(&blob.name).unwrap();
    assert_eq!(one.list().unwrap(), []);
    assert_eq!(one.size(&blob.name).unwrap(), None);
}

pub(crate) fn tea_2_writers_at_the_same_time_lose_nothing(backend: &dyn Backend) {
    let handles = [backend.open(), backend.elsewhere()];
    let taken: Vec<_> = std::thread::scope(|scope| {
        let work = |n: usize| {
            let blobs = &handles[n % 2];
            let own = take_in(blobs, "a.txt", format!("of {n} alone").as_bytes());
            let shared = take_in(blobs, "a.txt", b"of all of them");
            (own, shared)
        };
        let all: Vec<_> = (0..8).map(|n| scope.spawn(move || work(n))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for (n, (own, shared)) in taken.iter().enumerate() {
        let expected = format!("of {n} alone");
        assert_eq!(handles[(n + 1) % 2].read(&own.name, 99).unwrap(), expected.as_bytes());
        assert!(own.new);
        assert_eq!(shared.name, taken[0].1.name);
    }
    assert!(taken.iter().any(|(_, shared)| shared.new));
    assert_eq!(handles[0].list().unwrap().len(), 9);
}

/// Callers block where that does no harm; one who calls elsewhere must not fall over.
pub(crate) fn tea_2_calls_may_be_made_on_any_thread(backend: &dyn Backend) {
    let blobs = backend.open();
    let work = |blobs: plimsoll_blobs::Blobs, words: &'static str| {
        let blob = take_in(&blobs, "a.txt", words.as_bytes());
        assert_eq!(blobs.read(&blob.name, 99).unwrap(), words.as_bytes());
    };
    work(blobs.clone(), "on the thread of the test");
    for runtime in [
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap(),
        tokio::runtime::Builder::new_current_thread().build().unwrap(),
    ] {
        let (beside, on_a_worker, dropped) = (blobs.clone(), blobs.clone(), backend.elsewhere());
        runtime.block_on(async move {
            let blocking =
                tokio::task::spawn_blocking(move || work(beside, "on a blocking thread"));
            blocking.await.unwrap();
            tokio::spawn(async move { work(on_a_worker, "on a worker") }).await.unwrap();
            // The last handle may end there as well.
            drop(dropped);
        });
    }
    assert_eq!(blobs.list().unwrap().len(), 3);
}

#[derive(Clone, Debug)]
enum Change {
    Take(u8, bool),
    TakeMany(Vec<u8>),
    Remove(u8),
}

/// A place is a map from names to bytes, whatever happened to it before.
pub(crate) fn tea_2_any_order_of_changes_gives_what_is_expected(backend: &dyn Backend) {
    let change = prop_oneof![
        (0_u8..6, any::<bool>()).prop_map(|(n, elsewhere)| Change::Take(n, elsewhere)),
        prop::collection::vec(0_u8..6, 1..5).prop_map(Change::TakeMany),
        (0_u8..6).prop_map(Change::Remove),
    ];
    let content = |n: u8| vec![n; usize::from(n) * 100];
    let name_of = |n: u8| {
        let hash = blake3::hash(&content(n)).to_hex();
        BlobName::parse(&format!("{hash}.bin")).unwrap()
    };
    let mut runner = TestRunner::new(Config { cases: 12, ..Config::default() });
    let run = |changes: Vec<Change>| {
        let handles = [backend.open(), backend.elsewhere()];
        for stored in handles[0].list().unwrap() {
            handles[0].remove(&stored.name).unwrap();
        }
        let mut expected: BTreeMap<BlobName, u8> = BTreeMap::new();
        for change in changes {
            match change {
                Change::Take(n, elsewhere) => {
                    let mut intake =
                        handles[usize::from(elsewhere)].begin_as(&name_of(n), None).unwrap();
                    intake.write(&content(n)).unwrap();
                    let blob = intake.finish().unwrap();
                    prop_assert_eq!(blob.new, expected.insert(name_of(n), n).is_none());
                }
                Change::TakeMany(all) => {
                    let mut batch = handles[0].batch();
                    for n in all {
                        let mut intake = handles[0].begin_as(&name_of(n), None).unwrap();
                        intake.write(&content(n)).unwrap();
                        batch.add(intake).unwrap();
                        expected.insert(name_of(n), n);
                    }
                    batch.finish().unwrap();
                }
                Change::Remove(n) => {
                    handles[0].remove(&name_of(n)).unwrap();
                    expected.remove(&name_of(n));
                }
            }
            let listed = handles[1].list().unwrap();
            let listed: Vec<_> = listed.into_iter().map(|one| (one.name, one.size)).collect();
            let sizes = expected.iter().map(|(name, n)| (name.clone(), content(*n).len() as u64));
            prop_assert_eq!(listed, sizes.collect::<Vec<_>>());
        }
        for n in 0..6 {
            match (expected.contains_key(&name_of(n)), handles[1].check(&name_of(n))) {
                (true, Ok(size)) => prop_assert_eq!(size, content(n).len() as u64),
                (false, Err(BlobError::Missing(_))) => {}
                (there, found) => prop_assert!(false, "{there}: {found:?}"),
            }
        }
        Ok(())
    };
    runner.run(&prop::collection::vec(change, 1..8), run).unwrap();
}

pub(crate) fn sec_6_workspaces_do_not_see_each_other(backend: &dyn Backend) {
    let (one, other) = (backend.workspace("one"), backend.workspace("one-more"));
    let blob = take_in(&one, "a.txt", b"of one alone");
    assert_eq!(other.list().unwrap(), []);
    assert!(matches!(other.read(&blob.name, 99), Err(BlobError::Missing(_))));
    assert!(other.resolve(one.path(&blob.name).to_str().unwrap()).is_err());
    assert!(take_in(&other, "a.txt", b"of one alone").new);
    other.remove(&blob.name).unwrap();
    assert_eq!(one.read(&blob.name, 99).unwrap(), b"of one alone");
    assert_eq!(one.check(&blob.name).unwrap(), 12);
}
