use super::*;

fn gather(body: &str) -> Evidence {
    Evidence::gather(&ProviderFailure { body: body.to_owned(), ..ProviderFailure::default() })
}

#[test]
fn fau_2_a_status_is_read_from_the_text_when_there_is_none() {
    let check =
        |body: &str, status: Option<u16>| assert_eq!(gather(body).status, status, "{body:?}");
    check("413 Request too large", Some(413));
    check("litellm.BadRequestError: Error code: 400 - {'a': 'b'}", Some(400));
    check(r#"{"error":{"code":502}}"#, Some(502));
    check("<html><title>504 Gateway Time-out</title>", Some(504));
    check("the context size (512) is exceeded", None);
    check("exceeds 512 tokens", None);
}

#[test]
fn fau_2_what_was_sent_back_is_not_heard() {
    let evidence =
        gather(r#"{"detail":[{"msg":"Field required","input":{"content":"rate limit"}}]}"#);
    assert!(evidence.hay.contains("field required"), "{evidence:?}");
    assert!(!evidence.hay.contains("rate limit"), "{evidence:?}");
}

#[test]
fn addresses_are_not_heard() {
    let evidence = gather("Slow down. See https://example.com/settings/billing for more");
    assert!(!evidence.hay.contains("billing") && evidence.hay.contains("for more"), "{evidence:?}");
}

#[test]
fn fau_3_both_ends_of_a_long_text_are_read() {
    let log = format!(
        "{}\nError: prompt is too long: 9 tokens > 8 maximum",
        "debug line\n".repeat(200_000)
    );
    assert!(gather(&log).hay.contains("prompt is too long"));
    let body = format!("Error: prompt is too long\n{}", "é".repeat(1_000_000));
    assert!(gather(&body).hay.contains("prompt is too long"));
}

#[test]
fn stack_frames_are_not_heard() {
    let evidence =
        gather("Error: no\n    at request (timeout.js:5:1)\n    at async socket (net.js)");
    assert!(!evidence.hay.contains("timeout") && !evidence.hay.contains("socket"), "{evidence:?}");
}
