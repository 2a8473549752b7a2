//! TEA-10: what becomes of what is somebody's when they leave, and how it is given out.

use std::path::Path;

use plimsoll_testkit::http;
use serde_json::{Value, json};

use super::{Team, done, plimsoll};

/// Something of each kind in a workspace.
fn fill(team: &Team, who: &str, workspace: &str, word: &str) {
    team.send(who, workspace, &format!("a message about {word}"));
    let note = json!({"title": word, "content": format!("a note about {word}")});
    let saved = team.ask(who, "POST", &format!("/api/memory?workspace={workspace}"), Some(note));
    assert_eq!(saved.status, 201, "{}", saved.body);
    let snippet = json!({"name": "greet", "text": format!("dear {word}")});
    let path = format!("/api/snippets?workspace={workspace}");
    let kept = team.ask(who, "POST", &path, Some(snippet));
    assert!(kept.status < 300, "{}", kept.body);
    let bearer = format!("Bearer {}", team.tokens[who]);
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "text/plain")];
    let path = format!("/api/files?workspace={workspace}&name={word}.txt");
    let bytes = format!("the bytes of {word}");
    let up = http::request(&team.served.address, "POST", &path, &headers, bytes.as_bytes());
    let up = up.unwrap();
    assert!(up.status < 300, "{}", up.body);
}

/// Whether a word stands anywhere below a directory.
fn holds(directory: &Path, word: &str) -> bool {
    std::fs::read_dir(directory).unwrap().flatten().any(|entry| {
        let path = entry.path();
        match path.is_dir() {
            true => holds(&path, word),
            false => {
                let bytes = std::fs::read(&path).unwrap_or_default();
                bytes.windows(word.len()).any(|part| part == word.as_bytes())
            }
        }
    })
}

