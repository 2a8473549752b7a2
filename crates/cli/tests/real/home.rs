//! Homes for the binary, what is kept in them, and the weights that all tests share.

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use plimsoll_domain::{Lifecycle, MessagePair, PairId};
use plimsoll_embedded::{FetchError, fetch};
use plimsoll_store::{Pairs, StoredPair, Topics, Workspace};
use plimsoll_testkit::pairs::{at, pair, topic};
use plimsoll_testkit::real;
use serde_json::Value;

use crate::{
    run::{Plimsoll, Ran, kept, plimsoll},
    store,
};

/// What the tests keep below the target directory from run to run.
pub(crate) fn cache() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// The weights, or none with a loud word about it.
pub(crate) fn weights() -> Option<PathBuf> {
    real::weights(cache(), |cache| {
        let fetched = fetch(cache, None, &mut |_| ControlFlow::Continue(()))?;
        Ok::<_, FetchError>(fetched.path().to_owned())
    })
}

/// A sentence of 12 tokens or so.
pub(crate) const SENTENCE: &str = "A ship may lie as deep as her load line shows. ";

/// A directory of settings with a data directory in it.
pub(crate) struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    pub(crate) fn command(&self, args: &[&str]) -> Plimsoll {
        plimsoll(args).env("PLIMSOLL_CONFIG_DIR", self.path()).env("PLIMSOLL_DATA_DIR", self.data())
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.command(args).run()
    }

    /// The newest receipt in full.
    pub(crate) fn receipt(&self) -> Value {
        let newest = self.run(&["receipts", "--json", "--limit", "1"]).json();
        self.run(&["receipts", newest["id"].as_str().unwrap()]).json()
    }

    /// The stages of the attempts of the newest receipt.
    pub(crate) fn stages(&self) -> Vec<String> {
        let receipt = self.receipt();
        let attempts = receipt["attempts"].as_array().unwrap();
        attempts.iter().map(|one| one["stage"].as_str().unwrap().to_owned()).collect()
    }

    /// Writes down answered pairs, one for each number of sentences.
    pub(crate) fn fill(&self, sentences: &[usize]) {
        std::fs::create_dir_all(self.data()).unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let store = store::open(&self.data(), at(0)).await;
            let workspace = Workspace::default();
            store.put_topic(&workspace, &topic()).await.unwrap();
            let answered = |(n, sentences): (u8, &usize)| MessagePair {
                id: PairId::new(at(i64::from(n) * 1000), [n; 10]),
                user_text: format!("question {n}"),
                assistant_text: Some(SENTENCE.repeat(*sentences)),
                lifecycle: Lifecycle::Complete,
                ..pair(n)
            };
            let pairs: Vec<_> = (1..).zip(sentences).map(answered).collect();
            store.insert_many(&workspace, &pairs).await.unwrap();
        });
    }

    /// Everything that is kept, oldest first.
    pub(crate) fn kept(&self) -> Vec<StoredPair> {
        kept(&self.data())
    }
}
