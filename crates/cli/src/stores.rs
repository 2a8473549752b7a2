//! The place where a store is: a file, or a database that is a server.

use std::{fmt, path::PathBuf, sync::Arc};

use plimsoll_config::without_password;
use plimsoll_domain::Timestamp;
use plimsoll_store::Store;
use plimsoll_store_sql::{OpenOptions, PostgresStore, SqlStore, UNFINISHED};

use crate::failure::Failure;

/// Where a store is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StorePlace {
    File(PathBuf),
    /// By its address, which may hold a password.
    Server(String),
}

/// As people may see it.
impl fmt::Display for StorePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Server(address) => without_password(address).fmt(f),
        }
    }
}

/// Opens a store, or makes one; says whether there was none before.
pub(crate) async fn open(
    place: &StorePlace,
    options: OpenOptions,
    now: Timestamp,
) -> Result<(Arc<dyn Store>, bool), Failure> {
    let failed = |error| Failure::failed(format!("{place}: {error}"));
    let (store, made): (Arc<dyn Store>, bool) = match place {
        StorePlace::File(path) => {
            let store = SqlStore::open_sqlite(path, options, now).await;
            let store = store.map_err(failed)?;
            let made = store.report().made;
            (Arc::new(store), made)
        }
        StorePlace::Server(address) => {
            let store = open_server(address, options, now).await?;
            let made = store.report().made;
            (Arc::new(store), made)
        }
    };
    if store.value(UNFINISHED).await.map_err(failed)?.is_some() {
        return Err(Failure::failed(format!("{place}: a move into this store has not ended"))
            .hint("run `plimsoll move` again, it goes on where it was stopped"));
    }
    Ok((store, made))
}

/// Opens a store in PostgreSQL, whatever is in it.
pub(crate) async fn open_server(
    address: &str,
    options: OpenOptions,
    now: Timestamp,
) -> Result<PostgresStore, Failure> {
    let shown = without_password(address);
    if !["postgres://", "postgresql://"].iter().any(|scheme| address.starts_with(scheme)) {
        return Err(Failure::usage(format!("{shown} is no address of a database"))
            .hint("it is like postgres://USER:PASSWORD@HOST:PORT/DATABASE"));
    }
    let store = PostgresStore::open(address, options, now).await;
    store.map_err(|error| Failure::failed(format!("{shown}: {error}")))
}
