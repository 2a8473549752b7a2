//! Reading GGUF files without trusting them.
//!
//! Every count is bounded before anything is allocated for it, every tensor lies inside
//! the file, and values that nobody asks for are skipped. A broken or hostile file gives
//! an error, never a panic and never a large allocation.

use std::{
    collections::HashMap,
    io::{self, Read, Seek, SeekFrom},
};

use candle_core::quantized::GgmlDType;

/// More than any real file of a small model has.
const MAX_ENTRIES: u64 = 4096;
const MAX_NAME: u64 = 1024;
const MAX_TEXT: u64 = 1 << 20;
const MAX_ELEMENTS: u64 = 1 << 20;
const MAX_DIMENSION: u64 = 1 << 24;

/// Why a model file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GgufError {
    /// The file could not be read.
    #[error("the model file cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The file does not start as one of this kind does.
    #[error("this is not a GGUF file of version 2 or 3")]
    NotGguf,
    /// The file ends too early or says something impossible.
    #[error("the model file is damaged: {0}; fetch it again")]
    Damaged(&'static str),
    /// The file is fine but of another kind of model.
    #[error("this model cannot be run here: {0}; use a SmolLM2 or other Llama GGUF")]
    Unsupported(String),
}

/// A value of the metadata, as far as they are of use here.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Integer(i64),
    Float(f64),
    Text(String),
    Texts(Vec<String>),
    Integers(Vec<i64>),
}

/// Where a tensor is and what it is like.
#[derive(Clone, Debug)]
pub(crate) struct TensorInfo {
    pub(crate) kind: GgmlDType,
    /// Elements of one row; rows lie one after the other.
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    start: u64,
    bytes: usize,
}

/// The head of a model file: its metadata and the places of its tensors.
#[derive(Debug)]
pub(crate) struct Gguf {
    values: HashMap<String, Value>,
    tensors: HashMap<String, TensorInfo>,
}

impl Gguf {
    pub(crate) fn read(file: &mut (impl Read + Seek)) -> Result<Self, GgufError> {
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(0))?;
        let mut head = Head { file, at: 0, length };
        if !matches!((&head.array()?, head.u32()?), (b"GGUF", 2 | 3)) {
            return Err(GgufError::NotGguf);
        }
        let tensor_count = head.bounded(MAX_ENTRIES, "it claims too many tensors")?;
        let value_count = head.bounded(MAX_ENTRIES, "it claims too many entries")?;
        let mut values = HashMap::new();
        for _ in 0..value_count {
            let name = head.text(MAX_NAME)?;
            let kind = head.u32()?;
            if is_wanted(&name) {
                if let Some(value) = head.value(kind)? {
                    values.insert(name, value);
                }
            } else {
                head.skip_value(kind)?;
            }
        }
        let mut found = Vec::new();
        for _ in 0..tensor_count {
            found.push((head.text(MAX_NAME)?, head.tensor()?));
        }
        let alignment = match values.get("general.alignment") {
            None => 32,
            Some(Value::Integer(number @ (8 | 16 | 32 | 64 | 128 | 256))) => *number as u64,
            Some(_) => return Err(GgufError::Damaged("its alignment is odd")),
        };
        let data = head.at.next_multiple_of(alignment);
        let mut tensors = HashMap::new();
        for (name, mut tensor) in found {
            tensor.start = tensor.start.saturating_add(data);
            let end = tensor.start.checked_add(tensor.bytes as u64);
            if end.is_none_or(|end| end > length) {
                return Err(GgufError::Damaged("it ends before its last tensor"));
            }
            tensors.insert(name, tensor);
        }
        Ok(Self { values, tensors })
    }

    pub(crate) fn tensor(&self, name: &str) -> Result<&TensorInfo, GgufError> {
        self.tensors
            .get(name)
            .ok_or_else(|| GgufError::Unsupported(format!("it has no tensor {name}")))
    }

    /// Whether there is such a tensor.
    pub(crate) fn has_tensor(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// An entry that must be there; `get` says what it must be.
    pub(crate) fn value<'a, T>(
        &'a self,
        name: &str,
        get: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<T, GgufError> {
        self.values
            .get(name)
            .and_then(get)
            .ok_or_else(|| GgufError::Unsupported(format!("it has no usable {name}")))
    }
}

