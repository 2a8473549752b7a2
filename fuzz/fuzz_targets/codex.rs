//! Any output of Codex, in any pieces: the pieces make no difference, and nothing is said
//! after the end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_provider::{Delta, fuzzing::codex};

fuzz_target!(|data: (u8, &[u8])| {
    let (size, bytes) = data;
    let whole = codex(&[bytes]);
    let pieces: Vec<&[u8]> = bytes.chunks(usize::from(size).max(1)).collect();
    assert_eq!(codex(&pieces), whole);
    let end = whole.iter().position(|delta| matches!(delta, Delta::Finished(_)));
    let after = end.map(|end| &whole[end..]).unwrap_or_default();
    assert!(!after.iter().any(|delta| matches!(delta, Delta::Text(_) | Delta::Reasoning(_))));
});
