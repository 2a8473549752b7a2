//! The arithmetic of the sentence model: a BERT.
//!
//! The tokens of several texts stand one below the other in one matrix, so that they go through
//! each layer in one product; only attention looks at one text at a time.

use std::io::{Read, Seek};

use candle_core::{DType, Device, Error, Tensor};

use super::{SentenceError, tensors::Tensors};
use crate::{
    math::{add_scaled, dot, exp, softmax},
    matrix::product,
};

/// Numbers of a token's state, and of a vector.
pub(super) const WIDTH: usize = 384;
/// Tokens of a text that are read; the model was trained on no more.
pub(super) const LONGEST: usize = 256;
const LAYERS: usize = 6;
const HEADS: usize = 12;
const HEAD: usize = WIDTH / HEADS;
const FEED: usize = 4 * WIDTH;
/// Positions in the file.
const POSITIONS: usize = 512;
/// One over the root of the numbers of a head.
const SCALE: f32 = 0.176_776_7;
/// From as many tokens on, matrix products pay in attention.
const MANY: usize = 32;
const EPSILON: f32 = 1e-12;
/// Tokens that go through the layers together, about; more take memory and gain nothing.
const TOGETHER: usize = 512;

pub(super) struct Bert {
    /// In 16 bits: half of all numbers are here, and these are only looked up.
    words: Tensor,
    /// Of each position, the kind of text added.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    /// Queries, keys and values.
    asked: Linear,
    attention_out: Linear,
    attention_norm: Norm,
    feed_in: Linear,
    feed_out: Linear,
    feed_norm: Norm,
}

impl Bert {
    pub(super) fn read(
        file: &mut Tensors<impl Read + Seek>,
        vocabulary: usize,
    ) -> Result<Self, SentenceError> {
        let name = |part: &str| format!("embeddings.{part}");
        let words = file.read(&name("word_embeddings.weight"), &[vocabulary, WIDTH])?;
        let mut positions = file.list(&name("position_embeddings.weight"), &[POSITIONS, WIDTH])?;
        let kinds = file.list(&name("token_type_embeddings.weight"), &[2, WIDTH])?;
        for position in positions.chunks_exact_mut(WIDTH) {
            add(position, &kinds);
        }
        let layers = (0..LAYERS).map(|number| Layer::read(file, number)).collect::<Result<_, _>>();
        Ok(Self {
            words: words.to_dtype(DType::F16)?,
            positions,
            norm: Norm::read(file, &name("LayerNorm"))?,
            layers: layers?,
        })
    }

    /// A vector of length one for each list of tokens. The caller sees to it that the tokens are
    /// of the vocabulary and no list is empty or longer than [`LONGEST`].
    pub(super) fn embed(&self, texts: &[Vec<u32>]) -> Result<Vec<Vec<f32>>, Error> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut rest = texts;
        while !rest.is_empty() {
            let mut tokens = 0;
            let fits = rest.iter().take_while(|text| {
                tokens += text.len();
                tokens <= TOGETHER
            });
            let (batch, after) = rest.split_at(fits.count().max(1));
            self.embed_together(batch, &mut vectors)?;
            rest = after;
        }
        Ok(vectors)
    }

    fn embed_together(&self, texts: &[Vec<u32>], vectors: &mut Vec<Vec<f32>>) -> Result<(), Error> {
        let tokens = texts.concat();
        let looked_up = Tensor::from_slice(&tokens, tokens.len(), &Device::Cpu)?;
        let states = self.words.index_select(&looked_up, 0)?.to_dtype(DType::F32)?;
        let mut states: Vec<f32> = states.flatten_all()?.to_vec1()?;
        let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
        let mut rows = states.as_mut_slice();
        for length in &lengths {
            let (text, after) = rows.split_at_mut(length * WIDTH);
            add(text, &self.positions);
            rows = after;
        }
        self.norm.apply(&mut states);
        for layer in &self.layers {
            layer.apply(&mut states, &lengths)?;
        }
        let mut rows = states.as_slice();
        for length in &lengths {
            let (text, after) = rows.split_at(length * WIDTH);
            vectors.push(mean_direction(text));
            rows = after;
        }
        Ok(())
    }
}

