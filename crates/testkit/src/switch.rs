//! The switch that runs the tests of the app as a team runs the app: `PLIMSOLL_TEST_STORE=postgres`.
//! Then rows are in PostgreSQL and what attached files hold is in an object store. Each data
//! directory has a database and a part of the bucket of its own, and all programs that a test starts
//! in this directory share them.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use crate::{postgres::Postgres, s3_server::S3Server};

/// Where the address of the database of a directory is written down.
const ADDRESS: &str = "store-address";

fn is_asked_for() -> bool {
    std::env::var_os("PLIMSOLL_TEST_STORE").is_some_and(|value| value == "postgres")
}

/// For a test that is of SQLite or of a folder alone: whether it has to end here. It says why.
pub fn is_of_files_alone(why: &str) -> bool {
    if is_asked_for() {
        // The harness would keep a print of a passing test for itself.
        let _ = writeln!(std::io::stderr(), "NOT ON POSTGRESQL: {why}");
    }
    is_asked_for()
}

/// The database of the store that belongs to a directory, where the switch is on; made when it is
/// first asked for. `make` makes a store in an empty database: the first one is the model of all
/// others, since a copy is had faster.
pub fn test_store(directory: &Path, make: impl FnOnce(&str)) -> Option<String> {
    static MODEL: OnceLock<String> = OnceLock::new();
    if !is_asked_for() {
        return None;
    }
    let file = directory.join(ADDRESS);
    if let Ok(address) = fs::read_to_string(&file) {
        return Some(address);
    }
    let server = Postgres::shared()?;
    let model = MODEL.get_or_init(|| {
        let address = server.database();
        make(&address);
        name_of(&address).to_owned()
    });
    let made = fs::create_dir_all(directory);
    let address = server.database_for(directory, model);
    let written = made.and_then(|()| fs::write(&file, &address));
    assert!(written.is_ok(), "{}: {written:?}", file.display());
    Some(address)
}

/// What attached files hold, where the switch is on, by the database of their store: an address in
/// the object store, and the variables with which it is reached.
pub fn test_objects(store: &str) -> Option<(String, Vec<(String, String)>)> {
    let server = S3Server::shared()?;
    Some((server.address(name_of(store)), server.variables()))
}

/// Both as variables for a program that a test starts in a data directory. `program` is `plimsoll`.
pub fn variables(directory: &Path, program: &str) -> Vec<(String, String)> {
    let store = test_store(directory, |address| make_by(program, address));
    let Some(store) = store else { return Vec::new() };
    let mut all = Vec::new();
    if let Some((blobs, reached_by)) = test_objects(&store) {
        all = reached_by;
        all.push(("PLIMSOLL_BLOBS".to_owned(), blobs));
    }
    all.push(("PLIMSOLL_STORE".to_owned(), store));
    all
}

/// The files that hold the blobs of a workspace, whatever keeps them.
pub fn blobs_of(data: &Path, workspace: &str) -> Vec<PathBuf> {
    let store = fs::read_to_string(data.join(ADDRESS)).ok();
    let bucket = store.and_then(|store| Some((store, S3Server::shared()?.bucket_dir())));
    let directory = match bucket {
        Some((store, bucket)) => bucket.join(name_of(&store)).join(workspace).join("blobs"),
        None => data.join("conversations").join(workspace).join("context/blobs"),
    };
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}

fn make_by(program: &str, address: &str) {
    let directory = std::env::temp_dir().join(format!("plimsoll-model-{}", std::process::id()));
    let made = std::process::Command::new(program)
        .arg("topics")
        .env("PLIMSOLL_DATA_DIR", &directory)
        .env("PLIMSOLL_CONFIG_DIR", &directory)
        .env("PLIMSOLL_STORE", address)
        .output();
    let _ = fs::remove_dir_all(directory);
    let said = made
        .map(|made| (made.status.success(), String::from_utf8_lossy(&made.stderr).into_owned()));
    assert!(matches!(said, Ok((true, _))), "{program}: {said:?}");
}

fn name_of(address: &str) -> &str {
    address.rsplit('/').next().unwrap_or_default()
}
