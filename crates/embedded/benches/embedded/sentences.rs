//! The sentence model: how long a question takes, and how many notes a second become vectors.

use std::{ops::ControlFlow, path::Path, time::Instant};

use plimsoll_embedded::{SentenceModel, fetch_sentence_model};
use plimsoll_testkit::{real, report::Table};

use crate::Outcome;

const QUESTION: &str = "where do we keep the retry limit of the client?";

/// About 45 tokens.
const PARAGRAPH: &str = "The retry limit stands in the settings and is read once when the client \
    starts; a request that fails for want of a connection is tried again with a pause that \
    doubles, and everything else is told to the caller at once. ";

pub(crate) fn measure(cache: &Path, table: &mut Table) -> Outcome {
    if let Err(why) = fetch_sentence_model(cache, None, &mut |_| ControlFlow::Continue(())) {
        real::skipped(&format!("the sentence model: {why}"));
        return Ok(());
    }
    let started = Instant::now();
    let model = SentenceModel::new(cache, 1)?;
    let question = [QUESTION.to_owned()];
    model.embed(&question)?;
    table.row("sentences: load and first vector", "", started.elapsed().as_secs_f64() * 1e3, "ms");
    let tokens = format!("{} tokens, 1 core", model.tokens(QUESTION)?.len());
    let mut times: Vec<f64> = Vec::new();
    for _ in 0..200 {
        // The shortest of three, so that other work on the machine is seen least.
        let mut took = f64::INFINITY;
        for _ in 0..3 {
            let started = Instant::now();
            model.embed(&question)?;
            took = took.min(started.elapsed().as_secs_f64() * 1e3);
        }
        times.push(took);
    }
    times.sort_by(f64::total_cmp);
    table.row("sentences: a question, median", &tokens, times[100], "ms");
    table.goal("≤ 15 ms", times[100] <= 15.0);
    table.row("sentences: a question, p95", &tokens, times[190], "ms");
    for (name, text) in [("questions", QUESTION.to_owned()), ("notes", PARAGRAPH.repeat(4))] {
        let batch = vec![text; 32];
        let mut took = f64::INFINITY;
        for _ in 0..3 {
            let started = Instant::now();
            model.embed(&batch)?;
            took = took.min(started.elapsed().as_secs_f64());
        }
        let speed = batch.len() as f64 / took;
        let tokens = format!("{} tokens, 1 core", model.tokens(&batch[0])?.len());
        table.row(&format!("sentences: {name} in a batch"), &tokens, speed, "/s");
    }
    Ok(())
}
