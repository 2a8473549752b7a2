use super::*;

/// FAU-4: limit and request as `limit requested`, `-` for none.
#[track_caller]
fn check(text: &str, expected: &str) {
    let figures = read(text);
    let shown = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
    assert_eq!(
        format!("{} {}", shown(figures.limit), shown(figures.requested)),
        expected,
        "{text}"
    );
}

#[test]
fn fau_4_stated_in_words() {
    check(
        "maximum context length is 131,072 tokens, however you requested 140_000 tokens",
        "131072 140000",
    );
    check("the limit is 8192 and your prompt is 9000", "8192 9000");
    check("model maximum of 8192 exceeded by a prompt of 9000 tokens", "8192 9000");
    check("maximum input length is 8192", "8192 -");
    check("your current context length is 9000", "- 9000");
    check("supports only 4096 tokens but got 5000", "4096 5000");
    check("at most 4096 tokens are allowed, 5000 given", "4096 5000");
    check("9000 tokens > 8192", "8192 9000");
    check("n_keep: 10 >= n_ctx: 4", "4 10");
    check("您的输入 9500 超过最大长度 8192", "8192 9500");
}

#[test]
fn fau_4_what_is_not_stated_is_not_read() {
    check("exceeded the limit by 500 tokens", "- -");
    check("the prompt is 500 tokens over the limit", "- -");
    check("the prompt is 500 tokens too long", "- -");
    check("error code: 400, the prompt exceeds the window", "- -");
    check("prompt exceeds the maximum of 20000 characters", "- -");
    check("gpt-4-32k supports a 128k window; llama-3.1-8b does not", "- -");
    check("the maximum is 99999999999999999999999999 tokens", "- -");
    check("request id 123456: limit reached", "- -");
    check("used 5034 of it", "- -");
}

#[test]
fn fau_4_shares_are_told_apart() {
    let figures = read("requested 4116 tokens (1044 in your prompt; 3072 for the completion)");
    assert_eq!((figures.input, figures.output), (Some(1044), Some(3072)));
    let figures = read("199211 + 20000 > 200000");
    assert_eq!((figures.requested, figures.limit), (Some(219_211), Some(200_000)));
    let huge = u64::MAX;
    assert_eq!(
        read(&format!("{huge} + {huge} > 5")).limit,
        Some(5),
        "a sum beyond 64 bits is no sum"
    );
}
