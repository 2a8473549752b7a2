//! Real things in tests: weights, and saying so when there are none.
//!
//! A test that needs something of the outside asks here. Where it cannot be had, the
//! test says so on standard error, whatever the harness keeps back, and ends.

use std::{
    io::Write,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// Tells people that something was not tested. Standard error is written to directly,
/// since the harness would keep a print of a passing test for itself. Where
/// `PLIMSOLL_NO_SKIPS` is set, the test fails instead.
pub fn skipped(why: &str) {
    let no_skips = std::env::var_os("PLIMSOLL_NO_SKIPS").is_some_and(|value| !value.is_empty());
    assert!(!no_skips, "nothing was tested: {why}");
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

/// Whether there is time to try much more: `PLIMSOLL_LONG=1`, as `cargo xtask long` sets it.
pub fn long() -> bool {
    std::env::var_os("PLIMSOLL_LONG").is_some_and(|set| set == "1")
}

/// As often as this in every run, and so many times where there is time.
pub fn times(usual: u32, much: u32) -> u32 {
    if long() { much } else { usual }
}

/// The weights of the embedded model: the file that `PLIMSOLL_TEST_WEIGHTS` names, else
/// what `fetch` brings into `cache`, which is asked once a process. `cache` is
/// `CARGO_TARGET_TMPDIR`, so that all crates share one file.
pub fn weights<E: std::fmt::Display>(
    cache: &Path,
    fetch: impl FnOnce(&Path) -> Result<PathBuf, E>,
) -> Option<PathBuf> {
    static FOUND: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| match std::env::var_os("PLIMSOLL_TEST_WEIGHTS") {
        Some(path) => Ok(PathBuf::from(path)),
        None => fetch(cache).map_err(|error| error.to_string()),
    });
    match found {
        Ok(path) => Some(path.clone()),
        Err(error) => {
            skipped(&format!("this test needs the weights of the embedded model: {error}"));
            None
        }
    }
}
