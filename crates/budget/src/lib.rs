//! What fits: model limits, the prediction boundary, validation, quota windows and
//! answers that obey a token budget.
//!
//! Everything here is arithmetic on plain values. This crate does not read model
//! files (`config` does), does not count tokens (`tokens` does) and does not decide
//! what is visible (`filter` does) or what is sent after an overflow (`send` does).

mod allowance;
mod answer;
mod boundary;
mod cache;
mod catalog;
mod detail;
mod limit;
mod model;
mod pair_weight;
mod price;
mod quota;
mod quoting;
mod sums;
mod text_lines;
mod text_part;
mod validate;

pub use allowance::Allowance;
pub use answer::{Answer, AnswerSpec, InvalidBudget, MORE, Piece, parse_max_tokens};
pub use boundary::{Boundary, BoundaryInput, ReplyReserve};
pub use cache::{BoundaryCache, Change};
pub use catalog::{Catalog, Found, larger_models, means_model};
pub use detail::{BadDetailLevel, DetailLevel, SNIPPET_CHARS, SUMMARY_HINT};
pub use limit::{
    ASSUMED_LIMIT, Binds, FileLimits, LearnedLimit, ModelLimit, WindowFacts, WindowSource,
};
pub use model::{Api, ClientOverBudget, Model};
pub use pair_weight::{
    ExcludedBecause, WeighedPair, is_emitted, message_tokens, not_sendable, sent_answer,
};
pub use price::Price;
pub use quota::{Quota, QuotaKind, QuotaLimits, QuotaVerdict};
pub use quoting::{looks_ours, quoted};
pub use sums::{Load, LoadSums, Suffix};
pub use text_lines::{LONGEST_LINE, TextLines};
pub use text_part::TextPart;
pub use validate::{
    Decision, OverBudget, Validation, Verdict, Weights, decide, fit_first, validate,
};