impl TensorInfo {
    /// The bytes of the tensor; they were found to lie inside the file.
    pub(crate) fn read(&self, file: &mut (impl Read + Seek)) -> Result<Vec<u8>, GgufError> {
        let mut bytes = vec![0; self.bytes];
        file.seek(SeekFrom::Start(self.start))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

impl Value {
    pub(crate) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn texts(&self) -> Option<&[String]> {
        if let Self::Texts(texts) = self { Some(texts) } else { None }
    }

    pub(crate) fn integers(&self) -> Option<&[i64]> {
        if let Self::Integers(numbers) = self { Some(numbers) } else { None }
    }

    /// A number from 1 to `most`.
    pub(crate) fn count(&self, most: usize) -> Option<usize> {
        let Self::Integer(number) = self else { return None };
        usize::try_from(*number).ok().filter(|number| (1..=most).contains(number))
    }

    pub(crate) fn float(&self) -> Option<f32> {
        if let Self::Float(number) = self { Some(*number as f32) } else { None }
    }
}

/// What is kept; a file may carry much more.
fn is_wanted(name: &str) -> bool {
    ["general.architecture", "general.alignment"].contains(&name)
        || name.starts_with("llama.")
        || name.starts_with("tokenizer.")
}

/// The part of the file before the tensors, read in order.
struct Head<'a, F> {
    file: &'a mut F,
    at: u64,
    length: u64,
}

impl<F: Read + Seek> Head<'_, F> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], GgufError> {
        self.claim(N as u64)?;
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Moves on by as many bytes, if the file has them.
    fn claim(&mut self, bytes: u64) -> Result<(), GgufError> {
        self.at = self.at.saturating_add(bytes);
        if self.at > self.length {
            return Err(GgufError::Damaged("it ends inside its head"));
        }
        Ok(())
    }

    fn u32(&mut self) -> Result<u32, GgufError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, GgufError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn bounded(&mut self, most: u64, otherwise: &'static str) -> Result<u64, GgufError> {
        match self.u64()? {
            count if count <= most => Ok(count),
            _ => Err(GgufError::Damaged(otherwise)),
        }
    }

    fn text(&mut self, most: u64) -> Result<String, GgufError> {
        let length = self.bounded(most, "it claims an endless text")?;
        self.claim(length)?;
        let mut bytes = vec![0; length as usize];
        self.file.read_exact(&mut bytes)?;
        String::from_utf8(bytes).map_err(|_| GgufError::Damaged("a text in it is not UTF-8"))
    }

    /// A value, or none where its kind is of no use here.
    fn value(&mut self, kind: u32) -> Result<Option<Value>, GgufError> {
        Ok(match kind {
            6 => Some(Value::Float(f64::from(f32::from_le_bytes(self.array()?)))),
            12 => Some(Value::Float(f64::from_le_bytes(self.array()?))),
            8 => Some(Value::Text(self.text(MAX_TEXT)?)),
            9 => {
                let (kind, count) = self.array_head()?;
                match kind {
                    8 => {
                        let texts =
                            (0..count).map(|_| self.text(MAX_TEXT)).collect::<Result<_, _>>();
                        Some(Value::Texts(texts?))
                    }
                    6 | 12 => {
                        self.skip(kind, count)?;
                        None
                    }
                    _ => {
                        let numbers =
                            (0..count).map(|_| self.integer(kind)).collect::<Result<_, _>>();
                        Some(Value::Integers(numbers?))
                    }
                }
            }
            _ => Some(Value::Integer(self.integer(kind)?)),
        })
    }

