//! Which blobs there are, as far as it was seen lately. A history may hold thousands of tokens,
//! and to ask for each of them each time would take minutes.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::S3Error;
use crate::{BlobName, Broken};

/// A list is believed for so long.
const BELIEVED: Duration = Duration::from_secs(600);

/// After a failure nobody asks for so long: whoever looks at a page does not wait for each token.
const PAUSE: Duration = Duration::from_secs(5);

/// What was seen of each workspace, by where it lies.
#[derive(Debug, Default)]
pub(super) struct AllSeen {
    workspaces: Mutex<HashMap<String, Arc<Seen>>>,
}

/// What was seen of one workspace.
#[derive(Debug, Default)]
pub(super) struct Seen {
    names: Mutex<Names>,
}

#[derive(Debug, Default)]
struct Names {
    listed: Option<Instant>,
    failed: Option<Instant>,
    there: HashSet<BlobName>,
}

impl AllSeen {
    pub(super) fn of(&self, workspace: &str) -> Arc<Seen> {
        let mut all = self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seen) = all.get(workspace) {
            return Arc::clone(seen);
        }
        // What somebody still holds, or what is still believed, stays.
        all.retain(|_, seen| Arc::strong_count(seen) > 1 || seen.names().is_listed());
        Arc::clone(all.entry(workspace.to_owned()).or_default())
    }
}

impl Seen {
    fn names(&self) -> MutexGuard<'_, Names> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, name: &BlobName) {
        self.names().there.insert(name.clone());
    }

    pub(super) fn remove(&self, name: &BlobName) {
        self.names().there.remove(name);
    }

    /// Whether a token may stand for a blob. Where the store cannot be asked, the name is
    /// believed: a message must not lose its file because of a fault that passes, and whoever
    /// reads the bytes is told what is wrong.
    pub(super) fn is_there(
        &self,
        name: &BlobName,
        list: impl FnOnce() -> Result<Vec<BlobName>, S3Error>,
        ask: impl FnOnce() -> Result<bool, S3Error>,
    ) -> Result<(), Broken> {
        let mut names = self.names();
        if names.failed.is_some_and(|at| at.elapsed() < PAUSE) {
            return Ok(());
        }
        names.failed = None;
        let answer = if names.is_listed() {
            // Another node may have taken it in since.
            if names.there.contains(name) { Ok(true) } else { ask() }
        } else {
            list().map(|all| {
                names.there = all.into_iter().collect();
                names.listed = Some(Instant::now());
                names.there.contains(name)
            })
        };
        match answer {
            Ok(true) => {
                names.there.insert(name.clone());
                Ok(())
            }
            Ok(false) => Err(Broken::Missing),
            Err(_) => {
                names.failed = Some(Instant::now());
                Ok(())
            }
        }
    }
}

impl Names {
    fn is_listed(&self) -> bool {
        self.listed.is_some_and(|at| at.elapsed() < BELIEVED)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn name(digit: &str) -> BlobName {
        BlobName::parse(&format!("{}.txt", digit.repeat(64))).unwrap()
    }

    #[test]
    fn tea_1_a_history_of_tokens_asks_once() {
        let seen = Seen::default();
        let (lists, asks) = (Cell::new(0), Cell::new(0));
        let is_there = |one: &BlobName| {
            let list = || {
                lists.set(lists.get() + 1);
                Ok(vec![name("1"), name("2")])
            };
            let ask = || {
                asks.set(asks.get() + 1);
                Ok(*one == name("3"))
            };
            seen.is_there(one, list, ask)
        };
        for _ in 0..100 {
            assert_eq!(is_there(&name("1")), Ok(()));
            assert_eq!(is_there(&name("2")), Ok(()));
        }
        assert_eq!((lists.get(), asks.get()), (1, 0));
        // What another node took in since is asked for once, what is missing each time.
        for _ in 0..3 {
            assert_eq!(is_there(&name("3")), Ok(()));
            assert_eq!(is_there(&name("4")), Err(Broken::Missing));
        }
        assert_eq!((lists.get(), asks.get()), (1, 4));
    }

    #[test]
    fn tea_1_a_store_that_cannot_be_asked_breaks_no_token() {
        let seen = Seen::default();
        let asks = Cell::new(0);
        for _ in 0..100 {
            let fails = || {
                asks.set(asks.get() + 1);
                Err(S3Error::Ended)
            };
            assert_eq!(seen.is_there(&name("1"), fails, || Err(S3Error::Ended)), Ok(()));
        }
        assert_eq!(asks.get(), 1, "and is not asked again for each of them");
    }
}
