//! What each token remembers of the tokens before it.

use candle_core::{Device, Error, Tensor};
use rayon::prelude::*;

use crate::{
    math::{add_scaled, dot, softmax},
    matrix::product,
};

/// Positions for which memory is asked at a time.
const STEP: usize = 512;

/// From as many new tokens on, matrix products pay.
const MANY: usize = 8;

/// How attention is divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Heads {
    /// Heads that ask.
    pub(crate) queries: usize,
    /// Heads that remember; each serves several that ask.
    pub(crate) memories: usize,
    /// Numbers of one head.
    pub(crate) size: usize,
}

/// The keys and values of all tokens so far, for one layer.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    heads: Heads,
    /// For each remembering head the keys, then the values, token after token.
    keys: Vec<Vec<f32>>,
    values: Vec<Vec<f32>>,
}

impl Memory {
    pub(crate) fn new(heads: Heads) -> Self {
        let empty = vec![Vec::new(); heads.memories];
        Self { heads, keys: empty.clone(), values: empty }
    }

    /// Tokens that are remembered.
    pub(crate) fn len(&self) -> usize {
        self.keys.first().map_or(0, |keys| keys.len() / self.heads.size)
    }

    /// Forgets all but the first tokens.
    pub(crate) fn truncate(&mut self, tokens: usize) {
        for list in self.keys.iter_mut().chain(&mut self.values) {
            list.truncate(tokens * self.heads.size);
        }
    }

    /// Remembers one more token.
    pub(crate) fn push(&mut self, key: &[f32], value: &[f32]) {
        let size = self.heads.size;
        let keys = self.keys.iter_mut().zip(key.chunks_exact(size));
        let values = self.values.iter_mut().zip(value.chunks_exact(size));
        for (list, part) in keys.chain(values) {
            if list.len() == list.capacity() {
                list.reserve_exact(STEP * size);
            }
            list.extend_from_slice(part);
        }
    }

    /// What the newest tokens, whose queries stand one after the other, take from all
    /// tokens up to themselves.
    pub(crate) fn attend(&self, queries: &[f32]) -> Result<Vec<f32>, Error> {
        let width = self.heads.queries * self.heads.size;
        let count = queries.len() / width;
        if count >= MANY {
            return self.attend_many(queries, count);
        }
        let mut out = vec![0.0; queries.len()];
        for (row, (query, out)) in
            queries.chunks_exact(width).zip(out.chunks_exact_mut(width)).enumerate()
        {
            let visible = self.len() - count + row + 1;
            self.attend_one(query, visible, out);
        }
        Ok(out)
    }

    /// One token: each head on its own.
    fn attend_one(&self, query: &[f32], visible: usize, out: &mut [f32]) {
        let size = self.heads.size;
        let group = self.heads.queries / self.heads.memories;
        let scale = 1.0 / (size as f32).sqrt();
        let work = out.par_chunks_mut(size).zip(query.par_chunks(size)).enumerate();
        // Few tokens are done before another thread has woken up.
        let at_once = if visible < 128 { self.heads.queries } else { 1 };
        work.with_min_len(at_once).for_each(|(head, (out, query))| {
            let (keys, values) = (&self.keys[head / group], &self.values[head / group]);
            let mut scores: Vec<f32> =
                keys.chunks_exact(size).take(visible).map(|key| dot(query, key) * scale).collect();
            softmax(&mut scores);
            for (value, weight) in values.chunks_exact(size).zip(scores) {
                add_scaled(out, value, weight);
            }
        });
    }

