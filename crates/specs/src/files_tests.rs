use std::{
    env,
    process::{Command, Stdio},
    time::Instant,
};

use super::*;

fn fresh() -> (tempfile::TempDir, Files) {
    let temp = tempfile::tempdir().unwrap();
    let files = Files::below(temp.path().canonicalize().unwrap());
    (temp, files)
}

#[test]
fn what_is_written_is_read() {
    let (temp, files) = fresh();
    assert_eq!(files.read("a/b.md").unwrap(), None);
    files.write("a/b.md", "one").unwrap();
    files.write("a/b.md", "two").unwrap();
    assert_eq!(files.read("a/b.md").unwrap().as_deref(), Some("two"));
    assert!(files.write_new("a/b.md", "three").is_err(), "a new file is new");
    assert_eq!(files.names("a").unwrap(), ["b.md"], "nothing is left over");
    assert!(temp.path().join("sdd/a/b.md").is_file());
}

#[cfg(unix)]
#[test]
fn files_are_as_readable_as_any_other() {
    use std::os::unix::fs::PermissionsExt;
    let (temp, files) = fresh();
    files.write("x.md", "text").unwrap();
    let plain = temp.path().join("plain");
    fs::write(&plain, "text").unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
    assert_eq!(mode(&temp.path().join("sdd/x.md")), mode(&plain));
}

#[test]
fn no_name_leads_out() {
    let (_temp, files) = fresh();
    for name in ["../x", "a/../../x", "", "/etc/passwd", "a//b", "./x"] {
        assert!(matches!(files.write(name, "x"), Err(SpecsError::Outside(_))), "{name:?}");
        assert!(matches!(files.read(name), Err(SpecsError::Outside(_))), "{name:?}");
    }
}

#[cfg(unix)]
#[test]
fn sec_3_no_link_is_followed() {
    use std::os::unix::fs::symlink;
    let (temp, files) = fresh();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.md"), "secret").unwrap();
    fs::create_dir(temp.path().join("sdd")).unwrap();
    symlink(outside.path(), temp.path().join("sdd/changes")).unwrap();
    symlink(outside.path().join("secret.md"), temp.path().join("sdd/proposal.md")).unwrap();
    let refused = |result: Result<(), SpecsError>| {
        assert!(matches!(result, Err(SpecsError::Outside(_))), "{result:?}");
    };
    refused(files.read("changes/secret.md").map(drop));
    refused(files.read("proposal.md").map(drop));
    refused(files.write("changes/new.md", "x"));
    refused(files.write("proposal.md", "x"));
    refused(files.names("changes").map(drop));
    assert_eq!(fs::read_to_string(outside.path().join("secret.md")).unwrap(), "secret");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);

    let (temp, files) = fresh();
    symlink(outside.path(), temp.path().join("sdd")).unwrap();
    refused(files.write("proposal.md", "x"));
    refused(files.hold().map(drop));
}

#[test]
fn large_files_and_odd_bytes_are_refused_or_read_in_part() {
    let (temp, files) = fresh();
    files.write("sdd.json", "x").unwrap();
    fs::write(temp.path().join("sdd/sdd.json"), vec![b'a'; 3 << 20]).unwrap();
    assert!(matches!(files.read("sdd.json"), Err(SpecsError::Broken { .. })));
    let part = files.read_leniently("sdd.json").unwrap().unwrap();
    assert_eq!(part.len() as u64, LONGEST_FILE);
    fs::write(temp.path().join("sdd/sdd.json"), b"a\xff\xfeb").unwrap();
    assert!(matches!(files.read("sdd.json"), Err(SpecsError::Broken { .. })));
    assert!(files.read_leniently("sdd.json").unwrap().unwrap().starts_with('a'));
}

/// A text that shows when it is torn: one letter, many times, and an end.
fn whole(letter: char) -> String {
    format!("{}.", letter.to_string().repeat(300_000))
}

/// Not a test of its own: the process that [`a_killed_writer_leaves_a_whole_file`] kills.
#[test]
fn writer_that_is_killed() {
    let Ok(root) = env::var("PLIMSOLL_SPECS_WRITER") else { return };
    let files = Files::below(root.into());
    let letters = ['a', 'b', 'c'].into_iter().cycle();
    for letter in letters {
        files.write("proposal.md", &whole(letter)).unwrap();
    }
}

#[test]
fn a_killed_writer_leaves_a_whole_file() {
    let (_temp, files) = fresh();
    files.write("proposal.md", &whole('z')).unwrap();
    for round in 0..8u64 {
        let mut writer = Command::new(env::current_exe().unwrap())
            .args(["--exact", "files::tests::writer_that_is_killed"])
            .env("PLIMSOLL_SPECS_WRITER", files.root())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let started = Instant::now();
        // While it writes, every look shows a whole file. The first round waits until it
        // has begun, however slow the machine is.
        let mut begun = false;
        while !begun || started.elapsed() < Duration::from_millis(60 + round * 7) {
            let text = files.read("proposal.md").unwrap().unwrap();
            assert_eq!((text.len(), text.ends_with('.')), (300_001, true));
            begun = !text.starts_with('z') || started.elapsed() > Duration::from_secs(30);
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        let text = files.read("proposal.md").unwrap().unwrap();
        let letter = text.chars().next().unwrap();
        assert_eq!(text, whole(letter), "round {round}");
    }
    let text = files.read("proposal.md").unwrap().unwrap();
    assert!(!text.starts_with('z'), "the writer did write");
    files.write("proposal.md", "after").unwrap();
    assert_eq!(files.read("proposal.md").unwrap().as_deref(), Some("after"));
}

#[test]
fn writers_wait_for_each_other() {
    let (_temp, files) = fresh();
    let held = files.hold().unwrap();
    let other = files.clone();
    let waiting = thread::spawn(move || {
        let _held = other.hold().unwrap();
        Instant::now()
    });
    thread::sleep(Duration::from_millis(80));
    let released = Instant::now();
    drop(held);
    assert!(waiting.join().unwrap() >= released);
}
