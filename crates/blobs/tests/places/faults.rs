//! What goes wrong with an object store: one clear line each, nothing half-stored, and a retry
//! that works (TEA-1).

use plimsoll_blobs::{BlobError, Blobs, S3Error, S3Store};
use plimsoll_testkit::s3_server::S3Server;
use tempfile::TempDir;

use crate::contract::{nobody, noise, take_in};

type Variables = Vec<(String, String)>;

fn blobs_at(address: &str, variables: Variables, dir: &TempDir) -> Blobs {
    let store = S3Store::connect(address, variables, dir.path().join("copies")).unwrap();
    Blobs::open_s3(dir.path().join("context"), &store, &["default", "main"]).unwrap()
}

fn blobs_of(server: &S3Server, dir: &TempDir) -> Blobs {
    blobs_at(&server.address("files"), server.variables(), dir)
}

fn with(mut variables: Variables, name: &str, value: &str) -> Variables {
    variables.retain(|(variable, _)| variable != name);
    variables.push((name.to_owned(), value.to_owned()));
    variables
}

fn write(blobs: &Blobs, bytes: &[u8]) -> Result<plimsoll_blobs::Blob, BlobError> {
    let mut intake = blobs.begin("a.bin", None)?;
    intake.write(bytes)?;
    intake.finish()
}

/// Every way into the store says the same line, which holds these words and no key.
fn fails_with(blobs: &Blobs, words: &[&str]) -> S3Error {
    let mut lines = vec![
        write(blobs, b"never stored").unwrap_err(),
        blobs.list().unwrap_err(),
        blobs.read(&nobody(), 9).unwrap_err(),
        blobs.read_start(&nobody(), 9).unwrap_err(),
        blobs.check(&nobody()).unwrap_err(),
        blobs.size(&nobody()).unwrap_err(),
        blobs.remove(&nobody()).unwrap_err(),
    ];
    for line in &lines {
        let said = line.to_string();
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
        assert!(!said.contains('\n') && said.len() < 250, "{said}");
        for secret in [S3Server::KEY_ID, S3Server::SECRET, "wrong-key-id", "wrong-secret"] {
            assert!(!format!("{said} {line:?}").contains(secret), "{line:?}");
        }
    }
    let Some(BlobError::S3(error)) = lines.pop() else { unreachable!("all say the same") };
    error
}

#[test]
fn tea_1_a_wrong_endpoint_is_named() {
    let (server, dir) = (S3Server::start().unwrap(), TempDir::new().unwrap());
    let nowhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let endpoint = format!("http://{nowhere}");
    let variables = with(server.variables(), "AWS_ENDPOINT_URL", &endpoint);
    let blobs = blobs_at(&server.address("files"), variables, &dir);
    let error = fails_with(&blobs, &[&endpoint, "cannot be reached", "AWS_ENDPOINT_URL"]);
    assert!(matches!(error, S3Error::Unreachable { .. }));
    // A server that is no object store.
    let page = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", page.local_addr().unwrap());
    std::thread::spawn(move || {
        use std::io::{Read, Write};
        for mut socket in page.incoming().flatten() {
            let _ = socket.read(&mut [0; 4096]);
            let _ = socket.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
        }
    });
    let variables = with(server.variables(), "AWS_ENDPOINT_URL", &endpoint);
    let store = S3Store::connect("s3://files", variables, dir.path()).unwrap();
    let said = store.check().unwrap_err().to_string();
    assert!(said.contains(&endpoint), "{said}");
}

#[test]
fn tea_1_wrong_keys_are_said_and_never_shown() {
    let (server, dir) = (S3Server::start().unwrap(), TempDir::new().unwrap());
    for (name, value) in
        [("AWS_ACCESS_KEY_ID", "wrong-key-id"), ("AWS_SECRET_ACCESS_KEY", "wrong-secret")]
    {
        let variables = with(server.variables(), name, value);
        let blobs = blobs_at(&server.address("files"), variables, &dir);
        let error = fails_with(&blobs, &["refuses the keys", "AWS_SECRET_ACCESS_KEY"]);
        assert!(matches!(error, S3Error::Refused { .. }));
    }
    let store = S3Store::connect(&server.address("files"), server.variables(), dir.path()).unwrap();
    let blobs = Blobs::open_s3(dir.path(), &store, &["p", "w"]).unwrap();
    let shown = format!("{store:?} {store} {blobs:?}");
    assert!(!shown.contains(S3Server::KEY_ID) && !shown.contains(S3Server::SECRET), "{shown}");
    assert!(server.keys().is_empty());
}

#[test]
fn tea_1_a_missing_bucket_is_named() {
    let (server, dir) = (S3Server::start().unwrap(), TempDir::new().unwrap());
    let blobs = blobs_at("s3://nobody-made-it/files", server.variables(), &dir);
    let error = fails_with(&blobs, &["no bucket 'nobody-made-it'", &server.endpoint()]);
    assert!(matches!(error, S3Error::NoBucket { .. }));
    // It is made, and the same handle goes on.
    std::fs::create_dir(server.bucket_dir().with_file_name("nobody-made-it")).unwrap();
    assert!(take_in(&blobs, "a.txt", b"now it is there").new);
}

