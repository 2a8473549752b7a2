//! REL-10: what is damaged is told, and nothing is removed by a store that knows nothing.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use plimsoll_testkit::{
    http,
    scripted::{Reply, ScriptedServer},
};

use crate::{kills::context_of, served::Served};

fn plimsoll(home: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PLIMSOLL_") {
            command.env_remove(name);
        }
    }
    command
        .args(args)
        .env("PLIMSOLL_CONFIG_DIR", home)
        .env("PLIMSOLL_DATA_DIR", home.join("data"))
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn words(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}

/// A home with ten files in it, and their blobs.
fn ten_files(server: &ScriptedServer) -> (Served, Vec<PathBuf>) {
    let mut served = Served::start(server, 4096);
    for n in 0..10 {
        let content = format!("plank {n}\n").repeat(40);
        let path = format!("/api/files?name=plank{n}.txt");
        let put = http::request(&served.address, "POST", &path, &[], content.as_bytes()).unwrap();
        assert_eq!(put.status, 201, "{}", put.body);
    }
    let blobs = fs::read_dir(context_of(&served).join("blobs")).unwrap();
    let blobs: Vec<PathBuf> = blobs.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(blobs.len(), 10);
    served.stop();
    (served, blobs)
}

fn answering() -> ScriptedServer {
    ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap()
}

/// M10 of the review: a file of 0 bytes counted as a new store, and `gc` removed every
/// attachment.
#[test]
fn rel_10_gc_removes_nothing_when_the_store_is_empty_foreign_new_or_gone() {
    let server = answering();
    let (served, blobs) = ten_files(&server);
    let home = served.home();
    let store = home.join("data/plimsoll.db");
    let all_there = |what: &str| {
        assert!(blobs.iter().all(|blob| blob.is_file()), "{what}: a blob was removed");
    };
    let gc = || plimsoll(home, &["gc", "--yes", "--older-than", "0"]);
    let whole = home.join("whole.db");
    // A command that ends well leaves one file without a log.
    assert!(plimsoll(home, &["topics"]).status.success());
    fs::copy(&store, &whole).unwrap();
    for (n, damage) in (1..).zip(["", "Dear diary"]) {
        fs::write(&store, damage).unwrap();
        let refused = gc();
        assert_eq!(refused.status.code(), Some(1), "{}", words(&refused));
        assert!(words(&refused).contains("plimsoll verify --set-aside"), "{}", words(&refused));
        all_there(damage);
        let told = plimsoll(home, &["verify"]);
        assert_eq!(told.status.code(), Some(1), "{}", words(&told));
        assert_eq!(fs::read_to_string(&store).unwrap(), damage, "it was changed");
        let aside = plimsoll(home, &["verify", "--set-aside"]);
        assert_eq!(aside.status.code(), Some(0), "{}", words(&aside));
        let kept = home.join(format!("data/plimsoll.db.corrupt-{n}"));
        assert_eq!(fs::read_to_string(kept).unwrap(), damage);
        assert!(!store.exists());
        // Now there is none, then a new one: it cannot know who needs what was there before.
        assert_eq!(gc().status.code(), Some(1));
        all_there("no store");
        let kept = gc();
        assert_eq!(kept.status.code(), Some(0), "{}", words(&kept));
        assert!(words(&kept).contains("older than this store"), "{}", words(&kept));
        all_there("a new store");
    }
    let restored = plimsoll(home, &["restore", whole.to_str().unwrap()]);
    assert_eq!(restored.status.code(), Some(0), "{}", words(&restored));
    let sound = plimsoll(home, &["verify", "--read-data"]);
    assert_eq!(sound.status.code(), Some(0), "{}", words(&sound));
    assert!(words(&sound).contains("10 of 10"), "{}", words(&sound));
    let spared = plimsoll(home, &["verify", "--set-aside"]);
    assert_eq!(spared.status.code(), Some(1), "a sound store stays: {}", words(&spared));
    // What is garbage by a store that knows is still removed.
    let listed = plimsoll(home, &["files", "rm", "plank3.txt"]);
    assert_eq!(listed.status.code(), Some(0), "{}", words(&listed));
    fs::write(home.join("config.toml"), "keepDeleted = 0\n").unwrap();
    let gone = gc();
    assert!(words(&gone).contains("removed 1 blob"), "{}", words(&gone));
}

/// `doctor` said ok with eight of ten blobs spoiled.
#[test]
fn rel_10_verify_and_doctor_name_what_is_spoiled_missing_or_cut() {
    let server = answering();
    let (served, mut blobs) = ten_files(&server);
    let home = served.home();
    blobs.sort();
    for blob in &blobs[..6] {
        let mut bytes = fs::read(blob).unwrap();
        bytes[7] ^= 1;
        fs::write(blob, &bytes).unwrap();
    }
    fs::remove_file(&blobs[6]).unwrap();
    fs::write(&blobs[7], "cut").unwrap();
    let told = plimsoll(home, &["verify", "--read-data", "--json"]);
    assert_eq!(told.status.code(), Some(1), "{}", words(&told));
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
    let damage = told["damage"].to_string();
    assert_eq!(told["damage"].as_array().unwrap().len(), 8, "{damage}");
    for blob in &blobs[..8] {
        let name = blob.file_name().unwrap().to_str().unwrap();
        assert!(damage.contains(name), "{name} is not told: {damage}");
    }
    let doctor = plimsoll(home, &["doctor", "--json"]);
    let doctor: serde_json::Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let store = doctor["checks"].as_array().unwrap().iter().find(|one| one["check"] == "store");
    assert_eq!(store.unwrap()["state"], "missing", "{doctor}");
}

#[test]
fn rel_10_verify_tells_damaged_pages_and_changes_nothing() {
    let server = answering();
    let mut served = Served::start(&server, 4096);
    for n in 0..20 {
        served.send(&format!("question {n} {}", "word ".repeat(300)));
    }
    served.stop();
    let store = served.home().join("data/plimsoll.db");
    let sound = plimsoll(served.home(), &["verify"]);
    assert_eq!(sound.status.code(), Some(0), "{}", words(&sound));
    let mut bytes = fs::read(&store).unwrap();
    let end = bytes.len() - 4096;
    bytes[end / 2..end].fill(0xa5);
    fs::write(&store, &bytes).unwrap();
    let told = plimsoll(served.home(), &["verify"]);
    assert_eq!(told.status.code(), Some(1), "{}", words(&told));
    assert!(words(&told).contains("plimsoll verify --set-aside"), "{}", words(&told));
    assert!(fs::read(&store).unwrap() == bytes, "it was changed");
}
