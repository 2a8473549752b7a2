//! What can be seen without the model; `tests/sentences.rs` has the rest.

use std::io::Cursor;

use proptest::prelude::*;

use super::{bert::LONGEST, *};

/// A file with one tensor, whose head says this of it.
fn file(head: &str, numbers: &[f32]) -> Vec<u8> {
    let mut file = (head.len() as u64).to_le_bytes().to_vec();
    file.extend(head.bytes());
    file.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    file
}

const HEAD: &str =
    r#"{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}}"#;

#[test]
fn tensors_are_found_by_name_and_shape() {
    let mut tensors = Tensors::open(Cursor::new(file(HEAD, &[1.5, -2.0]))).unwrap();
    assert_eq!(tensors.list("a", &[2, 1]).unwrap(), [1.5, -2.0]);
    for (name, shape) in [("b", [2, 1]), ("a", [1, 2])] {
        assert!(matches!(tensors.list(name, &shape), Err(SentenceError::Damaged(_))));
    }
}

#[test]
fn a_tensor_outside_of_the_file_is_refused() {
    assert!(Tensors::open(Cursor::new(file(HEAD, &[1.0]))).is_err());
    for offsets in ["[8,0]", "[0,18446744073709551615]", "[-1,8]"] {
        let head = HEAD.replace("[0,8]", offsets);
        assert!(Tensors::open(Cursor::new(file(&head, &[1.0, 2.0]))).is_err(), "{offsets}");
    }
}

proptest! {
    #[test]
    fn no_flipped_byte_makes_a_panic(at in 0usize..105, with in any::<u8>()) {
        let mut bytes = file(HEAD, &[1.0, 2.0]);
        let last = bytes.len() - 1;
        bytes[at.min(last)] = with;
        if let Ok(mut tensors) = Tensors::open(Cursor::new(bytes)) {
            let _ = tensors.list("a", &[2, 1]);
        }
    }

    #[test]
    fn every_text_has_its_two_marks_and_no_more(text in "\\PC{0,80}|(\\[SEP\\] ){0,20}|a{0,400}|(b )*") {
        let tokens = words().encode(&text).unwrap();
        prop_assert!((2..=LONGEST).contains(&tokens.len()));
        let marks = tokens.iter().filter(|token| [1, 2].contains(*token)).count();
        prop_assert_eq!((tokens[0], marks, tokens[tokens.len() - 1]), (1, 2, 2));
    }
}

fn words() -> WordPieces {
    WordPieces::new("[UNK]\n[CLS]\n[SEP]\na\n##b\n##é\n[\n]\nse\n##p\n京\n").unwrap()
}

#[test]
fn words_are_cut_into_the_longest_known_pieces() {
    let tokens = |text: &str| words().encode(text).unwrap();
    assert_eq!(tokens(""), [1, 2]);
    assert_eq!(tokens("Abb á x"), [1, 3, 4, 4, 3, 0, 2]);
    assert_eq!(tokens("[SEP]京a"), [1, 6, 8, 9, 7, 10, 3, 2]);
    assert_eq!(tokens(&"a ".repeat(9_000)).len(), LONGEST);
}

#[test]
fn a_vocabulary_without_marks_is_refused() {
    assert!(matches!(WordPieces::new("a\nb\n"), Err(SentenceError::Damaged(_))));
}

#[test]
fn mem_10_without_the_model_one_line_says_how_to_get_it() {
    let home = tempfile::tempdir().unwrap();
    let error = SentenceModel::new(home.path(), 1).err().unwrap().to_string();
    for part in ["91 MB", "model.safetensors and vocab.txt", "models", SENTENCE_MODEL_ID] {
        assert!(error.contains(part) && !error.contains('\n'), "{error}");
    }
    assert!(!remove_sentence_model(home.path()).unwrap());
}
