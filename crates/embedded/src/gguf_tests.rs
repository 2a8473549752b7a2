use std::{io::Cursor, sync::Arc};

use proptest::prelude::*;

use super::*;
use crate::{
    engine::{Engine, Head},
    tiny,
};

/// Everything that is done with a file.
fn load(file: &[u8]) -> Result<Engine, GgufError> {
    let mut file = Cursor::new(file);
    let head = Arc::new(Head::read(&mut file)?);
    Engine::read(&mut file, head)
}

/// Where the tensors of the tiny model begin.
fn head_length(file: &[u8]) -> usize {
    let last = b"blk.1.ffn_down.weight";
    let at = file.windows(last.len()).position(|window| window == last).unwrap();
    at + last.len() + 32
}

#[test]
fn a_good_file_is_read() {
    let file = tiny::file(64);
    load(&file).unwrap();
    let gguf = Gguf::read(&mut Cursor::new(&file)).unwrap();
    assert_eq!(gguf.value("llama.block_count", |value| value.count(9)).unwrap(), 2);
    assert!(gguf.value("llama.block_count", |value| value.count(1)).is_err());
    assert!(gguf.value("general.name", Value::text).is_err(), "nobody asks for it");
    assert_eq!(gguf.tensor("blk.0.attn_k.weight").unwrap().rows, 16);
}

#[test]
fn a_file_cut_anywhere_is_an_error() {
    let file = tiny::file(64);
    let head = head_length(&file);
    for length in (0..head).step_by(7).chain([head, file.len() / 2, file.len() - 1]) {
        assert!(load(&file[..length]).is_err(), "cut at {length}");
    }
}

#[test]
fn impossible_counts_are_refused_before_anything_is_reserved() {
    let count = |at: usize| {
        let mut file = tiny::file(64);
        file[at..at + 8].fill(0xff);
        load(&file).map(drop).unwrap_err().to_string()
    };
    assert!(count(8).contains("too many tensors"));
    assert!(count(16).contains("too many entries"));
    assert!(count(24).contains("endless text"));
}

#[test]
fn other_files_are_told_from_broken_ones() {
    assert!(matches!(load(b"PK\x03\x04 and more of it"), Err(GgufError::NotGguf)));
    let file = tiny::file(64);
    let text = |from: &[u8], to: &[u8]| {
        let mut file = file.clone();
        let at = file.windows(from.len()).position(|window| window == from).unwrap();
        file[at..at + to.len()].copy_from_slice(to);
        load(&file).map(drop).unwrap_err()
    };
    for error in [text(b"llama", b"camel"), text(b"smollm", b"qwenxx"), text(b"gpt2", b"bert")] {
        assert!(matches!(error, GgufError::Unsupported(_)), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever happens to a head, there is an answer or an error, never a panic.
    #[test]
    fn no_flipped_bytes_make_a_panic(flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut file = tiny::file(64);
        let head = head_length(&file);
        for (at, value) in flips {
            file[at.index(head)] = value;
        }
        let _ = load(&file);
    }

    #[test]
    fn no_noise_makes_a_panic(noise in any::<Vec<u8>>()) {
        let mut file = b"GGUF\x03\0\0\0".to_vec();
        file.extend(noise);
        let _ = load(&file);
    }
}
