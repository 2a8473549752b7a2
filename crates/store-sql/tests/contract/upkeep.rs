//! Rules of a store as a whole.

use super::{Backend, answered, filled, pair, pair_id, ready};
use plimsoll_store::{Noun, StoreError, Workspace};

/// HIS-6: `default/main` needs no making.
pub(crate) async fn the_default_workspace_is_there(backend: &impl Backend) {
    let store = backend.open().await;
    assert_eq!(store.workspaces().await.unwrap(), [Workspace::default()]);
    let version = store.schema_version().await.unwrap();
    assert!(version.applied > 0 && !version.newest.is_empty());
}

/// What was confirmed is there for everyone, and both may write.
pub(crate) async fn a_second_handle_sees_what_the_first_wrote(backend: &impl Backend) {
    let (first, workspace) = ready(backend).await;
    let second = backend.open().await;
    first.insert(&workspace, &pair(1)).await.unwrap();
    assert_eq!(second.get(pair_id(1)).await.unwrap().pair, pair(1));
    second.insert(&workspace, &pair(2)).await.unwrap();
    assert_eq!(first.count(&workspace).await.unwrap(), 2);
}

/// A reader can tell that somebody else wrote, and is not woken by itself.
pub(crate) async fn changes_by_others_are_noticed(backend: &impl Backend) {
    let (first, workspace) = ready(backend).await;
    let second = backend.open().await;
    let before = first.changes_by_others().await.unwrap();
    first.insert(&workspace, &pair(1)).await.unwrap();
    assert_eq!(first.changes_by_others().await.unwrap(), before, "its own");
    second.insert(&workspace, &pair(2)).await.unwrap();
    assert_ne!(first.changes_by_others().await.unwrap(), before);
}

/// It is written while the store is in use, and never over anything.
pub(crate) async fn a_backup_is_a_store(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[answered(1), answered(2)]).await;
    let target = backend.scratch().join("backup");
    store.backup_to(&target).await.unwrap();
    assert!(std::fs::metadata(&target).unwrap().len() > 0);
    let again = store.backup_to(&target).await;
    assert_eq!(again.unwrap_err(), StoreError::Exists(Noun::File));
    store.insert(&workspace, &pair(3)).await.unwrap();
}

/// Also after deleting and vacuuming, which keeps search true.
pub(crate) async fn a_sound_store_has_no_findings(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[answered(1), answered(2), answered(3)]).await;
    store.delete(&[pair_id(2)]).await.unwrap();
    store.vacuum().await.unwrap();
    assert!(store.check().await.unwrap().is_empty());
    let hits = store.search(&workspace, "answer", 10).await.unwrap();
    assert_eq!(hits.len(), 2);
}
