//! What a text weighs: estimators, exact tokenizers, calibration, number formats.
//!
//! Every token formula of Plimsoll stands here and nowhere else. This crate knows
//! texts and pictures; it does not know pairs, models' windows or budgets, and it
//! reads no file: the estimator's table is part of the binary, the vocabularies of
//! the exact tokenizers are unpacked when first used.

mod band;
mod calibration;
mod cut;
mod estimator;
mod exact;
mod fast;
mod format;
mod image;
mod raw;
mod simple;

pub use band::{Band, Basis, odd_bytes};
pub use calibration::{Calibration, Correction, Report};
pub use cut::{cut_at_line, cut_at_word};
pub use estimator::{Estimator, Method};
pub use exact::Tokenizer;
pub use fast::PairTable;
pub use format::{
    commas, compact_load, compact_size, compact_tokens, counted, dollars, dollars_at_most,
    size_words, token_footer, tokens_phrase,
};
pub use image::{ImagePricing, image_tokens};
pub use raw::RawTokens;
pub use simple::{DEFAULT_CHARS_PER_TOKEN, bytes4, bytes4_of_length, count_chars, heuristic};

/// What a chat message costs beyond its text, unless the model says otherwise (EST-5).
pub const DEFAULT_MESSAGE_OVERHEAD: u64 = 4;
