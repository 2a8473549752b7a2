//! What a database that is a server can do to us, and what people are told (TEA-1, TEA-5).

use std::time::Duration;

use plimsoll_domain::Draft;
use plimsoll_store::{
    Outbox, Pairs, Preferences, StoreError, Subject, Topics, Workspace,
    engine::{Db, Engine},
    values,
};
use plimsoll_store_sql::{OpenOptions, PostgresStore};
use plimsoll_testkit::{
    pairs::{answered, at, pair_id, topic},
    postgres::Postgres,
    real,
};

fn impatient() -> OpenOptions {
    OpenOptions { busy_timeout: Duration::from_millis(300), ..OpenOptions::default() }
}

async fn refused(address: &str) -> String {
    let refused = PostgresStore::open(address, impatient(), at(0)).await;
    refused.err().unwrap_or_else(|| panic!("{address} was opened")).to_string()
}

/// Each gets one line that says what is wrong and what to do.
#[tokio::test]
async fn tea_1_what_cannot_be_opened_is_told_in_one_line() {
    let Some(server) = Postgres::shared() else { return };
    let nobody = refused("postgres://me@127.0.0.1:1/plimsoll").await;
    assert!(nobody.contains("cannot be reached") && nobody.contains("refused"), "{nobody}");
    let missing = refused(&server.address("no_such_database")).await;
    assert!(missing.contains("\"no_such_database\" does not exist"), "{missing}");
    let who = server.address("postgres").replace("postgres@", "nobody@");
    let who = refused(&who).await;
    assert!(who.contains("role \"nobody\" does not exist"), "{who}");
    let encrypted = format!("{}?sslmode=require", server.address("postgres"));
    let encrypted = refused(&encrypted).await;
    assert!(encrypted.contains("TLS"), "{encrypted}");
    let certificates = format!("{}?sslrootcert=/no/such.pem&sslmode=require", server.address("p"));
    let certificates = refused(&certificates).await;
    assert!(certificates.contains("`sslrootcert` /no/such.pem"), "{certificates}");
    let other = server.database();
    server.run_sql(&other, "CREATE TABLE theirs (a TEXT)");
    let other = refused(&other).await;
    assert!(other.contains("is not a Plimsoll store"), "{other}");
    for told in [nobody, missing, who, encrypted, certificates, other] {
        assert!(!told.contains('\n') && told.contains(';'), "{told}");
    }
}

#[tokio::test]
async fn tea_5_a_newer_store_is_refused_unless_it_says_that_we_can_go_on() {
    let Some(server) = Postgres::shared() else { return };
    let address = server.database();
    drop(PostgresStore::open(&address, impatient(), at(0)).await.unwrap());
    let newer = "INSERT INTO schema_migrations VALUES ('2999-01-01-more', 'x', 0, 0)";
    server.run_sql(&address, newer);
    let told = refused(&address).await;
    assert!(told.contains("2999-01-01-more") && told.contains("use that version"), "{told}");
    server.run_sql(&address, "UPDATE schema_migrations SET older_goes_on = 1 WHERE name > '2999'");
    let store = PostgresStore::open(&address, impatient(), at(0)).await.unwrap();
    store.put_topic(&Workspace::default(), &topic()).await.unwrap();
}

#[tokio::test]
async fn tea_5_nodes_that_start_together_make_one_store() {
    let Some(server) = Postgres::shared() else { return };
    let address = server.database();
    let open = || PostgresStore::open(&address, OpenOptions::default(), at(0));
    let (a, b, c) = tokio::join!(open(), open(), open());
    let applied: usize =
        [a, b, c].into_iter().map(|store| store.unwrap().report().applied.len()).sum();
    let there = server.run_sql(&address, "SELECT COUNT(*) FROM schema_migrations");
    assert_eq!(there, applied.to_string(), "each step is applied by one of them");
}

#[tokio::test]
async fn tea_1_a_database_that_must_not_be_written_to_says_so() {
    let Some(server) = Postgres::shared() else { return };
    let address = server.database();
    drop(PostgresStore::open(&address, impatient(), at(0)).await.unwrap());
    let name = address.rsplit('/').next().unwrap();
    let only = format!("ALTER DATABASE {name} SET default_transaction_read_only = on");
    server.run_sql(&address, &only);
    let store = PostgresStore::open(&address, impatient(), at(0)).await.unwrap();
    let told = store.put_topic(&Workspace::default(), &topic()).await.unwrap_err();
    assert!(matches!(told, StoreError::NotAllowed(_)), "{told}");
}

