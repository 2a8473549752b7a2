//! What needs a browser: its installation, and the screenshots.

use crate::{
    packages::{can_install, install, on_path},
    run::{cargo, root, skip, step},
};

/// Chromium and letters.
const BROWSER: [&str; 2] = ["chromium", "fonts-dejavu-core"];

/// Small fonts for what people write besides: emoji, and Chinese, Japanese and Korean.
/// Pictures are better with them, and no test needs them.
const FONTS: [&str; 2] = ["fonts-noto-color-emoji", "fonts-wqy-microhei"];

/// The names under which the driver looks for Chromium.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The names under which the driver looks for Firefox.
const FIREFOX: [&str; 2] = ["firefox-esr", "firefox"];

/// Installs the browsers where they are missing and where that is ours to do: as root on a
/// system like Debian. Never a reason to fail; the tests that need them say so themselves.
pub fn prepare() {
    prepare_chromium();
    prepare_firefox();
}

fn prepare_firefox() {
    const NAME: &str = "Firefox for the browser tests";
    let told = std::env::var_os("PLIMSOLL_FIREFOX").is_some();
    if told || FIREFOX.iter().any(|name| on_path(name)) {
        return;
    }
    if !can_install() {
        let how =
            "it is not installed (apt-get install firefox-esr, or name it in PLIMSOLL_FIREFOX)";
        skip(NAME, how);
    } else if install(NAME, &["firefox-esr"]).is_err() {
        skip(NAME, "apt-get could not install it");
    }
}

fn prepare_chromium() {
    const NAME: &str = "Chromium for the browser tests";
    let told = std::env::var_os("PLIMSOLL_CHROMIUM").is_some();
    if told || NAMES.iter().any(|name| on_path(name)) {
        return;
    }
    if !can_install() {
        skip(
            NAME,
            "it is not installed (apt-get install chromium, or name it in PLIMSOLL_CHROMIUM)",
        );
        return;
    }
    match install(NAME, &BROWSER) {
        Ok(()) => {
            if install("fonts for pictures", &FONTS).is_err() {
                skip("fonts for pictures", "apt-get could not install them");
            }
        }
        Err(_) => skip(NAME, "apt-get could not install it"),
    }
}

/// Writes `docs/shots/*.png` from a workbench with a made-up history.
pub fn shots() -> Result<(), String> {
    prepare_chromium();
    let mut command = cargo();
    command.args(["test", "--quiet", "--package", "plimsoll-cli", "--test", "shots"]);
    command.env("PLIMSOLL_SHOTS", root().join("docs/shots"));
    step("screenshots", &mut command)
}
