//! What holds for every failure, however strange.

use std::time::Instant;

use proptest::prelude::*;

use super::*;

/// Pieces that make texts likely to meet several rules at once.
fn bodies() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("maximum context length is 4096 tokens".to_owned()),
        Just("Rate limit reached".to_owned()),
        Just("tokens per min (TPM): Limit 10, Requested 20".to_owned()),
        Just("prompt is too long: ".to_owned()),
        Just("{\"error\":{\"message\":\"".to_owned()),
        Just("\"}}".to_owned()),
        Just("max_tokens".to_owned()),
        Just(" exceeds ".to_owned()),
        Just("{'a': '".to_owned()),
        Just("\\\"".to_owned()),
        Just("18446744073709551615".to_owned()),
        Just(" + 1 > 5".to_owned()),
        Just("<html><h1>".to_owned()),
        Just("&quot;%22".to_owned()),
        Just("超过最大".to_owned()),
        Just("try again in 5s".to_owned()),
        "\\PC{0,12}",
        "[-0-9,._k: \\n]{0,8}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn statuses() -> impl Strategy<Value = Option<u16>> {
    prop_oneof![
        Just(None),
        any::<u16>().prop_map(Some),
        prop::sample::select(vec![200, 400, 401, 402, 403, 404, 413, 422, 429, 500, 503])
            .prop_map(Some),
    ]
}

proptest! {
    #[test]
    fn any_failure_is_classified(
        body in bodies(),
        status in statuses(),
        code in prop::option::of("\\PC{0,8}"),
        header in ("\\PC{0,12}|retry-after", "\\PC{0,8}|[0-9.e+-]{1,24}"),
        transport in prop::option::of("\\PC{0,12}"),
    ) {
        let headers = vec![header];
        let failure = ProviderFailure { status, code, headers, body, transport, chain: None };
        let fault = failure.fault();
        prop_assert_eq!(&fault, &failure.fault(), "the same failure is the same fault");
        if fault.shrink_helps() {
            prop_assert!(matches!(fault.label, Label::Overflow | Label::OverflowOutput), "{:?}", fault);
            prop_assert!(!fault.retryable());
        }
        prop_assert_eq!(explain(&fault, Held::default()).is_some(), fault.short() == "context");
    }

    /// FAU-2: whoever asks to wait does not ask for less.
    #[test]
    fn retry_after_never_drops_history(body in bodies(), status in statuses(), value in "[0-9]{1,4}|\\PC{0,8}") {
        let headers = vec![("Retry-After".to_owned(), value)];
        let fault = ProviderFailure { status, headers, ..of_body(&body) }.fault();
        prop_assert!(!fault.shrink_helps() || fault.subkind == Some(Subkind::Tpm), "{:?}", fault);
    }

    /// FAU-2: these statuses are never overflow.
    #[test]
    fn statuses_of_the_account_never_drop_history(body in bodies(), status in 401_u16..=404) {
        let fault = classify(Some(status), &body);
        prop_assert!(!fault.shrink_helps() || fault.subkind == Some(Subkind::Tpm), "{:?}", fault);
    }
}

#[test]
fn fau_6_only_these_labels_are_retried() {
    let retried: Vec<&str> = Label::ALL
        .into_iter()
        .filter(|label| {
            let fault = Fault {
                label: *label,
                subkind: None,
                limit: None,
                requested: None,
                matched: None,
                message: String::new(),
                retry_after: None,
            };
            fault.retryable()
        })
        .map(Label::name)
        .collect();
    assert_eq!(retried, ["rate", "network", "server"]);
}

#[test]
fn hostile_bodies_take_linear_time() {
    let started = Instant::now();
    let units = [
        "[",
        "{\"a\":[",
        "\"",
        "\\",
        "'",
        "{\"a\":\"{\\\"",
        ", 'a ",
        "<",
        "<h1",
        "&",
        "%22",
        "://",
        "1,",
        "9",
        "> 5 ",
        "prompt ",
        "limit 5 ",
        ". ",
        "\n",
        "超过",
        "try again in 1",
        "Request too large, ",
        "max_tokens 1 ",
    ];
    for unit in units {
        let body = unit.repeat(1_000_000 / unit.len());
        let _ = classify(None, &body);
    }
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(!classify(None, &nested).shrink_helps());
    // A quadratic rule would need minutes for one of these, even unoptimised.
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}
