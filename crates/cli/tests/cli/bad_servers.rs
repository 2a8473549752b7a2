//! A team's database that is not as it should be (TEA-1, REL-2): each is one clear line, no password
//! is shown, and nothing is lost.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

use plimsoll_testkit::{
    postgres::Postgres,
    real,
    scripted::{Reply, ScriptedServer},
};

use crate::{
    run::{Plimsoll, Ran},
    send::Home,
};

const PASSWORD: &str = "canary-password";

/// A node: a home whose store is at an address.
struct Node {
    home: Home,
    store: String,
    _server: ScriptedServer,
}

impl Node {
    fn at(store: &str) -> Self {
        let server = ScriptedServer::always(Reply::openai(&["At noon."], 14, 6)).unwrap();
        Self { home: Home::new(&server, 4_000_000), store: store.to_owned(), _server: server }
    }

    fn command(&self, args: &[&str]) -> Plimsoll {
        self.home.command(args).env("PLIMSOLL_STORE", &self.store)
    }

    #[track_caller]
    fn does(&self, args: &[&str]) -> Ran {
        let ran = self.command(args).run();
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        ran
    }

    /// One line says it, and what to do; the password is in none.
    #[track_caller]
    fn refused(&self, args: &[&str], code: i32, said: &str) {
        let ran = self.command(args).run();
        ran.refused(code, said);
        let errors = ran.stderr.lines().filter(|line| line.starts_with("error: "));
        assert_eq!(errors.count(), 1, "{}", ran.stderr);
        assert!(ran.stderr.contains(';') || ran.stderr.contains("hint: "), "{}", ran.stderr);
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains(PASSWORD), "{}", ran.stderr);
    }

    /// What was asked before is there.
    #[track_caller]
    fn holds(&self, text: &str) {
        let all = self.does(&["export", "--format", "json"]).stdout;
        assert!(all.contains(text), "{text:?} in {all}");
    }
}

