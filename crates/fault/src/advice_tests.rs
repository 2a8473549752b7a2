use super::*;
use crate::ProviderFailure;

fn fault(body: &str) -> Fault {
    ProviderFailure { body: body.to_owned(), ..ProviderFailure::default() }.fault()
}

#[test]
fn fau_8_the_headline_has_the_short_label_and_the_own_words() {
    let check = |body: &str, expected: &str| assert_eq!(headline(&fault(body)), expected);
    check(
        "prompt is too long: 9 tokens > 8 maximum",
        "[error: context] prompt is too long: 9 tokens > 8 maximum",
    );
    check(r#"{"error":{"message":"Invalid API key"}}"#, "[error: auth] Invalid API key");
    check("Insufficient Balance", "[error: quota] Insufficient Balance");
    check("Too many requests", "[error: quota] Too many requests");
    check("socket hang up", "[error: net] socket hang up");
    check("hm", "[error: unknown] hm");
}

#[test]
fn fau_7_token_limits_are_explained_with_their_numbers() {
    let history = Held { pairs: 3, file: Some("a.csv") };
    let check = |body: &str, held: Held<'_>, text: &str| {
        assert_eq!(explain(&fault(body), held).expect("an explanation"), text);
    };
    check(
        "prompt is too long: 213462 tokens > 200000 maximum",
        history,
        "The conversation is too long for this model: 213,462 tokens, and the limit is 200,000.",
    );
    check("Prompt is too long", history, "The conversation is too long for this model.");
    check(
        "`max_tokens` must be less than or equal to `16384`",
        history,
        "The answer you asked for is longer than this model can write: the limit is 16,384 tokens.",
    );
    check(
        "input length and `max_tokens` exceed context limit: 900 + 200 > 1000",
        history,
        "The conversation and the answer together are too long for this model: 1,100 tokens, and the limit is 1,000.",
    );
    check(
        "Request too large on tokens per min (TPM): Limit 30000, Requested 45000.",
        history,
        "This request is larger than the tokens your account may use in a minute: 45,000 tokens, and the limit is 30,000.",
    );
}

/// Where no history was sent, the conversation is not blamed.
#[test]
fn fau_7_only_what_was_sent_is_to_blame() {
    let fault = fault("input_ids size (4271) exceeds max_length (4096)");
    let numbers = ": 4,271 tokens, and the limit is 4,096.";
    for (held, says) in [
        (Held { file: Some("a.csv"), pairs: 0 }, "The message with a.csv is too long"),
        (Held::default(), "The message is too long"),
        (Held { file: Some("a.csv"), pairs: 1 }, "The conversation is too long"),
    ] {
        let text = explain(&fault, held).expect("an explanation");
        assert_eq!(text, format!("{says} for this model{numbers}"));
    }
}

#[test]
fn fau_7_other_faults_get_no_token_advice() {
    for body in
        ["Too many tokens, please wait", "Invalid API key", "Overloaded", "bad request", "??"]
    {
        assert_eq!(explain(&fault(body), Held { file: None, pairs: 2 }), None, "{body}");
    }
}

#[test]
fn fau_6_the_time_to_wait_is_told_in_words() {
    for (seconds, words) in
        [(1, "1 s"), (90, "90 s"), (121, "3 min"), (3600, "60 min"), (86_400, "24 h")]
    {
        let retry_after = Some(std::time::Duration::from_secs(seconds));
        let fault = Fault { retry_after, ..fault("Rate limit reached") };
        assert_eq!(asks_to_wait(&fault), Some(format!("the provider asks to wait {words}")));
    }
    assert_eq!(asks_to_wait(&fault("Overloaded")), None);
}
