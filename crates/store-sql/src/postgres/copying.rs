//! A copy of the store in a file.

use std::path::Path;

use plimsoll_store::{StoreError, StoreResult};

use super::PostgresStore;

pub(super) async fn to_file(_store: &PostgresStore, _target: &Path) -> StoreResult<()> {
    Err(StoreError::Failed("no backup yet".to_owned()))
}