    /// Many tokens: two matrix products for each remembering head.
    fn attend_many(&self, queries: &[f32], count: usize) -> Result<Vec<f32>, Error> {
        let Heads { queries: askers, memories, size } = self.heads;
        let group = askers / memories;
        let width = askers * size;
        let total = self.len();
        let scale = 1.0 / (size as f32).sqrt();
        let mut out = vec![0.0; queries.len()];
        for (memory, (keys, values)) in self.keys.iter().zip(&self.values).enumerate() {
            let heads = memory * group * size..(memory + 1) * group * size;
            let asked: Vec<f32> = queries
                .chunks_exact(width)
                .flat_map(|query| &query[heads.clone()])
                .map(|value| value * scale)
                .collect();
            let keys = Tensor::from_slice(keys, (total, size), &Device::Cpu)?;
            let mut scores = product(&asked, (count * group, size), &keys.t()?)?;
            scores.par_chunks_mut(total).enumerate().for_each(|(row, scores)| {
                let visible = total - count + row / group + 1;
                let (seen, future) = scores.split_at_mut(visible);
                softmax(seen);
                future.fill(0.0);
            });
            let values = Tensor::from_slice(values, (total, size), &Device::Cpu)?;
            let taken = product(&scores, (count * group, total), &values)?;
            for (out, taken) in out.chunks_exact_mut(width).zip(taken.chunks_exact(group * size)) {
                out[heads.clone()].copy_from_slice(taken);
            }
        }
        Ok(out)
    }
}

/// The turns by which vectors tell where they stand.
#[derive(Clone, Debug)]
pub(crate) struct Rotation {
    /// Cosine and sine for each position and each pair of numbers.
    table: Vec<(f32, f32)>,
    pairs: usize,
}

impl Rotation {
    pub(crate) fn new(positions: usize, size: usize, base: f32) -> Self {
        let pairs = size / 2;
        let turn = |at: usize| {
            let speed = base.powf(-((2 * (at % pairs)) as f32) / size as f32);
            let angle = (at / pairs) as f32 * speed;
            (angle.cos(), angle.sin())
        };
        Self { table: (0..positions * pairs).map(turn).collect(), pairs }
    }

    /// Turns each head of the vector, in place. Llama files hold pairs side by side.
    pub(crate) fn apply(&self, vector: &mut [f32], position: usize) {
        let turns = &self.table[position * self.pairs..(position + 1) * self.pairs];
        for head in vector.chunks_exact_mut(2 * self.pairs) {
            for (pair, (cos, sin)) in head.chunks_exact_mut(2).zip(turns) {
                let (first, second) = (pair[0], pair[1]);
                pair[0] = first * cos - second * sin;
                pair[1] = first * sin + second * cos;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADS: Heads = Heads { queries: 6, memories: 2, size: 16 };

    /// Numbers without a pattern that matters.
    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        (0..count).map(|at| ((at * 37 + seed * 101) % 97) as f32 / 48.5 - 1.0).collect()
    }

    #[test]
    fn many_at_once_see_what_one_after_the_other_sees() {
        let count = 20;
        let mut together = Memory::new(HEADS);
        let mut alone = Memory::new(HEADS);
        let queries = numbers(count * 96, 3);
        let mut expected = Vec::new();
        for token in 0..count {
            let (key, value) = (numbers(32, token), numbers(32, token + 50));
            together.push(&key, &value);
            alone.push(&key, &value);
            expected.extend(alone.attend(&queries[token * 96..(token + 1) * 96]).unwrap());
        }
        let seen = together.attend(&queries).unwrap();
        assert!(seen.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-5));
    }

    #[test]
    fn forgetting_leaves_the_first_tokens() {
        let mut memory = Memory::new(HEADS);
        memory.push(&numbers(32, 1), &numbers(32, 2));
        let query = numbers(96, 9);
        let before = memory.attend(&query).unwrap();
        memory.push(&numbers(32, 3), &numbers(32, 4));
        assert_eq!(memory.len(), 2);
        memory.truncate(1);
        assert_eq!(memory.attend(&query).unwrap(), before);
    }

    #[test]
    fn turning_keeps_lengths_and_tells_distances() {
        let rotation = Rotation::new(10, 16, 10_000.0);
        let turned = |position| {
            let mut vector = numbers(16, 5);
            rotation.apply(&mut vector, position);
            vector
        };
        assert_eq!(turned(0), numbers(16, 5));
        assert!((dot(&turned(3), &turned(5)) - dot(&turned(7), &turned(9))).abs() < 1e-4);
        assert!((dot(&turned(3), &turned(3)) - dot(&turned(0), &turned(0))).abs() < 1e-4);
    }
}
