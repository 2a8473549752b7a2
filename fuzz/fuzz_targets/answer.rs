//! Any answer of a provider, on every wire, as a stream and in one piece.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_provider::{Delta, fuzzing::answer};

fuzz_target!(|bytes: &[u8]| {
    for wire in 0..3 {
        for streams in [true, false] {
            let (deltas, _) = answer(wire, bytes, streams);
            let ends = deltas.iter().filter(|delta| matches!(delta, Delta::Finished(_))).count();
            assert!(ends <= 1, "an answer ends once: {deltas:?}");
            for delta in &deltas {
                match delta {
                    Delta::Text(text) | Delta::Reasoning(text) => assert!(!text.is_empty()),
                    _ => {}
                }
            }
        }
    }
});
