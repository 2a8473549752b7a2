//! Any message: its segments give it back, and a token that is written reads back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_domain::{SegmentBody, print_token, segments};

fuzz_target!(|message: &str| {
    let mut at = 0;
    for segment in segments(message) {
        assert_eq!(segment.range.start, at);
        at = segment.range.end;
        if let SegmentBody::Token(token) = segment.body {
            let written = print_token(token.kind, &token.path);
            let read = segments(&written);
            assert_eq!(read.len(), 1, "{written:?}");
            assert_eq!(read[0].body, SegmentBody::Token(token), "{written:?}");
        }
    }
    assert_eq!(at, message.len());
});
