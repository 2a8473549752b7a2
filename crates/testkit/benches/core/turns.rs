//! Row 6: a model whose tokenizer is not known, once it has reported a few turns.

use std::path::PathBuf;

use plimsoll_testkit::{history::Random, report::Table};
use plimsoll_tokens::{Calibration, PairTable};

/// Turns that are learned from, and turns that are then foretold.
const TOLD: usize = 10;
const FORETOLD: usize = 10;

const CHATS: u64 = 200;

/// What a provider adds to each message and nobody counts.
const GLUE: u64 = 4;

/// A piece of a file, as somebody would paste it.
fn piece<'t>(files: &'t [(PathBuf, String)], random: &mut Random) -> &'t str {
    let (_, text) = &files[random.below(files.len() as u64) as usize];
    let size = 200 + random.below(3000) as usize;
    let from = random.below(text.len().saturating_sub(size) as u64 + 1) as usize;
    let from = text.floor_char_boundary(from);
    &text[from..text.floor_char_boundary((from + size).min(text.len()))]
}

/// The mean error of what is foretold for a request, in per cent, before and after it
/// was learned from. Each request holds all messages so far.
fn errors(files: &[(PathBuf, String)], count: &dyn Fn(&str) -> u64) -> (f64, f64) {
    let mut random = Random::new(11);
    let (mut before, mut after) = (0.0, 0.0);
    for _ in 0..CHATS {
        let (mut raw, mut reported) = (0, 0);
        let mut calibration = Calibration::default();
        for turn in 0..TOLD + FORETOLD {
            // The message, and the answer to the one before.
            for _ in 0..2 {
                let text = piece(files, &mut random);
                raw += PairTable::shipped().count(text);
                reported += count(text) + GLUE;
            }
            if turn < TOLD {
                calibration.observe(raw.into(), reported);
                continue;
            }
            let error = |said: u64| (said as f64 / reported as f64 - 1.0).abs() * 100.0;
            before += error(raw);
            after += error(calibration.correction().request(raw));
        }
    }
    let all = (CHATS as usize * FORETOLD) as f64;
    (before / all, after / all)
}

pub(crate) fn run(files: &[(PathBuf, String)], table: &mut Table) {
    let known: [(&str, &bpe_openai::Tokenizer); 2] =
        [("cl100k", bpe_openai::cl100k_base()), ("voyage3", bpe_openai::voyage3_base())];
    for (name, tokenizer) in known {
        let (before, after) = errors(files, &|text| tokenizer.count(text) as u64);
        let what = format!("a sum after 10 reported turns, tokenizer unknown ({name}): error");
        table.row(&what, "200 chats", after, "%");
        table.ratio(format!("{before:.1} % with nothing learned"));
        table.goal("≤ 5 %", after <= 5.0);
    }
}
