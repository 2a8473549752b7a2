//! Fits a table of the `fast` estimator: `fit DIR [OUT]`.
//!
//! Half of the files teach, the other half test. The split is by directory, so that
//! files which resemble each other do not stand on both sides.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use plimsoll_testkit::{table_fit::TableFit, texts::sample};
use plimsoll_tokens::{PairTable, Tokenizer};

const MOST_FILES: usize = 6000;
const TOKENIZER: Tokenizer = Tokenizer::O200k;

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let dir = PathBuf::from(args.next().context("usage: fit DIR [OUT]")?);
    let out = PathBuf::from(args.next().unwrap_or_else(|| "target/pairs_o200k.bin".to_owned()));
    let (train, test): (Vec<_>, Vec<_>) =
        sample(&dir, MOST_FILES).into_iter().partition(|(path, _)| teaches(path));
    if train.is_empty() || test.is_empty() {
        bail!("{} holds too few text files to teach and to test", dir.display());
    }
    let mut fit = TableFit::default();
    for (_, text) in &train {
        fit.add(text, &TOKENIZER.token_lengths(text));
    }
    let bytes = fit.finish();
    let fitted = PairTable::from_file_bytes(&bytes).context("a table has 65,536 bytes")?;
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

/// Half of the directories, by a hash of their names.
fn teaches(path: &Path) -> bool {
    let mut hasher = DefaultHasher::new();
    path.parent().hash(&mut hasher);
    hasher.finish().is_multiple_of(2)
}
