//! Search by meaning (MEM-10): what was noted in other words than those of a question.
//!
//! Reading order: `embedder` is who makes vectors of texts, `windows` which texts of a note
//! become vectors, `vector` how one is kept, `matrix` finds the closest, `searching` brings
//! them together over a store, `joining` joins it with search by words, `speaks` says which
//! questions are asked so at all.

mod embedder;
mod joining;
mod matrix;
mod searching;
mod speaks;
mod vector;
mod windows;

pub use embedder::{EmbedError, Embedder};
pub use joining::find_joined;
pub use searching::{MOST_NOTES_BY_MEANING, Meaning, MeaningError, MeaningParts, PresentMeaning};
pub use speaks::speaks;
