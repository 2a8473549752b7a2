use super::{super::classify, *};
use crate::fault::Failure;

fn fault(body: &str) -> Fault {
    classify(&Failure { body, ..Failure::default() })
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
    let check = |body: &str, text: &str, first: Action| {
        let advice = explain(&fault(body)).expect("advice");
        assert_eq!(advice.text, text);
        assert_eq!(advice.actions.first(), Some(&first));
    };
    check(
        "prompt is too long: 213462 tokens > 200000 maximum",
        "The conversation is too long for this model: 213,462 tokens, and the limit is 200,000.",
        Action::SmallerFile,
    );
    check(
        "Prompt is too long",
        "The conversation is too long for this model.",
        Action::SmallerFile,
    );
    check(
        "`max_tokens` must be less than or equal to `16384`",
        "The answer you asked for is longer than this model can write: the limit is 16,384 tokens.",
        Action::LowerOutput,
    );
    check(
        "input length and `max_tokens` exceed context limit: 900 + 200 > 1000",
        "The conversation and the answer together are too long for this model: 1,100 tokens, and the limit is 1,000.",
        Action::LowerOutput,
    );
    check(
        "Request too large on tokens per min (TPM): Limit 30000, Requested 45000.",
        "This request is larger than the tokens your account may use in a minute: 45,000 tokens, and the limit is 30,000.",
        Action::ClearHistory,
    );
}

#[test]
fn fau_7_other_faults_get_no_token_advice() {
    for body in
        ["Too many tokens, please wait", "Invalid API key", "Overloaded", "bad request", "??"]
    {
        assert_eq!(explain(&fault(body)), None, "{body}");
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

#[test]
fn fau_7_the_actions_are_those_of_the_spec() {
    let labels =
        [Action::SmallerFile, Action::ClearHistory, Action::LargerModel].map(Action::label);
    assert_eq!(
        labels,
        ["Try a smaller file", "Clear conversation history", "Switch to a larger context model"]
    );
    assert_eq!(grouped(0), "0");
    assert_eq!(grouped(1_048_576), "1,048,576");
}
