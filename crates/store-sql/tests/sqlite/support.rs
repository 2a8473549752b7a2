//! Opening stores and running this very binary again as another process.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use plimsoll_domain::PairId;
use plimsoll_store::{HeldSend, Pairs, StoreResult, Topics, Workspace};
use plimsoll_store_sql::{OpenOptions, SqlStore};
use plimsoll_testkit::pairs::{at, topic};

/// The variable that turns a child test into a process of its own; it holds the path.
pub(crate) const CHILD: &str = "PLIMSOLL_STORE_TEST_CHILD";

/// A store with the usual options.
pub(crate) async fn open(path: &Path) -> StoreResult<SqlStore> {
    SqlStore::open_sqlite(path, OpenOptions::default(), at(0)).await
}

/// A store that has the topic of the contract's pairs.
pub(crate) async fn ready(path: &Path) -> SqlStore {
    let store = open(path).await.unwrap();
    store.put_topic(&Workspace::default(), &topic()).await.unwrap();
    store
}

/// This binary again, running one test as a child on a path.
pub(crate) fn child(test: &str, path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]);
    command.env(CHILD, path).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The path, if this process is a child.
pub(crate) fn child_path() -> Option<std::path::PathBuf> {
    std::env::var_os(CHILD).map(Into::into)
}

/// The send of a pair, whoever holds it; of a pair at rest, what nobody holds.
pub(crate) async fn held(store: &SqlStore, pair: PairId) -> HeldSend {
    let sends = store.sends_in_flight().await.unwrap();
    let found = sends.iter().find(|send| send.pair == pair);
    HeldSend { pair, epoch: found.map_or(0, |send| send.epoch) }
}
