//! Every rule of the contract, on a database of its own.

use std::{path::PathBuf, sync::Arc};

use crate::contract::Backend;
use async_trait::async_trait;
use plimsoll_store::Store;
use plimsoll_store_sql::{OpenOptions, PostgresStore};
use plimsoll_testkit::{pairs::at, postgres::Postgres};
use tempfile::TempDir;
use tokio::sync::OnceCell;

struct Database {
    address: String,
    scratch: TempDir,
}

/// A database as a store has it when it was just made. Copies of one are had faster.
async fn database() -> Option<Database> {
    static TEMPLATE: OnceCell<String> = OnceCell::const_new();
    let server = Postgres::shared()?;
    let template = TEMPLATE
        .get_or_init(|| async {
            let address = server.database();
            drop(PostgresStore::open(&address, OpenOptions::default(), at(0)).await.unwrap());
            address.rsplit('/').next().unwrap().to_owned()
        })
        .await;
    let scratch = TempDir::new().unwrap();
    let path = scratch.path().to_owned();
    let made = tokio::task::spawn_blocking(move || server.database_for(&path, template));
    Some(Database { address: made.await.unwrap(), scratch })
}

#[async_trait]
impl Backend for Database {
    async fn open(&self) -> Arc<dyn Store> {
        let options = OpenOptions { connections: 4, ..OpenOptions::default() };
        Arc::new(PostgresStore::open(&self.address, options, at(0)).await.unwrap())
    }

    fn scratch(&self) -> PathBuf {
        self.scratch.path().to_owned()
    }
}

crate::contract::contract_tests!(database().await);
