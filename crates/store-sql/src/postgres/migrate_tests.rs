//! Stores in PostgreSQL as earlier versions left them.

use plimsoll_store::{Pairs, Search, StoreError, Subject, Upkeep, Workspace, engine::Engine};
use plimsoll_testkit::{
    pairs::{at, pair_id, topic},
    postgres::Postgres,
};

use super::PostgresStore;
use crate::{OpenOptions, migrations::POSTGRES};

/// The last step of the first version that could be in PostgreSQL. None of its stores has fewer.
const FIRST: &str = "2026-11-30-words-postgres";

/// A conversation in the words of the first schema, which all later ones have.
fn filled(server: &Postgres, address: &str) {
    let (topic, pair) = (topic().id, pair_id(1));
    let sql = format!(
        "INSERT INTO topics (id, workspace, name) VALUES ('{topic}', 'default/main', 'tides');
         INSERT INTO pairs (id, workspace, created_at, topic_id, model, star, flag, lifecycle,
             has_image, has_attachment, cut, revision)
         VALUES ('{pair}', 'default/main', 1, '{topic}', 'm', 0, 'blue', 'complete', 0, 0, 0, 0);
         INSERT INTO pair_texts VALUES ('{pair}', 'When is high water?', 'At noon.')"
    );
    assert_eq!(server.run_sql(address, &sql), "");
}

/// Every one is opened by this version with all that was in it, searched included; from then on the
/// earlier version refuses it and leaves it as it is.
#[tokio::test(flavor = "multi_thread")]
async fn tea_5_rel_3_a_store_of_an_earlier_schema_is_brought_up_to_date() {
    let Some(server) = Postgres::shared() else { return };
    let options = || OpenOptions { connections: 2, ..OpenOptions::default() };
    let first = POSTGRES.iter().position(|step| step.name == FIRST).unwrap() + 1;
    for steps in first..POSTGRES.len() {
        let (known, address) = (&POSTGRES[..steps], server.database());
        let open_then = || PostgresStore::open_knowing(known, &address, options(), at(1));
        let then = open_then().await.unwrap();
        assert_eq!(then.report().applied.len(), steps);
        filled(server, &address);
        // That version cut the words of what it wrote before it ended.
        let settled = then.write(Subject::Everything, |_| Ok(())).await;
        assert!(settled.is_ok(), "{settled:?}");
        drop(then);

        let now = PostgresStore::open(&address, options(), at(2)).await.unwrap();
        assert_eq!(now.report().applied.len(), POSTGRES.len() - steps, "{steps} steps");
        let kept = now.get(pair_id(1)).await.unwrap().pair;
        assert_eq!(kept.user_text, "When is high water?", "{steps} steps");
        assert_eq!(kept.assistant_text.as_deref(), Some("At noon."), "{steps} steps");
        let found = now.search(&Workspace::default(), "water", 5).await.unwrap();
        assert_eq!(found.len(), 1, "{steps} steps");
        assert!(now.check().await.unwrap().is_empty(), "{steps} steps");

        if POSTGRES[steps..].iter().all(|step| step.older_goes_on) {
            continue;
        }
        let refused = open_then().await.err();
        assert!(matches!(refused, Some(StoreError::Newer { .. })), "{steps} steps: {refused:?}");
        assert!(now.get(pair_id(1)).await.is_ok(), "{steps} steps");
    }
}