impl Layer {
    fn read(file: &mut Tensors<impl Read + Seek>, number: usize) -> Result<Self, SentenceError> {
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let asked = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
        Ok(Self {
            asked: Linear::read(file, &asked, WIDTH, WIDTH)?,
            attention_out: Linear::read(file, &[name("attention.output.dense")], WIDTH, WIDTH)?,
            attention_norm: Norm::read(file, &name("attention.output.LayerNorm"))?,
            feed_in: Linear::read(file, &[name("intermediate.dense")], FEED, WIDTH)?,
            feed_out: Linear::read(file, &[name("output.dense")], WIDTH, FEED)?,
            feed_norm: Norm::read(file, &name("output.LayerNorm"))?,
        })
    }

    fn apply(&self, states: &mut [f32], lengths: &[usize]) -> Result<(), Error> {
        let asked = self.asked.apply(states)?;
        let mut seen = Vec::with_capacity(states.len());
        let mut rows = asked.as_slice();
        for length in lengths {
            let (text, after) = rows.split_at(length * 3 * WIDTH);
            seen.append(&mut attend(text, *length)?);
            rows = after;
        }
        add(states, &self.attention_out.apply(&seen)?);
        self.attention_norm.apply(states);
        let mut inner = self.feed_in.apply(states)?;
        inner.iter_mut().for_each(|value| *value = gelu(*value));
        add(states, &self.feed_out.apply(&inner)?);
        self.feed_norm.apply(states);
        Ok(())
    }
}

/// What each token of a text takes from all of them. A row of `asked` is the query, the key and
/// the value of one token.
fn attend(asked: &[f32], length: usize) -> Result<Vec<f32>, Error> {
    if length < MANY { Ok(attend_few(asked)) } else { attend_many(asked, length) }
}

/// The same for the few tokens of a question, for which a matrix product takes longer to begin
/// than to end.
fn attend_few(asked: &[f32]) -> Vec<f32> {
    let part = |which: usize, head: usize| {
        let start = which * WIDTH + head * HEAD;
        start..start + HEAD
    };
    let rows = || asked.chunks_exact(3 * WIDTH);
    let mut out = vec![0.0; asked.len() / 3];
    for (row, out) in rows().zip(out.chunks_exact_mut(WIDTH)) {
        for (head, out) in out.chunks_exact_mut(HEAD).enumerate() {
            let query = &row[part(0, head)];
            let mut scores: Vec<f32> =
                rows().map(|other| dot(query, &other[part(1, head)]) * SCALE).collect();
            softmax(&mut scores);
            for (other, score) in rows().zip(scores) {
                add_scaled(out, &other[part(2, head)], score);
            }
        }
    }
    out
}

fn attend_many(asked: &[f32], length: usize) -> Result<Vec<f32>, Error> {
    let asked = Tensor::from_slice(asked, (length, 3, HEADS, HEAD), &Device::Cpu)?;
    let asked = asked.permute((1, 2, 0, 3))?.contiguous()?;
    let (queries, keys, values) = (asked.get(0)?, asked.get(1)?, asked.get(2)?);
    let mut scores: Vec<f32> = queries.matmul(&keys.t()?)?.flatten_all()?.to_vec1()?;
    for scores in scores.chunks_exact_mut(length) {
        scores.iter_mut().for_each(|score| *score *= SCALE);
        softmax(scores);
    }
    let scores = Tensor::from_vec(scores, (HEADS, length, length), &Device::Cpu)?;
    scores.matmul(&values)?.transpose(0, 1)?.flatten_all()?.to_vec1()
}

/// A matrix and what is added to its products.
struct Linear {
    /// Columns first.
    matrix: Tensor,
    bias: Vec<f32>,
    inputs: usize,
}

impl Linear {
    /// Reads matrices of one shape and puts them side by side.
    fn read(
        file: &mut Tensors<impl Read + Seek>,
        names: &[String],
        outputs: usize,
        inputs: usize,
    ) -> Result<Self, SentenceError> {
        let mut parts = Vec::new();
        let mut bias = Vec::new();
        for name in names {
            parts.push(file.read(&format!("{name}.weight"), &[outputs, inputs])?);
            bias.append(&mut file.list(&format!("{name}.bias"), &[outputs])?);
        }
        Ok(Self { matrix: Tensor::cat(&parts, 0)?.t()?.contiguous()?, bias, inputs })
    }

    /// The products with each of the rows that stand one after the other.
    fn apply(&self, rows: &[f32]) -> Result<Vec<f32>, Error> {
        let mut out = product(rows, (rows.len() / self.inputs, self.inputs), &self.matrix)?;
        out.chunks_exact_mut(self.bias.len()).for_each(|row| add(row, &self.bias));
        Ok(out)
    }
}

