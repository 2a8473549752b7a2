//! Notes in a folder that git can merge (MEM-17).

use std::{fs, path::Path};

use plimsoll_memory::{Compact, OwnProject, Save, SyncAsk, SyncError, Synced, Update};
use plimsoll_store::Scope;
use tempfile::TempDir;

use crate::support::{DAY, Desk, MINUTE, desk, save};

fn ask(folder: &Path) -> SyncAsk {
    SyncAsk { folder: folder.to_owned(), fresh_id: "copy-0001".into(), ..SyncAsk::default() }
}

async fn sync(desk: &Desk, folder: &Path) -> Synced {
    desk.pass(MINUTE);
    let synced = desk.memory.sync(&ask(folder)).await.unwrap();
    let again = desk.memory.sync(&ask(folder)).await.unwrap();
    let lines = again.lines.clone();
    assert_eq!(again, Synced { lines, ..Synced::default() }, "a second sync changes nothing");
    synced
}

/// The files of a folder with their texts, without what is ours alone.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() && !name.starts_with('.') {
                folders.push(path);
            } else if path.is_file() {
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

fn only(folder: &Path) -> (std::path::PathBuf, String) {
    let found = files(folder);
    assert_eq!(found.len(), 1, "{found:?}");
    (folder.join(&found[0].0), found[0].1.clone())
}

async fn revisions(desk: &Desk, id: u64) -> Vec<String> {
    let workspace = plimsoll_store::Workspace::default();
    let found = desk.store.observation_revisions(&workspace, id).await.unwrap();
    found.into_iter().map(|earlier| earlier.content).collect()
}

async fn change(desk: &Desk, id: u64, content: &str) {
    desk.pass(1);
    let update = Update { id, content: Some(content.to_owned()), ..Update::default() };
    desk.memory.update(update).await.unwrap();
}

#[tokio::test]
async fn mem_17_notes_go_out_and_come_in_elsewhere() {
    let (a, b, folder) = (desk().await, desk().await, TempDir::new().unwrap());
    let folder = folder.path();
    b.note("here first", "so that ids differ").await;
    let keyed = Save {
        topic_key: Some("decision/ports".into()),
        kind: Some("decision".into()),
        namespace: Some("ci".into()),
        ..save("Ports: where they start", "at 7411\n\n語 🚢\n")
    };
    a.memory.save(keyed).await.unwrap();
    a.note("plain", "text").await;
    let synced = sync(&a, folder).await;
    assert_eq!((synced.written, synced.read), (2, 0));
    let names: Vec<String> = files(folder).into_iter().map(|(name, _)| name).collect();
    assert!(names[0].starts_with("harbour/decision-ports-"), "{names:?}");
    assert!(names[1].starts_with("harbour/plain-"), "{names:?}");
    let synced = sync(&b, folder).await;
    assert_eq!((synced.written, synced.read, synced.lines.len()), (1, 2, 0), "{synced:?}");
    let theirs = b.memory.find_observations(None, None, "7411", 1).await.unwrap();
    let ours = a.memory.observation(1).await.unwrap();
    assert_eq!(theirs[0].content, ours.content);
    assert_eq!(
        (&theirs[0].title, &theirs[0].kind, &theirs[0].topic_key, &theirs[0].namespace),
        (&ours.title, &ours.kind, &ours.topic_key, &ours.namespace)
    );
    assert_eq!((theirs[0].created_at, theirs[0].revision_count), (ours.created_at, 1));
    assert_ne!(theirs[0].id, ours.id);
    assert_eq!(sync(&a, folder).await.read, 1);
    assert!(a.store.check().await.unwrap().is_empty());
    assert!(b.store.check().await.unwrap().is_empty());
}

#[tokio::test]
async fn mem_17_an_edit_of_a_file_is_a_new_revision_of_the_note() {
    let (desk, folder) = (desk().await, TempDir::new().unwrap());
    let id = desk.note("title", "first").await;
    sync(&desk, folder.path()).await;
    let (path, text) = only(folder.path());
    let edited = text.replace("first", "second").replace("title: title", "title: \"another: one\"");
    fs::write(&path, &edited).unwrap();
    let synced = sync(&desk, folder.path()).await;
    assert_eq!((synced.read, synced.both_changed, synced.written), (1, 0, 0));
    let note = desk.memory.observation(id).await.unwrap();
    assert_eq!((note.title.as_str(), note.content.as_str()), ("another: one", "second"));
    assert_eq!(revisions(&desk, id).await, ["first"]);
    assert_eq!(only(folder.path()), (path, edited), "the file is as it was edited");
    let found = desk.memory.find_observations(None, None, "second", 5).await.unwrap();
    assert_eq!(found.len(), 1, "search knows the new text");
}

#[tokio::test]
async fn mem_17_what_both_changed_is_kept_twice() {
    let (desk, folder) = (desk().await, TempDir::new().unwrap());
    let id = desk.note("title", "first").await;
    sync(&desk, folder.path()).await;
    let (path, text) = only(folder.path());
    fs::write(&path, text.replace("first", "theirs")).unwrap();
    change(&desk, id, "ours").await;
    let synced = sync(&desk, folder.path()).await;
    assert_eq!((synced.read, synced.both_changed), (1, 1));
    assert!(synced.lines[0].contains(&format!("#{id}")), "{:?}", synced.lines);
    assert_eq!(desk.memory.observation(id).await.unwrap().content, "theirs");
    assert_eq!(revisions(&desk, id).await, ["first", "ours"]);
}

/// Where a note belongs has no revisions to be kept in, so what was said here holds.
#[tokio::test]
async fn mem_17_a_note_that_was_moved_here_stays_where_it_was_moved() {
    let (desk, folder) = (desk().await, TempDir::new().unwrap());
    let id = desk.note("title", "first").await;
    sync(&desk, folder.path()).await;
    let (path, text) = only(folder.path());
    fs::write(&path, text.replace("first", "theirs")).unwrap();
    desk.pass(1);
    let moved = Update { id, topic_key: Some("decision/here".into()), ..Update::default() };
    desk.memory.update(moved).await.unwrap();
    let synced = sync(&desk, folder.path()).await;
    assert_eq!((synced.read, synced.both_changed), (1, 1), "{synced:?}");
    let note = desk.memory.observation(id).await.unwrap();
    assert_eq!((note.topic_key.as_deref(), &*note.content), (Some("decision/here"), "theirs"));
    sync(&desk, folder.path()).await;
    assert!(only(folder.path()).1.contains("decision/here"), "the file is told");
}

#[tokio::test]
async fn mem_17_deletions_go_both_ways_and_can_be_taken_back() {
    let (desk, folder) = (desk().await, TempDir::new().unwrap());
    let (one, two) = (desk.note("one", "1").await, desk.note("two", "2").await);
    sync(&desk, folder.path()).await;
    desk.memory.delete(one, false).await.unwrap();
    assert_eq!(sync(&desk, folder.path()).await.removed, 1);
    let (path, text) = only(folder.path());
    fs::remove_file(&path).unwrap();
    assert_eq!(sync(&desk, folder.path()).await.deleted, 1);
    assert!(desk.memory.observation(two).await.is_err());
    // git brings the file back.
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    assert_eq!(sync(&desk, folder.path()).await.read, 1);
    assert_eq!(desk.memory.observation(two).await.unwrap().content, "2");
    // A person brings the note back.
    let workspace = plimsoll_store::Workspace::default();
    let since = plimsoll_domain::Timestamp::from_millis(0);
    let deletions = desk.store.deletions(&workspace, since).await.unwrap();
    assert_eq!(deletions.len(), 1, "what came back by its file is forgotten as deleted");
    desk.store.restore(&workspace, deletions[0].id).await.unwrap();
    assert_eq!(sync(&desk, folder.path()).await.written, 1);
    assert_eq!(files(folder.path()).len(), 2);
}

#[tokio::test]
async fn mem_17_a_change_is_worth_more_than_a_deletion() {
    let (desk, folder) = (desk().await, TempDir::new().unwrap());
    let (one, two) = (desk.note("one", "1").await, desk.note("two", "2").await);
    sync(&desk, folder.path()).await;
    let found = files(folder.path());
    let path = |title: &str| {
        let name = &found.iter().find(|(_, text)| text.contains(title)).unwrap().0;
        folder.path().join(name)
    };
    // Deleted here, changed there; and the other way round.
    desk.memory.delete(one, true).await.unwrap();
    let text = fs::read_to_string(path("title: one")).unwrap();
    fs::write(path("title: one"), text.replace("\n1\n", "\n1 and more\n")).unwrap();
    change(&desk, two, "2 and more").await;
    fs::remove_file(path("title: two")).unwrap();
    let synced = sync(&desk, folder.path()).await;
    assert_eq!((synced.read, synced.written, synced.deleted, synced.removed), (1, 1, 0, 0));
    assert!(fs::read_to_string(path("title: two")).unwrap().contains("2 and more"));
    let back = desk.memory.find_observations(None, None, "\"1 and more\"", 5).await.unwrap();
    assert_eq!(back.len(), 1);
}

#[tokio::test]
async fn mem_17_what_cannot_be_read_is_left_alone_and_deletes_nothing() {
    let (desk, folder) = (desk().await, TempDir::new().unwrap());
    let id = desk.note("title", "first").await;
    sync(&desk, folder.path()).await;
    let (path, text) = only(folder.path());
    let clash = text.replace("first", "<<<<<<< HEAD\nfirst\n=======\nother\n>>>>>>> theirs");
    for broken in [clash.as_str(), "no note at all", "---\nplimsoll: note 1\nuid: x\n---\n\nt\n"] {
        fs::write(&path, broken).unwrap();
        change(&desk, id, &format!("ours beside {broken}")).await;
        let synced = sync(&desk, folder.path()).await;
        assert_eq!(synced, Synced { lines: synced.lines.clone(), ..Synced::default() });
        assert!(synced.lines[0].contains("was left alone"), "{:?}", synced.lines);
        assert_eq!(fs::read_to_string(&path).unwrap(), broken);
    }
    // One that was moved before it was broken could be any note's.
    fs::remove_file(&path).unwrap();
    fs::write(folder.path().join("moved.md"), &clash).unwrap();
    let note = desk.memory.observation(id).await.unwrap();
    sync(&desk, folder.path()).await;
    assert_eq!(desk.memory.observation(id).await.unwrap(), note);
}

#[tokio::test]
async fn mem_17_files_of_others_stay_as_they_are() {
    let (desk, folder) = (desk().await, TempDir::new().unwrap());
    desk.note("title", "text").await;
    sync(&desk, folder.path()).await;
    let (path, _) = only(folder.path());
    fs::remove_dir_all(folder.path().join(".plimsoll-sync")).unwrap();
    for name in ["README.md", "harbour/other.md", "script.sh"] {
        fs::write(folder.path().join(name), format!("mine: {name}")).unwrap();
    }
    // Somebody else's file has the very name of the note's.
    fs::write(&path, "mine too").unwrap();
    let anew = SyncAsk { fresh_id: "copy-0002".into(), ..ask(folder.path()) };
    assert_eq!(desk.memory.sync(&anew).await.unwrap().written, 1);
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine too");
    assert_eq!(files(folder.path()).len(), 5);
    for name in ["README.md", "harbour/other.md", "script.sh"] {
        assert_eq!(fs::read_to_string(folder.path().join(name)).unwrap(), format!("mine: {name}"));
    }
}

#[cfg(unix)]
#[tokio::test]
async fn mem_17_nothing_outside_the_folder_is_read_or_written() {
    let (desk, folder, outside) = (desk().await, TempDir::new().unwrap(), TempDir::new().unwrap());
    desk.note("title", "text").await;
    std::os::unix::fs::symlink(outside.path(), folder.path().join("harbour")).unwrap();
    let synced = desk.memory.sync(&ask(folder.path())).await.unwrap();
    assert_eq!(synced.written, 0);
    assert!(synced.lines[0].contains("was not written"), "{:?}", synced.lines);
    assert_eq!(files(outside.path()), []);
    // Nor is a note there taken in.
    let other = TempDir::new().unwrap();
    let elsewhere = crate::support::desk().await;
    elsewhere.note("secret", "of others").await;
    sync(&elsewhere, other.path()).await;
    std::os::unix::fs::symlink(other.path(), folder.path().join("linked")).unwrap();
    let (file, _) = only(other.path());
    std::os::unix::fs::symlink(file, folder.path().join("linked.md")).unwrap();
    assert_eq!(desk.memory.sync(&ask(folder.path())).await.unwrap().read, 0);
}

#[tokio::test]
async fn mem_17_a_dry_run_says_what_a_sync_does_and_does_nothing() {
    let (desk, folder) = (desk().await, TempDir::new().unwrap());
    let id = desk.note("title", "text").await;
    let dry = SyncAsk { dry_run: true, ..ask(&folder.path().join("new")) };
    let synced = desk.memory.sync(&dry).await.unwrap();
    assert_eq!(
        (synced.written, synced.would.clone()),
        (1, vec![format!("write #{id} to a new file")])
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    sync(&desk, &folder.path().join("new")).await;
    let (path, text) = only(&folder.path().join("new"));
    fs::write(&path, text.replace("text", "edited")).unwrap();
    let synced = desk.memory.sync(&dry).await.unwrap();
    assert_eq!(synced.read, 1);
    assert!(synced.would[0].starts_with("read harbour/title-"), "{:?}", synced.would);
    assert_eq!(desk.memory.observation(id).await.unwrap().content, "text");
}

#[tokio::test]
async fn mem_17_a_folder_that_was_emptied_deletes_nothing_unasked() {
    let (desk, folder) = (desk().await, TempDir::new().unwrap());
    for n in 0..12 {
        desk.note(&format!("title {n}"), "text").await;
    }
    sync(&desk, folder.path()).await;
    let kept: Vec<_> = files(folder.path());
    fs::remove_dir_all(folder.path().join("harbour")).unwrap();
    let synced = sync(&desk, folder.path()).await;
    assert_eq!(synced.deleted, 0);
    assert!(synced.lines[0].contains("12 of 12"), "{:?}", synced.lines);
    let many = SyncAsk { delete_many: true, ..ask(folder.path()) };
    assert_eq!(desk.memory.sync(&many).await.unwrap().deleted, 12);
    // A folder that was made anew is another one, and all notes go into it.
    fs::create_dir_all(folder.path().join("harbour")).unwrap();
    for (name, text) in &kept {
        fs::write(folder.path().join(name), text).unwrap();
    }
    assert_eq!(sync(&desk, folder.path()).await.read, 12);
    fs::remove_dir_all(folder.path()).unwrap();
    let anew = SyncAsk { fresh_id: "copy-0002".into(), ..ask(folder.path()) };
    assert_eq!(desk.memory.sync(&anew).await.unwrap().written, 12);
    assert_eq!(files(folder.path()), kept);
}

/// Where what the last sync left is lost, a file with an earlier text is not taken for a newer.
#[tokio::test]
async fn mem_17_an_older_file_does_not_replace_a_newer_note() {
    let (desk, folder) = (desk().await, TempDir::new().unwrap());
    let id = desk.note("title", "first").await;
    sync(&desk, folder.path()).await;
    fs::remove_dir_all(folder.path().join(".plimsoll-sync")).unwrap();
    change(&desk, id, "second").await;
    let anew = SyncAsk { fresh_id: "copy-0002".into(), ..ask(folder.path()) };
    assert_eq!(desk.memory.sync(&anew).await.unwrap().written, 1);
    assert_eq!(desk.memory.observation(id).await.unwrap().content, "second");
    assert!(only(folder.path()).1.contains("second"));
}

/// MEM-3: two people who choose the same topic key have one note, with both texts.
#[tokio::test]
async fn mem_17_one_topic_key_is_one_note_everywhere() {
    let (a, b, folder) = (desk().await, desk().await, TempDir::new().unwrap());
    let keyed =
        |content: &str| Save { topic_key: Some("k".into()), ..save("the same subject", content) };
    a.memory.save(keyed("by a")).await.unwrap();
    b.pass(DAY);
    b.memory.save(keyed("by b")).await.unwrap();
    sync(&a, folder.path()).await;
    // B never synced: its note becomes that of the file.
    let synced = sync(&b, folder.path()).await;
    assert_eq!(synced.both_changed, 1, "{synced:?}");
    assert_eq!(files(folder.path()).len(), 1);
    sync(&a, folder.path()).await;
    let (ours, theirs) =
        (a.memory.observation(1).await.unwrap(), b.memory.observation(1).await.unwrap());
    assert_eq!(ours.content, theirs.content);
    assert_eq!(revisions(&b, 1).await.len(), 1);

    // Both synced with folders of their own before they met.
    let (c, d) = (desk().await, desk().await);
    let (of_c, of_d) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    c.memory.save(keyed("by c")).await.unwrap();
    d.pass(DAY);
    d.memory.save(keyed("by d")).await.unwrap();
    sync(&c, of_c.path()).await;
    sync(&d, of_d.path()).await;
    let copy = |from: &Path, to: &Path| {
        for (name, text) in files(from) {
            fs::write(to.join(&name), text).unwrap();
        }
    };
    copy(of_c.path(), of_d.path());
    copy(of_d.path(), of_c.path());
    sync(&c, of_c.path()).await;
    sync(&d, of_d.path()).await;
    assert_eq!(files(of_c.path()), files(of_d.path()));
    assert_eq!(files(of_c.path()).len(), 1);
    for desk in [&c, &d] {
        assert_eq!(desk.memory.observation(1).await.unwrap().content, "by d", "the later one");
        let all = revisions(desk, 1).await;
        assert!(desk.memory.observation(2).await.is_err());
        assert!(all.contains(&"by c".to_owned()) || all.is_empty(), "{all:?}");
    }
    assert_eq!(revisions(&c, 1).await, ["by c"]);
}

#[tokio::test]
async fn mem_17_only_what_is_asked_for_travels() {
    let (desk, folder) = (desk().await, TempDir::new().unwrap());
    desk.note("shared", "text").await;
    let mine = Save { scope: Scope::Personal, ..save("mine", "text") };
    desk.memory.save(mine).await.unwrap();
    let elsewhere = desk.seen_from(OwnProject::Is("mill".into()));
    elsewhere.save(save("of the mill", "text")).await.unwrap();
    let one = SyncAsk { project: Some("Harbour".into()), ..ask(folder.path()) };
    assert_eq!(desk.memory.sync(&one).await.unwrap().written, 1);
    let all = SyncAsk { personal: true, ..ask(folder.path()) };
    assert_eq!(desk.memory.sync(&all).await.unwrap().written, 2);
    // What is not asked for is left alone on both sides.
    let before = files(folder.path());
    let synced = desk.memory.sync(&one).await.unwrap();
    assert_eq!(synced, Synced::default());
    assert_eq!(files(folder.path()), before);
}

#[tokio::test]
async fn mem_17_notes_that_came_by_an_import_are_the_same() {
    let (a, b, folder) = (desk().await, desk().await, TempDir::new().unwrap());
    let id = a.note("title", "first").await;
    a.note("other", "text").await;
    change(&a, id, "second").await;
    let mut out = Vec::new();
    a.memory.export(&mut out).await.unwrap();
    b.memory.import(&mut std::io::Cursor::new(out)).await.unwrap();
    change(&b, id, "third").await;
    sync(&a, folder.path()).await;
    let synced = sync(&b, folder.path()).await;
    assert_eq!(files(folder.path()).len(), 2);
    assert_eq!((synced.written, synced.read), (1, 0), "its text goes on from that of the file");
    assert_eq!(sync(&a, folder.path()).await.read, 1);
    assert_eq!(a.memory.observation(id).await.unwrap().content, "third");
}

#[tokio::test]
async fn mem_17_a_compaction_travels() {
    let (a, b, folder) = (desk().await, desk().await, TempDir::new().unwrap());
    for n in 0..5 {
        a.note(&format!("title {n}"), "text").await;
    }
    sync(&a, folder.path()).await;
    sync(&b, folder.path()).await;
    a.pass(DAY);
    let compact = Compact {
        older_than_days: 0,
        summary_title: Some("all five".into()),
        summary_content: Some("text five times".into()),
        ..Compact::default()
    };
    a.memory.compact(compact).await.unwrap();
    let synced = sync(&a, folder.path()).await;
    assert_eq!((synced.removed, synced.written), (5, 1));
    let synced = sync(&b, folder.path()).await;
    assert_eq!((synced.deleted, synced.read), (5, 1));
}

#[tokio::test]
async fn mem_17_what_is_no_folder_is_refused() {
    let (desk, folder) = (desk().await, TempDir::new().unwrap());
    let file = folder.path().join("file");
    fs::write(&file, "mine").unwrap();
    let error = desk.memory.sync(&ask(&file)).await.unwrap_err();
    assert!(matches!(error, SyncError::Folder(_)), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}
