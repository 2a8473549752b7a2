//! Reading a file of named tensors (safetensors), one tensor at a time.
//!
//! The file is eight bytes with the length of its head, the head as JSON, and the numbers. Each
//! tensor is read straight to where it is used, so that the file is never in memory twice.

use std::{
    collections::HashMap,
    io::{Read, Seek, SeekFrom},
};

use candle_core::{DType, Device, Tensor};
use serde::Deserialize;

use super::SentenceError;

/// More than the head of any small model takes.
const LONGEST_HEAD: u64 = 1 << 20;

/// The tensors of an open file.
pub(super) struct Tensors<F> {
    file: F,
    places: HashMap<String, Place>,
    /// Where the numbers begin.
    start: u64,
}

#[derive(Deserialize)]
struct Place {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (u64, u64),
}

impl<F: Read + Seek> Tensors<F> {
    pub(super) fn open(mut file: F) -> Result<Self, SentenceError> {
        let all = file.seek(SeekFrom::End(0))?;
        file.rewind()?;
        let mut length = [0; 8];
        file.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        if length > LONGEST_HEAD {
            return Err(damaged("its head is too long"));
        }
        let mut head = Vec::new();
        file.by_ref().take(length).read_to_end(&mut head)?;
        let head: HashMap<String, serde_json::Value> =
            serde_json::from_slice(&head).map_err(|error| damaged(&error.to_string()))?;
        let start = 8 + length;
        let mut places = HashMap::new();
        for (name, value) in head.into_iter().filter(|(name, _)| name != "__metadata__") {
            let place = Place::deserialize(value).map_err(|error| damaged(&error.to_string()))?;
            let (from, to) = place.data_offsets;
            if from > to || to > all.saturating_sub(start) {
                return Err(damaged(&format!("{name} lies outside of it")));
            }
            places.insert(name, place);
        }
        Ok(Self { file, places, start })
    }

    /// A tensor of 32-bit floats that must have this shape.
    pub(super) fn read(&mut self, name: &str, shape: &[usize]) -> Result<Tensor, SentenceError> {
        let place = self.places.get(name).ok_or_else(|| damaged(&format!("it has no {name}")))?;
        let (from, to) = place.data_offsets;
        let count: usize = shape.iter().product();
        if place.dtype != "F32" || place.shape != shape || to - from != 4 * count as u64 {
            return Err(damaged(&format!("{name} is not of the expected kind")));
        }
        self.file.seek(SeekFrom::Start(self.start + from))?;
        let mut bytes = vec![0; 4 * count];
        self.file.read_exact(&mut bytes)?;
        Ok(Tensor::from_raw_buffer(&bytes, DType::F32, shape, &Device::Cpu)?)
    }

    /// The same as a list.
    pub(super) fn list(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, SentenceError> {
        Ok(self.read(name, shape)?.flatten_all()?.to_vec1()?)
    }
}

pub(super) fn damaged(what: &str) -> SentenceError {
    SentenceError::Damaged(what.to_owned())
}