    fn integer(&mut self, kind: u32) -> Result<i64, GgufError> {
        Ok(match kind {
            0 | 7 => i64::from(self.array::<1>()?[0]),
            1 => i64::from(i8::from_le_bytes(self.array()?)),
            2 => i64::from(u16::from_le_bytes(self.array()?)),
            3 => i64::from(i16::from_le_bytes(self.array()?)),
            4 => i64::from(self.u32()?),
            5 => i64::from(i32::from_le_bytes(self.array()?)),
            10 => i64::try_from(self.u64()?)
                .map_err(|_| GgufError::Damaged("a number in it is too large"))?,
            11 => i64::from_le_bytes(self.array()?),
            _ => return Err(GgufError::Damaged("it holds a value of an unknown kind")),
        })
    }

    fn array_head(&mut self) -> Result<(u32, u64), GgufError> {
        Ok((self.u32()?, self.bounded(MAX_ELEMENTS, "it claims an endless list")?))
    }

    fn skip_value(&mut self, kind: u32) -> Result<(), GgufError> {
        match kind {
            9 => {
                let (kind, count) = self.array_head()?;
                self.skip(kind, count)
            }
            _ => self.skip(kind, 1),
        }
    }

    fn skip(&mut self, kind: u32, count: u64) -> Result<(), GgufError> {
        let width = match kind {
            0 | 1 | 7 => 1,
            2 | 3 => 2,
            4..=6 => 4,
            10..=12 => 8,
            8 => {
                for _ in 0..count {
                    let length = self.bounded(MAX_TEXT, "it claims an endless text")?;
                    self.pass(length)?;
                }
                return Ok(());
            }
            _ => return Err(GgufError::Damaged("it holds a value of an unknown kind")),
        };
        self.pass(count * width)
    }

    fn pass(&mut self, bytes: u64) -> Result<(), GgufError> {
        self.claim(bytes)?;
        self.file.seek(SeekFrom::Start(self.at))?;
        Ok(())
    }

    /// One tensor; its start still lacks the place where the data begins.
    fn tensor(&mut self) -> Result<TensorInfo, GgufError> {
        let dimensions = self.u32()?;
        if !(1..=4).contains(&dimensions) {
            return Err(GgufError::Damaged("a tensor in it has no shape"));
        }
        let columns = self.dimension()?;
        let mut rows = 1usize;
        for _ in 1..dimensions {
            let next = self.dimension()?;
            rows = rows.checked_mul(next).ok_or(GgufError::Damaged("a tensor in it is endless"))?;
        }
        let kind = kind_of(self.u32()?)?;
        let start = self.u64()?;
        if !columns.is_multiple_of(kind.block_size()) {
            return Err(GgufError::Damaged("a tensor in it has broken rows"));
        }
        let bytes = (columns / kind.block_size() * kind.type_size()).checked_mul(rows);
        // Whether the file has as many bytes is seen once it is known where they start.
        let bytes = bytes.ok_or(GgufError::Damaged("a tensor in it is endless"))?;
        Ok(TensorInfo { kind, columns, rows, start, bytes })
    }

    fn dimension(&mut self) -> Result<usize, GgufError> {
        match self.bounded(MAX_DIMENSION, "a tensor in it is endless")? {
            0 => Err(GgufError::Damaged("a tensor in it is empty")),
            size => Ok(size as usize),
        }
    }
}

/// The kinds of numbers that candle can turn into floats, by their numbers in files.
fn kind_of(number: u32) -> Result<GgmlDType, GgufError> {
    Ok(match number {
        0 => GgmlDType::F32,
        1 => GgmlDType::F16,
        2 => GgmlDType::Q4_0,
        3 => GgmlDType::Q4_1,
        6 => GgmlDType::Q5_0,
        7 => GgmlDType::Q5_1,
        8 => GgmlDType::Q8_0,
        10 => GgmlDType::Q2K,
        11 => GgmlDType::Q3K,
        12 => GgmlDType::Q4K,
        13 => GgmlDType::Q5K,
        14 => GgmlDType::Q6K,
        30 => GgmlDType::BF16,
        other => return Err(GgufError::Unsupported(format!("its numbers are of kind {other}"))),
    })
}

#[cfg(test)]
#[path = "gguf_tests.rs"]
mod tests;
