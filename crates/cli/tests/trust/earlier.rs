//! Stores that earlier versions filled (REL-3): each is opened by this one, used and exported,
//! and nothing of what stood in it is missing. `earlier/README.md` says how they were made.

use std::{fs, io::Read, path::Path};

use plimsoll_testkit::scripted::{Reply, ScriptedServer};
use serde_json::{Value, json};

use crate::served::Served;

/// A store, and what the version that filled it knew.
pub(crate) struct Earlier {
    /// The commit of that version.
    pub(crate) commit: &'static str,
    store: &'static [u8],
    pub(crate) files: bool,
    pub(crate) memory: bool,
}

pub(crate) const STORES: &[Earlier] = &[
    Earlier {
        commit: "f7ad49c",
        store: include_bytes!("earlier/f7ad49c.zip"),
        files: false,
        memory: false,
    },
    Earlier {
        commit: "52dea8e",
        store: include_bytes!("earlier/52dea8e.zip"),
        files: true,
        memory: false,
    },
    Earlier {
        commit: "4a37edc",
        store: include_bytes!("earlier/4a37edc.zip"),
        files: true,
        memory: true,
    },
    Earlier {
        commit: "df80f2b",
        store: include_bytes!("earlier/df80f2b.zip"),
        files: true,
        memory: true,
    },
];

impl Earlier {
    /// Puts the store into a data directory.
    pub(crate) fn unpack(&self, data: &Path) {
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(self.store)).unwrap();
        for place in 0..archive.len() {
            let mut entry = archive.by_index(place).unwrap();
            let path = data.join(entry.enclosed_name().unwrap());
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().unwrap_or_else(|| panic!("no {name} in {value}"))
}

/// The pair that asks this.
fn asking<'v>(pairs: &'v [Value], text: &str) -> &'v Value {
    let asks = |pair: &&Value| pair["userText"].as_str().unwrap().starts_with(text);
    pairs.iter().find(asks).unwrap_or_else(|| panic!("nobody asks {text}: {pairs:?}"))
}

/// All that a person wrote and got is there, with its meaning.
fn is_whole(served: &Served, earlier: &Earlier) {
    let what = earlier.commit;
    let page = served.json("GET", "/api/pairs?limit=50", None);
    let pairs = list(&page, "pairs");
    assert_eq!(pairs.len(), 4 + usize::from(earlier.files), "{what}: {page}");
    let high = asking(pairs, "When is high water?");
    assert_eq!((&high["topic"], &high["star"]), (&json!("/harbour/tides"), &json!(3)), "{what}");
    assert_eq!(high["assistantText"], "You said: When is high water?", "{what}");
    let edited = asking(pairs, "And low water, roughly?");
    assert_eq!(edited["assistantText"], "You said: And low water?", "{what}");
    let dinner = asking(pairs, "What is for dinner?");
    assert_eq!(dinner["topic"], "/galley", "{what}");
    let failed = asking(pairs, "This one fails.");
    assert_eq!(failed["lifecycleState"], "error", "{what}");
    assert_eq!(failed["errorMessage"], "The tide is out.", "{what}");
    let topics = served.json("GET", "/api/topics", None);
    let tides = list(&topics, "topics").iter().find(|topic| topic["path"] == "/harbour/tides");
    assert_eq!(tides.unwrap()["systemMessage"], "Speak of tides.", "{what}");
    let filters = served.json("GET", "/api/filters", None);
    assert_eq!(list(&filters, "filters")[0]["text"], "t'/harbour/tides'", "{what}: {filters}");
    let draft = served.json("GET", "/api/draft", None);
    assert_eq!(draft["text"], "A message that was not sent yet", "{what}");
    let receipts = served.json("GET", "/api/receipts?limit=50", None);
    let receipts = list(&receipts, "receipts");
    assert_eq!(receipts.len(), 5 + usize::from(earlier.files), "{what}: one for each send");
    for receipt in receipts {
        let id = receipt["id"].as_str().unwrap();
        let whole = served.json("GET", &format!("/api/receipts/{id}"), None);
        assert!(whole.is_object(), "{what}: {whole}");
        // What it does not tell, since nobody noted it then, is left out; nothing is made up.
        let shown = served.ask("GET", &format!("/ui/receipt/{id}"), None);
        assert_eq!(shown.status, 200, "{what}: {}", shown.body);
        assert!(!shown.body.contains("sent = seen"), "{what}: nobody compared it: {}", shown.body);
    }
    // No line was set by hand then: all that was answered goes along.
    let state = served.json("GET", "/api/state", None);
    assert_eq!(state["boundary"]["x"], 3 + usize::from(earlier.files), "{what}: {state}");
    let found = served.json("GET", "/api/search?q=water", None);
    assert_eq!(list(&found, "hits").len(), 2, "{what}: {found}");
    if earlier.files {
        let files = served.json("GET", "/api/files", None);
        let file = &list(&files, "files")[0];
        assert_eq!(file["name"], "soundings.txt", "{what}");
        let path = format!("/api/files/{}/content", file["id"].as_str().unwrap());
        let content = served.ask("GET", &path, None);
        assert!(content.body.contains("Nine metres at the pier"), "{what}: {}", content.body);
    }
    if earlier.memory {
        remembers(served, what);
    }
}

