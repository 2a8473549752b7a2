//! The model itself: a Llama, as SmolLM2 is one.

use std::io::{Read, Seek};

use rayon::prelude::*;

use crate::{
    attention::{Heads, Memory, Rotation},
    gguf::{Gguf, GgufError, Value},
    math::{normalise, silu},
    matrix::{Matrix, floats},
};

/// The largest window that is offered; the speed falls with every token in it.
pub const WINDOW: usize = 4096;

/// Why a step of the model was not finished.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StepError {
    #[error("nobody waits for the answer any more")]
    Stopped,
    #[error("the model cannot be computed: {0}")]
    Numbers(#[from] candle_core::Error),
}

/// The weights, ready to compute with.
pub(crate) struct Llama {
    heads: Heads,
    width: usize,
    epsilon: f32,
    window: usize,
    rotation: Rotation,
    embeddings: Matrix,
    layers: Vec<Layer>,
    norm: Vec<f32>,
    /// None where the embeddings serve for this too.
    output: Option<Matrix>,
}

struct Layer {
    attention_norm: Vec<f32>,
    /// Queries, keys and values.
    asked: Matrix,
    attention_out: Matrix,
    feed_norm: Vec<f32>,
    /// Gate and content.
    feed_in: Matrix,
    feed_out: Matrix,
}

/// What the model remembers of the tokens that it has read.
pub(crate) struct Context {
    layers: Vec<Memory>,
}

impl Context {
    /// Tokens that were read; a step that was stopped leaves some layers ahead.
    pub(crate) fn len(&self) -> usize {
        self.layers.iter().map(Memory::len).min().unwrap_or(0)
    }

    /// Forgets all but the first tokens.
    pub(crate) fn truncate(&mut self, tokens: usize) {
        self.layers.iter_mut().for_each(|layer| layer.truncate(tokens));
    }
}

impl Llama {
    pub(crate) fn read(gguf: &Gguf, file: &mut (impl Read + Seek)) -> Result<Self, GgufError> {
        let architecture = gguf.value("general.architecture", Value::text)?;
        if architecture != "llama" {
            return Err(GgufError::Unsupported(format!("its architecture is {architecture}")));
        }
        let count = |name: &str, most: usize| gguf.value(name, |value| value.count(most));
        let number = |name: &str| {
            gguf.value(name, Value::float).ok().filter(|number| number.is_finite() && *number > 0.0)
        };
        let width = count("llama.embedding_length", 1 << 14)?;
        let queries = count("llama.attention.head_count", 256)?;
        let memories = count("llama.attention.head_count_kv", 256)?;
        let size = width / queries;
        let feed = count("llama.feed_forward_length", 1 << 16)?;
        let turned = count("llama.rope.dimension_count", 256).unwrap_or(size);
        if size * queries != width
            || !queries.is_multiple_of(memories)
            || turned != size
            || size % 2 == 1
        {
            return Err(GgufError::Unsupported("its heads are divided unusually".to_owned()));
        }
        let heads = Heads { queries, memories, size };
        let window = count("llama.context_length", usize::MAX)?.min(WINDOW);
        let vocabulary = gguf.value("tokenizer.ggml.tokens", Value::texts)?.len();

        let mut layers = Vec::new();
        for number in 0..count("llama.block_count", 256)? {
            layers.push(Layer::read(gguf, file, number, heads, feed)?);
        }
        let embeddings = Matrix::read(gguf, file, &[("token_embd.weight", vocabulary)], width)?;
        let output = match gguf.has_tensor("output.weight") {
            true => Some(Matrix::read(gguf, file, &[("output.weight", vocabulary)], width)?),
            false => None,
        };
        let norm = floats(gguf, file, "output_norm.weight", width)?;
        let epsilon = number("llama.attention.layer_norm_rms_epsilon").unwrap_or(1e-5);
        let rotation =
            Rotation::new(window, size, number("llama.rope.freq_base").unwrap_or(10_000.0));
        Ok(Self { heads, width, epsilon, window, rotation, embeddings, layers, norm, output })
    }

    /// The tokens that fit, question and answer together.
    pub(crate) fn window(&self) -> usize {
        self.window
    }

    /// How many tokens it knows.
    pub(crate) fn vocabulary(&self) -> usize {
        self.embeddings.rows()
    }

    /// A context in which nothing was read yet.
    pub(crate) fn context(&self) -> Context {
        Context { layers: vec![Memory::new(self.heads); self.layers.len()] }
    }

