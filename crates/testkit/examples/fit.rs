//! Fits a table of the `fast` estimator: `fit OUT DIR …`.
//!
//! Half of the files teach, the other half test. The split is by package, so that files which
//! resemble each other do not stand on both sides; the tests of the repository look at the half
//! that does not teach.

use std::{io::Write, path::PathBuf};

use anyhow::{Context, bail};
use plimsoll_testkit::{
    table_fit::TableFit,
    texts::{sample, teaches},
};
use plimsoll_tokens::{PairTable, Tokenizer};

/// Of each directory.
const MOST_FILES: usize = 4000;
const TOKENIZER: Tokenizer = Tokenizer::O200k;

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let out = PathBuf::from(args.next().context("usage: fit OUT DIR …")?);
    let (mut train, mut test) = (Vec::new(), Vec::new());
    let dirs: Vec<PathBuf> = args.map(PathBuf::from).collect();
    for dir in &dirs {
        for (path, text) in sample(dir, MOST_FILES) {
            let side = if teaches(dir, &path) { &mut train } else { &mut test };
            side.push((path, text));
        }
    }
    if train.is_empty() || test.is_empty() {
        bail!("too few text files to teach and to test");
    }
    let mut fit = TableFit::default();
    for (_, text) in &train {
        fit.add(text, &TOKENIZER.token_lengths(text));
    }
    let bytes = fit.finish();
    let fitted = PairTable::from_file_bytes(&bytes).context("a table has 524,288 bytes")?;
    std::fs::write(&out, &bytes).with_context(|| format!("cannot write {}", out.display()))?;

    let exact: Vec<f64> = test.iter().map(|(_, text)| TOKENIZER.count(text) as f64).collect();
    let mut stdout = std::io::stdout().lock();
    writeln!(
        stdout,
        "{} files taught, {} tested, table in {}",
        train.len(),
        test.len(),
        out.display()
    )?;
    for (name, table) in [("fitted", &fitted), ("shipped", PairTable::shipped())] {
        let mut errors: Vec<f64> = test
            .iter()
            .zip(&exact)
            .map(|((_, text), exact)| (table.count(text) as f64 / exact - 1.0).abs() * 100.0)
            .collect();
        errors.sort_by(f64::total_cmp);
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let p95 = errors[errors.len() * 95 / 100];
        writeln!(stdout, "{name:<8} mean error {mean:.2} %, p95 {p95:.2} %")?;
    }
    Ok(())
}
