//! EST-4 on files that the table was not fitted on.

use plimsoll_testkit::real::skipped;
use std::path::PathBuf;

use plimsoll_testkit::texts::{sample, teaches};
use plimsoll_tokens::{PairTable, Tokenizer};

/// The sources of the crates that built this test: many languages, and on every machine
/// that runs it. Packages that may have taught are left out.
#[test]
fn est_4_fast_is_within_five_percent_on_files_that_it_was_not_fitted_on() {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")));
    let root = home.unwrap_or_default().join("registry/src");
    let mut files = sample(&root, 1200);
    files.retain(|(path, _)| !teaches(&root, path));
    if files.len() < 200 {
        return skipped(&format!("cargo's registry holds only {} texts here", files.len()));
    }
    let error = |(_, text): &(PathBuf, String)| {
        let exact = Tokenizer::O200k.count(text) as f64;
        (PairTable::shipped().count(text) as f64 / exact - 1.0).abs() * 100.0
    };
    let mut errors: Vec<f64> = files.iter().map(error).collect();
    errors.sort_by(f64::total_cmp);
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    let p95 = errors[errors.len() * 95 / 100];
    assert!(mean <= 5.0 && p95 <= 12.0, "mean {mean:.2} %, p95 {p95:.2} %");
}
