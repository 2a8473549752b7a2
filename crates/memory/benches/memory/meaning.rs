//! Search by meaning: a question among very many vectors, without the time of the model, which
//! `cargo xtask bench embedded` has.

use std::{sync::Arc, time::Instant};

use plimsoll_memory::{EmbedError, Embedder, Meaning, MeaningParts};
use plimsoll_store::{Store, Workspace};
use plimsoll_testkit::report::Table;

use crate::{Outcome, Times};

const WIDTH: usize = 384;

/// Vectors without a pattern, made of the bytes of a text.
struct Scattered;

impl Embedder for Scattered {
    fn name(&self) -> &str {
        "scattered"
    }

    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vector = |text: &String| {
            let mut state = text
                .bytes()
                .fold(1u32, |hash, byte| hash.wrapping_mul(16_777_619) ^ u32::from(byte));
            let mut numbers = Vec::with_capacity(WIDTH);
            for _ in 0..WIDTH {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                numbers.push(((state >> 8) as f32 / (1 << 23) as f32 - 1.0) * 0.088);
            }
            numbers
        };
        Ok(texts.iter().map(vector).collect())
    }
}

/// The rows for the notes that are in a store.
pub(crate) async fn measure(store: Arc<dyn Store>, size: &str, table: &mut Table) -> Outcome {
    let workspace = Workspace::default();
    let (asking, filling) = (Arc::new(Scattered), Arc::new(Scattered));
    let meaning = Meaning::new(MeaningParts { store, asking, filling });
    let started = Instant::now();
    let since = plimsoll_domain::Timestamp::from_millis(0);
    let made = meaning.fill(&workspace, since, &|| true).await?;
    let each = started.elapsed().as_secs_f64() * 1e6 / made.max(1) as f64;
    table.row("memory: keep a vector, without the model", size, each, "µs");
    let started = Instant::now();
    meaning.nearest(&workspace, "warm up", 10).await?;
    table.row("memory: read all vectors", size, started.elapsed().as_secs_f64() * 1e3, "ms");
    let mut times = Vec::new();
    for n in 0..200 {
        let question = format!("question {n}");
        let mut took = std::time::Duration::MAX;
        for _ in 0..3 {
            let started = Instant::now();
            meaning.nearest(&workspace, &question, 10).await?;
            took = took.min(started.elapsed());
        }
        times.push(took);
    }
    let times = Times::of(times);
    table.row("memory: by meaning, without the model, median", size, times.percentile(50), "ms");
    if size.starts_with("100k") {
        table.goal("≤ 10 ms", times.percentile(50) <= 10.0);
    }
    table.row("memory: by meaning, without the model, p95", size, times.percentile(95), "ms");
    Ok(())
}
