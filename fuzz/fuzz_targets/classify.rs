//! Any answer of a provider. The first bytes choose status and headers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_send::fault::{Failure, Label, Subkind, classify, explain, headline};

fuzz_target!(|data: (Option<u16>, Option<String>, bool, String)| {
    let (status, code, waits, body) = data;
    let headers = [("Retry-After".to_owned(), "5".to_owned())];
    let fault = classify(&Failure {
        status,
        code: code.as_deref(),
        headers: if waits { &headers } else { &[] },
        body: &body,
        transport: None,
    });
    let _ = (headline(&fault), explain(&fault));
    let shrinks = matches!(fault.label, Label::Overflow | Label::OverflowOutput);
    assert!(shrinks || !fault.shrink_helps());
    if waits && fault.shrink_helps() {
        assert_eq!(fault.subkind, Some(Subkind::Tpm), "FAU-2: who asks to wait has no overflow");
    }
});
