//! Any document: the first byte says which format, the rest is the file, or one part of it in
//! an archive that is whole. A reader ends with a bounded text or with words, and never panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_files::fuzzing::{DOCUMENTS, document, document_part};

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let format = DOCUMENTS[usize::from(first >> 1) % DOCUMENTS.len()];
    let read = if first & 1 == 0 { document(format, rest) } else { document_part(format, rest) };
    match read {
        Ok(extract) => {
            let (text, facts) = (extract.text, extract.facts);
            assert_eq!(facts.bytes, text.len() as u64);
            assert!(text.len() <= 5 << 20, "{} bytes", text.len());
            let lines = text.lines().count() as u64;
            assert!(facts.parts.iter().all(|part| (1..=lines).contains(&part.line)), "{facts:?}");
            let hidden = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
            assert!(!text.chars().any(hidden), "{text:?}");
        }
        Err(why) => assert!(!why.to_string().is_empty()),
    }
});