/// A server that asks for a password and speaks TLS, with a certificate that it made for itself;
/// also the file with the certificate.
fn guarded(directory: &Path) -> Result<(Postgres, String), String> {
    fs::set_permissions(directory, fs::Permissions::from_mode(0o755)).unwrap();
    let path = |name: &str| directory.join(name).to_str().unwrap().to_owned();
    let (key, certificate, rules) = (path("server.key"), path("server.crt"), path("hba"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=db"])
        .args(["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=CA:FALSE"])
        .args(["-keyout", &key, "-out", &certificate])
        .output();
    if !made.is_ok_and(|made| made.status.success()) {
        return Err("openssl is not there".to_owned());
    }
    Postgres::give_to_owner(Path::new(&key)).unwrap();
    let text = "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
    fs::write(&rules, text).unwrap();
    let options = format!(
        "-c hba_file={rules} -c ssl=on -c ssl_cert_file={certificate} -c ssl_key_file={key}"
    );
    let server = Postgres::start(&options).map_err(|why| why.to_string())?;
    Ok((server, certificate))
}

/// The address of a database as another account enters it.
fn as_account(address: &str, account: &str) -> String {
    address.replace("postgres@", &format!("{account}@"))
}

#[test]
fn tea_1_a_wrong_address_is_one_line() {
    let wrong = [
        ("postgres://127.0.0.1:1/plimsoll", 1, "cannot be reached"),
        ("postgres://me@no-such-host.invalid/plimsoll", 1, "cannot be reached"),
        ("postgres://127.0.0.1:port/plimsoll", 1, "the address of the store cannot be used"),
        ("postgres://127.0.0.1/p?sslmode=maybe", 1, "`sslmode=maybe` is unknown"),
        ("postgres://127.0.0.1/p?colour=red", 1, "the address of the store cannot be used"),
    ];
    for (address, code, said) in wrong {
        let address = address.replace("//127", &format!("//me:{PASSWORD}@127"));
        Node::at(&address).refused(&["topics"], code, said);
    }
    Node::at("mysql://127.0.0.1/plimsoll").refused(&["topics"], 2, "postgres://");
}

#[test]
fn tea_1_a_wrong_password_or_certificate_is_one_line_and_nothing_is_lost() {
    if Postgres::shared().is_none() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let (server, certificate) = match guarded(directory.path()) {
        Ok(guarded) => guarded,
        Err(why) => return real::skipped(&format!("a database that asks for a password: {why}")),
    };
    let address = server.database();
    let name = address.rsplit('/').next().unwrap();
    let own = format!(
        "CREATE ROLE team LOGIN PASSWORD '{PASSWORD}'; ALTER DATABASE {name} OWNER TO team"
    );
    assert_eq!(server.run_sql(&server.address("postgres"), &own), "");
    assert_eq!(server.run_sql(&address, "ALTER SCHEMA public OWNER TO team"), "");

    let right = as_account(&address, &format!("team:{PASSWORD}"));
    let node = Node::at(&right);
    node.does(&["send", "When is high water?"]);
    let wrong = as_account(&address, &format!("team:not-the-{PASSWORD}"));
    let send = ["send", "And low water?"];
    Node::at(&wrong).refused(&send, 1, "password authentication failed");
    Node::at(&as_account(&address, "team")).refused(&send, 1, "password");

    // Encrypted: a certificate that nobody vouches for, one that is trusted, a name that is not its.
    let local = right.replace("127.0.0.1", "localhost");
    Node::at(&format!("{local}?sslmode=require")).refused(&send, 1, "certificate");
    let trusting = format!("?sslmode=require&sslrootcert={certificate}");
    Node::at(&format!("{local}{trusting}")).holds("When is high water?");
    Node::at(&format!("{right}{trusting}")).refused(&send, 1, "certificate");
    let elsewhere = format!("{local}?sslmode=require&sslrootcert=/no/such.pem");
    Node::at(&elsewhere).refused(&send, 1, "`sslrootcert` /no/such.pem cannot be used");
    node.holds("When is high water?");
}

#[test]
fn tea_1_a_database_that_may_not_be_written_to_is_one_line_and_is_read() {
    let Some(server) = Postgres::shared() else { return };
    let address = server.database();
    let node = Node::at(&address);
    node.does(&["send", "When is high water?"]);
    let name = address.rsplit('/').next().unwrap();
    let only = |on: &str| {
        let sql = format!("ALTER DATABASE {name} SET default_transaction_read_only = {on}");
        assert_eq!(server.run_sql(&server.address("postgres"), &sql), "");
    };
    only("on");
    node.refused(&["send", "And low water?"], 1, "the database does not let us write");
    node.holds("When is high water?");
    only("off");

    // An account that may read alone, and one that may do nothing.
    let who = format!("{name}_reader");
    let rights = format!(
        "CREATE ROLE {who} LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO {who};
         GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO {who}; CREATE ROLE {name}_nobody LOGIN"
    );
    assert_eq!(server.run_sql(&address, &rights), "");
    let reader = Node::at(&as_account(&address, &who));
    reader.holds("When is high water?");
    reader.refused(&["send", "And low water?"], 1, "the database does not let us write");
    let nobody = Node::at(&as_account(&address, &format!("{name}_nobody")));
    nobody.refused(&["topics"], 1, "permission denied");
    // In an empty database nobody but its owner may make tables.
    let empty = as_account(&server.database(), &format!("{name}_nobody"));
    Node::at(&empty).refused(&["topics"], 1, "the database does not let us write");

    node.does(&["send", "And low water?"]);
    node.holds("And low water?");
}

#[test]
fn tea_5_a_newer_store_or_another_program_s_is_one_line_and_stays_as_it_is() {
    let Some(server) = Postgres::shared() else { return };
    let address = server.database();
    let node = Node::at(&address);
    node.does(&["send", "When is high water?"]);
    let newer = "INSERT INTO schema_migrations VALUES ('2999-01-01-more', 'x', 0, 0)";
    assert_eq!(server.run_sql(&address, newer), "");
    node.refused(&["send", "And low water?"], 1, "written by a newer version");
    let pairs = server.run_sql(&address, "SELECT COUNT(*) FROM pairs");
    assert_eq!(pairs, "1", "it was left as it is");
    assert_eq!(server.run_sql(&address, "DELETE FROM schema_migrations WHERE name > '2999'"), "");
    node.holds("When is high water?");

    let theirs = server.database();
    assert_eq!(server.run_sql(&theirs, "CREATE TABLE theirs (a TEXT)"), "");
    Node::at(&theirs).refused(&["topics"], 1, "is not a Plimsoll store");
    let tables = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'public'";
    assert_eq!(server.run_sql(&theirs, tables), "1");
}

/// The disk under the tables is full, while the server itself goes on.
#[cfg(target_os = "linux")]
#[test]
fn rel_2_a_database_whose_disk_is_full_is_one_line_and_costs_nothing() {
    if Postgres::shared().is_none() {
        return;
    }
    let server = match Postgres::start_with_a_small_disk("48m") {
        Ok(server) => server,
        Err(why) => return real::skipped(&format!("a full disk needs a small one: {why}")),
    };
    let made = "CREATE DATABASE small_one TEMPLATE template0 TABLESPACE small";
    assert_eq!(server.run_sql(&server.address("postgres"), made), "");
    let address = server.address("small_one");
    let node = Node::at(&address);
    node.does(&["send", "When is high water?"]);
    // Something else takes the room, piece by piece, until there is none.
    assert_eq!(server.run_sql(&address, "CREATE SCHEMA other; CREATE TABLE other.b (t TEXT)"), "");
    let piece = "ALTER TABLE other.b ALTER t SET STORAGE PLAIN;
        INSERT INTO other.b SELECT repeat('x', 8000) FROM generate_series(1, 8)";
    for _ in 0..2000 {
        if !server.run_sql(&address, piece).is_empty() {
            break;
        }
    }
    let large: String = (0..60_000).map(|n: u64| format!("{:x} ", n * 7_919 % 65_521)).collect();
    let full = "the disk is full; free some space and try again, what was saved is intact";
    node.command(&["send", "Keep this:"]).input(&large).run().refused(1, full);
    node.holds("When is high water?");
    assert_eq!(server.run_sql(&address, "DROP TABLE other.b"), "");
    node.does(&["send", "And low water?"]);
    node.holds("And low water?");
    assert!(node.does(&["verify"]).code == 0);
}
