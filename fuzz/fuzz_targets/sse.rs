//! Any stream of events, in any pieces: the pieces make no difference.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_provider::fuzzing::events;

fuzz_target!(|data: (Vec<u8>, &[u8])| {
    let (cuts, bytes) = data;
    let mut pieces = Vec::new();
    let mut rest = bytes;
    for cut in cuts {
        let (piece, after) = rest.split_at(rest.len().min(usize::from(cut)));
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    let whole = events(&[bytes]);
    assert!(whole.is_some(), "no input is long enough to be refused");
    assert_eq!(events(&pieces), whole);
    assert_eq!(events(&bytes.chunks(1).collect::<Vec<_>>()), whole);
});
