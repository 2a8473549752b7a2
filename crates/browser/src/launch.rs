//! Finding Chromium, and what it is told when it starts.

use std::{
    env,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{Error, Result};

/// The names under which Chromium is looked for, best first.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Where programs hide on a Mac.
const BUNDLES: [&str; 2] = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// The size of a page in CSS pixels, and how many pixels of a picture each of them gets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// CSS pixels across.
    pub width: u32,
    /// CSS pixels down.
    pub height: u32,
    /// Device pixels for each CSS pixel.
    pub scale: f64,
}

impl Viewport {
    /// A viewport with one device pixel for each CSS pixel.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, scale: 1.0 }
    }

    /// The same with another scale.
    pub fn scaled(self, scale: f64) -> Self {
        Self { scale, ..self }
    }
}

/// How to start Chromium. The default suits nearly all tests.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program; without it `PLIMSOLL_CHROMIUM` and then the usual names are tried.
    pub program: Option<PathBuf>,
    /// The size of new pages.
    pub viewport: Viewport,
    /// How long a command or a condition may take before it counts as failed. Generous,
    /// since a loaded machine is slow and only failures wait this long.
    pub patience: Duration,
    /// Where pictures of failures go.
    pub pictures: PathBuf,
    /// Further arguments for Chromium.
    pub args: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            program: None,
            viewport: Viewport::new(1280, 800),
            patience: Duration::from_secs(30),
            pictures: target().join("browser"),
            args: Vec::new(),
        }
    }
}

/// Cargo's target directory, for what is made once and for pictures of failures.
pub(crate) fn target() -> PathBuf {
    let given = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"))
}

/// The program to start.
pub(crate) fn find(options: &Options) -> Result<PathBuf> {
    let told = options.program.clone();
    let told = told.or_else(|| env::var_os("PLIMSOLL_CHROMIUM").map(PathBuf::from));
    if let Some(program) = told {
        return on_path(&program).ok_or_else(|| Error::Missing {
            what: "Chromium",
            how: format!("there is no program {}", program.display()),
        });
    }
    let mut known = NAMES.iter().chain(&BUNDLES).map(Path::new);
    known.find_map(on_path).ok_or_else(|| Error::Missing {
        what: "Chromium",
        how: "install it (apt-get install chromium, or from chromium.org), or name the \
              program in PLIMSOLL_CHROMIUM"
            .to_owned(),
    })
}

/// A program by its path, or by its name in one of the directories of `PATH`.
pub(crate) fn on_path(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return program.is_file().then(|| program.to_owned());
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|dir| dir.join(program)).find(|file| file.is_file())
}

/// Everything that Chromium is told. `root` decides about its sandbox, which refuses to
/// work for root.
pub(crate) fn arguments(options: &Options, profile: &Path, root: bool) -> Vec<String> {
    let fixed = [
        "--headless=new",
        "--remote-debugging-pipe",
        "--no-startup-window",
        "--no-first-run",
        "--no-default-browser-check",
        // Nothing leaves this machine, neither by name nor by number nor by proxy.
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]",
        "--no-proxy-server",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-domain-reliability",
        "--disable-sync",
        "--disable-extensions",
        "--disable-default-apps",
        "--disable-breakpad",
        "--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,DialMediaRouteProvider",
        "--metrics-recording-only",
        "--password-store=basic",
        "--use-mock-keychain",
        "--mute-audio",
        // Containers often have a tiny /dev/shm, and a full one kills pages.
        "--disable-dev-shm-usage",
        // All pages of a browser work at full speed, whichever is in front.
        "--disable-background-timer-throttling",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
        "--disable-hang-monitor",
        "--disable-ipc-flooding-protection",
        // Pictures look alike on all machines.
        "--force-color-profile=srgb",
        "--font-render-hinting=none",
        "--disable-lcd-text",
        "--disable-gpu",
        "--lang=en-US",
    ];
    let mut all: Vec<String> = fixed.map(ToOwned::to_owned).into();
    all.push(format!("--user-data-dir={}", profile.display()));
    all.push(format!("--window-size={},{}", options.viewport.width, options.viewport.height));
    if root {
        all.push("--no-sandbox".to_owned());
    }
    all.extend(options.args.iter().cloned());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_program_that_is_not_there_is_missing() {
        let options = Options { program: Some("/nowhere/chromium".into()), ..Options::default() };
        let error = find(&options).unwrap_err();
        assert!(matches!(error, Error::Missing { .. }));
        assert_eq!(error.to_string(), "Chromium is missing: there is no program /nowhere/chromium");
    }

    #[test]
    fn only_root_goes_without_a_sandbox() {
        let says = |root| {
            arguments(&Options::default(), Path::new("/p"), root)
                .contains(&"--no-sandbox".to_owned())
        };
        assert!(says(true));
        assert!(!says(false));
    }
}