/// While it is away, writing fails with a clear line; a short absence is waited for.
#[tokio::test(flavor = "multi_thread")]
async fn tea_12_a_database_that_comes_back_is_gone_on_with() {
    if Postgres::shared().is_none() {
        return;
    }
    let mut server = match Postgres::start("") {
        Ok(server) => server,
        Err(why) => return real::skipped(&format!("this test needs PostgreSQL: {why}")),
    };
    let address = server.database();
    let options = OpenOptions { busy_timeout: Duration::from_secs(1), ..OpenOptions::default() };
    let store = PostgresStore::open(&address, options, at(0)).await.unwrap();
    let patient = OpenOptions { busy_timeout: Duration::from_secs(60), ..OpenOptions::default() };
    let patient = PostgresStore::open(&address, patient, at(0)).await.unwrap();
    let workspace = Workspace::default();
    store.put_topic(&workspace, &topic()).await.unwrap();
    store.insert(&workspace, &answered(1)).await.unwrap();

    server.stop().unwrap();
    let away = store.insert(&workspace, &answered(2)).await.unwrap_err();
    assert!(matches!(away, StoreError::Unreachable(_)), "{away}");
    let waiting = {
        let workspace = workspace.clone();
        tokio::spawn(async move { patient.insert(&workspace, &answered(3)).await })
    };
    let server = tokio::task::spawn_blocking(move || {
        server.run().unwrap();
        server
    });
    let server = server.await.unwrap();
    waiting.await.unwrap().unwrap();
    assert!(store.get(pair_id(1)).await.is_ok(), "what was saved is there");
    assert!(store.get(pair_id(3)).await.is_ok());
    store.insert(&workspace, &answered(4)).await.unwrap();
    drop(server);
}

/// A number that somebody saw is never given to another change: who heard of the first would never
/// hear of the second. A draft need not survive, its number must.
#[tokio::test(flavor = "multi_thread")]
async fn tea_12_no_number_of_a_change_is_given_twice_after_a_crash() {
    if Postgres::shared().is_none() {
        return;
    }
    // What need not survive stays in the memory of the database for long.
    let mut server = match Postgres::start("-c wal_writer_delay=10000") {
        Ok(server) => server,
        Err(why) => return real::skipped(&format!("this test needs PostgreSQL: {why}")),
    };
    let address = server.database();
    let store = PostgresStore::open(&address, OpenOptions::default(), at(0)).await.unwrap();
    let workspace = Workspace::default();
    store.put_topic(&workspace, &topic()).await.unwrap();
    let draft = Draft { text: "half a message".to_owned(), ..Draft::default() };
    store.put_draft(&workspace, None, &draft, at(1)).await.unwrap();
    let seen = store.newest_change(&workspace).await.unwrap();
    let server = tokio::task::spawn_blocking(move || {
        server.stop().unwrap();
        server.run().unwrap();
        server
    });
    let server = server.await.unwrap();
    store.insert(&workspace, &answered(1)).await.unwrap();
    let next = store.newest_change(&workspace).await.unwrap();
    assert!(next > seen, "{next} comes behind {seen}");
    drop(server);
}

/// A node that sleeps in a transaction, or whose network is gone, has locks that others wait for:
/// among them who would end its sends.
#[tokio::test(flavor = "multi_thread")]
async fn tea_7_who_falls_silent_in_a_transaction_holds_nobody_up() {
    let Some(server) = Postgres::shared() else { return };
    let address = server.database();
    let options = OpenOptions { silent_for: Duration::from_millis(200), ..OpenOptions::default() };
    let sleeper = PostgresStore::open(&address, options, at(0)).await.unwrap();
    let store = PostgresStore::open(&address, OpenOptions::default(), at(0)).await.unwrap();
    let workspace = Workspace::default();
    store.put_topic(&workspace, &topic()).await.unwrap();
    let (asleep, falls_asleep) = std::sync::mpsc::channel();
    let (wake, woken) = std::sync::mpsc::channel::<()>();
    let (asleep, woken) = (std::sync::Mutex::new(asleep), std::sync::Mutex::new(woken));
    let about = Subject::Workspace(workspace.clone());
    let sleeping = tokio::spawn(async move {
        let job = move |db: &mut dyn Db| {
            let _ = asleep.lock().unwrap().send(());
            // When it is tried again nobody is there to wake it, and it goes on at once.
            let _ = woken.lock().unwrap().recv();
            db.run("SELECT 1", values![]).map(drop)
        };
        sleeper.write(about, job).await
    });
    tokio::task::spawn_blocking(move || falls_asleep.recv().unwrap()).await.unwrap();
    let written = store.insert(&workspace, &answered(1));
    let written = tokio::time::timeout(Duration::from_secs(60), written).await;
    written.expect("nobody waits for who sleeps").unwrap();
    drop(wake);
    sleeping.await.unwrap().expect("what was undone is done again");
}

/// Writers of one workspace take turns, whatever handle they use: nothing is lost or counted twice.
#[tokio::test(flavor = "multi_thread")]
async fn tea_2_many_writers_of_one_workspace_take_turns() {
    let Some(server) = Postgres::shared() else { return };
    let address = server.database();
    let workspace = Workspace::default();
    let mut stores = Vec::new();
    for _ in 0..3 {
        let options = OpenOptions { connections: 5, ..OpenOptions::default() };
        stores.push(PostgresStore::open(&address, options, at(0)).await.unwrap());
    }
    stores[0].put_topic(&workspace, &topic()).await.unwrap();
    let mut writers = tokio::task::JoinSet::new();
    for n in 1..=60_u8 {
        let (store, workspace) = (stores[usize::from(n) % 3].clone(), workspace.clone());
        writers.spawn(async move { store.insert(&workspace, &answered(n)).await });
    }
    for written in writers.join_all().await {
        written.unwrap();
    }
    use plimsoll_store::Upkeep;
    assert_eq!(stores[1].count(&workspace).await.unwrap(), 60);
    assert!(stores[2].check().await.unwrap().is_empty(), "the words were counted in turns");
}
