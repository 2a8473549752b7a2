use std::fs;

use super::*;

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = temp.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    temp
}

fn paths(root: &Path) -> Vec<String> {
    scan(root, "", Bounds::default()).conventions.into_iter().map(|one| one.path).collect()
}

#[test]
fn sdd_4_conventions_are_found_nearest_first() {
    let temp = tree(&[
        ("README.md", "r"),
        ("AGENTS.md", "a"),
        ("CLAUDE.md", "c"),
        ("CONTRIBUTING.md", "o"),
        (".cursor/rules/style.mdc", "s"),
        ("crates/deep/AGENTS.md", "d"),
        ("src/main.rs", "m"),
        ("node_modules/x/README.md", "n"),
    ]);
    let expected = [
        "AGENTS.md",
        "CLAUDE.md",
        "README.md",
        "CONTRIBUTING.md",
        ".cursor/rules/style.mdc",
        "crates/deep/AGENTS.md",
    ];
    assert_eq!(paths(temp.path()), expected);
}

#[test]
fn sdd_4_what_git_ignores_is_not_read() {
    let temp = tree(&[
        (".gitignore", "CLAUDE.md\nprivate/\n.cursor/\n"),
        ("CLAUDE.md", "c"),
        ("AGENTS.md", "a"),
        ("private/README.md", "p"),
        (".cursor/rules/style.mdc", "s"),
        ("sub/.gitignore", "README.md\n"),
        ("sub/README.md", "x"),
    ]);
    assert_eq!(paths(temp.path()), ["AGENTS.md"]);
}

#[cfg(unix)]
#[test]
fn sdd_4_no_link_leads_out_of_the_project() {
    use std::os::unix::fs::symlink;
    let outside = tree(&[("README.md", "secret"), ("rules/a.mdc", "secret")]);
    let temp = tree(&[("AGENTS.md", "inside"), ("sub/x", "y")]);
    symlink(outside.path().join("README.md"), temp.path().join("README.md")).unwrap();
    symlink(outside.path(), temp.path().join("linked")).unwrap();
    symlink(outside.path(), temp.path().join(".cursor")).unwrap();
    symlink("../AGENTS.md", temp.path().join("sub/CLAUDE.md")).unwrap();
    symlink("CONTRIBUTING.md", temp.path().join("CONTRIBUTING.md")).unwrap();
    let found = scan(temp.path(), "", Bounds::default()).conventions;
    assert_eq!(found.len(), 1, "a link inside is the same file, one outside is none: {found:?}");
    assert_eq!(found[0].text, "inside");
}

#[test]
fn sdd_4_a_large_repository_is_looked_at_within_bounds() {
    let temp = tree(&[("zz/AGENTS.md", "late"), ("AGENTS.md", "top")]);
    for directory in 0..50 {
        let path = temp.path().join(format!("d{directory}"));
        fs::create_dir(&path).unwrap();
        for file in 0..200 {
            fs::write(path.join(format!("f{file}")), "").unwrap();
        }
    }
    let started = Instant::now();
    assert_eq!(paths(temp.path()), ["AGENTS.md", "zz/AGENTS.md"]);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    let bounds = Bounds { entries: 500, ..Bounds::default() };
    let some = scan(temp.path(), "", bounds);
    assert!(some.stopped && some.conventions[0].path == "AGENTS.md", "{some:?}");
    let none = scan(temp.path(), "", Bounds { time: Duration::ZERO, ..Bounds::default() });
    assert!(none.stopped);
}

#[test]
fn sdd_4_those_about_the_change_come_first_behind_those_of_the_root() {
    let mut files: Vec<(String, &str)> = (0..40)
        .map(|at| (format!("parts/a{at:02}/README.md"), "The server of this project."))
        .collect();
    files.push(("AGENTS.md".to_owned(), "Write plain words."));
    files.push((".cursor/rules/style.mdc".to_owned(), "Style."));
    files.push(("parts/zz/README.md".to_owned(), "How the keel is weighed."));
    files.push(("parts/keel/README.md".to_owned(), "A part of the server."));
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let temp = tree(&files);
    let found = scan(temp.path(), "Weigh the keel of the server", Bounds::default());
    let paths: Vec<&str> = found.conventions.iter().map(|one| one.path.as_str()).collect();
    let first = ["AGENTS.md", ".cursor/rules/style.mdc", "parts/keel/README.md"];
    assert_eq!(paths[..3], first);
    assert_eq!(paths[3..5], ["parts/zz/README.md", "parts/a00/README.md"]);
    assert_eq!((paths.len(), found.further, found.stopped), (20, 24, false));
}
