//! Whoever turns texts into vectors.

use thiserror::Error;

/// Turns texts into vectors of one length, so that what means the same lies close together.
/// A model that does so is given from outside; this crate has none.
pub trait Embedder: Send + Sync {
    /// The model. Vectors of another one are never compared.
    fn name(&self) -> &str;

    /// A vector of length one for each text. It may take its time and blocks meanwhile.
    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Why there are no vectors, in one line that says what to do next.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct EmbedError(pub String);
