//! What a file says of a note beside its text: who wrote it, when it expires, what it names
//! (MEM-15, MEM-16, MEM-17).

use std::{fs, path::Path};

use plimsoll_domain::Timestamp;
use plimsoll_memory::{AnchorCondition, Save, SyncAsk, Synced, Update};
use plimsoll_store::Observation;
use tempfile::TempDir;

use crate::support::{DAY, Desk, MINUTE, NOON, agent_in, desk, save};

fn ask(folder: &Path) -> SyncAsk {
    SyncAsk { folder: folder.to_owned(), fresh_id: "copy-0001".into(), ..SyncAsk::default() }
}

/// Syncs, and again, which changes no byte.
async fn sync(desk: &Desk, folder: &Path) -> Synced {
    desk.pass(MINUTE);
    let synced = desk.memory.sync(&ask(folder)).await.unwrap();
    let before = texts(folder);
    let again = desk.memory.sync(&ask(folder)).await.unwrap();
    let lines = again.lines.clone();
    assert_eq!(again, Synced { lines, ..Synced::default() }, "a second sync changes nothing");
    assert_eq!(texts(folder), before);
    synced
}

/// The files of the one project in a folder.
fn texts(folder: &Path) -> Vec<(std::path::PathBuf, String)> {
    let Ok(entries) = fs::read_dir(folder.join("harbour")) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut found: Vec<_> =
        paths.map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect();
    found.sort();
    found
}

fn only(folder: &Path) -> (std::path::PathBuf, String) {
    let mut found = texts(folder);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn edit(folder: &Path, from: &str, to: &str) {
    let (path, text) = only(folder);
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replace(from, to)).unwrap();
}

fn names(note: &Observation) -> Vec<&str> {
    note.anchors.iter().map(|anchor| anchor.target.as_str()).collect()
}

fn about(anchors: &[&str]) -> Save {
    let anchors = anchors.iter().map(|name| (*name).to_owned()).collect();
    Save { anchors, expires: Some("30d".to_owned()), ..save("title", "text") }
}

#[tokio::test]
async fn mem_17_who_wrote_it_when_it_expires_and_what_it_names_travel() {
    let (a, b, folder) = (desk().await, desk().await, TempDir::new().unwrap());
    let project = TempDir::new().unwrap();
    fs::write(project.path().join("auth.rs"), "fn renew() {}\n").unwrap();
    let codex = agent_in(&a, Some(project.path()), "codex", false);
    codex.save(about(&["auth.rs", "auth.rs#renew"])).await.unwrap();
    let ours = codex.observation(1).await.unwrap();
    assert_eq!(sync(&a, folder.path()).await.written, 1);
    assert_eq!(sync(&b, folder.path()).await.read, 1);
    let theirs = b.memory.observation(1).await.unwrap();
    assert_eq!((theirs.author.as_deref(), names(&theirs)), (Some("codex"), names(&ours)));
    assert_eq!(theirs.expires_at, Some(Timestamp::from_millis(NOON + 30 * DAY)));
    // By the hash the other side can tell, on a disk of its own.
    let checkout = TempDir::new().unwrap();
    let there = agent_in(&b, Some(checkout.path()), "other", false);
    fs::write(checkout.path().join("auth.rs"), "fn renew() {}\n").unwrap();
    let same = there.anchor_conditions(&theirs).await;
    assert_eq!(same, [AnchorCondition::Same, AnchorCondition::Same]);
    fs::write(checkout.path().join("auth.rs"), "fn renew() {}\n\nfn more() {}\n").unwrap();
    let changed = there.anchor_conditions(&theirs).await;
    assert_eq!(changed, [AnchorCondition::Changed, AnchorCondition::Same]);
}