#[test]
fn tea_1_a_store_that_stops_anywhere_in_an_upload_leaves_nothing_half() {
    let (mut server, dir) = (S3Server::start().unwrap(), TempDir::new().unwrap());
    let bytes = noise(20 << 20);
    let name = format!("{}.bin", blake3::hash(&bytes).to_hex());
    let mut requests = 0;
    let whole = loop {
        let blobs = blobs_of(&server, &dir);
        server.answer_only(requests);
        match write(&blobs, &bytes) {
            Ok(blob) => break blob,
            Err(error) => {
                let broken_off = matches!(error, BlobError::S3(S3Error::Unreachable { .. }));
                assert!(broken_off, "{error:?}");
            }
        }
        server.start_again().unwrap();
        assert_eq!(blobs.list().unwrap(), [], "after {requests} answers");
        assert_eq!(server.keys(), [""; 0]);
        let left = std::fs::read_dir(dir.path().join("context/tmp")).unwrap().count();
        assert_eq!(left, 0, "what was on its way is not left here");
        requests += 1;
    };
    assert!(requests >= 6, "it was broken off at each of {requests} places");
    assert!(whole.new && whole.name.to_string() == name);
    server.start_again().unwrap();
    assert_eq!(blobs_of(&server, &dir).check(&whole.name).unwrap(), 20 << 20);
}

#[test]
fn tea_1_the_same_handle_goes_on_when_the_store_is_back() {
    let (mut server, dir) = (S3Server::start().unwrap(), TempDir::new().unwrap());
    let blobs = blobs_of(&server, &dir);
    let before = take_in(&blobs, "a.txt", b"before");
    let token = blobs.path(&before.name);
    assert!(blobs.resolve(token.to_str().unwrap()).is_ok());
    server.stop();
    assert!(matches!(
        write(&blobs, b"meanwhile").unwrap_err(),
        BlobError::S3(S3Error::Unreachable { .. })
    ));
    assert!(matches!(blobs.list(), Err(BlobError::S3(S3Error::Unreachable { .. }))));
    assert_eq!(blobs.read(&before.name, 99).unwrap(), b"before", "there is a copy");
    // A token is not taken for broken because nobody can be asked.
    let elsewhere = TempDir::new().unwrap();
    let other = blobs_of(&server, &elsewhere);
    for blobs in [&blobs, &other] {
        assert_eq!(blobs.resolve(token.to_str().unwrap()), Ok(before.name.clone()));
    }
    assert!(matches!(
        other.read(&before.name, 99),
        Err(BlobError::S3(S3Error::Unreachable { .. }))
    ));
    server.start_again().unwrap();
    assert!(write(&blobs, b"meanwhile").unwrap().new, "nothing of the first try is there");
    assert_eq!(other.read(&before.name, 99).unwrap(), b"before");
    assert_eq!(blobs.list().unwrap().len(), 2);
}

#[test]
fn tea_1_a_store_that_stops_in_the_middle_of_a_read_says_so() {
    let (mut server, dir) = (S3Server::start().unwrap(), TempDir::new().unwrap());
    let bytes = noise(40 << 20);
    let blob = take_in(&blobs_of(&server, &dir), "a.bin", &bytes);
    let elsewhere = TempDir::new().unwrap();
    let blobs = blobs_of(&server, &elsewhere);
    // It answers whether there is a bucket, how large the object is, and the first parts.
    server.answer_only(4);
    let stopped = blobs.read(&blob.name, u64::MAX).unwrap_err();
    assert!(matches!(stopped, BlobError::S3(S3Error::Unreachable { .. })), "{stopped:?}");
    server.answer_only(2);
    assert!(blobs.check(&blob.name).is_err(), "half of it is not taken for all of it");
    server.start_again().unwrap();
    assert_eq!(blobs.read(&blob.name, u64::MAX).unwrap(), bytes);
}

#[test]
fn tea_1_what_was_altered_in_the_store_is_not_handed_out() {
    let (server, dir) = (S3Server::start().unwrap(), TempDir::new().unwrap());
    let blob = take_in(&blobs_of(&server, &dir), "a.txt", b"content");
    let object = server.bucket_dir().join("files/default/main/blobs").join(blob.name.to_string());
    std::fs::write(&object, b"Content").unwrap();
    let elsewhere = TempDir::new().unwrap();
    let blobs = blobs_of(&server, &elsewhere);
    assert!(matches!(blobs.open_blob(&blob.name), Err(BlobError::Altered(_))));
    assert!(matches!(blobs.local_path(&blob.name), Err(BlobError::Altered(_))));
    assert!(matches!(blobs.read(&blob.name, 99), Err(BlobError::Altered(_))));
    std::fs::write(&object, b"content").unwrap();
    assert_eq!(blobs.read(&blob.name, 99).unwrap(), b"content");
}
