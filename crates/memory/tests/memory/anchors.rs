//! Notes that name files, symbols and commits, take the place of others, and expire (MEM-15);
//! and those that come back (MEM-12).

use std::{fs, path::Path, process::Command};

use plimsoll_memory::{
    BuildContext, DetailLevel, Find, GetObservation, Memory, Reading, Recall, Relate, Save,
    Timeline, Update,
};

use crate::support::{DAY, agent_in, desk, save};

fn about(title: &str, anchors: &[&str]) -> Save {
    Save {
        anchors: anchors.iter().map(|anchor| (*anchor).to_owned()).collect(),
        ..save(title, &format!("{title} lantern"))
    }
}

async fn context(memory: &Memory) -> String {
    memory.context(Recall::default()).await.unwrap().text
}

async fn shown(memory: &Memory, id: u64) -> String {
    memory.get_observation(GetObservation { id, ..GetObservation::default() }).await.unwrap().text
}

async fn found(memory: &Memory) -> String {
    let reading = Reading { detail_level: DetailLevel::Summary, max_tokens: None };
    let ask = Find { query: "lantern".to_owned(), reading, ..Find::default() };
    memory.search(ask).await.unwrap().text
}

fn write(root: &Path, name: &str, text: &str) {
    fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
    fs::write(root.join(name), text).unwrap();
}

#[tokio::test]
async fn mem_15_a_note_says_that_what_it_names_has_changed_wherever_it_is_shown() {
    let desk = desk().await;
    let project = tempfile::tempdir().unwrap();
    let root = project.path();
    write(root, "src/auth.rs", "fn renew() {\n    1\n}\n\nfn other() {}\n");
    let agent = agent_in(&desk, Some(root), "codex", false);
    let whole = agent.save(about("Whole", &["src/auth.rs"])).await.unwrap().ids[0];
    let symbol = agent.save(about("Symbol", &["src/auth.rs#renew"])).await.unwrap().ids[0];
    let link = Relate { from: whole, to: symbol, ..Relate::default() };
    agent.relate(link).await.unwrap();
    let before = context(&agent).await;
    assert!(!before.contains('⚠') && !before.contains("out of date"), "{before}");
    // Another part of the file: only who named all of it is told of that.
    write(root, "src/auth.rs", "fn renew() {\n    1\n}\n\nfn other() -> u64 { 2 }\n");
    let mark =
        format!("#{whole} [manual] Whole (by codex, 2026-11-16) ⚠ src/auth.rs changed since");
    let told = context(&agent).await;
    assert!(told.contains(&format!("## May be out of date\n{mark}\n")), "{told}");
    assert!(
        told.contains(&format!("#{symbol} [manual] Symbol (by codex, 2026-11-16)\n")),
        "{told}"
    );
    let summary = format!("#{whole} [manual] Whole ⚠ src/auth.rs changed since");
    assert!(found(&agent).await.contains(&summary));
    let timeline = Timeline { observation_id: symbol, ..Timeline::default() };
    let at = mark.replace("2026-11-16", "2026-11-16 12:00");
    assert!(agent.timeline(timeline).await.unwrap().text.contains(&at));
    let around = BuildContext { id: symbol, ..BuildContext::default() };
    assert!(agent.build_context(around).await.unwrap().text.contains(&mark));
    let all = shown(&agent, whole).await;
    assert!(
        all.starts_with(&summary) && all.contains("anchors: src/auth.rs (changed since)"),
        "{all}"
    );
    // The symbol itself, and then the file.
    write(root, "src/auth.rs", "fn renew() {\n    22\n}\n");
    assert!(shown(&agent, symbol).await.contains("⚠ src/auth.rs#renew changed since"));
    fs::remove_file(root.join("src/auth.rs")).unwrap();
    assert!(shown(&agent, symbol).await.contains("⚠ src/auth.rs#renew gone"));
    assert!(shown(&agent, whole).await.contains("anchors: src/auth.rs (gone)"));
    // Who says that it is still true renews what it was held against.
    write(root, "src/auth.rs", "fn renew() {\n    333\n}\n");
    let again =
        Update { id: whole, anchors: Some(vec!["src/auth.rs".to_owned()]), ..Update::default() };
    agent.update(again).await.unwrap();
    assert!(shown(&agent, whole).await.contains("anchors: src/auth.rs (unchanged)"));
    assert!(!found(&agent).await.contains("src/auth.rs changed"));
}