#[tokio::test]
async fn mem_17_a_file_changes_and_takes_away_what_a_note_names() {
    let (desk, folder) = (desk().await, TempDir::new().unwrap());
    desk.memory.save(about(&["src/a.rs", "src/b.rs"])).await.unwrap();
    sync(&desk, folder.path()).await;
    edit(folder.path(), "  - src/a.rs\n", "  - docs/c.md @ab12\n");
    edit(folder.path(), "expires: 2026-12-16T12:00:00.000Z", "expires: 2027-01-01");
    assert_eq!(sync(&desk, folder.path()).await.read, 1);
    let note = desk.memory.observation(1).await.unwrap();
    assert_eq!((names(&note), note.revision_count), (vec!["docs/c.md", "src/b.rs"], 1));
    assert_eq!(note.expires_at, Some(Timestamp::from_millis(NOON + 46 * DAY - DAY / 2)));
    let (path, text) = only(folder.path());
    let bare: Vec<&str> = text
        .lines()
        .filter(|line| !["expires:", "anchors:", "  - "].iter().any(|key| line.starts_with(key)))
        .collect();
    fs::write(path, format!("{}\n", bare.join("\n"))).unwrap();
    assert_eq!(sync(&desk, folder.path()).await.read, 1);
    let note = desk.memory.observation(1).await.unwrap();
    assert_eq!((note.anchors, note.expires_at), (vec![], None));
}

/// What has no revisions to be kept in is kept beside what the file says.
#[tokio::test]
async fn mem_17_what_both_name_is_kept() {
    let (desk, folder) = (desk().await, TempDir::new().unwrap());
    desk.memory.save(about(&["src/b.rs"])).await.unwrap();
    sync(&desk, folder.path()).await;
    edit(folder.path(), "expires: 2026-12-16T12:00:00.000Z\n", "");
    edit(folder.path(), "  - src/b.rs", "  - src/c.rs");
    let anchors = Some(vec!["src/b.rs".to_owned(), "src/a.rs".to_owned()]);
    desk.memory.update(Update { id: 1, anchors, ..Update::default() }).await.unwrap();
    let synced = sync(&desk, folder.path()).await;
    assert_eq!((synced.read, synced.both_changed, synced.written), (1, 1, 1), "{synced:?}");
    let note = desk.memory.observation(1).await.unwrap();
    assert_eq!(names(&note), ["src/a.rs", "src/b.rs", "src/c.rs"]);
    assert_eq!(note.expires_at, Some(Timestamp::from_millis(NOON + 30 * DAY)));
    assert!(only(folder.path()).1.contains("  - src/a.rs\n  - src/b.rs\n  - src/c.rs\n"));
}

/// Two people who chose the same topic key have one note, which names what both named.
#[tokio::test]
async fn mem_17_one_topic_key_names_what_both_named() {
    let (a, b) = (desk().await, desk().await);
    let (of_a, of_b) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let keyed = |name: &str| Save {
        topic_key: Some("k".to_owned()),
        content: format!("about {name}"),
        ..about(&[name])
    };
    a.memory.save(keyed("src/a.rs")).await.unwrap();
    b.pass(DAY);
    b.memory.save(keyed("src/b.rs")).await.unwrap();
    sync(&a, of_a.path()).await;
    sync(&b, of_b.path()).await;
    for (from, to) in [(&of_a, &of_b), (&of_b, &of_a)] {
        for (path, text) in texts(from.path()) {
            fs::write(to.path().join("harbour").join(path.file_name().unwrap()), text).unwrap();
        }
    }
    sync(&a, of_a.path()).await;
    sync(&b, of_b.path()).await;
    assert_eq!(only(of_a.path()).1, only(of_b.path()).1);
    for desk in [&a, &b] {
        let note = desk.memory.observation(1).await.unwrap();
        assert_eq!(names(&note), ["src/a.rs", "src/b.rs"]);
    }
}

