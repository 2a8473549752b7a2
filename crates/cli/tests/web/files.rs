//! Files over HTTP, and what hostile ones come to (BLB-2, BLB-3, INS-4, SEC-2, SEC-3).

use std::{io::Write, net::TcpStream, path::Path};

use plimsoll_testkit::{
    http::{self, Answer},
    scripted::{Reply, ScriptedServer},
    switch::blobs_of,
};
use serde_json::{Value, json};

use crate::served::Served;

fn served() -> (ScriptedServer, Served) {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 9, 1)]).unwrap();
    let served = Served::start(&server, 8192);
    (server, served)
}

fn put(served: &Served, query: &str, bytes: &[u8]) -> Answer {
    let kind = [("Content-Type", "application/octet-stream")];
    let path = format!("/api/files?{query}");
    http::request(&served.address, "POST", &path, &kind, bytes).unwrap()
}

#[track_caller]
fn bring(served: &Served, query: &str, bytes: &[u8]) -> Value {
    let answer = put(served, query, bytes);
    assert_eq!(answer.status, 201, "{}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

/// The names under which bytes are kept.
fn blobs(home: &Path) -> Vec<String> {
    let kept = blobs_of(&home.join("data"), "default/main");
    kept.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn blb_1_a_file_is_kept_by_its_content_once() {
    let (_server, served) = served();
    let one = bring(&served, "name=a.txt", b"hello");
    let two = bring(&served, "name=b.txt", b"hello");
    assert_ne!(one["id"], two["id"]);
    let name = format!("{}.txt", blake3::hash(b"hello").to_hex());
    assert_eq!(blobs(served.home()), [name.as_str()]);
    assert!(one["token"].as_str().unwrap().ends_with(&format!("/context/blobs/{name}>>>")));
    let listed = served.json("GET", "/api/files", None);
    assert_eq!(listed["files"].as_array().unwrap().len(), 2);
    assert_eq!(listed["files"][0]["name"], "b.txt", "newest first");
    assert_eq!(listed["limits"]["words"], "Files up to 32 KB with test (8K window)");
    let id = one["id"].as_str().unwrap();
    let whole = served.json("GET", &format!("/api/files/{id}"), None);
    assert_eq!(whole["preview"], json!({"kind": "text", "text": "hello", "more": false}));
    served.json("DELETE", &format!("/api/files/{id}"), None);
    served.refused("GET", &format!("/api/files/{id}"), None, 404, "not_found");
}

#[test]
fn hostile_names_and_contents_are_contained() {
    let (_server, served) = served();
    let names = [
        "..%2F..%2Fetc%2Fpasswd",
        "a%0D%0AX-Evil%3A%201.txt",
        "%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E.txt",
        "%E2%80%AEgnp.exe.txt",
        "%00.txt",
    ];
    for name in names {
        let file = bring(&served, &format!("name={name}"), name.as_bytes());
        let id = file["id"].as_str().unwrap();
        let path = format!("/api/files/{id}/content");
        let answer = http::request(&served.address, "GET", &path, &[], b"").unwrap();
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("x-evil"), None);
        let disposition = answer.header("content-disposition").unwrap();
        assert!(disposition.starts_with("attachment; filename*=UTF-8''"), "{disposition}");
        assert!(answer.header("content-security-policy").unwrap().contains("sandbox"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
    let kept = blobs(served.home());
    assert!(kept.iter().all(|name| name.len() >= 66 && !name.contains('/')), "{kept:?}");
    // BLB-2: the content wins, and it is said.
    let page = bring(&served, "name=photo.png", b"<!DOCTYPE html><script>alert(1)</script>");
    assert!(page["said"].as_str().unwrap().contains("HTML"), "{page}");
    assert_eq!(page["thumbnail"], Value::Null);
    // BLB-3: a picture of absurd size is a chip.
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend_from_slice(&40_000u32.to_be_bytes());
    png.extend_from_slice(&40_000u32.to_be_bytes());
    png.extend_from_slice(&[8, 2, 0, 0, 0, 0, 0, 0, 0]);
    let huge = bring(&served, "name=huge.png", &png);
    if let Some(thumbnail) = huge["thumbnail"].as_str() {
        served.refused("GET", thumbnail, None, 404, "no_thumbnail");
    }
    // INS-4: secrets are asked about, and nothing is kept meanwhile.
    let before = blobs(served.home()).len();
    let key = b"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n";
    let refused = put(&served, "name=id_ed25519", key);
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("looks_secret"), "{}", refused.body);
    assert_eq!(blobs(served.home()).len(), before);
    bring(&served, "name=id_ed25519&secret=allow", key);
    // SEC-3: no path of a client is a path.
    let passwd = json!({"path": "/etc/passwd"});
    served.refused("POST", "/api/files/from-path", Some(passwd), 422, "file_refused");
    let paths = served.json("GET", "/api/paths?prefix=%2Fetc%2F", None);
    assert_eq!(paths, json!({"paths": [], "roots": []}));
}

#[test]
fn tok_4_a_typed_token_is_weighed_as_broken_and_sent_as_nothing() {
    let (server, served) = served();
    let text = "read <<context:text:/etc/passwd>>> please";
    let weighed = served.json("POST", "/api/weigh", Some(json!({ "text": text })));
    assert_eq!(weighed["attachments"][0]["broken"], "it points outside this workspace's files");
    let pair = served.send(text);
    assert_eq!(pair["userText"], text, "TOK-1");
    let sent = server.requests().into_iter().rfind(|request| request.method == "POST").unwrap();
    assert!(sent.body.contains("read [broken attachment] please"), "{}", sent.body);
    let page = http::request(&served.address, "GET", "/", &[], b"").unwrap().body;
    assert!(page.contains("broken attachment") && !page.contains("&lt;&lt;context:"), "SHW-1");
}

#[test]
fn lim_3_over_the_api_each_choice_works() {
    let (_server, served) = served();
    let log = b"a line of the log\n".repeat(2900);
    let file = bring(&served, "name=big.log", &log);
    assert_eq!(file["tooLarge"]["limit"], 32 * 1024);
    let (id, token) = (file["id"].as_str().unwrap(), file["token"].as_str().unwrap());
    let message = |token: &str, delivery: &str, id: &str| {
        json!({
            "text": format!("read {token}"),
            "attachments": [{"fileId": id, "delivery": delivery}],
        })
    };
    let inline = message(token, "inline", id);
    let answer = served.ask("POST", "/api/send", Some(inline));
    assert_eq!(answer.status, 422, "{}", answer.body);
    let demand = message(token, "on-demand", id);
    let weighed = served.json("POST", "/api/weigh", Some(demand));
    assert_eq!(weighed["attachments"][0]["tooLarge"], Value::Null);
    assert!(weighed["attachmentTokens"].as_u64().unwrap() < 100);
    let bytes = json!({ "bytes": file["tooLarge"]["headBytes"] });
    let head = served.json("POST", &format!("/api/files/{id}/head"), Some(bytes));
    assert_eq!(head["tooLarge"], Value::Null, "{head}");
    assert!(head["size"].as_u64().unwrap() <= 32 * 1024);
}

/// BLB-5, REL-1: an upload that breaks off leaves nothing, whoever ended it.
#[test]
fn an_upload_that_breaks_off_leaves_nothing_in_the_store() {
    let (_server, mut served) = served();
    let begin = |address: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!(
            "POST /api/files?name=big.bin HTTP/1.1\r\nHost: {address}\r\n\
             Content-Type: application/octet-stream\r\nContent-Length: 100000000\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&vec![7; 4 << 20]).unwrap();
        stream
    };
    let waiting = |home: &Path| {
        let tmp = home.join("data/conversations/default/main/context/tmp");
        std::fs::read_dir(tmp).map_or(0, Iterator::count)
    };
    let until = |what: &str, done: &dyn Fn() -> bool| {
        for _ in 0..500 {
            if done() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        panic!("{what} in ten seconds");
    };
    // Who hangs up: what had come is seen on disk, and is gone from there.
    let stream = begin(&served.address);
    until("nothing came in", &|| waiting(served.home()) == 1);
    drop(stream);
    until("the half file stayed", &|| waiting(served.home()) == 0);
    // Who is killed leaves at most what is swept later; never a file.
    for kill in 0..5u64 {
        let stream = begin(&served.address);
        std::thread::sleep(std::time::Duration::from_millis(20 * kill));
        served.restart();
        drop(stream);
    }
    assert!(blobs(served.home()).is_empty());
    assert_eq!(served.json("GET", "/api/files", None)["files"], json!([]));
    bring(&served, "name=a.txt", b"it still works");
}

#[test]
fn his_8_files_are_taken_along_in_a_zip() {
    let (_server, served) = served();
    let file = bring(&served, "name=notes.txt", b"a mark on the hull");
    let text = format!("Look: {}", file["token"].as_str().unwrap());
    served.send(&text);
    let command = json!({"text": "c'Look' :export zip --filename=sea.zip"});
    let download = served.json("POST", "/api/command", Some(command))["download"].clone();
    let answer = served.ask("GET", download.as_str().unwrap(), None);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let disposition = answer.header("content-disposition");
    assert_eq!(disposition, Some("attachment; filename=\"sea.zip\""));
    let home = tempfile::tempdir().unwrap();
    let archive = home.path().join("sea.zip");
    std::fs::write(&archive, &answer.bytes).unwrap();
    let plimsoll = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        command.args(args).env("PLIMSOLL_DATA_DIR", home.path().join("data"));
        let output = command.env("PLIMSOLL_CONFIG_DIR", home.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let told = plimsoll(&["import", archive.to_str().unwrap(), "--json"]);
    assert_eq!((&told["newPairs"], &told["newFiles"]), (&json!(1), &json!(1)), "{told}");
    assert_eq!(plimsoll(&["files", "--json"])["files"][0]["name"], "notes.txt");
    assert_eq!(blobs(home.path()), blobs(served.home()));
    // Without a file of this name in it the archive says what is missing.
    let data = served.home().join("data");
    std::fs::remove_file(&blobs_of(&data, "default/main")[0]).unwrap();
    let _ = std::fs::remove_dir_all(data.join("copies"));
    let answer = served.ask("GET", "/api/export?format=zip", None);
    assert!(answer.body.contains("'notes.txt': the content "), "{}", answer.body);
}
