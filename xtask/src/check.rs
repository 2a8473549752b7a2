//! What must hold before a change lands.

use crate::{
    browser, coverage, packages, page,
    run::{cargo, has, root, skip, step},
};

/// Format, lints, the page's modules, tests, documentation, dependencies. The house
/// rules (arrows between crates, file sizes, a true ARCHITECTURE.md) are tests of this
/// package.
pub fn check() -> Result<(), String> {
    step("format", cargo().args(["fmt", "--all", "--", "--check"]))?;
    step(
        "lints",
        cargo().args([
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--",
            "-D",
            "warnings",
        ]),
    )?;
    page::check()?;
    test()?;
    step(
        "documentation",
        cargo()
            .args(["doc", "--workspace", "--no-deps", "--locked", "--document-private-items"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    )?;
    if has("cargo", &["deny", "--version"]) {
        step("dependencies", cargo().args(["deny", "check", "licenses", "bans", "sources"]))?;
        // The database of advisories comes from the web; without it nothing is known.
        if has("cargo", &["deny", "fetch", "db"]) {
            step("advisories", cargo().args(["deny", "check", "advisories"]))?;
        } else {
            skip("advisories", "their database could not be fetched");
        }
    } else {
        skip("dependencies", "cargo-deny is not installed (cargo install cargo-deny)");
    }
    eprintln!("\nAll checks passed.");
    Ok(())
}

/// All tests. They need Rust and a C compiler; those with the real model fetch it by pip,
/// those with a real browser need Chromium, those of a team's server PostgreSQL, those of the file tools bubblewrap, tesseract and
/// poppler, and they say so when they cannot.
pub fn test() -> Result<(), String> {
    browser::prepare();
    packages::prepare_file_tools();
    packages::prepare_databases();
    step("tests", cargo().args(["test", "--workspace", "--locked", "--quiet"]))
}

/// Tests as a team runs the app: rows in PostgreSQL, what attached files hold in an object store.
/// Every run has the contracts of stores and of places for files on both; the rest is in the long
/// mode. All packages are named, as they were when the programs were built.
fn on_a_server(name: &str, tests: &[&str]) -> Result<(), String> {
    let mut cargo = cargo();
    cargo.args(["test", "--workspace", "--locked", "--quiet"]);
    cargo.args(tests.iter().flat_map(|test| ["--test", test]));
    step(name, cargo.env("PLIMSOLL_TEST_STORE", "postgres"))
}

/// The long mode, whole: kills, power cuts, load, growth, faults, migrations and the tests that
/// make up what they do, at full size and one at a time, with the program that people use, so that
/// the figures that they print are its own. A test that cannot run here is an error.
pub fn long() -> Result<(), String> {
    browser::prepare();
    packages::prepare_file_tools();
    packages::prepare_databases();
    let run = |name: &str, test: &str, filter: &[&str]| {
        let mut tests = cargo();
        // The same packages for each, so that nothing is built twice.
        tests.args(["test", "--release", "--locked", "--package", "plimsoll-cli"]);
        tests.args(["--package", "plimsoll-store-sql", "--package", "plimsoll-app"]);
        tests.args(["--package", "plimsoll-provider", "--test", test, "--"]);
        tests.args(filter).args(["--nocapture", "--test-threads=1"]);
        step(name, tests.env("PLIMSOLL_LONG", "1").env("PLIMSOLL_NO_SKIPS", "1"))
    };
    // What fails does not keep the others from being run: together they take hours.
    let failed: Vec<String> = [
        run("trust", "trust", &[]),
        run("migrations", "sqlite", &["migrating"]),
        run("faults of the store", "send", &["faults"]),
        run("providers that misbehave", "provider", &["misbehaviour"]),
        run("what is marked is what is sent", "workbench", &["honest_random"]),
        run("what is seen is what is sent", "web", &["seen"]),
        run("the API and its document", "web", &["schema"]),
        run("faults of a team's server", "team", &["--include-ignored"]),
        on_a_server("the app on PostgreSQL and an object store", &["send"]),
        on_a_server("the memory and its server on PostgreSQL", &["memory", "server"]),
        on_a_server("the API on PostgreSQL and an object store", &["web", "pinned"]),
        on_a_server("the commands on PostgreSQL and an object store", &["cli", "mcp"]),
        on_a_server("the page on PostgreSQL and an object store", &["workbench"]),
    ]
    .into_iter()
    .filter_map(Result::err)
    .collect();
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

/// Writes the pages that come from the code. The tests that compare them do it, the page of
/// rules aside.
pub fn docs() -> Result<(), String> {
    coverage::write(&root())?;
    step(
        "docs",
        cargo()
            .args(["test", "--quiet", "--package", "plimsoll-cli", "--package", "plimsoll-config"])
            .args(["--package", "plimsoll-mcp"])
            .args(["--test", "docs", "--test", "cli"])
            .env("PLIMSOLL_UPDATE_DOCS", "1"),
    )
}
