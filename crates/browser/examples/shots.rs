//! `cargo xtask shots`: the pictures of the documentation.
//!
//! All scenes stand in [`SCENES`]; the file's name is the scene's. The workbench must
//! run; its address is the first argument and the directory of the pictures the second.

use std::{path::Path, process::ExitCode};

use plimsoll_browser::{
    Browser, Options, Result,
    shots::{Scene, shoot},
};

/// One line a picture: how it looks, and what is done before it is taken.
const SCENES: &[Scene] = &[
    Scene::new("start-light"),
    Scene::new("start-dark").dark(),
    // UI-11: from a small phone to a large screen.
    Scene::new("start-phone").sized(360, 740, 2.0),
    Scene::new("start-large").sized(3840, 2160, 1.0),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [base, into, wanted @ ..] = args.as_slice() else {
        say("shots ADDRESS DIRECTORY [SCENE …]");
        return ExitCode::from(2);
    };
    match shoot_all(base, Path::new(into), wanted) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("shots: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// The wanted scenes, or all.
fn shoot_all(base: &str, into: &Path, wanted: &[String]) -> Result<()> {
    let browser = Browser::launch(Options::default())?;
    let is_wanted = |scene: &&Scene| {
        wanted.is_empty() || wanted.iter().any(|name| scene.name.contains(name.as_str()))
    };
    for scene in SCENES.iter().filter(is_wanted) {
        let path = shoot(&browser, base, scene, into)?;
        say(&path.display().to_string());
    }
    Ok(())
}

/// A tool that people run speaks to them.
#[allow(clippy::print_stderr)]
fn say(words: &str) {
    eprintln!("{words}");
}
