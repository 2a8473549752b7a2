//! Programs of npm's world for tests: each in a directory of its own, installed once.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

use crate::python::{Unavailable, run};

/// A program of a package (`name@version`), installed on first use below `cache`, which is
/// `CARGO_TARGET_TMPDIR`. Processes that come together take turns; a directory without its
/// mark is half made and made anew.
pub fn npm(cache: &Path, package: &str, program: &str) -> Result<PathBuf, Unavailable> {
    fs::create_dir_all(cache)?;
    let home = cache.join(format!("npm-{program}"));
    let installed = home.join("node_modules/.bin").join(program);
    let mark = home.join(package.replace('/', "+"));
    let turn = File::create(cache.join(format!("npm-{program}.lock")))?;
    turn.lock()?;
    if mark.exists() {
        return Ok(installed);
    }
    if home.exists() {
        fs::remove_dir_all(&home)?;
    }
    fs::create_dir_all(&home)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--no-save", "--fetch-retries", "1"]);
    npm.args(["--ignore-scripts", "--prefix"]).arg(&home).arg(package);
    run(npm.current_dir(&home))?;
    if !installed.exists() {
        return Err(Unavailable(format!("npm: {package} has no program {program}")));
    }
    File::create(mark)?;
    Ok(installed)
}

/// Programs of packages that need a Node of their own among them, installed together on first
/// use below `cache`. Unlike [`npm`] this runs the packages' scripts: that is how `node` comes.
pub fn node_programs(
    cache: &Path,
    name: &str,
    packages: &[&str],
    programs: &[&str],
) -> Result<Vec<PathBuf>, Unavailable> {
    fs::create_dir_all(cache)?;
    let home = cache.join(format!("node-{name}"));
    let mark = home.join(packages.join(" ").replace('/', "+"));
    let turn = File::create(cache.join(format!("node-{name}.lock")))?;
    turn.lock()?;
    let installed: Vec<PathBuf> =
        programs.iter().map(|program| home.join("node_modules/.bin").join(program)).collect();
    if mark.exists() {
        return Ok(installed);
    }
    if home.exists() {
        fs::remove_dir_all(&home)?;
    }
    fs::create_dir_all(&home)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--no-save", "--fetch-retries", "1"]);
    npm.arg("--prefix").arg(&home).args(packages);
    run(npm.current_dir(&home))?;
    for program in &installed {
        run(Command::new(program).arg("--version"))?;
    }
    File::create(mark)?;
    Ok(installed)
}

/// The directory whose `node_modules` has these packages, for scripts that import them. None
/// of their own scripts is run.
pub fn node_modules(cache: &Path, name: &str, packages: &[&str]) -> Result<PathBuf, Unavailable> {
    fs::create_dir_all(cache)?;
    let home = cache.join(format!("modules-{name}"));
    let (mark, wanted) = (home.join("packages.txt"), packages.join("\n"));
    let turn = File::create(cache.join(format!("modules-{name}.lock")))?;
    turn.lock()?;
    if fs::read_to_string(&mark).is_ok_and(|made_for| made_for == wanted) {
        return Ok(home);
    }
    if home.exists() {
        fs::remove_dir_all(&home)?;
    }
    fs::create_dir_all(&home)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--no-save", "--fetch-retries", "1"]);
    npm.args(["--ignore-scripts", "--prefix"]).arg(&home).args(packages);
    run(npm.current_dir(&home))?;
    fs::write(mark, wanted)?;
    Ok(home)
}
