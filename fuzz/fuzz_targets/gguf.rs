//! Any model file: its head, its tokenizer and its weights are read, or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_embedded::fuzzing::tokens;

fuzz_target!(|file: &[u8]| {
    if let Some(tokens) = tokens(file, "ab c\u{e9}") {
        assert!(tokens.len() <= "ab c\u{e9}".len(), "no text has more tokens than bytes");
    }
});