    /// Reads tokens and gives the state after the last. The caller sees to it that they
    /// fit into the window and are of the vocabulary. `stop` is asked before each layer.
    pub(crate) fn read_tokens(
        &self,
        context: &mut Context,
        tokens: &[u32],
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<f32>, StepError> {
        let start = context.len();
        let mut states = vec![0.0; tokens.len() * self.width];
        for (state, token) in states.chunks_exact_mut(self.width).zip(tokens) {
            self.embeddings.row(*token as usize, state);
        }
        for (layer, memory) in self.layers.iter().zip(&mut context.layers) {
            if stop() {
                return Err(StepError::Stopped);
            }
            self.attention(layer, memory, start, &mut states)?;
            self.feed_forward(layer, &mut states)?;
        }
        Ok(states.split_off(states.len().saturating_sub(self.width)))
    }

    /// How likely each token is to be the next, as scores.
    pub(crate) fn scores(&self, mut state: Vec<f32>) -> Result<Vec<f32>, StepError> {
        normalise(&mut state, &self.norm, self.epsilon);
        Ok(self.output.as_ref().unwrap_or(&self.embeddings).times(&state)?)
    }

    fn attention(
        &self,
        layer: &Layer,
        memory: &mut Memory,
        start: usize,
        states: &mut [f32],
    ) -> Result<(), StepError> {
        let mut asked = layer.asked.times(&self.normalised(states, &layer.attention_norm))?;
        let remembered = self.heads.memories * self.heads.size;
        let mut queries = Vec::with_capacity(states.len());
        for (row, asked) in asked.chunks_exact_mut(self.width + 2 * remembered).enumerate() {
            let (turned, value) = asked.split_at_mut(self.width + remembered);
            self.rotation.apply(turned, start + row);
            let (query, key) = turned.split_at(self.width);
            queries.extend_from_slice(query);
            memory.push(key, value);
        }
        add(states, &layer.attention_out.times(&memory.attend(&queries)?)?);
        Ok(())
    }

    fn feed_forward(&self, layer: &Layer, states: &mut [f32]) -> Result<(), StepError> {
        let mut inner = layer.feed_in.times(&self.normalised(states, &layer.feed_norm))?;
        let both = layer.feed_in.rows();
        let gated: Vec<f32> = inner
            .par_chunks_exact_mut(both)
            .flat_map_iter(|inner| {
                let (gate, content) = inner.split_at(both / 2);
                gate.iter().zip(content).map(|(gate, content)| silu(*gate) * content)
            })
            .collect();
        add(states, &layer.feed_out.times(&gated)?);
        Ok(())
    }

    fn normalised(&self, states: &[f32], weights: &[f32]) -> Vec<f32> {
        let mut out = states.to_vec();
        out.chunks_exact_mut(self.width).for_each(|state| normalise(state, weights, self.epsilon));
        out
    }
}

impl Layer {
    fn read(
        gguf: &Gguf,
        file: &mut (impl Read + Seek),
        number: usize,
        heads: Heads,
        feed: usize,
    ) -> Result<Self, GgufError> {
        let name = |part: &str| format!("blk.{number}.{part}.weight");
        let width = heads.queries * heads.size;
        let remembered = heads.memories * heads.size;
        let mut matrix = |parts: &[(&str, usize)], columns: usize| {
            let names: Vec<_> = parts.iter().map(|(part, rows)| (name(part), *rows)).collect();
            let parts: Vec<_> = names.iter().map(|(name, rows)| (name.as_str(), *rows)).collect();
            Matrix::read(gguf, file, &parts, columns)
        };
        let asked =
            matrix(&[("attn_q", width), ("attn_k", remembered), ("attn_v", remembered)], width)?;
        let attention_out = matrix(&[("attn_output", width)], width)?;
        let feed_in = matrix(&[("ffn_gate", feed), ("ffn_up", feed)], width)?;
        let feed_out = matrix(&[("ffn_down", width)], feed)?;
        let attention_norm = floats(gguf, file, &name("attn_norm"), width)?;
        let feed_norm = floats(gguf, file, &name("ffn_norm"), width)?;
        Ok(Self { attention_norm, asked, attention_out, feed_norm, feed_in, feed_out })
    }
}

fn add(states: &mut [f32], changes: &[f32]) {
    for (state, change) in states.iter_mut().zip(changes) {
        *state += change;
    }
}
