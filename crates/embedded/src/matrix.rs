//! Matrices of eight-bit numbers, and their products with vectors.
//!
//! Whatever a file holds becomes Q8_0: 32 numbers and a scale. For one vector the
//! products are taken in eight bits, which is what memory can feed; for many vectors the
//! matrix is made into floats once and a real matrix product follows, three times as
//! fast as the same in eight bits.

use std::io::{Read, Seek};

use candle_core::{
    Device, Tensor,
    quantized::{
        GgmlDType, ggml_file,
        k_quants::{BlockQ8_0, GgmlType},
    },
};
use rayon::prelude::*;

use crate::gguf::{Gguf, GgufError, TensorInfo};

/// Numbers in a block.
const BLOCK: usize = BlockQ8_0::BLCK_SIZE;

/// From as many vectors on, making floats pays.
const MANY: usize = 8;

/// Rows that one task works on.
const ROWS: usize = 64;

/// A matrix that is multiplied from the left.
pub(crate) struct Matrix {
    blocks: Vec<BlockQ8_0>,
    columns: usize,
}

impl Matrix {
    /// Reads matrices of one width and puts them one below the other, so that what is
    /// multiplied with the same vector is multiplied in one go.
    pub(crate) fn read(
        gguf: &Gguf,
        file: &mut (impl Read + Seek),
        parts: &[(&str, usize)],
        columns: usize,
    ) -> Result<Self, GgufError> {
        let mut blocks = Vec::new();
        for (name, rows) in parts {
            let info = gguf.tensor(name)?;
            if (info.columns, info.rows) != (columns, *rows) || !columns.is_multiple_of(BLOCK) {
                return Err(GgufError::Unsupported(format!("{name} has an unusual shape")));
            }
            let bytes = info.read(file)?;
            let start = blocks.len();
            blocks.resize(start + rows * columns / BLOCK, BlockQ8_0::zeros());
            let row_bytes = bytes.len() / rows;
            blocks[start..]
                .par_chunks_mut(ROWS * columns / BLOCK)
                .zip(bytes.par_chunks(ROWS * row_bytes))
                .try_for_each(|(blocks, bytes)| convert(info.kind, bytes, blocks))?;
        }
        Ok(Self { blocks, columns })
    }

    pub(crate) fn rows(&self) -> usize {
        self.blocks.len() / self.blocks_per_row()
    }

    fn blocks_per_row(&self) -> usize {
        self.columns / BLOCK
    }

    pub(crate) fn row(&self, row: usize, out: &mut [f32]) {
        let width = self.blocks_per_row();
        BlockQ8_0::to_float(&self.blocks[row * width..(row + 1) * width], out);
    }

    /// The products with each of the vectors that stand one after the other in `vectors`.
    pub(crate) fn times(&self, vectors: &[f32]) -> Result<Vec<f32>, candle_core::Error> {
        let count = vectors.len() / self.columns;
        if count >= MANY { self.times_many(vectors, count) } else { Ok(self.times_few(vectors)) }
    }

    fn times_few(&self, vectors: &[f32]) -> Vec<f32> {
        let rows = self.rows();
        let width = self.blocks_per_row();
        let mut out = vec![0.0; vectors.len() / self.columns * rows];
        let mut vector_blocks = vec![BlockQ8_0::zeros(); width];
        for (vector, out) in vectors.chunks_exact(self.columns).zip(out.chunks_exact_mut(rows)) {
            BlockQ8_0::from_float(vector, &mut vector_blocks);
            let work = out.par_chunks_mut(ROWS).zip(self.blocks.par_chunks(ROWS * width));
            work.for_each(|(out, blocks)| {
                for (out, row) in out.iter_mut().zip(blocks.chunks_exact(width)) {
                    *out = BlockQ8_0::vec_dot(self.columns, row, &vector_blocks);
                }
            });
        }
        out
    }

    fn times_many(&self, vectors: &[f32], count: usize) -> Result<Vec<f32>, candle_core::Error> {
        let mut floats = vec![0.0; self.blocks.len() * BLOCK];
        let width = self.blocks_per_row();
        let work =
            floats.par_chunks_mut(ROWS * self.columns).zip(self.blocks.par_chunks(ROWS * width));
        work.for_each(|(floats, blocks)| BlockQ8_0::to_float(blocks, floats));
        let matrix = Tensor::from_vec(floats, (self.rows(), self.columns), &Device::Cpu)?;
        product(vectors, (count, self.columns), &matrix.t()?)
    }
}

/// The product of the matrix that stands row by row in `left` with `right`.
///
/// On Linux each product reads `/proc/cpuinfo`, because candle 0.11 counts the processors anew each
/// time (`get_num_threads`). Only `RAYON_NUM_THREADS` in the environment keeps it from that, and a
/// process cannot change its own environment without `unsafe`.
pub(crate) fn product(
    left: &[f32],
    shape: (usize, usize),
    right: &Tensor,
) -> Result<Vec<f32>, candle_core::Error> {
    Tensor::from_slice(left, shape, &Device::Cpu)?.matmul(right)?.flatten_all()?.to_vec1()
}

/// Reads a list of floats, such as the weights of a norm.
pub(crate) fn floats(
    gguf: &Gguf,
    file: &mut (impl Read + Seek),
    name: &str,
    length: usize,
) -> Result<Vec<f32>, GgufError> {
    let info: &TensorInfo = gguf.tensor(name)?;
    if (info.columns, info.rows) != (length, 1) {
        return Err(GgufError::Unsupported(format!("{name} has an unusual shape")));
    }
    to_floats(info.kind, &info.read(file)?)
}

fn convert(kind: GgmlDType, bytes: &[u8], blocks: &mut [BlockQ8_0]) -> Result<(), GgufError> {
    let floats = to_floats(kind, bytes)?;
    BlockQ8_0::from_float(&floats, blocks);
    Ok(())
}

fn to_floats(kind: GgmlDType, bytes: &[u8]) -> Result<Vec<f32>, GgufError> {
    let count = bytes.len() / kind.type_size() * kind.block_size();
    let device = &Device::Cpu;
    ggml_file::qtensor_from_ggml(kind, bytes, vec![count], device)
        .and_then(|tensor| tensor.dequantize(device)?.to_vec1())
        .map_err(|error| GgufError::Unsupported(error.to_string()))
}
