//! PgBouncer, which hands a connection from transaction to transaction, between us and the
//! database (TEA-1).

use std::{
    fs,
    net::{TcpListener, TcpStream},
    os::unix::process::CommandExt,
    process::{Child, Command, Stdio},
};

use plimsoll_store::{Pairs, Search, Topics, Upkeep, Workspace};
use plimsoll_store_sql::{OpenOptions, PostgresStore};
use plimsoll_testkit::{
    pairs::{answered, at, topic},
    postgres::Postgres,
    real,
};
use tempfile::TempDir;

struct Bouncer(Child);

impl Drop for Bouncer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Two connections for everybody, so that those of a transaction are soon another's.
fn bouncer(server: &Postgres, directory: &TempDir) -> Option<(Bouncer, u16)> {
    let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"];
    let Some(program) = program.into_iter().find(|path| fs::metadata(path).is_ok()) else {
        real::skipped("this test needs PgBouncer (apt-get install pgbouncer)");
        return None;
    };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let users = directory.path().join("users.txt");
    fs::write(&users, "\"postgres\" \"\"\n").unwrap();
    let settings = format!(
        "[databases]\n* = host=127.0.0.1 port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
         listen_port = {port}\nauth_type = trust\nauth_file = {}\npool_mode = transaction\n\
         default_pool_size = 2\nmax_client_conn = 100\nunix_socket_dir =\n",
        server.port(),
        users.display()
    );
    let file = directory.path().join("pgbouncer.ini");
    fs::write(&file, settings).unwrap();
    // It does not run as root either.
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let owner = fs::metadata(server.directory()).unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(program);
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        command.uid(owner.uid()).gid(owner.gid());
    }
    let child = command.arg(&file).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut bouncer = Bouncer(child);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(bouncer.0.try_wait().unwrap().is_none(), "PgBouncer ended");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    Some((bouncer, port))
}

#[tokio::test(flavor = "multi_thread")]
async fn tea_1_a_pooler_may_stand_between() {
    let Some(server) = Postgres::shared() else { return };
    let directory = TempDir::new().unwrap();
    let Some((_bouncer, port)) = bouncer(server, &directory) else { return };
    let address = server.database();
    let name = address.rsplit('/').next().unwrap();
    let address = format!("postgres://postgres@127.0.0.1:{port}/{name}");
    let store = PostgresStore::open(&address, OpenOptions::default(), at(0)).await.unwrap();
    let workspace = Workspace::default();
    store.put_topic(&workspace, &topic()).await.unwrap();
    let mut jobs = tokio::task::JoinSet::new();
    for n in 1..=40_u8 {
        let (store, workspace) = (store.clone(), workspace.clone());
        jobs.spawn(async move {
            store.insert(&workspace, &answered(n)).await?;
            store.search(&workspace, "answer", 5).await.map(|found| found.len())
        });
    }
    for done in jobs.join_all().await {
        assert!(done.unwrap() > 0);
    }
    assert_eq!(store.count(&workspace).await.unwrap(), 40);
    assert!(store.check().await.unwrap().is_empty());
}
