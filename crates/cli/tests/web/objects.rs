//! Files in an object store (TEA-1): a page of a server whose bucket comes and goes.

use plimsoll_testkit::{
    http::{self, Answer},
    s3_server::S3Server,
    scripted::{Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::served::Served;

/// A picture of two points.
const PICTURE: &[u8] =
    b"\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x02\
    \x00\x00\x00\x01\x08\x02\x00\x00\x00\x7b\x40\xe8\xdd\x00\x00\x00\x0f\x49\x44\x41\
    \x54\x78\x9c\x63\xe0\xe4\x60\x67\x63\x65\x01\x00\x00\xa1\x00\x28\x1c\x13\x64\x72\
    \x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";

fn served(objects: &S3Server) -> (ScriptedServer, Served) {
    let server = ScriptedServer::always(Reply::openai(&["seen"], 10, 2)).unwrap();
    let served = Served::start_watched(&server, 8192, |_| {
        let blobs = ("PLIMSOLL_BLOBS".to_owned(), objects.address("team"));
        let all = objects.variables().into_iter().chain([blobs]);
        all.map(|(name, value)| (name.into(), value.into())).collect()
    });
    (server, served)
}

fn put(served: &Served, name: &str, bytes: &[u8]) -> Answer {
    let kind = [("Content-Type", "application/octet-stream")];
    http::request(&served.address, "POST", &format!("/api/files?name={name}"), &kind, bytes)
        .unwrap()
}

fn id_of(answer: &Answer) -> String {
    assert_eq!(answer.status, 201, "{}", answer.body);
    let file: Value = serde_json::from_str(&answer.body).unwrap();
    file["id"].as_str().unwrap().to_owned()
}

#[test]
fn tea_1_a_page_shows_what_is_in_an_object_store() {
    let objects = S3Server::start().unwrap();
    let (_server, served) = served(&objects);
    let (notes, picture) = (
        id_of(&put(&served, "notes.txt", b"A mark on the hull.")),
        id_of(&put(&served, "a.png", PICTURE)),
    );
    assert_eq!(objects.keys().len(), 2);
    let again = id_of(&put(&served, "b.txt", b"A mark on the hull."));
    let blobs = |key: &&String| key.contains("/blobs/");
    assert_eq!(objects.keys().iter().filter(blobs).count(), 2, "the same bytes are kept once");
    // A machine that has no copies, and one that has.
    for _ in 0..2 {
        let _ = std::fs::remove_dir_all(served.home().join("data/copies"));
        let whole = served.json("GET", &format!("/api/files/{again}"), None);
        let text = json!({"kind": "text", "text": "A mark on the hull.", "more": false});
        assert_eq!(whole["preview"], text);
        let content = served.ask("GET", &format!("/api/files/{notes}/content"), None);
        assert_eq!((content.status, content.body.as_str()), (200, "A mark on the hull."));
        let thumbnail = served.ask("GET", &format!("/api/files/{picture}/thumbnail"), None);
        assert_eq!(thumbnail.status, 200);
    }
    let value = Some(json!({"value": "s3://elsewhere"}));
    served.refused("PUT", "/api/settings/blobs", value.clone(), 404, "not_found");
    served.refused("PUT", "/api/settings/store", value, 404, "not_found");
    let settings = served.ask("GET", "/api/settings", None).body;
    assert!(!settings.contains("\"store\"") && !settings.contains("\"blobs\""), "{settings}");
}

#[test]
fn tea_1_a_page_goes_on_while_the_object_store_is_away() {
    let mut objects = S3Server::start().unwrap();
    let (_server, served) = served(&objects);
    let before = id_of(&put(&served, "before.txt", b"before"));
    objects.stop();
    let refused = put(&served, "meanwhile.txt", b"meanwhile");
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert!(refused.body.contains("cannot be reached"), "{}", refused.body);
    assert!(!refused.body.contains(S3Server::SECRET) && !refused.body.contains(S3Server::KEY_ID));
    let listed = served.json("GET", "/api/files", None);
    assert_eq!(listed["files"].as_array().unwrap().len(), 1, "nothing of it is there");
    let content = served.ask("GET", &format!("/api/files/{before}/content"), None);
    assert_eq!(content.body, "before", "there is a copy");
    assert_eq!(served.ask("GET", "/", None).status, 200);
    objects.start_again().unwrap();
    id_of(&put(&served, "meanwhile.txt", b"meanwhile"));
    assert_eq!(objects.keys().len(), 2);
}
