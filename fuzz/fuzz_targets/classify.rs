//! Any answer of a provider. The first bytes choose status and headers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_send::fault::{Failure, Label, classify, explain, headline};

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
    if matches!(fault.label, Label::Rate | Label::Auth | Label::Network | Label::Server | Label::Quota) {
        assert!(!fault.shrink_helps());
    }
});
