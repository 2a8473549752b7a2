//! Any `sdd.json`: what can be read is written back and read as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Some((read, again)) = plimsoll_specs::fuzzing::sdd_json(text) {
        assert_eq!(again, Some(read));
    }
});
