//! Any PDF. The library that reads it may panic, which ends the thread that it runs in and
//! nothing else; our own part may not, and neither may run away.
#![no_main]

use std::sync::Once;

use libfuzzer_sys::fuzz_target;

/// As much as the reader's own thread has.
const STACK: usize = 32 * 1024 * 1024;

static HOOK: Once = Once::new();

fuzz_target!(|bytes: &[u8]| {
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            if panic.location().is_some_and(|at| at.file().contains("crates/files/src")) {
                eprintln!("{panic}");
                std::process::abort();
            }
        }));
    });
    let bytes = bytes.to_vec();
    let reader = std::thread::Builder::new().stack_size(STACK);
    let read = reader.spawn(move || plimsoll_files::fuzzing::pdf(&bytes));
    let _ = read.expect("a thread can be started").join();
});