struct Norm {
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Norm {
    fn read(file: &mut Tensors<impl Read + Seek>, name: &str) -> Result<Self, SentenceError> {
        Ok(Self {
            weights: file.list(&format!("{name}.weight"), &[WIDTH])?,
            bias: file.list(&format!("{name}.bias"), &[WIDTH])?,
        })
    }

    /// Gives each row the mean zero and the deviation one, then weights and moves it.
    fn apply(&self, rows: &mut [f32]) {
        for row in rows.chunks_exact_mut(WIDTH) {
            let mean = row.iter().sum::<f32>() / WIDTH as f32;
            row.iter_mut().for_each(|value| *value -= mean);
            let scale = 1.0 / (dot(row, row) / WIDTH as f32 + EPSILON).sqrt();
            for ((value, weight), bias) in row.iter_mut().zip(&self.weights).zip(&self.bias) {
                *value = *value * scale * weight + bias;
            }
        }
    }
}

/// The mean of rows, scaled to length one.
fn mean_direction(rows: &[f32]) -> Vec<f32> {
    let mut sum = vec![0.0; WIDTH];
    rows.chunks_exact(WIDTH).for_each(|row| add(&mut sum, row));
    let length = dot(&sum, &sum).sqrt().max(f32::MIN_POSITIVE);
    sum.iter_mut().for_each(|value| *value /= length);
    sum
}

/// The unit between the two matrices of a layer, x times the share of a normal distribution
/// below x. The error function is formula 7.1.26 of Abramowitz and Stegun, right to 2e-7; as
/// plain arithmetic, so that the compiler computes several at once.
fn gelu(value: f32) -> f32 {
    let x = value.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let series = 1.061_405_4 * t - 1.453_152;
    let series = series * t + 1.421_413_7;
    let series = series * t - 0.284_496_74;
    let series = series * t + 0.254_829_6;
    let error_function = (1.0 - series * t * exp(-x * x)).copysign(value);
    0.5 * value * (1.0 + error_function)
}

/// Adds as far as the shorter goes.
fn add(sums: &mut [f32], values: &[f32]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gelu_is_that_of_the_training() {
        // From scipy: x / 2 * (1 + erf(x / sqrt 2)).
        for (x, expected) in [
            (-6.0, -5.919_525_8e-9),
            (-3.0, -0.004_049_694),
            (-0.5, -0.154_268_77),
            (0.0, 0.0),
            (0.1, 0.053_982_784),
            (1.0, 0.841_344_8),
            (4.0, 3.999_873_3),
        ] {
            let off = (gelu(x) - expected).abs();
            assert!(off < 1e-6, "{x}: {off}");
        }
    }

    #[test]
    fn few_tokens_see_what_many_see() {
        let asked: Vec<f32> =
            (0..9 * 3 * WIDTH).map(|at| ((at * 37) % 97) as f32 / 48.5 - 1.0).collect();
        let many = attend_many(&asked, 9).unwrap();
        assert!(attend_few(&asked).iter().zip(&many).all(|(a, b)| (a - b).abs() < 1e-5));
        assert!((SCALE - 1.0 / (HEAD as f32).sqrt()).abs() < 1e-7);
    }

    #[test]
    fn a_norm_has_mean_zero_and_deviation_one() {
        let norm = Norm { weights: vec![2.0; WIDTH], bias: vec![1.0; WIDTH] };
        let mut row: Vec<f32> = (0..WIDTH).map(|at| (at % 7) as f32).collect();
        norm.apply(&mut row);
        let mean = row.iter().sum::<f32>() / WIDTH as f32;
        let spread = row.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / WIDTH as f32;
        assert!((mean - 1.0).abs() < 1e-5 && (spread - 4.0).abs() < 1e-4, "{mean} {spread}");
    }

    #[test]
    fn the_mean_of_rows_has_length_one() {
        let mut rows = vec![0.0; 2 * WIDTH];
        (rows[0], rows[WIDTH]) = (3.0, 3.0);
        rows[WIDTH + 1] = 8.0;
        let mean = mean_direction(&rows);
        assert!((mean[0] - 0.6).abs() < 1e-6 && (mean[1] - 0.8).abs() < 1e-6);
        assert!(mean_direction(&vec![0.0; WIDTH]).iter().all(|value| *value == 0.0));
    }
}
