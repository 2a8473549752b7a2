//! The store of a data directory, as tests open it beside the program.

use std::{path::Path, sync::Arc};

use plimsoll_domain::Timestamp;
use plimsoll_store::Store;
use plimsoll_store_sql::{OpenOptions, PostgresStore, SqlStore};
use plimsoll_testkit::switch;

/// The variables with which a program finds what belongs to a data directory, where tests run on
/// PostgreSQL and an object store.
pub(crate) fn variables(data: &Path) -> Vec<(String, String)> {
    switch::variables(data, env!("CARGO_BIN_EXE_plimsoll"))
}

/// The store, made if there is none.
pub(crate) async fn open(data: &Path, at: Timestamp) -> Arc<dyn Store> {
    std::fs::create_dir_all(data).unwrap();
    let options = OpenOptions::default();
    let address = variables(data).into_iter().find(|(name, _)| name == "PLIMSOLL_STORE");
    match address {
        Some((_, address)) => Arc::new(PostgresStore::open(&address, options, at).await.unwrap()),
        None => {
            let path = data.join("plimsoll.db");
            Arc::new(SqlStore::open_sqlite(&path, options, at).await.unwrap())
        }
    }
}
