//! Any history file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_cli::pairs::read_pairs;

fuzz_target!(|data: &[u8]| {
    let mut end = 0;
    let _ = read_pairs(data, |pair, line| {
        assert!(!pair.id.is_empty());
        assert!(line.start >= end && line.end as usize <= data.len());
        end = line.end;
        Ok(())
    });
});