#[tokio::test]
async fn mem_15_a_file_that_was_only_touched_has_not_changed() {
    let desk = desk().await;
    let project = tempfile::tempdir().unwrap();
    write(project.path(), "a.txt", "same");
    let agent = agent_in(&desk, Some(project.path()), "codex", false);
    let id = agent.save(about("A", &["a.txt"])).await.unwrap().ids[0];
    let file = fs::File::options().append(true).open(project.path().join("a.txt")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    assert!(shown(&agent, id).await.contains("a.txt (unchanged)"));
}

#[tokio::test]
async fn mem_15_old_notes_are_listed_too_and_few_files_are_looked_at() {
    let desk = desk().await;
    let project = tempfile::tempdir().unwrap();
    let agent = agent_in(&desk, Some(project.path()), "codex", false);
    write(project.path(), "old.rs", "one");
    let old = agent.save(about("Old", &["old.rs"])).await.unwrap().ids[0];
    for n in 0..210 {
        desk.pass(1000);
        let name = format!("f{n}.rs");
        write(project.path(), &name, "x");
        agent.save(about(&format!("N{n}"), &[&name])).await.unwrap();
    }
    write(project.path(), "old.rs", "three");
    write(project.path(), "f150.rs", "changed");
    let told = agent.context(Recall { limit: Some(5), ..Recall::default() }).await.unwrap();
    // Beyond the five newest, but among the 200 files; the oldest is not.
    assert!(
        told.text.contains("N150 (by codex, 2026-11-16) ⚠ f150.rs changed since"),
        "{}",
        told.text
    );
    assert!(!told.text.contains(&format!("#{old} ")), "{}", told.text);
    assert_eq!((told.shown, told.total), (6, 211));
    assert!(shown(&agent, old).await.contains("⚠ old.rs changed since"));
}

#[tokio::test]
async fn mem_15_hostile_anchors_are_refused_and_nothing_is_saved() {
    let desk = desk().await;
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().join("project");
    write(&root, "src/a.rs", "fn a() {}\n");
    write(outer.path(), "secret.txt", "secret");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outer.path().join("secret.txt"), root.join("link")).unwrap();
        std::os::unix::fs::symlink(outer.path(), root.join("out")).unwrap();
    }
    let agent = agent_in(&desk, Some(&root), "codex", false);
    for bad in [
        "../secret.txt",
        "src/../../secret.txt",
        "/etc/passwd",
        "link",
        "out/secret.txt",
        "C:/x",
        "src\\a.rs",
        "..",
        ".",
        "src",
        "nothing.rs",
        "src/a.rs#nothing",
        "src/a.rs:1",
        "commit:--help",
        "commit:xyz",
        "commit:123",
        "  ",
        "a\0b",
    ] {
        let refused = agent.save(about("Bad", &[bad])).await;
        let words = refused.expect_err(bad).to_string();
        assert!(!words.contains('\n') && words.len() < 200, "{words}");
    }
    let many: Vec<String> = (0..21).map(|n| format!("f{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(agent.save(about("Many", &many)).await.is_err());
    assert!(context(&agent).await.contains("Nothing remembered yet"));
}

/// Over HTTP without roots nobody can look; what was named is kept all the same.
#[tokio::test]
async fn mem_15_where_nobody_can_look_anchors_are_kept() {
    let desk = desk().await;
    let project = tempfile::tempdir().unwrap();
    let nowhere = agent_in(&desk, None, "web", false);
    let saved = nowhere.save(about("A", &["a.rs"])).await.unwrap();
    assert!(saved.text.contains("cannot be checked"), "{}", saved.text);
    assert!(nowhere.save(about("B", &["../a.rs"])).await.is_err());
    let there = agent_in(&desk, Some(project.path()), "codex", false);
    let told = shown(&there, saved.ids[0]).await;
    assert!(told.contains("anchors: a.rs (not checked)") && !told.contains('⚠'), "{told}");
    // Notes of another project name files of another folder.
    let other = Save { project: Some("sea".to_owned()), ..about("C", &["nothing.rs"]) };
    assert!(there.save(other).await.unwrap().text.contains("cannot be checked"));
}

#[tokio::test]
async fn mem_15_a_commit_that_is_rewritten_is_told() {
    let desk = desk().await;
    let project = tempfile::tempdir().unwrap();
    let root = project.path();
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.arg("-C").arg(root).args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("GIT_")) {
            git.env_remove(name);
        }
        let done = git.output().unwrap();
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "one"]);
    git(&["commit", "-q", "--allow-empty", "-m", "two"]);
    let two = git(&["rev-parse", "--short=12", "HEAD"]);
    let agent = agent_in(&desk, Some(root), "codex", false);
    let anchor = format!("commit:{two}");
    let id = agent.save(about("A", &[&anchor])).await.unwrap().ids[0];
    git(&["commit", "-q", "--allow-empty", "-m", "three"]);
    assert!(shown(&agent, id).await.contains(&format!("{anchor} (unchanged)")));
    git(&["reset", "-q", "--hard", "HEAD~2"]);
    assert!(shown(&agent, id).await.contains(&format!("⚠ {anchor} changed since")));
    assert!(agent.save(about("B", &["commit:0123456789abcdef"])).await.is_err());
}