/// What an agent saved is found; the summary of its session became a note (MEM-12).
fn remembers(served: &Served, what: &str) {
    let find = |query: &str| served.json("GET", &format!("/api/memory?query={query}"), None);
    let depth = find("metres");
    let note = &list(&depth, "notes")[0];
    assert_eq!((&note["project"], &note["revision"]), (&json!("harbour"), &json!(2)), "{what}");
    let whole = served.json("GET", &format!("/api/memory/{}", note["id"]), None);
    assert_eq!(whole["content"], "Ten metres.", "{what}");
    assert_eq!(list(&whole, "revisions")[0]["content"], "Nine metres.", "{what}");
    assert_eq!(list(&whole, "relations").len(), 1, "{what}");
    let charted = find("charted");
    let summary = &list(&charted, "notes")[0];
    assert_eq!(summary["title"], "Summary of session dredging", "{what}: {charted}");
    let asked = find("basin");
    assert!(list(&asked, "notes").iter().any(|note| note["prompt"] == true), "{what}: {asked}");
}

/// What goes out comes in elsewhere, with its texts, labels and places.
fn comes_in_elsewhere(server: &ScriptedServer, export: &str, earlier: &Earlier) {
    let what = earlier.commit;
    let other = Served::start_with(server, 8000, |home| {
        fs::write(home.join("export.json"), export).unwrap();
        let import = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(["import", "export.json"])
            .current_dir(home)
            .env("PLIMSOLL_CONFIG_DIR", home)
            .env("PLIMSOLL_DATA_DIR", home.join("data"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&import.stderr);
        assert!(import.status.success(), "{what}: {said}");
    });
    let page = other.json("GET", "/api/pairs?limit=50", None);
    let pairs = list(&page, "pairs");
    assert_eq!(pairs.len(), 4 + usize::from(earlier.files), "{what}: {page}");
    let high = asking(pairs, "When is high water?");
    assert_eq!((&high["topic"], &high["star"]), (&json!("/harbour/tides"), &json!(3)), "{what}");
    let edited = asking(pairs, "And low water, roughly?");
    assert_eq!(edited["assistantText"], "You said: And low water?", "{what}");
    assert_eq!(asking(pairs, "This one fails.")["lifecycleState"], "error", "{what}");
}

#[test]
fn rel_3_what_earlier_versions_kept_is_opened_used_and_exported() {
    for earlier in STORES {
        let what = earlier.commit;
        let server = ScriptedServer::chats([Reply::openai(&["Aye."], 40, 3)]).unwrap();
        let mut served =
            Served::start_with(&server, 8000, |home| earlier.unpack(&home.join("data")));
        let backups = fs::read_dir(served.home().join("data")).unwrap();
        let backups = backups.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert_eq!(backups.filter(|name| name.contains(".backup-")).count(), 1, "{what}");
        is_whole(&served, earlier);

        // It is used: the history goes out, and the answer comes in.
        served.json("PUT", "/api/view", Some(json!({"topic": "harbour/tides", "filter": ""})));
        let pair = served.send("And now?");
        assert_eq!(pair["assistantText"], "Aye.", "{what}: {pair}");
        let sent = server.requests().into_iter().rfind(|request| request.method == "POST").unwrap();
        for words in ["When is high water?", "And low water, roughly?", "And now?"] {
            assert!(sent.body.contains(words), "{what}: {words} was not sent: {}", sent.body);
        }
        assert!(!sent.body.contains("This one fails."), "{what}: {}", sent.body);
        served.json("DELETE", &format!("/api/pairs/{}", pair["id"].as_str().unwrap()), None);

        // It goes out whole, and stays whole when it is opened again.
        let export = served.ask("GET", "/api/export?format=json", None);
        for words in ["When is high water?", "What is for dinner?", "This one fails."] {
            assert!(export.body.contains(words), "{what}: {words} is not exported");
        }
        comes_in_elsewhere(&server, &export.body, earlier);
        served.restart();
        let draft = json!({"text": "A message that was not sent yet"});
        served.json("PUT", "/api/draft", Some(draft));
        let page = served.json("GET", "/api/pairs?limit=50", None);
        assert_eq!(list(&page, "pairs").len(), 4 + usize::from(earlier.files), "{what}: {page}");
    }
}
