//! Any answer of a provider. The first bytes choose status and headers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_fault::{Held, Label, ProviderFailure, Subkind, explain, headline};

fuzz_target!(|data: (Option<u16>, Option<String>, bool, String)| {
    let (status, code, waits, body) = data;
    let wait = ("Retry-After".to_owned(), "5".to_owned());
    let headers = if waits { vec![wait] } else { Vec::new() };
    let fault = ProviderFailure { status, code, headers, body, transport: None, chain: None }.fault();
    let _ = (headline(&fault), explain(&fault, Held::default()));
    let shrinks = matches!(fault.label, Label::Overflow | Label::OverflowOutput);
    assert!(shrinks || !fault.shrink_helps());
    if waits && fault.shrink_helps() {
        assert_eq!(fault.subkind, Some(Subkind::Tpm), "FAU-2: who asks to wait has no overflow");
    }
});
