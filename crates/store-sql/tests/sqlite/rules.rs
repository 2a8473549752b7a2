//! Every rule of the contract, on a file of its own.

use std::{path::PathBuf, sync::Arc};

use crate::contract::Backend;
use async_trait::async_trait;
use plimsoll_store::Store;
use plimsoll_store_sql::{OpenOptions, SqlStore};
use plimsoll_testkit::pairs::at;
use tempfile::TempDir;

struct File(TempDir);

fn file() -> File {
    File(TempDir::new().unwrap())
}

#[async_trait]
impl Backend for File {
    async fn open(&self) -> Arc<dyn Store> {
        let path = self.0.path().join("plimsoll.db");
        Arc::new(SqlStore::open_sqlite(&path, OpenOptions::default(), at(0)).await.unwrap())
    }

    fn scratch(&self) -> PathBuf {
        self.0.path().to_owned()
    }
}

crate::contract::contract_tests!(Some(file()));
