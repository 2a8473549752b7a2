//! What servers send and what is read from it, as tables.

use plimsoll_domain::Usage;

use super::{Decode, Deltas, Read, Refused, anthropic, gemini, openai, read_event, read_whole};
use crate::{Delta, Finish, sse::SseEvent};

fn event(decoder: &mut dyn Decode, data: &str) -> Result<(Vec<Delta>, Read), Refused> {
    let mut out = Deltas::default();
    let event = SseEvent { name: String::new(), data: data.to_owned() };
    let read = read_event(decoder, &event, &mut out)?;
    Ok((drain(out), read))
}

fn whole(decoder: &mut dyn Decode, body: &str) -> Result<Vec<Delta>, Refused> {
    let mut out = Deltas::default();
    read_whole(decoder, body, &mut out)?;
    Ok(drain(out))
}

fn drain(mut out: Deltas) -> Vec<Delta> {
    std::iter::from_fn(|| out.pop()).collect()
}

fn text(text: &str) -> Delta {
    Delta::Text(text.into())
}

fn thought(text: &str) -> Delta {
    Delta::Reasoning(text.into())
}

fn usage(prompt: u64, cached: u64, completion: u64, reasoning: u64) -> Delta {
    Delta::Usage(Usage { prompt, cached, completion, reasoning })
}

fn done(finish: Finish) -> Delta {
    Delta::Finished(finish)
}

#[test]
fn openai_chunks() {
    let other = Finish::Other("tool_calls".into());
    for (data, expected) in [
        (r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null}}]}"#, vec![]),
        (r#"{"choices":[{"delta":{"content":"a"},"finish_reason":null}]}"#, vec![text("a")]),
        (r#"{"choices":[{"delta":{"content":""}}],"usage":null}"#, vec![]),
        (r#"{"choices":[{"delta":{"reasoning_content":"hm"}}]}"#, vec![thought("hm")]),
        (
            r#"{"choices":[{"delta":{"reasoning":"hm","reasoning_content":null,"content":"a"}}]}"#,
            vec![thought("hm"), text("a")],
        ),
        (
            r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text",
               "text":"hm"}]},{"type":"text","text":"a"}]}}]}"#,
            vec![thought("hm"), text("a")],
        ),
        (r#"{"choices":[{"delta":{"refusal":"No."}}]}"#, vec![text("No.")]),
        (r#"{"choices":[{"index":1,"delta":{"content":"b"}}]}"#, vec![]),
        (r#"{"choices":[]}"#, vec![]),
        (r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#, vec![done(Finish::Stop)]),
        (r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#, vec![done(Finish::Length)]),
        (r#"{"choices":[{"delta":{},"finish_reason":""}]}"#, vec![]),
        (r#"{"choices":[{"finish_reason":"content_filter"}]}"#, vec![done(Finish::ContentFilter)]),
        (r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#, vec![done(other)]),
        (
            r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5,
               "prompt_tokens_details":{"cached_tokens":4},
               "completion_tokens_details":{"reasoning_tokens":3}}}"#,
            vec![usage(9, 4, 5, 3)],
        ),
        (
            r#"{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":9,
               "prompt_tokens_details":null,"prompt_cache_hit_tokens":2}}"#,
            vec![text("a"), usage(9, 2, 0, 0)],
        ),
        (
            r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":24,
               "completion_tokens_details":{"reasoning_tokens":10}}}"#,
            vec![usage(9, 0, 15, 10)],
        ),
        (
            r#"{"choices":[],"x_groq":{"usage":{"prompt_tokens":1,"completion_tokens":2}}}"#,
            vec![usage(1, 0, 2, 0)],
        ),
        (
            "{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\
             {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}",
            vec![text("a"), text("b")],
        ),
    ] {
        assert_eq!(event(&mut openai::Decoder, data), Ok((expected, Read::Part)), "{data}");
    }
}

