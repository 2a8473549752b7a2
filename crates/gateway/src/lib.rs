//! Requests of other people's programs: read in the three protocols that they speak, kept as the
//! text that came, shortened by whole exchanges where that is wanted.
//!
//! What is not touched leaves byte for byte (GWY-3): a request is a text with places in it, and
//! never written anew. For a provider of another protocol it is translated (GWY-4), and nothing is
//! dropped in silence.

mod answering;
mod errors;
mod exchanges;
mod fit;
mod hiding;
mod json;
mod reading;
mod receipt;
mod refusal;
mod splice;
#[cfg(test)]
mod talks_tests;
mod translating;
mod valid;
mod weigh;

pub use answering::{AnswerWriter, Head};
pub use errors::Problem;
pub use exchanges::{Exchange, exchanges, rounds};
pub use fit::{Droppable, Dropped};
pub use hiding::UsageHider;
pub use reading::{ClientRequest, Content, Item, Kind, Picture, Protocol, Tool, read};
pub use receipt::{CallReceipt, LeftOut, PartRecord, hash_of_key, mark_left_out, parts};
pub use refusal::Refusal;
pub use splice::Changes;
pub use translating::{Translated, translate};
pub use valid::check;
pub use weigh::{Scale, Weight};
