//! What needs a browser: its installation, and the screenshots.

use std::process::{Command, Stdio};

use crate::run::{cargo, has, root, skip, step};

/// Chromium and letters.
const BROWSER: [&str; 2] = ["chromium", "fonts-dejavu-core"];

/// Small fonts for what people write besides: emoji, and Chinese, Japanese and Korean.
/// Pictures are better with them, and no test needs them.
const FONTS: [&str; 2] = ["fonts-noto-color-emoji", "fonts-wqy-microhei"];

/// The names under which the driver looks for it.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Installs Chromium where it is missing and where that is ours to do: as root on a
/// system like Debian. Never a reason to fail; the tests that need it say so themselves.
pub fn prepare() {
    const NAME: &str = "Chromium for the browser tests";
    let told = std::env::var_os("PLIMSOLL_CHROMIUM").is_some();
    if told || NAMES.iter().any(|name| on_path(name)) {
        return;
    }
    if !on_path("apt-get") || !is_root() {
        skip(
            NAME,
            "it is not installed (apt-get install chromium, or name it in PLIMSOLL_CHROMIUM)",
        );
        return;
    }
    // The lists of packages may be old or none at all.
    let done = install(NAME, &BROWSER).or_else(|_| {
        step("lists of packages", Command::new("apt-get").args(["update", "-qq"]))?;
        install(NAME, &BROWSER)
    });
    match done {
        Ok(()) => {
            if install("fonts for pictures", &FONTS).is_err() {
                skip("fonts for pictures", "apt-get could not install them");
            }
        }
        Err(_) => skip(NAME, "apt-get could not install it"),
    }
}

fn install(name: &str, packages: &[&str]) -> Result<(), String> {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command.args(["install", "-y", "-qq", "--no-install-recommends"]).args(packages);
    // What it unpacks interests nobody; what it fails with does.
    step(name, command.stdout(Stdio::null()))
}

/// Writes `docs/shots/*.png` from a workbench with a made-up history.
pub fn shots() -> Result<(), String> {
    prepare();
    let mut command = cargo();
    command.args(["test", "--quiet", "--package", "plimsoll-cli", "--test", "shots"]);
    command.env("PLIMSOLL_SHOTS", root().join("docs/shots"));
    step("screenshots", &mut command)
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

fn is_root() -> bool {
    has("sh", &["-c", "test \"$(id -u)\" = 0"])
}
