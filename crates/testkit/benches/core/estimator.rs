//! Rows 4 and 5: the fast estimator and the exact count.

use std::path::Path;

use plimsoll_testkit::{
    report::Table,
    texts::{sample, teaches},
};
use plimsoll_tokens::{PairTable, Tokenizer, bytes4, heuristic};

use crate::{Effort, peer, turns};

const FILES: usize = 400;

/// Enough text that the caches do not hold it all.
const MEASURED_BYTES: usize = 16 << 20;

pub(crate) fn run(effort: Effort, dir: &Path, table: &mut Table) -> anyhow::Result<()> {
    let mut files = sample(dir, 4 * FILES);
    files.retain(|(path, _)| !teaches(dir, path));
    files.truncate(FILES);
    anyhow::ensure!(files.len() >= 100, "{} has too few texts; use --texts DIR", dir.display());
    let exact: Vec<u64> = files.iter().map(|(_, text)| Tokenizer::O200k.count(text)).collect();
    let size = format!("{} files", files.len());
    let errors = |count: &dyn Fn(&str) -> u64| {
        let mut errors: Vec<f64> = files
            .iter()
            .zip(&exact)
            .map(|((_, text), exact)| (count(text) as f64 / *exact as f64 - 1.0).abs() * 100.0)
            .collect();
        errors.sort_by(f64::total_cmp);
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        (mean, errors[errors.len() * 95 / 100])
    };
    let (mean, p95) = errors(&|text| PairTable::shipped().count(text));
    table.row("fast: mean error against o200k", &size, mean, "%");
    table.ratio(format!("p95 {p95:.1} %"));
    table.goal("mean ≤ 5 %, p95 ≤ 12 %", mean <= 5.0 && p95 <= 12.0);
    for (name, count) in [
        (
            "chars/3.5: mean error (peer)",
            &(|text: &str| heuristic(text, 3.5)) as &dyn Fn(&str) -> u64,
        ),
        ("bytes/4: mean error (peer)", &bytes4),
    ] {
        let (mean, p95) = errors(count);
        table.row(name, &size, mean, "%");
        table.ratio(format!("p95 {p95:.1} %"));
    }

    let mut text: String = files.iter().map(|(_, text)| text.as_str()).collect();
    while text.len() < MEASURED_BYTES {
        text.extend_from_within(..);
    }
    let end = text.floor_char_boundary(MEASURED_BYTES);
    text.truncate(end);
    let exact_text = &text[..text.floor_char_boundary(MEASURED_BYTES / 8)];
    let rate = |bytes: usize, seconds: f64| bytes as f64 / seconds / 1e6;

    let fast = rate(text.len(), effort.measure(|| PairTable::shipped().count(&text)));
    let quick = Effort { runs: effort.runs.min(8) };
    let raw_tokenizer = bpe_openai::o200k_base();
    // In turns, so that both meet the same moments of the machine.
    let (mut ours, mut raw) = (f64::MAX, f64::MAX);
    for _ in 0..quick.runs {
        let once = Effort { runs: 1 };
        ours = ours.min(once.measure(|| Tokenizer::O200k.count(exact_text)));
        raw = raw.min(once.measure(|| raw_tokenizer.count(exact_text)));
    }
    let (ours, raw) = (rate(exact_text.len(), ours), rate(exact_text.len(), raw));
    table.row("fast: speed", "16 MiB", fast, "MB/s");
    table.ratio(format!("{:.0} × exact bpe-openai", fast / raw));
    table.goal("≥ 50 × exact, ≥ 1,500 MB/s", fast >= 50.0 * raw && fast >= 1500.0);
    table.row("exact: speed", "2 MiB", ours, "MB/s");
    table.ratio(format!("{:.2} × raw bpe-openai", ours / raw));
    table.goal("≥ 0.9 × raw", ours >= 0.9 * raw);
    let kept = tempfile::NamedTempFile::new()?;
    std::fs::write(kept.path(), exact_text)?;
    if let Some(theirs) = peer::tiktoken_count(kept.path())? {
        let theirs = rate(exact_text.len(), theirs);
        table.row("tiktoken in Python: speed (peer)", "2 MiB", theirs, "MB/s");
        table.ratio(format!("we are {:.1} × faster", ours / theirs));
    }
    turns::run(&files, table);
    Ok(())
}