#[test]
fn openai_ends_errors_and_strangers() {
    for (data, expected) in [
        ("[DONE]", Ok((vec![], Read::Last))),
        (" [DONE] ", Ok((vec![], Read::Last))),
        (r#"{"id":"1","object":"ping"}"#, Ok((vec![], Read::Unknown))),
        (r#"{"error":{"message":"crashed","code":429}}"#, Err(Refused::Told)),
        (r#"{"error":"crashed"}"#, Err(Refused::Told)),
        (r#"{"object":"error","message":"crashed","code":400}"#, Err(Refused::Told)),
        (r#"{"choices":[{"error":{"message":"upstream"}}]}"#, Err(Refused::Told)),
        (r#"{"choices":[{"del"#, Err(Refused::Malformed)),
        ("hello", Err(Refused::Malformed)),
    ] {
        assert_eq!(event(&mut openai::Decoder, data), expected, "{data}");
    }
    let named = SseEvent { name: "error".into(), data: "out of memory".into() };
    let read = read_event(&mut openai::Decoder, &named, &mut Deltas::default());
    assert_eq!(read, Err(Refused::Told));
}

#[test]
fn openai_answers_in_one_piece() {
    for (body, expected) in [
        (
            r#"{"choices":[{"message":{"role":"assistant","content":"a","reasoning":"hm"},
               "finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#,
            Ok(vec![thought("hm"), text("a"), done(Finish::Stop), usage(3, 0, 1, 0)]),
        ),
        (r#"{"choices":[]}"#, Ok(vec![])),
        ("\u{feff}{\"choices\":[]}", Ok(vec![])),
        (r#"{"error":{"message":"no"}}"#, Err(Refused::Told)),
        (r#"{"detail":"Not authenticated"}"#, Err(Refused::Told)),
        ("{}", Err(Refused::Told)),
        ("{\"choices\":[", Err(Refused::Malformed)),
    ] {
        assert_eq!(whole(&mut openai::Decoder, body), expected, "{body}");
    }
}

#[test]
fn anthropic_streams() {
    let mut decoder = anthropic::Decoder::default();
    for (data, expected, read) in [
        (
            r#"{"type":"message_start","message":{"usage":{"input_tokens":10,"output_tokens":1,
               "cache_read_input_tokens":30,"cache_creation_input_tokens":2}}}"#,
            vec![usage(42, 30, 1, 0)],
            Read::Part,
        ),
        (
            r#"{"type":"content_block_start","content_block":{"type":"text","text":""}}"#,
            vec![],
            Read::Part,
        ),
        (r#"{"type":"ping"}"#, vec![], Read::Part),
        (
            r#"{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"hm"}}"#,
            vec![thought("hm")],
            Read::Part,
        ),
        (
            r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#,
            vec![text("a")],
            Read::Part,
        ),
        (
            r#"{"type":"content_block_delta","delta":{"type":"signature_delta","signature":"x"}}"#,
            vec![],
            Read::Part,
        ),
        (r#"{"type":"content_block_stop","index":0}"#, vec![], Read::Part),
        (
            r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"},
               "usage":{"output_tokens":7}}"#,
            vec![usage(42, 30, 7, 0), done(Finish::Length)],
            Read::Part,
        ),
        (r#"{"type":"message_stop"}"#, vec![], Read::Last),
        (r#"{"type":"something_new"}"#, vec![], Read::Unknown),
    ] {
        assert_eq!(event(&mut decoder, data), Ok((expected, read)), "{data}");
    }
    let error = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    assert_eq!(event(&mut decoder, error), Err(Refused::Told));
}

#[test]
fn anthropic_answers_in_one_piece() {
    let body = r#"{"type":"message","content":[{"type":"thinking","thinking":"hm"},
        {"type":"text","text":"a"}],"stop_reason":"refusal",
        "usage":{"input_tokens":3,"output_tokens":4}}"#;
    let expected = vec![thought("hm"), text("a"), usage(3, 0, 4, 0), done(Finish::ContentFilter)];
    assert_eq!(whole(&mut anthropic::Decoder::default(), body), Ok(expected));
}

#[test]
fn gemini_streams() {
    for (data, expected) in [
        (
            r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"a"}],
               "role":"model"}}]}"#,
            Ok((vec![thought("hm"), text("a")], Read::Part)),
        ),
        (
            r#"{"candidates":[{"content":{},"finishReason":"MAX_TOKENS"}],"usageMetadata":
               {"promptTokenCount":9,"cachedContentTokenCount":4,"candidatesTokenCount":2,
               "thoughtsTokenCount":3}}"#,
            Ok((vec![usage(9, 4, 5, 3), done(Finish::Length)], Read::Part)),
        ),
        (
            r#"{"candidates":[{"finishReason":"SAFETY"}]}"#,
            Ok((vec![done(Finish::ContentFilter)], Read::Part)),
        ),
        (r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#, Err(Refused::Filtered)),
        (r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}"#, Err(Refused::Told)),
        (r#"{"responseId":"x"}"#, Ok((vec![], Read::Unknown))),
    ] {
        assert_eq!(event(&mut gemini::Decoder, data), expected, "{data}");
    }
    let array = r#"[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},
        {"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}]"#;
    let expected = vec![text("a"), text("b"), done(Finish::Stop)];
    assert_eq!(whole(&mut gemini::Decoder, array), Ok(expected));
    assert_eq!(whole(&mut gemini::Decoder, r#"[{"error":{"code":400}}]"#), Err(Refused::Told));
}

#[test]
fn an_end_and_the_same_usage_are_told_once() {
    let mut out = Deltas::default();
    let chunk = r#"{"choices":[{"delta":{},"finish_reason":"stop"}],
        "usage":{"prompt_tokens":1,"completion_tokens":1}}"#;
    let event = SseEvent { name: String::new(), data: chunk.into() };
    for _ in 0..2 {
        read_event(&mut openai::Decoder, &event, &mut out).unwrap();
    }
    assert_eq!(drain(out), [done(Finish::Stop), usage(1, 0, 1, 0)]);
}
