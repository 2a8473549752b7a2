//! Any history file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_cli::pairs::read_pairs;

fuzz_target!(|data: &[u8]| {
    let _ = read_pairs(data, |pair| {
        assert!(!pair.id.is_empty());
        Ok(())
    });
});
