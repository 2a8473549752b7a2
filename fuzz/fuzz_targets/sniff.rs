//! Any file under any name: what it is, what its blob is called, whether it looks like a
//! secret, and its small picture.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_blobs::{BlobName, THUMBNAIL, fuzzing, looks_secret};

fuzz_target!(|data: (String, &[u8])| {
    let (name, bytes) = data;
    let (facts, blob) = fuzzing::facts(&name, bytes);
    let blob = blob.expect("every content has a name").to_string();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    assert!(blob.bytes().all(plain), "{blob}");
    assert!(BlobName::parse(&blob).is_ok(), "{blob}");
    assert!(!facts.mime.is_empty() && facts.mime.is_ascii());
    if facts.is_text {
        assert!(std::str::from_utf8(bytes).is_ok(), "text is UTF-8");
    }
    if let Some(said) = facts.mismatch {
        assert!(!said.chars().any(char::is_control) && said.len() < 400, "{said:?}");
    }
    let _ = looks_secret(&name, bytes);
    if let Some((width, height)) = fuzzing::thumbnail(bytes) {
        assert!(width <= THUMBNAIL.0.max(THUMBNAIL.1) && height <= THUMBNAIL.0.max(THUMBNAIL.1));
    }
});
