//! The model inside: SmolLM2 in this process, behind the contract of providers (PRV-4).
//!
//! It works on a machine without a key and without a network, once its weights are
//! there. It is not a server, it speaks to nobody, and it adds nothing to what it is
//! asked to read. Weights are fetched only when [`fetch()`] is called.
//!
//! Reading order: `weights`, `fetch` and `pip` get the file; `gguf` reads it; `split`,
//! `tokenizer` and `chat` turn messages into tokens; `matrix`, `attention` and `llama`
//! compute; `engine` answers; `worker`, `stream` and `model` make a provider of it.
//! `sentence/` is another model, for the search of the memory by meaning.

mod attention;
mod chat;
mod circle;
mod engine;
mod fetch;
#[doc(hidden)]
pub mod fuzzing;
mod gguf;
mod llama;
mod math;
mod matrix;
mod model;
mod pip;
mod sample;
mod sentence;
mod split;
mod stream;
mod text;
mod tokenizer;
mod weights;
mod wire;
mod worker;

pub use fetch::{Downloader, FetchError, OnProgress, Progress, Stage, fetch};
pub use llama::WINDOW;
pub use model::{EmbeddedModel, EmbeddedOptions};
pub use sentence::{
    SENTENCE_DIMENSIONS, SENTENCE_MODEL_ID, SentenceError, SentenceModel, fetch_sentence_model,
    locate_sentence_model, remove_sentence_model, sentence_model_megabytes,
};
pub use weights::{FILE_NAME, MODEL_ID, Weights, WeightsError};

#[cfg(test)]
mod tiny;
