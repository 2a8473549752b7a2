//! EST-4 on files that the table was not fitted on.

use plimsoll_testkit::real::skipped;
use std::path::PathBuf;

use plimsoll_testkit::texts::sample;
use plimsoll_tokens::{PairTable, Tokenizer};

/// The sources of the crates that built this test: many languages, and on every machine
/// that runs it.
#[test]
fn fast_is_within_five_percent_on_average() {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")));
    let files = home.map(|home| sample(&home.join("registry/src"), 300)).unwrap_or_default();
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
    assert!(mean <= 5.0 && p95 <= 15.0, "mean {mean:.2} %, p95 {p95:.2} %");
}
