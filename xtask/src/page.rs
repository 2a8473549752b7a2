//! The page's own modules: their tests by Node, their types by TypeScript.

use std::{path::PathBuf, process::Command};

use crate::run::{has, root, skip, step};

/// The compiler that reads the types in the comments; fixed, since each finds more.
const TYPESCRIPT: &str = "typescript@7.0.2";

/// Runs the tests of `crates/web/ui` and checks its types, where Node is. Neither is
/// needed to build or to use anything: what ships has no build step.
pub fn check() -> Result<(), String> {
    let ui = root().join("crates/web/ui");
    if !has("node", &["--version"]) {
        skip("the page's modules", "Node is not installed");
        return Ok(());
    }
    step("tests of the page's modules", Command::new("node").arg("--test").current_dir(&ui))?;
    // The compiler stays below target/, whoever fetched it.
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let home = target.unwrap_or_else(|| root().join("target")).join("typescript");
    let npx = |args: &[&str]| {
        let mut command = Command::new("npx");
        command.args(["--yes", "--package", TYPESCRIPT, "tsc"]).args(args);
        command.env("npm_config_cache", &home).current_dir(&ui);
        command
    };
    if !npx(&["--version"]).output().is_ok_and(|told| told.status.success()) {
        skip("types of the page's modules", "npx could not fetch TypeScript");
        return Ok(());
    }
    step("types of the page's modules", &mut npx(&["--noEmit", "--project", "tsconfig.json"]))
}