/// A file that an earlier version wrote takes nothing away from the note.
#[tokio::test]
async fn mem_17_a_file_from_before_these_lines_gets_them() {
    let (desk, folder) = (desk().await, TempDir::new().unwrap());
    let codex = agent_in(&desk, None, "codex", false);
    codex.save(Save { expires: None, ..about(&["src/a.rs"]) }).await.unwrap();
    sync(&desk, folder.path()).await;
    let (path, whole) = only(folder.path());
    let old = whole.replace("author: codex\n", "").replace("anchors:\n  - src/a.rs\n", "");
    assert_ne!(old, whole);
    fs::write(&path, old).unwrap();
    // Another clone, of which the store knows nothing.
    fs::remove_dir_all(folder.path().join(".plimsoll-sync")).unwrap();
    let anew = SyncAsk { fresh_id: "copy-0002".into(), ..ask(folder.path()) };
    let synced = desk.memory.sync(&anew).await.unwrap();
    assert_eq!((synced.written, synced.read), (1, 0), "{synced:?}");
    assert_eq!(only(folder.path()), (path, whole));
    let note = desk.memory.observation(1).await.unwrap();
    assert_eq!((note.author.as_deref(), names(&note)), (Some("codex"), vec!["src/a.rs"]));
}

#[tokio::test]
async fn mem_17_what_names_something_outside_the_project_is_left_alone() {
    let (desk, folder) = (desk().await, TempDir::new().unwrap());
    desk.memory.save(about(&["src/a.rs"])).await.unwrap();
    sync(&desk, folder.path()).await;
    let note = desk.memory.observation(1).await.unwrap();
    for hostile in ["../../etc/passwd", "/etc/passwd @ab12", "commit:nothing"] {
        let (path, text) = only(folder.path());
        fs::write(&path, text.replace("  - src/a.rs", &format!("  - {hostile}"))).unwrap();
        let synced = sync(&desk, folder.path()).await;
        assert_eq!((synced.read, synced.written), (0, 0));
        assert!(synced.lines[0].contains("is no anchor"), "{:?}", synced.lines);
        assert_eq!(desk.memory.observation(1).await.unwrap(), note);
        fs::write(&path, text).unwrap();
    }
}

/// An import takes what could not be saved here; it stays where it is.
#[tokio::test]
async fn mem_17_what_could_not_be_read_back_is_not_written() {
    let (desk, folder) = (desk().await, TempDir::new().unwrap());
    desk.memory.save(about(&["src/a.rs"])).await.unwrap();
    let mut out = Vec::new();
    desk.memory.export(&mut out).await.unwrap();
    let out = String::from_utf8(out).unwrap();
    let odd = r#"{"target":"../secret"},{"target":"src/b.rs","hash":"a?b"},{"target":"src/a.rs"}"#;
    let hostile = out.replace(r#"{"target":"src/a.rs","size":0,"changed":0}"#, odd);
    assert_ne!(hostile, out);
    let other = crate::support::desk().await;
    other.memory.import(&mut std::io::Cursor::new(hostile)).await.unwrap();
    assert_eq!(sync(&other, folder.path()).await.written, 1);
    assert!(only(folder.path()).1.contains("anchors:\n  - src/b.rs\n  - src/a.rs\n---"));
}

/// MEM-16: what waits for a person is no note yet.
#[tokio::test]
async fn mem_17_what_waits_for_review_is_never_written() {
    let (desk, folder) = (desk().await, TempDir::new().unwrap());
    let id = desk.note("title", "text").await;
    let agent = agent_in(&desk, None, "codex", true);
    agent.save(save("not yet", "nobody has looked at it")).await.unwrap();
    let content = Some("a change that waits".to_owned());
    agent.update(Update { id, content, ..Update::default() }).await.unwrap();
    sync(&desk, folder.path()).await;
    let text = only(folder.path()).1;
    assert!(text.ends_with("\n\ntext\n"), "{text}");
    let waiting = desk.memory.pending().await.unwrap().0;
    let ids: Vec<u64> = waiting.iter().map(|one| one.id).collect();
    desk.memory.approve(&ids).await.unwrap();
    assert_eq!(sync(&desk, folder.path()).await.written, 2);
}