#[test]
fn tea_10_who_leaves_hands_over_what_is_theirs() {
    let team = Team::start();
    fill(&team, "olga", "~olga/main", "walrus");
    team.send("olga", "sea/main", "what stays");
    let rm = |args: &[&str]| plimsoll(team.home(), &[&["team", "user", "rm"], args].concat());
    assert_eq!(rm(&["olga"]).0, 2, "it has to be said what becomes of it");
    assert_eq!(rm(&["nobody", "--delete", "--yes"]).0, 2);
    assert_eq!(rm(&["olga", "--hand-over-to", "olga", "--yes"]).0, 2);
    assert_eq!(rm(&["olga", "--hand-over-to", "nobody", "--yes"]).0, 2);
    // She is the only owner of the project sea, which needs one.
    let (code, _, said) = rm(&["olga", "--delete", "--yes"]);
    assert!(code == 2 && said.contains("nobody else is an owner of sea"), "{said}");
    // Nobody can be asked here: it is told what would happen, and nothing does.
    let (code, _, said) = rm(&["olga", "--hand-over-to", "mia"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("1 workspace with 1 pair, 1 file and 1 note"), "{said}");
    assert!(said.contains("'mia' becomes an owner of sea") && said.contains("--yes"), "{said}");
    assert_eq!(team.ask("olga", "GET", "/api/state", None).status, 200);

    let (code, _, said) = rm(&["olga", "--hand-over-to", "mia", "--yes"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(team.ask("olga", "GET", "/api/state", None).status, 401, "her token is gone");
    let pairs = |at: &str| {
        let path = format!("/api/pairs?workspace={at}&scope=everything");
        team.json("mia", "GET", &path, None)["visible"].as_u64().unwrap()
    };
    assert_eq!((pairs("~olga/main"), pairs("sea/main")), (1, 1));
    assert_eq!(team.ask("vic", "GET", "/api/state?workspace=~olga/main", None).status, 404);
    let roles = team.json("mia", "GET", "/api/team/projects/sea/roles", None);
    assert!(roles["roles"].as_array().unwrap().contains(&json!({"user": "mia", "role": "owner"})));
    let log = done(team.home(), &["team", "audit"]);
    assert!(log.contains("user.rm") && log.contains("olga: handed over to mia"), "{log}");
    // Nobody who comes later gets what she left.
    assert_eq!(plimsoll(team.home(), &["team", "user", "add", "olga"]).0, 2);
}

#[test]
fn tea_10_who_leaves_may_leave_nothing() {
    if plimsoll_testkit::switch::is_of_files_alone("it looks for words in files of this machine") {
        return;
    }
    let mut team = Team::start();
    fill(&team, "mia", "~mia/main", "walrus");
    fill(&team, "mia", "~mia/second", "walrus");
    fill(&team, "mia", "sea/main", "porpoise");
    let session = team.ask("mia", "GET", "/c/new?workspace=~mia/main", None).status;
    assert!(session < 400);
    team.served.stop();
    let on_disk = |word: &str| holds(&team.home().join("data"), word);
    assert!(on_disk("the bytes of walrus"));
    let (code, _, said) =
        plimsoll(team.home(), &["team", "user", "rm", "mia", "--delete", "--yes"]);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("deleted for good: the project ~mia, 2 workspaces with 2 pairs"),
        "{said}"
    );
    assert!(!on_disk("walrus"), "nothing is left of it");
    assert!(on_disk("the bytes of porpoise"), "what is shared stays");
    team.served.restart();
    assert_eq!(team.ask("mia", "GET", "/api/state", None).status, 401);
    let found = team.json("olga", "GET", "/api/memory?workspace=sea/main", None).to_string();
    assert!(found.contains("porpoise"), "{found}");
    let roles = team.json("olga", "GET", "/api/team/projects/sea/roles", None).to_string();
    assert!(!roles.contains("mia"), "{roles}");
    assert_eq!(
        done(team.home(), &["verify"]).lines().filter(|line| line.contains("damage")).count(),
        0
    );
    // What she used is in the books, and counts for nobody else.
    let (code, _, said) = plimsoll(team.home(), &["team", "user", "add", "mia"]);
    assert!(code == 2 && said.contains("an earlier user was called 'mia'"), "{said}");
    let log = done(team.home(), &["team", "audit"]);
    assert!(log.contains("mia: deleted with ~mia"), "{log}");
}

#[test]
fn tea_10_all_that_is_somebodys_is_given_out_and_comes_in_elsewhere() {
    let team = Team::start();
    fill(&team, "mia", "~mia/main", "walrus");
    fill(&team, "mia", "~mia/second", "narwhal");
    fill(&team, "mia", "sea/main", "porpoise");
    let file = team.home().join("mia.zip");
    let path = file.to_str().unwrap();
    assert_eq!(plimsoll(team.home(), &["export", "--user", "nobody", "-o", path]).0, 2);
    assert_eq!(plimsoll(team.home(), &["export", "--user", "mia"]).0, 2, "it needs a file");
    let (code, _, said) = plimsoll(team.home(), &["export", "--user", "mia", "-o", path]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("2 workspaces of 'mia' with 2 pairs, 2 files"), "{said}");
    let mut zip = zip::ZipArchive::new(std::fs::File::open(&file).unwrap()).unwrap();
    let about: Value = serde_json::from_reader(zip.by_name("person.json").unwrap()).unwrap();
    assert_eq!(about["name"], "mia");
    assert_eq!(about["tokens"][0]["label"], "token");
    assert_eq!(about["roles"].as_array().unwrap().len(), 2, "{about}");
    assert!(about["usage"].to_string().contains("~mia"), "{about}");
    assert!(about["audit"].to_string().contains("token.add"), "{about}");
    assert_eq!(about["sends"][0]["receipts"].as_array().unwrap().len(), 1, "{about}");
    let text = about.to_string();
    assert!(!text.contains(&team.tokens["mia"]) && !text.contains("porpoise"), "{text}");
    let log = done(team.home(), &["team", "audit"]);
    assert!(log.contains("all of mia"), "{log}");

    let home = tempfile::tempdir().unwrap();
    let said = done(home.path(), &["import", path]);
    assert!(said.contains("default/main") && said.contains("default/second"), "{said}");
    for (workspace, word) in [("default/main", "walrus"), ("default/second", "narwhal")] {
        let at = |args: &[&str]| done(home.path(), &[&["--workspace", workspace], args].concat());
        let conversation = at(&["export", "--format", "txt"]);
        assert!(conversation.contains(&format!("a message about {word}")), "{conversation}");
        let notes = at(&["memory", "search", word]);
        assert!(notes.contains(&format!("a note about **{word}**")), "{notes}");
        assert!(at(&["snippets"]).contains("greet"));
        let files = at(&["files", "list"]);
        assert!(files.contains(&format!("{word}.txt")), "{files}");
        assert!(holds(&home.path().join("data"), &format!("the bytes of {word}")));
    }
    // Once more brings nothing new.
    let again = done(home.path(), &["import", path, "--json"]);
    let again: Value = serde_json::from_str(&again).unwrap();
    for workspace in again["workspaces"].as_array().unwrap() {
        assert_eq!(workspace["imported"]["newPairs"], 0, "{workspace}");
        assert_eq!(workspace["memory"]["added"], 0, "{workspace}");
    }
}