#[tokio::test]
async fn mem_15_a_superseded_note_is_shown_with_what_replaced_it() {
    let desk = desk().await;
    let old = desk.note("Old", "lantern old").await;
    let over = Save { supersedes: vec![old], ..save("New", "lantern new") };
    let said = desk.memory.save(over).await.unwrap();
    let new = said.ids[0];
    assert!(said.text.ends_with(&format!("It supersedes #{old}.")), "{}", said.text);
    let told = context(&desk.memory).await;
    assert!(told.starts_with("1 superseded or expired note is left out;"), "{told}");
    assert!(!told.contains(&format!("#{old} [")) && told.contains(&format!("#{new} [")), "{told}");
    assert!(
        found(&desk.memory).await.contains(&format!("#{old} [manual] Old ⚠ superseded by #{new}"))
    );
    let circle = Update { id: old, supersedes: vec![new], ..Update::default() };
    let refused = desk.memory.update(circle).await.unwrap_err().to_string();
    assert!(refused.contains("supersedes") && !refused.contains('\n'), "{refused}");
    let both =
        Relate { from: old, to: new, kind: Some("supersedes".to_owned()), ..Relate::default() };
    assert!(desk.memory.relate(both).await.is_err());
}

#[tokio::test]
async fn mem_15_an_expired_note_is_found_but_not_recalled() {
    let desk = desk().await;
    let until = Save { expires: Some("2d".to_owned()), ..save("Brief", "lantern") };
    let id = desk.memory.save(until).await.unwrap().ids[0];
    assert!(context(&desk.memory).await.contains("Brief"));
    desk.pass(2 * DAY);
    let told = context(&desk.memory).await;
    assert!(!told.contains("Brief") && told.contains("1 superseded or expired note"), "{told}");
    assert!(found(&desk.memory).await.contains("Brief ⚠ expired 2026-11-18"));
    let never = Update { id, expires: Some("never".to_owned()), ..Update::default() };
    desk.memory.update(never).await.unwrap();
    assert!(context(&desk.memory).await.contains("Brief"));
    for bad in ["soon", "-3d", "2026-02-30"] {
        let bad = Save { expires: Some(bad.to_owned()), ..save("x", "y") };
        assert!(desk.memory.save(bad).await.is_err());
    }
}

#[tokio::test]
async fn mem_12_a_deleted_note_is_brought_back_by_an_update() {
    let desk = desk().await;
    let id = desk.note("A", "lantern").await;
    let said = desk.memory.delete(id, false).await.unwrap().text;
    assert!(said.contains("undelete=true"), "{said}");
    let back = Update { id, undelete: true, ..Update::default() };
    let said = desk.memory.update(back.clone()).await.unwrap().text;
    assert_eq!(said, format!("#{id} [manual] A is there again."));
    assert!(found(&desk.memory).await.contains("#1 [manual] A"));
    assert!(desk.memory.update(back).await.unwrap().text.contains("is there already"));
    desk.memory.delete(id, false).await.unwrap();
    let changed = Update { id, undelete: true, title: Some("B".to_owned()), ..Update::default() };
    assert_eq!(
        desk.memory.update(changed).await.unwrap().text,
        format!("Brought back. Updated #{id} [manual] B (revision 2).")
    );
    desk.memory.delete(id, true).await.unwrap();
    let gone = Update { id, undelete: true, ..Update::default() };
    assert!(desk.memory.update(gone).await.is_err(), "for good is for good");
}
